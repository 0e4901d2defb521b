//! Reading all files, and making one of them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::diagnostic::{Diagnostic, Severity};
use super::document::{self, Node, Remark};
use super::files::{FilePlace, LayerFile, is_absence};
use super::merged::{merge_maps, typed};
use super::read::{FileSettings, Reader, join};
use super::{Layer, Settings, SettingsFile, SettingsFiles, SettingsHooks, SettingsRule, Trust};
use crate::contract::absolute;
use crate::hooks::{HookLayer, HookProblem};
use crate::permission::{Files, RuleText};

/// How large a settings file may be.
pub const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// How files are named that the command line holds itself.
const INLINE: &str = "--settings";
/// The keys that say something of hooks.
const HOOK_KEYS: &[&str] =
    &["hooks", "disableAllHooks", "allowManagedHooksOnly", "allowedHttpHookUrls", "httpHookAllowedEnvVars"];
/// What may stand before the text of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Settings {
    /// Reads all files, and makes one of them. Whatever is wrong is told, and the rest counts; what may have been lost
    /// of what closes, closes everything.
    #[must_use]
    pub fn load(places: &SettingsFiles, files: &dyn Files, trust: Trust) -> Settings {
        let mut settings = Settings::default();
        let mut layers: Vec<(usize, FileSettings)> = Vec::new();
        for file in places.all(files) {
            let index = settings.files.len();
            if let Some(read) = settings.read(&file, places, files, trust) {
                layers.push((index, read));
            }
        }
        settings.merge(&layers, places);
        settings
    }

    /// Reads one file; nothing where there is none.
    fn read(
        &mut self,
        file: &LayerFile,
        places: &SettingsFiles,
        files: &dyn Files,
        trust: Trust,
    ) -> Option<FileSettings> {
        let path = match &file.place {
            FilePlace::Path(path) | FilePlace::Lost(path, _) => Some(path.clone()),
            FilePlace::Text(_) => None,
        };
        let name = path.as_ref().map_or_else(|| INLINE.to_owned(), |path| path.display().to_string());
        let mut found = SettingsFile {
            name: name.clone(),
            path,
            layer: file.layer,
            trust: Trust::Trusted,
            text: String::new(),
            root: None,
        };
        match text_of(file, files) {
            Found::Nothing => return None,
            Found::Text(text) => found.text = text,
            Found::Lost(why) => {
                let message = format!("{why}; what it denies is lost, so nothing is allowed automatically");
                self.lose(&name, message);
                self.files.push(found);
                return None;
            }
        }
        let has_mark = found.text.starts_with(BYTE_ORDER_MARK);
        found.text.drain(..if has_mark { BYTE_ORDER_MARK.len() } else { 0 });
        let link = match (&file.place, file.layer) {
            (FilePlace::Path(path), Layer::Local) => places.is_projects(path, files),
            _other => None,
        };
        if (file.layer == Layer::Project || link.is_some()) && trust == Trust::Untrusted {
            found.trust = Trust::Untrusted;
        }
        let read = self.taken_apart(&mut found, has_mark, link);
        self.files.push(found);
        self.hooks_of(self.files.len() - 1);
        Some(read)
    }

    /// The hooks of a file. A handler that cannot be read is told, and the rest runs.
    fn hooks_of(&mut self, index: usize) {
        let file = &self.files[index];
        let Some(value) = file.root.as_ref().map(Node::to_json) else { return };
        if !HOOK_KEYS.iter().any(|key| value.get(key).is_some()) {
            return;
        }
        let (mut hooks, problems) = HookLayer::from_settings(file.layer.source(), &value);
        hooks.is_trusted = file.trust == Trust::Trusted;
        let is_trusted = hooks.is_trusted;
        self.hooks.push(SettingsHooks { file: index, hooks });
        // What is wrong with the switches was told where they were read, and what does not run need not be right.
        for problem in problems.into_iter().filter(|_| is_trusted) {
            let is_within = problem.pointer.starts_with("/hooks/");
            let HookProblem { pointer, reason } = problem;
            if is_within {
                let range = self.range_at(index, &pointer);
                self.say_of(index, Severity::Error, range, &dotted(&pointer), &reason);
            }
        }
    }

    fn taken_apart(&mut self, file: &mut SettingsFile, has_mark: bool, link: Option<&str>) -> FileSettings {
        let parsed = document::read(&file.text);
        let mut reader = Reader {
            file: &file.name,
            text: &file.text,
            layer: file.layer,
            opens: file.trust == Trust::Trusted,
            diagnostics: Vec::new(),
            out: FileSettings::default(),
        };
        if has_mark {
            let message = "it begins with a byte order mark, which is not JSON: other programs may refuse it";
            reader.say(Severity::Warning, 0..0, "", message, None);
        }
        if let (Some(link), false) = (link, reader.opens) {
            let message = format!("it counts as a file of the project, since {link}");
            reader.say(Severity::Note, 0..0, "", message, None);
        }
        let root = match parsed {
            Ok((root, remarks)) => {
                for Remark { range, message } in remarks {
                    reader.say(Severity::Warning, range, "", message, None);
                }
                reader.root(&root);
                Some(root)
            }
            Err(_) if file.text.trim().is_empty() => {
                reader.lost(0..0, "", "the file is empty: write `{}` if it is meant to say nothing");
                None
            }
            Err(Remark { range, message }) => {
                reader.lost(range, "", &format!("this is not JSON: {message}"));
                None
            }
        };
        let Reader { diagnostics, out, .. } = reader;
        self.diagnostics.extend(diagnostics);
        if out.is_broken {
            self.closed_by.push(file.name.clone());
        }
        file.root = root;
        out
    }

    fn lose(&mut self, name: &str, message: String) {
        self.closed_by.push(name.to_owned());
        self.diagnostics.push(Diagnostic {
            file: name.to_owned(),
            place: None,
            path: String::new(),
            severity: Severity::Error,
            message,
            help: None,
        });
    }

    fn merge(&mut self, layers: &[(usize, FileSettings)], places: &SettingsFiles) {
        let mut plain: Map<String, Value> = Map::new();
        for (index, file) in layers {
            let layer = self.files[*index].layer;
            self.merge_rules(*index, file);
            self.merge_directories(*index, file, places);
            self.default_mode = self.default_mode.or(file.default_mode.map(|mode| (mode, layer)));
            self.is_bypass_disabled |= file.is_bypass_disabled;
            self.is_auto_disabled |= file.is_auto_disabled;
            self.only_managed_rules |= file.only_managed_rules;
            merge_maps(&mut plain, &file.plain);
            merge_maps(&mut self.other, &file.other);
            for (name, value) in &file.env {
                self.env.entry(name.clone()).or_insert_with(|| value.clone());
            }
            for (name, server) in &file.mcp_servers {
                self.mcp_servers.entry(name.clone()).or_insert_with(|| (layer, server.clone()));
            }
        }
        self.sandbox = typed(&mut plain, "sandbox");
        self.auto_mode = typed(&mut plain, "autoMode");
        self.use_auto_mode_during_plan = typed(&mut plain, "useAutoModeDuringPlan");
        self.keep_rules();
        self.tell_idle(layers);
    }

    fn merge_rules(&mut self, index: usize, file: &FileSettings) {
        let layer = self.files[index].layer;
        for entry in &file.rules {
            let rule = RuleText::new(entry.behavior, layer.source(), entry.text.value.clone());
            let rule = match self.files[index].folder() {
                Some(folder) => rule.in_folder(folder),
                None => rule,
            };
            let (range, path) = (entry.text.range.clone(), entry.text.path.clone());
            self.rules.push(SettingsRule { rule, file: index, range, path });
        }
    }

    fn merge_directories(&mut self, index: usize, file: &FileSettings, places: &SettingsFiles) {
        for entry in &file.directories {
            let needs_home = entry.value == "~" || entry.value.starts_with("~/");
            if needs_home && places.home.is_none() {
                let message = "the home directory is not known, so it does not count";
                self.say_of(index, Severity::Error, entry.range.clone(), &entry.path, message);
                continue;
            }
            let directory = absolute(&places.root, places.home.as_deref(), Path::new(&entry.value));
            if !self.additional_directories.contains(&directory) {
                self.additional_directories.push(directory);
            }
        }
    }

    /// Where managed settings want no other rules, the others do not count, whatever they say.
    fn keep_rules(&mut self) {
        if !self.only_managed_rules {
            return;
        }
        let (kept, dropped): (Vec<_>, Vec<_>) = std::mem::take(&mut self.rules)
            .into_iter()
            .partition(|rule| self.files[rule.file].layer == Layer::Managed);
        self.rules = kept;
        for rule in dropped {
            let message = "it does not count: managed settings allow no rules but their own";
            self.say_of(rule.file, Severity::Warning, rule.range, &rule.path, message);
        }
    }
}

