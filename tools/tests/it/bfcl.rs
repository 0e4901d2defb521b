//! Recorded questions for function calling: the functions become tools known only at run time, and every accepted
//! answer is an input that parses, also as models send it when they mistake the types.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright::contract::{ErasedTool, Origin, SessionFacts};
use toolwright::message::{Content, RawInput};
use toolwright_tools::described::DescribedTool;

use crate::shared::shared;

/// Answers that their own function's schema refuses: the question's id and why.
const REFUSED: &[(&str, &str)] = &[
    ("simple_python_149", "a list more than the schema has"),
    ("simple_python_17", "a required parameter is left out"),
    ("simple_python_200", "a required parameter is left out"),
    ("simple_python_307", "a boolean where the schema has a string"),
    ("simple_python_358", "not among the listed diets"),
    ("live_simple_103-61-1", "null where the schema has no null"),
    ("live_simple_104-61-2", "null where the schema has no null"),
    ("live_simple_106-63-0", "a required parameter is left out"),
    ("live_simple_112-68-0", "required parameters are left out"),
    ("live_simple_118-74-0", "null where the schema has no null"),
    ("live_simple_141-94-0", "its `N/A` is not among the listed units"),
    ("live_simple_142-94-1", "its `N/A` is not among the listed units"),
    ("live_simple_143-95-0", "its `N/A` is not among the listed units"),
    ("live_simple_144-95-1", "its `N/A` is not among the listed units"),
    ("live_simple_145-95-2", "its `N/A` is not among the listed units"),
    ("live_simple_146-95-3", "its `N/A` is not among the listed units"),
    ("live_simple_147-95-4", "its `N/A` is not among the listed units"),
    ("live_simple_148-95-5", "its `N/A` is not among the listed units"),
    ("live_simple_149-95-6", "its `N/A` is not among the listed units"),
    ("live_simple_150-95-7", "its `N/A` is not among the listed units"),
    ("live_simple_151-95-8", "its `N/A` is not among the listed units"),
    ("live_simple_152-95-9", "its `N/A` is not among the listed units"),
    ("live_simple_153-95-10", "its `N/A` is not among the listed units"),
    ("live_simple_154-95-11", "its `N/A` is not among the listed units"),
    ("live_simple_155-95-12", "its `N/A` is not among the listed units"),
    ("live_simple_156-95-13", "its `N/A` is not among the listed units"),
    ("live_simple_157-95-14", "its `N/A` is not among the listed units"),
    ("live_simple_158-95-15", "its `N/A` is not among the listed units"),
    ("live_simple_159-95-16", "its `N/A` is not among the listed units"),
    ("live_simple_160-95-17", "its `N/A` is not among the listed units"),
    ("live_simple_184-109-0", "null where the schema has no null"),
    ("live_simple_185-110-0", "null where the schema has no null"),
    ("live_simple_186-111-0", "null where the schema has no null"),
    ("live_simple_188-113-0", "null where the schema has no null"),
    ("live_simple_230-121-0", "null where the schema has no null"),
    ("live_simple_233-123-0", "null where the schema has no null"),
    ("live_simple_234-123-1", "null where the schema has no null"),
    ("live_simple_30-8-0", "null where the schema has no null"),
    ("live_simple_31-8-1", "null where the schema has no null"),
    ("live_simple_58-27-0", "null where the schema has no null"),
    ("live_simple_59-28-0", "null where the schema has no null"),
    ("live_simple_70-34-0", "null where the schema has no null"),
    ("live_simple_71-35-0", "null where the schema has no null"),
    ("live_simple_81-42-0", "null where the schema has no null"),
    ("live_simple_82-43-0", "null where the schema has no null"),
    ("live_simple_90-51-0", "null where the schema has no null"),
    ("parallel_152", "null where the schema has no null"),
    ("parallel_88", "a required parameter is left out"),
];

/// Answers that come out otherwise when their numbers, booleans, lists and objects are sent as text, since a text is
/// valid there (the fields of an object are not described): the question's id and the parameter.
const TEXT_IS_VALID: &[(&str, &str)] = &[("live_simple_165-98-0", "data"), ("parallel_29", "population")];

fn lines(name: &str, folder: &std::path::Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(folder.join(name)).expect("the questions are text");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON"))
        .map(|line| (line["id"].as_str().expect("each has an id").to_owned(), line))
        .collect()
}

/// Their names for types as JSON Schema has them.
fn mapped(schema: &mut Value) {
    match schema {
        Value::Object(words) => {
            if let Some(Value::String(kind)) = words.get("type").cloned() {
                match kind.as_str() {
                    "dict" => drop(words.insert("type".to_owned(), json!("object"))),
                    "float" => drop(words.insert("type".to_owned(), json!("number"))),
                    "tuple" => drop(words.insert("type".to_owned(), json!("array"))),
                    "any" => drop(words.remove("type")),
                    _same => {}
                }
            }
            for word in ["items", "additionalProperties"] {
                if let Some(below) = words.get_mut(word) {
                    mapped(below);
                }
            }
            for named in words.get_mut("properties").and_then(Value::as_object_mut).into_iter() {
                named.values_mut().for_each(mapped);
            }
        }
        _other => {}
    }
}

