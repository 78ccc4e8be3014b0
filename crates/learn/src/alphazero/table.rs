//! A game against oneself, move by move, each found by a search.

use play::{Chances, Found, Puct};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Game, Position};

use super::{lesson::Lesson, network::Judge, terms::Terms};
use crate::{
    LearnError,
    learner::{below, chance, load_random, save_random},
    runs::record::{Reader, Writer},
};

/// A table at which one game is played after the other.
pub(super) struct Table {
    game: Game,
    tree: Puct,
    random: ChaCha8Rng,
    /// Is a move being searched for?
    thinking: bool,
    /// Is this move searched for with all simulations, so that there is something to learn from it?
    full: bool,
    /// What was noted down of the game so far.
    notes: Vec<Note>,
    /// How the search expected the game to end, ply by ply, for the side that moved.
    hopes: Vec<Chances>,
    /// When may this game be given up?
    resigning: Resigning,
    /// Positions out of earlier games in which the search surprised the network, to begin other games
    /// with.
    archive: Vec<Position>,
    next: usize,
}

/// What was noted down of a position.
struct Note {
    lesson: Lesson,
    /// Plies of the game before it.
    plies: usize,
}

/// Whether a game is given up when both sides agree who wins it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Resigning {
    /// As soon as they agree.
    Allowed,
    /// Never: it shows how often they are wrong.
    Checked,
    /// Never; they have agreed that this side wins.
    Agreed(Color),
}

/// A game that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finished {
    pub plies: u32,
    pub winner: Option<Color>,
    pub how: Ending,
}

/// How a game came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// By the rules.
    Rules,
    /// One side gave up.
    Resigned,
    /// By the rules, although both sides had agreed who wins; they were right.
    AgreedRightly,
    /// The same, but they were wrong.
    AgreedWrongly,
}

impl Ending {
    pub const ALL: [Ending; 4] = [
        Ending::Rules,
        Ending::Resigned,
        Ending::AgreedRightly,
        Ending::AgreedWrongly,
    ];
}

/// Positions that a table remembers.
const REMEMBERED: usize = 64;

impl Table {
    /// A table whose chances follow from `random`; its first game has begun.
    pub fn new(terms: &Terms, mut random: ChaCha8Rng) -> Table {
        let start = terms.start.position(&mut random);
        Table {
            game: Game::new(start, terms.rules()),
            tree: Puct::new(terms.search, 0),
            random,
            thinking: false,
            full: true,
            notes: Vec::new(),
            hopes: Vec::new(),
            resigning: Resigning::Allowed,
            archive: Vec::new(),
            next: 0,
        }
    }

    fn chance(&mut self) -> f64 {
        chance(&mut self.random)
    }

    /// Is a move being searched for, or waiting to be played?
    pub fn is_thinking(&self) -> bool {
        self.thinking
    }

    /// Is there a move to play?
    pub fn has_found(&self) -> bool {
        self.thinking && self.tree.is_finished()
    }

    /// Begins the search for the next move.
    pub fn think(&mut self, terms: &Terms) {
        self.full = terms.full_share >= 1.0 || self.chance() < terms.full_share;
        let settings = match self.full {
            true => terms.search,
            false => terms.quick_search(),
        };
        // A tree of its own for every move: a run that goes on from a checkpoint has no other.
        self.tree = Puct::new(settings, rand::Rng::next_u64(&mut self.random));
        self.tree.begin(&self.game);
        self.thinking = true;
    }

