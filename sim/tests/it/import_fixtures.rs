//! Small recordings of each format, written by hand: what is imported of them, and every repair by its kind. A folder is
//! named by the word of its format.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use toolwright::testing::check_golden_text;
use toolwright_sim::import::{Format, Imported, read_path};
use toolwright_sim::replay::{Options, replay};
use toolwright_sim::transcript::{Content, Input, Outcome};

use super::import::{counted, imported_counts};

/// A recording of the folder of its format.
pub(super) struct Fixture {
    pub(super) path: PathBuf,
    /// The format's word and the file's name.
    pub(super) name: String,
    /// The format that the folder is named by.
    pub(super) format: Format,
}

impl Fixture {
    /// The word of the counting script, where it reads the file's shape.
    fn counter(&self) -> Option<&str> {
        let file = self.name.split_once('/').expect("it is in a folder").1;
        let is_cassette = file.ends_with(".yaml");
        match self.format {
            Format::Messages | Format::ChatCompletions => is_cassette.then_some("cassette"),
            _ if file.starts_with(ODD) => None,
            _ => Some(self.format.word()),
        }
    }
}

/// How the names of recordings begin whose every oddity is mended by the importer, and not known to the plain counter.
const ODD: &str = "odd";

/// What the names of golden files end in, behind the name of the recording.
const GOLDEN: &str = ".imported";

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)
}

/// The names of what is in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("the folder can be listed").file_name().into_string().expect("names are text")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// Every recording of every folder, in order.
pub(super) fn fixtures() -> Vec<Fixture> {
    let mut all = Vec::new();
    for word in names(&fixture("")) {
        let format = word.parse().expect("a folder has the word of a format that is read");
        for file in names(&fixture(&word)).into_iter().filter(|file| !file.ends_with(GOLDEN)) {
            let name = format!("{word}/{file}");
            all.push(Fixture { path: fixture(&name), name, format });
        }
    }
    all
}

#[test]
fn every_format_that_is_read_has_a_fixture() {
    let shown: BTreeSet<Format> = fixtures().iter().map(|fixture| fixture.format).collect();
    let read = Format::ALL.iter().copied().filter(|format| format.is_read());
    // Our own form is written by other tests, and read back.
    let others: BTreeSet<Format> = read.filter(|format| *format != Format::Toolwright).collect();
    assert_eq!(shown, others);
}

/// What was imported, a line for each turn, call and repair.
fn shown(imported: &Imported) -> String {
    let mut text = String::new();
    for turn in &imported.transcript.turns {
        let (prompt, said) = (turn.prompt.as_deref(), turn.text.as_deref());
        let model = turn.model.as_deref().unwrap_or("-");
        writeln!(text, "turn {} {model} {:?} {prompt:?} {said:?}", turn.id, turn.think_ms)
            .expect("it is text");
        for call in &turn.calls {
            let input = match &call.input {
                Input::Json(json) => json.get().to_owned(),
                Input::Text(input) => format!("text {input:?}"),
            };
            let outcome = match &call.outcome {
                Outcome::Answered { content: Content::Text(said), is_error } => {
                    format!("{said:?} {is_error}")
                }
                Outcome::Answered { content: Content::Blocks(blocks), is_error } => {
                    format!("{} blocks {is_error}", blocks.len())
                }
                Outcome::Denied { by, .. } => format!("denied by {}", by.word()),
                Outcome::Rejected { .. } => "rejected".to_owned(),
                Outcome::Cancelled { .. } => "cancelled".to_owned(),
                Outcome::Unanswered => "unanswered".to_owned(),
            };
            let service = call.service_ms.map_or("-".to_owned(), |ms| ms.to_string());
            writeln!(text, "  {} {} {input} {service} = {outcome}", call.id, call.name).expect("it is text");
        }
    }
    for repair in &imported.repairs {
        writeln!(text, "{:?} {}", repair.kind, repair.count).expect("it is text");
    }
    text
}

#[test]
fn fixtures_are_imported_as_they_read() {
    for Fixture { path, name, format } in fixtures() {
        let imported = read_path(&path).expect("a fixture can be read");
        assert_eq!(imported.format, format, "{name}");
        check_golden_text(&shown(&imported), fixture(&format!("{name}{GOLDEN}")));
    }
}

#[test]
fn fixtures_have_the_counts_of_the_script_and_replay() {
    let catalogue = toolwright_tools::catalogue();
    for fixture in fixtures() {
        let name = &fixture.name;
        let imported = read_path(&fixture.path).expect("a fixture can be read");
        let report = replay(&imported.transcript, &catalogue, &Options::default());
        assert!(report.violations.is_empty(), "{name}: {:#?}", report.violations);
        assert_eq!(report.counts.calls, imported.transcript.calls().count(), "{name}");
        if let Some(word) = fixture.counter()
            && let Some(wanted) = counted(&[(word, &fixture.path)])
        {
            assert_eq!([imported_counts(&imported)], *wanted, "{name}");
        }
    }
}
