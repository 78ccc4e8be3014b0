//! Two hundred games at once against `perfect`, over loopback, and how long each reply takes.
//!
//!     cargo run --release -p lucena --example load -- PATH-TO-LUCENA [SECONDS]
//!
//! Two measurements. *Paced*: each game thinks about a second before its move, as people do who
//! play quickly. *Flat out*: each game asks again as soon as it has its answer, which is as much as
//! two hundred clients can ask of the machine. The clients share the machine with the server.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const GAMES: usize = 200;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(binary) = args.next() else {
        eprintln!("load: name the binary");
        std::process::exit(2);
    };
    let seconds = args.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut server = start(&binary, folder.path());
    let address = address(&mut server);
    // Solve the endgame before the clock runs.
    let starts = starts(&address);
    let measure = |pace: Duration| {
        let end = Instant::now() + Duration::from_secs(seconds);
        let clients: Vec<_> = (0..GAMES)
            .map(|i| {
                let (address, starts) = (address.clone(), starts.clone());
                std::thread::spawn(move || client(i, &address, &starts, pace, end))
            })
            .collect();
        let mut times: Vec<Duration> = clients
            .into_iter()
            .flat_map(|client| client.join().expect("no client fails"))
            .collect();
        times.sort_unstable();
        let at =
            |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        json!({
            "replies": times.len(),
            "replies_per_second": times.len() as f64 / seconds as f64,
            "median_ms": at(0.5),
            "p99_ms": at(0.99),
            "slowest_ms": at(1.0),
        })
    };
    let paced = measure(Duration::from_secs(1));
    let flat_out = measure(Duration::ZERO);
    let _ = server.kill();
    let _ = server.wait();
    let report =
        json!({ "games": GAMES, "seconds": seconds, "paced": paced, "flat_out": flat_out });
    println!("{report:#}");
}

fn start(binary: &str, folder: &Path) -> Child {
    let mut command = Command::new(binary);
    command.args(["serve", "--port", "0", "--json"]);
    for option in ["tables", "runs", "reports"] {
        command.arg(format!("--{option}")).arg(folder.join(option));
    }
    command
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts")
}

fn address(server: &mut Child) -> String {
    let mut line = String::new();
    let out = server.stdout.take().expect("piped");
    BufReader::new(out)
        .read_line(&mut line)
        .expect("it says where it is");
    let said: Value = serde_json::from_str(&line).expect("as JSON");
    let url = said["address"].as_str().expect("an address");
    url.trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned()
}

/// Positions of rook against king, the longest mates.
fn starts(address: &str) -> Vec<String> {
    let mut connection = Connection::new(address);
    let found = connection.ask(
        "GET",
        "/api/positions?material=KRK&mate_in=14&count=100",
        "",
    );
    let list = found.as_array().expect("positions");
    list.iter()
        .filter_map(|p| p["fen"].as_str().map(str::to_owned))
        .collect()
}

/// One game after the other: any legal move for white, the reply of `perfect` for black.
fn client(
    i: usize,
    address: &str,
    starts: &[String],
    pace: Duration,
    end: Instant,
) -> Vec<Duration> {
    let mut connection = Connection::new(address);
    let mut times = Vec::new();
    let mut lot = i as u64 + 1;
    let mut draw = move |below: usize| {
        lot = lot
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (lot >> 33) as usize % below.max(1)
    };
    while Instant::now() < end {
        let start = &starts[draw(starts.len())];
        let asked = json!({ "start": start }).to_string();
        let mut game = connection.ask("POST", "/api/game", &asked);
        let mut moves: Vec<Value> = Vec::new();
        while game["outcome"].is_null() && moves.len() < 100 && Instant::now() < end {
            // Not all at the same moment: half a pace to one and a half.
            std::thread::sleep(pace.mul_f64(0.5 + draw(1000) as f64 / 1000.0));
            let legal = game["legal"].as_array().expect("moves").clone();
            moves.push(legal[draw(legal.len())]["uci"].clone());
            let asked = json!({ "start": start, "moves": moves, "player": "perfect" }).to_string();
            let begin = Instant::now();
            let reply = connection.ask("POST", "/api/reply", &asked);
            times.push(begin.elapsed());
            if reply["uci"].is_null() {
                break; // the move ended the game
            }
            moves.push(reply["uci"].clone());
            game = reply["game"].clone();
        }
    }
    times
}

/// A connection that is kept.
struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Connection {
    fn new(address: &str) -> Connection {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Connection {
            stream: BufReader::new(stream),
            address: address.to_owned(),
        }
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> Value {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream
            .get_mut()
            .write_all(request.as_bytes())
            .expect("sent");
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a header");
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }
}
