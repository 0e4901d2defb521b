//! Fewer conditions, then fewer deviations, then lower ones.

use super::attempt::{Attempts, Failing};
use crate::explore::Subject;
use crate::replay::Conditions;
use crate::strategy::Deviations;

pub(super) fn shrink(attempts: &mut Attempts<'_>, subject: &dyn Subject, failing: &mut Failing) {
    conditions(attempts, subject, failing);
    keep(attempts, subject, failing, |failing| failing.deviations = Deviations::default());
    keep(attempts, subject, failing, |failing| failing.deviations.chance = 0);
    while zero(attempts, subject, failing) || lower(attempts, subject, failing) {}
}

/// Makes the change, if what comes of it still fails; says whether it does.
pub(super) fn keep(
    attempts: &mut Attempts<'_>,
    subject: &dyn Subject,
    failing: &mut Failing,
    change: impl Fn(&mut Failing),
) -> bool {
    let mut changed = failing.clone();
    change(&mut changed);
    let is_other = changed.deviations != failing.deviations || changed.conditions != failing.conditions;
    let is_kept = is_other && attempts.fails(subject, &changed);
    if is_kept {
        *failing = changed;
    }
    is_kept
}

/// Leaves out each condition that is not needed.
pub(super) fn conditions(attempts: &mut Attempts<'_>, subject: &dyn Subject, failing: &mut Failing) {
    let parts: [fn(&mut Conditions); 4] = [
        |conditions| conditions.cap = None,
        |conditions| conditions.mode = None,
        |conditions| conditions.racer = None,
        |conditions| conditions.abort = None,
    ];
    for part in parts {
        keep(attempts, subject, failing, |failing| part(&mut failing.conditions));
    }
    for fault in failing.conditions.faults.iter().collect::<Vec<_>>() {
        keep(attempts, subject, failing, |failing| failing.conditions.faults.remove(fault));
    }
}

/// Puts runs of deviations back to 0, long ones first; says whether any was.
fn zero(attempts: &mut Attempts<'_>, subject: &dyn Subject, failing: &mut Failing) -> bool {
    let before = failing.deviations.len();
    let mut length = before;
    while length > 0 && !attempts.are_spent() {
        let mut from = 0;
        while from < failing.deviations.len() && !attempts.are_spent() {
            let picks: Vec<_> = failing.deviations.iter().skip(from).take(length).collect();
            let is_kept = keep(attempts, subject, failing, |failing| {
                picks.iter().for_each(|&(label, place, _)| failing.deviations.set(label, place, 0));
            });
            if !is_kept {
                from += length;
            }
        }
        length /= 2;
    }
    failing.deviations.len() < before
}

/// Lowers each deviation as far as it goes; says whether any was.
fn lower(attempts: &mut Attempts<'_>, subject: &dyn Subject, failing: &mut Failing) -> bool {
    let mut is_any = false;
    for (label, place, pick) in failing.deviations.iter().collect::<Vec<_>>() {
        for lower in 1..pick {
            if keep(attempts, subject, failing, |failing| failing.deviations.set(label, place, lower)) {
                is_any = true;
                break;
            }
        }
    }
    is_any
}
