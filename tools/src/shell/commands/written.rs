//! Files that a command line writes and then runs, and texts that it runs in its own shell: what stands in them is read
//! like the rest of it.

use std::path::PathBuf;

use toolwright::contract::Effect;
use toolwright::permission::runs_first_file;

use super::decoding::decodes;
use super::pipes::Input;
use super::place::{After, State};
use super::shells::is_device;
use super::walk::Walker;
use super::word::Word;
use crate::shell::syntax::{Direction, Doubt, Redirect, Simple};

/// Programs that run what a file says whose name they know.
const DEFAULTS: &[(&str, &[&str])] = &[
    ("gmake", MAKEFILES),
    ("just", &["justfile", "Justfile"]),
    ("make", MAKEFILES),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("rake", &["Rakefile"]),
    ("yarn", &["package.json"]),
];

const MAKEFILES: &[&str] = &["GNUmakefile", "Makefile", "makefile"];

impl Walker<'_> {
    /// Keeps what a command writes into files, as far as it stands in the command line.
    pub(super) fn note_written(
        &mut self,
        simple: &Simple,
        words: &[Word],
        input: &Input,
        state: &State,
    ) -> Result<(), Doubt> {
        let Some(first) = words.first() else { return Ok(()) };
        let text = shown(&first.value, &words[1..], input);
        let name = first.value.rsplit('/').next().unwrap_or_default();
        let is_decoded =
            *input == Input::Decoded || decodes(name, words[1..].iter().map(|word| word.value.as_str()));
        if text.is_none() && !is_decoded {
            return Ok(());
        }
        let mut targets = Vec::new();
        for redirect in &simple.redirects {
            if let Redirect::File { direction: Direction::Out, target } = redirect {
                targets.extend(self.words(target, &mut state.clone())?);
            }
        }
        if first.value == "tee" {
            targets.extend(words[1..].iter().filter(|word| !word.value.starts_with('-')).cloned());
        }
        if is_decoded {
            self.note_decoded(&targets, state);
        }
        let Some(text) = text else { return Ok(()) };
        let named = targets.iter().filter(|target| !target.has_wildcard);
        let places: Vec<PathBuf> = named.flat_map(|target| self.places(target, state)).collect();
        for path in places {
            let before = self.written.entry(path).or_default();
            before.push_str(&text);
            before.push('\n');
        }
        Ok(())
    }

    /// Where a file may be, wherever the command line may stand.
    pub(super) fn places(&self, file: &Word, state: &State) -> Vec<PathBuf> {
        state.spots.iter().filter_map(|spot| self.targets(spot).path(file).ok()).collect()
    }

    /// What the command line itself wrote into a file that is run. It is told of as a text of the command that runs it;
    /// where it does not stand in the command line, somebody is asked.
    pub(super) fn written_in(&mut self, file: &Word, words: &[Word], state: &State) -> Option<String> {
        let places = self.places(file, state);
        let text = places.iter().find_map(|path| self.written.get(path)).cloned();
        match &text {
            Some(text) => self.push_with_input(words, text),
            None if places.iter().any(|path| self.has_written(path)) => {
                self.open(&format!("`{}`, which is written before it runs", file.typed));
            }
            None => {}
        }
        text
    }

    /// A program that is a file of the command line's own, or runs one.
    pub(super) fn runs_written(&mut self, name: &str, words: &[Word], state: &State) -> Result<(), Doubt> {
        let first = &words[0];
        if first.value.contains('/') {
            for program in self.copied_programs() {
                let mut renamed = words.to_vec();
                renamed[0] = Word::plain(&program);
                self.deeper(&program, |walker| walker.run(&renamed, state.clone(), &Input::Something))?;
            }
            if self.was_decoded(first, state) {
                return Err(Doubt::new(format!("`{}` is decoded before it runs", first.typed)));
            }
            let text = self.written_in(first, words, state);
            let is_for_shell = |text: &String| {
                let head = text.lines().next().unwrap_or_default();
                !head.starts_with("#!") || head.ends_with("sh") || head.contains("sh ")
            };
            if let Some(text) = text.filter(is_for_shell) {
                self.other_shell(&text, state)?;
            }
        }
        if let Some((_, files)) = DEFAULTS.iter().find(|(known, _)| *known == name) {
            for file in *files {
                self.written_in(&Word::plain(file), words, state);
            }
        }
        if runs_first_file(name) {
            let file = words[1..].iter().find(|word| !word.value.starts_with('-') && word.is_known());
            file.and_then(|file| self.written_in(file, words, state));
        }
        Ok(())
    }

    /// The programs of the system that the command line copies, or leads a link to: it may run them by other names.
    fn copied_programs(&self) -> Vec<String> {
        const COPYING: &[&str] = &["cp", "install", "link", "ln", "mv"];
        let is_program = |word: &&String| {
            ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"].iter().any(|folder| word.starts_with(folder))
        };
        let copying = self.effects().iter().filter_map(|effect| match effect {
            Effect::Command { words, .. } => {
                words.first().is_some_and(|name| COPYING.contains(&name.as_str())).then_some(&words[1..])
            }
            Effect::Read(_)
            | Effect::ReadBelow(_)
            | Effect::Write(_)
            | Effect::Remove(_)
            | Effect::MayWrite(_)
            | Effect::Contact(_)
            | Effect::Name(_) => None,
        });
        copying.flatten().filter(is_program).cloned().collect()
    }

    /// `source` and `.`: a file, which may do anything here, or a text that stands in the command line.
    pub(super) fn sourced(
        &mut self,
        name: &str,
        words: &[Word],
        state: &State,
        input: &Input,
    ) -> Result<Option<After>, Doubt> {
        if !matches!(words[0].value.as_str(), "." | "source") {
            return Ok(None);
        }
        self.push_command(words, false, state);
        self.open_unknown(&words[1..], false);
        if let Some(file) = words[1..].iter().find(|word| self.was_decoded(word, state)) {
            return Err(Doubt::new(format!("`{name}` runs `{}`, which is decoded first", file.typed)));
        }
        let file = words[1..].iter().find(|word| word.value != "--");
        if let Some(file) = file.filter(|file| file.is_stream || (file.is_known() && is_device(&file.value)))
        {
            let Input::Text(text) = input else {
                return Err(Doubt::new(format!("`{name}` runs `{}`, which is not told", file.typed)));
            };
            self.push_with_input(words, text);
            let mut after = self.payload(text, state.clone())?;
            after.any = after.any.merge(state);
            return Ok(Some(after));
        }
        if let Some(text) = input.text() {
            self.push_with_input(words, text);
        }
        if let Some(text) = file.and_then(|file| self.written_in(file, words, state)) {
            self.payload(&text, state.clone())?;
        }
        // It may do anything, here.
        let mut state = state.clone();
        state.forget();
        Ok(Some(state.into()))
    }
}

/// What a command writes to its output, as far as it stands in the command line: more or less, where the command
/// changes it.
fn shown(name: &str, arguments: &[Word], input: &Input) -> Option<String> {
    let joined = || arguments.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
    match name {
        "echo" => {
            let text = joined();
            let text = text.trim_start_matches("-e ").trim_start_matches("-n ");
            Some(text.replace("\\n", "\n").replace("\\t", "\t"))
        }
        "printf" => Some(joined().replace("\\n", "\n").replace("\\t", "\t")),
        "cat" | "tee" | "sed" | "tr" | "sort" | "envsubst" => input.text().map(str::to_owned),
        _other => None,
    }
}
