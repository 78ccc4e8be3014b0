//! What must hold for every position and every game.

use std::collections::HashMap;

use proptest::prelude::*;
use rules::{
    Board, Color, Epd, Game, Material, Move, Operand, Operation, Outcome, Pgn, PgnReader, Piece,
    Position, RandomPositions, Role, Rules, Side, Symmetry,
};

/// A random position of a few men, on any board; with pawns on the big one.
fn endgame() -> impl Strategy<Value = Position> {
    let pieces = prop::sample::select(vec![Role::Queen, Role::Rook, Role::Bishop, Role::Knight]);
    let side = prop::collection::vec(pieces, 0..3);
    (side.clone(), side, 0_usize..3, 4_usize..=8, any::<u64>()).prop_map(
        |(mut white, mut black, pawns, size, seed)| {
            let board = Board::new(size).expect("4 to 8");
            if board.is_standard() {
                white.extend(std::iter::repeat_n(Role::Pawn, pawns));
                black.extend(std::iter::repeat_n(Role::Pawn, pawns / 2));
            }
            let material = Material::new(Side::new(white), Side::new(black));
            RandomPositions::new(material, board, None, seed).next_position()
        },
    )
}

/// A game of random moves from a position.
fn play(start: Position, choices: &[u16]) -> Game {
    let mut game = Game::new(start, Rules::default());
    for &choice in choices {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[usize::from(choice) % moves.len()])
            .expect("legal moves can be played");
    }
    game
}

/// A game of random moves, from the start position or from an endgame.
fn game() -> impl Strategy<Value = Game> {
    let start = prop_oneof![Just(Position::start()), endgame()];
    let choices = prop::collection::vec(any::<u16>(), 0..150);
    (start, choices).prop_map(|(start, choices)| play(start, &choices))
}

/// Any position that can arise in play.
fn position() -> impl Strategy<Value = Position> {
    game().prop_map(|game| game.position().clone())
}

