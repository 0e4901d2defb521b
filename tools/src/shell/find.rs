//! What `find` would do: it looks, unless an action writes, removes or runs something.

use toolwright::contract::Effect;

use super::command::Doubt;
use super::place::Places;
use super::word::Word;

/// Tests and actions that stand alone.
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-ls",
    "-mount",
    "-nogroup",
    "-nouser",
    "-noleaf",
    "-not",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];

/// Tests and actions with a value.
const VALUED: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-gid",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newermt",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// Tests with a file to compare with.
const COMPARING: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

/// Reads the arguments of `find`. Whatever is not listed above is doubtful; what is left changes nothing.
pub(super) fn read(arguments: &[Word], places: &Places<'_>, paths: &mut Vec<Effect>) -> Result<bool, Doubt> {
    // Options that follow links are not known: they lead anywhere.
    let options = arguments.iter().take_while(|word| word.value == "-P").count();
    let is_start =
        |word: &&Word| !word.value.starts_with('-') && !matches!(word.value.as_str(), "(" | "!" | ",");
    let starts: Vec<&Word> = arguments[options..].iter().take_while(is_start).collect();
    if starts.is_empty() {
        paths.push(Effect::Read(places.here()?));
    }
    for start in &starts {
        if start.has_wildcard {
            return Err(Doubt::new(format!(
                "the wildcard in `{}` may become an action of `find`",
                start.typed
            )));
        }
        paths.push(Effect::Read(places.resolve(start)?));
    }
    let mut rest = arguments[options + starts.len()..].iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let takes_value = VALUED.contains(&value) || COMPARING.contains(&value);
        if word.has_wildcard || !(takes_value || ALONE.contains(&value)) {
            return Err(Doubt::new(format!("`{}` of `find` is not known to change nothing", word.typed)));
        }
        if takes_value {
            let Some(argument) = rest.next().filter(|argument| !argument.has_wildcard) else {
                return Err(Doubt::new(format!("`{value}` of `find` has no plain value")));
            };
            if COMPARING.contains(&value) {
                paths.push(Effect::Read(places.resolve(argument)?));
            }
        }
    }
    Ok(true)
}
