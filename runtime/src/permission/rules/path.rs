//! Patterns over paths: gitignore syntax with four anchors.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::parse::{Behavior, Source};
use crate::contract::Context;

/// A path pattern, anchored and compiled.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    matchers: Vec<GlobMatcher>,
}

impl PathPattern {
    /// Anchors and compiles a pattern: `//x` at the root, `~/x` at home, `/x` at the place of its source, `x` at the
    /// working directory; a bare file name at any depth below it.
    ///
    /// # Errors
    /// In words: what is wrong with the pattern.
    pub(super) fn new(
        content: &str,
        behavior: Behavior,
        source: Source,
        context: &Context,
    ) -> Result<PathPattern, String> {
        let home = || context.home.clone().ok_or_else(|| "the home directory is not known".to_owned());
        let (anchor, below) = if let Some(below) = content.strip_prefix("//") {
            (PathBuf::from("/"), below)
        } else if content == "~" {
            (home()?, "")
        } else if let Some(below) = content.strip_prefix("~/") {
            (home()?, below)
        } else if let Some(below) = content.strip_prefix('/') {
            (
                if source == Source::UserSettings { home()?.join(".claude") } else { context.cwd.clone() },
                below,
            )
        } else {
            (context.cwd.clone(), content.strip_prefix("./").unwrap_or(content))
        };
        let anchor = escaped(&anchor);
        let below = below.trim_end_matches('/');
        let mut globs = vec![join(&anchor, below)];
        // In deny and ask rules a folder's name counts at any depth, as in gitignore; allow rules stay where they say.
        let is_name = !below.contains('/') && !content.starts_with('/');
        let is_folder = below.strip_suffix("/**").is_some_and(|folder| !folder.contains('/'))
            && !content.starts_with('/');
        if is_name || (is_folder && behavior != Behavior::Allow) {
            globs.push(join(&anchor, &format!("**/{below}")));
        }
        // A pattern that names a folder means everything in it.
        let inside: Vec<String> =
            globs.iter().map(|glob| format!("{}/**", glob.trim_end_matches('/'))).collect();
        globs.extend(inside);
        let compiled = globs.iter().map(|glob| {
            let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
            built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
        });
        Ok(PathPattern { matchers: compiled.collect::<Result<_, _>>()? })
    }

    /// Whether an absolute path matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        self.matchers.iter().any(|matcher| matcher.is_match(path))
    }
}

fn join(anchor: &str, below: &str) -> String {
    match (anchor, below) {
        ("/", below) => format!("/{below}"),
        (anchor, "") => anchor.to_owned(),
        (anchor, below) => format!("{anchor}/{below}"),
    }
}

/// A folder's path with nothing in it that a pattern would take for a wildcard.
fn escaped(folder: &Path) -> String {
    globset::escape(&folder.to_string_lossy())
}
