//! What a network that imitates is shown, and that burn and libtorch make the same of it.

use learn::{
    games::{GameFile, Import, PackedMove, Positions},
    imitation::{ImitationNetwork, MOST_MOVES, MOVES, SIGHTS, Scene, lessons, move_number},
};
use rules::{Chess, Color, Game, Move, Position, Role, Rules, Square};

/// Two games with castling, captures, en passant and a promotion to a knight.
const GAMES: &str = "[White \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Bg4 6. h3 h5 1-0\n\n\
    [White \"b\"]\n\n1. e4 a6 2. e5 d5 3. exd6 h6 4. dxc7 h5 5. cxb8=N h4 6. g4 hxg3 0-1\n";

fn positions() -> Positions {
    let folder = tempfile::tempdir().expect("a folder");
    let (pgn, out) = (folder.path().join("a.pgn"), folder.path().join("a.games"));
    std::fs::write(&pgn, GAMES).expect("written");
    Import::new(vec![pgn], out.clone())
        .run(&mut |_| (), &false.into())
        .expect("imported");
    let file = GameFile::open(&out).expect("a file of games");
    Positions::of(&file, &[0, 1]).expect("positions")
}

fn captured(m: Move) -> Option<Role> {
    match m {
        Move::EnPassant { .. } => Some(Role::Pawn),
        _ => m.capture(),
    }
}

#[test]
fn a_lesson_shows_what_a_player_sees() {
    let positions = positions();
    let picks: Vec<usize> = (0..positions.len()).collect();
    let batch = lessons(&positions, &picks, MOST_MOVES);
    let mut captures = 0;
    for (i, packed) in positions.as_slice().iter().enumerate() {
        let (_, ply) = positions.origin(i);
        // Played again from the start, as a player is handed it.
        let mut game = Game::new(Position::start(), Rules::none());
        for packed in &positions.as_slice()[i - ply..i] {
            let black = game.position().turn() == Color::Black;
            let m = packed.played();
            let m = if black { m.mirrored() } else { m };
            let m = m.unpack(game.position().chess()).expect("a move");
            game.play(m).expect("legal");
        }
        let mut before = game.moves().rev();
        let last = before.next();
        let scene = Scene {
            chess: game.position().chess(),
            last: last.map_or(PackedMove::NONE, PackedMove::new),
            before_last: before.next().map_or(PackedMove::NONE, PackedMove::new),
            captured: last.and_then(captured),
        };
        captures += usize::from(scene.captured.is_some());
        assert_eq!(
            batch.sights[i * SIGHTS..][..SIGHTS],
            scene.sight(),
            "ply {ply}"
        );
        let legal = &batch.legal[i * MOST_MOVES..][..MOST_MOVES];
        let count = game.position().legal_moves().len();
        assert!(
            legal[..count]
                .iter()
                .all(|&n| (0..MOVES as i16).contains(&n))
        );
        assert!(legal[count..].iter().all(|&n| n == -1));
        let played = legal[batch.played[i] as usize];
        assert_eq!(played as usize, move_number(packed.played()));
        // White won the first game, black the second.
        let won = (i < 12) == (packed.turn() == Color::White);
        assert_eq!(batch.endings[i], if won { 2 } else { 0 });
    }
    assert_eq!(captures, 2 + 3, "{}", positions.len());
}

#[test]
fn where_there_is_little_room_the_move_played_is_kept() {
    let positions = positions();
    let picks: Vec<usize> = (0..positions.len()).collect();
    let all = lessons(&positions, &picks, MOST_MOVES);
    let few = lessons(&positions, &picks, 3);
    for i in 0..picks.len() {
        let of =
            |batch: &learn::net::TowerBatch| batch.legal[i * batch.room + batch.played[i] as usize];
        assert_eq!(of(&all), of(&few));
    }
}

#[test]
fn the_start_is_seen_as_it_is_and_alike_from_both_sides() {
    let seen = |chess: &Chess| {
        Scene {
            chess,
            last: PackedMove::NONE,
            before_last: PackedMove::NONE,
            captured: None,
        }
        .sight()
    };
    let start = Position::start();
    let white = seen(start.chess());
    assert_eq!(white[0], 0xff00, "the mover's pawns");
    assert_eq!(white[11], 1 << 60, "the other king");
    assert_eq!(white[12..16], [u64::MAX; 4], "castling");
    assert_eq!(white[16..27], [0; 11]);
    assert_eq!(white[27], u64::MAX);
    assert_eq!(
        white[28], 0xff_0000,
        "squares that the mover's pawns attack"
    );
    assert_eq!(white[29], 0xa5_1800, "its knights");
    assert_eq!(white[34], 0xff00_0000_0000, "and the other's pawns");
    let black = Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    let mut black = seen(black.expect("a position").chess());
    assert_eq!(std::mem::take(&mut black[26]), u64::MAX);
    assert_eq!(black, white);
}

