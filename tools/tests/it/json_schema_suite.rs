//! The JSON Schema test suite, draft 2020-12: what a described tool takes as it came is what the suite calls valid, and
//! nothing of it is changed.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::contract::{ErasedTool, Origin, SessionFacts};
use toolwright::message::{Content, RawInput};
use toolwright::schema::{Schema, fits};
use toolwright_tools::described::DescribedTool;

use crate::shared::shared;

/// Files whose schemas refer to other documents.
const REMOTE_FILES: &[&str] = &["refRemote.json", "vocabulary.json"];
/// Cases whose schemas refer to other documents: the file and the beginning of the description.
const REMOTE_CASES: &[(&str, &str)] = &[
    ("dynamicRef.json", "strict-tree schema"),
    ("dynamicRef.json", "tests for implementation dynamic anchor"),
    ("dynamicRef.json", "$ref and $dynamicAnchor are independent"),
    ("dynamicRef.json", "$ref to $dynamicRef finds detached"),
];

/// What the walker alone leaves to the full validator: the file, the beginning of the case, and why.
const LEFT_TO_THE_JUDGE: &[(&str, &str, &str)] = &[
    ("anchor.json", "", "anchors"),
    ("defs.json", "validate definition against metaschema", "the schema of schemas is another document"),
    ("dynamicRef.json", "", "dynamic references"),
    ("ref.json", "remote ref, containing refs itself", "references by name"),
    ("ref.json", "Recursive references between schemas", "references by name"),
    ("ref.json", "refs with relative uris and defs", "references by name"),
    ("ref.json", "relative refs with absolute uris and defs", "references by name"),
    (
        "ref.json",
        "$id must be resolved against nearest parent, not just immediate parent",
        "references by name",
    ),
    ("ref.json", "order of evaluation: $id and $ref", "references by name"),
    ("ref.json", "order of evaluation: $id and $anchor and $ref", "references by name"),
    ("ref.json", "order of evaluation: $id and $ref on nested schema", "references by name"),
    ("ref.json", "simple URN base URI with $ref via the URN", "references by name"),
    ("ref.json", "URN base URI with URN and JSON pointer ref", "references by name"),
    ("ref.json", "URN base URI with URN and anchor ref", "references by name"),
    ("ref.json", "URN ref with nested pointer ref", "references by name"),
    ("ref.json", "ref to if", "references by name"),
    ("ref.json", "ref to then", "references by name"),
    ("ref.json", "ref to else", "references by name"),
    ("ref.json", "ref with absolute-path-reference", "references by name"),
    ("refRemote.json", "", "other documents"),
    ("type.json", "integer type matches integers", "a float without a fraction is converted"),
    ("unevaluatedItems.json", "unevaluatedItems with $dynamicRef", "dynamic references"),
    ("unevaluatedProperties.json", "unevaluatedProperties with $dynamicRef", "dynamic references"),
    ("vocabulary.json", "", "other vocabularies"),
];

struct Case {
    file: String,
    description: String,
    schema: Value,
    tests: Vec<Value>,
}

fn cases() -> Option<Vec<Case>> {
    let entries = std::fs::read_dir(shared("data/json-schema")?).expect("the suite is a folder");
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort_unstable();
    let mut cases = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let file = path.file_name().expect("it is a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("the suite is text");
        let groups: Vec<Value> = serde_json::from_str(&text).expect("the suite is JSON");
        cases.extend(groups.into_iter().map(|group| Case {
            file: file.clone(),
            description: group["description"].as_str().unwrap_or_default().to_owned(),
            schema: group["schema"].clone(),
            tests: group["tests"].as_array().cloned().unwrap_or_default(),
        }));
    }
    Some(cases)
}

/// A tool whose one parameter has the schema, as a document of its own.
fn tool(schema: &Value) -> Result<Arc<DescribedTool>, String> {
    let whole = match schema {
        Value::Object(words) => {
            let mut document = words.clone();
            let id = document.entry("$id").or_insert_with(|| json!("urn:toolwright:case")).clone();
            json!({
                "type": "object",
                "properties": {"value": {"$ref": id}},
                "required": ["value"],
                "$defs": {"case": document},
            })
        }
        plain => json!({"type": "object", "properties": {"value": plain}}),
    };
    DescribedTool::new("case", "A case.", whole, |_input, _cx| async { Ok(Content::from("")) })
        .map(Arc::new)
        .map_err(|error| error.to_string())
}

#[test]
fn a_described_tool_takes_what_the_suite_calls_valid() {
    let Some(cases) = cases() else { return };
    let (mut checked, mut remote, mut failures) = (0, 0, Vec::new());
    for case in &cases {
        let name = format!("{}: {}", case.file, case.description);
        let is_remote = REMOTE_FILES.contains(&case.file.as_str())
            || REMOTE_CASES
                .iter()
                .any(|(file, start)| case.file == *file && case.description.starts_with(start));
        if is_remote {
            remote += 1;
            continue;
        }
        let tool = match tool(&case.schema) {
            Ok(tool) => tool,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let schema = tool.input_schema(&SessionFacts::default());
        for test in &case.tests {
            checked += 1;
            let input = json!({"value": test["data"]});
            let parsed = tool.parse(&RawInput::from_value(&input), Origin::Model, &schema);
            let is_taken = parsed.as_ref().is_ok_and(|parsed| parsed.coercions().is_empty());
            if is_taken != (test["valid"] == true) {
                failures.push(format!("{name}: {}: {parsed:?}", test["description"]));
            }
        }
    }
    println!("{checked} inputs checked, {remote} schemas left out for references to other documents");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_walker_alone_judges_as_the_suite_does() {
    let Some(cases) = cases() else { return };
    let (mut checked, mut left, mut failures) = (0, 0, Vec::new());
    for case in &cases {
        let is_left = LEFT_TO_THE_JUDGE
            .iter()
            .any(|(file, start, _why)| case.file == *file && case.description.starts_with(start));
        let schema = Schema::new(case.schema.clone());
        for test in &case.tests {
            if fits(&test["data"], &schema) == (test["valid"] == true) {
                checked += 1;
            } else if is_left {
                left += 1;
            } else {
                failures
                    .push(format!("(\"{}\", \"{}\"): {}", case.file, case.description, test["description"]));
            }
        }
    }
    println!("{checked} judged alike, {left} left to the full validator");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
