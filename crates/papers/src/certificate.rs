//! The certificate of a trained player.

use learn::Policy;
use play::{Limits, Player};
use rules::{Board, Game, Material, Position, Rules};
use truth::{Certificate, Certifier, CertifyError, Chooser, Convert, Decision, Solver, Stage};

use crate::{Bench, Cell, Figure, PaperError};

/// Two cells of a certificate: the share of won positions from which it mates within fifty moves, in
/// percent, and over those from which it mates, the moves more than the shortest mate.
pub(crate) fn cells(certificate: &Certificate) -> [Cell; 2] {
    let certified = Figure::exact(
        100.0 * certificate.within_fifty_share,
        certificate.won_positions,
    );
    let excess = match certificate.mean_excess_moves {
        Some(excess) => Cell::Figure(Figure::exact(excess, certificate.forced_mates)),
        None => Cell::Missing("it mates from no position".into()),
    };
    [Cell::Figure(certified), excess]
}

/// Certifies a policy over all won positions.
pub(crate) fn certify(
    policy: &Policy,
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let make = || policy.chooser();
    let go_on = |_| !bench.stopped();
    certify_chooser(&make, policy.is_symmetric(), &go_on, material, board, bench)
}

/// Certifies a player that chooses by the position alone.
pub(crate) fn certify_player<P: Player>(
    player: &(dyn Fn() -> P + Sync),
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let make = || -> Chooser<'_> {
        let mut player = player();
        Box::new(move |position: &Position| {
            let game = Game::new(position.clone(), Rules::none());
            let choice = player.choose_unless(bench.stop, &game, &Limits::NONE)?;
            Ok(Decision {
                mv: choice.mv,
                unvisited: false,
            })
        })
    };
    let go_on = |_| !bench.stopped();
    certify_chooser(
        &make,
        player().is_symmetric(),
        &go_on,
        material,
        board,
        bench,
    )
}

fn certify_chooser<'a>(
    policy: truth::Policy<'a>,
    symmetric: bool,
    go_on: &'a (dyn Fn(Stage) -> bool + Sync),
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let tables = bench.truth(material, board)?;
    bench.tell(0, 0, "certifying");
    let certifier = Certifier {
        material,
        board,
        symmetric,
        convert: Convert::Player,
        policy,
        journal: None,
        progress: go_on,
    };
    match certifier.attack(&mut Solver::with_folder(board, tables.folder())) {
        Err(CertifyError::Stopped) => Err(PaperError::Stopped),
        other => Ok(other?),
    }
}
