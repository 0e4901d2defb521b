//! What ripgrep says, in the shape of what the tools say.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use serde_json::{Value, json};
use toolwright_tools::files::glob::GlobOutput;
use toolwright_tools::files::grep::GrepOutput;

use super::tree::Chance;

/// Lines of more bytes are cut by the tool, and not by ripgrep.
const LINE_BYTES_MAX: usize = 500;

/// What is asked of both.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) pattern: &'static str,
    pub(super) mode: &'static str,
    pub(super) any_case: bool,
    pub(super) multiline: bool,
    pub(super) only_matching: bool,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) globs: &'static [&'static str],
    pub(super) file_type: Option<&'static str>,
}

/// Patterns, and whether matches may go over several lines.
const PATTERNS: &[(&str, bool)] = &[
    ("foo", false),
    ("^$", false),
    ("x*", false),
    ("\\bfn\\b", false),
    ("bar$", false),
    ("foo|bar", false),
    ("fn main\\(\\) \\{", false),
    ("[^a-z]", false),
    ("é|ü", false),
    ("\\s+$", false),
    ("no such thing", false),
    ("foo\\n.*bar", true),
    ("fn.*\\}", true),
    ("^\\s*$", true),
    ("foo", true),
];

const FILTERS: &[(&[&str], Option<&str>)] = &[
    (&[], None),
    (&["*.rs"], None),
    (&["!*.rs"], None),
    (&["src/**"], None),
    (&["*.{md,log}"], None),
    (&["*.rs", "!a.rs"], None),
    (&["/a/*"], None),
    (&[".*"], None),
    (&[], Some("rust")),
    (&["*.rs"], Some("md")),
];

impl Asked {
    /// Every pattern in every mode, each with some filter.
    pub(super) fn all(chance: &mut Chance) -> Vec<Asked> {
        let each = PATTERNS.iter().flat_map(|(pattern, multiline)| {
            ["content", "files_with_matches", "count"].map(|mode| (*pattern, *multiline, mode))
        });
        let mut all = Vec::new();
        for (pattern, multiline, mode) in each {
            let (globs, file_type) = FILTERS[chance.below(FILTERS.len())];
            let only_matching = mode == "content" && chance.below(4) == 0;
            let mut around = || if only_matching { 0 } else { chance.below(3) };
            let (before, after) = (around(), around());
            let any_case = chance.below(3) == 0;
            all.push(Asked {
                pattern,
                mode,
                any_case,
                multiline,
                only_matching,
                before,
                after,
                globs,
                file_type,
            });
        }
        all
    }

    pub(super) fn input(&self) -> Value {
        let mut input = json!({"pattern": self.pattern, "output_mode": self.mode, "-i": self.any_case,
            "multiline": self.multiline, "head_limit": 0});
        if self.mode == "content" {
            input["-o"] = json!(self.only_matching);
            input["-B"] = json!(self.before);
            input["-A"] = json!(self.after);
        }
        if !self.globs.is_empty() {
            input["glob"] = json!(self.globs.join(" "));
        }
        if let Some(name) = self.file_type {
            input["type"] = json!(name);
        }
        input
    }

    fn command(&self, root: &Path, more: &[&str]) -> Vec<u8> {
        let mut command = Command::new("rg");
        command
            .current_dir(root)
            .args(["--no-config", "--no-messages", "--hidden", "--sort=path"])
            .args(more);
        let folders = ["!.git", "!.svn", "!.hg", "!.bzr", "!.jj", "!.sl"];
        command.args(self.globs.iter().chain(&folders).flat_map(|glob| ["-g", glob]));
        command.args(self.file_type.iter().flat_map(|name| ["-t", name]));
        if self.any_case {
            command.arg("-i");
        }
        if self.multiline {
            command.args(["-U", "--multiline-dotall"]);
        }
        command.args(["-e", self.pattern, "./"]);
        command.output().expect("it was found").stdout
    }
}

/// Lines that stand together.
struct Group {
    path: PathBuf,
    /// The number of the last one.
    last: u64,
    has_match: bool,
    lines: Vec<String>,
}

/// What was compared, and what was not.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) lines: usize,
    pub(super) files: usize,
    left_out: BTreeMap<String, usize>,
}

