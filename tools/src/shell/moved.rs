//! What becomes of the session's working directory when a shell has ended in another.

use std::path::{Path, PathBuf};

use toolwright::contract::Context;

/// The folders that the working directory may be in, by name and with links resolved.
pub(super) struct Roots(Vec<PathBuf>);

/// What becomes of the working directory.
pub(super) enum Moved {
    Stayed,
    To(PathBuf),
    Refused(PathBuf),
}

impl Roots {
    pub(super) fn of(context: &Context) -> Roots {
        Roots(context.directories().map(Path::to_owned).collect())
    }

    /// Judges the directory that the shell ended in, which has its links resolved.
    pub(super) fn judge(&self, ended_in: Option<PathBuf>, from: PathBuf) -> Moved {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_gone| path.to_owned());
        let Some(to) = ended_in.filter(|to| to.is_absolute() && *to != real(&from)) else {
            return Moved::Stayed;
        };
        if self.0.iter().any(|root| to.starts_with(real(root))) {
            Moved::To(to)
        } else {
            Moved::Refused(from)
        }
    }
}