fn outcome(position: &Position) -> Option<Outcome> {
    Game::new(position.clone(), Rules::none()).outcome()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn legal_moves_are_legal(position in position()) {
        for m in position.legal_moves() {
            prop_assert!(position.is_legal(m));
            prop_assert!(position.board().contains(m.to()));
            let after = position.after(m);
            // The FEN of what follows is accepted again: in particular, no king was left in check.
            let fen = after.fen();
            prop_assert_eq!(&Position::from_fen(&fen).unwrap(), &after);
            prop_assert_eq!(after.turn(), !position.turn());
            prop_assert_eq!(position.parse_uci(&position.uci(m)), Some(m));
            prop_assert_eq!(position.parse_san(&position.san(m)), Ok(m));
        }
    }

    #[test]
    fn no_two_moves_share_a_name(position in position()) {
        let moves = position.legal_moves();
        let mut names: Vec<String> = moves.iter().map(|&m| position.san(m)).collect();
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), moves.len());
    }

    #[test]
    fn symmetry_changes_nothing(position in position()) {
        let canonical = position.canonical().0;
        for &symmetry in position.symmetries() {
            let image = position.transformed(symmetry);
            prop_assert_eq!(image.legal_moves().len(), position.legal_moves().len());
            prop_assert_eq!(image.is_check(), position.is_check());
            prop_assert_eq!(outcome(&image), outcome(&position));
            prop_assert_eq!(image.material(), position.material());
            prop_assert_eq!(&image.transformed(symmetry.inverse()), &position);
            prop_assert_eq!(&image.canonical().0, &canonical);
        }
        let (image, symmetry) = position.canonical();
        prop_assert_eq!(position.transformed(symmetry), image);
    }

    #[test]
    fn exchanging_colours_exchanges_the_winner(position in position()) {
        let mirrored = position.mirrored();
        prop_assert_eq!(mirrored.legal_moves().len(), position.legal_moves().len());
        let exchanged = outcome(&position).map(|outcome| Outcome {
            winner: outcome.winner.map(|color| !color),
            ..outcome
        });
        prop_assert_eq!(outcome(&mirrored), exchanged);
        prop_assert_eq!(mirrored.mirrored(), position);
    }

    #[test]
    fn fen_round_trips(position in position()) {
        let again = Position::from_fen(&position.fen()).unwrap();
        prop_assert_eq!(again.fen(), position.fen());
        prop_assert_eq!(again, position);
    }

    #[test]
    fn epd_round_trips(
        position in position(),
        mate in any::<u32>(),
        value in any::<i32>(),
        id in "[^\"\r\n]*",
        remark in "[^\"\r\n]*",
        word in "[A-Za-z0-9_.+-]{1,9}",
    ) {
        let moves: Vec<Move> = position.legal_moves().into_iter().take(3).collect();
        let mut epd = Epd::new(position)
            .with(Operation::DirectMate(mate))
            .with(Operation::CentipawnEvaluation(value))
            .with(Operation::Id(id))
            .with(Operation::Comment(3, remark.clone()))
            .with(Operation::Other {
                opcode: "acd".into(),
                operands: vec![
                    Operand { text: word, quoted: false },
                    Operand { text: remark, quoted: true },
                ],
            });
        if !moves.is_empty() {
            epd = epd.with(Operation::BestMove(moves.clone())).with(Operation::AvoidMove(moves));
        }
        let text = epd.to_string();
        let again: Epd = text.parse().unwrap();
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(again.position.fen(), epd.position.fen());
        prop_assert_eq!(again, epd);
    }

    #[test]
    fn pgn_round_trips(
        game in game(),
        white in "\\PC*",
        opening in "\\PC*",
        comments in prop::collection::btree_map(0_usize..150, "\\PC{1,100}", 0..5),
        nags in prop::collection::btree_map(0_usize..150, prop::collection::vec(any::<u8>(), 1..3), 0..5),
    ) {
        let plies = game.plies();
        let mut pgn = Pgn::new(game);
        pgn.tags.set("White", &white).unwrap();
        pgn.tags.set("Opening", &opening).unwrap();
        pgn.comments = comments;
        pgn.comments.retain(|&ply, comment| {
            *comment = comment.split_whitespace().collect::<Vec<_>>().join(" ").replace('}', ")");
            ply <= plies && !comment.is_empty()
        });
        pgn.nags = nags;
        pgn.nags.retain(|&ply, _| ply <= plies);
        let text = pgn.to_string();
        let games: Vec<Pgn> = PgnReader::new(text.as_bytes(), Rules::default())
            .collect::<Result<_, _>>()
            .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(games.len(), 1);
        let again = &games[0];
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(again.game.start().fen(), pgn.game.start().fen());
        prop_assert_eq!(again.game.position().fen(), pgn.game.position().fen());
        prop_assert!(again.game.moves().eq(pgn.game.moves()));
        prop_assert_eq!(&again.tags, &pgn.tags);
        prop_assert_eq!(&again.comments, &pgn.comments);
        prop_assert_eq!(&again.nags, &pgn.nags);
        prop_assert_eq!(again.result, pgn.result);
    }

    #[test]
    fn repetitions_are_what_counting_positions_gives(game in game()) {
        // Position's own equality is FIDE's; counting over the whole game needs no hash.
        let mut counts: HashMap<Position, usize> = HashMap::new();
        let mut replay = Game::new(game.start().clone(), game.rules());
        for (position, m) in game.positions().zip(game.moves().map(Some).chain([None])) {
            let count = counts.entry(position.clone()).or_default();
            *count += 1;
            prop_assert_eq!(replay.repetitions(), *count);
            if let Some(m) = m {
                replay.play(m).unwrap();
            }
        }
        while replay.undo().is_some() {}
        prop_assert_eq!(replay.position().fen(), game.start().fen());
    }

    #[test]
    fn nothing_that_is_read_panics(text in "\\PC*", fields in "[KQRBNPkqrbnp1-8/ wb-]{0,60}") {
        for text in [text, fields] {
            let _ = Position::from_fen(&text);
            let _ = text.parse::<Epd>();
            let _ = text.parse::<Material>();
            let _ = text.parse::<Rules>();
            let _ = Position::start().parse_san(&text);
            let _ = Position::start().parse_uci(&text);
            PgnReader::new(text.as_bytes(), Rules::default()).for_each(drop);
        }
    }
}

