//! Settings on the command line: which are read, and what is wrong with them, drawn.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::{Args, ValueEnum};
use toolwright::permission::{Profile, RealFiles};
use toolwright::settings::{Diagnostic, ExtraSettings, Settings, SettingsFiles, Severity, Trust};

use super::output::{Fault, complain};
use toolwright::visible::visible;

#[derive(Args)]
pub(super) struct SettingsArguments {
    /// A settings file, or settings as JSON; may be given again, a later one comes before an earlier one
    #[arg(long, value_name = "FILE|JSON")]
    settings: Vec<String>,
    /// Which observed behaviour is followed where two differ
    #[arg(long, value_enum, default_value = "v2_1_88")]
    profile: ProfileName,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    #[value(name = "v2_1_88")]
    V2_1_88,
    Current,
}

/// The working directory, absolute and without links.
pub(super) fn working_directory(cwd: Option<&Path>) -> Result<PathBuf, Fault> {
    let cwd = match cwd {
        Some(cwd) => {
            cwd.canonicalize().map_err(|error| Fault::new(format!("`{}`: {error}", cwd.display())))?
        }
        None => {
            std::env::current_dir().map_err(|error| Fault::new(format!("no working directory: {error}")))?
        }
    };
    if cwd.is_dir() {
        return Ok(cwd);
    }
    Err(Fault::new(format!("`{}` is not a folder to work in", cwd.display())))
}

/// The home directory, where the environment says it.
pub(super) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

impl SettingsArguments {
    pub(super) fn profile(&self) -> Profile {
        match self.profile {
            ProfileName::V2_1_88 => Profile::V2_1_88,
            ProfileName::Current => Profile::Current,
        }
    }

    /// What `--settings` names. A file that is not there is a mistake of the command line.
    pub(super) fn extra(&self) -> Result<Vec<ExtraSettings>, Fault> {
        self.settings.iter().map(|given| extra(given)).collect()
    }

    /// What `--settings` names, and nothing else, for a session that begins in this directory.
    pub(super) fn given(&self, cwd: &Path) -> Result<Settings, Fault> {
        let places = SettingsFiles { extra: self.extra()?, home: home(), ..SettingsFiles::none(cwd) };
        Ok(Settings::load(&places, &RealFiles, Trust::Trusted))
    }

    /// The settings of a session that begins in this directory: the usual files, and what `--settings` names.
    pub(super) fn usual(&self, cwd: &Path, trust: Trust) -> Result<Settings, Fault> {
        let config =
            std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let places = SettingsFiles::usual(cwd, home(), config, &RealFiles);
        Ok(Settings::load(&SettingsFiles { extra: self.extra()?, ..places }, &RealFiles, trust))
    }
}

fn extra(given: &str) -> Result<ExtraSettings, Fault> {
    if given.trim_start().starts_with('{') {
        return Ok(ExtraSettings::Json(given.to_owned()));
    }
    file(Path::new(given)).map(ExtraSettings::File)
}

/// A file that the command line names, absolute.
pub(super) fn file(path: &Path) -> Result<PathBuf, Fault> {
    let missing = |error| Fault::new(format!("`{}`: {error}", path.display()));
    let absolute = std::path::absolute(path).map_err(missing)?;
    absolute.metadata().map_err(missing)?;
    Ok(absolute)
}

/// Says on standard error what is wrong with settings.
pub(super) fn tell(problem: &Diagnostic, settings: &Settings) {
    match problem.severity {
        Severity::Note => complain(&problem.to_string()),
        Severity::Warning | Severity::Error => {
            let drawn = drawn(problem, settings.text_of(problem), true);
            // There is nowhere to say that this failed.
            drop(writeln!(anstream::stderr().lock(), "{drawn}"));
        }
    }
}

/// How long the lines may be that are drawn: of longer ones nobody would see much, and drawing each takes its time.
const DRAWN_BYTES_MAX: usize = 10_000;

/// A diagnostic, with the line it speaks of and carets under the place.
pub(super) fn drawn(diagnostic: &Diagnostic, text: Option<&str>, is_coloured: bool) -> String {
    let Diagnostic { file, place, path, severity, message, help } = diagnostic;
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let (Some(place), Some(text)) = (place, text) else { return visible(&diagnostic.to_string()) };
    // Only the lines it is about, since files may be long.
    let (before, rest) = text.split_at_checked(place.range.start).unwrap_or((text, ""));
    let begins = before.rfind('\n').map_or(0, |end| end + 1);
    let within = place.range.len().min(rest.len());
    let ends = rest.as_bytes()[within..].iter().position(|byte| *byte == b'\n');
    let lines = &text[begins..ends.map_or(text.len(), |end| before.len() + within + end)];
    if lines.len() > DRAWN_BYTES_MAX {
        return visible(&diagnostic.to_string());
    }
    let at = |byte: usize| source(lines.get(..byte - begins).unwrap_or(lines)).len();
    let snippet = Snippet::source(source(lines)).line_start(place.line).path(visible(file)).annotation(
        AnnotationKind::Primary.span(at(place.range.start)..at(place.range.end)).label(visible(path)),
    );
    let mut group: Group<'_> = level.primary_title(visible(message)).element(snippet);
    if let Some(help) = help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    let renderer = if is_coloured { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// The text of a file with everything written out that a terminal would obey or not show, but for its lines and tabs.
fn source(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(['\n', '\t']) {
        let kept = ["\r\n", "\n", "\t"].into_iter().find(|end| part.ends_with(end)).unwrap_or_default();
        out.push_str(&visible(part.strip_suffix(kept).unwrap_or(part)));
        out.push_str(kept);
    }
    out
}
