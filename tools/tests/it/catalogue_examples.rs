//! What the tools for files show by example works as it is shown.

use serde_json::{Value, json};
use toolwright::contract::{Tool, ToolForm};
use toolwright::registry::Catalogue;
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::notebook::NotebookEdit;
use toolwright_tools::files::read::Read;
use toolwright_tools::files::write::Write;

use crate::bad_files::pdf;
use crate::session::Session;

/// A folder that has whatever the examples name.
fn session() -> Session {
    let session = Session::new();
    let cell = |id: &str| json!({"cell_type": "markdown", "id": id, "metadata": {}, "source": "x"});
    let cells: Vec<Value> = ["a1b2c3d4", "a", "b", "cell-3"].into_iter().map(cell).collect();
    let notebook = json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).to_string();
    session.put("src/main.rs", "fn main() {\n    let limit = 10;\n}\n");
    session.put("notes.md", "a colour and a colour\n");
    session.put("logs/build.log", (1..=100).map(|line| format!("{line}\n")).collect::<String>());
    session.put("docs/manual.pdf", pdf::with_pages(&["one", "two", "three"]));
    session.put("analysis.ipynb", &notebook);
    session.put("a.ipynb", &notebook);
    session
}

/// Reads what is there, and runs every example; gives what each says.
async fn run_examples<T: ToolForm + Tool<State = ()>>(session: &Session) -> usize {
    let examples = &T::form().examples;
    for example in examples.iter() {
        for name in ["src/main.rs", "notes.md", "analysis.ipynb", "a.ipynb"] {
            session.reply::<Read>(json!({"file_path": name, "offset": 1})).await.expect("it can be read");
        }
        let input: Value = serde_json::from_str(example).expect("examples are JSON");
        session.reply::<T>(input).await.map(drop).unwrap_or_else(|error| panic!("{example}: {error}"));
    }
    examples.len()
}

#[tokio::test]
async fn every_example_of_a_tool_for_files_can_be_called() {
    let session = session();
    assert!(run_examples::<Read>(&session).await >= 3);
    assert!(run_examples::<Write>(&session).await >= 3);
    assert!(run_examples::<Edit>(&session).await >= 3);
    assert!(run_examples::<NotebookEdit>(&session).await >= 3);
    assert_eq!(session.bytes("notes.md"), b"a color and a color\n");
    assert_eq!(session.bytes("docs/new.md"), b"A new file\n");
    assert_eq!(session.bytes("config.json"), b"{\n  \"limit\": 20\n}\n");
    assert!(!String::from_utf8_lossy(&session.bytes("analysis.ipynb")).contains("cell-3"));
}

#[test]
fn models_see_the_same_bytes_of_the_tools_for_files_each_time() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Edit>().add::<NotebookEdit>().add::<Read>().add::<Write>();
    toolwright::testing::check_golden(&catalogue, "tests/it/golden/files.jsonl");
}
