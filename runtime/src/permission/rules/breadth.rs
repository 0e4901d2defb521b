//! Doubts about a rule by itself: what it allows besides what it seems to, and where it hangs.

use std::ops::Range;

use super::parameter::{ParameterPattern, Reading};
use super::parse::{Behavior, Parsed, RuleText};
use super::problem::{ProblemKind, Wrong};
use super::tool::usual;
use crate::contract::Context;
use crate::permission::words::{INTERPRETERS, WRAPPERS, is_setting, program, runs_another};

/// Tools that run any command they are given.
const RUNNERS: &[&str] = &["Bash", "Monitor", "PowerShell"];

/// Programs that do besides, and versions that a name may begin.
const MORE_INTERPRETERS: &[&str] = &[".", "python2", "python3", "Rscript", "tcsh"];

/// Commands behind which a program is named that they fetch, or run somewhere.
const PACKAGE_RUNNERS: &[&[&str]] = &[
    &["bunx"],
    &["conda", "run"],
    &["docker", "exec"],
    &["docker", "run"],
    &["kubectl", "exec"],
    &["mise", "exec"],
    &["nix", "run"],
    &["nix-shell"],
    &["npm", "exec"],
    &["npm", "x"],
    &["npx"],
    &["pipx", "run"],
    &["pnpm", "dlx"],
    &["pnpm", "exec"],
    &["pnpx"],
    &["podman", "exec"],
    &["podman", "run"],
    &["poetry", "run"],
    &["ssh"],
    &["uv", "run"],
    &["uvx"],
    &["yarn", "dlx"],
    &["yarn", "exec"],
];

/// Folders at the root of a system: `/etc/…` most likely means them, and not a folder of that name in a project.
const AT_THE_ROOT: &[&str] = &[
    "Applications",
    "Library",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "media",
    "mnt",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
];

/// What is doubtful about a rule, with the bytes of its text that are.
pub(super) fn doubts(rule: &RuleText, parsed: &Parsed, context: &Context) -> Vec<(Wrong, Range<usize>)> {
    let tool = usual(&parsed.tool);
    let opens = rule.behavior == Behavior::Allow;
    let mut found = Vec::new();
    let Some(content) = &parsed.content else {
        if opens && RUNNERS.contains(&tool) {
            let reason = format!(
                "it allows every command: name the commands that are meant, such as `{tool}(npm run test *)`"
            );
            found.push((broad(reason), parsed.name_at.clone()));
        }
        return found;
    };
    let mut add = |wrong: Wrong| {
        let span = parsed.span(&rule.text, wrong.at.as_ref());
        found.push((wrong, span));
    };
    match tool {
        "Read" | "Edit" => anchor(rule, content, context).into_iter().for_each(&mut add),
        _runner if opens && RUNNERS.contains(&tool) => {
            too_broad(tool, content).into_iter().for_each(&mut add)
        }
        _other => {}
    }
    // Agents and skills may have names with a colon, and `P:*` is the beginning of a name.
    let may_be_name =
        (tool == "Agent" && !content.trim_start().starts_with("model")) || content.trim_end().ends_with(":*");
    if opens && !may_be_name && matches!(ParameterPattern::read(tool, content), Reading::Parameter(_)) {
        let reason =
            "rules about one parameter only deny or ask: this one is read as what the tool is used on";
        add(Wrong::never(reason));
    }
    found
}

fn broad(reason: String) -> Wrong {
    Wrong { kind: ProblemKind::TooBroad, ..Wrong::new(reason) }
}

/// Why a path most likely hangs on another folder than is meant.
fn anchor(rule: &RuleText, content: &str, context: &Context) -> Option<Wrong> {
    let below = content.strip_prefix('/').filter(|below| !below.starts_with('/'))?;
    let first = below.split('/').next().unwrap_or_default();
    let is_whole = |folder: &std::path::Path| {
        folder.parent().is_some() && std::path::Path::new(content).starts_with(folder)
    };
    let names_folder = is_whole(&context.root) || context.home.as_deref().is_some_and(is_whole);
    if !names_folder && !AT_THE_ROOT.contains(&first) {
        return None;
    }
    let source = rule.source;
    let reason = format!(
        "`/{first}` is read as a folder of that name where the rules of {source} hang: write `/{content}` for the \
         root of the file system"
    );
    Some(Wrong { kind: ProblemKind::LikelyAnchor, ..Wrong::new(reason).at(0..first.len() + 1) })
}

