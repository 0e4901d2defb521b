//! What must hold of every tool in the catalogue.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value;
use toolwright::contract::{ErasedTool, Form, Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::query::Scripted;
use toolwright::registry::{Catalogue, Pool, Pooled};
use toolwright::testing::check_golden_text;
use toolwright_tools::agents::Agents;
use toolwright_tools::skills::SkillState;
use toolwright_tools::{MONITOR, PROACTIVE, REPL, add_agents, add_tool_search, catalogue};

fn tools() -> Vec<Arc<dyn ErasedTool>> {
    catalogue().built_in().to_vec()
}

/// A session in which every feature switch is on that adds a tool.
fn everything_on() -> SessionFacts {
    let features = [MONITOR, PROACTIVE, REPL].map(str::to_owned).into();
    SessionFacts { features, ..SessionFacts::default() }
}

/// Every tool of this crate, those with a state of their own too.
fn everything() -> Catalogue {
    let mut catalogue = catalogue();
    let agents = Agents::builder(Arc::new(Scripted::default())).build();
    add_agents(&mut catalogue, &agents, SkillState::default());
    add_tool_search(&mut catalogue);
    catalogue
}

/// Where a file for each tool says what it is, which a person has looked at.
const KEPT: &str = "tests/it/golden/tools";

/// What the file of a tool says.
struct Kept {
    name: String,
    text: String,
}

/// The files of all tools, in the order of their names.
fn kept() -> Vec<Kept> {
    let files = std::fs::read_dir(KEPT).expect("the folder can be listed");
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("the folder can be listed").path();
        let name = path.file_stem().expect("files have names").to_string_lossy().into_owned();
        Kept { name, text: std::fs::read_to_string(&path).expect("it can be read") }
    };
    let mut all: Vec<Kept> = files.map(file).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// The tools whose files have all of these lines, by name.
pub(crate) fn kept_with(lines: &[&str]) -> Vec<String> {
    let has_all = |kept: &Kept| lines.iter().all(|line| kept.text.lines().any(|there| there == *line));
    kept().into_iter().filter(has_all).map(|kept| kept.name).collect()
}

/// The line of tools that stand in the catalogue by themselves.
pub(crate) const BY_ITSELF: &str = "by itself in the catalogue: yes";
/// The line of tools that no feature switch needs to add.
pub(crate) const IN_EVERY_SESSION: &str = "in every session: yes";
/// The line of tools that are sent when they are asked for, where others are.
pub(crate) const DEFERRED: &str = "deferred: yes";

/// What a tool is, a fact a line, and its examples with what is said of them.
fn shown(tool: &Pooled) -> String {
    let form = tool.form();
    let schema: Value = serde_json::from_str(tool.tool().input_schema(&SessionFacts::default()).text())
        .expect("schemas are JSON");
    let required: BTreeSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields: BTreeSet<String> = fields
        .map(|(name, _)| if required.contains(&**name) { format!("{name} (required)") } else { name.clone() })
        .collect();
    let sessions = Pool::new(&everything(), &SessionFacts::default(), |_name| true);
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let mut text = String::new();
    for (fact, is_so) in [
        ("by itself in the catalogue", tools().iter().any(|other| other.form().name == form.name)),
        ("in every session", sessions.find(&form.name).is_ok()),
        ("always loaded", form.always_load),
        ("deferred", form.should_defer),
        ("cancels siblings", form.cancels_siblings),
    ] {
        writeln!(text, "{fact}: {}", word(is_so)).expect("it is text");
    }
    writeln!(text, "fields: {}", Vec::from_iter(fields).join(", ")).expect("it is text");
    for example in form.examples.iter() {
        let parsed = tool.parse(&RawInput::new(&**example), Origin::Model);
        let call = parsed.expect("examples are valid").call;
        let flags = call.flags();
        let flags = [
            ("only reads", flags.read_only),
            ("safe beside others", flags.concurrency_safe),
            ("destroys", flags.destructive),
        ];
        let flags: Vec<&str> = flags.into_iter().filter_map(|(word, is_so)| is_so.then_some(word)).collect();
        writeln!(text, "\n{example}\n  {}\n  {}", call.description(), flags.join(", ")).expect("it is text");
    }
    text
}

#[test]
fn every_tool_is_what_its_file_says() {
    let mut names = BTreeSet::new();
    for tool in Pool::new(&everything(), &everything_on(), |_name| true).tools() {
        let name = tool.form().name.as_ref();
        assert!(names.insert(name.to_owned()), "{name} is listed twice");
        check_golden_text(&shown(tool), format!("{KEPT}/{name}.txt"));
    }
    assert_eq!(names.len(), everything().built_in().len());
    let kept: BTreeSet<String> = kept().into_iter().map(|kept| kept.name).collect();
    assert_eq!(kept, names, "each file is of a tool that there is");
}

#[test]
fn names_are_legal() {
    for tool in everything().built_in() {
        let name = &tool.form().name;
        let is_legal = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!((1..=64).contains(&name.len()) && is_legal, "{name}");
    }
}

#[test]
fn every_tool_says_what_it_is() {
    for tool in tools() {
        let form = tool.form();
        assert!(!form.docs.trim().is_empty(), "{}", form.name);
        assert!(!tool.prompt().trim().is_empty(), "{}", form.name);
        assert!(form.search_hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{}", form.name);
        assert_ne!(form.always_load, form.should_defer, "{}", form.name);
    }
}

#[test]
fn every_tool_shows_by_three_examples_or_more_how_it_is_called() {
    for tool in tools() {
        let form = tool.form();
        let mut examples: Vec<&str> = form.examples.iter().map(|example| &**example).collect();
        let shown = examples.len();
        examples.sort_unstable();
        examples.dedup();
        assert!(shown >= 3 && examples.len() == shown, "{} has {shown} examples", form.name);
    }
}

#[test]
fn what_is_said_of_a_call_tells_the_file_or_the_pattern() {
    let pool = Pool::new(&catalogue(), &SessionFacts::default(), |_name| true);
    for tool in pool.tools() {
        for example in tool.form().examples.iter() {
            let parsed = tool.parse(&RawInput::new(&**example), Origin::Model);
            let call = parsed.expect("examples are valid").call;
            let said = call.description();
            let input: Value = serde_json::from_str(example).expect("examples are JSON");
            let about =
                ["file_path", "notebook_path", "pattern"].iter().find_map(|field| input[field].as_str());
            assert!(
                about.is_none_or(|about| said.contains(&about[..about.len().min(20)])),
                "{said}: {example}"
            );
        }
    }
}

#[test]
fn schemas_are_closed_and_every_field_is_described() {
    for tool in tools() {
        let name = &tool.form().name;
        let schema: Value = serde_json::from_str(tool.input_schema(&SessionFacts::default()).text())
            .expect("schemas are JSON");
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        let fields = schema["properties"].as_object().expect("schemas have fields");
        assert!(!fields.is_empty(), "{name}");
        for (field, described) in fields {
            let text = described["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{name}.{field} has no description");
        }
    }
}

#[test]
fn no_example_contradicts_itself_and_each_is_told_in_one_line() {
    for tool in Pool::new(&everything(), &everything_on(), |_name| true).tools() {
        let name = &tool.form().name;
        for example in tool.form().examples.iter() {
            let parsed = tool.parse(&RawInput::new(&**example), Origin::Model);
            let call = parsed.expect("examples are valid").call;
            assert!(!(call.flags().read_only && call.flags().destructive), "{name} {example}");
            assert!(!call.description().is_empty() && !call.description().contains('\n'), "{name} {example}");
            assert!(!call.user_facing_name().is_empty(), "{name} {example}");
        }
    }
}

/// Of tools whose flags depend on their input, or on which much hangs; all others are in their files.
#[test]
fn flags_are_those_of_the_input() {
    let inputs = [
        ("Bash", r#"{"command":"ls"}"#, true, true),
        ("Bash", r#"{"command":"ls","run_in_background":true}"#, true, false),
        ("Bash", r#"{"command":"rm x"}"#, false, false),
        ("Bash", r#"{"command":"ls | tee x"}"#, false, false),
        ("Monitor", r#"{"command":"ls","description":"a"}"#, true, false),
        ("Monitor", r#"{"command":"rm x","description":"a"}"#, false, false),
        ("Monitor", r#"{"file_path":"a","description":"a"}"#, true, false),
        ("REPL", r#"{"code":"1"}"#, false, false),
        ("Sleep", r#"{"seconds":1}"#, true, false),
        ("TaskOutput", r#"{"task_id":"a"}"#, true, false),
        ("TaskStop", r#"{"task_id":"a"}"#, false, false),
        ("Edit", r#"{"file_path":"a","old_string":"b","new_string":"c"}"#, false, false),
        ("Glob", r#"{"pattern":"*"}"#, true, true),
        ("Grep", r#"{"pattern":"x"}"#, true, true),
        ("NotebookEdit", r#"{"notebook_path":"a.ipynb","cell_id":"b","new_source":"c"}"#, false, false),
        ("Read", r#"{"file_path":"a"}"#, true, true),
        ("Write", r#"{"file_path":"a","content":"b"}"#, false, false),
    ];
    let pool = Pool::new(&catalogue(), &everything_on(), |_name| true);
    for (name, input, looks, is_safe) in inputs {
        let tool = Arc::clone(pool.find(name).expect("it is in the catalogue"));
        let call = tool.parse(&RawInput::new(input), Origin::Model).expect("the input is valid").call;
        let flags = call.flags();
        assert_eq!((flags.read_only, flags.concurrency_safe), (looks, is_safe), "{name} {input}");
        assert!(!(flags.read_only && flags.destructive), "{name}");
        assert_eq!(flags.destructive, input.contains("rm x"), "{name} {input}");
        assert!(!call.description().is_empty() && !call.description().contains('\n'), "{name}");
        assert!(!call.user_facing_name().is_empty(), "{name}");
    }
}

#[test]
fn unknown_fields_are_refused_and_numbers_in_strings_are_read() {
    let pool = Pool::new(&catalogue(), &everything_on(), |_name| true);
    for tool in pool.tools() {
        let input = RawInput::new(r#"{"no_such_field":1}"#);
        assert!(tool.parse(&input, Origin::Model).is_err(), "{}", tool.form().name);
    }
    let read = Arc::clone(pool.find("Read").expect("it is in the catalogue"));
    let parsed = read.parse(&RawInput::new(r#"{"file_path":"a","offset":"3"}"#), Origin::Model);
    assert_eq!(parsed.expect("it can be read").coercions().len(), 1);
}

#[test]
fn only_bash_cancels_its_siblings() {
    let cancels = |form: &Form| form.cancels_siblings;
    let names: Vec<_> =
        tools().iter().filter(|tool| cancels(tool.form())).map(|tool| tool.form().name.clone()).collect();
    assert_eq!(names, ["Bash"]);
}

#[test]
fn the_catalogue_stands_the_checks_that_users_run_on_theirs() {
    toolwright::testing::check_catalogue(&everything());
}
