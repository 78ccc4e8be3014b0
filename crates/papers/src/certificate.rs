//! The certificate of a trained player.

use learn::Policy;
use rules::{Board, Material, Position};
use truth::{Certificate, Certifier, CertifyError, Chooser, Convert, Decision, Solver};

use crate::{Bench, PaperError};

/// Certifies a policy over all won positions.
pub(crate) fn certify(
    policy: &Policy,
    material: Material,
    board: Board,
    bench: &Bench<'_>,
) -> Result<Certificate, PaperError> {
    let tables = bench.truth(material, board)?;
    bench.tell(0, 0, "certifying");
    let make = || -> Chooser<'_> {
        Box::new(|position: &Position| {
            let chosen = policy.choose(position).ok_or("it knows no move")?;
            Ok(Decision {
                mv: chosen.m,
                unvisited: !chosen.visited,
            })
        })
    };
    let certifier = Certifier {
        material,
        board,
        symmetric: policy.is_symmetric(),
        convert: Convert::Player,
        policy: &make,
        journal: None,
        progress: &|_| !bench.stopped(),
    };
    match certifier.attack(&mut Solver::with_folder(board, tables.folder())) {
        Err(CertifyError::Stopped) => Err(PaperError::Stopped),
        other => Ok(other?),
    }
}
