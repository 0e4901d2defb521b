//! Commands that only wait: refused, since they hold up the turn and show nothing.

/// How many seconds a command may begin by waiting.
const SECONDS_MAX: f64 = 2.0;

/// Refuses a command that begins by sleeping, with what to do instead.
pub(crate) fn check(command: &str) -> Result<(), String> {
    let Some((typed, seconds, rest)) = leading_sleep(command) else { return Ok(()) };
    if seconds < SECONDS_MAX {
        return Ok(());
    }
    let followed = if rest.is_empty() { String::new() } else { format!(" before `{rest}`") };
    Err(format!(
        "`sleep {typed}`{followed} only waits: run what you wait for in the foreground with a longer `timeout`, or in the \
         background, whose end you are told; or check in a loop such as `until CONDITION; do sleep 1; done`"
    ))
}

/// The duration a command begins by sleeping, as typed and in seconds, and what follows.
fn leading_sleep(command: &str) -> Option<(&str, f64, &str)> {
    let rest = command.trim().strip_prefix("sleep")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start_matches([' ', '\t']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    let (typed, rest) = rest.split_at(end);
    let rest = rest.trim_start_matches([' ', '\t']);
    let follows = ["&&", "||", ";", "\n"].iter().find_map(|operator| rest.strip_prefix(operator));
    let rest = if rest.is_empty() { Some(rest) } else { follows }?;
    let (number, unit) = match typed.char_indices().last()? {
        (at, 's') => (&typed[..at], 1.0),
        (at, 'm') => (&typed[..at], 60.0),
        (at, 'h') => (&typed[..at], 3_600.0),
        (at, 'd') => (&typed[..at], 86_400.0),
        _digit => (typed, 1.0),
    };
    Some((typed, number.parse::<f64>().ok()? * unit, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn waiting_first_is_refused() {
        for command in
            ["sleep 30", " sleep 2 ; ls", "sleep 5&& ls", "sleep 1m\nls", "sleep 2.5s || x", "sleep 99h"]
        {
            assert!(check(command).is_err(), "{command}");
        }
    }

    #[test]
    fn waiting_shortly_or_later_is_not() {
        for command in
            ["sleep 1", "sleep 0.5; ls", "ls; sleep 30", "sleep 5 & ls", "sleepy 5", "sleep", "sleep x"]
        {
            assert_eq!(check(command), Ok(()), "{command}");
        }
    }
}
