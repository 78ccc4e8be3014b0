//! From a player to its certificate.
//!
//! `truth` certifies anything that names a move for a position. Here it is said which players are such,
//! how they are asked, and whose moves a journal holds.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use rules::{Board, Game, Material, Position, Rules, plain_file};
use serde::Serialize;
use truth::{
    Certificate, Certifier, CertifyError, Chooser, Choosers, Convert, Decision, Defence, Solver,
    Stage,
};

use crate::{Fingerprint, Limits, Nature, Player, PlayerSpec};

/// A player that is to be certified.
pub struct Candidate<'a> {
    name: String,
    fingerprint: Fingerprint,
    make: Box<dyn Fn() -> Box<dyn Player + 'a> + Sync + 'a>,
}

/// What is to be certified of a player.
pub struct Certification<'a> {
    /// The endgame; white, the first side named, is the one to mate.
    pub material: Material,
    /// The board.
    pub board: Board,
    /// What counts after a conversion.
    pub convert: Convert,
    /// Where the player's moves are kept while they are asked for.
    pub journal: Option<MoveJournal>,
    /// Set by someone else when the player is to stop thinking and the work to end.
    pub stop: &'a AtomicBool,
    /// Told where it stands; answers whether to go on.
    pub progress: &'a (dyn Fn(Stage) -> bool + Sync),
}

/// A folder in which a player's moves are kept while they are asked for, so that an interrupted
/// certification goes on where it stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveJournal {
    /// The folder.
    pub folder: PathBuf,
    /// What is done when the moves in it are another player's.
    pub others: OthersMoves,
}

/// What is done with the moves of another player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OthersMoves {
    /// They are thrown away.
    Discard,
    /// There is no certificate.
    Refuse,
}

/// A certificate, and whose it is.
#[derive(Clone, Debug, Serialize)]
pub struct Proof<C> {
    /// The player.
    pub player: String,
    /// What tells it from others of that name.
    pub fingerprint: Fingerprint,
    /// What was proved.
    #[serde(flatten)]
    pub certificate: C,
}

/// Why there is no certificate of a player.
#[derive(Debug, thiserror::Error)]
pub enum CertificationError {
    /// Its move depends on more than the position.
    #[error("{player} cannot be certified: its move {nature}")]
    NotAPolicy {
        /// Who.
        player: String,
        /// What its move depends on.
        nature: Nature,
    },
    /// The journal holds another player's moves.
    #[error(
        "the moves in {} are another player's: they were given by {found}, and this is {expected}",
        folder.display()
    )]
    OthersMoves {
        /// The journal.
        folder: PathBuf,
        /// Whose they are.
        found: String,
        /// Who was to be certified.
        expected: String,
    },
    /// The journal cannot be used.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Asking or judging failed.
    #[error(transparent)]
    Certify(#[from] CertifyError),
}

impl<'a> Candidate<'a> {
    /// A player of which `make` makes as many as there are threads.
    pub fn new(
        name: impl Into<String>,
        fingerprint: Fingerprint,
        make: impl Fn() -> Box<dyn Player + 'a> + Sync + 'a,
    ) -> Candidate<'a> {
        Candidate {
            name: name.into(),
            fingerprint,
            make: Box::new(make),
        }
    }

    /// A player by name and settings.
    pub fn of(spec: &'a PlayerSpec) -> Candidate<'a> {
        Candidate::new(spec.text(), spec.fingerprint(), || spec.player(0))
    }

    /// The same player under another name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Candidate<'a> {
        Candidate {
            name: name.into(),
            ..self
        }
    }

    /// Refuses a player that is no policy.
    ///
    /// # Errors
    /// When its move depends on more than the position.
    pub fn check(&self) -> Result<(), CertificationError> {
        match (self.make)().nature() {
            Nature::Position => Ok(()),
            nature => Err(CertificationError::NotAPolicy {
                player: self.name.clone(),
                nature,
            }),
        }
    }

    /// The player as a certifier asks it: every position is a game of its own, without draw rules.
    fn chooser<'s>(&'s self, stop: &'s AtomicBool) -> Chooser<'s> {
        let mut player = (self.make)();
        Box::new(move |position: &Position| {
            let game = Game::new(position.clone(), Rules::none());
            let choice = player.choose_unless(stop, &game, &Limits::NONE)?;
            Ok(Decision {
                mv: choice.mv,
                unvisited: choice.info.unvisited,
            })
        })
    }
}

impl Certification<'_> {
    /// Certifies an attack: the player has white.
    ///
    /// # Errors
    /// When the player is no policy or fails to give a legal move, the journal is another player's, or
    /// the exact values cannot be had.
    pub fn attack(
        &self,
        player: &Candidate<'_>,
        solver: &mut Solver,
    ) -> Result<Proof<Certificate>, CertificationError> {
        self.prove(player, "white", |certifier| certifier.attack(solver))
    }

    /// Certifies a defence: the player has black.
    ///
    /// # Errors
    /// As [`Certification::attack`].
    pub fn defence(
        &self,
        player: &Candidate<'_>,
        solver: &mut Solver,
    ) -> Result<Proof<Defence>, CertificationError> {
        self.prove(player, "black", |certifier| certifier.defence(solver))
    }

    fn prove<C>(
        &self,
        player: &Candidate<'_>,
        side: &str,
        certify: impl FnOnce(&Certifier<'_>) -> Result<C, CertifyError>,
    ) -> Result<Proof<C>, CertificationError> {
        player.check()?;
        if let Some(journal) = &self.journal {
            journal.open(&format!(
                "{} on {} as {side}, fingerprint {}",
                player.name, self.board, player.fingerprint
            ))?;
        }
        let certificate = certify(&Certifier {
            material: self.material,
            board: self.board,
            symmetric: (player.make)().is_symmetric(),
            convert: self.convert,
            policy: Choosers::Each(&|| player.chooser(self.stop)),
            journal: self.journal.as_ref().map(|journal| journal.folder.clone()),
            progress: self.progress,
        })?;
        Ok(Proof {
            player: player.name.clone(),
            fingerprint: player.fingerprint,
            certificate,
        })
    }
}

impl MoveJournal {
    /// Makes sure that the moves in the folder, if there are any, are those of `whose`.
    fn open(&self, whose: &str) -> Result<(), CertificationError> {
        let folder = &self.folder;
        let note = folder.join("player.txt");
        let refused = |path: &Path| {
            let path = path.to_owned();
            move |error| CertificationError::File { path, error }
        };
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let holds_moves = files
            .into_iter()
            .any(|file| file.path().extension().is_some_and(|e| e == "moves"));
        if holds_moves {
            let found = plain_file::read_to_string(&note, plain_file::TEXT);
            match (found, self.others) {
                (Ok(found), _) if found == whose => return Ok(()),
                (found, OthersMoves::Refuse) => {
                    return Err(CertificationError::OthersMoves {
                        folder: folder.clone(),
                        found: found.unwrap_or_else(|_| "a player without a name".to_owned()),
                        expected: whose.to_owned(),
                    });
                }
                (_, OthersMoves::Discard) => {
                    fs::remove_dir_all(folder).map_err(refused(folder))?;
                }
            }
        }
        fs::create_dir_all(folder).map_err(refused(folder))?;
        truth::durable::write(&note, [whose]).map_err(refused(&note))
    }
}
