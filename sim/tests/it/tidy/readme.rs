//! The README's tables against the code.

use std::collections::BTreeSet;

use super::Tree;

/// The rows of the table whose header begins so, as trimmed cells without marks of code.
fn rows(readme: &str, header: &str) -> Vec<Vec<String>> {
    let table = readme.split(header).nth(1).unwrap_or_default();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    lines.map(cells).collect()
}

/// `\|` is a bar within a cell.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_matches('|').replace("\\|", "\0");
    inner.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Rows without their like in the code, and the other way round.
fn apart(what: &str, shown: &[Vec<String>], there: &BTreeSet<String>) -> Vec<String> {
    let shown: BTreeSet<String> = shown.iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let surplus = shown.difference(there).map(|name| format!("README: there is no {what} `{name}`"));
    let missing = there.difference(&shown).map(|name| format!("README: no row for the {what} `{name}`"));
    surplus.chain(missing).collect()
}

/// Tools that are listed and not there, or the other way round, or whose third column is not what their form says.
fn tools(tree: &Tree, there: &BTreeSet<String>) -> Vec<String> {
    let rows = rows(tree.text("README.md").unwrap_or_default(), "| tool | does |");
    let mut found = apart("tool", &rows, there);
    for row in rows.iter().filter(|row| there.contains(&row[0])) {
        let said = match row[2].as_str() {
            word @ ("yes" | "no") => word,
            _condition => "it depends",
        };
        let true_word = side_by_side(tree, &row[0]);
        if said != true_word {
            found.push(format!("README: `{}` safe side by side: {said}, by its form {true_word}", row[0]));
        }
    }
    found
}

/// What the form above a tool's struct says.
fn side_by_side(tree: &Tree, tool: &str) -> &'static str {
    let structs = [format!("pub struct {tool} {{"), format!("pub(crate) struct {tool} {{")];
    let form = tree.rust().filter(|(name, _)| name.starts_with("tools/src/")).find_map(|(_, text)| {
        let above = structs.iter().find_map(|open| text.split_once(open.as_str()))?.0;
        above.rsplit_once("#[tool").map(|(_, form)| form)
    });
    match form.and_then(|form| form.split_once("concurrency_safe")) {
        None => "no",
        Some((_, rest)) if rest.starts_with(" =") => "it depends",
        Some(_) => "yes",
    }
}

/// Folders of the README that are no members, or the other way round, and packages by another name.
pub(super) fn folders(tree: &Tree) -> Vec<String> {
    let rows = rows(tree.text("README.md").unwrap_or_default(), "| folder | package |");
    let root = tree.text("Cargo.toml").unwrap_or_default();
    let members = root.lines().find_map(|line| line.strip_prefix("members = ["));
    let members = members.unwrap_or_default().split(['"', ',', ' ', ']']).filter(|name| !name.is_empty());
    let mut found = apart("folder", &rows, &members.map(str::to_owned).collect());
    for row in &rows {
        let folder = row[0].trim_matches('`');
        let manifest = tree.text(&format!("{folder}/Cargo.toml")).unwrap_or_default();
        let package = format!("name = \"{}\"", row[1].trim_matches('`'));
        if manifest.lines().nth(1) != Some(&package) {
            found.push(format!("README: the package in `{folder}` has another name than {}", row[1]));
        }
    }
    found
}

/// A command of the program and the text of its help.
#[cfg(feature = "cli")]
type Help = (String, String);

/// Commands and flags of the README that the program does not have, and commands that the README lacks.
#[cfg(feature = "cli")]
fn commands(tree: &Tree, helps: &[Help]) -> Vec<String> {
    let rows = rows(tree.text("README.md").unwrap_or_default(), "| command | does |");
    let mut found = Vec::new();
    for (command, _) in helps {
        let start = format!("`toolwright {command}");
        if !rows.iter().any(|row| row[0].starts_with(&start)) {
            found.push(format!("README: no row for the command `{command}`"));
        }
    }
    for row in &rows {
        let named = row.concat();
        for piece in code(&named).filter(|piece| piece.starts_with("toolwright ")) {
            let command = piece.split(' ').nth(1).unwrap_or_default();
            if !helps.iter().any(|(known, _)| known == command) {
                found.push(format!("README: there is no command `{command}`"));
            }
        }
        let command = row[0].trim_start_matches("`toolwright ").split([' ', '`']).next().unwrap_or_default();
        let Some((_, help)) = helps.iter().find(|(known, _)| known == command) else { continue };
        for flag in code(&named).flat_map(|piece| piece.split(' ').filter(|word| word.starts_with('-'))) {
            let flag = flag.trim_end_matches([']', '…']);
            if !help.split([' ', ',', '\n', '[', ']', '=']).any(|word| word == flag) {
                found.push(format!("README: `toolwright {command}` has no `{flag}`"));
            }
        }
    }
    found
}

