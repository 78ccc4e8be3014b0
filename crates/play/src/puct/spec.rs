//! A search as a text: `simulations=64,preset=best`.

use super::{Exploration, Noise, PuctSettings, Selection};
use crate::{Key, Settings, SpecError};

/// A search and how its player asks the evaluator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctSpec {
    /// The search.
    pub search: PuctSettings,
    /// Leaves that are judged at a time.
    pub leaves: usize,
}

impl PuctSpec {
    /// What can be set.
    pub const KEYS: [Key; 10] = [
        Key {
            name: "preset",
            meaning: "best (default; Gumbel AlphaZero, 64 simulations) or wojcik (document W's PUCT, 800): what the other settings are unless set",
        },
        Key {
            name: "simulations",
            meaning: "per move",
        },
        Key {
            name: "c",
            meaning: "weight of exploration in document W's formula 2; makes the search plain PUCT (wojcik 1.25)",
        },
        Key {
            name: "considered",
            meaning: "root moves that Gumbel's sequential halving begins with (best 16)",
        },
        Key {
            name: "scale",
            meaning: "how much Gumbel's search trusts the values it finds over the network's moves, c_scale (best 1)",
        },
        Key {
            name: "noise",
            meaning: "on or off: chance at the root, as in self-play (best off, wojcik on)",
        },
        Key {
            name: "solver",
            meaning: "on or off: keep proven mates and draws (best on, wojcik off)",
        },
        Key {
            name: "reuse",
            meaning: "on or off: go on with the tree of the last move (best on, wojcik off)",
        },
        Key {
            name: "history",
            meaning: "on (default), or off: by the position alone, which can be certified",
        },
        Key {
            name: "leaves",
            meaning: "leaves of the tree that are judged at a time (best 16, which changes no move; wojcik 1)",
        },
    ];

    /// Our best search, as a player uses it.
    pub const BEST: PuctSpec = PuctSpec {
        search: PuctSettings::BEST,
        leaves: 16,
    };

    /// Document W's search in its duels: no subtree is kept.
    pub const WOJCIK: PuctSpec = PuctSpec {
        search: PuctSettings {
            reuse: false,
            ..PuctSettings::WOJCIK
        },
        leaves: 1,
    };

    /// Reads the settings of a player.
    ///
    /// # Errors
    /// When a value makes no sense, or not with the others.
    pub fn read(settings: &Settings) -> Result<PuctSpec, SpecError> {
        let presets = [("best", PuctSpec::BEST), ("wojcik", PuctSpec::WOJCIK)];
        let mut spec = settings.one_of("preset", &presets, PuctSpec::BEST)?;
        let search = &mut spec.search;
        search.simulations =
            settings.number_or("simulations", 1..=1_000_000_000, search.simulations)?;
        if let Some(c) = settings.number("c", 0.0..=1000.0)? {
            match &mut search.selection {
                Selection::Puct(exploration) => exploration.init = c,
                plain => {
                    *plain = Selection::Puct(Exploration {
                        init: c,
                        ..Exploration::ALPHA_ZERO
                    });
                    spec.leaves = 1;
                }
            }
        }
        let considered = settings.number("considered", 1..=256)?;
        match (&mut search.selection, considered) {
            (Selection::Gumbel(gumbel), Some(considered)) => gumbel.considered = considered,
            (Selection::Puct(_), Some(_)) => {
                return Err(settings.refuse("considered", "nothing with plain PUCT"));
            }
            (_, None) => {}
        }
        let scale = settings.number("scale", 0.0..=1000.0)?;
        match (&mut search.selection, scale) {
            (Selection::Gumbel(gumbel), Some(scale)) => gumbel.scale = scale,
            (Selection::Puct(_), Some(_)) => {
                return Err(settings.refuse("scale", "nothing with plain PUCT"));
            }
            (_, None) => {}
        }
        let noise = settings.switch("noise", !search.is_deterministic())?;
        match &mut search.selection {
            Selection::Puct(exploration) => {
                exploration.noise = noise.then_some(Noise::ALPHA_ZERO);
            }
            Selection::Gumbel(gumbel) => gumbel.noise = noise,
        }
        search.solver = settings.switch("solver", search.solver)?;
        search.history = settings.switch("history", true)?;
        search.reuse = settings.switch("reuse", search.reuse && search.history)?;
        if search.reuse && !search.history {
            return Err(settings.refuse("reuse", "off with history=off: a policy forgets"));
        }
        spec.leaves = settings.number_or("leaves", 1..=255, spec.leaves)?;
        Ok(spec)
    }
}
