//! A replacement by `sed -i` in one file, worked out before it is decided on, so that a person sees what they allow and
//! just that is written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use toolwright::contract::{Effects, EffectsContext, FilesSeen};
use toolwright::permission::is_plain_replacement;
use toolwright::prelude::ToolError;

use super::effects::Judgement;
use super::single::Single;
use crate::files::atomic;
use crate::files::fresh::Fresh;
use crate::files::kept::Lost;
use crate::files::load::Loaded;
use crate::files::text::{Encoding, Text};

/// How large a file is worked out, in bytes.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// What a command such as `sed -i 's/a/b/' file` would write. Who asks a person gets it by [`SedEdit::preview`], shows
/// both texts, and puts it into the input that it allows, under `_simulatedSedEdit`: then just this is written, and
/// nothing where the file is not what was shown any more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SedEdit {
    /// The file; absolute.
    pub file_path: PathBuf,
    /// Its text before.
    pub old_content: String,
    /// Its text after.
    pub new_content: String,
}

impl SedEdit {
    /// The field of Bash's input that takes it, which only code in this process may set.
    pub const FIELD: &str = "_simulatedSedEdit";

    /// What a command would write, where it is one replacement in one file that is not large; nothing elsewhere, and
    /// where there is no `sed` that can be kept from doing more. Blocks: it reads the file and runs `sed` on its text.
    #[must_use]
    pub fn preview(command: &str, cx: &EffectsContext<'_>) -> Option<SedEdit> {
        let (words, file_path) = one_replacement(&Judgement::default().effects(command, cx))?;
        let place = file_path.canonicalize().ok()?;
        let is_link = std::fs::symlink_metadata(&file_path).ok()?.is_symlink();
        let loaded = Loaded::from_place(&place).ok().filter(|loaded| {
            loaded.content.len() <= BYTES_MAX
                && matches!(loaded.encoding, Encoding::Utf8 | Encoding::Utf8WithMark)
        })?;
        if is_link {
            return None;
        }
        let new = replaced(&words, &loaded.encoding.encode(&loaded.content))?;
        let new_content = Text::decode(new).ok().filter(|text| text.encoding == loaded.encoding)?.content;
        Some(SedEdit { file_path, old_content: loaded.content.to_string(), new_content })
    }

    /// Writes what was shown; gives what the file had besides and could not be kept. `place` is where the path leads by
    /// what was decided. Blocks.
    ///
    /// # Errors
    /// When the command is another, or the file is not what was shown.
    pub(super) fn apply(
        &self,
        effects: &Effects,
        place: std::io::Result<PathBuf>,
        files: &FilesSeen,
    ) -> Result<Vec<Lost>, ToolError> {
        let shown = |problem: &str| ToolError::new(format!("`{}` {problem}", self.file_path.display()));
        if one_replacement(effects).is_none_or(|(_, path)| path != self.file_path) {
            return Err(shown("is not what the command replaces text in: leave the prepared edit out"));
        }
        let loaded = Loaded::from_place(&place.map_err(ToolError::from)?).map_err(ToolError::from)?;
        let fresh = Fresh::shown(loaded, &self.old_content)
            .ok_or_else(|| shown("has changed since the edit was shown: call it again"))?;
        Ok(atomic::put(&fresh, &self.new_content, files)?)
    }
}

/// The words of a command that is one replacement in place, and the one file.
fn one_replacement(effects: &Effects) -> Option<(Vec<String>, PathBuf)> {
    let single = Single::of(effects).filter(|single| !single.reads_below)?;
    let (name, rest) = single.words.split_first()?;
    let is_in_place = |word: &String| matches!(word.as_str(), "-i" | "--in-place");
    let options_known = rest
        .iter()
        .filter(|word| word.starts_with('-'))
        .all(|word| is_in_place(word) || matches!(word.as_str(), "-E" | "-r" | "-e"));
    let operands = rest.iter().filter(|word| !word.starts_with('-'));
    let script = operands.clone().next().is_some_and(|script| is_plain_replacement(script));
    let fits =
        name == "sed" && rest.iter().any(is_in_place) && options_known && script && operands.count() == 2;
    let words = rest.iter().filter(|word| !is_in_place(word)).cloned().collect();
    fits.then_some(words).zip(single.file.map(Path::to_owned))
}

/// The text as `sed` gives it back, held to what changes nothing else.
fn replaced(words: &[String], text: &[u8]) -> Option<Vec<u8>> {
    let mut sed = Command::new("sed");
    // The last word is the file, whose text it is given.
    sed.arg("--sandbox").args(&words[..words.len() - 1]);
    sed.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = sed.spawn().ok()?;
    let mut input = child.stdin.take()?;
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(text));
        child.wait_with_output()
    });
    output.ok().filter(|output| output.status.success()).map(|output| output.stdout)
}
