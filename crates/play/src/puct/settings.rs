//! How a search goes about it.

/// How a PUCT search goes about it.
///
/// ```
/// use play::{PuctSettings, Selection};
/// let few = PuctSettings { simulations: 32, ..PuctSettings::BEST };
/// assert!(matches!(few.selection, Selection::Gumbel(_)));
/// assert_eq!(PuctSettings::preset("wojcik"), Some(PuctSettings::WOJCIK));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctSettings {
    /// Simulations for a move; the judgement of the root is not one of them. With plain selection
    /// those that a reused tree brings along count, as the root's visits do.
    pub simulations: u32,
    /// How a simulation finds its way.
    pub selection: Selection,
    /// Are mates and draws that have been proven backed up as such, instead of averaged away?
    pub solver: bool,
    /// Does it know the game? Without, it sees the position alone: no repetition and no clock from
    /// before the root, and the usual draw rules, whatever the game's are.
    pub history: bool,
    /// Does [`Puct::follow`](super::Puct::follow) keep the subtree behind the move?
    pub reuse: bool,
}

/// How a simulation finds its way down the tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Selection {
    /// By upper confidence, as AlphaZero does (Silver et al. 2018).
    Puct(Exploration),
    /// By the improved policy, and at the root by sequential halving (Danihelka et al. 2022).
    Gumbel(Gumbel),
}

/// The weight of exploration: U(s, a) = c(s) · P(s, a) · √ΣN(s, b) / (1 + N(s, a)).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exploration {
    /// The weight c at the beginning.
    pub init: f32,
    /// The visits after which it has grown by ln 2: c(s) = init + ln((1 + ΣN + base) / base). Without,
    /// it never grows.
    pub base: Option<f32>,
    /// What a move is worth that was not tried yet.
    pub first_play: FirstPlay,
    /// Noise on the priors of the root.
    pub noise: Option<Noise>,
}

/// What a move is worth that was not tried yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FirstPlay {
    /// Always this, from −1 (lost) to 1 (won).
    Value(f32),
    /// What the position is worth, less this times the root of the priors of all moves tried.
    Reduced(f32),
}

/// Dirichlet noise: P′ = (1 − weight) · P + weight · η.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Noise {
    /// The parameter of the distribution of η: the smaller, the more of it falls on few moves.
    pub alpha: f32,
    /// The share of the noise.
    pub weight: f32,
}

/// Gumbel AlphaZero's numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gumbel {
    /// The number of root moves that are tried; more where there are more than 32 simulations for each.
    pub considered: u32,
    /// c_visit of σ(q) = (c_visit + max N) · c_scale · q.
    pub visit: f32,
    /// c_scale of the same; q is from −1 to 1.
    pub scale: f32,
    /// Are the moves to try drawn by lot, as self-play wants it? Without, they are those of the
    /// greatest priors, and the search leaves nothing to chance.
    pub noise: bool,
}

impl Exploration {
    /// AlphaZero's weights, and a first play that is worth a little less than the position, as Leela
    /// Chess Zero found better.
    pub const ALPHA_ZERO: Exploration = Exploration {
        init: 1.25,
        base: Some(19_652.0),
        first_play: FirstPlay::Reduced(0.25),
        noise: None,
    };
}

impl Noise {
    /// AlphaZero's for chess, and document W's.
    pub const ALPHA_ZERO: Noise = Noise {
        alpha: 0.3,
        weight: 0.25,
    };
}

impl PuctSettings {
    /// Document W's search: formulas (2) and (3), 800 simulations, Dirichlet noise with α = 0.3 and
    /// weight 0.25, the subtree kept. c_puct is not stated there; it is AlphaZero's 1.25. The duels
    /// keep no subtree.
    pub const WOJCIK: PuctSettings = PuctSettings {
        simulations: 800,
        selection: Selection::Puct(Exploration {
            init: 1.25,
            base: None,
            first_play: FirstPlay::Value(0.0),
            noise: Some(Noise::ALPHA_ZERO),
        }),
        solver: false,
        history: true,
        reuse: true,
    };

    /// Ours: Gumbel AlphaZero with few simulations, and what is proven stays proven.
    pub const BEST: PuctSettings = PuctSettings {
        simulations: 64,
        selection: Selection::Gumbel(Gumbel {
            considered: 16,
            visit: 50.0,
            scale: 1.0,
            noise: false,
        }),
        solver: true,
        history: true,
        reuse: true,
    };

    /// The names of the presets.
    pub const PRESETS: [(&'static str, PuctSettings); 2] = [
        ("best", PuctSettings::BEST),
        ("wojcik", PuctSettings::WOJCIK),
    ];

    /// The settings of that name.
    pub fn preset(name: &str) -> Option<PuctSettings> {
        let mut presets = PuctSettings::PRESETS.into_iter();
        presets.find(|(known, _)| *known == name).map(|(_, it)| it)
    }

    /// Does nothing depend on chance?
    pub fn is_deterministic(&self) -> bool {
        match self.selection {
            Selection::Puct(exploration) => exploration.noise.is_none(),
            Selection::Gumbel(gumbel) => !gumbel.noise,
        }
    }

    /// The same search as a policy that can be certified: it sees the position alone, forgets
    /// everything between two moves and leaves nothing to chance.
    #[must_use]
    pub fn as_policy(mut self) -> PuctSettings {
        self.history = false;
        self.reuse = false;
        self.without_noise()
    }

    /// The same search without noise, as it plays when nothing is to be learned from the game.
    #[must_use]
    pub fn without_noise(mut self) -> PuctSettings {
        match &mut self.selection {
            Selection::Puct(exploration) => exploration.noise = None,
            Selection::Gumbel(gumbel) => gumbel.noise = false,
        }
        self
    }
}
