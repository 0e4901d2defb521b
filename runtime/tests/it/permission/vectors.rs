//! The vectors of the public documentation, through a session.
//!
//! Not here, since they need a shell's syntax tree, which is the tool's part: what allow rules see behind `xargs`,
//! `timeout` and harmless variables (they ask here), `cd other && git log`, and payloads of `bash -c` as commands of their
//! own (they are text that was not understood here). The settings file of a rule is a source here.

use serde_json::{Value, json};
use toolwright::permission::{Behavior, Mode, Profile, Source};

use super::world::{Done, Person, World, with_links};

use Behavior::{Allow, Ask, Deny};

type Rules = &'static [(Behavior, Source, &'static str)];

const USER: Source = Source::UserSettings;
const PROJECT: Source = Source::ProjectSettings;

/// One call in a session with a person who says no.
async fn done(rules: Rules, profile: Profile, mode: Mode, tool: &str, input: Value) -> Done {
    let world = World::new(|builder, _| {
        let links = [("/w/p/project/key", "/home/me/.ssh/id_rsa"), ("/w/p/project/k", "/etc/hosts")];
        let builder = builder.profile(profile).mode(mode).files(with_links(&links)).prompter(Person::no());
        rules
            .iter()
            .fold(builder, |builder, (behavior, source, rule)| builder.rule(*behavior, *source, *rule))
    });
    world.call(tool, input).await
}

fn word(done: &Done) -> &'static str {
    if done.text.contains("there is no tool") {
        return "gone";
    }
    assert_eq!(done.decided().len(), 1, "{done:?}");
    if done.asked() {
        "ask"
    } else if done.ran() {
        "allow"
    } else {
        "deny"
    }
}

fn input(tool: &str, argument: &str) -> Value {
    match tool {
        "Bash" => json!({"command": argument}),
        "WebFetch" => json!({"host": argument}),
        "Agent" | "Task" => match argument.split_once('/') {
            Some((kind, model)) => json!({"kind": kind, "model": model}),
            None => json!({"kind": argument}),
        },
        "Skill" => json!({"name": argument}),
        "Read" | "Edit" | "Write" => json!({"path": argument}),
        _other => json!({}),
    }
}

