//! Programs that hand a text to a shell in a terminal of their own: `tmux` and `screen`.

use super::word::Word;
use super::wrappers::Inner;
use crate::shell::syntax::Doubt;

/// Commands of `tmux` that run what stands behind their options, and those of their options that take a value.
const RUNNING: &[(&[&str], &str)] = &[
    (&["display-popup", "popup"], "bcdehsStTwxy"),
    (&["new", "new-session"], "ceFfnstxy"),
    (&["new-window", "neww"], "ceFnt"),
    (&["pipe-pane", "pipep"], "t"),
    (&["respawn-pane", "respawn-window", "respawnp", "respawnw"], "cet"),
    (&["run", "run-shell"], "cdt"),
    (&["split-window", "splitw"], "ceFlpt"),
];
/// Commands of `tmux` that type what stands behind their options, and those of their options that take a value.
const TYPING: (&[&str], &str) = (&["send", "send-keys"], "cNt");
/// Commands of `tmux` that run nothing, unless a format among their words does.
const LOOKING: &str = "a at attach attach-session capture-pane capturep clear-history clearhist detach detach-client display \
     display-message has has-session kill-pane kill-server kill-session kill-window killp killw last last-window \
     list-buffers list-clients list-commands list-keys list-panes list-sessions list-windows ls lsb lsc lscm lsk lsp lsw \
     next next-window prev previous-window refresh refresh-client rename rename-session rename-window renamew resize-pane \
     resize-window resizep resizew select-layout select-pane select-window selectl selectp selectw show show-buffer \
     show-messages show-options showb showmsgs showw start start-server switch-client switchc wait wait-for";
/// Keys with which a line ends.
const LINE_ENDS: &[&str] = &["C-m", "Enter", "KPEnter"];
/// Keys that end or interrupt a program, or clear what is seen.
const ENDS: &[&str] = &["C-c", "C-d", "C-l", "C-z"];

/// What `tmux` or `screen` runs; nothing where the program is another.
pub(super) fn multiplexed(name: &str, arguments: &[Word]) -> Result<Option<Inner>, Doubt> {
    match name {
        "screen" => screen(arguments).map(Some),
        "tmux" => tmux(arguments).map(Some),
        _other => Ok(None),
    }
}

fn tmux(arguments: &[Word]) -> Result<Inner, Doubt> {
    // A format runs a command, wherever it stands.
    if let Some(odd) = arguments.iter().find(|word| word.value.contains("#(")) {
        return Err(Doubt::new(format!("`tmux` runs what is in `{}`, which is not told", odd.typed)));
    }
    let (_options, mut rest) = options("tmux", arguments, "2CDdlNuVv", "cfLST")?;
    if let Some(shell) = arguments[..arguments.len() - rest.len()].iter().find(|word| word.value == "-c") {
        return Err(Doubt::new(format!("`{}` of `tmux` runs another command", shell.typed)));
    }
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|word| word.value.ends_with(';')).unwrap_or(rest.len());
        let (command, behind) = rest.split_at(end);
        let ended =
            behind.first().map(|last| last.value.trim_end_matches(';')).filter(|last| !last.is_empty());
        let mut command = command.to_vec();
        command.extend(ended.map(Word::plain));
        texts.extend(command_of_tmux(&command)?);
        rest = behind.get(1..).unwrap_or_default();
    }
    Ok(if texts.is_empty() { Inner::None } else { Inner::Script { text: texts.join("\n") } })
}

