//! Every command line that agents were recorded to run is judged: none makes the reader panic, few are opaque.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::contract::{Effects, EffectsContext, ErasedCall, Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::registry::Pool;
use toolwright_tools::catalogue;

use super::shared::shared;

/// How many of a thousand command lines may be opaque.
const OPAQUE_PER_MILLE_MAX: usize = 5;
/// How long one command line may take to be judged, on a machine that does other things too.
const TIME_MAX: Duration = Duration::from_secs(1);

/// The recorded command lines, or nothing where they are not at hand.
pub(crate) fn recorded() -> Option<Vec<String>> {
    let file = shared("data/derived/bash-commands.jsonl")?;
    let text = std::fs::read_to_string(file).expect("the commands are text");
    let command = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("each line is JSON");
        line["command"].as_str().expect("a command is a text").to_owned()
    };
    Some(text.lines().map(command).collect())
}

/// A call of Bash in a session's pool.
pub(crate) fn call(command: &str) -> Box<dyn ErasedCall> {
    thread_local! {
        static POOL: Pool = Pool::new(&catalogue(), &SessionFacts::default(), |_name| true);
    }
    let bash = POOL.with(|pool| Arc::clone(pool.find("Bash").expect("it is in the catalogue")));
    let input = RawInput::from_value(&json!({"command": command}));
    bash.parse(&input, Origin::Model).expect("any string parses").call
}

/// What a command line would do in a folder that is not there.
pub(crate) fn effects(command: &str) -> Effects {
    let cx = EffectsContext {
        root: Path::new("/w"),
        cwd: Path::new("/w"),
        additional_directories: &[],
        home: Some(Path::new("/h")),
    };
    call(command).effects(&cx)
}

#[test]
fn few_recorded_commands_are_opaque() {
    let Some(commands) = recorded() else { return };
    let (mut understood, mut opaque, mut read_only) = (0, Vec::new(), 0);
    let mut longest = Duration::ZERO;
    for command in &commands {
        let began = Instant::now();
        let effects = effects(command);
        longest = longest.max(began.elapsed());
        match effects {
            Effects::Known(_) => understood += 1,
            Effects::Unknown { reason, .. } => opaque.push((reason, command)),
        }
        read_only += usize::from(call(command).flags().read_only);
    }
    let all = commands.len();
    println!("| recorded commands | understood | asked as opaque | read-only |\n|---|---|---|---|");
    println!("| {all} | {understood} | {} | {read_only} |", opaque.len());
    for (reason, command) in &opaque {
        println!("opaque: {reason}\n    {}", command.replace('\n', "\n    "));
    }
    assert!(longest < TIME_MAX, "{longest:?}");
    assert!(opaque.len() * 1_000 < all * OPAQUE_PER_MILLE_MAX, "{} of {all} are opaque", opaque.len());
}
