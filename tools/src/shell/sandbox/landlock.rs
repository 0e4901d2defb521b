//! Landlock's words for a confinement. Its rules only add, so what is closed within an open folder is closed by opening
//! everything beside it.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope,
};
use rustix::fs::{Mode, OFlags};

use super::confinement::Access;

/// What must be there: truncating a file is writing it.
const NEEDED: ABI = ABI::V3;
/// What is used where it is there.
const WANTED: ABI = ABI::V6;
/// Files that every program may write to.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// What is opened.
#[derive(Debug, Default)]
pub(super) struct Grants {
    writing: Vec<PathBuf>,
    /// What can be read, where not everything can.
    reading: Option<Vec<PathBuf>>,
}

impl Grants {
    /// What opens these places, which come with those above before those below.
    pub(super) fn of(places: &[(PathBuf, Access)]) -> Grants {
        let with = |wanted: &dyn Fn(Access) -> bool| {
            places
                .iter()
                .filter(|(_, access)| wanted(*access))
                .map(|(path, _)| path.as_path())
                .collect::<Vec<_>>()
        };
        let kept = |wanted: &dyn Fn(Access) -> bool, from: &Path| {
            let mut open = Vec::new();
            let others: Vec<&Path> = with(&|access| !wanted(access));
            beside(from, &others, &mut open);
            open
        };
        let is_written = |access| access == Access::Write;
        let is_read = |access| access != Access::Hidden;
        let mut writing: Vec<PathBuf> =
            with(&is_written).into_iter().flat_map(|path| kept(&is_written, path)).collect();
        writing.extend(DEVICES.iter().map(PathBuf::from));
        let reading = (!with(&|access| access == Access::Hidden).is_empty()).then(|| {
            let mut open = kept(&is_read, Path::new("/"));
            open.extend(with(&is_read).into_iter().flat_map(|path| kept(&is_read, path)));
            open
        });
        Grants { writing, reading }
    }
}

/// Restricts this thread, and all it starts, to what is opened.
///
/// # Errors
/// Why it cannot be said to the kernel.
pub(super) fn restrict(grants: &Grants) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| format!("landlock: {error}");
    let reads = AccessFs::ReadFile | AccessFs::ReadDir;
    let new_devices = AccessFs::MakeBlock | AccessFs::MakeChar;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(NEEDED))
        .map_err(|error| said(&error))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(WANTED))
        .and_then(|ruleset| ruleset.scope(Scope::Signal | Scope::AbstractUnixSocket))
        .map_err(|error| said(&error))?;
    if grants.reading.is_some() {
        ruleset = ruleset.handle_access(reads).map_err(|error| said(&error))?;
    }
    let mut created = ruleset.create().map_err(|error| said(&error))?;
    let written = grants.writing.iter().map(|path| (path, AccessFs::from_write(WANTED) & !new_devices));
    let read = grants.reading.iter().flatten().map(|path| (path, reads));
    for (path, access) in written.chain(read) {
        // What is gone, or a link by now, is not opened.
        let Some((place, is_folder)) = place(path) else { continue };
        let access = if is_folder { access } else { access & AccessFs::from_file(WANTED) };
        created = created.add_rule(PathBeneath::new(place, access)).map_err(|error| said(&error))?;
    }
    let status = created.restrict_self().map_err(|error| said(&error))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => super::privileges::give_up(),
        RulesetStatus::NotEnforced => Err("landlock: the kernel has it not, or not switched on".to_owned()),
    }
}

/// The place itself, and whether it is a folder; nothing for links.
fn place(path: &Path) -> Option<(OwnedFd, bool)> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&place).ok()?.st_mode);
    match kind {
        rustix::fs::FileType::Symlink => None,
        rustix::fs::FileType::Directory => Some((place, true)),
        _file => Some((place, false)),
    }
}

/// Everything in a folder that is not among some places, and not above one of them.
fn beside(folder: &Path, closed: &[&Path], open: &mut Vec<PathBuf>) {
    if !closed.iter().any(|place| place.starts_with(folder)) {
        open.push(folder.to_owned());
        return;
    }
    if closed.contains(&folder) {
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        beside(&entry.path(), closed, open);
    }
}
