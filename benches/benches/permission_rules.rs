//! What a decision costs by the number of rules: hits and misses, command rules and path rules, that deny, ask and allow;
//! and sets that are made to be hard to look up. Compiling a set is measured too.
//!
//! `answer` is the matching itself, `judge` the whole order of decision; what a path means was found out before both.

use std::borrow::Cow;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use toolwright::contract::{Context, Effect, Effects, Flags, Form, Opinion};
use toolwright::message::RawInput;
use toolwright::permission::{Behavior, Files, HookSays, Profile, RuleSet, Source, Subject, judge};

const SIZES: [usize; 3] = [10, 1_000, 10_000];

/// A file system without links.
struct Plain;

impl Files for Plain {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }
}

fn context() -> Context {
    Context { home: Some("/home/me".into()), ..Context::new("/w/p") }
}

/// A kind of rules, by their number.
struct Kind {
    name: &'static str,
    rule: fn(usize) -> String,
    hit: fn(usize) -> Effect,
    miss: fn() -> Effect,
}

fn command(text: &str) -> Effect {
    let words = text.split(' ').map(str::to_owned).collect();
    Effect::Command { text: text.to_owned(), words, read_only: false }
}

/// How such rules are usually written.
const USUAL: &[Kind] = &[
    Kind {
        name: "command",
        rule: |n| format!("Bash(tool{n} run *)"),
        hit: |n| command(&format!("tool{n} run --all")),
        miss: || command("cargo build --release --locked"),
    },
    Kind {
        name: "path",
        rule: |n| format!("Edit(//data/set{n}/**)"),
        hit: |n| Effect::Write(format!("/data/set{n}/a/b.txt").into()),
        miss: || Effect::Write("/srv/www/site/assets/main.css".into()),
    },
];

/// Sets in which the beginnings of the rules tell nothing.
const HARD: &[Kind] = &[
    Kind {
        name: "command_wild_first",
        rule: |n| format!("Bash(* --flag{n} *)"),
        hit: |n| command(&format!("cargo build --flag{n} x")),
        miss: || command("cargo build --release --locked"),
    },
    Kind {
        name: "command_one_program",
        rule: |n| format!("Bash(git * branch{n})"),
        hit: |n| command(&format!("git push origin branch{n}")),
        miss: || command("git push origin main"),
    },
    Kind {
        name: "path_wild_first",
        rule: |n| format!("Edit(**/*.ext{n})"),
        hit: |n| Effect::Write(format!("/w/p/src/a.ext{n}").into()),
        miss: || Effect::Write("/w/p/src/deep/main.rs".into()),
    },
    Kind {
        name: "path_bare_name",
        rule: |n| format!("Read(secret{n})"),
        hit: |n| Effect::Read(format!("/w/p/a/b/secret{n}").into()),
        miss: || Effect::Read("/srv/www/site/assets/main.css".into()),
    },
    Kind {
        name: "remove_above",
        rule: |n| format!("Edit(//data/set{n}/**)"),
        hit: |_| Effect::Remove("/data".into()),
        miss: || Effect::Remove("/srv/www".into()),
    },
];

fn rules(kind: &Kind, behavior: Behavior, size: usize) -> RuleSet {
    let rules = (0..size).map(|n| (behavior, Source::UserSettings, (kind.rule)(n)));
    let (set, problems) = RuleSet::new(rules, &context(), &Plain);
    assert!(problems.is_empty(), "{problems:?}");
    set
}

fn decisions(c: &mut Criterion, name: &str, kinds: &[Kind], behaviors: &[(&str, Behavior)]) {
    let context = context();
    let form = Form::closed(Cow::Borrowed("Some"));
    let input = RawInput::new("{}");
    let subject =
        |effect| Subject::new(&form, Flags::default(), Effects::one(effect), [&input], &context, &Plain);
    let mut group = c.benchmark_group(name);
    for kind in kinds {
        for (word, behavior) in behaviors {
            for size in SIZES {
                let set = rules(kind, *behavior, size);
                let (hit, miss) = (subject((kind.hit)(size / 2)), subject((kind.miss)()));
                assert_eq!(set.answer(&hit, Profile::Current).behavior, Some(*behavior), "{}", kind.name);
                assert_eq!(set.answer(&miss, Profile::Current).behavior, None, "{}", kind.name);
                for (found, subject) in [("hit", &hit), ("miss", &miss)] {
                    let id = BenchmarkId::new(format!("answer/{}/{word}/{found}", kind.name), size);
                    group.bench_function(id, |b| {
                        b.iter(|| black_box(set.answer(black_box(subject), Profile::Current)));
                    });
                }
                let id = BenchmarkId::new(format!("judge/{}/{word}/hit", kind.name), size);
                group.bench_function(id, |b| {
                    b.iter(|| {
                        let says = HookSays::Nothing;
                        black_box(judge(&hit, &set, Profile::Current, &says, &Opinion::Pass, true))
                    });
                });
            }
        }
    }
    group.finish();
}

fn usual(c: &mut Criterion) {
    let behaviors = [("deny", Behavior::Deny), ("ask", Behavior::Ask), ("allow", Behavior::Allow)];
    decisions(c, "permission_rules", USUAL, &behaviors);
}

fn hard(c: &mut Criterion) {
    decisions(c, "permission_rules", HARD, &[("deny", Behavior::Deny)]);
}

fn compile(c: &mut Criterion) {
    let mut group = c.benchmark_group("permission_rules");
    group.sample_size(10);
    for kind in USUAL.iter().chain(HARD) {
        let size = SIZES[2];
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new(format!("compile/{}", kind.name), size), |b| {
            b.iter(|| black_box(rules(kind, Behavior::Deny, size)));
        });
    }
    group.finish();
}

criterion_group!(benches, usual, hard, compile);
criterion_main!(benches);
