//! Paths that no rule can approve being written.

use toolwright::contract::Effect;
use toolwright::permission::{Behavior, HookSays, Mode, Profile, Source};

use super::world::{Case, MODES, PROFILES, path, with_links};

const PROTECTED: &[&str] = &[
    "/w/p/.git/HEAD",
    "/w/p/.config/git/ignore",
    "/w/p/.vscode",
    "/w/p/.vscode/tasks.json",
    "/w/p/.VSCode/tasks.json",
    "/w/p/a/.idea/x",
    "/w/p/.husky/pre-push",
    "/w/p/.cargo/config.toml",
    "/w/p/.devcontainer/x",
    "/w/p/.yarn/x",
    "/w/p/.mvn/x",
    "/w/p/.claude/commands/x.md",
    "/w/p/.claude/worktrees",
    "/w/p/.claude/worktrees/../commands/x.md",
    "/w/p/.claude/worktrees/a/.vscode/tasks.json",
    "/w/p/.claude/worktrees/a/.claude/commands/x.md",
    "/w/p/.Claude/worktrees/a",
    "/w/p/.gitmodules",
    "/w/p/.envrc",
    "/w/p/.npmrc",
    "/w/p/.pnp.cjs",
    "/w/p/bunfig.toml",
    "/w/p/.pre-commit-config.yaml",
    "/w/p/lefthook.yml",
    "/w/p/gradle-wrapper.properties",
    "/w/p/.mcp.json",
    "/w/p/.MCP.json",
    "/home/me/.gitconfig",
    "/home/me/.claude.json",
];

const OPEN: &[&str] = &[
    "/w/p/.github/workflows/x",
    "/w/p/.gitignore",
    "/w/p/.gitx/HEAD",
    "/w/p/git/HEAD",
    "/w/p/.config/x",
    "/w/p/.claude/worktrees/a/src/x",
    "/w/p/.claudex/y",
    "/w/p/.mcp.json.md",
    "/w/p/profile",
];

fn expected(mode: Mode, profile: Profile, has_person: bool) -> &'static str {
    match (mode, profile, has_person) {
        (Mode::DontAsk, _, _) | (Mode::BypassPermissions, Profile::V2_1_88, false) => "deny",
        (Mode::BypassPermissions, Profile::V2_1_88, true) => "person",
        (Mode::BypassPermissions, Profile::Current, _) => "allow",
        (Mode::Default | Mode::Plan | Mode::AcceptEdits | Mode::Auto | Mode::Bubble, _, true) => "anyone",
        (Mode::Default | Mode::Plan | Mode::AcceptEdits | Mode::Auto | Mode::Bubble, _, false) => "hooks",
    }
}

#[test]
fn no_rule_approves_them_and_each_mode_has_its_answer() {
    for at in PROTECTED {
        for effect in [path(Effect::Write, at), path(Effect::Remove, at)] {
            for mode in MODES {
                for profile in PROFILES {
                    for has_person in [true, false] {
                        let case = Case { profile, has_person, ..Case::new(effect.clone()) }.mode(mode);
                        let case = case.rule(Behavior::Allow, Source::CliArg, "Edit(//**)");
                        let word = case.rule(Behavior::Allow, Source::CliArg, "Some").word();
                        assert_eq!(
                            word,
                            expected(mode, profile, has_person),
                            "{mode} {profile:?} {effect:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn reading_them_and_writing_beside_them_is_nothing_special() {
    for at in PROTECTED {
        assert_eq!(Case::new(path(Effect::Read, at)).allow("Some").word(), "allow", "{at}");
    }
    for at in OPEN {
        assert_eq!(Case::new(path(Effect::Write, at)).allow("Some").word(), "allow", "{at}");
    }
}

#[test]
fn a_hooks_allow_answers_for_them_too() {
    for mode in MODES {
        let hook = HookSays::Allow("fine".to_owned());
        let case = Case { hook, ..Case::new(path(Effect::Write, "/w/p/.vscode/a")) };
        assert_eq!(case.mode(mode).by(), "hook");
    }
}

#[test]
fn a_link_to_one_is_one_and_so_is_a_link_in_its_place() {
    let links = with_links(&[("/w/p/in", "/w/p/.vscode"), ("/w/p/.idea", "/w/p/free")]);
    for at in ["/w/p/in/tasks.json", "/w/p/.idea/x"] {
        let case = Case { links: links.clone(), ..Case::new(path(Effect::Write, at)) };
        assert_eq!(case.mode(Mode::AcceptEdits).allow("Some").word(), "anyone", "{at}");
    }
}
