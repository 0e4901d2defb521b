//! What must hold of every tool in the catalogue.

use std::sync::Arc;

use serde_json::Value;
use toolwright::contract::{ErasedTool, Form, Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::query::Scripted;
use toolwright::registry::Pool;
use toolwright_tools::agents::Agents;
use toolwright_tools::skills::SkillState;
use toolwright_tools::{MONITOR, PROACTIVE, REPL, add_agents, catalogue};

fn tools() -> Vec<Arc<dyn ErasedTool>> {
    catalogue().built_in().to_vec()
}

/// A session in which every feature switch is on that adds a tool.
fn everything_on() -> SessionFacts {
    let features = [MONITOR, PROACTIVE, REPL].map(str::to_owned).into();
    SessionFacts { features, ..SessionFacts::default() }
}

#[test]
fn names_are_legal_and_each_is_listed_once() {
    let mut names: Vec<String> = tools().iter().map(|tool| tool.form().name.to_string()).collect();
    assert_eq!(
        names,
        [
            "Bash",
            "Edit",
            "Glob",
            "Grep",
            "Monitor",
            "NotebookEdit",
            "REPL",
            "Read",
            "Sleep",
            "TaskOutput",
            "TaskStop",
            "Write"
        ]
    );
    for name in &names {
        assert!(
            (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{name}"
        );
    }
    names.dedup();
    assert_eq!(names.len(), tools().len());
}

#[test]
fn every_tool_says_what_it_is() {
    for tool in tools() {
        let form = tool.form();
        assert!(!form.docs.trim().is_empty(), "{}", form.name);
        assert!(!tool.prompt().trim().is_empty(), "{}", form.name);
        assert!(form.search_hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{}", form.name);
        let is_loaded = ["Bash", "Edit", "Glob", "Grep", "Read", "Write"].contains(&&*form.name);
        let is_deferred = !is_loaded;
        assert_eq!((form.always_load, form.should_defer), (!is_deferred, is_deferred), "{}", form.name);
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
fn the_fields_are_as_published() {
    let published = [
        ("Bash", "command timeout description run_in_background dangerouslyDisableSandbox", "command"),
        ("Edit", "file_path old_string new_string replace_all", "file_path old_string new_string"),
        ("Glob", "pattern path", "pattern"),
        (
            "Grep",
            "pattern path glob type output_mode -i -o -n -A -B -C context head_limit offset multiline",
            "pattern",
        ),
        ("Monitor", "command file_path description timeout_ms persistent", "description"),
        ("NotebookEdit", "notebook_path cell_id new_source cell_type edit_mode", "notebook_path new_source"),
        ("REPL", "code language description timeout", "code"),
        ("Read", "file_path offset limit pages", "file_path"),
        ("Sleep", "seconds", "seconds"),
        ("TaskOutput", "task_id block timeout", "task_id"),
        ("TaskStop", "task_id shell_id", ""),
        ("Write", "file_path content", "file_path content"),
    ];
    let sorted = |names: Vec<&str>| {
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort_unstable();
        names
    };
    for (tool, (name, fields, required)) in tools().iter().zip(published) {
        assert_eq!(tool.form().name, name);
        let schema: Value = serde_json::from_str(tool.input_schema(&SessionFacts::default()).text())
            .expect("schemas are JSON");
        let has: Vec<&str> =
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
        assert_eq!(sorted(has), sorted(fields.split(' ').collect()), "{name}");
        let needs: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(sorted(needs), sorted(required.split_whitespace().collect()), "{name}");
    }
}

#[test]
fn flags_do_not_contradict_each_other() {
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
    toolwright::testing::check_catalogue(&catalogue());
    let mut with_agents = catalogue();
    let agents = Agents::builder(Arc::new(Scripted::default())).build();
    add_agents(&mut with_agents, &agents, SkillState::default());
    toolwright::testing::check_catalogue(&with_agents);
}
