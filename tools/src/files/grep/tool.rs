//! The form of `Grep`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::prelude::*;

use super::file::Wanted;
use super::filter::Filter;
use super::output::{GrepOutput, Page, Shape};
use super::pattern::{Reading, matcher};
use super::run::Search;
use crate::files::far::{self, SearchProgress};
use crate::files::load::LoadError;
use crate::files::names;
use crate::files::place::{MOVED, check_length, is_moved};
use crate::one_line::{one_line, path_line};

/// Searches what is in files for a regular expression, as ripgrep does.
///
/// The syntax is that of Rust's regular expressions: `{`, `(`, `[`, `.` and the like need a backslash to stand for
/// themselves (`interface\{\}`); there is no look-around. Lines are looked at one by one unless `multiline` is set.
/// Files that ignore files (`.gitignore`, `.ignore`) name are passed by, and so are binary files and the folders of
/// version control; files whose names begin with a dot are searched. Links are not followed. Long lines are cut around
/// the match. Use it rather than `grep` or `rg` in Bash.
#[tool(
    read_only,
    concurrency_safe,
    always_load,
    progress = SearchProgress,
    max_result_chars = 100_000,
    search_hint = "search the contents of files by a regular expression",
    examples = [
        r#"{"pattern": "fn main"}"#,
        r#"{"pattern": "TODO|FIXME", "type": "rust", "output_mode": "content", "-C": 2}"#,
        r#"{"pattern": "log\\.error\\(", "path": "src", "glob": "*.{ts,tsx}", "output_mode": "count", "-i": true}"#,
        r#"{"pattern": "struct \\w+ \\{[^}]*id: u64", "multiline": true, "output_mode": "content", "head_limit": 20}"#
    ]
)]
pub struct Grep {
    /// Regular expression to look for.
    pattern: String,
    /// File or folder to search; the working directory when left out.
    path: Option<PathBuf>,
    /// Which files below the folder to search, such as `*.rs`, `src/**` or `*.{ts,tsx}`; `!` in front leaves files out.
    /// Several are separated by spaces or commas. It wins over ignore files.
    glob: Option<String>,
    /// Type of the files to search, such as `rust`, `py`, `js`, `ts`, `go` or `java`.
    #[serde(rename = "type")]
    file_type: Option<String>,
    /// What to show: `files_with_matches` (when left out) the paths of the files that match, newest first; `content` the
    /// lines that match; `count` how many lines match in each file.
    output_mode: Option<OutputMode>,
    /// Whether letters match in either case.
    #[serde(rename = "-i")]
    any_case: Option<bool>,
    /// Whether to show only the parts of lines that match, each on a line of its own; for `content`.
    #[serde(rename = "-o")]
    only_matching: Option<bool>,
    /// Whether to show line numbers; true when left out; for `content`.
    #[serde(rename = "-n")]
    line_numbers: Option<bool>,
    /// How many lines to show after each match; for `content`.
    #[serde(rename = "-A")]
    after: Option<u64>,
    /// How many lines to show before each match; for `content`.
    #[serde(rename = "-B")]
    before: Option<u64>,
    /// The same as `context`.
    #[serde(rename = "-C")]
    around: Option<u64>,
    /// How many lines to show before and after each match; for `content`.
    context: Option<u64>,
    /// How many lines, files or counts to show; 250 when left out, and 0 for as many as fit.
    head_limit: Option<u64>,
    /// How many lines, files or counts to pass over first.
    offset: Option<u64>,
    /// Whether a match may go over several lines; then `.` matches a line end too.
    multiline: Option<bool>,
}

/// What a search shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Params)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    /// The lines that match.
    Content,
    /// The paths of the files that match.
    FilesWithMatches,
    /// How many lines match in each file.
    Count,
}

/// How many lines, files or counts are shown unless it is said.
const SHOWN: usize = 250;
/// How many are shown at the most.
const SHOWN_MAX: usize = 100_000;
/// How many lines are shown around a match at the most.
const CONTEXT_LINES_MAX: usize = 1_000;

