//! Recordings of other programs: what is imported of each agrees with counts taken without the importers, and replays.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolwright_sim::import::{Format, Imported, RepairKind, read_bytes, read_path};
use toolwright_sim::replay::{Options, replay};
use toolwright_sim::transcript::{Outcome, to_text};

use super::shared::shared;

/// The folders of recordings: their files by ending, the word of the counting script, and the format.
const FOLDERS: [(&str, &str, &str, Format); 8] = [
    ("claude-code", "jsonl", "claude-code", Format::ClaudeCode),
    ("codex", "jsonl", "codex", Format::Codex),
    ("gemini", "json", "gemini", Format::Gemini),
    ("sweagent", "traj", "swe-agent", Format::SweAgent),
    ("inspect", "json", "inspect", Format::Inspect),
    ("openai-chat", "json", "conversations", Format::ChatCompletions),
    ("openai-chat", "yaml", "cassette", Format::ChatCompletions),
    ("anthropic-api", "yaml", "cassette", Format::Messages),
];

/// Files that are no recordings.
const ABOUT: [&str; 1] = ["EXPECTED.tsv"];

/// The files of a folder with an ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == ending)).collect();
    files.sort();
    files
}

/// What the counting script says of files: turns, calls, calls with a result, results without a call.
pub(super) fn counted(files: &[(&str, &Path)]) -> Option<Vec<[usize; 4]>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/count_calls.py");
    let arguments = files.iter().map(|(word, path)| format!("{word}={}", path.display()));
    let output = match Command::new("python3").arg(script).args(arguments).output() {
        Ok(output) => output,
        Err(error) if std::env::var_os("CI").is_some() => panic!("python3 is needed: {error}"),
        Err(error) => {
            println!("skipped: python3 cannot be started: {error}");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the script writes text");
    let row = |line: &str| {
        let numbers: Vec<usize> =
            line.split('\t').skip(1).map(|cell| cell.parse().expect("a number")).collect();
        numbers.try_into().expect("four numbers")
    };
    Some(text.lines().map(row).collect())
}

/// The same counts of what was imported.
pub(super) fn imported_counts(imported: &Imported) -> [usize; 4] {
    let transcript = &imported.transcript;
    let answered = transcript.calls().filter(|call| !matches!(call.outcome, Outcome::Unanswered)).count();
    let orphans = imported.repaired(RepairKind::OrphanResult);
    [transcript.turns.len(), transcript.calls().count(), answered, orphans]
}

#[test]
fn imported_recordings_have_the_turns_calls_and_results_that_a_script_counts_and_replay() {
    let Some(folder) = shared("data/transcripts") else { return };
    let catalogue = toolwright_tools::catalogue();
    println!(
        "{:<28} {:>5} {:>5} {:>6} {:>8} {:>8}",
        "format", "files", "turns", "calls", "answered", "repairs"
    );
    let mut seen = 0;
    for (name, ending, word, format) in FOLDERS {
        let files = files(&folder.join(name), ending);
        let given: Vec<(&str, &Path)> = files.iter().map(|path| (word, path.as_path())).collect();
        let Some(wanted) = counted(&given) else { return };
        let mut sums = [0; 4];
        for (path, want) in files.iter().zip(wanted) {
            let imported = read_path(path).expect("a recording can be read");
            assert_eq!(imported.format, format, "{}", path.display());
            assert_eq!(imported_counts(&imported), want, "{}: {:#?}", path.display(), imported.repairs);
            let report = replay(&imported.transcript, &catalogue, &Options::default());
            assert!(report.violations.is_empty(), "{}: {:#?}", path.display(), report.violations);
            assert_eq!(report.counts.calls, want[1], "{}", path.display());
            let repairs: usize = imported.repairs.iter().map(|repair| repair.count).sum();
            for (sum, count) in sums.iter_mut().zip([want[0], want[1], want[2], repairs]) {
                *sum += count;
            }
        }
        seen += files.len();
        let [turns, calls, answered, repairs] = sums;
        let title = format!("{format} ({ending})");
        println!("{title:<28} {:>5} {turns:>5} {calls:>6} {answered:>8} {repairs:>8}", files.len());
    }
    let present = std::fs::read_dir(&folder).expect("the folder can be listed").flat_map(|entry| {
        std::fs::read_dir(entry.expect("the folder can be listed").path()).expect("the folder can be listed")
    });
    let present = present.filter(|entry| {
        let name = entry.as_ref().expect("the folder can be listed").file_name();
        !ABOUT.iter().any(|about| name == *about)
    });
    assert_eq!(seen, present.count(), "every file was imported");
}

/// Does something with every recording.
pub(super) fn each_recording(mut with: impl FnMut(&Path)) {
    let Some(folder) = shared("data/transcripts") else { return };
    for (name, ending, ..) in FOLDERS {
        files(&folder.join(name), ending).iter().for_each(|path| with(path));
    }
}

#[test]
fn imported_recordings_survive_our_own_format() {
    each_recording(|path| {
        let imported = read_path(path).expect("a recording can be read");
        let text = to_text(&imported.transcript);
        let again = read_bytes("copy", text.as_bytes()).expect("what was written can be read");
        assert_eq!(again.repairs, [], "{}", path.display());
        assert_eq!(again.transcript, imported.transcript, "{}", path.display());
    });
}
