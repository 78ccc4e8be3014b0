//! The certificate of a trained player.

use std::sync::Arc;

use learn::{Policy, PolicyPlayer, Searching};
use play::{Candidate, Certification, CertificationError, Fingerprint, PlayerSpec, TinyNetwork};
use rules::{Board, Material};
use truth::{Certificate, CertifyError, Convert, Solver};

use crate::{Bench, Cell, Figure, PaperError};

/// Two cells of a certificate: the share of won positions from which it mates within fifty moves, in
/// percent, and over those from which it mates, the moves more than the shortest mate.
pub(crate) fn cells(certificate: &Certificate) -> [Cell; 2] {
    let excess = match certificate.mean_excess_moves {
        Some(excess) => Cell::Figure(Figure::exact(excess, certificate.forced_mates)),
        None => Cell::Missing("it mates from no position".into()),
    };
    [within_fifty(certificate), excess]
}

/// The first of these cells.
pub(crate) fn within_fifty(certificate: &Certificate) -> Cell {
    match certificate.within_fifty_share {
        Some(share) => Cell::Figure(Figure::exact(100.0 * share, certificate.won_positions)),
        None => Cell::Missing("no position is won".into()),
    }
}

/// Certifies a policy over all won positions.
pub(crate) fn certify(
    policy: &Policy,
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let make = || -> Box<dyn play::Player + '_> { Box::new(PolicyPlayer::new("trained", policy)) };
    let player = Candidate::new("trained", policy.fingerprint(), make);
    prove(&player, material, board, bench)
}

/// Certifies the search with a small network.
pub(crate) fn certify_searching(
    network: &Arc<TinyNetwork>,
    plies: u32,
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let searching = Searching::Depth {
        plies,
        history: false,
    };
    let fingerprint = Fingerprint::of([&network.to_bytes()[..], &plies.to_le_bytes()]);
    let make = || -> Box<dyn play::Player> { Box::new(searching.player(network.clone())) };
    let player = Candidate::new("searching", fingerprint, make);
    prove(&player, material, board, bench)
}

/// Certifies a player by name.
pub(crate) fn certify_player(
    player: &PlayerSpec,
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    prove(&Candidate::of(player), material, board, bench)
}

fn prove(
    player: &Candidate<'_>,
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let tables = bench.truth(material, board)?;
    bench.tell(0, 0, "certifying");
    let certification = Certification {
        material,
        board,
        convert: Convert::Player,
        journal: None,
        stop: bench.stop,
        progress: &|_| !bench.stopped(),
    };
    let mut solver = Solver::with_folder(board, tables.folder());
    match certification.attack(player, &mut solver) {
        Ok(proof) => Ok(proof.certificate),
        Err(CertificationError::Certify(CertifyError::Stopped)) => Err(PaperError::Stopped),
        Err(error) => Err(error.into()),
    }
}
