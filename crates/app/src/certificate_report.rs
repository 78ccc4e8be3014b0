//! What a certificate says, for people and for programs.

use std::{io::Write, path::Path, time::Duration};

use learn::ExactPlay;
use play::{Ending, MatchResult, Proof, Share};
use rules::Board;
use serde::Serialize;
use serde_json::{Value, json};
use truth::{Certificate, Defence};

use crate::{
    certify::run_of,
    heat_map::{heat_map, print_heat_map},
    matches::share,
    refutations::print_refutation,
    solve::grouped,
};

/// A certificate and what stands beside it.
pub struct CertificateReport {
    proof: Side,
    /// For all of it, and since the player's moves were all known.
    seconds: (Duration, Duration),
}

enum Side {
    Attack {
        proof: Box<Proof<Certificate>>,
        games: Option<Share>,
        seed: u64,
    },
    Defence(Proof<Defence>),
}

/// A certificate as JSON, with what both the command and the page say of it. Where there is nothing to
/// prove, it is not called a proof. A trained player also says whether it has seen exact play; `run` is
/// its folder.
pub fn value<C: Serialize>(
    proof: &Proof<C>,
    nothing_to_prove: bool,
    run: Option<&Path>,
) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(proof)?;
    value["proof"] = json!(!nothing_to_prove);
    value["nothing_to_prove"] = json!(nothing_to_prove);
    if let Some(seen) = run.and_then(exact_play) {
        value["exact_play"] = json!(seen);
    }
    Ok(value)
}

/// How the run in a folder has seen exact play; `None` if there is no run.
fn exact_play(folder: &Path) -> Option<Vec<ExactPlay>> {
    Some(learn::info(folder).ok()?.plan.exact_play())
}

/// Whether a run has learned from play alone, in words.
pub fn where_from(seen: &[ExactPlay]) -> String {
    if seen.is_empty() {
        return "learned from play alone".to_owned();
    }
    let seen: Vec<String> = seen.iter().map(ExactPlay::to_string).collect();
    format!("has seen exact play: {}", seen.join(", "))
}

fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |share| play::rounding::percent(share, 3))
}

impl CertificateReport {
    pub fn attack(
        proof: Proof<Certificate>,
        games: Option<&MatchResult>,
        seed: u64,
        seconds: (Duration, Duration),
    ) -> CertificateReport {
        let games = games.map(|result| result.statistics.share(Ending::Win));
        CertificateReport {
            proof: Side::Attack {
                proof: Box::new(proof),
                games,
                seed,
            },
            seconds,
        }
    }

    pub fn defence(proof: Proof<Defence>, seconds: (Duration, Duration)) -> CertificateReport {
        CertificateReport {
            proof: Side::Defence(proof),
            seconds,
        }
    }

    pub fn json(&self) -> anyhow::Result<Value> {
        let run = |player: &str| run_of(player).map(str::to_owned);
        let mut value = match &self.proof {
            Side::Attack { proof, games, .. } => {
                let run = run(&proof.player);
                let empty = proof.certificate.is_empty();
                let mut value = value(&**proof, empty, run.as_deref().map(Path::new))?;
                value["games_won_share"] = json!(games.map(share));
                value["heat_map"] = heat_map(&proof.certificate);
                value
            }
            Side::Defence(proof) => {
                let run = run(&proof.player);
                let empty = proof.certificate.is_empty();
                value(proof, empty, run.as_deref().map(Path::new))?
            }
        };
        value["seconds"] = json!(self.seconds.0.as_secs_f64());
        value["seconds_judging"] = json!(self.seconds.1.as_secs_f64());
        Ok(value)
    }