#[test]
fn no_two_moves_share_a_number() {
    let mut seen = std::collections::HashSet::new();
    let mut count = 0;
    // A pawn on the seventh rank with something to take on both sides, file by file.
    for file in 0..8_u32 {
        let pawn = Square::new(48 + file);
        for to in [file.checked_sub(1), Some(file), Some(file + 1)] {
            let Some(to) = to.filter(|&to| to < 8) else {
                continue;
            };
            for promotion in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                let m = Move::Normal {
                    role: Role::Pawn,
                    from: pawn,
                    capture: (to != file).then_some(Role::Rook),
                    to: Square::new(56 + to),
                    promotion: Some(promotion),
                };
                let number = move_number(PackedMove::new(m));
                assert!(number < MOVES && seen.insert(number), "{m:?}");
                assert_eq!(number < 4096, promotion == Role::Queen);
                count += 1;
            }
        }
    }
    assert_eq!(count, 22 * 4);
}

/// The network that comes with the house.
fn network() -> Vec<u8> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../nets/imitation.safetensors"
    );
    std::fs::read(path).expect("a network")
}

#[test]
fn a_network_is_its_file() {
    let network = ImitationNetwork::from_file(&network()).expect("sound");
    let file = network.to_file();
    let again = ImitationNetwork::from_file(&file).expect("sound");
    assert_eq!(file, again.to_file());
    for length in [0, 7, 100, file.len() / 2, file.len() - 1] {
        assert!(ImitationNetwork::from_file(&file[..length]).is_err());
    }
    let game = Game::new(Position::start(), Rules::fide());
    let judgement = network.judge(&game);
    assert_eq!(judgement, again.judge(&game));
    assert_eq!(judgement.moves.len(), 20);
    let sum: f32 = judgement.moves.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-5 && (judgement.ending.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    // Masters begin with a centre pawn in nine games of ten.
    let first_two: f32 = judgement.moves[..2].iter().map(|(_, share)| share).sum();
    assert!(first_two > 0.6, "{:?}", &judgement.moves[..4]);
}

#[cfg(feature = "libtorch")]
#[test]
fn burn_and_libtorch_say_and_learn_the_same() {
    libtorch::compare();
}

#[cfg(feature = "libtorch")]
mod libtorch {
    use super::*;
    use learn::net::{TowerRates, TowerShape, tower_trainer};

    const RATES: TowerRates = TowerRates {
        decay: 0.03,
        ending: 0.1,
        average: 0.9,
    };

    fn farthest(ours: &[f32], theirs: &[f32]) -> f32 {
        assert_eq!(ours.len(), theirs.len());
        let pairs = ours.iter().zip(theirs);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    /// How likely the legal moves are by the scores of all.
    fn chances(scores: &[f32], legal: &[i16]) -> Vec<f32> {
        let chance = |&m: &i16| usize::try_from(m).map_or(0.0, |m| scores[m].exp());
        let chances: Vec<f32> = legal.iter().map(chance).collect();
        let sum: f32 = chances.iter().sum();
        chances.into_iter().map(|chance| chance / sum).collect()
    }

    pub fn compare() {
        let positions = positions();
        let picks: Vec<usize> = (0..positions.len()).collect();
        let batch = lessons(&positions, &picks, MOST_MOVES);
        // The network of the house, asked by both.
        let house = ImitationNetwork::from_file(&network()).expect("sound");
        let tower = house.tower().expect("a tower");
        let shape = tower.shape().clone();
        let mut torch = tower_trainer(&shape, RATES, 1, "libtorch").expect("a trainer");
        torch.start_from(&tower.weights()).expect("its weights");
        let (scores, endings) = tower.answers(&batch.sights);
        let mut asked = torch.answers().expect("it answers where it is trained");
        let theirs = asked.answer(&batch.sights, &batch.legal, batch.room);
        assert_eq!(
            asked
                .again()
                .answer(&batch.sights, &batch.legal, batch.room),
            theirs
        );
        let ours = scores
            .chunks_exact(MOVES)
            .zip(batch.legal.chunks_exact(batch.room))
            .flat_map(|(scores, legal)| chances(scores, legal));
        assert!(farthest(&ours.collect::<Vec<_>>(), &theirs.moves) < 1e-4);
        assert!(farthest(&endings, &theirs.endings) < 1e-4);
        // A small one, trained by both from the same weights.
        let shape = TowerShape {
            inputs: SIGHTS,
            width: 16,
            blocks: "cra".into(),
            squeeze: 4,
            heads: 2,
            hidden: 32,
            keys: 8,
        };
        let mut ours = tower_trainer(&shape, RATES, 3, "cpu").expect("a trainer");
        let mut theirs = tower_trainer(&shape, RATES, 3, "libtorch").expect("a trainer");
        for step in 0..5 {
            let (a, b) = (ours.learn(&batch, 1e-3), theirs.learn(&batch, 1e-3));
            assert!((a.moves - b.moves).abs() < 1e-3, "{step}: {a:?} {b:?}");
            assert!((a.endings - b.endings).abs() < 1e-3, "{step}: {a:?} {b:?}");
        }
    }
}
