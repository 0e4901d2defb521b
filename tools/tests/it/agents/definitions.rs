//! Definitions as people write them: read where they can be, and what is wrong with them told.

use std::path::{Path, PathBuf};

use toolwright::permission::Mode;
use toolwright_tools::agents::{AgentDefinition, find_agents};
use toolwright_tools::front_matter::{FILE_BYTES_MAX, FRONT_BYTES_MAX, Unusable, Warning};
use toolwright_tools::skills::Skill;

use crate::shared::shared;

/// The tools there are, by their public names.
const TOOLS: &str = "Agent AskUserQuestion Bash Edit Glob Grep LSP NotebookEdit Read SendMessage Skill TaskCreate TaskGet \
                     TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Write";

fn tools() -> Vec<String> {
    TOOLS.split_whitespace().map(str::to_owned).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn every_public_agent_and_skill_loads_and_what_is_not_clean_is_told() {
    let (Some(agents), Some(skills)) = (shared("data/agents"), shared("data/skills")) else { return };
    let mut table = Vec::new();
    let mut not_yaml = 0;
    let mut told = |place: &Path, warnings: &[Warning]| {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        not_yaml += warnings.iter().filter(|warning| matches!(warning, Warning::NotYaml(_))).count();
        table.extend(warnings.iter().map(|warning| format!("| {name} | {warning} |")));
    };
    let (mut count_agents, mut count_skills) = (0, 0);
    for place in files(&agents) {
        let bytes = std::fs::read(&place).expect("it can be read");
        let mut agent =
            AgentDefinition::read(&bytes).unwrap_or_else(|bad| panic!("{}: {bad}", place.display()));
        agent.check_tools(&tools());
        assert!(!agent.system_prompt.is_empty() && agent.description.len() > 20, "{}", place.display());
        told(&place, &agent.warnings);
        count_agents += 1;
    }
    for place in files(&skills) {
        let bytes = std::fs::read(&place).expect("it can be read");
        let text = String::from_utf8_lossy(&bytes);
        let name = text.lines().find_map(|line| line.strip_prefix("name:")).expect("it has a name").trim();
        let mut skill = Skill::read(&bytes, name).unwrap_or_else(|bad| panic!("{}: {bad}", place.display()));
        skill.check_tools(&tools());
        assert!(skill.description.len() > 20 && !skill.text.is_empty(), "{}", place.display());
        told(&place, &skill.warnings);
        count_skills += 1;
    }
    println!("| file | warning |\n|---|---|\n{}", table.join("\n"));
    println!("{count_agents} agents and {count_skills} skills load; {not_yaml} are not YAML");
    assert!(count_agents >= 20 && count_skills >= 20);
    assert!(not_yaml > 0, "some of them are known not to be YAML");
}

/// A definition in short, the description it must have, and the warnings.
const LOOSE: &[(&str, &str, &[&str])] = &[
    ("description: plain", "plain", &[]),
    ("description: \"in: quotes\"", "in: quotes", &[]),
    ("description: a colon: here", "a colon: here", &["is not YAML"]),
    ("description: has\\n escapes: <example>", "has\\n escapes: <example>", &["is not YAML"]),
    ("description: >\n  one\n  two", "one two", &[]),
    ("description: |\n  one\n  two", "one\ntwo", &[]),
    ("description:\n  one: more\n  two words", "one: more two words", &["is not YAML"]),
    ("description: `code` first", "`code` first", &["is not YAML"]),
    ("description: a\ncolor:\tblue", "a", &["is not YAML"]),
    ("description: a\n\tmore: b", "a more: b", &["is not YAML"]),
    (
        "description: a\nallowedTools: [x]",
        "a",
        &["`allowedTools` means nothing here; `disallowedTools` may be meant"],
    ),
    ("description: a\ndescription: b", "b", &["twice"]),
    ("description: a\npermissionMode: yolo", "a", &["taken for `default`"]),
    ("description: a\nmaxTurns: many", "a", &["taken for 1"]),
    ("description: a\ntools: {a: b}", "a", &["so the agent has none"]),
    ("description: a\nx: &a [1]\ny: *a", "a", &["is not YAML", "`x` means", "`y` means"]),
];

#[test]
fn loose_front_matter_is_read_and_what_is_wrong_told() {
    for (front, description, warnings) in LOOSE {
        let text = format!("---\nname: worker\n{front}\n---\nYou work.\n");
        let agent = AgentDefinition::read(text.as_bytes()).unwrap_or_else(|bad| panic!("{front}: {bad}"));
        assert_eq!(agent.description, *description, "{front}");
        assert_eq!(agent.system_prompt, "You work.", "{front}");
        let told: Vec<String> = agent.warnings.iter().map(ToString::to_string).collect();
        for warning in *warnings {
            assert!(told.iter().any(|told| told.contains(warning)), "{front}: {told:?}");
        }
        let repeated = usize::from(front.contains("description: a\ndescription"));
        assert!(told.len() <= warnings.len().max(repeated), "{front}: {told:?}");
    }
}

#[test]
fn lists_of_tools_are_read_however_they_are_written() {
    for tools in [
        "Read, Bash(git log:*), Glob",
        "Read Bash(git log:*) Glob",
        "[Read, \"Bash(git log:*)\", Glob]",
        "\n  - Read\n  - Bash(git log:*)\n  - Glob",
        "\n- Read\n- \"Bash(git log:*)\"\n- Glob",
    ] {
        for description in ["plain", "not: yaml"] {
            let text = format!("---\nname: w\ndescription: {description}\ntools: {tools}\n---\nx");
            let agent = AgentDefinition::read(text.as_bytes()).expect("it can be read");
            let named = agent.tools.expect("it has a list");
            assert_eq!(named, ["Read", "Bash(git log:*)", "Glob"], "{tools} {description}");
        }
    }
    let text = b"---\nname: w\ndescription: d\ntools: Reed, mcp__x__y, Task\npermissionMode: plan\n---\nx";
    let mut agent = AgentDefinition::read(text).expect("it can be read");
    agent.check_tools(&tools());
    assert_eq!(agent.mode, Some(Mode::Plan));
    let unknown = Warning::UnknownTool { name: "Reed".to_owned(), nearest: Some("Read".to_owned()) };
    assert_eq!(agent.warnings, [unknown]);
}

#[test]
fn what_is_no_agent_is_told_and_nothing_breaks() {
    let named = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nx");
    let is_bad_name = |bytes: &[u8]| matches!(AgentDefinition::read(bytes), Err(Unusable::BadName(_)));
    for name in [
        "a:b",
        "-a",
        ".a",
        "..",
        "a..b",
        "a/b",
        "../../etc",
        "\"a b\"",
        "a)",
        "ä",
        &"a".repeat(65),
        "\"a\\nb\"",
    ] {
        assert!(is_bad_name(named(name).as_bytes()), "{name}");
    }
    assert!(is_bad_name(b"---\ndescription: d\n---\nx"), "a file without a name is no agent");
    assert!(is_bad_name(b"# A README"));
    assert!(is_bad_name(b"---\nname: a\ndescription: d\n"), "front matter without an end is text");
    let read = |bytes: &[u8]| AgentDefinition::read(bytes).expect_err("it is none");
    assert_eq!(read(b""), Unusable::Empty);
    assert_eq!(read(b" \n\n"), Unusable::Empty);
    assert_eq!(read(b"---\nname: a\n---\nx"), Unusable::NoDescription);
    assert_eq!(read(&vec![b'a'; 1 << 20]), Unusable::TooLarge { bytes: 1 << 20 });
    let long = format!("---\nname: a\ndescription: {}\n---\nx", "d".repeat(FRONT_BYTES_MAX));
    assert!(long.len() < FILE_BYTES_MAX);
    assert_eq!(read(long.as_bytes()), Unusable::FrontTooLarge);
    let deep = format!("---\nname: a\ndescription: d\nx: {}\n---\nx", "[".repeat(30_000));
    assert!(AgentDefinition::read(deep.as_bytes()).is_ok(), "depth breaks nothing");
    let not_text =
        AgentDefinition::read(b"---\nname: a\ndescription: d\xFF\n---\nx\0").expect("it can be read");
    assert!(not_text.warnings.contains(&Warning::NotUtf8) && !not_text.system_prompt.contains('\0'));
    let crlf = AgentDefinition::read(b"\xEF\xBB\xBF---\r\nname: a\r\ndescription: d\r\n---\r\nx\r\n")
        .expect("it can be read");
    assert_eq!((crlf.name.as_str(), crlf.system_prompt.as_str()), ("a", "x"));
}

#[test]
fn folders_are_read_in_order_and_links_that_lead_out_of_them_are_not_followed() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| {
        let place = home.path().join(name);
        std::fs::create_dir_all(place.parent().expect("it is in a folder")).expect("folders can be made");
        std::fs::write(&place, text).expect("it can be written");
        place
    };
    let agent = |name: &str, about: &str| format!("---\nname: {name}\ndescription: {about}\n---\nx");
    put("project/a.md", &agent("one", "of the project"));
    put("project/deeper/b.md", &agent("two", "deeper"));
    put("project/README.md", "# nothing");
    put("user/c.md", &agent("one", "of the user"));
    let outside = put("outside.md", &agent("three", "outside"));
    std::os::unix::fs::symlink(&outside, home.path().join("project/link.md")).expect("links can be made");
    std::os::unix::fs::symlink("a.md", home.path().join("project/z.md")).expect("links can be made");
    std::os::unix::fs::symlink(home.path(), home.path().join("project/up")).expect("links can be made");
    crate::session::make_pipe(&home.path().join("project/pipe.md"));
    let places = [home.path().join("project"), home.path().join("missing"), home.path().join("user")];
    let found = find_agents(places.iter().map(PathBuf::as_path), &tools());
    let about = |name: &str| found.agents[name].description.as_str();
    assert_eq!(found.agents.keys().collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!((about("one"), about("two")), ("of the project", "deeper"));
    assert_eq!(found.hidden.len(), 2, "the user's and the link inside: {:?}", found.hidden);
    let unusable: Vec<String> = found.unusable.iter().map(|(_, why)| why.to_string()).collect();
    assert_eq!(unusable.len(), 3, "{unusable:?}");
    assert!(unusable.iter().any(|why| why.contains("leads out of its folder")), "{unusable:?}");
    assert!(unusable.iter().any(|why| why.contains("it is no file")), "{unusable:?}");
}

#[test]
fn what_would_narrow_an_agent_and_cannot_be_done_closes_it() {
    for (line, is_closed) in [
        ("hooks: nonsense", true),
        ("isolation: remote", true),
        ("isolation: [worktree]", true),
        ("disallowedTools: {a: b}", true),
        ("mcpServers: [[x]]", false),
        ("mcpServers: {x: {url: y}}", false),
        ("memory: user", false),
        ("effort: high", false),
        ("color: blue", false),
    ] {
        let text = format!("---\nname: a\ndescription: d\n{line}\n---\nx");
        let agent = AgentDefinition::read(text.as_bytes()).expect("it can be read");
        assert_eq!(agent.unavailable.is_some(), is_closed, "{line}");
        assert_eq!(agent.warnings.is_empty(), line == "color: blue", "{line}");
    }
}
