//! `lucena paper`, driven as a user does.

use std::{
    path::Path,
    process::{Command, Output},
};

fn lucena(arguments: &[&str], tables: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lucena"))
        .arg("paper")
        .args(arguments)
        .arg("--tables")
        .arg(tables)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn lists_the_experiments() {
    let folder = tempfile::tempdir().unwrap();
    let output = lucena(&["--list"], folder.path());
    assert!(output.status.success());
    let list = text(&output.stdout);
    assert!(list.lines().any(|line| line.starts_with("Y6.4 ")), "{list}");

    let output = lucena(&["--list", "--json"], folder.path());
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ids: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|experiment| experiment["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"S6"), "{ids:?}");
}

#[test]
fn an_unknown_experiment_is_a_misuse() {
    let folder = tempfile::tempdir().unwrap();
    let output = lucena(&["Y9.9"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let error = text(&output.stderr);
    assert!(
        error.contains("'Y9.9'") && error.contains("Y6.5"),
        "{error}"
    );
    assert_eq!(lucena(&[], folder.path()).status.code(), Some(2));
}

#[test]
fn prints_a_table_and_writes_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("reports");
    let out_text = out.to_str().unwrap();
    let arguments = ["y6.5", "Y6.1", "--budget", "smoke", "--out", out_text];
    let output = lucena(&arguments, folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("| 4×4 | 2.84 % |"), "{printed}");
    for name in ["Y6.5.html", "Y6.5.md", "Y6.1.json", "index.html"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("id=\"Y6.1\"") && page.contains("<svg"));
    // The second run finds everything measured.
    let again = lucena(&arguments, folder.path());
    assert_eq!(text(&again.stdout), printed);
}

#[test]
fn prints_json() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["Y6.1", "--budget", "smoke", "--seed", "7", "--json"];
    let output = lucena(&arguments, folder.path());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["id"], "Y6.1");
    assert_eq!(report["seed"], 7);
    assert_eq!(report["rows"][0]["paper"][0], 1.0);
    let cell = &report["rows"][1]["ours"]["measurements"][0]["measured"]["cells"][0]["figure"];
    assert!(cell["value"].as_f64().unwrap() > 10.0, "{report:#}");
}
