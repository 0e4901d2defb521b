//! When work that may go on for long ends before its end.

use std::time::Duration;

use toolwright::env::{Cancellation, Env, Tick};

/// How long such work takes at the most.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(60);

/// When such work ends before its end.
#[derive(Debug)]
pub(crate) struct Stop {
    env: Env,
    began: Tick,
    cancellation: Cancellation,
}

impl Stop {
    /// Work that begins now.
    pub(crate) fn new(env: Env, cancellation: Cancellation) -> Stop {
        Stop { began: env.now(), env, cancellation }
    }

    /// Whether it has to end now.
    pub(crate) fn is_reached(&self) -> bool {
        self.cancellation.is_cancelled() || self.env.now().since(self.began) > TIME_MAX
    }
}
