//! The command `go`.

use std::time::Duration;

use play::Limits;
use rules::{Game, Move};

/// What `go` asks for.
#[derive(Clone, Debug, Default)]
pub struct Go {
    /// Limits that hold from the start.
    pub limits: Limits,
    /// Until `stop`, whatever is found before.
    pub infinite: bool,
    /// On the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The moves to consider; none stands for all.
    pub only: Vec<Move>,
    /// The clock of the side to move, and the moves until more time comes.
    clock: Option<Clock>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    left: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
}

/// Moves a game is expected to go on for.
const MOVES_AHEAD: u32 = 30;

impl Go {
    /// Reads the words after `go`. What makes no sense is passed over.
    pub fn read(words: &[&str], game: &Game) -> Go {
        let mut go = Go::default();
        let position = game.position();
        let (mine, my_increment) = position
            .turn()
            .fold_wb(("wtime", "winc"), ("btime", "binc"));
        let mut words = words.iter().copied().peekable();
        let mut clock = Clock::default();
        let mut timed = false;
        while let Some(word) = words.next() {
            if word == "searchmoves" {
                while let Some(m) = words.peek().and_then(|text| position.parse_uci(text)) {
                    go.only.push(m);
                    words.next();
                }
                continue;
            }
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                _ => {
                    let Some(number) = words.peek().and_then(|text| text.parse::<i64>().ok())
                    else {
                        continue;
                    };
                    words.next();
                    // A clock may have run out and show less than nothing.
                    let number = u64::try_from(number).unwrap_or(0);
                    let small = u32::try_from(number).unwrap_or(u32::MAX);
                    let time = Duration::from_millis(number);
                    match word {
                        "depth" => go.limits.depth = Some(small.max(1)),
                        "nodes" => go.limits.nodes = Some(number.max(1)),
                        "movetime" => go.limits.time = Some(time),
                        // A mate in n moves shows at a depth of 2n plies.
                        "mate" => go.limits.depth = Some(small.saturating_mul(2).max(1)),
                        "movestogo" => clock.moves_to_go = Some(small.max(1)),
                        _ if word == mine => {
                            clock.left = time;
                            timed = true;
                        }
                        _ if word == my_increment => clock.increment = time,
                        _ => {}
                    }
                }
            }
        }
        go.clock = timed.then_some(clock);
        let unlimited = go.limits == Limits::NONE && go.clock.is_none();
        go.infinite |= unlimited && !go.ponder;
        go
    }

    /// The time for this move, once the clock runs for us. `overhead` is lost on the way.
    pub fn time(&self, overhead: Duration) -> Option<Duration> {
        let by_clock = self.clock.map(|clock| {
            let moves = clock.moves_to_go.unwrap_or(MOVES_AHEAD).min(MOVES_AHEAD);
            let share = clock.left / moves + clock.increment * 3 / 4;
            let most = clock.left.saturating_sub(overhead);
            share.min(most).max(Duration::from_millis(1))
        });
        let by_order = self
            .limits
            .time
            .map(|time| time.saturating_sub(overhead).max(Duration::from_millis(1)));
        by_clock.into_iter().chain(by_order).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Position, Rules};

    fn read(text: &str) -> Go {
        let words: Vec<&str> = text.split_whitespace().collect();
        let game = Game::new(Position::start(), Rules::fide());
        Go::read(&words, &game)
    }

    #[test]
    fn every_limit_is_understood() {
        let go = read("depth 5 nodes 1000 movetime 200");
        assert_eq!(go.limits.depth, Some(5));
        assert_eq!(go.limits.nodes, Some(1000));
        assert_eq!(
            go.time(Duration::from_millis(30)),
            Some(Duration::from_millis(170))
        );
        assert!(!go.infinite);
        assert_eq!(read("mate 3").limits.depth, Some(6));
        assert!(read("").infinite && read("infinite").infinite);
        let moves = read("searchmoves e2e4 d2d4 e2e5 infinite");
        assert_eq!(moves.only.len(), 2);
        assert!(moves.infinite);
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for text in [
            "wtime 60000 btime 1 winc 1000 binc 0",
            "wtime 60 btime 60000",
            "wtime -5 btime 100",
            "wtime 1000 movestogo 1",
        ] {
            let go = read(text);
            let left = go.clock.expect("a clock").left;
            let time = go.time(Duration::from_millis(30)).expect("a time");
            assert!(
                time <= left.max(Duration::from_millis(1)),
                "{text}: {time:?}"
            );
        }
        let ponder = read("ponder wtime 1000 btime 1000");
        assert!(ponder.ponder && !ponder.infinite);
    }
}
