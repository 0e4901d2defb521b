//! Bubblewrap's words for a confinement: what is mounted over what.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::confinement::Access;

/// The arguments before the program that is to be confined. `places` come with those above before those below.
pub(super) fn arguments(
    places: &[(PathBuf, Access)],
    folders_hidden: &[PathBuf],
    cwd: &Path,
    network: bool,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut say = |said: &[&str], path: Option<&Path>| {
        words.extend(said.iter().map(OsString::from));
        words.extend(path.map(|path| path.as_os_str().to_owned()));
    };
    say(&["--unshare-pid", "--unshare-ipc"], None);
    if !network {
        say(&["--unshare-net"], None);
    }
    say(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"], None);
    // Bubblewrap leaves the kernel's settings there writable to the superuser.
    say(&["--remount-ro", "/proc"], None);
    let pins = pins(places);
    let pinned = pins.iter().map(|path| (path, Access::Write));
    let mut mounts: Vec<(&PathBuf, Access)> =
        places.iter().map(|(path, access)| (path, *access)).chain(pinned).collect();
    mounts.sort_by_key(|(path, _)| path.components().count());
    for (path, access) in mounts {
        match access {
            Access::Write => say(&["--bind"], Some(path)),
            Access::Read => say(&["--ro-bind"], Some(path)),
            Access::Hidden if folders_hidden.contains(path) => {
                say(&["--tmpfs"], Some(path));
                continue;
            }
            Access::Hidden => say(&["--ro-bind", "/dev/null"], None),
        }
        say(&[], Some(path));
    }
    for path in folders_hidden {
        say(&["--remount-ro"], Some(path));
    }
    say(&["--cap-drop", "ALL"], None);
    // Without the right to have any, none can be added.
    #[cfg(target_os = "linux")]
    if rustix::process::geteuid().is_root() {
        super::privileges::KEPT.iter().for_each(|(name, _)| say(&["--cap-add", name], None));
    }
    say(&["--chdir"], Some(cwd));
    say(&["--"], None);
    words
}

/// The folders between a place that is closed and the one that is open around it. As mounts of their own they cannot be
/// moved away with what is in them, to make room for another.
fn pins(places: &[(PathBuf, Access)]) -> BTreeSet<PathBuf> {
    let access_at = |path: &Path| places.iter().find(|(place, _)| place == path).map(|(_, access)| *access);
    let mut pins = BTreeSet::new();
    for (path, access) in places {
        if *access == Access::Write {
            continue;
        }
        let above: Vec<&Path> =
            path.ancestors().skip(1).take_while(|above| access_at(above).is_none()).collect();
        let around = path.ancestors().skip(1).find_map(access_at);
        if around == Some(Access::Write) {
            pins.extend(above.into_iter().map(Path::to_owned));
        }
    }
    pins
}
