//! The examples run, and what they assert holds. Nobody answers the one that asks on a terminal.

#[path = "../../examples/hook.rs"]
mod hook;
#[path = "../../examples/model.rs"]
mod model;
#[path = "../../examples/state.rs"]
mod state;

#[test]
fn every_example_that_asks_nobody_runs_to_its_end() {
    hook::main().expect("it runs");
    model::main().expect("it runs");
    state::main().expect("it runs");
}
