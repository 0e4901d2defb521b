//! What finding files by name in the sources of this machine's crates costs: Glob in this process, Glob as a process of
//! its own (`toolwright call`), and `rg --files` as one. Glob asks of each file when it was changed; ripgrep does not.

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright_benches::search::Searched;
use toolwright_tools::files::glob::Glob;

const PATTERNS: &[&str] = &["**/*.rs", "*/Cargo.toml", "**/tests/**/*"];

fn glob(criterion: &mut Criterion) {
    let Some(searched) = Searched::new() else { return };
    for pattern in PATTERNS {
        let own = format!("/{pattern}");
        let arguments = ["--files", "--no-ignore", "-g", &own, "-g", "!.*", "./"];
        let names = [pattern, "Glob", "rg --files"];
        searched.compare::<Glob>(criterion, names, &json!({"pattern": pattern}), &arguments);
    }
}

criterion_group!(benches, glob);
criterion_main!(benches);
