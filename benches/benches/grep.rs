//! What a search of the sources of this machine's crates costs: Grep in this process, Grep as a process of its own
//! (`toolwright call`), and ripgrep as one. A search that shows nothing that it finds, so that only the search counts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright::contract::{CallContext, Cx, Tool};
use toolwright::env::Env;
use toolwright::testing::parse_input;
use toolwright_benches::search::{registry, ripgrep, run, toolwright_call};
use toolwright_tools::files::Grep;

/// A name, a pattern, and whether letters match in either case.
const SEARCHES: &[(&str, &str, bool)] = &[
    ("a rare word", "PM_RESUME", false),
    ("a word in either case", "deprecated", true),
    ("alternatives", "unsafe impl|unreachable_unchecked|transmute_copy", false),
    ("classes", r"\bfn [a-z]+_from_[a-z]+_unchecked\(", false),
];

fn grep(criterion: &mut Criterion) {
    let Some(folder) = registry() else {
        eprintln!("skipped: cargo has no sources of crates here");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("an executor can be made");
    let context = runtime.block_on(async {
        let env = Env::tokio().expect("there is an executor");
        CallContext::for_test(env, &folder)
    });
    for (name, pattern, any_case) in SEARCHES {
        let input = json!({"pattern": pattern, "-i": any_case, "output_mode": "count"});
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(10);
        group.bench_function("Grep", |bencher| {
            bencher.iter(|| {
                let call: Grep = parse_input(&input.to_string(), &()).expect("the input fits the schema");
                let found = runtime.block_on(call.call(&Cx::for_test(&context, &())));
                black_box(found.expect("it can be searched"))
            });
        });
        let case = if *any_case { "-i" } else { "-s" };
        let arguments = ["--hidden", "-g", "!.git", "-c", case, pattern, "./"];
        if let Some(mut command) = ripgrep(&folder, &arguments) {
            group.bench_function("rg", |bencher| bencher.iter(|| run(&mut command)));
        }
        if let Some(mut command) = toolwright_call(&folder, "Grep", &input) {
            group.bench_function("toolwright call Grep", |bencher| bencher.iter(|| run(&mut command)));
        }
    }
}

criterion_group!(benches, grep);
criterion_main!(benches);
