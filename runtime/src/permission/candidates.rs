//! Who may answer a question, fixed before anybody is asked: one pure function.

use super::{Asking, Mode, Who, Why};

/// Who is there to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Present {
    /// Whether PermissionRequest hooks want to see the call.
    pub hooks: bool,
    /// The classifier.
    pub classifier: Ready,
    /// Whether a person can be asked.
    pub person: bool,
}

/// What is to be expected of the classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// There is none, it may see nothing of the call, or it has blocked or been asked too often.
    No,
    /// It can be asked.
    Yes,
}

/// Who may answer, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// Whether hooks may, with a yes or a no.
    pub hooks: bool,
    /// What the classifier may say.
    pub classifier: May,
    /// Whether the person may, with a yes, a no or an always.
    pub person: bool,
}

/// What the classifier may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// Nothing: it is not asked.
    Nothing,
    /// No. A worry is shown to the person.
    Deny,
    /// It decides by itself, and nobody else is asked unless it wants somebody to be.
    Decide,
}

/// Who may answer a question.
///
/// | asked of | hooks | classifier | person |
/// |---|---|---|---|
/// | a person, since only one can answer | – | – | all |
/// | anyone, mode `auto`, nothing protected | – | decides | – |
/// | anyone, else | yes, no | no | all |
/// | hooks, since no person is there | yes, no | no, where a hook might say yes | – |
///
/// A classifier that abstains, or has blocked too often, leaves `auto` to hooks and the person.
#[must_use]
pub fn candidates(asking: &Asking, mode: Mode, present: Present) -> Candidates {
    let nobody = Candidates { hooks: false, classifier: May::Nothing, person: false };
    let is_ready = present.classifier == Ready::Yes;
    match asking.who {
        Who::Person => Candidates { person: present.person, ..nobody },
        Who::Anyone | Who::Hooks if is_ready && mode == Mode::Auto && asking.why == Why::Open => {
            Candidates { classifier: May::Decide, ..nobody }
        }
        Who::Anyone | Who::Hooks => {
            let person = present.person && asking.who == Who::Anyone;
            // One who can only say no is of no use where nobody can say yes.
            let is_of_use = is_ready && (present.hooks || person);
            let classifier = if is_of_use { May::Deny } else { May::Nothing };
            Candidates { hooks: present.hooks, classifier, person }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_answer_what() {
        let modes = Mode::NAMES.iter().map(|(_, mode)| *mode);
        for mode in modes {
            for why in Why::ALL {
                for who in [Who::Person, Who::Anyone, Who::Hooks] {
                    for at in 0..8 {
                        let classifier = if at & 2 == 0 { Ready::No } else { Ready::Yes };
                        let present = Present { hooks: at & 1 != 0, classifier, person: at & 4 != 0 };
                        let asking = Asking { reason: String::new(), who, why: *why };
                        let found = candidates(&asking, mode, present);
                        let case = format!("{mode} {asking:?} {present:?} {found:?}");
                        assert!(!found.person || (present.person && who != Who::Hooks), "{case}");
                        assert!(!found.hooks || (present.hooks && who != Who::Person), "{case}");
                        let decides = found.classifier == May::Decide;
                        assert!(!decides || (mode == Mode::Auto && *why == Why::Open), "{case}");
                        assert!(!decides || (!found.person && !found.hooks), "{case}");
                        let is_asked = found.classifier != May::Nothing;
                        assert!(!is_asked || (classifier == Ready::Yes && who != Who::Person), "{case}");
                        let may_allow = found.person || found.hooks || decides;
                        assert!(may_allow || !is_asked, "{case}");
                    }
                }
            }
        }
    }
}