    pub fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        match &self.proof {
            Side::Attack { proof, games, seed } => self.print_attack(out, proof, *games, *seed),
            Side::Defence(proof) => self.print_defence(out, proof),
        }
    }

    fn print_attack(
        &self,
        out: &mut impl Write,
        proof: &Proof<Certificate>,
        games: Option<Share>,
        seed: u64,
    ) -> anyhow::Result<()> {
        let certificate = &proof.certificate;
        let board = Board::new(certificate.board)?;
        if certificate.is_empty() {
            writeln!(
                out,
                "{} plays {} on {board}: nothing to prove, no position is won for white whatever it plays",
                proof.player, certificate.material
            )?;
            return Ok(());
        }
        writeln!(
            out,
            "{} plays {} on {board}: certified over {} won positions in {:.1} s ({:.1} s after its last move)",
            proof.player,
            certificate.material,
            grouped(certificate.won_positions),
            self.seconds.0.as_secs_f64(),
            self.seconds.1.as_secs_f64()
        )?;
        writeln!(
            out,
            "  optimal moves     {:>10}",
            percent(certificate.optimal_move_share)
        )?;
        match games {
            Some(won) => writeln!(
                out,
                "  games won         {:>10}  [{:.2}, {:.2}] in {} games against perfect, seed {seed}",
                percent(Some(won.share)),
                won.low * 100.0,
                won.high * 100.0,
                won.of,
            )?,
            None => writeln!(out, "  games won         not played (--games N)")?,
        }
        writeln!(
            out,
            "  mate forced       {:>10}  {} positions, against every defence",
            percent(certificate.share),
            grouped(certificate.forced_mates)
        )?;
        writeln!(
            out,
            "  … within 50 moves {:>10}",
            percent(certificate.within_fifty_share)
        )?;
        writeln!(
            out,
            "  … at best length  {:>10}",
            percent(certificate.optimal_share)
        )?;
        if let (Some(longest), Some(excess)) =
            (certificate.longest_moves, certificate.mean_excess_moves)
        {
            writeln!(
                out,
                "  longest mate {longest} moves, mean excess {} moves",
                play::rounding::moves(excess, 3)
            )?;
        }
        writeln!(out, "  after conversions counts: {}", certificate.convert)?;
        if certificate.unvisited > 0 {
            writeln!(
                out,
                "  unvisited: {} positions",
                grouped(certificate.unvisited)
            )?;
        }
        print_whose(out, proof)?;
        for failure in &certificate.failures {
            let kind = serde_json::to_value(failure.kind)?;
            writeln!(
                out,
                "\nFails by {}: {} positions, {}",
                kind.as_str().unwrap_or_default().replace('_', " "),
                grouped(failure.positions),
                percent(Some(failure.share))
            )?;
            for example in &failure.examples {
                print_refutation(out, example)?;
            }
        }
        if !certificate.failures.is_empty() {
            writeln!(
                out,
                "\nShare of failures by the defending king's square, in per cent:"
            )?;
            print_heat_map(out, certificate, board)?;
        }
        Ok(())
    }

    fn print_defence(&self, out: &mut impl Write, proof: &Proof<Defence>) -> anyhow::Result<()> {
        let defence = &proof.certificate;
        let board = Board::new(defence.board)?;
        if defence.is_empty() {
            writeln!(
                out,
                "{} defends {} on {board}: nothing to prove, there is no position to defend",
                proof.player, defence.material
            )?;
            return Ok(());
        }
        writeln!(
            out,
            "{} defends {} on {board}, against every attack ({:.1} s)",
            proof.player,
            defence.material,
            self.seconds.0.as_secs_f64()
        )?;
        writeln!(
            out,
            "  held positions kept   {:>11}  {} of {}",
            percent(defence.kept_share),
            grouped(defence.kept),
            grouped(defence.held_positions)
        )?;
        writeln!(
            out,
            "  longest resistance in {:>11}  of {} lost positions",
            percent(defence.optimal_share),
            grouped(defence.lost_positions)
        )?;
        if let Some(mean) = defence.mean_shortfall_moves {
            writeln!(
                out,
                "  mated too early by    {:>9} moves on the mean, {} at worst",
                play::rounding::moves(mean, 3),
                defence.worst_shortfall_moves
            )?;
        }
        print_whose(out, proof)?;
        for example in &defence.failures {
            print_refutation(out, example)?;
        }
        Ok(())
    }
}

/// Whom a certificate is about, beyond a name.
fn print_whose<C>(out: &mut impl Write, proof: &Proof<C>) -> anyhow::Result<()> {
    writeln!(out, "  fingerprint {}", proof.fingerprint)?;
    if let Some(seen) = run_of(&proof.player).and_then(|run| exact_play(Path::new(run))) {
        writeln!(out, "  {}", where_from(&seen))?;
    }
    Ok(())
}
