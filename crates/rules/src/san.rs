//! SAN, the notation of PGN and of people, on every board size.
//!
//! What a move is called depends only on the moves that share its destination, so shakmaty's
//! answer holds on small boards, too. The suffix does not: a mate on 5×5 may be a mere check on
//! 8×8, so it is found by playing the move here.

use shakmaty::{Move, san::San};

use crate::Position;

/// Why a text is no move in SAN.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SanError {
    /// It does not have the form of a move.
    #[error("'{text}' is not a move in SAN (examples: e4, Nbd7, exd8=Q+, O-O)")]
    Malformed {
        /// The text.
        text: String,
    },
    /// No legal move is called so.
    #[error("'{text}' is not legal in {fen}")]
    Illegal {
        /// The text.
        text: String,
        /// The position.
        fen: String,
    },
    /// Several legal moves are called so.
    #[error("'{text}' is ambiguous in {fen}: it could be {candidates}")]
    Ambiguous {
        /// The text.
        text: String,
        /// The position.
        fen: String,
        /// What it could be, such as `Nbd7 or Nfd7`.
        candidates: String,
    },
    /// It claims a check or a mate that it does not give.
    #[error("'{text}' is written {san} in {fen}")]
    Suffix {
        /// The text.
        text: String,
        /// The same move with what it really does.
        san: String,
        /// The position.
        fen: String,
    },
}

impl Position {
    /// Writes a legal move in SAN, with `+` for check and `#` for mate.
    ///
    /// ```
    /// use rules::Position;
    /// let position = Position::from_fen("4k/5/4K/5/R4 w")?;
    /// let mate = position.parse_uci("a1a5").expect("a legal move");
    /// assert_eq!(position.san(mate), "Ra5#");
    /// # Ok::<(), rules::FenError>(())
    /// ```
    pub fn san(&self, m: Move) -> String {
        let mut text = San::from_move(self.chess(), m).to_string();
        let after = self.after(m);
        if after.is_check() {
            text.push(if after.legal_moves().is_empty() {
                '#'
            } else {
                '+'
            });
        }
        text
    }

    /// Reads a move in SAN.
    ///
    /// The suffix may be missing, and a mate may be called a check; more squares of origin than
    /// needed do no harm. Everything else must be as PGN's standard has it: no annotations, no
    /// `e.p.`, and castling with the letter O.
    ///
    /// # Errors
    /// When the text is malformed, illegal or ambiguous here, or promises a check or a mate that
    /// does not happen.
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let malformed = || SanError::Malformed {
            text: text.to_owned(),
        };
        let san = San::from_ascii(text.as_bytes()).map_err(|_| malformed())?;
        match san {
            San::Normal { .. } | San::Castle(_) => {}
            // Drops and null moves have their notation, but chess does not have them.
            San::Put { .. } | San::Null => return Err(malformed()),
        }
        let m = match san.to_move(self.chess()) {
            Ok(m) if self.board().contains(m.to()) => m,
            _ => return Err(self.why_not(text, san)),
        };
        if text.ends_with(['+', '#']) {
            let after = self.after(m);
            let kept = after.is_check() && (text.ends_with('+') || after.is_checkmate());
            if !kept {
                return Err(SanError::Suffix {
                    text: text.to_owned(),
                    san: self.san(m),
                    fen: self.fen(),
                });
            }
        }
        Ok(m)
    }

    /// Why a well-formed text is no move here.
    fn why_not(&self, text: &str, san: San) -> SanError {
        let candidates: Vec<String> = self
            .legal_moves()
            .into_iter()
            .filter(|&m| san.matches(m))
            .map(|m| self.san(m))
            .collect();
        let (text, fen) = (text.to_owned(), self.fen());
        if candidates.is_empty() {
            SanError::Illegal { text, fen }
        } else {
            SanError::Ambiguous {
                text,
                fen,
                candidates: candidates.join(" or "),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_is_judged_on_the_own_board() {
        let small = Position::from_fen("4k/5/4K/5/R4 w").unwrap();
        assert_eq!(small.san(small.parse_uci("a1a5").unwrap()), "Ra5#");
        // The same men on the big board: the king walks on.
        let big = Position::from_fen("8/8/8/4k3/8/4K3/8/R7 w").unwrap();
        assert_eq!(big.san(big.parse_uci("a1a5").unwrap()), "Ra5+");
        assert!(small.parse_san("Ra5#").is_ok());
        assert!(big.parse_san("Ra5#").is_err());
        assert!(small.parse_san("Rf1").is_err());
    }

    #[test]
    fn every_legal_move_is_read_back() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
            "Q4/2k2/Q4/5/Q2QK w",
            "k7/8/8/2N1N3/8/2N1N3/8/K7 w",
        ] {
            let position = Position::from_fen(fen).unwrap();
            for m in position.legal_moves() {
                let san = position.san(m);
                assert_eq!(position.parse_san(&san), Ok(m), "{san} in {fen}");
            }
        }
    }

    #[test]
    fn refusals_say_which_kind_of_wrong() {
        let position = Position::from_fen("7k/8/8/8/8/8/8/K1N1N3 w").unwrap();
        for (text, what) in [
            ("", "'' is not a move"),
            ("Kb9", "'Kb9' is not a move"),
            ("Kb1!", "'Kb1!' is not a move"),
            ("0-0", "'0-0' is not a move"),
            ("--", "'--' is not a move"),
            ("N@b3", "'N@b3' is not a move"),
            ("é", "'é' is not a move"),
            ("Kc3", "'Kc3' is not legal in 7k/"),
            ("O-O", "'O-O' is not legal"),
            ("Nd3", "ambiguous"),
            ("Nd3", "could be Ncd3 or Ned3"),
            ("Nb3+", "'Nb3+' is written Nb3 in"),
        ] {
            let error = position.parse_san(text).expect_err(text).to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