/// Why an allow rule about commands allows any program at all.
fn too_broad(tool: &str, content: &str) -> Option<Wrong> {
    let content = content.trim();
    let (known, is_word) = if let Some(prefix) = content.strip_prefix("prefix:") {
        (prefix.trim(), true)
    } else if let Some(bare) = content.strip_suffix(":*") {
        (bare, true)
    } else {
        let (known, _) = content.split_once('*')?;
        (known, known.ends_with(char::is_whitespace))
    };
    // A `*` in what `:*` follows is open too.
    let known = known.split('*').next().unwrap_or_default();
    let mut words: Vec<&str> = known.split_whitespace().collect();
    let cut = if is_word { None } else { words.pop() };
    let is_package_runner = |word: &str| PACKAGE_RUNNERS.iter().any(|words| words[0] == program(word));
    let is_wrapper = |word: &&str| {
        let name = program(word);
        is_setting(word) || WRAPPERS.contains(&name) || (runs_another(name) && !is_package_runner(word))
    };
    let behind = words.iter().take_while(|word| is_wrapper(word)).count();
    let wrapper = words[..behind].iter().rev().find(|word| !is_setting(word)).copied();
    let words = &words[behind..];
    let (name, options) = match (words.split_first(), cut) {
        (None, None) => return Some(broad(any_program(tool, content, wrapper))),
        (None, Some(begun)) => {
            let begun = program(begun);
            let listed = interpreters().chain(PACKAGE_RUNNERS.iter().map(|words| &words[0]));
            let named = listed.chain(WRAPPERS).find(|name| name.starts_with(begun) && begun != ".")?;
            return Some(broad(any_text(tool, named)));
        }
        (Some((name, options)), _) => (program(name), options),
    };
    let version = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interprets = interpreters().any(|known| *known == name || (!version.is_empty() && *known == version));
    if interprets && options.iter().all(|option| option.starts_with('-')) && !is_module(options, cut) {
        return Some(broad(any_text(tool, name)));
    }
    let plain: Vec<&str> =
        std::iter::once(name).chain(options.iter().copied().filter(|word| !word.starts_with('-'))).collect();
    let runner = PACKAGE_RUNNERS.iter().find(|runner| runner.starts_with(&plain))?;
    let may_go_on =
        cut.is_none_or(|begun| runner.get(plain.len()).is_some_and(|next| next.starts_with(begun)));
    may_go_on.then(|| broad(any_package(tool, &runner.join(" "))))
}

fn interpreters() -> impl Iterator<Item = &'static &'static str> {
    INTERPRETERS.iter().chain(MORE_INTERPRETERS)
}

/// `-m pytest` is one module.
fn is_module(options: &[&str], cut: Option<&str>) -> bool {
    options.last() == Some(&"-m") && cut.is_some()
}

fn any_program(tool: &str, content: &str, wrapper: Option<&str>) -> String {
    match wrapper {
        Some(wrapper) => {
            format!(
                "`{wrapper}` runs any program: name the one that is meant, as in `{tool}({wrapper} make *)`"
            )
        }
        None => format!("`{content}` begins with any program: name the one that is meant first"),
    }
}

fn any_text(tool: &str, name: &str) -> String {
    format!(
        "`{name}` runs any program it is given: name the script that is meant, as in `{tool}({name} x *)`"
    )
}

fn any_package(tool: &str, runner: &str) -> String {
    format!("`{runner}` runs any program: name the one that is meant, as in `{tool}({runner} eslint *)`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_allow_any_program_are_told_from_those_that_name_one() {
        for (content, is_broad) in [
            ("python *", true),
            ("python3.12 *", true),
            ("/usr/bin/python3:*", true),
            ("python -c *", true),
            ("python -u *", true),
            ("python*", true),
            ("pyth*", true),
            ("python -m pytest *", false),
            ("python -m *", true),
            ("python x.py *", false),
            ("python x.py", false),
            ("bash:*", true),
            ("prefix:bash", true),
            ("bash -c *", true),
            ("bash x.sh *", false),
            ("sudo *", true),
            ("sudo make *", false),
            ("sudo bash *", true),
            ("env *", true),
            ("A=b *", true),
            ("env A=b *", true),
            ("xargs *", true),
            ("npx *", true),
            ("npx --yes *", true),
            ("npx eslint *", false),
            ("npm exec *", true),
            ("npm *", true),
            ("npm run *", false),
            ("npm run*", false),
            ("npm e*", true),
            ("npm run test *", false),
            ("docker run *", true),
            ("docker ps *", false),
            ("uv run *", true),
            ("uv run x *", false),
            ("* install", true),
            ("**", true),
            ("ls *", false),
            ("ls*", false),
            ("git * main", false),
            ("eval *", true),
            ("node *", true),
            ("make", false),
            ("python", false),
        ] {
            assert_eq!(too_broad("Bash", content).is_some(), is_broad, "{content}");
        }
    }
}
