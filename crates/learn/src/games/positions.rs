//! All positions of many games, in memory, to learn from in any order.

use rayon::prelude::*;

use super::{GameFile, GameHeader, GamesError, PackedPosition};

/// The positions of some games of a file: one flat array of forty bytes each, in which a learner can
/// pick at random, and which game each of them is from.
pub struct Positions {
    all: Vec<PackedPosition>,
    /// The number of each game in its file.
    games: Vec<u32>,
    /// What is known of each game.
    headers: Vec<GameHeader>,
    /// Where the positions of each game begin, and where the last ones end.
    begins: Vec<usize>,
}

/// Games that one thread takes at a time.
const AT_A_TIME: usize = 1024;

impl Positions {
    /// Every position in which a move was played in these games, in their order, made on all cores.
    ///
    /// # Errors
    /// When a game holds a move that is none: the file was made up.
    ///
    /// # Panics
    /// When there is no such game in the file.
    pub fn of(file: &GameFile, games: &[u32]) -> Result<Positions, GamesError> {
        let headers: Vec<GameHeader> = games
            .par_iter()
            .map(|&game| *file.game(game as usize).header())
            .collect();
        let mut begins = Vec::with_capacity(games.len() + 1);
        begins.push(0);
        for header in &headers {
            begins.push(begins[begins.len() - 1] + usize::from(header.plies));
        }
        let mut all = vec![PackedPosition::default(); begins[games.len()]];
        let mut rest = &mut all[..];
        let mut shares = Vec::new();
        for (i, chunk) in games.chunks(AT_A_TIME).enumerate() {
            let first = i * AT_A_TIME;
            let (share, others) = rest.split_at_mut(begins[first + chunk.len()] - begins[first]);
            shares.push((chunk, share));
            rest = others;
        }
        shares.into_par_iter().try_for_each(|(chunk, mut share)| {
            for &game in chunk {
                let game = file.game(game as usize);
                let (places, others) = share.split_at_mut(usize::from(game.header().plies));
                let mut replay = game.positions();
                for place in places {
                    *place = replay.next().ok_or(GamesError::Damaged("moves"))?;
                }
                share = others;
            }
            Ok(())
        })?;
        Ok(Positions {
            all,
            games: games.to_owned(),
            headers,
            begins,
        })
    }

    /// All of them, game by game.
    pub fn as_slice(&self) -> &[PackedPosition] {
        &self.all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Which game a position is from, as a place in [`Positions::headers`], and how many plies into it.
    ///
    /// # Panics
    /// When there is no such position.
    pub fn origin(&self, position: usize) -> (usize, usize) {
        assert!(position < self.all.len());
        let game = self.begins.partition_point(|&begin| begin <= position) - 1;
        (game, position - self.begins[game])
    }

    /// What is known of each game.
    pub fn headers(&self) -> &[GameHeader] {
        &self.headers
    }

    /// The number of each game in its file.
    pub fn games(&self) -> &[u32] {
        &self.games
    }

    /// The positions of a game by its place in [`Positions::headers`].
    ///
    /// # Panics
    /// When there is no such game.
    pub fn of_game(&self, game: usize) -> &[PackedPosition] {
        &self.all[self.begins[game]..self.begins[game + 1]]
    }

    /// The rating of who is to move in a position.
    pub fn rating(&self, position: usize) -> Option<u16> {
        let (game, _) = self.origin(position);
        self.headers[game].rating(self.all[position].turn())
    }
}