    /// Plays the move that the search has found, and begins another game when that ends this one:
    /// then there are lessons.
    pub fn play(
        &mut self,
        terms: &Terms,
        judge: &dyn Judge,
        lessons: &mut Vec<Lesson>,
    ) -> Option<Finished> {
        // A game that goes on has moves.
        let found = self.tree.found().expect("a search that is finished");
        self.thinking = false;
        if self.full {
            self.note(&found, judge);
        }
        self.hopes.push(terms.expected(&found));
        let agreed = self.agree(terms);
        let choice = terms.choice(&found, self.game.plies(), &mut self.random);
        self.game.play_legal(choice);
        let (winner, how) = match (self.game.outcome(), self.resigning) {
            (Some(outcome), Resigning::Agreed(color)) => {
                let right = outcome.winner == Some(color);
                let how = match right {
                    true => Ending::AgreedRightly,
                    false => Ending::AgreedWrongly,
                };
                (outcome.winner, how)
            }
            (Some(outcome), _) => (outcome.winner, Ending::Rules),
            (None, Resigning::Allowed) => (Some(agreed?), Ending::Resigned),
            (None, Resigning::Checked) => {
                self.resigning = agreed.map_or(Resigning::Checked, Resigning::Agreed);
                return None;
            }
            (None, Resigning::Agreed(_)) => return None,
        };
        self.settle(winner, terms, lessons);
        let finished = Finished {
            plies: self.game.plies() as u32,
            winner,
            how,
        };
        self.begin(terms);
        Some(finished)
    }

    /// Who wins, if both sides are sure of it: the one that moves and, before it, the other.
    fn agree(&self, terms: &Terms) -> Option<Color> {
        let [.., before, now] = self.hopes[..] else {
            return None;
        };
        let (before, now) = (before.value(), now.value());
        let sure = |hope: f32| terms.resign > 0.0 && f64::from(hope.abs()) >= terms.resign;
        if !sure(now) || !sure(before) || (now > 0.0) == (before > 0.0) {
            return None;
        }
        let mover = self.game.position().turn();
        Some(if now > 0.0 { mover } else { !mover })
    }

    fn note(&mut self, found: &Found, judge: &dyn Judge) {
        let shares: Vec<_> = found.moves.iter().map(|m| (m.mv, m.share)).collect();
        let mut lesson = judge.note(&self.game, &shares);
        let likely = found.moves.iter().filter(|m| m.share > 0.0);
        lesson.surprise = likely
            .map(|m| m.share * (m.share / m.prior.max(1e-6)).ln())
            .sum::<f32>()
            .max(0.0);
        self.notes.push(Note {
            lesson,
            plies: self.game.plies(),
        });
    }

    /// Turns notes into lessons, now that it is known how the game ended.
    fn settle(&mut self, winner: Option<Color>, terms: &Terms, lessons: &mut Vec<Lesson>) {
        let endings = terms.endings(winner, self.game.position().turn(), &self.hopes);
        self.hopes.clear();
        let mean = mean_surprise(&self.notes);
        if terms.restarts > 0.0 {
            self.remember();
        }
        for note in std::mem::take(&mut self.notes) {
            let mut lesson = note.lesson;
            lesson.ending = endings[note.plies];
            // Half of the weight is the same for all lessons, half of it for those that tell most.
            let weight = match mean > 0.0 {
                true => 1.0 + terms.surprise * (f64::from(lesson.surprise) / mean - 1.0),
                false => 1.0,
            };
            let whole = weight.floor();
            let more = f64::from(u8::from(self.chance() < weight - whole));
            for _ in 0..((whole + more) as usize).min(MOST_COPIES) {
                lessons.push(lesson.clone());
            }
        }
    }

    fn begin(&mut self, terms: &Terms) {
        let start = match self.chance() < terms.restarts && !self.archive.is_empty() {
            true => self.archive[below(&mut self.random, self.archive.len())].clone(),
            false => terms.start.position(&mut self.random),
        };
        self.game = Game::new(start, terms.rules());
        self.resigning = match terms.resign > 0.0 && self.chance() < terms.resign_checked {
            true => Resigning::Checked,
            false => Resigning::Allowed,
        };
    }