/// Rules, tool, argument, and the answer by source and over the union.
const VECTORS: &[(Rules, &str, &str, &str, &str)] = &[
    (&[(Allow, PROJECT, "Bash(npm run build)")], "Bash", "npm run build", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(npm run build)")], "Bash", "npm run build -x", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(npm run test *)")], "Bash", "npm run test", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(npm run test *)")], "Bash", "npm run test -- -u", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(ls *)")], "Bash", "lsof", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(ls*)")], "Bash", "lsof", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(git * main)")], "Bash", "git push origin main", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(* install)")], "Bash", "npm ci install", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(safe *)")], "Bash", "safe x && other y", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(npm test *)")], "Bash", "EVIL=1 npm test", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(npm test *)")], "Bash", "timeout 30 npm test", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(grep *)")], "Bash", "xargs -n1 grep p", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(watch *)")], "Bash", "watch ls", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(watch ls)")], "Bash", "watch ls", "allow", "allow"),
    (&[(Allow, PROJECT, "Bash(find *)")], "Bash", "find . -name x -delete", "ask", "ask"),
    (&[(Allow, PROJECT, "Bash(find *)")], "Bash", "find . -name x", "allow", "allow"),
    (&[(Deny, PROJECT, "Bash(rm *)")], "Bash", "FOO=bar rm -rf tmp/", "deny", "deny"),
    (&[(Deny, PROJECT, "Bash(rm *)")], "Bash", "sudo -u me rm x", "deny", "deny"),
    (&[(Deny, PROJECT, "Bash(aws s3 ls*)")], "Bash", "AWS_PROFILE=x aws s3 ls", "deny", "deny"),
    (&[(Allow, PROJECT, "Bash(git:* push)")], "Bash", "git origin push", "ask", "ask"),
    (&[(Allow, USER, "Bash(aws s3 ls)"), (Deny, USER, "Bash(aws *)")], "Bash", "aws s3 ls", "deny", "deny"),
    (&[(Allow, USER, "Bash(git *)"), (Ask, USER, "Bash(git push *)")], "Bash", "git push", "ask", "ask"),
    (&[(Deny, USER, "Bash(x *)"), (Allow, PROJECT, "Bash(x *)")], "Bash", "x y", "allow", "deny"),
    (&[(Allow, USER, "Bash(x *)"), (Deny, PROJECT, "Bash(x *)")], "Bash", "x y", "deny", "deny"),
    (
        &[(Allow, USER, "Bash(git commit *)")],
        "Bash",
        "git commit -m x > .git/hooks/post-commit",
        "ask",
        "ask",
    ),
    (&[(Allow, USER, "Bash(git status)")], "Bash", "git status > /dev/null", "allow", "allow"),
    (&[], "Bash", "cd packages/api && ls", "allow", "allow"),
    (&[(Allow, PROJECT, "Edit(src/**)")], "Edit", "vendor/pkg/src/lib.js", "ask", "ask"),
    (&[(Deny, PROJECT, "Edit(src/**)")], "Edit", "vendor/pkg/src/lib.js", "deny", "deny"),
    (&[(Allow, USER, "Edit(/src/**)")], "Edit", "src/a", "ask", "ask"),
    (&[(Allow, PROJECT, "Edit(/src/**)")], "Edit", "src/a", "allow", "allow"),
    (&[(Deny, USER, "Read(.env)")], "Read", "a/b/.env", "deny", "deny"),
    (&[(Deny, USER, "Read(.env)")], "Read", "../.env", "ask", "ask"),
    (&[(Deny, USER, "Read(//**/.env)")], "Read", "/any/.env", "deny", "deny"),
    (&[(Deny, USER, "Read(**/.env*)")], "Read", "/w/p/a/.env.local", "deny", "deny"),
    (
        &[(Allow, USER, "Read(./project/**)"), (Deny, USER, "Read(~/.ssh/**)")],
        "Read",
        "project/key",
        "deny",
        "deny",
    ),
    (&[(Allow, USER, "Read(./project/**)")], "Read", "project/k", "ask", "ask"),
    (&[(Deny, USER, "Read(x)")], "Edit", "x", "deny", "deny"),
    (&[(Deny, USER, "Read(x)")], "Write", "x", "deny", "deny"),
    (&[(Allow, USER, "Write(docs/**)")], "Write", "docs/a", "ask", "ask"),
    (&[(Allow, USER, "WebFetch(domain:*.example.com)")], "WebFetch", "a.b.example.com", "allow", "allow"),
    (&[(Allow, USER, "WebFetch(domain:*.example.com)")], "WebFetch", "example.com", "ask", "ask"),
    (&[(Allow, USER, "WebFetch(domain:example.*)")], "WebFetch", "example.org", "allow", "allow"),
    (&[(Allow, USER, "WebFetch(domain:example.*)")], "WebFetch", "example.evil.com", "ask", "ask"),
    (&[(Allow, USER, "mcp__puppeteer")], "mcp__puppeteer__nav", "", "allow", "allow"),
    (&[(Allow, USER, "mcp__puppeteer__*")], "mcp__puppeteer__nav", "", "allow", "allow"),
    (&[(Allow, USER, "mcp__puppeteer")], "mcp__puppeteer2__nav", "", "ask", "ask"),
    (&[(Allow, USER, "mcp__*")], "mcp__puppeteer__nav", "", "ask", "ask"),
    (&[(Deny, USER, "mcp__*")], "mcp__puppeteer__nav", "", "gone", "gone"),
    (&[(Deny, USER, "Agent(model:opus)"), (Allow, USER, "Agent")], "Agent", "x/opus", "deny", "deny"),
    (&[(Deny, USER, "Agent(model:opus)"), (Allow, USER, "Agent")], "Agent", "x", "allow", "allow"),
    (
        &[(Deny, USER, "Agent(model:opus)"), (Allow, USER, "Agent")],
        "Agent",
        "x/claude-opus-5",
        "allow",
        "allow",
    ),
    (
        &[(Ask, USER, "Task( model : *opus* )"), (Allow, USER, "Agent")],
        "Agent",
        "x/claude-opus-5",
        "ask",
        "ask",
    ),
    (&[(Deny, USER, "Agent(model:*)"), (Allow, USER, "Agent")], "Agent", "x/opus", "deny", "deny"),
    (&[(Deny, USER, "Agent(model:*)"), (Allow, USER, "Agent")], "Agent", "x", "allow", "allow"),
    (&[(Allow, USER, "Task(review)")], "Agent", "review", "allow", "allow"),
    (&[(Deny, USER, "Task(review)"), (Allow, USER, "Agent")], "Task", "review", "deny", "deny"),
    (&[(Deny, USER, "Agent(review)"), (Allow, USER, "Agent")], "Agent", "review", "deny", "deny"),
    (&[(Deny, USER, "Agent(review)"), (Allow, USER, "Agent")], "Agent", "other", "allow", "allow"),
    (&[(Deny, USER, "Bash(command:rm *)"), (Allow, USER, "Bash")], "Bash", "rm x", "ask", "ask"),
    (&[(Allow, USER, "Skill(review:*)")], "Skill", "review", "allow", "allow"),
    (&[(Allow, USER, "Skill(review)")], "Skill", "review2", "ask", "ask"),
    // Reports of users of comparable systems.
    (&[(Allow, USER, "Bash(cd:*)")], "Bash", "cd /p && python3 s.py", "ask", "ask"),
    (&[(Allow, USER, "Bash(git log:*)")], "Bash", "git log -1; touch x", "ask", "ask"),
    (&[(Deny, USER, "Bash(git clean:*)")], "Bash", "git fetch && git pull && git clean -fd", "deny", "deny"),
    (&[(Deny, USER, "Bash(rm *)")], "Bash", "find . -name x | xargs rm", "deny", "deny"),
    (&[(Deny, USER, "Bash(rm *)")], "Bash", "find . -exec rm {} \\;", "deny", "deny"),
    (&[(Deny, USER, "Bash(rm *)")], "Bash", "a; rm b", "deny", "deny"),
    (&[(Deny, USER, "Bash(rm *)")], "Bash", "a && rm b", "deny", "deny"),
    (&[(Allow, USER, "Bash(git status*)")], "Bash", "git status && rm -rf x", "ask", "ask"),
    (&[(Allow, USER, "Bash(git stash *)")], "Bash", "git stash", "allow", "allow"),
    (&[(Allow, USER, "Bash(git commit *)")], "Bash", "git \t commit   -m x", "allow", "allow"),
    (&[(Allow, USER, "Bash(echo:*)")], "Bash", "echo $(curl x | sh)", "ask", "ask"),
    (&[(Deny, USER, "Bash(rm *)")], "Bash", "bash -c 'rm -rf x' $y", "deny", "deny"),
    (&[(Deny, USER, "Bash(rm *)")], "Bash", "FOO=bar rm -rf tmp/ $x", "deny", "deny"),
    (&[(Deny, USER, "Read(~/Desktop/**)")], "Bash", "cat \"$HOME/Desktop/x\"", "deny", "deny"),
    (&[(Allow, USER, "Bash(mkdir *)")], "Bash", "mkdir -p bar && make > bar/t", "ask", "ask"),
];

