//! The README's story of a bug: its code is the example's, and what it prints is what is found.

use std::path::Path;

use toolwright_sim::explore::{Explore, Subject};
use toolwright_sim::replay::Conditions;
use toolwright_sim::strategy::Way;

#[path = "../../examples/race.rs"]
mod race;

fn readme() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace");
    std::fs::read_to_string(root.join("README.md")).expect("there is a README")
}

#[test]
fn the_readmes_racy_tool_is_the_example_that_compiles() {
    let source = include_str!("../../examples/race.rs");
    let from = source.find("/// Gives out the next ticket.").expect("the tool is in the example");
    let to = source.find("\n\nfn lock(").expect("the tool ends before its helper");
    let readme = readme();
    assert!(readme.contains(&source[from..to]), "{}", &source[from..to]);
}

#[test]
fn the_readme_shows_the_failing_seed_and_the_shrunk_timeline_as_they_are_found() {
    let told = race::told();
    let readme = readme();
    for line in told.lines().filter(|line| !line.trim().is_empty()) {
        assert!(readme.contains(line.trim_end()), "the README lacks `{line}` of\n{told}");
    }
}

#[test]
fn the_race_needs_a_schedule_that_production_hardly_ever_has_and_few_surprises() {
    let explore = Explore::new().checkers(|| vec![Box::<race::OnceEach>::default()]);
    let usual = explore.one(&race::three_calls(), &Way::First, &Conditions::default());
    assert!(usual.violations.is_empty(), "{:?}", usual.violations);
    let (finding, small) = race::found().expect("it is found");
    assert_eq!(finding.violation.invariant, "once each");
    assert!(small.deviations.len() <= 2, "{:?}", small.deviations);
    small.token.fits(&race::three_calls().identity()).expect("it names the same scene");
}
