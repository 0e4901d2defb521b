//! The commands in a skill's text, whose output stands in their place: `` !`command` `` and blocks that begin with
//! ```` ```! ````. They are found in the text as its author wrote it, before anything is filled in, so that nobody's
//! arguments become a command by standing in it.

/// How many commands one text may have; those after it stay text.
const COMMANDS_MAX: usize = 32;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text.
    Text(&'a str),
    /// A command, and how it is written.
    Command {
        /// The command.
        command: &'a str,
        /// All of it, with what stands around it.
        written: &'a str,
    },
}

/// Takes a text apart.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    let mut commands = 0;
    while at < text.len() && commands < COMMANDS_MAX {
        let found = at_line_start(text, at).then(|| block(&text[at..])).flatten();
        let found = found.or_else(|| inline(text, at));
        let Some((command, length)) = found else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if begin < at {
            pieces.push(Piece::Text(&text[begin..at]));
        }
        pieces.push(Piece::Command { command, written: &text[at..at + length] });
        commands += 1;
        at += length;
        begin = at;
    }
    if begin < text.len() {
        pieces.push(Piece::Text(&text[begin..]));
    }
    pieces
}

fn at_line_start(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n')
}

/// A block of commands that begins here, and how long it is.
fn block(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix("```!")?;
    let (first, body) = rest.split_once('\n')?;
    if !first.trim().is_empty() {
        return None;
    }
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end() == "```" {
            let command = body[..at].trim();
            let length = text.len() - body.len() + at + line.trim_end().len();
            return (!command.is_empty()).then_some((command, length));
        }
        at += line.len();
    }
    None
}

/// A command within a line that begins here, with white space before it.
fn inline(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text[at..].strip_prefix("!`")?;
    if at > 0 && !text[..at].ends_with(char::is_whitespace) {
        return None;
    }
    let end = rest.find(['`', '\n'])?;
    let command = rest[..end].trim();
    (rest[end..].starts_with('`') && !command.is_empty()).then_some((command, end + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_where_they_are_written_and_nowhere_else() {
        let command = |command, written| Piece::Command { command, written };
        assert_eq!(pieces("plain"), [Piece::Text("plain")]);
        assert_eq!(
            pieces("now !`git status` end"),
            [Piece::Text("now "), command("git status", "!`git status`"), Piece::Text(" end")]
        );
        assert_eq!(
            pieces("a\n```!\nls\npwd\n```\nb"),
            [Piece::Text("a\n"), command("ls\npwd", "```!\nls\npwd\n```"), Piece::Text("\nb")]
        );
        for text in ["x!`ls`", "!``", "!`a\nb`", "!`open", "```!\nls\n", "```!bash\nls\n```", "`!ls`"] {
            assert_eq!(pieces(text), [Piece::Text(text)], "{text}");
        }
        let many = "!`a` ".repeat(COMMANDS_MAX + 5);
        let found = pieces(&many).iter().filter(|piece| matches!(piece, Piece::Command { .. })).count();
        assert_eq!(found, COMMANDS_MAX);
    }
}
