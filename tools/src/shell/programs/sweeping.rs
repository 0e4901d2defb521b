//! Programs that take up whole folders, to pack, send or show what is in them: whatever a rule closes below may be among
//! it.

use super::writing::operands;
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// What a program takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sweeps {
    /// The working directory.
    Here,
    /// The folders among its operands.
    Operands,
    /// The folders among its operands, and the working directory.
    Both,
}

use Sweeps::{Both, Here, Operands};

/// Programs, with the words of which one must be among their arguments; none where they always do.
const SWEEPING: &[(&[&str], &[&str], Sweeps)] = &[
    (&["aider", "code2prompt", "ctags", "files-to-prompt", "gitingest", "repomix"], &[], Both),
    (&["aws", "gsutil", "mc", "s3cmd", "s5cmd"], &["cp", "mv", "put", "rsync", "sync"], Both),
    (&["borg", "duplicity", "genisoimage", "mkisofs", "mksquashfs", "restic", "xorriso"], &[], Both),
    (&["buildah", "docker", "img", "nerdctl", "podman"], &["bake", "bud", "build"], Operands),
    (&["buildah", "docker", "nerdctl", "podman"], &["bake", "compose"], Here),
    (&["caddy"], &["file-server"], Here),
    (&["cargo"], &["package", "publish"], Here),
    (&["cpio", "pax"], &["-o", "-w", "--create"], Here),
    (&["firebase", "fly", "flyctl", "netlify", "sam", "serverless", "sls", "vercel", "wrangler"], &[], Both),
    (&["flit", "hatch", "poetry", "uv"], &["build", "publish"], Here),
    (&["gcloud"], &["deploy", "submit"], Both),
    (&["gem"], &["build"], Here),
    (&["heroku", "surge", "vsce"], &[], Both),
    (&["http-server", "httpd", "live-server", "miniserve", "serve", "simple-http-server"], &[], Both),
    (&["jar", "rar", "7z", "7za", "7zr", "7zz"], &["a", "c", "cf", "cvf", "u"], Operands),
    (&["kubectl", "oc"], &["cp"], Operands),
    (&["npm", "pnpm", "yarn"], &["pack", "publish"], Here),
    (&["php"], &["-S"], Both),
    (
        &["python", "python2", "python3"],
        &["http.server", "SimpleHTTPServer", "zipfile", "tarfile", "twine"],
        Both,
    ),
    (&["rclone"], &["copy", "copyto", "move", "serve", "sync"], Both),
    (&["ruby"], &["-run", "httpd"], Both),
    (&["twine"], &["upload"], Operands),
    (&["zip"], &["-r", "-R", "--recurse-paths"], Operands),
];

/// Tells what a program takes up.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    for (names, words, sweeps) in SWEEPING {
        let is_said = |word: &Word| {
            let value = word.value.as_str();
            let letters = value.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            words.iter().any(|said| {
                let letter = said.strip_prefix('-').filter(|letter| letter.len() == 1);
                value == *said
                    || letter.zip(letters).is_some_and(|(letter, letters)| letters.contains(letter))
            })
        };
        if !names.contains(&name) || !(words.is_empty() || arguments.iter().any(is_said)) {
            continue;
        }
        if matches!(sweeps, Here | Both) {
            targets.add_here(Use::ReadBelow)?;
        }
        if matches!(sweeps, Operands | Both) {
            for word in operands(arguments, &[], "ftd").into_iter().filter(|word| may_be_folder(word)) {
                targets.add(word, Use::ReadBelow)?;
            }
        }
    }
    Ok(())
}

/// Whether an operand may name a folder of this machine, and is no address.
fn may_be_folder(word: &Word) -> bool {
    !word.value.contains("://") && !word.value.starts_with("s3:") && word.is_known()
}
