//! What the tests around bad files need of the machine: somebody without rights, a disk that is full, attributes.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::XattrFlags;
use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::session::is_root;

/// The user and the group that own nothing.
const NOBODY: u32 = 65_534;

/// Runs a test whose tools work as somebody whom modes stop, while the test itself keeps its rights: only the threads on
/// which tools touch files give theirs up. Where nobody has more rights than that, it is run as it is.
pub(super) fn without_rights(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all();
    if is_root() {
        builder.on_thread_start(give_up_rights);
    }
    builder.build().expect("an executor can be made").block_on(test);
}

/// Rights belong to threads, and go on to the threads that they start.
fn give_up_rights() {
    let (group, user) = (Gid::from_raw(NOBODY), Uid::from_raw(NOBODY));
    set_thread_groups(&[]).expect("a thread of root can leave its groups");
    set_thread_res_gid(group, group, group).expect("a thread of root can change its group");
    set_thread_res_uid(user, user, user).expect("a thread of root can change its user");
}

/// Gives a file or a folder a mode.
pub(super) fn mode(path: &Path, mode: u32) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode).expect("modes can be set");
}

/// A small disk of its own, which goes with this.
pub(super) struct Disk<'a>(&'a Path);

impl Disk<'_> {
    /// Mounts it on a folder; says so and gives nothing where that is not allowed.
    pub(super) fn mount(folder: &Path) -> Option<Disk<'_>> {
        std::fs::create_dir_all(folder).expect("folders can be made");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k,mode=777", "tmpfs"]).arg(folder).stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Disk(folder));
        }
        eprintln!("skipped: a disk cannot be mounted here");
        None
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "the disk stays mounted");
    }
}

/// A file that nobody may change until this goes; nothing where that cannot be asked for.
pub(super) struct Immutable<'a>(&'a Path);

impl Immutable<'_> {
    pub(super) fn make(file: &Path) -> Option<Immutable<'_>> {
        if chattr("+i", file) {
            return Some(Immutable(file));
        }
        eprintln!("skipped: files cannot be made immutable here");
        None
    }
}

impl Drop for Immutable<'_> {
    fn drop(&mut self) {
        assert!(chattr("-i", self.0), "the file stays immutable");
    }
}

fn chattr(flag: &str, file: &Path) -> bool {
    let mut chattr = Command::new("chattr");
    chattr.arg(flag).arg(file).stderr(Stdio::null());
    chattr.status().is_ok_and(|status| status.success())
}

/// Notes something on a file; whether its file system takes notes.
pub(super) fn note(file: &Path, name: &str, value: &str) -> bool {
    let noted = rustix::fs::setxattr(file, name, value.as_bytes(), XattrFlags::empty());
    if noted.is_err() {
        eprintln!("skipped: files have no attributes here");
    }
    noted.is_ok()
}

/// What is noted on a file.
pub(super) fn noted(file: &Path, name: &str) -> Option<String> {
    let mut value = [0; 100];
    let length = rustix::fs::getxattr(file, name, &mut value[..]).ok()?;
    Some(String::from_utf8_lossy(&value[..length]).into_owned())
}
