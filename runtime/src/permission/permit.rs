//! The proof that a call may run, and the places it was given for.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::subject::Subject;
use crate::contract::Effect;
use crate::message::{CallId, RawInput};

/// The proof that one call, with one input, may run. Only this room makes one; running the call uses it up.
#[derive(Debug)]
#[must_use]
pub struct Permit {
    call: CallId,
    input: RawInput,
    places: DecidedPlaces,
}

impl Permit {
    pub(super) fn new(call: CallId, input: RawInput, places: DecidedPlaces) -> Permit {
        Permit { call, input, places }
    }

    /// Whether it was given for this call with this very input.
    #[must_use]
    pub fn is_for(&self, call: &CallId, input: &RawInput) -> bool {
        self.call == *call && self.input == *input
    }

    /// The places it was given for, once: the context of the call keeps them from then on.
    pub(crate) fn take_places(&mut self) -> DecidedPlaces {
        std::mem::take(&mut self.places)
    }
}

/// Where the paths of a call led when it was decided on. A link may be put in the way between a decision and the body;
/// a body that opens these places, and follows no link to them, is not led elsewhere by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecidedPlaces(
    #[expect(clippy::box_collection, reason = "it is moved with every call, and is nearly always nothing")]
    // INVARIANT: nothing where there are no places, as for most calls.
    Option<Box<BTreeMap<PathBuf, PathBuf>>>,
);

impl DecidedPlaces {
    pub(crate) fn new(subject: &Subject<'_>) -> DecidedPlaces {
        let mut places = subject.each().filter_map(|judged| match judged.effect {
            Effect::Read(path) | Effect::ReadBelow(path) | Effect::Write(path) | Effect::Remove(path) => {
                // The name comes first, and behind it where it leads, unless that is the same.
                let place = judged.paths.get(1).or(judged.paths.first())?;
                Some((path.clone(), place.clone()))
            }
            Effect::Command { .. } | Effect::MayWrite(_) | Effect::Contact(_) | Effect::Name(_) => None,
        });
        let first = places.next();
        DecidedPlaces(first.map(|first| Box::new(std::iter::once(first).chain(places).collect())))
    }

    /// The place without links that was decided on for a path of the call's effects.
    ///
    /// # Errors
    /// When the decision was not about this path.
    pub fn of(&self, path: &Path) -> io::Result<&Path> {
        let place = self.0.as_ref().and_then(|places| places.get(path)).map(PathBuf::as_path);
        place.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("`{}` is not what the permission of this call is for", path.display()),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_for_one_call_with_one_input() {
        let (call, input) = (CallId::new("a"), RawInput::new(r#"{"x":1}"#));
        let mut permit = Permit::new(call.clone(), input.clone(), DecidedPlaces::default());
        assert!(permit.is_for(&call, &input));
        assert!(!permit.is_for(&CallId::new("b"), &input));
        for other in [r#"{"x":2}"#, r#"{"x": 1}"#, r#"{"x":1} "#, ""] {
            assert!(!permit.is_for(&call, &RawInput::new(other)), "{other}");
        }
        assert!(permit.take_places().of(Path::new("/a")).is_err());
    }
}
