//! Commands as somebody writes them who wants to get past the gate: a line of a file each, in which `⏎` stands for a line
//! end and `␍` for a carriage return.

use toolwright::permission::{Mode, Profile};

use super::{Rules, answer};

/// What removes or changes what no mode opens, in every spelling that was thought of.
const STOPPED: &str = include_str!("stopped.txt");
/// What runs `evil`, reads `.env` or writes `kept`, or may do so.
const CLOSED: &str = include_str!("closed.txt");
/// Each command is looked at in one of them, in turn.
const PROFILES: [Profile; 2] = [Profile::V2_1_88, Profile::Current];

fn commands(list: &str) -> impl Iterator<Item = (String, Profile)> {
    let commands = list.lines().map(|line| line.replace('⏎', "\n").replace('␍', "\r"));
    commands.enumerate().map(|(at, command)| (command, PROFILES[at % PROFILES.len()]))
}

#[test]
fn no_spelling_gets_past_the_killswitch() {
    let wrong = commands(STOPPED).filter_map(|(command, profile)| {
        let (given, _) = answer(&["+Bash", "+Edit"], &command, Mode::BypassPermissions, profile, false);
        (given != "deny").then(|| format!("{profile:?} {given}: {command:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_spelling_gets_past_a_rule_that_closes() {
    const RULES: Rules = &["+Bash", "-Edit(kept)", "-Read(.env)", "-Bash(evil *)"];
    let wrong = commands(CLOSED).filter_map(|(command, profile)| {
        let (given, _) = answer(RULES, &command, Mode::Default, profile, true);
        (given == "allow").then(|| format!("{profile:?} {given}: {command:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
