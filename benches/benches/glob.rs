//! What finding files by name in the sources of this machine's crates costs: Glob in this process, Glob as a process of
//! its own (`toolwright call`), and `rg --files` as one. Glob asks of each file when it was changed, and shows the newest
//! first; ripgrep does so only where it is told to.

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright_benches::search::Searched;
use toolwright_tools::files::glob::{Glob, GlobOutput};

const PATTERNS: &[&str] = &["**/*.rs", "*/Cargo.toml", "**/tests/**/*"];

fn glob(criterion: &mut Criterion) {
    let Some(searched) = Searched::new() else { return };
    for pattern in PATTERNS {
        let own = format!("/{pattern}");
        let unsorted = ["--files", "--no-ignore", "-g", &own, "-g", "!.*", "./"];
        let sorted = ["--files", "--no-ignore", "--sortr", "modified", "-g", &own, "-g", "!.*", "./"];
        let ripgreps: &[(&str, &[&str])] =
            &[("rg --files", &unsorted), ("rg --files --sortr modified", &sorted)];
        let amounts =
            (|found: &GlobOutput| found.total_matches as u64, |lines: &str| lines.lines().count() as u64);
        searched.compare::<Glob>(
            criterion,
            [pattern, "Glob"],
            &json!({"pattern": pattern}),
            ripgreps,
            amounts,
        );
    }
}

criterion_group!(benches, glob);
criterion_main!(benches);
