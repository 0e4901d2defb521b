//! Protected paths: what no rule can approve being written.

use super::places::is_protected;
use super::subject::Subject;
use super::unnamed::Unnamed;
use crate::contract::Effect;

/// Why a call touches a protected path, if it does.
pub(super) fn protected(subject: &Subject<'_>) -> Option<String> {
    subject.each().find_map(|judged| match judged.effect {
        Effect::Write(path) | Effect::Remove(path) => judged
            .paths
            .iter()
            .any(|path| {
                Unnamed::of(path).map_or_else(|| is_protected(path), |it| it.may_be_protected(subject.kept()))
            })
            .then(|| format!("`{}` is a protected path", path.display())),
        // What is not told by name is what rules answer for.
        Effect::MayWrite(path) => judged
            .paths
            .iter()
            .any(|path| Unnamed::of(path).is_none() && is_protected(path))
            .then(|| format!("it may change `{}`, which is a protected path", path.display())),
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Command { .. }
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    })
}
