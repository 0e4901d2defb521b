//! Skills as files: found in folders, read, listed and filled in.

use toolwright_tools::front_matter::{Unusable, Warning};
use toolwright_tools::skills::{Fill, Skill, SkillFolder, Skills, find_skills};

/// Text, arguments, and what it becomes. The arguments are called `file` and `to-do`.
const FILLED: &[(&str, &str, &str)] = &[
    ("all: $ARGUMENTS.", "a 'b c'", "all: a 'b c'."),
    ("$ARGUMENTS[0]-$ARGUMENTS[1]", "a 'b c'", "a-b c"),
    ("$0/$1", "a \"b \\\" c\"", "a/b \" c"),
    ("$2 $ARGUMENTS[7]", "a b", "$2 $ARGUMENTS[7]"),
    ("$10", "a b", "$10"),
    ("$file and $to-do", "x y", "x and y"),
    ("[$file] [$to-do]", "x", "[x] []"),
    ("$file-x", "a", "a-x"),
    ("$files $filename", "a", "$files $filename\n\nARGUMENTS: a"),
    ("\\$file \\$ARGUMENTS \\$0 $file", "a", "$file $ARGUMENTS $0 a"),
    ("\\n \\ $", "", "\\n \\ $"),
    ("nothing", "a b", "nothing\n\nARGUMENTS: a b"),
    ("nothing", "  ", "nothing"),
    ("$ARGUMENTS", "$0 $file ${CLAUDE_SKILL_DIR}", "$0 $file ${CLAUDE_SKILL_DIR}"),
    ("${CLAUDE_SKILL_DIR}/x ${CLAUDE_OTHER} ${", "", "/s/x ${CLAUDE_OTHER} ${"),
    ("$ARGUMENTSX", "a", "$ARGUMENTSX\n\nARGUMENTS: a"),
    ("$ARGUMENTS[x] $ARGUMENTS[]", "a", "a[x] a[]"),
    ("$0", "''", ""),
    ("$0 $1", "'open to the end", "open to the end $1"),
    ("ü$0ü", "ß", "üßü"),
];

#[test]
fn arguments_and_variables_are_filled_in_once() {
    for (text, arguments, expected) in FILLED {
        let fill = Fill {
            arguments: (*arguments).to_owned(),
            names: vec!["file".to_owned(), "to-do".to_owned()],
            variables: [("CLAUDE_SKILL_DIR".to_owned(), "/s".to_owned())].into(),
        };
        assert_eq!(fill.texts(&[text]), [*expected], "{text} with {arguments}");
    }
}

fn skill(description: &str) -> String {
    format!("---\ndescription: {description}\n---\nDo it.\n")
}

#[test]
fn skills_are_found_in_order_and_told_apart_by_their_part_of_the_project() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| {
        let place = home.path().join(name);
        std::fs::create_dir_all(place.parent().expect("it is in a folder")).expect("folders can be made");
        std::fs::write(place, text).expect("it can be written");
    };
    put("user/review/SKILL.md", &skill("of the user"));
    put("user/review/notes.md", "not a skill");
    put("project/review/SKILL.md", &skill("of the project"));
    put("project/group/lint/SKILL.md", &skill("in a group"));
    put("app/review/SKILL.md", &skill("of the app"));
    put("app/deploy/SKILL.md", &skill("deploys"));
    put("plugin/review/SKILL.md", &skill("of the plugin"));
    put("commands/review.md", &skill("an old command"));
    put("commands/old/fix.md", "Fix $ARGUMENTS.");
    put("project/-bad/SKILL.md", &skill("bad"));
    put("project/empty/SKILL.md", "");
    let place = |name: &str| home.path().join(name);
    let folders = [
        SkillFolder::skills(place("user")),
        SkillFolder::skills(place("project")),
        SkillFolder::skills(place("app")).of_part("packages/app"),
        SkillFolder::skills(place("plugin")).of_plugin("tools"),
        SkillFolder::commands(place("commands")),
        SkillFolder::skills(place("missing")),
    ];
    let found = find_skills(&folders, &[]);
    let all: Vec<(&str, &str)> =
        found.skills.all().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    assert_eq!(
        all,
        [
            ("deploy", "deploys"),
            ("fix", "Fix $ARGUMENTS."),
            ("lint", "in a group"),
            ("packages/app:review", "of the app"),
            ("review", "of the user"),
            ("tools:review", "of the plugin"),
        ]
    );
    assert_eq!(found.hidden.len(), 2, "{:?}", found.hidden);
    let mut unusable: Vec<&Unusable> = found.unusable.iter().map(|(_, why)| why).collect();
    unusable.sort_by_key(|why| why.to_string());
    assert!(matches!(unusable[..], [Unusable::BadName(_), Unusable::Empty]), "{unusable:?}");
    let review = found.skills.find("/review").expect("with a slash too");
    let folder = review.folder.as_deref().expect("it is from a file");
    assert!(folder.ends_with("user/review"));
}

