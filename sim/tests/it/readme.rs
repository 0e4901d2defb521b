//! What the README shows: its code is the examples', and what it prints of a bug is what is found.

use std::path::Path;

use toolwright_sim::explore::Subject as _;
use toolwright_sim::replay::Conditions;
use toolwright_sim::strategy::Way;

#[path = "../../examples/race.rs"]
mod race;

fn readme() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace");
    std::fs::read_to_string(root.join("README.md")).expect("there is a README")
}

#[test]
fn what_the_readme_shows_of_examples_is_in_them() {
    let flush = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let examples =
        [include_str!("../../examples/race.rs"), include_str!("../../examples/tested.rs")].map(flush);
    let readme = readme();
    let blocks: Vec<String> = readme
        .split("```rust,ignore\n")
        .skip(1)
        .map(|rest| flush(rest.split("```").next().unwrap_or_default().trim_end()))
        .collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        assert!(examples.iter().any(|example| example.contains(&block)), "no example has\n{block}");
    }
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
    let explore = race::once_each();
    let usual = explore.one(&race::three_calls(), &Way::First, &Conditions::default());
    assert!(usual.violations.is_empty(), "{:?}", usual.violations);
    let (finding, small) = race::found().expect("it is found");
    assert_eq!(finding.violation.invariant, "once each");
    assert!(small.deviations.len() <= 2, "{:?}", small.deviations);
    small.token.fits(&race::three_calls().identity()).expect("it names the same scene");
}
