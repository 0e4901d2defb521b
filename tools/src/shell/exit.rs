//! What an exit code means: some programs answer a question with it.

use super::syntax::{Flat, Link, flat, parse};

/// Programs whose exit code 1 is an answer, and what it says.
const ANSWERS: &[(&str, &str)] = &[
    ("[", "the condition is false"),
    ("diff", "the files differ"),
    ("egrep", "nothing matches"),
    ("fgrep", "nothing matches"),
    ("find", "some folders could not be read"),
    ("grep", "nothing matches"),
    ("rg", "nothing matches"),
    ("test", "the condition is false"),
];

/// Commands of git whose exit code 1 is an answer.
const GIT_ANSWERS: &[(&str, &str)] = &[("diff", "there are differences"), ("grep", "nothing matches")];

/// Programs that hardly ever fail, so that a list's exit code is not theirs. A `cd` that fails says so in the output.
const SURE: &[&str] = &["cd", "echo", "printf", "pwd", "true"];

/// What exit code 1 of a command line answers; nothing when it is a failure, or may be one.
pub(crate) fn answer(command: &str, code: i32) -> Option<&'static str> {
    if code != 1 {
        return None;
    }
    let commands = flat(&parse(command).ok()?)?;
    let (last, before) = commands.split_last()?;
    let answer = answer_of(last)?;
    // The code may come from a command before `&&`: it is an answer only if that one could not fail otherwise.
    let chained = before.iter().rev().take_while(|simple| matches!(simple.link, Link::And | Link::Pipe));
    let mut ends_pipe = chained.filter(|simple| simple.link == Link::And);
    ends_pipe.all(|simple| is_sure(simple) || answer_of(simple).is_some()).then_some(answer)
}

fn answer_of(simple: &Flat) -> Option<&'static str> {
    let name = simple.words.first()?.as_str();
    let find = |answers: &[(&str, &'static str)], name: &str| {
        answers.iter().find(|(known, _answer)| *known == name).map(|(_known, answer)| *answer)
    };
    if name == "git" {
        return find(GIT_ANSWERS, simple.words.get(1)?);
    }
    find(ANSWERS, name)
}

fn is_sure(simple: &Flat) -> bool {
    simple.words.first().is_some_and(|word| SURE.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn exit_code_1_of_a_question_is_an_answer() {
        for command in [
            "grep x f",
            "cat f | grep x",
            "cd a && grep x f",
            "make; rg x",
            "make || grep x f",
            "grep a f && grep b f",
            "git diff --exit-code",
            "[ -f x ]",
            "cd a && cat f | grep x",
        ] {
            assert!(answer(command, 1).is_some(), "{command}");
        }
    }

    #[test]
    fn any_other_code_or_command_is_a_failure() {
        for command in
            ["make", "grep x f | sort", "make && grep x f", "grep x $f", "git push", "git", "grep x | make"]
        {
            assert_eq!(answer(command, 1), None, "{command}");
        }
        assert_eq!(answer("grep x f", 2), None);
    }
}
