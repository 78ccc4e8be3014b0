//! The real server on a free port, and a client of a few lines.
#![allow(dead_code)] // each test file needs a part of it

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{Lab, command};

/// A server; it is killed when the test is done with it.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Starts a server with the lab's folders.
    pub fn start(lab: &Lab) -> Server {
        let mut child = command(lab)
            .args(["serve", "--port", "0", "--json", "--tables"])
            .arg(lab.path("tables"))
            .arg("--runs")
            .arg(lab.path("runs"))
            .arg("--reports")
            .arg(lab.path("reports"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("it says where it is");
        let said: Value = serde_json::from_str(&line).expect("as JSON");
        let address = said["address"].as_str().expect("an address");
        let address = address.trim_start_matches("http://").trim_end_matches('/');
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Server {
            child,
            address: address.to_owned(),
        }
    }

    /// Sends bytes and reads all of the answer.
    pub fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a timeout");
        // The server may refuse a body before it has read all of it.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A request with the headers given, and its answer: status and body.
    pub fn with(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let answer = self.raw(
            format!(
                "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
                self.address,
                body.len()
            )
            .as_bytes(),
        );
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (
            status.unwrap_or_else(|| panic!("{method} {path}: no answer: {answer}")),
            body.to_owned(),
        )
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.with("GET", path, "", "");
        (status, json(path, &body))
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_text(path, &body.to_string())
    }

    pub fn post_text(&self, path: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.with("POST", path, "content-type: application/json\r\n", body);
        (status, json(path, &body))
    }

    /// Waits until something holds of what `path` answers.
    pub fn wait(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let (_, value) = self.get(path);
            if holds(&value) {
                return value;
            }
            assert!(
                begin.elapsed() < Duration::from_secs(120),
                "{path}: {value}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a job is over.
    pub fn finished(&self, job: u64) -> Value {
        self.wait(&format!("/api/jobs/{job}"), |job| {
            job["status"] != "waiting" && job["status"] != "running"
        })
    }

    /// Ends it as an operating system does, and returns its exit code.
    pub fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").arg(&id).status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.child.wait().expect("it ends").code()
    }

    /// Ends it without a warning.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn json(path: &str, body: &str) -> Value {
    // Long answers may come in chunks; each chunk's length stands on a line of its own.
    let whole = body.find(['{', '[']).map_or("", |begin| &body[begin..]);
    serde_json::from_str(whole)
        .or_else(|_| {
            let chunks: String = body
                .split("\r\n")
                .filter(|line| !line.bytes().all(|b| b.is_ascii_hexdigit()))
                .collect();
            serde_json::from_str(&chunks)
        })
        .unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
}