#[test]
fn what_a_skill_says_of_itself_is_read() {
    let text = "---\nname: other\ndescription: Reviews code.\nwhen_to_use: When asked.\nargument-hint: [file] [depth]\n\
                arguments: file depth\ndisable-model-invocation: yes\nuser-invocable: 0\n\
                allowed-tools: Read, Bash(git:*)\ndisallowed-tools: Write\nmodel: opus\ncontext: fork\n\
                agent: reviewer\nbackground: off\nlicense: MIT\nmetadata:\n  version: 1\n---\nReview $file.\n";
    let skill = Skill::read(text.as_bytes(), "review").expect("it can be read");
    assert_eq!(
        (skill.name.as_str(), skill.arguments.as_slice()),
        ("review", &["file".to_owned(), "depth".to_owned()][..])
    );
    assert_eq!(skill.allowed_tools, ["Read", "Bash(git:*)"]);
    assert_eq!(skill.disallowed_tools, ["Write"]);
    assert!(skill.disable_model_invocation && !skill.user_invocable && skill.is_fork && !skill.background);
    assert_eq!((skill.model.as_deref(), skill.agent.as_deref()), (Some("opus"), Some("reviewer")));
    let told: Vec<String> = skill.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|told| told.contains("it is called `review`")), "{told:?}");
    let plain = Skill::read(b"# Title\n\nMore.", "plain").expect("front matter is optional");
    assert_eq!(plain.description, "Title");
    assert!(plain.is_only_text() && plain.warnings.contains(&Warning::NoFrontMatter));
    for (line, is_closed) in [
        ("hooks: {a: b}", true),
        ("disallowed-tools: {a: b}", true),
        ("allowed-tools: {a: b}", false),
        ("effort: high", false),
    ] {
        let text = format!("---\ndescription: d\n{line}\n---\nx");
        let skill = Skill::read(text.as_bytes(), "s").expect("it can be read");
        assert_eq!(skill.unavailable.is_some(), is_closed, "{line}");
        assert!(skill.allowed_tools.is_empty() && !skill.warnings.is_empty(), "{line}");
    }
    let shell =
        Skill::read(b"---\ndescription: d\nshell: powershell\n---\nx !`ls`", "s").expect("it can be read");
    assert!(shell.unavailable.is_some(), "its commands are for another shell");
}

#[test]
fn the_list_has_what_the_model_may_use_each_cut_where_it_is_long() {
    let read = |name: &str, text: String| Skill::read(text.as_bytes(), name).expect("it can be read");
    let long = read("long", skill(&"ä".repeat(2_000)));
    let hidden = read("hidden", "---\ndescription: d\ndisable-model-invocation: true\n---\nx".to_owned());
    let when = read("when", "---\ndescription: one\nwhen_to_use: two\n  three\n---\nx".to_owned());
    let listing = Skills::new([long, hidden, when]).listing();
    let lines: Vec<&str> = listing.lines().collect();
    assert_eq!(lines.len(), 2, "{listing}");
    assert_eq!(lines[0].chars().filter(|c| *c == 'ä').count(), 1_536);
    assert_eq!(lines[1], "- when: one two three");
}
