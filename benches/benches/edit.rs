//! What an Edit of one word in a file of ten megabytes costs, beside the same with nothing but the standard library:
//! read, replace, write a new file, put it in place of the old one. Edit looks at the file twice, as a call does (before
//! permission and after it), proves that it is what the agent read, tells the difference, and keeps what the file has
//! besides; both wait for the disk.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use toolwright_benches::files::Files;
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::read::Read;

const BYTES: usize = 10 * 1024 * 1024;
const WORDS: [&str; 2] = ["the one word", "the other word"];

fn edit(criterion: &mut Criterion) {
    let files = Files::new("edit");
    let line = "    let some = line_of_code(that, is, about, as_long, as_they_are);\n";
    let half = line.repeat(BYTES / 2 / line.len());
    let path = files.put("large.rs", &format!("{half}{}\n{half}", WORDS[0]));
    let mut group = criterion.benchmark_group("edit a word in 10 MB");
    group.sample_size(10).throughput(Throughput::Bytes(BYTES as u64));
    let mut turn = 0;
    group.bench_function("Edit", |bencher| {
        // It has to be read, but too large a file is read in parts.
        files.call::<Read>(&json!({"file_path": path, "limit": 1}));
        bencher.iter(|| {
            let (old, new) = (WORDS[turn % 2], WORDS[(turn + 1) % 2]);
            turn += 1;
            files.call::<Edit>(&json!({"file_path": path, "old_string": old, "new_string": new}))
        });
    });
    for (name, waits) in [("std", true), ("std, without waiting for the disk", false)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let (old, new) = (WORDS[turn % 2], WORDS[(turn + 1) % 2]);
                turn += 1;
                replace(&path, old, new, waits);
            });
        });
    }
}

fn replace(path: &Path, old: &str, new: &str, waits: bool) {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let aside = path.with_extension("new");
    std::fs::write(&aside, black_box(text.replacen(old, new, 1))).expect("files can be written");
    if waits {
        let file = std::fs::File::open(&aside).expect("it was just written");
        file.sync_all().expect("the disk takes it");
    }
    std::fs::rename(aside, path).expect("it can be put in place");
}

criterion_group!(benches, edit);
criterion_main!(benches);