impl SettingsFile {
    /// What `/x` in a rule of this file hangs on, where it is not the usual place of its source.
    fn folder(&self) -> Option<PathBuf> {
        match self.layer {
            Layer::CommandLine | Layer::User => self.path.as_ref()?.parent().map(Path::to_owned),
            Layer::Managed | Layer::Local | Layer::Project => None,
        }
    }
}

/// A JSON pointer as paths are written in diagnostics.
fn dotted(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{path}[{step}]")
        } else {
            join(&path, &step)
        }
    })
}

enum Found {
    Nothing,
    Text(String),
    /// It is there, or must be, and cannot be read.
    Lost(String),
}

fn text_of(file: &LayerFile, files: &dyn Files) -> Found {
    let bytes = match &file.place {
        FilePlace::Text(text) => return Found::Text(text.clone()),
        FilePlace::Lost(_, error) => return Found::Lost(format!("the folder cannot be read: {error}")),
        FilePlace::Path(path) => files.read(path, FILE_BYTES_MAX),
    };
    match bytes {
        Err(error) if is_absence(&error) && !file.is_required => Found::Nothing,
        Err(error) => Found::Lost(format!("the file cannot be read: {error}")),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Found::Text(text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Found::Lost(format!("the file is not UTF-8: byte {at} is not of any character"))
            }
        },
    }
}
