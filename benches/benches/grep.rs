//! What a search of the sources of this machine's crates costs: Grep in this process, Grep as a process of its own
//! (`toolwright call`), and ripgrep as one. Both tell only how many lines match in each file, so that the search counts.

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright_benches::search::Searched;
use toolwright_tools::files::grep::{Grep, GrepOutput};

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
        let by_rg = |lines: &str| {
            lines.lines().filter_map(|line| line.rsplit(':').next()?.parse::<u64>().ok()).sum::<u64>()
        };
        let amounts = (|found: &GrepOutput| found.num_matches.unwrap_or_default(), by_rg);
        searched.compare::<Grep>(criterion, [name, "Grep"], &input, &[("rg", &arguments)], amounts);
    }
}

criterion_group!(benches, grep);
criterion_main!(benches);
