//! The file name nearest to one that does not exist.

use std::path::Path;

use toolwright::nearest::edit_distance;

/// How many names of a folder are compared.
const NAMES_MAX: usize = 10_000;

/// The name in `path`'s folder that is nearest to `path`'s own; nothing when none is near, or there is no folder.
pub(crate) fn nearest_name(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let names = std::fs::read_dir(path.parent()?).ok()?.take(NAMES_MAX);
    let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    nearest(wanted, names)
}

fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let same_stem = |name: &str| Path::new(name).file_stem() == Path::new(wanted).file_stem();
    let changes_max = (wanted.chars().count() / 3).max(1);
    let scored = names.filter(|name| name != wanted).filter_map(|name| {
        let changes =
            if same_stem(&name) { 1 } else { edit_distance(&wanted.to_lowercase(), &name.to_lowercase()) };
        (changes <= changes_max).then_some((changes, name))
    });
    scored.min().map(|(_changes, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["main.rs", "lib.rs", "README.md", "config.yaml"];
        let near = |wanted| nearest(wanted, names.iter().map(|name| (*name).to_owned()));
        assert_eq!(near("mian.rs").as_deref(), Some("main.rs"));
        assert_eq!(near("readme.md").as_deref(), Some("README.md"));
        assert_eq!(near("config.yml").as_deref(), Some("config.yaml"), "the same name with another ending");
        assert_eq!(near("completely_other.txt"), None);
    }
}
