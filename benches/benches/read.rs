//! What a Read of 2,000 lines costs, as it is shown to a model, beside the same with nothing but the standard library:
//! read, and write each line behind its number.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use toolwright::contract::Tool;
use toolwright_benches::files::Files;
use toolwright_tools::files::read::Read;

const LINES: usize = 2_000;

fn read(criterion: &mut Criterion) {
    let files = Files::new("read");
    let text: String =
        (0..LINES).map(|line| format!("    let line_{line} = some_code(that, is, {line});\n")).collect();
    let path = files.put("a.rs", &text);
    let mut group = criterion.benchmark_group("read 2,000 lines");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("Read", |bencher| {
        bencher.iter(|| {
            // Otherwise it says that nothing has changed.
            files.forget::<Read>(&path);
            let data = files.call::<Read>(&json!({"file_path": path}));
            black_box(Read::result_content(&data))
        });
    });
    group.bench_function("Read again, unchanged", |bencher| {
        bencher.iter(|| black_box(Read::result_content(&files.call::<Read>(&json!({"file_path": path})))));
    });
    group.bench_function("std", |bencher| bencher.iter(|| black_box(numbered(&path))));
}

fn numbered(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        writeln!(out, "{:>6}\t{line}", index + 1).expect("memory takes text");
    }
    out
}

criterion_group!(benches, read);
criterion_main!(benches);
