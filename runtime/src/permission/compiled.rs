//! Rules that are compiled once for many sessions: what programs need that begin many alike, such as a simulation.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::live::InForce;
use super::{Files, Mode, Profile, RuleProblem, RuleText};
use crate::contract::Context;

/// The rules that were compiled last, kept for the next session. One that begins with the same rules, in the same place,
/// in a world where every path that they name leads where it led, takes them as they are; any other compiles its own,
/// which are kept in their stead. What a session adds to its rules later is its own.
#[derive(Debug, Default)]
pub(crate) struct CompiledRules(Mutex<Option<Arc<Compiled>>>);

/// Compiled rules, and all that they were made of.
#[derive(Debug)]
pub(crate) struct Compiled {
    rules: Vec<RuleText>,
    /// Where they hang: nothing else of a context counts.
    place: Context,
    profile: Profile,
    /// Where the paths that the rules name led, in the order they were asked for.
    led: Vec<Led>,
    pub(crate) in_force: Arc<InForce>,
    /// What is wrong with them, by themselves and beside each other.
    pub(crate) problems: Vec<RuleProblem>,
}

/// Where a path led; in words, where it could not be told.
#[derive(Debug, PartialEq, Eq)]
struct Led {
    path: PathBuf,
    to: Result<PathBuf, (io::ErrorKind, String)>,
}

/// Files, with a note of where each path led.
struct Noted {
    files: Arc<dyn Files>,
    led: Mutex<Vec<Led>>,
}

impl CompiledRules {
    /// These rules, compiled now or before.
    pub(crate) fn of(
        &self,
        rules: Vec<RuleText>,
        context: &Context,
        files: &Arc<dyn Files>,
        profile: Profile,
    ) -> Arc<Compiled> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.is_of(&rules, context, files.as_ref(), profile)) {
            return known;
        }
        let compiled = Arc::new(Compiled::new(rules, context, files, profile));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&compiled));
        compiled
    }
}

impl Compiled {
    fn new(rules: Vec<RuleText>, context: &Context, files: &Arc<dyn Files>, profile: Profile) -> Compiled {
        let noted = Noted { files: Arc::clone(files), led: Mutex::default() };
        let (cwd, home) = (context.cwd.clone(), context.home.clone());
        let place = Context { cwd, home, ..Context::new(&context.root) };
        let (in_force, mut problems) = InForce::new(&rules, &place, &noted);
        problems.extend(in_force.in_mode(Mode::Default).lifted(profile));
        let led = noted.led.into_inner().unwrap_or_else(PoisonError::into_inner);
        Compiled { rules, place, profile, led, in_force: Arc::new(in_force), problems }
    }

    /// Whether these rules would be compiled to the same here and now.
    fn is_of(&self, rules: &[RuleText], context: &Context, files: &dyn Files, profile: Profile) -> bool {
        let Context { root, cwd, home, .. } = &self.place;
        self.profile == profile
            && (root, cwd, home) == (&context.root, &context.cwd, &context.home)
            && self.rules == rules
            && self.led.iter().all(|led| led.to == comparable(&files.resolve(&led.path)))
    }
}

fn comparable(to: &io::Result<PathBuf>) -> Result<PathBuf, (io::ErrorKind, String)> {
    match to {
        Ok(place) => Ok(place.clone()),
        Err(error) => Err((error.kind(), error.to_string())),
    }
}

impl Files for Noted {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let to = self.files.resolve(path);
        let led = Led { path: path.to_path_buf(), to: comparable(&to) };
        self.led.lock().unwrap_or_else(PoisonError::into_inner).push(led);
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{Behavior, Source};

    /// A link that leads somewhere, for now.
    #[derive(Default)]
    struct Link(Mutex<PathBuf>);

    impl Files for Link {
        fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
            let to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match path.strip_prefix("/link") {
                Ok(rest) if to.as_os_str().is_empty() => Err(io::Error::other(rest.display().to_string())),
                Ok(rest) => Ok(to.join(rest)),
                Err(_elsewhere) => Ok(path.to_path_buf()),
            }
        }
    }

    fn rule(text: &str) -> RuleText {
        RuleText::new(Behavior::Deny, Source::Session, text)
    }

    #[test]
    fn rules_are_compiled_again_only_when_they_would_become_others() {
        let link = Arc::new(Link::default());
        let lead = |to: &str| *link.0.lock().unwrap_or_else(PoisonError::into_inner) = to.into();
        let files: Arc<dyn Files> = Arc::<Link>::clone(&link);
        let compiled = CompiledRules::default();
        let (here, there) = (Context::new("/here"), Context::new("/there"));
        let of = |rules: &[&str], context: &Context, profile| {
            compiled.of(rules.iter().map(|text| rule(text)).collect(), context, &files, profile)
        };
        let two: &[&str] = &["Edit(//link/x)", "Bash(ls)"];
        lead("/real");
        let first = of(two, &here, Profile::Current);
        let is_first = |other: Arc<Compiled>| Arc::ptr_eq(&first.in_force, &other.in_force);
        let moved = Context { additional_directories: vec!["/more".into()], ..here.clone() };
        assert!(is_first(of(two, &here, Profile::Current)));
        assert!(is_first(of(two, &moved, Profile::Current)), "no rule hangs on further directories");
        lead("/other");
        assert!(!is_first(of(two, &here, Profile::Current)), "the link leads elsewhere");
        lead("");
        assert!(!is_first(of(two, &here, Profile::Current)), "it cannot be told where the link leads");
        lead("/real");
        for other in [
            of(&two[..1], &here, Profile::Current),
            of(two, &there, Profile::Current),
            of(two, &here, Profile::V2_1_88),
        ] {
            assert!(!is_first(other));
        }
    }
}