/// The text that one command of `tmux` hands to a shell, if any.
fn command_of_tmux(words: &[Word]) -> Result<Option<String>, Doubt> {
    let Some((command, arguments)) = words.split_first() else { return Ok(None) };
    let name = command.value.as_str();
    if LOOKING.split_whitespace().any(|known| known == name) {
        return Ok(None);
    }
    let all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    if let Some((_, valued)) = RUNNING.iter().find(|(names, _)| names.contains(&name)) {
        let flags: String = all.chars().filter(|letter| !valued.contains(*letter)).collect();
        let (letters, behind) = options(name, arguments, &flags, valued)?;
        if name.starts_with("run") && letters.contains('C') {
            return Err(Doubt::new(format!("`-C` of `{name}` runs what is not read here")));
        }
        return told(name, behind).map(|text| Some(text).filter(|text| !text.is_empty()));
    }
    let (typing, valued) = TYPING;
    if !typing.contains(&name) {
        return Err(Doubt::new(format!("`tmux {name}` may run another command")));
    }
    let flags: String = all.chars().filter(|letter| !valued.contains(*letter)).collect();
    let (letters, behind) = options(name, arguments, &flags, valued)?;
    if letters.contains(['H', 'X']) {
        return Err(Doubt::new(format!("what `tmux {name}` types is not told")));
    }
    if letters.contains('l') {
        return told(name, behind).map(Some);
    }
    let mut text = String::new();
    for key in behind {
        let value = key.value.as_str();
        let is_key =
            value.len() > 1 && (value.starts_with("C-") || value.starts_with("M-") || is_name(value));
        match value {
            "Space" => text.push(' '),
            end if LINE_ENDS.contains(&end) => text.push('\n'),
            end if ENDS.contains(&end) => text.push('\n'),
            _odd if is_key => return Err(Doubt::new(format!("the key `{value}` is not followed"))),
            _typed => text.push_str(&told(name, std::slice::from_ref(key))?),
        }
    }
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Whether a word is the name of a key that brings back what was typed before, or edits it.
fn is_name(word: &str) -> bool {
    const NAMES: &[&str] = &[
        "BSpace", "BTab", "DC", "Down", "End", "Escape", "Home", "IC", "Left", "NPage", "PPage", "Right",
        "Tab", "Up",
    ];
    NAMES.contains(&word)
}

fn screen(arguments: &[Word]) -> Result<Inner, Doubt> {
    const SHOWING: &[&str] = &["--help", "--version", "-list", "-ls", "-v", "-wipe"];
    if arguments.first().is_some_and(|word| SHOWING.contains(&word.value.as_str())) {
        return Ok(Inner::None);
    }
    let (letters, words) = options("screen", arguments, "aADdfilLmnOqrRUwxX", "ceEhpsStT")?;
    let command = |words: &[Word]| Inner::Command {
        words: words.to_vec(),
        is_transparent: false,
        settings: Vec::new(),
    };
    let Some((first, behind)) = words.split_first() else { return Ok(Inner::None) };
    if !letters.contains('X') {
        // Behind these stands the name of a session.
        let resumes =
            letters.contains(['r', 'R', 'x']) || (letters.contains(['d', 'D']) && !letters.contains('m'));
        return Ok(if resumes && behind.is_empty() { Inner::None } else { command(words) });
    }
    match first.value.as_str() {
        "detach" | "kill" | "quit" | "sessionname" | "title" => Ok(Inner::None),
        "screen" | "exec" if !behind.is_empty() => Ok(command(behind)),
        "stuff" => {
            let text = told("screen", behind)?;
            let ends = ["\\n", "\\r", "^M", "^m", "^J", "\\015", "\\012", "\r"];
            Ok(Inner::Script { text: ends.iter().fold(text, |text, end| text.replace(end, "\n")) })
        }
        other => Err(Doubt::new(format!("`screen -X {other}` may run another command"))),
    }
}

/// The letters of the options that stand first, and what stands behind them.
fn options<'w>(
    name: &str,
    arguments: &'w [Word],
    flags: &str,
    valued: &str,
) -> Result<(String, &'w [Word]), Doubt> {
    let mut letters = String::new();
    let mut rest = arguments;
    while let [word, after @ ..] = rest {
        if word.value == "--" {
            return Ok((letters, after));
        }
        let Some(given) = word.value.strip_prefix('-').filter(|given| !given.is_empty()) else { break };
        rest = after;
        for (at, letter) in given.char_indices() {
            let is_valued = valued.contains(letter);
            if !word.is_known() || !(is_valued || flags.contains(letter)) {
                return Err(Doubt::new(format!("the option `{}` of `{name}` is not known", word.typed)));
            }
            letters.push(letter);
            if is_valued {
                if at + letter.len_utf8() == given.len() {
                    rest = rest.get(1..).unwrap_or_default();
                }
                break;
            }
        }
    }
    Ok((letters, rest))
}

/// Words as one text, where they are told.
fn told(name: &str, words: &[Word]) -> Result<String, Doubt> {
    if let Some(odd) = words.iter().find(|word| !word.is_known() || word.has_wildcard || word.has_tilde) {
        return Err(Doubt::new(format!("`{name}` runs `{}`, which is not told", odd.typed)));
    }
    Ok(words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" "))
}
