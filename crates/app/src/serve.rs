//! The web server: the page and the HTTP interface that it uses. One noun, one file; the error
//! type is the response.

mod analysis;
mod bounds;
mod certificates;
mod exact;
mod example;
mod extract;
mod game;
mod guard;
mod jobs;
mod laboratory;
mod listen;
mod page;
mod papers;
mod pgn;
mod players;
mod refusal;
mod review;
mod runs;
mod sample;
mod thoughts;
mod training;
mod upkeep;

use std::{
    io::Write as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    http::{HeaderName, HeaderValue, header},
    middleware,
    routing::get,
};
use clap::Args;
use serde_json::{Value, json};
use tower_http::{
    catch_panic::CatchPanicLayer, compression::CompressionLayer, set_header::SetResponseHeaderLayer,
};
use truth::Tablebase;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{progress::STOPPING, tables::Tables};
use laboratory::Laboratory;
use listen::Patience;

/// What handlers share.
type Lab = Arc<Laboratory>;

/// The largest body of a request: a long game in PGN is far below.
const LARGEST_BODY: usize = 256 * 1024;

/// Serve the page: play, drill, set up, watch, analyse, train, certify, papers
///
/// Listens on this machine only unless --host says otherwise; then anybody who reaches the port can
/// start trainings here. Ctrl-C ends it; trainings are saved and can be resumed.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena serve\n  lucena serve --port 9000 --runs experiments\n\nThe HTTP interface describes itself at /api/openapi.json."
)]
pub struct Serve {
    /// The port; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8280)]
    port: u16,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The folder of the runs; made with an example in it where it is not there
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// The folder of certificates and of reports on experiments
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
    /// The folder of the networks that are offered: net:NAME, minimax:net=NAME
    #[arg(long, value_name = "DIR", default_value = "nets")]
    nets: PathBuf,
    /// A UCI engine that may be played; may be given several times [default: stockfish, if it is here]
    #[arg(long = "engine", value_name = "PROGRAM")]
    engines: Vec<String>,
    /// Seconds that a request may take to arrive
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    patience: u64,
    /// Print the address as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

impl Serve {
    pub fn run(self) -> anyhow::Result<()> {
        let tables = Arc::new(Tablebase::new(&self.tables.folder()?));
        let engines = match self.engines.is_empty() {
            true if stockfish_is_here() => vec!["stockfish".to_owned()],
            _ => self.engines.clone(),
        };
        example::lay_down(&self.runs);
        let lab = Arc::new(Laboratory::new(
            tables,
            self.runs.clone(),
            self.reports.clone(),
            self.nets.clone(),
            engines,
        ));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let served = runtime.block_on(self.serve(lab));
        // Streams to browsers may be open for ever.
        runtime.shutdown_background();
        served
    }

    async fn serve(&self, lab: Lab) -> anyhow::Result<()> {
        let address = SocketAddr::new(self.host, self.port);
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}; another --port may be free"))?;
        let address = listener.local_addr()?;
        {
            let mut out = std::io::stdout().lock();
            match self.json {
                true => writeln!(
                    out,
                    "{}",
                    json!({ "address": format!("http://{address}/") })
                )?,
                false => writeln!(out, "Lucena is at http://{address}/")?,
            }
            out.flush()?;
        }
        let app = app(lab.clone(), self.host);
        tokio::select! {
            () = listen::answer(listener, app, Patience(Duration::from_secs(self.patience))) => {}
            () = asked_to_stop() => {
                eprintln!("{STOPPING}; trainings are saved and can be resumed");
                tokio::select! {
                    () = lab.jobs.stop_all() => {}
                    () = asked_to_stop() => std::process::exit(130),
                }
            }
        }
        Ok(())
    }
}

fn stockfish_is_here() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    folders.any(|folder| folder.join("stockfish").is_file())
}

async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

/// The description of the interface.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lucena",
        description = "A laboratory that trains chess-endgame players and proves how good they are. \
                   Distances are to mate; dtm counts plies, dtm_moves moves. Refusals say why in \
                   the field error."
    ),
    components(schemas(analysis::Thinking))
)]
struct Description;

/// Pages may load what this server serves, and nothing else.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

fn app(lab: Lab, bound: IpAddr) -> Router {
    let (router, description) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(game::show))
        .routes(routes!(game::reply))
        .routes(routes!(analysis::analyse))
        .routes(routes!(review::review))
        .routes(routes!(pgn::write_pgn))
        .routes(routes!(pgn::read_pgn))
        .routes(routes!(exact::probe))
        .routes(routes!(exact::line))
        .routes(routes!(exact::figures))
        .routes(routes!(exact::positions))
        .routes(routes!(players::list))
        .routes(routes!(runs::recipes))
        .routes(routes!(runs::list, training::start))
        .routes(routes!(runs::show, upkeep::delete))
        .routes(routes!(sample::sample))
        .routes(routes!(training::resume))
        .routes(routes!(training::extend))
        .routes(routes!(upkeep::rename))
        .routes(routes!(certificates::list, certificates::start))
        .routes(routes!(certificates::show))
        .routes(routes!(papers::list))
        .routes(routes!(papers::show))
        .routes(routes!(papers::run))
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::show, jobs::cancel))
        .routes(routes!(jobs::events))
        .with_state(lab)
        .split_for_parts();
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
    };
    router
        .route(
            "/api/openapi.json",
            get(|| async move { Json(with_refusals(json!(description))) }),
        )
        .fallback(page::file)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(bound, guard::check))
        .layer(CatchPanicLayer::new())
        .layer(CompressionLayer::new())
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"))
}

/// Every question may be refused, and every refusal looks the same.
fn with_refusals(mut description: Value) -> Value {
    let refusal = json!({
        "description": "refused, in words",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Refusal" } } },
    });
    for path in description["paths"].as_object_mut().into_iter().flatten() {
        for operation in path.1.as_object_mut().into_iter().flatten() {
            operation.1["responses"]["4XX"] = refusal.clone();
        }
    }
    description
}
