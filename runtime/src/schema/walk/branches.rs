//! `anyOf` and `oneOf`: the branch that takes a value as it is, else the first that it can be converted to.

use serde_json::Value;

use super::super::path::Path;
use super::super::words;
use super::tags::Choice;
use super::value::kinds;
use super::{Attempt, Mode, Walker};
use crate::nearest::nearest;
use crate::schema::problem::received;

impl<'s> Walker<'s> {
    /// A value that fits a branch as it is stays; else the first branch that it can be converted to wins.
    pub(super) fn branches(
        &mut self,
        value: &mut Value,
        branches: &'s [Value],
        schema: &'s Value,
        exactly_one: bool,
        path: &Path<'_>,
    ) {
        if self.is_full() {
            return;
        }
        if let Some(only) = only_something(branches)
            && !value.is_null()
        {
            return self.value(value, only, path);
        }
        self.unpack(value, branches, path);
        if let Value::Object(fields) = &*value {
            match self.choose(fields, branches) {
                Choice::Branch(branch) => return self.value(value, branch, path),
                Choice::WrongTag(name, tags) => return self.wrong_tag(value, name, &tags, path),
                Choice::WrongName(given, names) => {
                    return self.wrong_name(&given, &names, branches, path);
                }
                Choice::None => {}
            }
        }
        let fitting = self.fitting(value, branches, if exactly_one { 2 } else { 1 }, path);
        if fitting == 1 || self.is_exhausted {
            return self.rounding_branch(value, branches, path);
        }
        if fitting > 1 {
            let expected = || format!("exactly one of {}", words::branches(branches, schema));
            return self.problem(value, expected, path);
        }
        self.convert_to_branch(value, branches, path);
    }

    /// How many branches take the value as it is, counted up to a limit.
    fn fitting(&mut self, value: &mut Value, branches: &'s [Value], limit: usize, path: &Path<'_>) -> usize {
        let mut fitting = 0;
        for branch in branches {
            fitting += usize::from(self.fits(value, branch, path));
            if fitting >= limit {
                break;
            }
        }
        fitting
    }

    /// A parser takes the first branch that it can, and rounds where that branch is a float. So a branch before the one
    /// that fits may not take the value with another number.
    fn rounding_branch(&mut self, value: &mut Value, branches: &'s [Value], path: &Path<'_>) {
        if self.is_exhausted || !self.spend(super::weight(value)) || !super::number::may_be_rounded(value) {
            return;
        }
        let rounding = Mode { rounds: true, ..Mode::FITS };
        for branch in branches {
            if self.fits(value, branch, path) {
                return;
            }
            if self.attempt(rounding, |walker| walker.value(value, branch, path)).found.is_empty() {
                let exact = Mode { converts: false, ..self.mode };
                let attempt = self.attempt(exact, |walker| walker.value(value, branch, path));
                return self.found.extend(attempt.found);
            }
        }
    }

    /// A string where every branch wants an object, and the string holds one.
    fn unpack(&mut self, value: &mut Value, branches: &'s [Value], path: &Path<'_>) {
        let wants_object = |branch: &Value| {
            let kinds = branch.as_object().map(kinds).unwrap_or_default();
            !kinds.is_empty() && kinds.iter().all(|kind| matches!(*kind, "object" | "null"))
        };
        if self.mode.converts && value.is_string() && branches.iter().all(wants_object) {
            self.convert(value, "object", path);
        }
    }

    fn convert_to_branch(&mut self, value: &mut Value, branches: &'s [Value], path: &Path<'_>) {
        let mut nearest: Option<Attempt> = None;
        let here = path.steps().len();
        let is_inside = |attempt: &Attempt| attempt.found.iter().all(|found| found.path.len() > here);
        for branch in branches {
            let attempt = if self.mode.converts {
                if !self.spend(super::weight(value)) {
                    return;
                }
                let mut changed = value.clone();
                let attempt = self.attempt(self.mode, |walker| walker.value(&mut changed, branch, path));
                if attempt.found.is_empty() && !self.is_exhausted {
                    *value = changed;
                    self.coercions.extend(attempt.coercions);
                    return;
                }
                attempt
            } else if self.mode.found_max > 1 {
                self.attempt(self.mode, |walker| walker.value(value, branch, path))
            } else {
                break;
            };
            // A branch that fails inside the value says more than one that fails at its type.
            let is_nearer = nearest.as_ref().is_none_or(|kept| attempt.found.len() < kept.found.len());
            if is_inside(&attempt) && is_nearer {
                nearest = Some(attempt);
            }
        }
        match nearest {
            Some(attempt) => self.found.extend(attempt.found),
            None => {
                let root = self.root;
                self.problem(value, || words::branches(branches, root), path);
            }
        }
    }

    fn wrong_tag(&mut self, value: &Value, name: &'s str, tags: &[&'s Value], path: &Path<'_>) {
        let given = value.get(name);
        self.push(&path.field(name), || {
            let near = given
                .and_then(Value::as_str)
                .and_then(|given| nearest(given, tags.iter().filter_map(|tag| tag.as_str())));
            let hint = match (given, near) {
                (None, _) => Some("the parameter is required".to_owned()),
                (Some(given), near) => {
                    near.map(|near| words::did_you_mean(given.as_str().unwrap_or_default(), near))
                }
            };
            let received = given.map_or_else(|| "nothing".to_owned(), received);
            (words::one_of(tags.iter().copied()), received, hint)
        });
    }

    fn wrong_name(&mut self, given: &str, names: &[&'s str], branches: &'s [Value], path: &Path<'_>) {
        let root = self.root;
        self.push(path, || {
            let alone = branches.iter().flat_map(words::listed);
            let near = nearest(given, names.iter().copied().chain(alone));
            let hint = near.map(|near| match names.contains(&near) {
                true => words::did_you_mean(given, near),
                false => format!("write {} alone, without an object around it", Value::from(near)),
            });
            let received = format!("an object with `{}`", crate::schema::problem::shortened(given));
            (words::branches(branches, root), received, hint)
        });
    }
}

/// The one branch that is not `null`, where there is one.
fn only_something(branches: &[Value]) -> Option<&Value> {
    let is_null = |branch: &&Value| branch.get("type").is_some_and(|kind| kind == "null");
    let mut others = branches.iter().filter(|branch| !is_null(branch));
    others.next().filter(|_only| others.next().is_none() && branches.len() > 1)
}
