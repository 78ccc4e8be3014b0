use std::{io::Write as _, sync::Arc};

use clap::Args;
use play::Registry;
use serde_json::json;
use truth::Tablebase;

/// List the players and their settings
///
/// A player is named by a short text: its name, a colon, settings separated by commas.
#[derive(Args)]
#[command(after_help = "Example:\n  lucena players\n  lucena players --json")]
pub struct Players {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Every kind of player there is.
pub fn registry(tablebase: Arc<Tablebase>) -> Registry {
    let mut registry = Registry::new(tablebase);
    learn::register(&mut registry);
    registry
}

impl Players {
    pub fn run(self) -> anyhow::Result<()> {
        let registry = registry(Arc::new(Tablebase::new(std::path::Path::new("."))));
        let mut out = std::io::stdout().lock();
        if self.json {
            let list: Vec<_> = registry
                .kinds()
                .iter()
                .map(|kind| {
                    json!({
                        "name": kind.name,
                        "summary": kind.summary,
                        "subject": kind.subject.map(|(what, _)| what),
                        "keys": kind.keys.iter().map(|key| {
                            json!({ "name": key.name, "summary": key.meaning })
                        }).collect::<Vec<_>>(),
                    })
                })
                .collect();
            writeln!(out, "{:#}", json!(list))?;
            return Ok(());
        }
        for kind in registry.kinds() {
            writeln!(out, "{}: {}", kind.name, kind.summary)?;
            if let Some((what, example)) = kind.subject {
                writeln!(out, "    needs {what}, as in {}:{example}", kind.name)?;
            }
            for key in kind.keys {
                writeln!(out, "    {:14} {}", key.name, key.meaning)?;
            }
        }
        Ok(())
    }
}
