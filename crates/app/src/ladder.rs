//! A tournament of many players and the ratings that come of it.

mod kept;
mod picture;
mod table;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use play::{Ladder, Limits, Openings, RandomOpenings, Running, Standings};
use rules::{Board, Color, Material, Position, Rules};
use truth::Tablebase;

use crate::{
    files::write_atomically,
    matches::{MatchBar, positions_from, spec},
    progress::{interrupt_flag, interrupted},
    tables::{Tables, parse_board},
};
use table::Table;

/// Let players meet each other and rate them
///
/// Everybody meets everybody (or the first one everybody, with --gauntlet), every opening twice with
/// the colours exchanged. Ratings are the likeliest ones under the logistic model, all at once. An
/// interrupted ladder goes on with --resume, and with more players or games, too. With --from nothing is
/// played: the table and the picture of a ladder.json are drawn again.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena ladder random net:nets/imitation.safetensors 'uci:stockfish,nodes=100' --games 20 --out ladders/chess\n  lucena ladder minimax:depth=2 mcts perfect --endgame KRK --games 100 --out ladders/krk --json\n  lucena ladder --from docs/ladder.json\n\nPlayers: see 'lucena players'."
)]
pub struct LadderCommand {
    /// The players
    #[arg(value_name = "PLAYER", required_unless_present = "from", num_args = 2..=MOST_PLAYERS)]
    players: Vec<String>,
    /// Games of each two players, an even number
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    /// Only the first player meets all others
    #[arg(long)]
    gauntlet: bool,
    /// A player whose rating is known, such as 'random=0'; without one the mean of all is 0
    #[arg(long, value_name = "PLAYER=ELO", value_parser = parse_anchor)]
    anchor: Vec<(String, f64)>,
    /// Games that each player is taken to have drawn besides, so that clean sweeps have a rating
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = parse_prior)]
    prior: f64,
    /// Whole games begin with so many random plies
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=40))]
    plies: u32,
    /// Start from the positions of an EPD file instead, in order, again from the first when they run out
    #[arg(long, value_name = "FILE", conflicts_with = "endgame")]
    positions: Option<PathBuf>,
    /// Start from random positions of this endgame instead
    #[arg(long, value_name = "MATERIAL")]
    endgame: Option<Material>,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board, requires = "endgame")]
    board: Board,
    /// Draw rules: words of 'fifty', 'threefold', 'moves=N', … separated by commas, or 'none'
    #[arg(long, value_name = "RULES", default_value_t = Rules::default())]
    rules: Rules,
    /// Limit of every move: search depth
    #[arg(long, value_name = "PLIES")]
    depth: Option<u32>,
    /// Limit of every move: nodes
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Limit of every move: milliseconds
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Folder for the games, the table and its picture
    #[arg(long, value_name = "DIR", required_unless_present = "from")]
    out: Option<PathBuf>,
    /// Draw what this ladder.json holds instead of playing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["players", "resume"])]
    from: Option<PathBuf>,
    /// Go on with the ladder in the folder
    #[arg(long)]
    resume: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

const MOST_PLAYERS: usize = 64;
/// Openings of whole games, however many are played: a ladder can be made longer.
const WALKS: u64 = 1000;

fn parse_anchor(text: &str) -> Result<(String, f64), String> {
    let (player, elo) = text
        .rsplit_once('=')
        .ok_or("a player, '=' and its rating")?;
    match elo.parse::<f64>() {
        Ok(elo) if elo.abs() <= 10_000.0 => Ok((player.to_owned(), elo)),
        _ => Err(format!("'{elo}' is no rating from -10000 to 10000")),
    }
}

fn parse_prior(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(games) if (0.0..=1000.0).contains(&games) => Ok(games),
        _ => Err("a number of games, 0 to 1000".to_owned()),
    }
}

/// Writes a table and its picture.
fn draw(table: &Table, out: &Path) -> anyhow::Result<()> {
    write_atomically(&out.join("ladder.md"), table.markdown().as_bytes())?;
    write_atomically(&out.join("ladder.svg"), picture::picture(table).as_bytes())
}

impl LadderCommand {
    pub fn run(self) -> anyhow::Result<()> {
        match (&self.from, &self.out) {
            (Some(from), out) => self.drawn(from, out.as_deref()),
            (None, Some(out)) => self.played(out),
            (None, None) => bail!("--out DIR says where the games go"),
        }
    }

    /// Draws a ladder that was played before.
    fn drawn(&self, from: &Path, out: Option<&Path>) -> anyhow::Result<()> {
        let (table, json) = kept::read(from)?;
        if let Some(out) = out {
            std::fs::create_dir_all(out)
                .with_context(|| format!("cannot make the folder {}", out.display()))?;
            draw(&table, out)?;
        }
        self.tell(&table, &json)
    }

