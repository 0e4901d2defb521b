//! The places of an input that are wrong, as a tree.

use std::collections::BTreeMap;

use crate::schema::path::Step;

/// What is wrong with a value.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    /// The value itself.
    pub(super) is_itself: bool,
    /// What is in it.
    pub(super) inside: BTreeMap<Step, Wrong>,
}

impl Wrong {
    /// What is wrong in a whole input. That the whole is wrong is not among it: of what else would an example be?
    pub(super) fn of(places: &[Vec<Step>]) -> Wrong {
        let mut whole = Wrong::default();
        for steps in places.iter().filter(|steps| !steps.is_empty()) {
            let place = steps.iter().fold(&mut whole, |at, step| at.inside.entry(step.clone()).or_default());
            place.is_itself = true;
        }
        whole
    }
}
