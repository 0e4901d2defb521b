//! Settings files are written for real: under a lock, all at once, and never in place of what is not understood.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Behavior, Destination, RealFiles};
use toolwright::session::Session;
use toolwright::settings::{
    ExtraSettings, PermissionUpdate, Settings, SettingsFiles, SettingsStore, StoreError, StorePlace, Trust,
    save,
};
use toolwright_tools::settings::RealSettings;

/// A home and a project in it.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir_all(folder.path().join("p")).expect("it can be written");
        World { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn places(&self) -> SettingsFiles {
        places(self.folder.path())
    }

    fn add(&self, destination: Destination, rule: &str) -> Result<bool, StoreError> {
        save(&RealSettings::default(), &self.places(), destination, &[added(rule)])
    }

    fn rules(&self) -> Vec<String> {
        let settings = Settings::load(&self.places(), &RealFiles, Trust::Trusted);
        assert!(!settings.is_closed(), "{:?}", settings.diagnostics);
        settings.rules.into_iter().map(|rule| rule.rule.text).collect()
    }
}

fn places(home: &Path) -> SettingsFiles {
    let places = SettingsFiles::usual(home.join("p"), Some(home.to_owned()), None, &RealFiles);
    SettingsFiles { managed: None, managed_folder: None, ..places }
}

fn added(rule: &str) -> PermissionUpdate {
    PermissionUpdate::AddRules(Behavior::Allow, vec![rule.to_owned()])
}

#[test]
fn missing_files_and_folders_are_made_and_the_rule_is_read_again() {
    let world = World::new();
    for destination in [Destination::LocalSettings, Destination::ProjectSettings, Destination::UserSettings] {
        assert!(world.add(destination, "Bash(ls *)").expect("it can be written"));
        assert!(!world.add(destination, "Bash(ls *)").expect("it is there already"));
    }
    assert_eq!(world.rules(), ["Bash(ls *)"; 3]);
    let left: Vec<_> = std::fs::read_dir(world.path("p/.claude")).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 2, "no temporary file is left: {left:?}");
}

