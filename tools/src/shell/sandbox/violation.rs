//! What a confined command was refused, told by what it said and by what it set out to do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, Effects};

use super::confinement::{Confinement, leads_to};

/// What systems say where a file is closed.
const OF_FILES: &[&str] = &[
    "Permission denied",
    "Read-only file system",
    "Operation not permitted",
    "Device or resource busy",
    "Invalid cross-device link",
    "EACCES",
    "EPERM",
    "EROFS",
];
/// What programs say where the network is closed.
const OF_NETWORK: &[&str] = &[
    "Connection refused",
    "Network is unreachable",
    "Could not resolve host",
    "Couldn't resolve host",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Could not connect",
    "Can't assign requested address",
    "ENETUNREACH",
    "EAI_AGAIN",
];
/// How many lines of output are looked through, from the end.
const LINES_MAX: usize = 400;
/// How many paths are told.
const PATHS_MAX: usize = 5;

impl Confinement {
    /// What is to be told of a command that has ended: what it was refused and what can be done, and what it made that
    /// steers. Blocks: it looks at the disk.
    pub(crate) fn notices(
        &mut self,
        output: &str,
        failed: bool,
        effects: &Effects,
        cwd: &Path,
    ) -> Vec<String> {
        let mut refused: BTreeSet<PathBuf> = named(output)
            .filter(|name| !name.is_empty())
            .map(|name| leads_to(&cwd.join(name)))
            .filter(|path| self.refuses(path))
            .collect();
        if failed {
            refused.extend(asked(effects).map(leads_to).filter(|path| self.refuses(path)));
        }
        let says = |words: &[&str], line: &str| words.iter().any(|word| line.contains(word));
        // Whoever was refused a socket may say so on other lines than why.
        let of_sockets = |text: &str| ["ocket", "onnect", "/dev/tcp/"].iter().any(|word| text.contains(word));
        let names_nothing = |line: &str| !line.contains(['/', '\'', '"', '`']);
        let is_socket = |line: &str| {
            says(OF_FILES, line) && (of_sockets(line) || (names_nothing(line) && output.contains("socket")))
        };
        let is_cut = lines(output).any(|line| says(OF_NETWORK, line) || is_socket(line));
        let mut told = Vec::new();
        if !refused.is_empty() {
            let paths: Vec<String> =
                refused.iter().take(PATHS_MAX).map(|path| format!("`{}`", path.display())).collect();
            told.push(format!(
                "(the sandbox refused to write {}: {}{})",
                paths.join(", "),
                self.where_to(),
                self.advice()
            ));
        }
        if is_cut && !self.network {
            told.push(format!(
                "(the sandbox has no network and no sockets of this machine{})",
                self.advice()
            ));
        }
        for path in self.appeared().iter().take(PATHS_MAX) {
            told.push(format!(
                "(the command made `{}`, which steers programs outside the sandbox: have a person look at it first)",
                path.display()
            ));
        }
        told
    }

    /// Whether this is a path that could be written without a sandbox.
    fn refuses(&self, path: &Path) -> bool {
        !self.may_write(path) && path.parent().is_some_and(Path::is_dir) && !path.starts_with("/proc")
    }

    fn where_to(&self) -> String {
        let folders: Vec<String> =
            self.writable().take(PATHS_MAX).map(|folder| format!("`{}`", folder.display())).collect();
        let beside = if self.is_landlock() { ", nor new files beside that" } else { "" };
        format!(
            "commands write in {} and there not what steers git, the shell or the agent{beside}",
            folders.join(", ")
        )
    }

    fn advice(&self) -> &'static str {
        if self.may_be_left {
            "; if it must be, have Bash do it with `dangerouslyDisableSandbox` set, which asks the person"
        } else {
            "; settings let no command run outside the sandbox"
        }
    }
}

fn lines(output: &str) -> impl Iterator<Item = &str> {
    output.lines().rev().take(LINES_MAX)
}

/// What may be names of files on lines that say that one is closed: what is in quotes, what has a slash, and what stands
/// before the words that say it.
fn named(output: &str) -> impl Iterator<Item = &str> {
    const QUOTES: &[char] = &['\'', '"', '`', '‘', '’', '“', '”'];
    let of_line = |line| {
        let (at, _) = OF_FILES.iter().find_map(|word| str::find(line, word).map(|at| (at, word)))?;
        Some((line, at))
    };
    lines(output).filter_map(of_line).flat_map(|(line, at)| {
        let quoted = line.split(QUOTES).skip(1).step_by(2);
        let with_slash = line.split_whitespace().filter(|word| word.contains('/'));
        let before = line[..at].trim_end().strip_suffix(':').and_then(|before| before.rsplit(": ").next());
        quoted
            .chain(with_slash)
            .chain(before)
            .map(|name| name.trim_matches(|c| QUOTES.contains(&c) || ":,();".contains(c)))
    })
}

/// What a command was known to write or remove.
fn asked(effects: &Effects) -> impl Iterator<Item = &Path> {
    let known = match effects {
        Effects::Known(known) => known.as_slice(),
        Effects::Unknown { .. } => &[],
    };
    known.iter().filter_map(|effect| match effect {
        Effect::Write(path) | Effect::Remove(path) | Effect::MayWrite(path) => Some(path.as_path()),
        Effect::Command { .. }
        | Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    })
}