    /// Keeps a position of the game, drawn by how far the search went there from what the network
    /// thought: there is something left to learn.
    fn remember(&mut self) {
        let all: f64 = self.notes.iter().map(surprise).sum();
        let mut left = self.chance() * all;
        let drawn = self.notes.iter().find(|note| {
            left -= surprise(note);
            left < 0.0
        });
        let position = drawn.and_then(|note| self.game.positions().nth(note.plies));
        let Some(position) = position.cloned() else {
            return;
        };
        if self.archive.len() < REMEMBERED {
            self.archive.push(position);
        } else {
            self.archive[self.next] = position;
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// Can it be gone on with? What comes from elsewhere may be anything.
    pub fn is_sound(&self, terms: &Terms, judge: &dyn Judge) -> bool {
        let goes_on = |position: &Position| {
            judge.suits(position)
                && Game::new(position.clone(), terms.rules())
                    .outcome()
                    .is_none()
        };
        judge.suits(self.game.position())
            && self
                .hopes
                .iter()
                .all(|hope| hope.value().is_finite() && hope.draw.is_finite())
            && self.game.outcome().is_none()
            && self.archive.iter().all(goes_on)
            && self
                .notes
                .iter()
                .all(|note| note.lesson.is_sound() && judge.knows(&note.lesson))
    }

    /// Writes the game under way and everything else that what comes next depends on. A search is
    /// never under way then.
    pub fn save(&self, out: &mut Writer) {
        save_random(&self.random, out);
        out.bytes(self.game.start().fen().as_bytes());
        let mut moves = String::new();
        for (position, m) in self.game.positions().zip(self.game.moves()) {
            moves.push_str(&position.uci(m));
            moves.push(' ');
        }
        out.bytes(moves.as_bytes());
        out.u64(self.notes.len() as u64);
        for note in &self.notes {
            note.lesson.save(out);
            out.u64(note.plies as u64);
        }
        let hopes = self.hopes.iter();
        let hopes: Vec<f32> = hopes.flat_map(|h| [h.win, h.draw, h.loss]).collect();
        out.weights(&hopes);
        out.u64(self.archive.len() as u64);
        for position in &self.archive {
            out.bytes(position.fen().as_bytes());
        }
        out.u64(self.next as u64);
        out.u64(match self.resigning {
            Resigning::Allowed => 0,
            Resigning::Checked => 1,
            Resigning::Agreed(color) => color.fold_wb(2, 3),
        });
    }

    /// # Errors
    /// When the record holds something else.
    pub fn load(&mut self, terms: &Terms, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.random = load_random(from)?;
        fn text(bytes: &[u8]) -> Result<&str, LearnError> {
            std::str::from_utf8(bytes).map_err(|_| LearnError::Record)
        }
        let position = |from: &mut Reader<'_>| {
            let fen = text(from.bytes()?)?;
            Position::from_fen(fen).map_err(|_| LearnError::Record)
        };
        self.game = Game::new(position(from)?, terms.rules());
        for uci in text(from.bytes()?)?.split_ascii_whitespace() {
            let m = self.game.position().parse_uci(uci);
            self.game.play_legal(m.ok_or(LearnError::Record)?);
        }
        let notes = from.u64()?;
        self.notes.clear();
        for _ in 0..notes {
            let lesson = Lesson::load(from)?;
            let plies = from.u64()? as usize;
            if plies >= self.game.plies() {
                return Err(LearnError::Record);
            }
            self.notes.push(Note { lesson, plies });
        }
        let hopes = from.weights(3 * self.game.plies())?;
        let hopes = hopes.as_chunks::<3>().0.iter();
        self.hopes = hopes
            .map(|&[win, draw, loss]| Chances { win, draw, loss })
            .collect();
        self.archive = (0..from.u64()?)
            .map(|_| position(from))
            .collect::<Result<_, _>>()?;
        self.next = from.u64()? as usize;
        self.resigning = match from.u64()? {
            0 => Resigning::Allowed,
            1 => Resigning::Checked,
            2 => Resigning::Agreed(Color::White),
            3 => Resigning::Agreed(Color::Black),
            _ => return Err(LearnError::Record),
        };
        match self.archive.len() <= REMEMBERED && self.next < REMEMBERED {
            true => Ok(()),
            false => Err(LearnError::Record),
        }
    }
}

impl AsRef<Puct> for Table {
    fn as_ref(&self) -> &Puct {
        &self.tree
    }
}

impl AsMut<Puct> for Table {
    fn as_mut(&mut self) -> &mut Puct {
        &mut self.tree
    }
}

/// No lesson is learned more often at a time.
const MOST_COPIES: usize = 8;

fn surprise(note: &Note) -> f64 {
    note.lesson.surprise.into()
}

fn mean_surprise(notes: &[Note]) -> f64 {
    notes.iter().map(surprise).sum::<f64>() / notes.len().max(1) as f64
}
