//! What had to be mended of a recording, as the commands that replay say it.

use super::apart::Apart;
use super::output::{Fault, complain};
use crate::import::Imported;
use crate::timeline::counted;
use toolwright::visible::visible;

/// How many repairs are shown one by one.
const SHOWN_MAX: usize = 10;

/// How much was mended.
pub(super) fn count(imported: &Imported) -> usize {
    imported.repairs.iter().map(|repair| repair.count).sum()
}

/// The first repairs, a line each, below their number; nothing where nothing was mended.
pub(super) fn lines(imported: &Imported) -> Vec<String> {
    if imported.repairs.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("{} of the recording:", counted(count(imported), "repair"))];
    let shown = imported.repairs.iter().take(SHOWN_MAX);
    lines.extend(shown.map(|repair| format!("  {}", visible(&repair.to_string()))));
    lines.extend((imported.repairs.len() > SHOWN_MAX).then(|| "  …".to_owned()));
    lines
}

/// Says on standard error what was mended.
pub(super) fn complain_of(imported: &Imported) {
    lines(imported).iter().for_each(|line| complain(line));
}

/// What a command ends with that takes no recording that had to be mended, or that is apart from the tools here; nothing
/// where it is neither.
pub(super) fn refused(name: &str, imported: &Imported, apart: &Apart) -> Option<Fault> {
    let repairs = (!imported.repairs.is_empty()).then(|| counted(count(imported), "repair"));
    let wrong: Vec<String> = repairs.into_iter().chain(apart.counts()).collect();
    (!wrong.is_empty())
        .then(|| Fault::new(format!("{name}: {}, and with `--strict` there must be none", wrong.join(", "))))
}
