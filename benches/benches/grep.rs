//! What a search of the sources of this machine's crates costs: Grep in this process, Grep as a process of its own
//! (`toolwright call`), and ripgrep as one. A search that shows nothing that it finds, so that only the search counts.

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright_benches::search::Searched;
use toolwright_tools::files::grep::Grep;

/// A name, a pattern, and whether letters match in either case.
const SEARCHES: &[(&str, &str, bool)] = &[
    ("a rare word", "PM_RESUME", false),
    ("a word in either case", "deprecated", true),
    ("alternatives", "unsafe impl|unreachable_unchecked|transmute_copy", false),
    ("classes", r"\bfn [a-z]+_from_[a-z]+_unchecked\(", false),
];

fn grep(criterion: &mut Criterion) {
    let Some(searched) = Searched::new() else { return };
    for (name, pattern, any_case) in SEARCHES {
        let input = json!({"pattern": pattern, "-i": any_case, "output_mode": "count"});
        let case = if *any_case { "-i" } else { "-s" };
        let arguments = ["--hidden", "-g", "!.git", "-c", case, pattern, "./"];
        searched.compare::<Grep>(criterion, [name, "Grep", "rg"], &input, &arguments);
    }
}

criterion_group!(benches, grep);
criterion_main!(benches);
