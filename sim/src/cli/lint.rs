//! `toolwright check --lint`: what is wrong with settings files, entry by entry and rule by rule.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use toolwright::contract::{Context, ErasedTool, SessionFacts};
use toolwright::permission::{ProblemKind, Profile, RealFiles, RuleProblem, RuleSet, Source};
use toolwright::registry::Catalogue;
use toolwright::settings::{Diagnostic, ExtraSettings, Settings, SettingsFiles, Severity, Trust};

use super::output::{Fault, look, print};
use super::program::{ELSEWHERE, Tools};
use super::settings::{SettingsArguments, drawn, file, home, working_directory};
use crate::timeline::{Look, counted};

/// How many problems are drawn.
const DRAWN_MAX: usize = 200;

/// What is promised of `check --lint --json`, in this order.
#[derive(Serialize)]
struct Line<'a> {
    files: Vec<&'a str>,
    rules: usize,
    closed: bool,
    problems: &'a [Diagnostic],
}

pub(super) fn run(
    paths: &[PathBuf],
    arguments: &SettingsArguments,
    cwd: Option<&Path>,
    is_json: bool,
    tools: &Tools,
) -> Result<ExitCode, Fault> {
    let paths = paths.iter().map(|path| file(path)).collect::<Result<Vec<_>, _>>()?;
    let places = places(paths, arguments.extra()?, cwd)?;
    let mut settings = Settings::load(&places, &RealFiles, Trust::Trusted);
    let found = of_rules(&settings, &places, arguments.profile(), &tools.catalogue());
    settings.diagnostics.extend(found);
    in_order(&mut settings);
    let problems = &settings.diagnostics;
    if is_json {
        let files = settings.files.iter().map(|file| file.name.as_str()).collect();
        let rules = settings.rules.len();
        let line = Line { files, rules, closed: settings.is_closed(), problems };
        print(&(serde_json::to_string(&line).expect("diagnostics serialise") + "\n"))?;
    } else {
        let is_coloured = matches!(look(), Look::Coloured);
        for problem in problems.iter().take(DRAWN_MAX) {
            print(&(drawn(problem, settings.text_of(problem), is_coloured) + "\n\n"))?;
        }
        if let Some(more) = problems.len().checked_sub(DRAWN_MAX).filter(|more| *more > 0) {
            print(&format!("and {} more, which `--json` tells\n\n", counted(more, "problem")))?;
        }
        print(&summary(&settings))?;
    }
    let is_fine = problems.iter().all(|problem| problem.severity == Severity::Note);
    Ok(ExitCode::from(u8::from(!is_fine)))
}

/// Puts what is wrong in the order in which it is read: file by file, from the top. What is wrong with a file as a whole
/// comes first.
fn in_order(settings: &mut Settings) {
    let files: Vec<String> = settings.files.iter().map(|file| file.name.clone()).collect();
    let at = |problem: &Diagnostic| {
        let file = files.iter().position(|name| *name == problem.file);
        (file.unwrap_or(files.len()), problem.place.as_ref().map(|place| place.range.start))
    };
    settings.diagnostics.sort_by_key(at);
}

/// Each file in the layer that its name tells; any other as one of the command line.
fn places(
    paths: Vec<PathBuf>,
    extra: Vec<ExtraSettings>,
    cwd: Option<&Path>,
) -> Result<SettingsFiles, Fault> {
    let root_of = |path: &PathBuf| {
        let folder = path.parent().filter(|folder| folder.ends_with(".claude"))?;
        folder.parent().filter(|root| Some(*root) != home().as_deref()).map(Path::to_owned)
    };
    let root = match (cwd, paths.iter().find_map(root_of)) {
        (None, Some(root)) => root,
        (cwd, _) => working_directory(cwd)?,
    };
    let mut places = SettingsFiles { home: home(), extra, ..SettingsFiles::none(root) };
    for path in paths {
        let is_ours = path.starts_with(&places.root) && root_of(&path).is_some();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let user = places.home.as_ref().map(|home| home.join(".claude/settings.json"));
        match name {
            "managed-settings.json" if places.managed.is_none() => places.managed = Some(path),
            "settings.json" if user.as_ref() == Some(&path) => places.user = Some(path),
            "settings.json" if is_ours && places.project.is_none() => places.project = Some(path),
            "settings.local.json" if is_ours => places.local.push(path),
            _other => places.extra.push(ExtraSettings::File(path)),
        }
    }
    Ok(places)
}

/// What a rule set says of the rules: broken ones, and those that do not do what their author wanted.
fn of_rules(
    settings: &Settings,
    places: &SettingsFiles,
    profile: Profile,
    catalogue: &Catalogue,
) -> Vec<Diagnostic> {
    let context = Context { home: places.home.clone(), ..Context::new(&places.root) };
    let rules = settings.rules.iter().map(|rule| rule.rule.clone());
    let (set, mut problems) = RuleSet::new(rules, &context, &RealFiles);
    let tools = catalogue.built_in().iter().chain(catalogue.remote());
    let tools: Vec<&dyn ErasedTool> = tools.map(AsRef::as_ref).collect();
    problems.extend(set.reports(profile, &tools.iter().map(|tool| tool.form()).collect::<Vec<_>>()));
    problems.extend(set.of_unknown_parameters(&tools, &SessionFacts::default()));
    let (foreign, here): (Vec<RuleProblem>, Vec<RuleProblem>) =
        problems.into_iter().partition(|problem| problem.kind == ProblemKind::ForeignTool);
    let elsewhere = |found| Diagnostic { help: Some(ELSEWHERE.to_owned()), ..found };
    let foreign = settings.of_rules(&foreign).into_iter().map(elsewhere);
    settings.of_rules(&here).into_iter().chain(foreign).collect()
}

fn summary(settings: &Settings) -> String {
    let count = |severity| settings.diagnostics.iter().filter(|problem| problem.severity == severity).count();
    let from = |source| settings.rules.iter().filter(|rule| rule.rule.source == source).count();
    let sources = [
        Source::PolicySettings,
        Source::CliArg,
        Source::LocalSettings,
        Source::ProjectSettings,
        Source::UserSettings,
    ];
    let sources: Vec<String> = sources
        .into_iter()
        .filter(|source| from(*source) > 0)
        .map(|source| format!("{} from {source}", from(source)))
        .collect();
    let sources = if sources.is_empty() { String::new() } else { format!(" ({})", sources.join(", ")) };
    let closed =
        if settings.is_closed() { "; nothing is allowed automatically while this is so" } else { "" };
    format!(
        "{}{sources}; {}, {}, {}{closed}\n",
        counted(settings.rules.len(), "rule"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
        counted(count(Severity::Note), "note"),
    )
}
