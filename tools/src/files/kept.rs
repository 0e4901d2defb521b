//! What a file has besides its content: its mode, its owner, its extended attributes, its other names. A replaced file
//! keeps what it can, and what it cannot is told.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::fs::{Gid, Uid, XattrFlags};

/// Bits of a mode that lend the owner's or the group's rights to whoever runs the file.
const LENT_RIGHTS: u32 = 0o6000;
/// The extended attributes that say something of a file whatever its content is: what people and programs noted on it,
/// and who may do what with it. Others speak of the content that is gone, or are the system's own.
const OF_THE_FILE: &[&str] = &["user.", "system.posix_acl_access", "security.selinux"];

/// Something that a replaced file does not have any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Lost {
    /// Its owner or its group.
    #[error("its owner was {0}, and is now whoever runs this: that could not be kept")]
    Owner(String),
    /// What was noted on it under these names.
    #[error("its extended attributes could not be kept: {0}")]
    Attributes(String),
    /// So many other names.
    #[error("it had {0} hard links: its other names keep the content from before")]
    Links(u64),
}

/// Gives a new file what an old one has besides its content, and tells what it could not.
pub(crate) fn keep(old: &File, then: &Metadata, new: &File) -> io::Result<Vec<Lost>> {
    let mut lost = Vec::new();
    let is_owner_kept = keep_owner(then, new);
    if !is_owner_kept {
        lost.push(Lost::Owner(format!("user {}, group {}", then.uid(), then.gid())));
    }
    // Another owner lends no rights that the one before lent. The mode comes after the owner, whose change takes such
    // bits off.
    let mode = then.mode() & if is_owner_kept { u32::MAX } else { !LENT_RIGHTS };
    new.set_permissions(PermissionsExt::from_mode(mode))?;
    let missing = keep_attributes(old, new);
    if !missing.is_empty() {
        lost.push(Lost::Attributes(format!("`{}`", missing.join("`, `"))));
    }
    if then.nlink() > 1 {
        lost.push(Lost::Links(then.nlink()));
    }
    Ok(lost)
}

fn keep_owner(then: &Metadata, new: &File) -> bool {
    let is_same = |now: &Metadata| now.uid() == then.uid() && now.gid() == then.gid();
    if new.metadata().is_ok_and(|now| is_same(&now)) {
        return true;
    }
    let (owner, group) = (Uid::from_raw(then.uid()), Gid::from_raw(then.gid()));
    rustix::fs::fchown(new, Some(owner), Some(group)).is_ok()
}

/// Copies extended attributes, and names those that could not be. A file system without any has none to lose.
fn keep_attributes(old: &File, new: &File) -> Vec<String> {
    let names = attribute_names(old).unwrap_or_default();
    let of_the_file = names.into_iter().filter(|name| OF_THE_FILE.iter().any(|kind| name.starts_with(kind)));
    of_the_file.filter(|name| copy_attribute(old, new, name).is_err()).collect()
}

fn attribute_names(file: &File) -> io::Result<Vec<String>> {
    let mut list = vec![0; rustix::fs::flistxattr_query(file)?];
    let length = rustix::fs::flistxattr(file, &mut list[..])?;
    let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn copy_attribute(old: &File, new: &File, name: &str) -> io::Result<()> {
    let mut value = vec![0; rustix::fs::fgetxattr_query(old, name)?];
    let length = rustix::fs::fgetxattr(old, name, &mut value[..])?;
    value.truncate(length);
    // The system may have given it the same one already, and then need not be asked.
    let mut there = vec![0; value.len() + 1];
    if rustix::fs::fgetxattr(new, name, &mut there[..]).is_ok_and(|length| there[..length] == value[..]) {
        return Ok(());
    }
    Ok(rustix::fs::fsetxattr(new, name, &value, XattrFlags::empty())?)
}
