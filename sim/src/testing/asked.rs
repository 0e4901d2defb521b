//! What the environment asks for in place of what a test says.

use std::ops::Range;

use crate::explore::Identity;
use crate::token::Token;

/// The variable that gives the token of one run.
const REPLAY: &str = "TOOLWRIGHT_REPLAY";

/// What the environment asks for in place of what a test says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// These seeds.
    Seeds(Range<u64>),
    /// One run.
    Run(Token),
}

impl Asked {
    /// Reads the environment; what is not said is `seeds` seeds from 0.
    ///
    /// # Panics
    /// On a variable that cannot be read, without any seed, and on the token of a run of something else: a test that ran
    /// something else than was asked for, or nothing, would mislead.
    #[must_use]
    #[track_caller]
    pub fn of_environment(seeds: u64, given: &Identity) -> Asked {
        let variable = |name: &str| std::env::var(name).ok();
        let number = |name: &str, text: String| -> u64 {
            text.trim().parse().unwrap_or_else(|_| panic!("{name} is `{text}`, and must be a number"))
        };
        if let Some(text) = variable(REPLAY) {
            let token: Token = text.parse().unwrap_or_else(|error| panic!("{REPLAY}: {error}"));
            token.fits(given).unwrap_or_else(|mismatch| {
                panic!(
                    "{REPLAY}: {mismatch}\nrun the one test that printed the token (`cargo test NAME -- --exact`); if \
                     this is that test, what it runs was changed since, or the token is mistyped"
                )
            });
            return Asked::Run(token);
        }
        if let Some(text) = variable("TOOLWRIGHT_SEED") {
            let seed = number("TOOLWRIGHT_SEED", text);
            return Asked::Seeds(seed..seed.saturating_add(1));
        }
        let seeds = variable("TOOLWRIGHT_SEEDS").map_or(seeds, |text| number("TOOLWRIGHT_SEEDS", text));
        assert!(seeds > 0, "0 seeds try nothing: give the test, or TOOLWRIGHT_SEEDS, at least 1");
        Asked::Seeds(0..seeds)
    }
}

/// What shows the run of a token again, to be typed in a shell.
pub(super) fn again(token: &Token) -> String {
    let thread = std::thread::current();
    // Tests that run one at a time run in the program's own thread, which has not their name.
    let name = thread.name().filter(|name| *name != "main").unwrap_or("NAME_OF_THIS_TEST");
    format!("{REPLAY}='{token}' cargo test {name} -- --exact")
}
