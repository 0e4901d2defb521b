//! In what a recording and the tools of today are apart, so that a replay would prove less than it seems to.

use std::collections::BTreeMap;

use toolwright::nearest::nearest;
use toolwright::registry::Catalogue;

use crate::engine::Simulation;
use crate::explore::{Recording, Subject as _};
use crate::import::{Format, Imported};
use crate::replay::{Conditions, refused};
use crate::transcript::{Call, Outcome};

/// Something about a recording that makes its replay prove less than it seems to. A test fails on each kind unless it is
/// allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// The file, of this project's own format, had to be mended. Files of others are always mended a little.
    Repaired,
    /// A call names a tool that is not in the catalogue that the test gives: a stand-in, which takes everything, stood
    /// in its place.
    StandIn,
    /// A call that the recording has a good answer to is refused now, before its body: the tool no longer takes it.
    Refused,
}

/// How many flaws of one kind are told one by one.
const TOLD_MAX: usize = 10;
/// How many names of tools are offered where none is near.
const NAMES_MAX: usize = 12;

/// The flaws of a recording, in words, each with its kind.
pub(super) fn flaws(
    imported: &Imported,
    recording: &Recording,
    given: Option<&Catalogue>,
) -> BTreeMap<Flaw, Vec<String>> {
    let stand_ins = given.map(|given| stand_ins(recording, given)).unwrap_or_default();
    let ran = recording.run(&Simulation::new(None), &Conditions::default());
    let refused = refused(recording.transcript(), &ran.events)
        .into_iter()
        .filter(|(call, _)| !stand_ins.contains_key(call));
    BTreeMap::from([
        (Flaw::Repaired, repairs(imported)),
        (Flaw::Refused, refused.map(|(_, text)| text).collect()),
        (Flaw::StandIn, stand_ins.into_values().collect()),
    ])
}

/// What to say of those that are not allowed; nothing where there are none.
pub(super) fn told(file: &str, flaws: &BTreeMap<Flaw, Vec<String>>, allowed: &[Flaw]) -> Option<String> {
    let wrong: Vec<(&Flaw, &Vec<String>)> =
        flaws.iter().filter(|(flaw, texts)| !texts.is_empty() && !allowed.contains(flaw)).collect();
    let kinds: Vec<String> = wrong.iter().map(|(flaw, _)| format!("{flaw:?}")).collect();
    let lines: Vec<String> = wrong.iter().flat_map(|(_, texts)| lines(texts)).collect();
    (!wrong.is_empty()).then(|| {
        format!(
            "the replay of {file} would prove less than it seems to:\n{}\nmend it, or say that it is meant so: `allow = \
             [{}]`",
            lines.join("\n"),
            kinds.join(", ")
        )
    })
}

fn lines(texts: &[String]) -> impl Iterator<Item = String> {
    let more = texts.len().saturating_sub(TOLD_MAX);
    let told = texts.iter().take(TOLD_MAX).map(|text| format!("  {text}"));
    told.chain((more > 0).then(|| format!("  … and {more} more like the last")))
}

fn repairs(imported: &Imported) -> Vec<String> {
    if imported.format != Format::Toolwright {
        return Vec::new();
    }
    imported.repairs.iter().map(|repair| format!("the recording was mended: {repair}")).collect()
}

/// Calls of tools that the catalogue does not have, by identifier. A call that the recording answers with an error may
/// well be of a tool that there never was.
fn stand_ins<'a>(recording: &'a Recording, given: &Catalogue) -> BTreeMap<&'a str, String> {
    let names: Vec<String> =
        given.built_in().iter().chain(given.remote()).map(|tool| tool.form().name.to_string()).collect();
    let is_error = |call: &Call| matches!(call.outcome, Outcome::Answered { is_error: true, .. });
    let calls = recording.transcript().calls().filter(|call| !is_error(call));
    let calls = calls.filter(|call| recording.stand_ins().contains(&call.name));
    calls
        .map(|call| {
            let offer = offer(&call.name, &names);
            let text =
                format!("{}: `{}` is not in the catalogue given by `tools = …`; {offer}", call.id, call.name);
            (call.id.as_str(), text)
        })
        .collect()
}

/// The nearest name, or the first few there are.
fn offer(wrong: &str, names: &[String]) -> String {
    match nearest(wrong, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.is_empty() => "it is empty".to_owned(),
        None => {
            let more = if names.len() > NAMES_MAX { ", …" } else { "" };
            let first: Vec<&str> = names.iter().take(NAMES_MAX).map(String::as_str).collect();
            format!("it has {}{more}", first.join(", "))
        }
    }
}
