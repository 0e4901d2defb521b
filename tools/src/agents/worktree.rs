//! A working tree of its own for one agent: made beside the others of the repository, removed when nothing in it was
//! changed, and kept where something was. Whatever happens to the agent, one of both is done.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright::contract::{Context, Mirror};
use toolwright::env::Env;
use toolwright::session::Place;

use crate::git::{GitError, git};

/// Where the trees of agents are, in the repository's own tree: writing there asks no more than elsewhere.
const FOLDER: &str = ".claude/worktrees";
/// What is in that folder so that git does not see it.
const IGNORES_ITSELF: &str = ".gitignore";
/// How many names are tried until one is free.
const NAMES_MAX: usize = 20;

/// A working tree that belongs to one agent.
#[derive(Debug)]
pub(crate) struct Worktree {
    /// The repository's own working tree, where git is run.
    repository: PathBuf,
    /// Where the tree is.
    path: PathBuf,
    branch: String,
    /// The commit that it begins with.
    base: String,
    /// Where in it the agent works.
    place: Place,
    /// How many files of the tree it is made from are changed and not in it.
    left_behind: usize,
    standing: Mutex<Standing>,
}

/// Whether the tree is there.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    Gone,
    InUse,
    Kept(Kept),
}

/// A tree that stays, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    why: String,
}

/// A tree while somebody works in it. Dropped, it is removed or kept.
#[derive(Debug)]
pub(crate) struct TreeInUse(Arc<Worktree>);

impl Worktree {
    /// Finds out how a tree can be made for an agent that is to work for a session with this context. Nothing is made yet.
    /// This blocks.
    ///
    /// # Errors
    /// In words: no repository, no commit, no name.
    pub(crate) fn plan(context: &Context, name: &str) -> Result<Worktree, String> {
        let cwd = &context.cwd;
        let found = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"];
        let found = git(cwd, &found).map_err(|error| match error {
            GitError::Refused(said) => format!(
                "`{}` is in no working tree of a git repository ({said}), so there is nothing to make another of: \
                 leave `isolation` out",
                cwd.display()
            ),
            GitError::Missing | GitError::NotRun(_) | GitError::TooLong => error.to_string(),
        })?;
        let (top, common) = found.split_once('\n').ok_or("git does not say where its repository is")?;
        let (top, common) = (Path::new(top), Path::new(common));
        let base = git(cwd, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).map_err(|_none| {
            "the repository has no commit that a working tree could begin with: commit something first"
                .to_owned()
        })?;
        let status = git(cwd, &["status", "--porcelain", "--untracked-files=normal"])
            .map_err(|error| format!("what is changed in the repository cannot be told: {error}"))?;
        // Beside the others, and not in one that may be removed.
        let is_usual = common.file_name().is_some_and(|name| name == ".git");
        let repository = common.parent().filter(|_| is_usual).unwrap_or(top).to_owned();
        let (path, branch) = free_name(&repository, name)?;
        Ok(Worktree {
            place: mirrored(context, top, &path),
            left_behind: status.lines().count(),
            standing: Mutex::new(Standing::Gone),
            repository,
            path,
            branch,
            base,
        })
    }

    /// Where the agent works.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn branch(&self) -> &str {
        &self.branch
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the agent is to know of it.
    pub(crate) fn notice(&self) -> String {
        let mut text = format!(
            "You work in `{}`, a working tree of your own of the repository `{}`, on the branch `{}`. Read and change \
             files there and nowhere else: where a path leads into `{}`, use the same path below your own tree.",
            self.place.cwd.display(),
            self.repository.display(),
            self.branch,
            self.repository.display()
        );
        if self.left_behind > 0 {
            text.push_str(&format!(
                " It begins with the last commit: {} changed or new files that are not committed are missing from it.",
                self.left_behind
            ));
        }
        text
    }

    /// Makes the tree, unless it is there. This blocks.
    ///
    /// # Errors
    /// In words. Nothing is left of it then.
    pub(crate) fn enter(self: &Arc<Worktree>) -> Result<TreeInUse, String> {
        let mut standing = self.standing();
        // One that was kept may have been taken away by somebody else.
        if *standing == Standing::Gone || !self.path.exists() {
            self.make().map_err(|error| {
                self.discard();
                format!("no working tree could be made at `{}`: {error}", self.path.display())
            })?;
        }
        *standing = Standing::InUse;
        Ok(TreeInUse(Arc::clone(self)))
    }

    /// The tree, where it was kept.
    pub(crate) fn kept(&self) -> Option<Kept> {
        match &*self.standing() {
            Standing::Kept(kept) => Some(kept.clone()),
            Standing::Gone | Standing::InUse => None,
        }
    }

    fn make(&self) -> Result<(), String> {
        prepare(&self.repository)?;
        let path = self.path.to_str().ok_or("its path is not text")?;
        let add = ["worktree", "add", "--quiet", "-b", &self.branch, path, &self.base];
        git(&self.repository, &add).map_err(|error| error.to_string())?;
        // A folder that git does not know, such as an empty one, is not in the tree.
        [&self.place.root, &self.place.cwd]
            .into_iter()
            .try_for_each(fs::create_dir_all)
            .map_err(|error| error.to_string())
    }

    /// Removes what was begun to be made.
    fn discard(&self) {
        if let Some(path) = self.path.to_str() {
            // Whatever of it is not there is well.
            drop(git(&self.repository, &["worktree", "remove", "--force", path]));
        }
        self.drop_branch();
    }

