//! The settings of document Y's deep Q-learning, and what it wished for.

use crate::runs::settings::settings;

settings! {
    /// The settings of the learner. The first ones are the thesis' (its Table 6.13 and Section 5.7),
    /// then come those that it does not state, then what it names as future work, all of it off.
    pub struct DqnSettings {
        /// The learning rate of Adam.
        rate: f64 = 1e-3, 0.0..=1.0;
        /// The discount factor. Not stated for this learner; with the .99 of the tabular one an endless game
        /// costs 100 and losing the rook at once 50, and that is what is learned.
        gamma: f64 = 0.9, 0.0..=1.0;
        /// The chance of a random move at the beginning.
        epsilon_start: f64 = 0.9, 0.0..=1.0;
        /// The chance of a random move at the end.
        epsilon_end: f64 = 0.05, 0.0..=1.0;
        /// White's reward for winning.
        win: f64 = 50.0, -1e6..=1e6;
        /// White's reward for a draw.
        draw: f64 = -50.0, -1e6..=1e6;
        /// White's reward for a move.
        step: f64 = -1.0, -1e6..=1e6;
        /// The reward for choosing a move that is not legal.
        illegal: f64 = -50.0, -1e6..=1e6;
        /// Whom white trains against: the name of a player, or `self` for an agent that learns, too.
        opponent: String = "random".into();

        /// Pictures that the first hidden layer makes.
        channels: usize = 16, 1.0..=1024.0;
        /// Neurons of the second, which sees the whole board.
        hidden: usize = 128, 1.0..=8192.0;
        /// Transitions in a batch.
        batch: usize = 32, 1.0..=1e5;
        /// White's moves from one batch to the next.
        update_every: u64 = 4, 1.0..=1e9;
        /// Batches from one copy of the target network to the next.
        target_every: u64 = 200, 1.0..=1e9;
        /// Transitions that are remembered.
        memory: usize = 100_000, 1.0..=1e8;
        /// Transitions that are there before learning begins.
        warm_up: usize = 1_000, 0.0..=1e8;
        /// Moves of each side until the game is drawn.
        max_moves: u32 = 50, 1.0..=1e4;
        /// Is the third occurrence of a position a draw?
        repetition: bool = true;

        /// Consider legal moves only, in choosing and in looking ahead?
        masking: bool = false;
        /// With `opponent = "self"`: so many games white learns, then so many black; 0 for both always.
        freeze: u64 = 0, 0.0..=1e9;
        /// Turn and mirror what is remembered, each time another way?
        augmentation: bool = false;
        /// Let the policy network choose the move that the target network values (double Q-learning)?
        double: bool = false;
        /// Rewards that are added up before the target network is asked.
        n_step: usize = 1, 1.0..=1e3;
        /// Remember surprises more often?
        prioritised: bool = false;
        /// How strongly weights are drawn to zero.
        weight_decay: f64 = 0.0, 0.0..=1.0;
        /// Networks that vote.
        ensemble: usize = 1, 1.0..=64.0;
        /// A run of the same learner whose networks to start from, of another endgame maybe; or nothing.
        from: String = String::new();
        /// Games between tests on starts that are never trained on; 0 for none.
        validate_every: u64 = 0, 0.0..=1e9;
        /// Games in such a test, against a random defender.
        validation_games: u32 = 500, 0.0..=1e6;
        /// Tests in a row without progress after which training stops, at the best networks so far.
        patience: u64 = 5, 0.0..=1e9;
    }
}
