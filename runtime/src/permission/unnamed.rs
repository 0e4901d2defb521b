//! Paths that are told only in part: `FOLDER/**` is anything below a folder, `FOLDER/**/NAME` what has a name there.
//!
//! Almost any folder may hold a repository or settings of its own. Only where it is known to hold what steers git, the
//! shell or the agent is it taken for granted that something without a name may be that.

use std::path::{Path, PathBuf};

use super::places::{GUARDED, GUARDED_FILES, is_guarded, is_protected, is_somebodys_home, may_begin, names};
use super::raw::may_name;

/// The hooks that git runs: files in its folder of hooks have no other names that matter.
pub(super) const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
    "x.fish",
];
/// Endings of names that files in protected folders hardly have: what a programmer writes and what is made of it.
const OF_SOURCES: &[&str] = &[
    "bak", "c", "cc", "class", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "kt", "log", "o",
    "orig", "php", "pyc", "py", "rb", "rej", "rs", "scala", "scss", "swift", "swp", "tmp", "ts", "tsx",
    "txt", "vue",
];

/// Something below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unnamed {
    folder: PathBuf,
    /// What its name looks like, without its case. Its wildcards stand for leading dots too.
    name: String,
}

impl Unnamed {
    /// What a path tells in part; nothing where it tells all.
    pub(super) fn of(path: &Path) -> Option<Unnamed> {
        let is_deep = |part: &std::ffi::OsStr| part == "**";
        let parts: Vec<&std::ffi::OsStr> = path.iter().collect();
        let at = parts.iter().position(|part| is_deep(part))?;
        let last = parts.last().filter(|last| !is_deep(last)).map(|last| last.to_string_lossy());
        let name = last.map_or_else(|| "*".to_owned(), |last| last.to_lowercase());
        Some(Unnamed { folder: parts[..at].iter().collect(), name })
    }

    /// Whether it may steer git, the shell or the agent.
    pub(super) fn may_be_guarded<'a>(&self, kept: impl Iterator<Item = &'a Path>) -> bool {
        let folder = &self.folder;
        if is_guarded(folder) || is_guarded(&folder.join(&self.name)) {
            return true;
        }
        self.leads_into_guarded() || (self.is_around(kept) && self.has_guarded_name())
    }

    /// Whether the folder is a home or one of the kept folders, or above one.
    fn is_around<'a>(&self, kept: impl Iterator<Item = &'a Path>) -> bool {
        let folder = names(&self.folder);
        let is_home = is_somebodys_home(&self.folder) || is_somebodys_home(&self.folder.join("somebody"));
        is_home || kept.into_iter().any(|kept| may_begin(&folder, &names(kept)))
    }

    /// Whether the folder is the beginning of something guarded.
    fn leads_into_guarded(&self) -> bool {
        let names = names(&self.folder);
        let is_begun = |guarded: &&str| {
            let parts: Vec<&str> = guarded.split('/').collect();
            (1..parts.len()).any(|length| {
                names.ends_with(&parts[..length].iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
            })
        };
        names.is_empty() || GUARDED.iter().any(is_begun)
    }

    fn has_guarded_name(&self) -> bool {
        let parts = GUARDED.iter().filter(|guarded| guarded.starts_with('.')).flat_map(|it| it.split('/'));
        parts.chain(GUARDED_FILES.iter().copied()).chain(HOOKS.iter().copied()).any(|it| self.may_be(it))
    }

    /// Whether removing it may remove the root, a child of it, or a kept folder.
    pub(super) fn may_be_critical<'a>(&self, kept: impl Iterator<Item = &'a Path>) -> bool {
        let near_root = names(&self.folder).is_empty() || is_somebodys_home(&self.folder.join("somebody"));
        let is_one = |kept: &Path| {
            let mut above =
                kept.ancestors().take_while(|above| names(above).len() > names(&self.folder).len());
            may_begin(&names(&self.folder), &names(kept))
                && above.any(|above| above.file_name().is_some_and(|it| self.may_be(&it.to_string_lossy())))
        };
        near_root || self.is_anything() || kept.into_iter().any(is_one)
    }

    /// Whether it may be in a protected folder, as far as its name and where it is tell.
    pub(super) fn may_be_protected<'a>(&self, kept: impl Iterator<Item = &'a Path>) -> bool {
        let of_sources = self.name.strip_prefix('*').and_then(|name| name.strip_prefix('.'));
        let may_be = !of_sources.is_some_and(|ending| OF_SOURCES.contains(&ending));
        let is_named = is_protected(&self.folder) || is_protected(&self.folder.join(&self.name));
        is_named || (may_be && (names(&self.folder).is_empty() || self.is_around(kept)))
    }

    fn is_anything(&self) -> bool {
        self.name.chars().all(|c| matches!(c, '*' | '?' | '.'))
    }

    fn may_be(&self, wanted: &str) -> bool {
        // A letter before both keeps a leading dot from being special.
        self.is_anything() || may_name(&format!("n{}", self.name), &format!("n{}", wanted.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(path: &str) -> bool {
        let kept = ["/home/me/w", "/home/me"].map(Path::new);
        Unnamed::of(Path::new(path)).expect("it has no name").may_be_guarded(kept.into_iter())
    }

    #[test]
    fn what_has_no_name_may_be_guarded_where_guarded_places_are() {
        for path in [
            "/**",
            "/home/**",
            "/home/you/**",
            "/home/me/w/**",
            "/home/me/w/**/config",
            "/home/me/w/**/*",
            "/home/me/w/**/c*",
            "/home/me/w/**/*rc",
            "/home/me/w/**/*.json",
            "/home/me/w/**/pre-*",
            "/home/me/w/**/.g*",
            "/home/me/w/sub/.git/**",
            "/home/me/w/.git/hooks/**/x.rs",
            "/home/me/w/.git/modules/**/config",
            "/home/me/w/.claude/**",
            "/x/.config/fish/**",
            "/etc/**",
            "/tmp/x/**/.bashrc",
        ] {
            assert!(guarded(path), "{path}");
        }
        for path in [
            "/tmp/**",
            "/tmp/x/**/config",
            "/home/me/w/out/**",
            "/home/me/w/**/*.rs",
            "/home/me/w/**/*.sh",
            "/home/me/w/**/node_modules",
            "/home/me/w/.git/modules/**/*.rs",
        ] {
            assert!(!guarded(path), "{path}");
        }
        assert_eq!(Unnamed::of(Path::new("/a/*")), None);
    }

    #[test]
    fn a_name_may_be_that_of_a_kept_folder() {
        let kept = || ["/home/me/w", "/home/me"].map(Path::new).into_iter();
        for (path, critical) in [
            ("/home/me/w/**/x", false),
            ("/home/me/**/w", true),
            ("/home/me/**/?", true),
            ("/home/me/**/x", false),
            ("/home/**/x", true),
            ("/**/x", true),
            ("/home/me/w/**", true),
            ("/home/m*/**/w", true),
            ("/home/me/v*/**/w", false),
        ] {
            let unnamed = Unnamed::of(Path::new(path)).expect("it has no name");
            assert_eq!(unnamed.may_be_critical(kept()), critical, "{path}");
        }
    }
}