#[tokio::test]
async fn the_documented_vectors() {
    for (rules, tool, argument, by_source, over_union) in VECTORS {
        for (profile, expected) in [(Profile::V2_1_88, by_source), (Profile::Current, over_union)] {
            let done = done(rules, profile, Mode::Default, tool, input(tool, argument)).await;
            assert_eq!(word(&done), *expected, "{rules:?} {tool} {argument} {profile:?}: {}", done.text);
        }
    }
}

/// Rules, tool, argument, and the answer in default, acceptEdits, plan, auto, dontAsk and bypassPermissions.
const BY_MODE: &[(Rules, &str, &str, [&str; 6])] = &[
    (&[(Allow, USER, "Bash")], "Bash", "rm -rf /", ["ask", "ask", "ask", "ask", "deny", "deny"]),
    (&[(Allow, USER, "Bash")], "Bash", "rm -rf ~", ["ask", "ask", "ask", "ask", "deny", "deny"]),
    (&[(Allow, USER, "Bash")], "Bash", "rm -rf \"$D\"/*", ["ask", "ask", "ask", "ask", "deny", "deny"]),
    (&[(Allow, USER, "Bash")], "Bash", "echo \"$(rm -rf ~)\"", ["ask", "ask", "ask", "ask", "deny", "deny"]),
    (
        &[(Allow, USER, "Edit(.claude/**)"), (Allow, PROJECT, "Edit(.claude/**)")],
        "Edit",
        ".claude/settings.json",
        ["ask", "ask", "ask", "ask", "deny", "deny"],
    ),
    (&[(Deny, USER, "Bash(git push *)")], "Bash", "git push", ["deny"; 6]),
    (&[(Ask, USER, "Bash(git push *)")], "Bash", "git push", ["ask", "ask", "ask", "ask", "deny", "ask"]),
    (&[(Allow, USER, "Question")], "Question", "", ["ask", "ask", "ask", "ask", "deny", "ask"]),
    (&[], "Edit", "a", ["ask", "allow", "deny", "ask", "deny", "allow"]),
];

#[tokio::test]
async fn the_documented_vectors_by_mode() {
    let modes =
        [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Auto, Mode::DontAsk, Mode::BypassPermissions];
    for (rules, tool, argument, answers) in BY_MODE {
        for (mode, expected) in modes.into_iter().zip(answers) {
            for profile in super::world::PROFILES {
                let done = done(rules, profile, mode, tool, input(tool, argument)).await;
                assert_eq!(word(&done), *expected, "{tool} {argument} {mode} {profile:?}: {}", done.text);
            }
        }
    }
}

#[tokio::test]
async fn the_session_reports_rules_that_do_not_do_what_they_say() {
    let problems = |rules: Rules, profile| {
        let world = World::new(|builder, _| {
            let builder = builder.profile(profile);
            rules
                .iter()
                .fold(builder, |builder, (behavior, source, rule)| builder.rule(*behavior, *source, *rule))
        });
        world.session.rule_problems().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for rules in [
        &[(Allow, USER, "Write(docs/**)")] as Rules,
        &[(Allow, USER, "mcp__*")],
        &[(Deny, USER, "Bash(command:rm *)")],
        &[(Deny, USER, "Bash(x")],
    ] {
        assert_eq!(problems(rules, Profile::Current).len(), 1, "{rules:?}");
    }
    let lifted: Rules = &[(Deny, USER, "Bash(x *)"), (Allow, PROJECT, "Bash(x *)")];
    let told = "rule `Bash(x *)` (userSettings): where both match, `Bash(x *) (projectSettings)` decides, since its \
                source is higher";
    assert_eq!(problems(lifted, Profile::V2_1_88), [told]);
    assert!(problems(lifted, Profile::Current).is_empty());
}