    /// Nobody works in it any more: it is removed where nothing was changed. This blocks.
    fn leave(&self) {
        let mut standing = self.standing();
        if *standing != Standing::InUse {
            return;
        }
        let keep = |why| Kept { path: self.path.clone(), branch: self.branch.clone(), why };
        *standing = match self.changes() {
            Err(error) => Standing::Kept(keep(format!("whether it was changed cannot be told: {error}"))),
            Ok(Some(changes)) => Standing::Kept(keep(changes)),
            Ok(None) => match self.remove() {
                Ok(()) => Standing::Gone,
                Err(error) => Standing::Kept(keep(format!("it could not be removed: {error}"))),
            },
        };
    }

    /// What is in it that was not at its beginning. What git is told to ignore does not count.
    fn changes(&self) -> Result<Option<String>, GitError> {
        let of_branch = git(&self.repository, &["rev-parse", "--verify", "--quiet", &self.reference()]);
        let mut has_commits = of_branch.is_ok_and(|commit| commit != self.base);
        let mut changed = 0;
        if self.path.exists() {
            let here = git(&self.path, &["rev-parse", "--path-format=absolute", "--show-toplevel", "HEAD"])?;
            let (top, head) = here.split_once('\n').unwrap_or((&here, ""));
            if Path::new(top) != self.path {
                return Err(GitError::Refused("it is no working tree any more".to_owned()));
            }
            has_commits |= head != self.base;
            let status = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none"];
            changed = git(&self.path, &status)?.lines().count();
        }
        let mut inner = fs::read_dir(self.path.join(FOLDER)).into_iter().flatten().flatten();
        let has_trees = inner.any(|entry| entry.file_name() != IGNORES_ITSELF);
        let mut changes = Vec::new();
        if changed > 0 {
            changes.push(format!("{changed} changed or new files"));
        }
        if has_commits {
            changes.push("commits of its own".to_owned());
        }
        if has_trees {
            changes.push("trees of other agents".to_owned());
        }
        Ok((!changes.is_empty()).then(|| format!("it has {}", changes.join(" and "))))
    }

    fn remove(&self) -> Result<(), GitError> {
        let path = self.path.to_str().unwrap_or_default();
        let removed = match git(&self.repository, &["worktree", "remove", path]) {
            // Git refuses this wherever there are submodules, though it has just told that none of them was changed.
            Err(GitError::Refused(said)) if said.contains("submodules") => {
                git(&self.repository, &["worktree", "remove", "--force", path])
            }
            other => other,
        };
        removed?;
        self.drop_branch();
        Ok(())
    }

    /// Removes the branch, unless something was committed to it.
    fn drop_branch(&self) {
        // One that is gone, or that has moved on, stays as it is.
        drop(git(&self.repository, &["update-ref", "-d", &self.reference(), &self.base]));
    }

    fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TreeInUse {
    /// Removes the tree or keeps it, where blocking is allowed.
    pub(crate) async fn leave(self, env: &Env) {
        // Given up meanwhile, it goes on to its end; where it could not begin, the drop does it.
        drop(env.blocking(move || drop(self)).await);
    }
}

impl Drop for TreeInUse {
    /// Blocks: a task would not be run where a runtime or the process is about to end, and the tree would be left behind.
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kept { path, branch, why } = self;
        write!(f, "its working tree was kept, since {why}: `{}`, branch `{branch}`", path.display())
    }
}

/// The same places in another tree; what is above the tree is the whole of it.
fn mirrored(context: &Context, top: &Path, tree: &Path) -> Place {
    let within = |folder: &Path| {
        let real = folder.canonicalize().unwrap_or_else(|_gone| folder.to_owned());
        real.strip_prefix(top).map_or_else(|_outside| tree.to_owned(), |rest| tree.join(rest))
    };
    let root = within(&context.root);
    let cwd = Some(within(&context.cwd)).filter(|cwd| cwd.starts_with(&root));
    // The copy of a copy is one of the original, which rules are about.
    let original = context.mirror.as_ref().filter(|mirror| mirror.copy == top);
    let original = original.map_or(top, |mirror| &mirror.original).to_owned();
    Place {
        cwd: cwd.unwrap_or_else(|| root.clone()),
        root,
        mirror: Some(Mirror { copy: tree.to_owned(), original }),
    }
}

/// A folder and a branch that nobody has.
fn free_name(repository: &Path, name: &str) -> Result<(PathBuf, String), String> {
    for number in 1..=NAMES_MAX {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let (path, branch) = (repository.join(FOLDER).join(&name), format!("worktree-{name}"));
        let is_there = path.symlink_metadata().is_ok();
        let reference = format!("refs/heads/{branch}");
        match git(repository, &["rev-parse", "--verify", "--quiet", &reference]) {
            Err(GitError::Refused(_)) if !is_there => return Ok((path, branch)),
            Ok(_) | Err(GitError::Refused(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(format!(
        "there are {NAMES_MAX} working trees for `{name}` already: remove them with `git worktree remove`"
    ))
}

/// Makes the folder that trees are in, which git does not see. A link in its way would lead elsewhere.
fn prepare(repository: &Path) -> Result<(), String> {
    let folder = repository.join(FOLDER);
    let told = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(told)?;
    let real = repository.canonicalize().map_err(told)?.join(FOLDER);
    if folder.canonicalize().map_err(told)? != real {
        return Err(format!("`{}` is a link to somewhere else", folder.display()));
    }
    match OpenOptions::new().write(true).create_new(true).open(folder.join(IGNORES_ITSELF)) {
        Ok(mut file) => file.write_all(b"*\n").map_err(told),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(told(error)),
    }
}
