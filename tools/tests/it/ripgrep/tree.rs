//! Trees of files made from a seed: ignore files, hidden files, links, line ends, encodings, and what is not text.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Numbers from a seed.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    /// A number below another, by splitmix64.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("it is below a limit of this type")
    }

    pub(super) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

const FOLDERS: &[&str] = &["a", "b", "src", "build", "node_modules", ".hidden", "sp ace", "grün", ".hg"];
const FILES: &[&str] = &[
    "a.rs",
    "b.rs",
    "b.log",
    "keep.log",
    ".env",
    "c.TXT",
    "x.md",
    "Makefile",
    "new\nline.rs",
    "-dash",
    "a b.toml",
    "[x].rs",
    "{y}.md",
    ".hidden.rs",
    "lib.test.rs",
    "ü.rs",
];
const IGNORES: &[&str] = &[
    "*.log",
    "!keep.log",
    "/build",
    "build/",
    "**/a.rs",
    "src/*.md",
    "!src/",
    "*.md",
    "\\!x",
    "# comment",
    "",
    "a/**/b.log",
    ".hidden",
    ".*",
    "!.env",
    "[ab].rs",
    "*.TXT  ",
    "node_modules/",
    "/a/*",
    "!/a/b.rs",
    "sp ace",
    "**/src/**",
    "foo/",
    "*.{rs,md}",
    "x?md",
    "\\[x\\].rs",
];
const LINES: &[&str] = &[
    "foo",
    "bar",
    "FOO",
    "foo bar foo",
    "fn main() {",
    "",
    "    let x = alpha;",
    "beta gamma",
    "a.b.c",
    "grün über",
    "tab\there",
    "x",
    "}",
    "// TODO: foo",
    "naïve é",
    "no match here",
];
/// Patterns that files are found by.
pub(super) const GLOBS: &[&str] = &[
    "**/*",
    "*",
    "*.rs",
    "**/*.rs",
    "**/*.{rs,md}",
    "src/**",
    "src/**/*.rs",
    "**/src/*",
    "a/*",
    "**/[ab].rs",
    "**/?.md",
    "**/*.TXT",
    "build/**/*",
    "**/.*",
    ".env",
    "**/.hidden/**",
    "**/*b*/**",
    "**/\\[x\\].rs",
    "{a,b}/**/*.log",
    "**/sp ace/*",
    "**/*ü*",
    "node_modules/**",
];

/// Fills a folder.
pub(super) fn make(root: &Path, chance: &mut Chance) {
    if chance.below(4) > 0 {
        put(root, ".git/config", b"foo\n", chance);
        put(root, ".git/info/exclude", ignore_file(chance).as_bytes(), chance);
    }
    fill(root, 3, chance);
    for number in 0..chance.below(4) {
        let target = chance.one(&["a", "a.rs", "src", "..", "nowhere", "."]);
        symlink(target, root.join(format!("link{number}"))).expect("links can be made");
    }
}

fn fill(folder: &Path, depth: usize, chance: &mut Chance) {
    for name in [".gitignore", ".ignore", ".rgignore"] {
        if chance.below(4) == 0 {
            put(folder, name, ignore_file(chance).as_bytes(), chance);
        }
    }
    for _file in 0..2 + chance.below(5) {
        let (name, content) = (chance.one(FILES), content(chance));
        put(folder, name, &content, chance);
    }
    if depth > 0 {
        for _folder in 0..1 + chance.below(2) {
            let below = folder.join(chance.one(FOLDERS));
            std::fs::create_dir_all(&below).expect("folders can be made");
            fill(&below, depth - 1, chance);
        }
    }
}

fn ignore_file(chance: &mut Chance) -> String {
    (0..1 + chance.below(4)).map(|_line| format!("{}\n", chance.one(IGNORES))).collect()
}

fn put(folder: &Path, name: &str, content: &[u8], chance: &mut Chance) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
    std::fs::write(&path, content).expect("files can be written");
    let file = std::fs::File::options().write(true).open(&path).expect("it can be opened");
    let time = Duration::from_secs(1_000_000_000 + chance.below(5) as u64);
    file.set_modified(SystemTime::UNIX_EPOCH + time).expect("times can be set");
}

/// What a file holds: text for the most part.
fn content(chance: &mut Chance) -> Vec<u8> {
    let end = if chance.below(4) == 0 { "\r\n" } else { "\n" };
    let mut text: String = (0..chance.below(12)).map(|_line| format!("{}{end}", chance.one(LINES))).collect();
    if chance.below(4) == 0 {
        text.push_str("foo without an end");
    }
    let units = |mark: &[u8], of: fn(u16) -> [u8; 2]| {
        mark.iter().copied().chain(text.encode_utf16().flat_map(of)).collect::<Vec<u8>>()
    };
    match chance.below(14) {
        0 => units(&[0xFF, 0xFE], u16::to_le_bytes),
        1 => units(&[0xFE, 0xFF], u16::to_be_bytes),
        2 => ["\u{FEFF}", &text].concat().into_bytes(),
        3 => [b"foo \xE9\xFF bar\n".as_slice(), text.as_bytes(), b"\xC3"].concat(),
        4 => [text.as_bytes(), b"\0foo\n\x01\n"].concat(),
        5 => [b"\0".as_slice(), text.as_bytes()].concat(),
        // A zero byte behind what is read at once.
        6 => [text.as_bytes(), "bar and more\n".repeat(12_000).as_bytes(), b"foo\0\nfoo\n"].concat(),
        _text => text.into_bytes(),
    }
}
