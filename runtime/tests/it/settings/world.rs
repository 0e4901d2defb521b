//! A project in memory: a folder, a home, and managed settings.

use toolwright::settings::{Diagnostic, ExtraSettings, MemoryFiles, Settings, SettingsFiles, Trust};

pub(super) const MANAGED: &str = "/etc/claude-code/managed-settings.json";
pub(super) const LOCAL: &str = "/w/p/.claude/settings.local.json";
pub(super) const PROJECT: &str = "/w/p/.claude/settings.json";
pub(super) const USER: &str = "/home/me/.claude/settings.json";

/// Files, and what the command line says.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub(super) files: MemoryFiles,
    extra: Vec<ExtraSettings>,
    trust: Trust,
}

impl World {
    pub(super) fn new(files: &[(&str, &str)]) -> World {
        let world = World::default();
        for (path, content) in files {
            world.files.put(*path, *content);
        }
        world
    }

    pub(super) fn trusted(mut self) -> World {
        self.trust = Trust::Trusted;
        self
    }

    pub(super) fn extra(mut self, extra: ExtraSettings) -> World {
        self.extra.push(extra);
        self
    }

    pub(super) fn places(&self) -> SettingsFiles {
        let places = SettingsFiles::usual("/w/p", Some("/home/me".into()), None, &self.files);
        SettingsFiles { extra: self.extra.clone(), ..places }
    }

    pub(super) fn load(&self) -> Settings {
        Settings::load(&self.places(), &self.files, self.trust)
    }
}

/// The rules as `behavior text`, the highest layer first.
pub(super) fn rules(settings: &Settings) -> Vec<String> {
    settings.rules.iter().map(|rule| format!("{:?} {}", rule.rule.behavior, rule.rule.text)).collect()
}

pub(super) fn lines(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(ToString::to_string).collect()
}
