//! Programs that run a program of a project or a package: a rule names both together, and the files are those of the inner
//! one.

use crate::shell::commands::Word;

/// Runners, with the words of which one stands before the program; none where it stands first.
const RUNNERS: &[(&str, &[&str])] = &[
    ("bun", &["x"]),
    ("bundle", &["exec"]),
    ("bunx", &[]),
    ("hatch", &["run"]),
    ("mise", &["exec", "x"]),
    ("npm", &["exec", "x"]),
    ("npx", &[]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pipx", &["run"]),
    ("pnpm", &["dlx", "exec"]),
    ("pnpx", &[]),
    ("poetry", &["run"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
    ("uvx", &[]),
    ("yarn", &["dlx", "exec", "run"]),
];

/// The program that a runner runs, and what stands behind it; nothing where there is none.
pub(super) fn run_by<'w>(name: &str, arguments: &'w [Word]) -> Option<(&'w str, &'w [Word])> {
    let behind = if name.starts_with("python") {
        let at = arguments.iter().position(|word| word.value == "-m")?;
        // What stands before is for the interpreter.
        arguments[..at].iter().all(|word| word.value.starts_with('-')).then(|| &arguments[at + 1..])?
    } else {
        let (_, words) = RUNNERS.iter().find(|(runner, _)| *runner == name)?;
        match arguments.split_first() {
            Some((first, rest)) if words.contains(&first.value.as_str()) => rest,
            // `yarn` takes the program for a command of its own.
            Some(_) if words.is_empty() || name == "yarn" => arguments,
            _other => return None,
        }
    };
    let at = behind.iter().position(|word| !word.value.starts_with('-'))?;
    let (program, rest) = behind[at..].split_first()?;
    let program = program.value.rsplit('/').next().unwrap_or_default();
    let is_another = !program.starts_with("python") && !RUNNERS.iter().any(|(runner, _)| *runner == program);
    is_another.then_some((program, rest))
}