/// What stands between backticks.
#[cfg(feature = "cli")]
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

mod project {
    //! The rules that ask the code itself.

    use std::collections::BTreeSet;
    use std::sync::Arc;

    use toolwright::contract::SessionFacts;
    use toolwright::query::Scripted;
    use toolwright::registry::Pool;
    use toolwright_tools::agents::Agents;
    use toolwright_tools::skills::SkillState;
    use toolwright_tools::{MONITOR, PROACTIVE, REPL, add_agents, add_tool_search};

    use super::super::Tree;

    fn listed() -> BTreeSet<String> {
        let mut catalogue = toolwright_tools::catalogue();
        let agents = Agents::builder(Arc::new(Scripted::default())).build();
        add_agents(&mut catalogue, &agents, SkillState::default());
        add_tool_search(&mut catalogue);
        let features = [MONITOR, PROACTIVE, REPL].map(str::to_owned).into();
        let facts = SessionFacts { has_person: true, features };
        let pool = Pool::new(&catalogue, &facts, |_| true);
        pool.tools().iter().map(|tool| tool.form().name.clone().into_owned()).collect()
    }

    #[test]
    fn the_readmes_tool_table_is_the_catalogue() {
        assert_eq!(super::tools(&Tree::project(), &listed()), Vec::<String>::new());
    }

    #[test]
    fn a_tool_table_that_is_out_of_step_is_noticed() {
        let readme =
            "| tool | does | safe side by side |\n|---|---|---|\n| A | x | yes |\n| Gone | x | no |\n";
        let source = "#[tool(read_only)]\npub struct A {}\n";
        let tree = Tree::of([("README.md", readme), ("tools/src/a.rs", source)]);
        let found = super::tools(&tree, &BTreeSet::from(["A".to_owned(), "New".to_owned()]));
        assert_eq!(
            found,
            [
                "README: there is no tool `Gone`",
                "README: no row for the tool `New`",
                "README: `A` safe side by side: yes, by its form no",
            ]
        );
    }

    #[cfg(feature = "cli")]
    fn help(arguments: &[&str]) -> String {
        let program = env!("CARGO_BIN_EXE_toolwright");
        let output = std::process::Command::new(program).args(arguments).output().expect("the program runs");
        String::from_utf8(output.stdout).expect("the help is text")
    }

    #[cfg(feature = "cli")]
    #[test]
    fn the_readmes_commands_and_flags_are_the_programs() {
        let all = help(&["--help"]);
        let list = all.split("Commands:").nth(1).expect("there are commands").lines().skip(1);
        let names =
            list.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
        let helps: Vec<super::Help> = names
            .filter(|name| *name != "help")
            .map(|name| (name.to_owned(), help(&[name, "--help"])))
            .collect();
        assert!(helps.len() > 10, "{all}");
        assert_eq!(super::commands(&Tree::project(), &helps), Vec::<String>::new());
    }

    #[cfg(feature = "cli")]
    #[test]
    fn a_command_table_that_is_out_of_step_is_noticed() {
        let readme = "| command | does |\n|---|---|\n| `toolwright go FILE` | goes: `--fast`, `--seed N`; \
                      `toolwright stay` too |\n";
        let helps = [("go".to_owned(), "  --seed <N>".to_owned()), ("new".to_owned(), String::new())];
        let found = super::commands(&Tree::of([("README.md", readme)]), &helps);
        assert_eq!(
            found,
            [
                "README: no row for the command `new`",
                "README: there is no command `stay`",
                "README: `toolwright go` has no `--fast`",
            ]
        );
    }
}