impl Compared {
    /// Says what was compared, and by name what was not.
    pub(super) fn tell(&self, of: &str) {
        eprintln!("{of}: {} lines and {} files compared", self.lines, self.files);
        self.left_out.iter().for_each(|(what, times)| eprintln!("{of}: not compared: {what}: {times} times"));
    }

    fn leave_out(&mut self, what: &str, times: usize) {
        if times > 0 {
            *self.left_out.entry(what.to_owned()).or_default() += times;
        }
    }

    pub(super) fn grep(&mut self, root: &Path, asked: &Asked, found: &GrepOutput, place: &str) {
        // A machine that does much else may not get to the end in the time that a search has.
        if found.notes.iter().any(|note| note.contains("before everything was searched")) {
            self.leave_out("searches that ran out of time", 1);
            return;
        }
        let text = found.content.as_deref().unwrap_or_default();
        let (ours, theirs) = match asked.mode {
            "content" => (lines(text), self.content(root, asked)),
            "count" => {
                (sorted(lines(text)), sorted(counts(&asked.command(root, &["-c", "-0", "--with-filename"]))))
            }
            _names => {
                let names = asked.command(root, &["-l", "-0"]);
                (found.filenames.clone(), newest_first(root, names.split(|byte| *byte == 0)))
            }
        };
        let theirs = match (found.applied_limit, theirs.len() > ours.len()) {
            (Some(_), true) => {
                self.leave_out("lines behind the limit of the tool", theirs.len() - ours.len());
                theirs[..ours.len()].to_vec()
            }
            _all => theirs,
        };
        let first = ours.iter().zip(&theirs).position(|(ours, theirs)| !self.is_same(ours, theirs));
        let at = first.unwrap_or(ours.len().min(theirs.len()));
        assert!(
            first.is_none() && ours.len() == theirs.len(),
            "{place}: {asked:?}: {} and {} lines, at {at}:\n  ours   {:?}\n  theirs {:?}",
            ours.len(),
            theirs.len(),
            ours.get(at),
            theirs.get(at)
        );
        self.lines += ours.len();
    }

    /// Whether two lines are the same; of one that is cut, its beginning up to the number.
    fn is_same(&mut self, ours: &str, theirs: &str) -> bool {
        let is_cut = ours.contains("more bytes in this line]") || ours.contains(" bytes before] …");
        if ours == theirs || !is_cut || theirs.len() <= LINE_BYTES_MAX {
            return ours == theirs;
        }
        self.leave_out("the text of lines that are cut", 1);
        // The name, a sign, the number, a sign.
        let number = theirs.char_indices().filter(|(_, c)| matches!(c, ':' | '-'));
        number.map(|(place, _)| &theirs[..=place]).filter(|start| ours.starts_with(start)).count() >= 2
    }

    fn content(&mut self, root: &Path, asked: &Asked) -> Vec<String> {
        let (before, after) = (asked.before.to_string(), asked.after.to_string());
        let output = asked.command(root, &["--json", "-B", &before, "-A", &after]);
        let has_context = asked.before + asked.after > 0;
        let mut groups: Vec<Group> = Vec::new();
        for event in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let event: Value = serde_json::from_slice(event).expect("ripgrep writes JSON");
            let is_match = match event["type"].as_str() {
                Some("match") => true,
                Some("context") => false,
                _other => continue,
            };
            let data = &event["data"];
            let path = plain(Path::new(OsStr::from_bytes(&bytes(&data["path"]))));
            let first = data["line_number"].as_u64().expect("lines have numbers");
            let text = bytes(&data["lines"]);
            let follows = |group: &Group| !has_context || group.path == path && group.last + 1 == first;
            if !groups.last().is_some_and(follows) {
                groups.push(Group { path: path.clone(), last: 0, has_match: false, lines: Vec::new() });
            }
            let group = groups.last_mut().expect("there is one by now");
            group.last = first + text.split_inclusive(|byte| *byte == b'\n').count().max(1) as u64 - 1;
            group.has_match |= is_match;
            let shown = if asked.only_matching { parts(data, &text, first) } else { numbered(&text, first) };
            let (name, sign) = (shown_name(&path), if is_match { ':' } else { '-' });
            let shown = shown.into_iter().map(|(number, text)| format!("{name}{sign}{number}{sign}{text}"));
            group.lines.extend(shown.flat_map(|line| lines(&line)));
        }
        let all = groups.len();
        groups.retain(|group| group.has_match);
        self.leave_out(
            "lines that ripgrep 13 shows before an empty match at a file's end",
            all - groups.len(),
        );
        groups.iter().map(|group| group.lines.clone()).collect::<Vec<_>>().join(&"--".to_owned())
    }

    pub(super) fn glob(&mut self, root: &Path, pattern: &str, found: &GlobOutput, place: &str) {
        let mut command = Command::new("rg");
        command.current_dir(root).args(["--no-config", "--no-messages", "--files", "--no-ignore", "-0"]);
        command.args(["-g", &format!("/{pattern}")]);
        // Of a pattern that names a dot, the tool passes only `.git` by.
        let names_dots = pattern.starts_with('.') || pattern.contains("/.");
        command.args(if names_dots { ["--hidden", "-g", "!.git"].as_slice() } else { &["-g", "!.*"] });
        let output = command.arg("./").output().expect("it was found").stdout;
        let theirs = newest_first(root, output.split(|byte| *byte == 0));
        let is_link = |name: &&String| root.join(name).is_symlink();
        let links = found.filenames.iter().filter(is_link).count();
        self.leave_out("links, which ripgrep does not list", links);
        let ours: Vec<&String> = found.filenames.iter().filter(|name| !is_link(name)).collect();
        if found.truncated {
            self.leave_out("names behind the first hundred", theirs.len() - ours.len());
            assert_eq!(found.total_matches, theirs.len(), "{place}: {pattern}");
        }
        let shown: Vec<&String> =
            theirs.iter().take(if found.truncated { ours.len() } else { theirs.len() }).collect();
        assert_eq!(ours, shown, "{place}: {pattern}");
        self.files += theirs.len();
    }
}

