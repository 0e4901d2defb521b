//! Allow rules that open so much that a classifier beside them would judge nothing: the mode `auto` suspends them.

use super::words::{INTERPRETERS, WRAPPERS, program, runs_another};

/// Tools of which a rule without content lets anything run.
const WHOLE_TOOLS: &[&str] = &["Bash", "PowerShell", "Agent", "Task", "Monitor"];
/// Tools whose content is a command.
const COMMAND_TOOLS: &[&str] = &["Bash", "PowerShell", "Monitor"];
/// Programs that do besides interpreters of files: of a database, of another machine, and of short names.
const MORE_INTERPRETERS: &[&str] = &["irb", "psql", "py", "r", "sqlite3", "ssh"];
/// Programs that run what a package or a project says, with the words behind which they do; `*` where any word will do.
const RUNNERS: &[(&str, &[&str])] = &[
    ("bundle", &["exec"]),
    ("bunx", &["*"]),
    ("cargo", &["run"]),
    ("composer", &["run", "run-script", "exec"]),
    ("docker", &["exec", "run", "compose"]),
    ("go", &["run", "generate"]),
    ("gradle", &["*"]),
    ("gradlew", &["*"]),
    ("just", &["*"]),
    ("kubectl", &["exec", "run"]),
    ("make", &["*"]),
    ("mise", &["exec", "run", "x"]),
    ("mvn", &["*"]),
    ("npm", &["exec", "run", "run-script", "start", "test", "x"]),
    ("npx", &["*"]),
    ("parallel", &["*"]),
    ("pipx", &["run"]),
    ("pnpm", &["dlx", "exec", "run", "start", "test"]),
    ("pnpx", &["*"]),
    ("podman", &["exec", "run"]),
    ("poetry", &["run"]),
    ("rake", &["*"]),
    ("rye", &["run"]),
    ("tox", &["*"]),
    ("uv", &["run", "tool", "x"]),
    ("uvx", &["*"]),
    ("yarn", &["dlx", "exec", "run", "start", "test"]),
];

/// Whether an allow rule, as it is written, is too broad for the mode `auto`.
pub(super) fn is_broad(rule: &str) -> bool {
    let rule = rule.trim();
    let (name, content) = match rule.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix(')').unwrap_or(rest).trim()),
        None => (rule, ""),
    };
    let is_whole = matches!(content, "" | "*" | "**" | ":*" | "* *" | "prefix:" | "prefix:*");
    // An agent runs calls of its own, whichever kind it is.
    if matches!(name, "Agent" | "Task") || (is_whole && WHOLE_TOOLS.contains(&name)) {
        return true;
    }
    COMMAND_TOOLS.contains(&name) && opens_any_program(content)
}

fn interpreters() -> impl Iterator<Item = &'static &'static str> {
    INTERPRETERS.iter().chain(MORE_INTERPRETERS)
}

fn opens_any_program(content: &str) -> bool {
    let content =
        content.strip_prefix("prefix:").map_or_else(|| content.to_owned(), |rest| format!("{rest} *"));
    let text = content.strip_suffix(":*").map_or_else(|| content.clone(), |before| format!("{before} *"));
    // What is said in full is one command, whatever it runs.
    let Some(open) = text.find('*') else { return false };
    let before = text[..open].to_lowercase();
    let mut words = before.split_whitespace().peekable();
    // `python*` opens what begins so, and `python *` what stands behind it.
    let is_within_word = !before.is_empty() && !before.ends_with(char::is_whitespace);
    let mut is_wrapped = false;
    while let Some(word) = words.next() {
        let name = program(word);
        let is_last = words.peek().is_none();
        let is_of_wrapper =
            is_wrapped && (word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) || word.contains('='));
        let is_launcher = runs_another(name) && !RUNNERS.iter().any(|(runner, _)| *runner == name);
        if WRAPPERS.contains(&name) || is_launcher || is_of_wrapper {
            is_wrapped = true;
            if is_last {
                return true;
            }
            continue;
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches(".exe");
        if interpreters().any(|known| *known == stem) {
            return true;
        }
        if is_last && is_within_word {
            let may_become = |known: &&str| known.starts_with(name);
            return name.len() < 2
                || interpreters().any(may_become)
                || WRAPPERS.iter().any(may_become)
                || RUNNERS.iter().any(|(known, _)| known.starts_with(name));
        }
        return match RUNNERS.iter().find(|(runner, _)| *runner == name) {
            Some((_, [only])) if *only == "*" => true,
            Some((_, commands)) => words.next().is_none_or(|command| commands.contains(&command)),
            // A path may lead to any program when its last part is open.
            None => false,
        };
    }
    // Nothing stands before the wildcard.
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_open_everything_are_told_from_rules_that_open_something() {
        for rule in [
            "Bash",
            "Bash(*)",
            "Bash()",
            " Bash ( * ) ",
            "Bash(:*)",
            "Monitor",
            "PowerShell",
            "Agent",
            "Agent(reviewer)",
            "Task",
            "Bash(python*)",
            "Bash(python3 *)",
            "Bash(python3.12:*)",
            "Bash(/usr/bin/perl *)",
            "Bash(bash -c *)",
            "Bash(node:*)",
            "Bash(prefix:ruby)",
            "Bash(sudo *)",
            "Bash(env:*)",
            "Bash(sudo python *)",
            "Bash(npx *)",
            "Bash(npx:*)",
            "Bash(npm run *)",
            "Bash(npm *)",
            "Bash(npm:*)",
            "Bash(yarn run:*)",
            "Bash(uv run *)",
            "Bash(make *)",
            "Bash(cargo run *)",
            "Bash(docker run:*)",
            "Bash(* install)",
            "Bash(b*)",
            "Bash(xargs *)",
            "Bash(pytho*)",
            "Bash(timeout 5 *)",
        ] {
            assert!(is_broad(rule), "{rule}");
        }
        for rule in [
            "Bash(npm run build)",
            "Bash(git *)",
            "Bash(git log:*)",
            "Bash(ls*)",
            "Bash(cargo build *)",
            "Bash(npm ci)",
            "Bash(npm install *)",
            "Bash(python3 x.py)",
            "Read",
            "Read(**)",
            "Edit(src/**)",
            "WebFetch(domain:*)",
            "mcp__a",
            "Skill(review:*)",
            "Bash(rg *)",
            "Bash(docker ps *)",
            "Bash(gh pr view:*)",
        ] {
            assert!(!is_broad(rule), "{rule}");
        }
    }
}
