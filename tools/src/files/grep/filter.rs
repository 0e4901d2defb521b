//! Which files are looked at, by name and by type.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use toolwright::nearest::nearest;

use crate::one_line::one_line;

/// Folders in which version control systems keep what is theirs.
pub(crate) const VERSION_CONTROL: &[&str] = &[".git", ".svn", ".hg", ".bzr", ".jj", ".sl"];

/// Which files are looked at.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    globs: Vec<String>,
    types: Types,
}

/// Why files cannot be told by name or type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadFilter {
    /// It is not a glob.
    #[error("`{}` is not a glob: {}; give one such as `*.rs` or `*.{{ts,tsx}}`", one_line(.0), .1)]
    Glob(String, String),
    /// There is no such type.
    #[error(
        "there is no type `{}`{near}: give `rust`, `py`, `ts` or the like, or use `glob`",
        one_line(.0),
        near = near(.1)
    )]
    Type(String, Option<String>),
}

fn near(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl Filter {
    /// Reads globs, apart by spaces or commas, and the name of a type.
    pub(crate) fn new(globs: Option<&str>, file_type: Option<&str>) -> Result<Filter, BadFilter> {
        let globs: Vec<String> = globs.map(split).unwrap_or_default();
        let filter = Filter { globs, types: types(file_type)? };
        filter.overrides(Path::new("/")).map(|_read| filter)
    }

    /// What the globs say of the files below a folder. What belongs to version control is left out, whatever they say.
    pub(crate) fn overrides(&self, folder: &Path) -> Result<Override, BadFilter> {
        let mut builder = OverrideBuilder::new(folder);
        let not = VERSION_CONTROL.iter().map(|name| format!("!{name}"));
        for glob in self.globs.iter().cloned().chain(not) {
            builder.add(&glob).map_err(|error| bad_glob(&glob, &error))?;
        }
        builder.build().map_err(|error| bad_glob(&self.globs.join(","), &error))
    }

    /// Which types are looked at.
    pub(crate) fn types(&self) -> Types {
        self.types.clone()
    }
}

fn bad_glob(glob: &str, error: &ignore::Error) -> BadFilter {
    let why = match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    };
    BadFilter::Glob(glob.to_owned(), why)
}

fn types(name: Option<&str>) -> Result<Types, BadFilter> {
    let Some(name) = name else { return Ok(Types::empty()) };
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name).build().map_err(|_unknown| {
        let known = builder.definitions();
        // A file's ending is a type's name in the minds of many.
        let ending = format!("*.{name}");
        let by_ending = known.iter().find(|known| known.globs().contains(&ending)).map(|known| known.name());
        let near = by_ending.or_else(|| nearest(name, known.iter().map(|known| known.name())));
        BadFilter::Type(name.to_owned(), near.map(str::to_owned))
    })
}

/// The globs of a text, apart by spaces and commas outside of braces and brackets.
fn split(text: &str) -> Vec<String> {
    let mut globs = vec![String::new()];
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for c in text.chars() {
        let ends = depth == 0 && !is_escaped && (c == ',' || c.is_whitespace());
        match c {
            _escaped if is_escaped => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _other => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        match globs.last_mut() {
            Some(last) if !ends => last.push(c),
            _done => globs.push(String::new()),
        }
    }
    globs.retain(|glob| !glob.is_empty());
    globs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_apart_by_spaces_and_commas_outside_of_braces() {
        for (text, globs) in [
            ("*.rs", &["*.rs"] as &[&str]),
            ("*.{ts,tsx}", &["*.{ts,tsx}"]),
            ("*.ts, *.tsx  !x", &["*.ts", "*.tsx", "!x"]),
            ("a\\ b,[ ,]c", &["a\\ b", "[ ,]c"]),
            (" ", &[]),
        ] {
            assert_eq!(split(text), globs, "{text}");
        }
    }

    #[test]
    fn unknown_types_name_the_nearest() {
        for (name, near) in [("rs", "`rust`"), ("pyhton", "`python`"), ("tsx", "`ts`")] {
            let said = Filter::new(None, Some(name)).map_or_else(|bad| bad.to_string(), |_| String::new());
            assert!(said.is_empty() || said.contains(near), "{said}");
        }
        assert!(Filter::new(None, Some("no such type")).is_err());
        assert!(Filter::new(Some("a[,*.rs"), None).is_err());
        assert!(Filter::new(Some("*.rs !*_test.rs"), Some("rust")).is_ok());
    }
}
