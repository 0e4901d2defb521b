//! What code in another language has written out that may name a file or a command: its texts in quotes. Whatever closes
//! is looked for in them, since code as a whole is nothing that a shell would read.

/// Programs that change or remove what they are given.
const CHANGERS: &[&str] = &[
    "chmod", "chown", "dd", "find", "git", "mkfs", "mv", "rm", "rmdir", "rsync", "shred", "truncate",
    "unlink",
];

/// The texts in quotes that may name something, a line each.
pub(super) fn literals(code: &str) -> String {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (quote, behind) = rest[at..].split_at(1);
        let end = end_of(behind, quote);
        let text = &behind[..end];
        if may_name(text) {
            found.push(text);
        }
        rest = behind.get(end + 1..).unwrap_or_default();
    }
    found.join("\n")
}

/// Where a text in quotes ends: at the first quote that no backslash hides.
fn end_of(text: &str, quote: &str) -> usize {
    let mut is_hidden = false;
    for (at, c) in text.char_indices() {
        match c {
            _any if is_hidden => is_hidden = false,
            '\\' => is_hidden = true,
            c if quote.starts_with(c) => return at,
            _other => {}
        }
    }
    text.len()
}

/// Whether a text is a plain path or command, or has a program in it that changes files.
fn may_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./~ ".contains(c);
    let is_changer = |word: &str| CHANGERS.contains(&word);
    !text.trim().is_empty()
        && (text.chars().all(is_plain) || text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_changer))
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn what_may_name_something_is_found_and_nothing_else() {
        for (code, found) in [
            ("os.system('rm -rf /')", "rm -rf /"),
            ("os.system(\"rm -rf $HOME/*\")", "rm -rf $HOME/*"),
            ("open('it\\'s', \"w\"); x('.git/config')", "w\n.git/config"),
            ("for (;;) {}", ""),
            ("f'{x}: {y}'", ""),
            ("print('unclosed", "unclosed"),
            ("`git clean ${x}`", "git clean ${x}"),
            ("\"\"\"/etc/passwd\"\"\"", "/etc/passwd"),
        ] {
            assert_eq!(literals(code), found, "{code}");
        }
    }
}
