//! The binary `lucena`: a command line over the library crates.
//!
//! Data goes to stdout, progress and remarks to stderr. Exit code 0 means done, 1 that something
//! failed, 2 that the command was misused, 130 that it was interrupted.

mod certificate_pictures;
mod certificate_report;
mod certify;
mod errata;
mod files;
mod games;
mod heat_map;
mod ladder;
mod line;
mod matches;
mod paper;
mod play_random;
mod players;
mod positions;
mod probe;
mod progress;
mod refutations;
mod runs;
mod serve;
mod solve;
mod tables;
mod train;
mod tune;
mod uci;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Trains chess-endgame players and proves how good they are.
#[derive(Parser)]
#[command(
    name = "lucena",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Solve(solve::Solve),
    Probe(probe::Probe),
    Line(line::Line),
    Positions(positions::Positions),
    Match(matches::MatchCommand),
    Ladder(ladder::LadderCommand),
    Certify(certify::Certify),
    Players(players::Players),
    PlayRandom(play_random::PlayRandom),
    Train(train::Train),
    Tune(tune::Tune),
    Errata(errata::Errata),
    Games(games::Games),
    Runs(runs::Runs),
    Show(runs::Show),
    Paper(paper::Paper),
    Serve(serve::Serve),
    Uci(uci::Uci),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Solve(solve) => solve.run(),
        Command::Probe(probe) => probe.run(),
        Command::Line(line) => line.run(),
        Command::Positions(positions) => positions.run(),
        Command::Match(contest) => contest.run(),
        Command::Ladder(ladder) => ladder.run(),
        Command::Certify(certify) => certify.run(),
        Command::Players(players) => players.run(),
        Command::PlayRandom(games) => games.run(),
        Command::Train(train) => train.run(),
        Command::Tune(tune) => tune.run(),
        Command::Errata(errata) => errata.run(),
        Command::Games(games) => games.run(),
        Command::Runs(runs) => runs.run(),
        Command::Show(show) => show.run(),
        Command::Paper(paper) => paper.run(),
        Command::Serve(serve) => serve.run(),
        Command::Uci(uci) => uci.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if progress::interrupted() => {
            eprintln!("lucena: interrupted; what was finished and saved is kept");
            ExitCode::from(130)
        }
        // The reader of our output has gone (`lucena … | head`): nothing is wrong.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lucena: {}", in_full(&error));
            ExitCode::FAILURE
        }
    }
}

/// An error and its causes, each said once: many an error names its cause itself.
fn in_full(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    #[test]
    fn a_cause_is_named_once() {
        let refused = || anyhow::Error::from(std::io::Error::other("the disk is full"));
        assert_eq!(super::in_full(&refused()), "the disk is full");
        let named = refused().context("cannot write x");
        assert_eq!(super::in_full(&named), "cannot write x: the disk is full");
        let twice = Err::<(), _>(refused()).context("cannot write x: the disk is full");
        let twice = twice.context("certifying").expect_err("an error");
        assert_eq!(
            super::in_full(&twice),
            "certifying: cannot write x: the disk is full"
        );
    }
}