#[test]
fn the_mode_of_a_file_and_a_link_to_it_stay() {
    let world = World::new();
    std::fs::create_dir(world.path(".claude")).expect("it can be written");
    std::fs::write(world.path("dotfile.json"), "{ // mine\n}").expect("it can be written");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(world.path("dotfile.json"), private).expect("it is ours");
    symlink("../dotfile.json", world.path(".claude/settings.json")).expect("links can be made");
    assert!(world.add(Destination::UserSettings, "A").expect("it can be written"));
    assert!(world.path(".claude/settings.json").is_symlink());
    let text = std::fs::read_to_string(world.path("dotfile.json")).expect("it is there");
    assert!(text.contains("// mine") && text.contains("\"A\""), "{text}");
    let mode = std::fs::metadata(world.path("dotfile.json")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn links_of_a_project_do_not_choose_which_file_is_written() {
    let world = World::new();
    std::fs::write(world.path("victim.json"), "{}").expect("it can be written");
    std::fs::create_dir(world.path("p/.claude")).expect("it can be written");
    symlink("../../victim.json", world.path("p/.claude/settings.json")).expect("links can be made");
    assert!(matches!(world.add(Destination::ProjectSettings, "A"), Err(StoreError::Link { .. })));
    std::fs::remove_dir_all(world.path("p/.claude")).expect("it is ours");
    std::fs::create_dir(world.path("elsewhere")).expect("it can be written");
    symlink("../elsewhere", world.path("p/.claude")).expect("links can be made");
    assert!(matches!(world.add(Destination::LocalSettings, "A"), Err(StoreError::Link { .. })));
    assert_eq!(std::fs::read_to_string(world.path("victim.json")).expect("it is there"), "{}");
    assert_eq!(std::fs::read_dir(world.path("elsewhere")).expect("it is there").count(), 0);
}

#[test]
fn what_is_not_understood_or_not_to_be_written_is_left() {
    let world = World::new();
    std::fs::create_dir(world.path(".claude")).expect("it can be written");
    let path = world.path(".claude/settings.json");
    for bytes in [b"{\"permissions\"".as_slice(), b"\xff\xfe{}", b"[]"] {
        std::fs::write(&path, bytes).expect("it can be written");
        assert!(world.add(Destination::UserSettings, "A").is_err());
        assert_eq!(std::fs::read(&path).expect("it is there"), bytes);
    }
    std::fs::write(&path, "{}").expect("it can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).expect("it is ours");
    assert!(matches!(world.add(Destination::UserSettings, "A"), Err(StoreError::Io { .. })), "read-only");
    std::fs::remove_file(&path).expect("it is ours");
    std::fs::create_dir(&path).expect("it can be written");
    assert!(matches!(world.add(Destination::UserSettings, "A"), Err(StoreError::Io { .. })), "a folder");
}

#[test]
fn a_lock_is_waited_for_and_not_for_ever() {
    let world = World::new();
    assert!(world.add(Destination::UserSettings, "A").expect("it can be written"));
    let place = StorePlace { path: world.path(".claude/settings.json"), within: None };
    let brief = RealSettings::waiting(Duration::from_millis(50));
    let holding = RealSettings::default().change(&place, &|_| {
        let other = brief.change(&place, &|_| Ok(Some("{}".to_owned())));
        assert!(matches!(other, Err(StoreError::Locked { .. })), "{other:?}");
        Ok(None)
    });
    assert!(!holding.expect("nothing changes"));
    assert!(brief.change(&place, &|_| Ok(Some("{}".to_owned()))).expect("the lock is free again"));
}

/// Where the children of the test below find their world.
const CHILD: &str = "TOOLWRIGHT_SETTINGS_CHILD";
/// How many rules each child adds.
const RULES_EACH: usize = 25;

#[test]
fn two_processes_that_add_rules_at_once_lose_none() {
    if let Ok(given) = std::env::var(CHILD) {
        let (name, home) = given.split_once('=').expect("a name and a folder");
        for index in 0..RULES_EACH {
            let rule = added(&format!("Bash({name} {index})"));
            save(&RealSettings::default(), &places(Path::new(home)), Destination::UserSettings, &[rule])
                .expect("it can be written");
        }
        return;
    }
    let world = World::new();
    let spawn = |name: &str| {
        let mut child = Command::new(std::env::current_exe().expect("a test has a file"));
        child.args(["--exact", "settings::two_processes_that_add_rules_at_once_lose_none"]);
        child
            .env(CHILD, format!("{name}={}", world.folder.path().display()))
            .spawn()
            .expect("it can be started")
    };
    let children = [spawn("a"), spawn("b"), spawn("c")];
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let rules = world.rules();
    assert_eq!(rules.len(), 3 * RULES_EACH);
    for name in ["a", "b", "c"] {
        assert!((0..RULES_EACH).all(|index| rules.contains(&format!("Bash({name} {index})"))), "{name}");
    }
}

#[test]
fn git_says_itself_which_local_files_it_tracks() {
    let git = |folder: &Path, arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.output().is_ok_and(|output| output.status.success())
    };
    let world = World::new();
    let project = world.path("p");
    if !git(&project, &["init", "-q"]) {
        println!("skipped: there is no git");
        return;
    }
    std::fs::write(project.join("a.txt"), "a").expect("it can be written");
    assert!(world.add(Destination::LocalSettings, "A").expect("it can be written"));
    let untrusted = || Settings::load(&world.places(), &RealFiles, Trust::Untrusted).rules.len();
    assert_eq!(untrusted(), 1, "nothing was added to the repository");
    for version in ["2", "3", "4"] {
        assert!(git(&project, &["add", "a.txt"]));
        assert!(git(&project, &["update-index", "--index-version", version]));
        assert_eq!(untrusted(), 1, "version {version}: it is not tracked");
        assert!(git(&project, &["add", ".claude/settings.local.json"]));
        assert!(git(&project, &["update-index", "--index-version", version]));
        assert_eq!(untrusted(), 0, "version {version}: it is tracked");
        assert!(git(&project, &["rm", "-q", "--cached", ".claude/settings.local.json"]));
    }
}

#[tokio::test]
async fn commands_have_the_variables_of_settings() {
    let text = r#"{"env": {"GREETING": "from settings", "BASH_ENV": "/nonsense"}, "permissions": {"allow": ["Bash"]}}"#;
    let places =
        SettingsFiles { extra: vec![ExtraSettings::Json(text.to_owned())], ..SettingsFiles::none("/") };
    let settings = Settings::load(&places, &RealFiles, Trust::Untrusted);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let env = Env::tokio().expect("tests run on tokio");
    let builder = Session::builder(env, toolwright_tools::catalogue()).settings(settings);
    let session = builder.context(Context::new(folder.path())).build();
    let call = ToolUse::new("call", "Bash", r#"{"command": "echo $GREETING $BASH_ENV."}"#);
    let result = session.run_turn(Turn::new(vec![call])).await.results.pop().expect("each call has a result");
    assert!(result.content.to_text().contains("from settings ."), "{}", result.content.to_text());
}
