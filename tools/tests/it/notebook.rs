//! Notebooks are read cell by cell, and a change of one cell leaves every byte outside it as it was.

use std::ops::Range;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolwright::contract::Tool;
use toolwright::message::Content;
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::notebook::NotebookEdit;
use toolwright_tools::files::read::{Read, ReadOutput};

use crate::session::Session;
use crate::shared::shared;

const NEW: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"big": 12345678901234567890.10},
   "source": ["# Plants\n", "and water"]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "sum",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["3 litres\n"]},
    {"data": {"image/jpeg": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAABJRU5E\n", "text/plain": ["<Figure>"]}, "metadata": {}, "output_type": "display_data"},
    {"ename": "KeyError", "evalue": "'x'", "output_type": "error", "traceback": ["\u001b[0;31mKeyError\u001b[0m: 'x'"]}
   ],
   "source": "1 + 2"
  }
 ],
 "metadata": {"language_info": {"name": "julia"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

const OLD: &str = "{\r\n\t\"nbformat\": 3,\r\n\t\"worksheets\": [\r\n\t\t{\r\n\t\t\t\"cells\": [\r\n\t\t\t\t{\"cell_type\": \"heading\", \"level\": 1, \"source\": \"Soil\"},\r\n\t\t\t\t{\"cell_type\": \"code\", \"input\": [\"dig()\"], \"outputs\": [], \"prompt_number\": 2}\r\n\t\t\t]\r\n\t\t}\r\n\t]\r\n}";

/// Reads a notebook and edits it.
async fn edited(session: &Session, input: Value) -> Result<String, String> {
    session.reply::<Read>(json!({"file_path": input["notebook_path"]})).await?;
    session.text::<NotebookEdit>(input).await
}

fn text(session: &Session, name: &str) -> String {
    String::from_utf8(session.bytes(name)).expect("it is text")
}

/// Where the cells stand, told by nothing but brackets.
fn cells(text: &str) -> Vec<Range<usize>> {
    let (mut stack, mut cells, mut start, mut in_string, mut is_escaped) =
        (String::new(), vec![], 0, false, false);
    let path = if text.contains("\"worksheets\"") { "{[{[" } else { "{[" };
    for (at, c) in text.char_indices() {
        match c {
            _any if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => in_string = !in_string,
            _any if in_string => {}
            '{' | '[' => {
                if c == '{' && stack == path {
                    start = at;
                }
                stack.push(c);
            }
            '}' | ']' => {
                stack.pop();
                if c == '}' && stack == path {
                    cells.push(start..at + 1);
                }
            }
            _other => {}
        }
    }
    cells
}

#[tokio::test]
async fn cells_are_shown_with_what_they_wrote() {
    let session = Session::new();
    session.put("a.ipynb", NEW);
    let data = session.reply::<Read>(json!({"file_path": "a.ipynb"})).await.expect("it is a notebook").data;
    let Content::Blocks(blocks) = Read::result_content(&data) else { panic!("there is a picture") };
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    assert_eq!(
        texts,
        [
            "<cell id=\"intro\" type=\"markdown\">\n# Plants\nand water\n</cell>\n<cell id=\"sum\" type=\"code\" \
             language=\"julia\" run=3>\n1 + 2\n</cell>\n<output>\n3 litres\n</output>\n<output>\n<Figure>\n</output>",
            "\n<output>\nKeyError: 'x'\n</output>",
        ]
    );
    assert_eq!(
        blocks[1]["source"],
        json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAABJRU5E"})
    );
    let json = serde_json::to_value(&data).expect("data serialises");
    assert_eq!(
        (json["type"].as_str(), json["file"]["cells"][1]["cell_id"].as_str()),
        (Some("notebook"), Some("sum"))
    );
}

#[tokio::test]
async fn pictures_that_are_none_become_words() {
    let session = Session::new();
    for (kind, data) in [
        ("image/png", "aGk="),
        ("image/png", "!"),
        ("image/svg+xml", "<svg/>"),
        ("image/png", "iVBORw0KGgo="),
    ] {
        let output = json!({"output_type": "display_data", "data": {kind: data}, "metadata": {}});
        let cell = json!({"cell_type": "code", "source": "", "metadata": {}, "outputs": [output]});
        session.put("a.ipynb", json!({"cells": [cell], "nbformat": 4, "metadata": {}}).to_string());
        let data =
            session.reply::<Read>(json!({"file_path": "a.ipynb"})).await.expect("it is a notebook").data;
        let Content::Blocks(blocks) = Read::result_content(&data) else {
            panic!("a notebook is told in blocks")
        };
        let text = blocks[0]["text"].as_str().unwrap_or_default();
        assert!(
            blocks.len() == 1
                && text.contains(&format!("a picture of the kind {kind}, which cannot be shown")),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_part_of_a_notebook_is_counted_in_cells() {
    let session = Session::new();
    session.put("a.ipynb", OLD);
    let input = json!({"file_path": "a.ipynb", "limit": 1});
    let data = session.reply::<Read>(input).await.expect("it is a notebook").data;
    let text = Read::result_content(&data).to_text();
    assert_eq!(
        text,
        "<cell id=\"cell-0\" type=\"heading\">\nSoil\n</cell>\n\n(cells 1 to 1 of 2; go on with offset 2)"
    );
    assert!(!session.cx_files(&session.path("a.ipynb")).expect("it was read").whole);
    let behind = session.reply::<Read>(json!({"file_path": "a.ipynb", "offset": 3})).await.map(drop);
    assert!(behind.expect_err("there are two").contains("which has 2 cells"));
}

#[tokio::test]
async fn a_replaced_cell_keeps_what_is_not_its_text_or_output() {
    let session = Session::new();
    session.put("a.ipynb", NEW);
    let input = json!({"notebook_path": "a.ipynb", "cell_id": "sum", "new_source": "grüße\n\"x\""});
    let said = edited(&session, input).await;
    assert_eq!(said, Ok(format!("replaced cell `sum` of `{}`", session.path("a.ipynb").display())));
    let (old, new) = (cells(NEW), text(&session, "a.ipynb"));
    let cell = "{\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"sum\",\n   \"metadata\": {},\n   \
                \"outputs\": [],\n   \"source\": \"grüße\\n\\\"x\\\"\"\n  }";
    assert_eq!(new, [&NEW[..old[1].start], cell, &NEW[old[1].end..]].concat());
    let again =
        json!({"notebook_path": "a.ipynb", "cell_id": "intro", "new_source": "", "cell_type": "code"});
    edited(&session, again).await.expect("its kind may change");
    let new = text(&session, "a.ipynb");
    assert!(
        new.contains("\"metadata\": {\"big\": 12345678901234567890.10}"),
        "numbers stay as written: {new}"
    );
    let value: Value = serde_json::from_str(&new).expect("it is JSON");
    assert_eq!(value["cells"][0]["outputs"], json!([]));
    assert_eq!(value["cells"][0]["source"], json!([]));
}

#[tokio::test]
async fn an_old_notebook_keeps_its_format_and_line_ends() {
    let session = Session::new();
    session.put("a.ipynb", OLD);
    let inserted = json!({"notebook_path": "a.ipynb", "cell_id": "cell-1", "new_source": "sow()\nwater()",
        "cell_type": "code", "edit_mode": "insert"});
    edited(&session, inserted).await.expect("it is inserted");
    let cell = "\t\t\t\t{\r\n\t\t\t\t\t\"cell_type\": \"code\",\r\n\t\t\t\t\t\"collapsed\": false,\r\n\t\t\t\t\t\"input\": [\r\n\
                \t\t\t\t\t\t\"sow()\\n\",\r\n\t\t\t\t\t\t\"water()\"\r\n\t\t\t\t\t],\r\n\t\t\t\t\t\"language\": \"python\",\r\n\
                \t\t\t\t\t\"metadata\": {},\r\n\t\t\t\t\t\"outputs\": [],\r\n\t\t\t\t\t\"prompt_number\": null\r\n\t\t\t\t}";
    let end = cells(OLD)[1].end;
    assert_eq!(text(&session, "a.ipynb"), format!("{},\r\n{cell}{}", &OLD[..end], &OLD[end..]));
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_and_nothing_is_written() {
    let session = Session::new();
    session.put("a.ipynb", NEW);
    session.put("twice.ipynb", NEW.replace("\"sum\"", "\"intro\""));
    session.put("double.ipynb", NEW.replace("\"id\": \"sum\"", "\"source\": \"\""));
    session.put("five.ipynb", r#"{"nbformat": 5, "cells": []}"#);
    session.put("cut.ipynb", &NEW[..200]);
    session.put("bare.ipynb", r#"{"nbformat": 3}"#);
    session.put("a.json", NEW);
    let path = |name: &str| json!({"notebook_path": name, "cell_id": "sum", "new_source": "x"});
    let with = |more: Value| {
        let mut input = path("a.ipynb");
        input.as_object_mut().expect("it is an object").extend(more.as_object().cloned().unwrap_or_default());
        input
    };
    let unread = session.text::<NotebookEdit>(path("a.ipynb")).await.expect_err("it was not read");
    assert!(unread.contains("has not been read yet"), "{unread}");
    let bare =
        json!({"notebook_path": "bare.ipynb", "new_source": "x", "cell_type": "code", "edit_mode": "insert"});
    for (input, reason) in [
        (
            with(json!({"cell_id": "nope"})),
            "has no cell `nope`; its 2 cells are called from `intro` to `sum`",
        ),
        (with(json!({"cell_id": "cell-2"})), "has no cell `cell-2`"),
        (with(json!({"cell_id": null})), "`cell_id` is missing"),
        (with(json!({"edit_mode": "insert"})), "needs `cell_type`"),
        (
            json!({"notebook_path": "twice.ipynb", "cell_id": "intro", "new_source": ""}),
            "has 2 cells with the identifier",
        ),
        (path("double.ipynb"), "`source` is there twice"),
        (path("five.ipynb"), "format 5"),
        (path("cut.ipynb"), "is not a notebook"),
        (path("a.json"), "ends in `.ipynb`"),
        (path("none.ipynb"), "does not exist"),
        (bare, "no list of cells"),
    ] {
        let name = input["notebook_path"].as_str().unwrap_or_default().to_owned();
        let before = std::fs::read(session.path(&name)).ok();
        let error = edited(&session, input).await.expect_err(reason);
        assert!(error.contains(reason), "{reason}: {error}");
        assert_eq!(std::fs::read(session.path(&name)).ok(), before, "{reason}");
    }
    let error =
        session.text::<Edit>(json!({"file_path": "a.ipynb", "old_string": "1", "new_string": "2"})).await;
    assert!(error.expect_err("it is a notebook").contains("change its cells with NotebookEdit"));
}

/// Real notebooks, where they are beside the project.
fn real() -> Vec<PathBuf> {
    let Some(folder) = shared("data/notebooks") else { return Vec::new() };
    let entries = std::fs::read_dir(folder).expect("the notebooks are in a folder");
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[tokio::test]
async fn real_notebooks_stay_as_they_are_outside_the_edited_cell() {
    let session = Session::new();
    let mut edits = 0;
    for path in real() {
        let before = std::fs::read_to_string(&path).expect("notebooks are text");
        session.put("a.ipynb", &before);
        let read = session.reply::<Read>(json!({"file_path": "a.ipynb"})).await;
        let data = read.unwrap_or_else(|error| panic!("{}: {error}", path.display())).data;
        let ReadOutput::Notebook { file } = data else { panic!("{} is a notebook", path.display()) };
        let places = cells(&before);
        assert_eq!(file.cells.len(), places.len(), "{}", path.display());
        for (at, place) in places.iter().enumerate() {
            let name = file.cells[at].cell_id.clone();
            let input =
                json!({"notebook_path": "a.ipynb", "cell_id": name, "new_source": "changed \"it\"\n"});
            edited(&session, input)
                .await
                .unwrap_or_else(|error| panic!("{} {name}: {error}", path.display()));
            let after = text(&session, "a.ipynb");
            assert!(
                after.starts_with(&before[..place.start]) && after.ends_with(&before[place.end..]),
                "{name}"
            );
            let values: [Value; 2] =
                [&before, &after].map(|text| serde_json::from_str(text).expect("it is JSON"));
            assert_ne!(values[0], values[1], "{name}");
            session.put("a.ipynb", &before);
            insert_and_delete(&session, &name, &before).await;
            edits += 1;
        }
    }
    println!("{edits} cells of real notebooks were replaced, followed by another, and rid of it again");
}

/// A cell that is put behind another, seen by its place, and taken away again leaves no trace.
async fn insert_and_delete(session: &Session, name: &str, before: &str) {
    let input = json!({"notebook_path": "a.ipynb", "cell_id": name, "new_source": "x", "cell_type": "markdown",
        "edit_mode": "insert"});
    let (known, number) = (cells(before), cells(&text(session, "a.ipynb")).len());
    let data = {
        session.reply::<Read>(json!({"file_path": "a.ipynb"})).await.expect("it can be read");
        session.reply::<NotebookEdit>(input).await.expect("it is inserted").data
    };
    let after = text(session, "a.ipynb");
    assert_eq!(cells(&after).len(), number + 1);
    assert_eq!(known.len(), number);
    let gone =
        json!({"notebook_path": "a.ipynb", "cell_id": data.cell_id, "new_source": "", "edit_mode": "delete"});
    session.text::<NotebookEdit>(gone).await.expect("it is there");
    assert_eq!(text(session, "a.ipynb"), before, "{name}");
}
