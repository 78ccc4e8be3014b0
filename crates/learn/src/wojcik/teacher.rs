//! A larger network whose opinion is learned, beside the move that was played.

use std::path::Path;

use rules::{Color, Move, ShakmatyPosition as _, plain_file};

use super::{Code, SQUARES, network_of};
use crate::{
    LearnError,
    games::PackedMove,
    imitation::{ImitationNetwork, Library, MOST_MOVES, shares},
};

/// A network of `imitation` that teaches smaller ones what it thinks of their positions (Hinton, Vinyals and Dean 2015):
/// that two squares are nearly as good as each other says more than that one of them was chosen.
pub(super) struct Teacher {
    network: ImitationNetwork,
    /// How much of what is learned is the teacher's.
    trust: f32,
}

/// What a teacher has said of the positions that a network learns from: asked once, needed in every pass.
#[derive(Default)]
pub(super) struct Advice {
    /// In 255ths, 64 squares for each position.
    chances: Vec<u8>,
    /// Which of them are known.
    known: Vec<bool>,
}

/// A network, by its place, what it learns from, and what its answers mean.
pub(super) type About<'l> = (&'l Library, usize, Code);

impl Teacher {
    /// A teacher from a file of weights.
    ///
    /// # Errors
    /// When it cannot be read or is something else.
    pub fn open(file: &Path, trust: f32) -> Result<Teacher, LearnError> {
        let refuse = |why: String| LearnError::BadSetting {
            name: "teacher".into(),
            value: file.display().to_string(),
            why,
        };
        let bytes =
            plain_file::read(file, plain_file::TEXT).map_err(|error| refuse(error.to_string()))?;
        let network =
            ImitationNetwork::from_file(&bytes).map_err(|error| refuse(error.to_string()))?;
        Ok(Teacher { network, trust })
    }

    /// Finds out what it thinks of these of a network's positions, where that is not known.
    pub fn advise(&self, advice: &mut Advice, asked: &[usize], picks: &[u32], about: About<'_>) {
        advice.known.resize(picks.len(), false);
        advice.chances.resize(picks.len() * SQUARES, 0);
        let new = asked
            .iter()
            .copied()
            .filter(|&number| !advice.known[number]);
        let new: Vec<usize> = new.collect();
        if new.is_empty() {
            return;
        }
        let (library, network, code) = about;
        let places: Vec<usize> = new.iter().map(|&number| picks[number] as usize).collect();
        let batch = library.batch(&places, MOST_MOVES);
        let (scores, _) = self
            .network
            .answers(&batch.sights, &batch.legal, MOST_MOVES);
        let boards = scores.chunks_exact(MOST_MOVES);
        for ((&number, &place), scores) in new.iter().zip(&places).zip(boards) {
            let position = library.training().as_slice()[place].position();
            let chess = position.chess();
            let (turn, moves) = (chess.turn(), chess.legal_moves());
            let chances = shares(&scores[..moves.len()]);
            let mut squares = [0.0; SQUARES];
            for (&m, chance) in moves.iter().zip(chances) {
                if let Some(square) = answer(m, network, turn, code) {
                    squares[square] += chance;
                }
            }
            let all: f32 = squares.iter().sum();
            let kept = &mut advice.chances[number * SQUARES..][..SQUARES];
            for (kept, square) in kept.iter_mut().zip(squares) {
                *kept = (255.0 * square / all.max(f32::MIN_POSITIVE)).round() as u8;
            }
            advice.known[number] = true;
        }
    }

    /// How likely every square should be at a position that it has been asked about, where this one is right.
    pub fn wanted(&self, advice: &Advice, number: usize, right: u8) -> [f32; SQUARES] {
        let chances = &advice.chances[number * SQUARES..][..SQUARES];
        let all: f32 = chances.iter().map(|&chance| f32::from(chance)).sum();
        let mut wanted = [0.0; SQUARES];
        let mut own = 1.0;
        if all > 0.0 {
            own -= self.trust;
            for (wanted, &chance) in wanted.iter_mut().zip(chances) {
                *wanted = self.trust * f32::from(chance) / all;
            }
        }
        wanted[usize::from(right)] += own;
        wanted
    }
}

/// The answer of a network that is this move; `None` where another network decides.
fn answer(m: Move, network: usize, turn: Color, code: Code) -> Option<usize> {
    let packed = PackedMove::new(m);
    let square = match network {
        0 => packed.from(),
        _ if network == network_of(m.role()) => packed.to(),
        _ => return None,
    };
    let seen = turn.fold_wb(square, square.flip_vertical());
    Some(code.answer(seen, turn))
}

#[cfg(test)]
mod tests {
    use rules::{Game, Position, Rules};

    use super::*;
    use crate::games::Import;

    const MOVES: [&str; 14] = [
        "e4", "c5", "Nf3", "Nc6", "Bb5", "g6", "O-O", "Bg7", "Bxc6", "dxc6", "d3", "Nf6", "Qe2",
        "O-O",
    ];

    /// What it says of each square, as A8 counts them, is what the network says of the moves that go there.
    #[test]
    fn it_says_what_its_network_says_of_the_game() {
        let folder = tempfile::tempdir().expect("a folder");
        let [pgn, games] = ["one.pgn", "one.games"].map(|name| folder.path().join(name));
        std::fs::write(&pgn, format!("{} *\n", MOVES.join(" "))).expect("written");
        Import::new(vec![pgn], games.clone())
            .run(&mut |_| {}, &std::sync::atomic::AtomicBool::new(false))
            .expect("one game");
        let library = Library::open(&games, "0".parse().expect("a share")).expect("one game");
        let nets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets");
        let teacher = Teacher::open(&nets.join("imitation.safetensors"), 1.0).expect("a teacher");
        let picks: Vec<u32> = (0..MOVES.len() as u32).collect();
        let all: Vec<usize> = (0..MOVES.len()).collect();
        for network in 1..7 {
            let mut advice = Advice::default();
            teacher.advise(
                &mut advice,
                &all,
                &picks,
                (&library, network, Code::default()),
            );
            let mut game = Game::new(Position::start(), Rules::fide());
            for (ply, san) in MOVES.into_iter().enumerate() {
                let mut expected = [0.0; SQUARES];
                for (m, chance) in teacher.network.judge(&game).moves {
                    if network_of(m.role()) == network {
                        let to = PackedMove::new(m).to();
                        expected[to as usize ^ 56] += chance;
                    }
                }
                let sum: f32 = expected.iter().sum();
                if sum > 0.0 {
                    let wanted = teacher.wanted(&advice, ply, 0);
                    for (square, (wanted, expected)) in wanted.iter().zip(expected).enumerate() {
                        let off = (wanted - expected / sum).abs();
                        assert!(
                            off < 0.02,
                            "{network}, {san}, {square}: {wanted} {}",
                            expected / sum
                        );
                    }
                }
                let m = game.position().parse_san(san).expect("legal");
                game.play(m).expect("legal");
            }
        }
    }
}
