//! Whether git tracks a file: read from the repository's index, since starting git in a folder that nobody trusts would
//! run what its configuration says.

use std::io;
use std::path::{Path, PathBuf};

use super::files::is_absence;
use crate::permission::Files;

/// How large an index may be; a larger one is not read.
const INDEX_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How large the file may be that says where a repository is.
const LINK_BYTES_MAX: u64 = 64 * 1024;
/// How many bytes an object's name has: SHA-1 and SHA-256.
const NAME_BYTES: [usize; 2] = [20, 32];
/// The bytes of an entry before the name of its object.
const STAT_BYTES: usize = 40;

/// The folder of the git repository that a folder is in.
pub(super) fn git_root(folder: &Path, files: &dyn Files) -> Option<PathBuf> {
    folder.ancestors().find(|folder| git_folder(folder, files).is_some()).map(Path::to_owned)
}

/// Whether any repository around a file tracks it; also where that cannot be told.
pub(super) fn is_tracked(path: &Path, files: &dyn Files) -> bool {
    let Some(folder) = path.parent() else { return true };
    folder.ancestors().any(|folder| {
        let Some(git) = git_folder(folder, files) else { return false };
        let Ok(below) = path.strip_prefix(folder) else { return true };
        let Some(below) = below.to_str() else { return true };
        match files.read(&git.join("index"), INDEX_BYTES_MAX) {
            Ok(index) => lists(&index, below).unwrap_or(true),
            Err(error) => !is_absence(&error),
        }
    })
}

/// The folder in which a repository keeps its index, where this folder is the root of one.
fn git_folder(root: &Path, files: &dyn Files) -> Option<PathBuf> {
    let git = root.join(".git");
    match files.read(&git.join("HEAD"), LINK_BYTES_MAX) {
        Ok(_head) => return Some(git),
        Err(error) if is_absence(&error) || error.kind() == io::ErrorKind::Unsupported => {}
        // It is there, and what it tracks cannot be told.
        Err(_unreadable) => return Some(git),
    }
    let link = files.read(&git, LINK_BYTES_MAX).ok()?;
    let target = std::str::from_utf8(&link).ok()?.strip_prefix("gitdir:")?.trim();
    Some(root.join(target))
}

/// Whether an index lists a path, whatever the case of its letters; nothing where it cannot be understood.
fn lists(index: &[u8], path: &str) -> Option<bool> {
    NAME_BYTES.iter().find_map(|bytes| Index { bytes: index, name_bytes: *bytes }.lists(path))
}

/// The format is described in git's own `gitformat-index`.
struct Index<'a> {
    bytes: &'a [u8],
    name_bytes: usize,
}

impl Index<'_> {
    fn lists(&self, wanted: &str) -> Option<bool> {
        if self.bytes.get(..4)? != b"DIRC" {
            return None;
        }
        let version = self.number(4)?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut at = 12_usize;
        let mut name: Vec<u8> = Vec::new();
        let mut is_listed = false;
        for _entry in 0..self.number(8)? {
            let flags_at = at.checked_add(STAT_BYTES + self.name_bytes)?;
            let flags =
                u16::from_be_bytes(self.bytes.get(flags_at..flags_at.checked_add(2)?)?.try_into().ok()?);
            let is_extended = flags & 0x4000 != 0;
            let mut name_at = flags_at + if is_extended && version >= 3 { 4 } else { 2 };
            if version == 4 {
                let kept = name.len().checked_sub(self.varint(&mut name_at)?)?;
                name.truncate(kept);
            } else {
                name.clear();
            }
            let rest = self.bytes.get(name_at..)?;
            let length = rest.iter().position(|byte| *byte == 0)?;
            name.extend_from_slice(rest.get(..length)?);
            at = if version == 4 {
                name_at + length + 1
            } else {
                // Entries are padded with one to eight NULs to a multiple of eight.
                let entry = name_at + length - at;
                at + (entry / 8 + 1) * 8
            };
            is_listed |= name.eq_ignore_ascii_case(wanted.as_bytes());
        }
        self.has_only_plain_extensions(at)?;
        Some(is_listed)
    }

    /// Extensions that keep entries elsewhere, or folders in place of files, have names that begin with a small letter;
    /// so has every other that must be understood. The last bytes are a checksum.
    fn has_only_plain_extensions(&self, mut at: usize) -> Option<()> {
        let end = self.bytes.len().checked_sub(self.name_bytes)?;
        while at < end {
            if self.bytes.get(at)?.is_ascii_lowercase() {
                return None;
            }
            let length = usize::try_from(self.number(at.checked_add(4)?)?).ok()?;
            at = at.checked_add(8)?.checked_add(length)?;
        }
        (at == end).then_some(())
    }

    fn number(&self, at: usize) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
    }

    /// A number of git's variable width; moves `at` behind it.
    fn varint(&self, at: &mut usize) -> Option<usize> {
        let mut next = || {
            let byte = *self.bytes.get(*at)?;
            *at += 1;
            Some(byte)
        };
        let mut byte = next()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = next()?;
            value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }
}
