//! A second judge, which knows nothing of this code but its event lines: a script outside the project, where it is.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::shared::shared;
use super::world::{Draw, run};

/// What the script says of event lines: nothing when all holds. `None` where there is no script, or no Python.
pub(crate) fn judge(lines: &str) -> Option<Result<(), String>> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let script = shared("checks/check_events.py")?;
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("toolwright-events-{}-{number}.jsonl", std::process::id()));
    std::fs::write(&file, lines).expect("the folder for temporary files can be written");
    let ran = Command::new("python3").arg(&script).arg(&file).output();
    std::fs::remove_file(&file).expect("it was written a moment ago");
    let Ok(output) = ran else {
        println!("skipped: there is no python3");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(if output.status.success() { Ok(()) } else { Err(said) })
}

#[test]
fn a_second_judge_finds_no_fault_in_random_sessions() {
    for seed in 10_000..10_080 {
        let script = Draw::new(seed).script();
        let ran = run(&script, Some(seed));
        if script.turns.iter().all(Vec::is_empty) {
            continue;
        }
        match judge(&ran.lines()) {
            None => return,
            Some(said) => assert_eq!(said, Ok(()), "seed {seed}: {script:#?}\n{}", ran.lines()),
        }
    }
}
