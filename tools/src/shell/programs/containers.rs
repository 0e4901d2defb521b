//! Folders of this machine that a container is given: what runs in it may read them, and write in them unless it is told
//! not to.

use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Programs that run containers.
const CONTAINERS: &[&str] = &["docker", "nerdctl", "podman"];
/// Options with a folder, and the place in a container where it is.
const MOUNTING: &[&str] = &["--mount", "--volume", "-v"];

/// Tells what a container is given.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    if !CONTAINERS.contains(&name) {
        return Ok(());
    }
    for (at, word) in arguments.iter().enumerate() {
        let value = word.value.as_str();
        let given = match value.split_once('=') {
            Some((option, given)) if MOUNTING.contains(&option) => Some((given, word)),
            _other if MOUNTING.contains(&value) => {
                arguments.get(at + 1).map(|next| (next.value.as_str(), next))
            }
            _other => {
                value.strip_prefix("-v").filter(|_| !value.starts_with("--")).map(|given| (given, word))
            }
        };
        let Some((given, of)) = given.filter(|(given, _)| !given.is_empty()) else { continue };
        let listed =
            given.split(',').find_map(|it| it.strip_prefix("source=").or_else(|| it.strip_prefix("src=")));
        let source = listed.unwrap_or_else(|| given.split(':').next().unwrap_or_default());
        // What has no slash is a volume by its name.
        let is_place = source.contains(['/', '~']) || matches!(source, "." | "..") || !of.is_known();
        if is_place {
            let has_tilde = of.has_tilde && source.starts_with('~');
            let typed = if has_tilde { source.to_owned() } else { of.typed.clone() };
            targets.add(
                &Word { value: source.to_owned(), typed, has_tilde, ..of.clone() },
                Use::MayWriteBelow,
            )?;
        }
    }
    Ok(())
}