    fn played(&self, out: &Path) -> anyhow::Result<()> {
        let (tablebase, openings) = self.openings()?;
        let registry = crate::players::registry(tablebase.clone());
        let ladder = Ladder {
            players: self.players.iter().map(|p| spec(&registry, p)).collect(),
            gauntlet: self.gauntlet,
            openings,
            pairs: self.games.div_ceil(2),
            rules: self.rules,
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes,
                time: self.movetime.map(Duration::from_millis),
            },
            seed: self.seed,
        };
        for (number, player) in self.players.iter().enumerate() {
            ensure!(
                !self.players[..number].contains(player),
                "{player} is named twice"
            );
        }
        let anchors = self.anchors()?;
        let journals = self.journals(out)?;
        let standings = self.play(&ladder, &journals, &tablebase)?;
        let pgn: Result<Vec<String>, _> = standings
            .records
            .iter()
            .map(|record| {
                Ok::<_, anyhow::Error>(format!("{}\n", record.pgn("Lucena ladder", self.rules)?))
            })
            .collect();
        write_atomically(&out.join("games.pgn"), pgn?.concat().as_bytes())?;
        if !standings.complete {
            eprintln!(
                "lucena: {} games played; the same command with --resume goes on",
                standings.records.len()
            );
            bail!("interrupted");
        }
        let ratings = standings.ratings(self.players.len(), &anchors, self.prior);
        let ratings = ratings.map_err(|error| self.named(error))?;
        let table = Table::new(&self.players, &standings, &ratings, &anchors);
        let json = format!("{:#}\n", table.json(self.seed, self.prior));
        write_atomically(&out.join("ladder.json"), json.as_bytes())?;
        draw(&table, out)?;
        self.tell(&table, &json)
    }

    fn tell(&self, table: &Table, json: &str) -> anyhow::Result<()> {
        let text = table.text();
        let said = if self.json { json } else { &text };
        Ok(std::io::stdout().lock().write_all(said.as_bytes())?)
    }

    /// The folder of the journals; one that holds some is only used to go on.
    fn journals(&self, out: &Path) -> anyhow::Result<PathBuf> {
        let folder = out.join("journals");
        if folder.exists() && !self.resume {
            bail!(
                "{} holds a ladder: go on with --resume, or name another folder",
                out.display()
            );
        }
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(folder)
    }

    fn play(
        &self,
        ladder: &Ladder,
        journals: &Path,
        tablebase: &Tablebase,
    ) -> anyhow::Result<Standings> {
        let bar = MatchBar::new(2 * ladder.pairs);
        let step = |progress: &play::MatchProgress<'_>| bar.step(progress);
        let running = Running {
            threads: self.threads,
            progress: Some(&step),
            stop: Some(interrupt_flag()),
            oracle: Some(tablebase),
        };
        let told = |first: usize, second: usize| {
            bar.begin(&format!(
                "{} – {}",
                self.players[first], self.players[second]
            ));
        };
        let standings = ladder.run(journals, running, told)?;
        if !standings.complete && !interrupted() {
            bail!("not all games could be played");
        }
        Ok(standings)
    }

    fn anchors(&self) -> anyhow::Result<Vec<(usize, f64)>> {
        let find = |(player, elo): &(String, f64)| {
            let number = self.players.iter().position(|other| other == player);
            let number = number.with_context(|| {
                format!("the anchor {player} is not one of the players; name it as it stands there")
            })?;
            Ok((number, *elo))
        };
        self.anchor.iter().map(find).collect()
    }

    /// An error with names instead of numbers.
    fn named(&self, error: play::RatingError) -> anyhow::Error {
        use play::RatingError::{Apart, CleanSweep};
        let name = |player: usize| &self.players[player];
        match error {
            CleanSweep { player, what } => anyhow::anyhow!(
                "{} has {what} every game: without a prior it has no finite rating (--prior 1)",
                name(player)
            ),
            Apart { player, anchor } => anyhow::anyhow!(
                "{} has met nobody who leads to {}, by whom all are rated",
                name(player),
                name(anchor)
            ),
        }
    }

    fn openings(&self) -> anyhow::Result<(Arc<Tablebase>, Openings)> {
        if let Some(path) = &self.positions {
            let positions = positions_from(path)?;
            let tablebase = self
                .tables
                .for_play(positions[0].material(), positions[0].board())?;
            return Ok((Arc::new(tablebase), Openings::List(positions)));
        }
        if let Some(material) = self.endgame {
            if material.has_pawns() && !self.board.is_standard() {
                bail!("{material} has pawns, and boards smaller than 8×8 have none");
            }
            let tablebase = Arc::new(self.tables.for_play(material, self.board)?);
            let openings = Openings::Random(RandomOpenings {
                material,
                board: self.board,
                turn: Some(Color::White),
                won: None,
            });
            return Ok((tablebase, openings));
        }
        let start = Position::start();
        let tablebase = self.tables.for_play(start.material(), start.board())?;
        let walks = Openings::walks(WALKS, self.plies as usize, self.seed);
        Ok((Arc::new(tablebase), walks))
    }
}
