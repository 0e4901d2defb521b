//! Explorations as tests, in a line or two.
//!
//! ```
//! toolwright_sim::sim_test!(the_bundled_session_holds, seeds = 20, transcript = "examples/session.twt.jsonl");
//! # fn main() {}
//! ```
//!
//! A test that fails says how to see it again: `TOOLWRIGHT_REPLAY` gives the token of one run alone. A test that explores
//! something else than the token was made for fails too, so that a token that is mistyped does not pass: name the one
//! test that printed it, and give each recording or scene a test of its own. `TOOLWRIGHT_SEEDS` gives another number of
//! seeds, `TOOLWRIGHT_SEED` one seed alone.

mod asked;
mod flaw;
mod recorded;
mod told;

pub use self::asked::Asked;
pub use self::flaw::Flaw;
pub use self::recorded::Recorded;

use crate::explore::{Explore, Subject};
use crate::shrink::shrink;
use crate::token::Token;

/// A test that explores a recording, or replays one run of it. The path is below the crate's folder. The tools are
/// those of this project unless `tools = …` gives a catalogue; `options = …` gives other
/// [`Options`](crate::replay::Options) than the usual ones; `never = …` names a state that no run may be in.
///
/// A recording that the tools of today do not take, that names others than `tools = …` gives, or that had to be mended
/// fails, since it would prove less than it seems to. `allow = [Refused, StandIn, Repaired]` lets each of them pass; see
/// [`Flaw`](crate::testing::Flaw).
#[macro_export]
macro_rules! sim_test {
    ($name:ident, seeds = $seeds:expr, transcript = $file:expr $(, $($rest:tt)*)?) => {
        #[test]
        fn $name() {
            $crate::sim_test!(@recorded $file $(, $($rest)*)?).seeds($seeds);
        }
    };
    ($name:ident, replay = $token:expr, transcript = $file:expr $(, $($rest:tt)*)?) => {
        #[test]
        fn $name() {
            $crate::sim_test!(@recorded $file $(, $($rest)*)?).replay($token);
        }
    };
    (
        @recorded $file:expr $(, tools = $tools:expr)? $(, options = $options:expr)? $(, never = $never:expr)?
        $(, allow = [$($flaw:ident),+ $(,)?])? $(,)?
    ) => {{
        let recorded = $crate::testing::Recorded::below(env!("CARGO_MANIFEST_DIR"), $file);
        $(let recorded = recorded.tools($tools);)?
        $(let recorded = recorded.options($options);)?
        $(let recorded = recorded.never($never);)?
        $($(let recorded = recorded.allow($crate::testing::Flaw::$flaw);)+)?
        recorded
    }};
}

/// Explores anything under so many seeds, or as the environment says.
///
/// # Panics
/// When something is broken, a declared state was never seen, or the environment gives the token of something else. Where
/// no body ran it shows too little, and fails too, unless [`Explore::sometimes`] says what is to be seen instead.
#[track_caller]
pub fn explore(explore: &Explore<'_>, subject: &dyn Subject, seeds: u64) {
    match Asked::of_environment(seeds, &subject.identity()) {
        Asked::Run(token) => run_with(explore, subject, &token),
        Asked::Seeds(seeds) => {
            let first = seeds.start;
            let found = explore.seeds(subject, seeds);
            let small = |Token { way, conditions, .. }: &Token| shrink(explore, subject, way, conditions);
            assert!(found.is_ok(), "{}", told::found(&found, |finding| small(&finding.token)));
            if found.bodies == 0 && !explore.is_to_see() {
                panic!("{}", told::idle(found.runs, &explore.of_seed(subject, first)));
            }
        }
    }
}

#[track_caller]
fn run_with(explore: &Explore<'_>, subject: &dyn Subject, token: &Token) {
    let Token { way, conditions, .. } = token;
    let judged = explore.one(subject, way, conditions);
    assert!(judged.violations.is_empty(), "{}", told::broken(token, &judged));
}
