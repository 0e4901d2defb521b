//! What finding files by name in the sources of this machine's crates costs: Glob in this process, Glob as a process of
//! its own (`toolwright call`), and `rg --files` as one. Glob asks of each file when it was changed; ripgrep does not.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright::contract::{CallContext, Cx, Tool};
use toolwright::env::Env;
use toolwright::testing::parse_input;
use toolwright_benches::search::{registry, ripgrep, run, toolwright_call};
use toolwright_tools::files::Glob;

const PATTERNS: &[&str] = &["**/*.rs", "*/Cargo.toml", "**/tests/**/*"];

fn glob(criterion: &mut Criterion) {
    let Some(folder) = registry() else {
        eprintln!("skipped: cargo has no sources of crates here");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("an executor can be made");
    let context = runtime.block_on(async {
        let env = Env::tokio().expect("there is an executor");
        CallContext::for_test(env, &folder)
    });
    for pattern in PATTERNS {
        let input = json!({"pattern": pattern});
        let mut group = criterion.benchmark_group(*pattern);
        group.sample_size(10);
        group.bench_function("Glob", |bencher| {
            bencher.iter(|| {
                let call: Glob = parse_input(&input.to_string(), &()).expect("the input fits the schema");
                let found = runtime.block_on(call.call(&Cx::for_test(&context, &())));
                black_box(found.expect("it can be searched"))
            });
        });
        let own = format!("/{pattern}");
        if let Some(mut command) =
            ripgrep(&folder, &["--files", "--no-ignore", "-g", &own, "-g", "!.*", "./"])
        {
            group.bench_function("rg --files", |bencher| bencher.iter(|| run(&mut command)));
        }
        if let Some(mut command) = toolwright_call(&folder, "Glob", &input) {
            group.bench_function("toolwright call Glob", |bencher| bencher.iter(|| run(&mut command)));
        }
    }
}

criterion_group!(benches, glob);
criterion_main!(benches);
