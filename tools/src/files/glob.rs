//! `Glob`: finds files by name.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::prelude::*;

use crate::one_line::{one_line, path_line};

use super::far::{self, SearchProgress};
use super::load::LoadError;
use super::names;
use super::place::{MOVED, check_length, is_moved};
use super::search::{BadPattern, ENTRIES_MAX, End, Found, Search};
use super::stop::TIME_MAX;

/// Finds files whose path matches a glob pattern, newest first.
///
/// `*` and `?` stay within one folder, `**` crosses folders, `{a,b}` and `[a-z]` work. Files and folders whose name
/// begins with a dot are passed by unless a part of the pattern begins with a dot too; `.git` always is. Ignore files
/// are not looked at, and links to folders are not followed. Several searches can be made at once by several calls.
#[tool(
    read_only,
    concurrency_safe,
    always_load,
    progress = SearchProgress,
    max_result_chars = 100_000,
    search_hint = "find files by name or wildcard",
    examples = [
        r#"{"pattern": "**/*.rs"}"#,
        r#"{"pattern": "**/*.{test,spec}.ts", "path": "web"}"#,
        r#"{"pattern": ".github/workflows/*.yml"}"#
    ]
)]
pub struct Glob {
    /// Pattern to match, such as `src/**/*.rs`.
    pattern: String,
    /// Folder to search; the working directory when left out.
    path: Option<PathBuf>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobOutput {
    /// How long it took.
    pub duration_ms: u64,
    /// How many files are listed.
    pub num_files: usize,
    /// The files, newest first: relative to the working directory where they are in it.
    pub filenames: Vec<String>,
    /// Whether there are more than are listed.
    pub truncated: bool,
    /// How many files match.
    pub total_matches: usize,
    /// Whether everything was looked at.
    pub count_is_complete: bool,
    /// What the model should know besides.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Tool for Glob {
    type Output = GlobOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        match self.search(|path| cx.absolute(path)) {
            Ok(search) => Effects::one(Effect::Read(search.folder)),
            Err(bad) => Effects::unknown(bad.to_string()),
        }
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        let search = self.search(|path| cx.absolute(path));
        check_length(&search.map_err(|bad| InvalidInput::new(bad.to_string()))?.folder)
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<GlobOutput, ToolError> {
        let began = cx.env().now();
        let search = self.search(|path| cx.absolute(path))?;
        let (folder, base) = (search.folder.clone(), cx.absolute(self.base()));
        let place = cx.decided_place(&search.folder);
        let found = far::search(cx, move |stop, far| search.run(&place?, stop, far)).await?;
        let mut output = match found {
            Ok(found) => listed(found, cx.cwd(), cx.limits().glob_paths_max),
            // A pattern may begin with folders that are not there, and then matches nothing.
            Err(error) if is_missing(&error) && folder != base => {
                GlobOutput { notes: vec![LoadError::missing(&folder).to_string()], ..GlobOutput::default() }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(LoadError::missing(&folder).into());
            }
            Err(error) => {
                let error = match error.kind() {
                    io::ErrorKind::NotADirectory => "it is no folder; give the one that it is in".to_owned(),
                    _other if is_moved(&error) => MOVED.to_owned(),
                    _other => error.to_string(),
                };
                let message = format!("the folder `{}` cannot be searched: {error}", folder.display());
                return Err(ToolError::new(message));
            }
        };
        output.duration_ms = u64::try_from(cx.env().now().since(began).as_millis()).unwrap_or(u64::MAX);
        Ok(output)
    }

    fn result_content(data: &GlobOutput) -> Content {
        let mut lines = names::listed(&data.filenames);
        if lines.is_empty() {
            lines.push("no files found".to_owned());
        }
        lines.extend(data.notes.iter().map(|note| format!("({note})")));
        lines.join("\n").into()
    }

    fn description(&self) -> String {
        match &self.path {
            Some(path) => format!("Glob {} in {}", one_line(&self.pattern), path_line(path)),
            None => format!("Glob {}", one_line(&self.pattern)),
        }
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Glob")
    }

    fn render_progress(progress: &SearchProgress) -> Vec<String> {
        progress.render()
    }

    fn render_result(data: &GlobOutput) -> Vec<String> {
        let found = match data.total_matches {
            1 => "found 1 file".to_owned(),
            files => format!("found {files} files"),
        };
        std::iter::once(found).chain(data.notes.iter().cloned()).collect()
    }
}

impl Glob {
    fn base(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    fn search(&self, absolute: impl Fn(&Path) -> PathBuf) -> Result<Search, BadPattern> {
        let folder = self.base();
        // A home in front of the pattern is no part of `path`.
        let from_home = self.pattern.starts_with("~/");
        Search::new(&self.pattern, |literal| {
            if from_home { absolute(literal) } else { absolute(&folder.join(literal)) }
        })
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn listed(found: Found, cwd: &Path, paths_max: usize) -> GlobOutput {
    let total = found.files.len();
    let shown = found.files.iter().take(paths_max);
    let names = shown.map(|path| path.strip_prefix(cwd).unwrap_or(path).to_string_lossy().into_owned());
    let filenames: Vec<String> = names.collect();
    let mut notes = Vec::new();
    if total > filenames.len() {
        notes.push(format!(
            "the newest {} of {total} files; narrow the pattern to see others",
            filenames.len()
        ));
    }
    let is_complete = found.end == End::Complete;
    match found.end {
        End::Complete => {}
        End::Entries => notes.push(format!(
            "stopped after {ENTRIES_MAX} files and folders; search a smaller folder to see all"
        )),
        End::Time => notes.push(format!(
            "stopped after {} s, before everything was searched; search a smaller folder",
            TIME_MAX.as_secs()
        )),
    }
    if found.unreadable > 0 {
        notes.push(format!("{} folders could not be read", found.unreadable));
    }
    GlobOutput {
        duration_ms: 0,
        num_files: filenames.len(),
        truncated: total > filenames.len() || !is_complete,
        total_matches: total,
        count_is_complete: is_complete,
        filenames,
        notes,
    }
}
