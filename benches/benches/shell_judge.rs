//! What judging a shell command costs: from the call's input in memory to its effects.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright::contract::{EffectsContext, Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::registry::Pool;
use toolwright_tools::catalogue;

/// Command lines as agents run them.
const COMMANDS: &[(&str, &str)] = &[
    ("small: one program", "git status"),
    ("small: a pipe", "cargo test 2>&1 | tail -20"),
    (
        "medium: a chain",
        "cd src && grep -rn 'fn main' . --include='*.rs' | head -5 && wc -l *.rs && git diff --stat",
    ),
    (
        "medium: a message",
        "git add -A && git commit -m \"$(cat <<'EOF'\nSay what it does\n\nAnd why, over some lines\nof plain text.\nEOF\n)\"",
    ),
    (
        "large: a script",
        "set -e\nfor f in a.rs b.rs c.rs d.rs; do\n  if [ -f \"$f\" ]; then\n    echo \"== $f\"; grep -n 'x' \"$f\" | head -3\n  \
         else\n    touch \"$f\" && echo 'new' > \"$f\"\n  fi\ndone\nwhile read -r line; do echo \"$line\"; done < list\n\
         X=$(git rev-parse HEAD); echo \"$X\" | cut -c1-8; find . -name '*.tmp' -delete; bash -c 'ls -la | wc -l'",
    ),
];

fn judge(criterion: &mut Criterion) {
    let pool = Pool::new(&catalogue(), &SessionFacts::default(), |_name| true);
    let bash = Arc::clone(pool.find("Bash").expect("it is in the catalogue"));
    let cx = EffectsContext {
        root: Path::new("/nowhere"),
        cwd: Path::new("/nowhere"),
        additional_directories: &[],
        home: Some(Path::new("/home/nobody")),
    };
    let long = format!("cat > f <<'EOF'\n{}\nEOF", "some text that is written\n".repeat(300));
    let all =
        COMMANDS.iter().map(|(name, command)| (*name, *command)).chain([("large: a text", long.as_str())]);
    for (name, command) in all {
        let input = RawInput::from_value(&json!({"command": command}));
        let call = bash.parse(&input, Origin::Model).expect("any string parses").call;
        criterion.bench_function(name, |bencher| bencher.iter(|| black_box(call.effects(&cx))));
    }
}

criterion_group!(benches, judge);
criterion_main!(benches);
