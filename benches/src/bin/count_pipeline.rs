//! One body of `pipeline_overhead`, so many turns of so many calls, for programs that count instructions:
//! `count_pipeline hand|session CALLS TURNS`. The difference of two lengths of a run is what turns cost.

use std::sync::Arc;

use toolwright::env::Env;
use toolwright_benches::pipeline::by_hand::{self, World};
use toolwright_benches::pipeline::{Around, ids, session, through_session};

fn main() {
    let mut words = std::env::args().skip(1);
    let mut next = |what| words.next().unwrap_or_else(|| panic!("say {what}"));
    let body = next("which body: `hand` or `session`");
    let mut number = |what| next(what).parse::<usize>().unwrap_or_else(|error| panic!("{what}: {error}"));
    let (ids, turns) = (ids(number("how many calls a turn has")), number("how many turns there are"));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime builds");
    let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
    let (world, session) = (Arc::new(World::new()), session(&env, Around::ALL));
    for _ in 0..turns {
        let good = match body.as_str() {
            "hand" => runtime.block_on(by_hand::spawned(&world, &ids)),
            "session" => runtime.block_on(through_session(&session, &ids)),
            other => panic!("`{other}` is no body: say `hand` or `session`"),
        };
        assert_eq!(good, ids.len());
    }
}