fn lines(text: &str) -> Vec<String> {
    text.split('\n').filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_unstable();
    lines
}

/// A path as the tool writes it before a line: a line end in it would make it two.
fn shown_name(path: &Path) -> String {
    path.display().to_string().replace('\n', "\\n")
}

/// A path without `./` in front.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// `path NUL count LF` of each file as `path:count`.
fn counts(output: &[u8]) -> Vec<String> {
    let mut rest = output;
    let mut counts = Vec::new();
    while let Some(zero) = rest.iter().position(|byte| *byte == 0) {
        let end = zero + rest[zero..].iter().position(|byte| *byte == b'\n').expect("counts end their lines");
        let count = std::str::from_utf8(&rest[zero + 1..end]).expect("counts are digits");
        let name = plain(Path::new(OsStr::from_bytes(&rest[..zero])));
        counts.push(format!("{}:{count}", shown_name(&name)));
        rest = &rest[end + 1..];
    }
    counts
}

fn newest_first<'a>(root: &Path, names: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    let names = names.filter(|name| !name.is_empty()).map(|name| plain(Path::new(OsStr::from_bytes(name))));
    let modified = |name: &Path| -> SystemTime {
        let metadata = root.join(name).metadata().expect("it was listed");
        metadata.modified().expect("files have times")
    };
    let mut dated: Vec<_> = names.map(|name| (Reverse(modified(&name)), name)).collect();
    dated.sort_unstable();
    dated.into_iter().map(|(_, name)| name.to_string_lossy().into_owned()).collect()
}

/// The lines of a match with their numbers.
fn numbered(text: &[u8], first: u64) -> Vec<(u64, String)> {
    let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
    });
    (first..).zip(lines).collect()
}

/// What matches within the lines of a match, with the numbers of its lines.
fn parts(data: &Value, text: &[u8], first: u64) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    for part in data["submatches"].as_array().into_iter().flatten() {
        let place =
            |name: &str| usize::try_from(part[name].as_u64().expect("it is a place")).expect("it fits");
        let before = text[..place("start")].iter().filter(|byte| **byte == b'\n').count() as u64;
        parts.extend(numbered(&text[place("start")..place("end")], first + before));
    }
    parts
}

/// What ripgrep writes as text where it can, and in base 64 where it cannot.
fn bytes(value: &Value) -> Vec<u8> {
    if let Some(text) = value["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in value["bytes"].as_str().expect("one of both").bytes().filter(|letter| *letter != b'=') {
        let six = LETTERS.iter().position(|known| *known == letter).expect("it is base 64");
        held = (held << 6 | u32::try_from(six).expect("it is below 64")) & 0xFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xFF).expect("it is a byte"));
        }
    }
    bytes
}