/// Every legal position of the two kings and one white piece.
fn enumerate(board: Board, role: Role, turn: Color) -> Vec<Position> {
    let men = [
        Piece {
            color: Color::White,
            role: Role::King,
        },
        Piece {
            color: Color::Black,
            role: Role::King,
        },
        Piece {
            color: Color::White,
            role,
        },
    ];
    let mut positions = Vec::new();
    for a in board.squares() {
        for b in board.squares() {
            for c in board.squares() {
                if a != b && b != c && a != c {
                    positions.extend(Position::from_pieces(
                        board,
                        [a, b, c].into_iter().zip(men),
                        turn,
                    ));
                }
            }
        }
    }
    positions
}

#[test]
fn the_number_of_legal_positions_is_the_published_one() {
    let count = |role, turn| enumerate(Board::STANDARD, role, turn).len();
    assert_eq!(count(Role::Queen, Color::White), 144_508);
    assert_eq!(count(Role::Rook, Color::White), 175_168);
    assert_eq!(count(Role::Queen, Color::Black), 223_944);
    assert_eq!(count(Role::Rook, Color::Black), 223_944);
}

#[test]
fn every_legal_position_is_equally_likely() {
    let board = Board::new(4).unwrap();
    for turn in [Some(Color::White), Some(Color::Black), None] {
        let mut counts: HashMap<Position, f64> = Color::ALL
            .into_iter()
            .filter(|&color| turn.is_none_or(|turn| turn == color))
            .flat_map(|color| enumerate(board, Role::Queen, color))
            .map(|position| (position, 0.0))
            .collect();
        // Without a side to move, each side is to move half the time, whatever it has to offer.
        let sides = if turn.is_none() { 2.0 } else { 1.0 };
        let share = |color| {
            let n = counts
                .keys()
                .filter(|position| position.turn() == color)
                .count();
            1.0 / sides / n.max(1) as f64
        };
        let shares = [share(Color::White), share(Color::Black)];
        let draws = 200_000;
        let random = RandomPositions::new("KQK".parse().unwrap(), board, turn, 7);
        for position in random.take(draws) {
            *counts.get_mut(&position).expect("a legal position") += 1.0;
        }
        let chi_square: f64 = counts
            .iter()
            .map(|(position, count)| {
                let expected = draws as f64 * position.turn().fold_wb(shares[0], shares[1]);
                (count - expected).powi(2) / expected
            })
            .sum();
        // Chi-square has mean f and variance 2f; five standard deviations never happen by chance.
        let freedom = counts.len() as f64 - sides;
        let deviations = (chi_square - freedom) / (2.0 * freedom).sqrt();
        assert!(
            deviations.abs() < 5.0,
            "{turn:?}: {deviations} standard deviations"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_positions() {
    let ten = |seed| {
        RandomPositions::new("KBNK".parse().unwrap(), Board::STANDARD, None, seed)
            .take(10)
            .map(|position| position.fen())
            .collect::<Vec<_>>()
    };
    assert_eq!(ten(1), ten(1));
    assert_ne!(ten(1), ten(2));
}

#[test]
fn symmetries_are_a_group() {
    let board = Board::new(5).unwrap();
    for a in Symmetry::ALL {
        for b in Symmetry::ALL {
            let product = Symmetry::ALL.into_iter().find(|c| {
                board.squares().into_iter().all(|square| {
                    c.square(board, square) == b.square(board, a.square(board, square))
                })
            });
            assert!(product.is_some(), "{a:?} then {b:?}");
        }
    }
}