/// The arguments with the accepted values of this index, or the last there is; an empty text means left out.
fn arguments(accepted: &Map<String, Value>, index: usize) -> Map<String, Value> {
    let choose = |values: &Value| {
        let values = values.as_array().expect("accepted values are a list");
        let value = values.get(index).or(values.last())?;
        (*value != json!("")).then(|| plain(value, index))
    };
    accepted.iter().filter_map(|(name, values)| Some((name.clone(), choose(values)?))).collect()
}

fn plain(value: &Value, index: usize) -> Value {
    match value {
        Value::Object(fields) if fields.values().all(Value::is_array) => {
            Value::Object(arguments(fields, index))
        }
        Value::Array(items) => items.iter().map(|item| plain(item, index)).collect(),
        other => other.clone(),
    }
}

/// Numbers and booleans as text, at any depth.
fn scalars_as_text(value: &Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) => Value::from(value.to_string()),
        Value::Array(items) => items.iter().map(scalars_as_text).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), scalars_as_text(field))).collect()
        }
        other => other.clone(),
    }
}

/// Everything but strings as text, at the top.
fn all_as_text(arguments: &Map<String, Value>) -> Map<String, Value> {
    let text = |value: &Value| if value.is_string() { value.clone() } else { Value::from(value.to_string()) };
    arguments.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn parse(tool: &Arc<DescribedTool>, arguments: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let schema = tool.input_schema(&SessionFacts::default());
    let input = RawInput::new(Value::Object(arguments.clone()).to_string());
    let parsed = tool.parse(&input, Origin::Model, &schema).map_err(|errors| errors.to_string())?;
    match serde_json::from_str(parsed.input(&input).as_str()) {
        Ok(Value::Object(read)) => Ok(read),
        other => Err(format!("what was read is no object: {other:?}")),
    }
}

#[derive(Debug, Default)]
struct Report {
    functions: usize,
    answers: usize,
    inputs: usize,
    failures: Vec<String>,
    excused: usize,
}

impl Report {
    fn check(&mut self, id: &str, tool: &Arc<DescribedTool>, given: &Map<String, Value>) {
        self.answers += 1;
        match parse(tool, given) {
            Ok(read) if read == *given => {}
            Ok(read) => self.failures.push(format!("{id}: {given:?} was changed to {read:?}")),
            Err(_) if REFUSED.iter().any(|(known, _why)| *known == id) => {
                self.excused += 1;
                return;
            }
            Err(errors) => return self.failures.push(format!("{id}: {given:?} is refused: {errors}")),
        }
        let texts = scalars_as_text(&Value::Object(given.clone()));
        let texts = texts.as_object().cloned().unwrap_or_default();
        for sent in [&texts, &all_as_text(given), &all_as_text(&texts)] {
            self.inputs += 1;
            match parse(tool, sent) {
                Ok(read) => {
                    for (name, value) in &read {
                        let is_same = given.get(name).is_some_and(|given| same(given, value));
                        let is_excused = TEXT_IS_VALID.contains(&(id, name.as_str()));
                        self.excused += usize::from(!is_same && is_excused);
                        if !is_same && !is_excused {
                            self.failures
                                .push(format!("(\"{id}\", \"{name}\"): {} came out as {value}", sent[name]));
                        }
                    }
                }
                Err(errors) => self.failures.push(format!("{id}: {sent:?} is refused: {errors}")),
            }
        }
    }
}

#[test]
fn every_accepted_answer_parses_also_with_its_types_mistaken() {
    let Some(folder) = shared("data/bfcl") else { return };
    let mut report = Report::default();
    for set in ["simple_python", "live_simple", "parallel"] {
        let questions = lines(&format!("{set}.questions.json"), &folder);
        for (id, answer) in lines(&format!("{set}.answers.json"), &folder) {
            let tools = tools(&questions[&id]);
            report.functions += tools.len();
            for call in answer["ground_truth"].as_array().expect("an answer is a list of calls") {
                let (name, accepted) =
                    call.as_object().and_then(|call| call.iter().next()).expect("a call has a name");
                let accepted = accepted.as_object().expect("a call has arguments");
                let most = accepted.values().filter_map(Value::as_array).map(Vec::len).max().unwrap_or(1);
                for index in 0..most.max(3) {
                    report.check(&id, &tools[name], &arguments(accepted, index));
                }
            }
        }
    }
    let Report { functions, answers, inputs, excused, .. } = report;
    println!(
        "{functions} functions, {answers} answers, {inputs} inputs with their types mistaken, {excused} excused"
    );
    report.failures.dedup();
    assert!(
        report.failures.is_empty(),
        "{} failures:\n{}",
        report.failures.len(),
        report.failures.join("\n")
    );
}

fn tools(question: &Value) -> BTreeMap<String, Arc<DescribedTool>> {
    let functions = question["function"].as_array().expect("a question has functions");
    functions
        .iter()
        .map(|function| {
            let name = function["name"].as_str().expect("a function has a name");
            let mut schema = function["parameters"].clone();
            mapped(&mut schema);
            let docs = function["description"].as_str().unwrap_or_default();
            let tool = DescribedTool::new(name, docs, schema, |_input, _cx| async { Ok(Content::from("")) });
            (name.to_owned(), Arc::new(tool.unwrap_or_else(|error| panic!("{name}: {error}"))))
        })
        .collect()
}