impl Tool for Grep {
    type Output = GrepOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::ReadBelow(cx.absolute(self.folder())))
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        check_length(self.folder())?;
        self.search().map(drop).map_err(InvalidInput::new)
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<GrepOutput, ToolError> {
        let search = self.search().map_err(ToolError::new)?;
        let folder = cx.absolute(self.folder());
        let place = cx.decided_place(&folder).map_err(LoadError::io(&folder))?;
        let (found, search) =
            far::search(cx, move |stop, far| (search.run(&place, stop, far), search)).await?;
        let found = found.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                LoadError::missing(&folder).into()
            }
            _other => {
                let error = if is_moved(&error) { MOVED.to_owned() } else { error.to_string() };
                ToolError::new(format!("`{}` cannot be searched: {error}", folder.display()))
            }
        })?;
        let name = |below: &Path| {
            let path = if below.as_os_str().is_empty() { folder.clone() } else { folder.join(below) };
            path.strip_prefix(cx.cwd()).unwrap_or(&path).to_string_lossy().into_owned()
        };
        Ok(match self.mode() {
            OutputMode::FilesWithMatches => GrepOutput::names(found, self.page(), name),
            OutputMode::Count => GrepOutput::counts(found, self.page(), name),
            OutputMode::Content => GrepOutput::lines(found, self.page(), self.shape(), &search.matcher, name),
        })
    }

    fn result_content(data: &GrepOutput) -> Content {
        let mut lines = names::listed(&data.filenames);
        lines.extend(data.content.clone().filter(|content| !content.is_empty()));
        if lines.is_empty() && data.num_lines.is_none_or(|lines| lines == 0) && data.applied_offset.is_none()
        {
            lines.push("no matches found".to_owned());
        }
        lines.extend(
            data.num_matches
                .filter(|matches| *matches > 0)
                .map(|matches| format!("({} in all)", counted(matches))),
        );
        lines.extend(data.notes.iter().map(|note| format!("({note})")));
        lines.join("\n").into()
    }

    fn description(&self) -> String {
        match &self.path {
            Some(path) => format!("Grep {} in {}", one_line(&self.pattern), path_line(path)),
            None => format!("Grep {}", one_line(&self.pattern)),
        }
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Grep")
    }

    fn render_progress(progress: &SearchProgress) -> Vec<String> {
        progress.render()
    }

    fn render_result(data: &GrepOutput) -> Vec<String> {
        let files = plural(data.num_files as u64, "file", "files");
        let found = match data.mode {
            OutputMode::FilesWithMatches => format!("found {files}"),
            OutputMode::Count => format!("{} in {files}", counted(data.num_matches.unwrap_or_default())),
            OutputMode::Content => {
                format!(
                    "found {} in {files}",
                    plural(data.num_lines.unwrap_or_default() as u64, "line", "lines")
                )
            }
        };
        std::iter::once(found).chain(data.marked.iter().cloned()).chain(data.notes.iter().cloned()).collect()
    }
}

fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn counted(matches: u64) -> String {
    plural(matches, "match", "matches")
}

impl Grep {
    fn folder(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    fn mode(&self) -> OutputMode {
        self.output_mode.unwrap_or(OutputMode::FilesWithMatches)
    }

    /// What is to be done, or what is wrong with the input.
    fn search(&self) -> Result<Search, String> {
        let is_multiline = self.multiline == Some(true);
        let reading = Reading { any_case: self.any_case == Some(true), multiline: is_multiline };
        Ok(Search {
            matcher: matcher(&self.pattern, reading).map_err(|bad| bad.to_string())?,
            is_multiline,
            filter: Filter::new(self.glob.as_deref(), self.file_type.as_deref())
                .map_err(|bad| bad.to_string())?,
            wanted: self.wanted(),
            lines_max: self.page().enough(),
        })
    }

    fn wanted(&self) -> Wanted {
        let lines =
            |said: Option<u64>| said.or(self.context).or(self.around).map_or(0, size).min(CONTEXT_LINES_MAX);
        match self.mode() {
            OutputMode::FilesWithMatches => Wanted::Name,
            OutputMode::Count => Wanted::Count,
            OutputMode::Content if self.only_matching == Some(true) => Wanted::Matches,
            OutputMode::Content => Wanted::Lines { before: lines(self.before), after: lines(self.after) },
        }
    }

    fn page(&self) -> Page {
        let take = match self.head_limit.map(size) {
            None => SHOWN,
            Some(0) => SHOWN_MAX,
            Some(limit) => limit.min(SHOWN_MAX),
        };
        Page { skip: self.offset.map_or(0, size), take }
    }

    fn shape(&self) -> Shape {
        Shape {
            has_numbers: self.line_numbers != Some(false),
            has_context: matches!(self.wanted(), Wanted::Lines { before, after } if before + after > 0),
        }
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
