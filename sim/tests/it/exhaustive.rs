//! Exhaustive search: with reduction it finds every outcome that plain depth-first search finds, in far fewer runs.

use std::collections::BTreeSet;

use toolwright::env::Object;
use toolwright_sim::engine::{ReadyTask, Simulation, Step, Strategy};
use toolwright_sim::explore::Subject;
use toolwright_sim::replay::Conditions;
use toolwright_sim::strategy::{Aborts, DepthFirst, Dpor, Family, Search, Tree};

use super::minimal::{End, How, Racers, Shape, outcome, turn};

/// What a search found.
#[derive(Debug, Default)]
struct Found {
    outcomes: BTreeSet<Vec<String>>,
    runs: u64,
    given_up: u64,
    is_complete: bool,
}

fn search<T: Tree>(subject: &dyn Subject, tree: T, runs_max: u64) -> Found {
    let mut search = Search::new(tree);
    let mut found = Found::default();
    while found.runs + found.given_up < runs_max {
        let Some(strategy) = search.next_run() else {
            found.is_complete = true;
            break;
        };
        let ran = subject.run(&Simulation::with_boxed(strategy), &Conditions::default());
        match ran.ended {
            Ok(()) => {
                found.runs += 1;
                found.outcomes.insert(outcome(&ran.events));
            }
            Err(_given_up) => found.given_up += 1,
        }
    }
    found
}

#[test]
fn measure() {
    for shapes in [
        vec![Shape::RACED],
        vec![Shape::SAFE, Shape::SAFE],
        vec![Shape::ALONE, Shape::SAFE],
        vec![Shape::SAFE, Shape { racers: Racers::No, ..Shape::SAFE }],
        vec![Shape::SAFE, Shape::RACED],
        vec![Shape::RACED, Shape::RACED],
    ] {
        for aborts in [Aborts::Commute, Aborts::Conflict] {
            let subject = turn(&shapes, How::default());
            let began = std::time::Instant::now();
            let found = search(&subject, Dpor::new(aborts), 20_000);
            println!(
                "dpor {aborts:?} {shapes:?}: {} runs {} given up, {} outcomes, {} {:?}",
                found.runs,
                found.given_up,
                found.outcomes.len(),
                found.is_complete,
                began.elapsed()
            );
        }
        let subject = turn(&shapes, How::default());
        let began = std::time::Instant::now();
        let found = search(&subject, DepthFirst::default(), 30_000);
        println!(
            "dfs {shapes:?}: {} runs, {} outcomes, {} {:?}",
            found.runs,
            found.outcomes.len(),
            found.is_complete,
            began.elapsed()
        );
    }
    for calls in [4, 8] {
        let subject = turn(&vec![Shape::RACED; calls], How::default());
        let began = std::time::Instant::now();
        let found = search(&subject, Dpor::default(), 20_000);
        println!(
            "dpor {calls}: {} runs {} given up, {} outcomes, {} {:?}",
            found.runs,
            found.given_up,
            found.outcomes.len(),
            found.is_complete,
            began.elapsed()
        );
    }
}
