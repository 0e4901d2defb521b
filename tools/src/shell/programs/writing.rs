//! What programs write that are told where to: the files that options and operands name, as the table of outputs says,
//! and those of programs that have ways of their own.

use std::path::Path;

use super::outputs::{Output, Place, output};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Programs that put a packed file in the place of each file, with the ending of its name.
const PACKERS: &[(&str, &str)] = &[
    ("brotli", "br"),
    ("bzip2", "bz2"),
    ("compress", "Z"),
    ("gzip", "gz"),
    ("lz4", "lz4"),
    ("lzip", "lz"),
    ("lzma", "lzma"),
    ("pbzip2", "bz2"),
    ("pigz", "gz"),
    ("xz", "xz"),
    ("zstd", "zst"),
];
/// Programs that do the opposite.
const UNPACKERS: &[(&str, &str)] = &[
    ("bunzip2", "bz2"),
    ("gunzip", "gz"),
    ("uncompress", "Z"),
    ("unlz4", "lz4"),
    ("unlzma", "lzma"),
    ("unpigz", "gz"),
    ("unxz", "xz"),
    ("unzstd", "zst"),
];
/// Packers that leave the file where it is.
const KEEPING: &[&str] = &["brotli", "lz4", "unlz4", "unzstd", "zstd"];
/// Interpreters that change files in place.
const IN_PLACE: &[&str] = &["perl", "ruby"];

/// Tells what a program writes.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    // What a container is told to write is in it.
    let is_within = matches!(name, "docker" | "podman")
        && arguments.first().is_some_and(|word| matches!(word.value.as_str(), "compose" | "exec" | "run"));
    if let Some(row) = output(name).filter(|_| !is_within) {
        by_row(row, arguments, targets)?;
    }
    let packs = PACKERS.iter().find(|(known, _)| *known == name);
    if let Some((_, ending)) = packs.or_else(|| UNPACKERS.iter().find(|(known, _)| *known == name)) {
        return packed(name, ending, packs.is_some(), arguments, targets);
    }
    match name {
        "curl" => fetched_by_curl(arguments, targets),
        "wget" => fetched_by_wget(arguments, targets),
        "dd" => copied_by_dd(arguments, targets),
        "split" | "csplit" => split(name, arguments, targets),
        "tar" | "bsdtar" | "gtar" => packed_by_tar(arguments, targets),
        "cargo" => put_in_order_by_cargo(arguments, targets),
        "c++" | "cc" | "clang" | "clang++" | "g++" | "gcc" | "gfortran" => compiled(arguments, targets),
        changing if IN_PLACE.contains(&changing) => changed_in_place(arguments, targets),
        _other => Ok(()),
    }
}

fn by_row(row: &Output, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    for file in values(arguments, row.files, row.valued) {
        targets.add(&file, Use::Write)?;
    }
    for folder in values(arguments, row.folders, row.valued) {
        targets.add(&folder, Use::WriteBelow)?;
    }
    let has = |words: &[&str]| arguments.iter().any(|word| words.iter().any(|it| is_said(word, it)));
    if (!row.with.is_empty() && !has(row.with)) || has(row.without) {
        return Ok(());
    }
    let list = operands(arguments, row.files, row.valued);
    match row.place {
        Place::Nothing => Ok(()),
        Place::First => list.first().map_or(Ok(()), |word| targets.add(word, Use::Write)),
        Place::Second => list.get(1).map_or(Ok(()), |word| targets.add(word, Use::Write)),
        Place::Last if list.len() < 2 && !arguments.iter().any(|word| word.value == "-i") => Ok(()),
        Place::Last => list.last().map_or(Ok(()), |word| targets.add(word, Use::Write)),
        Place::All(sources) => {
            let is_command = |word: &&&Word| row.with.contains(&word.value.as_str()) || word.value == "check";
            let list: Vec<&&Word> = list.iter().filter(|word| !is_command(word)).collect();
            list.into_iter().try_for_each(|word| in_order(word, sources, targets))
        }
    }
}

/// A file that is changed, or in a folder all files of such names.
fn in_order(word: &Word, sources: &str, targets: &mut Targets<'_>) -> Result<(), Doubt> {
    targets.add(word, Use::Write)?;
    if let Ok(path) = targets.path(word)
        && !word.has_wildcard
        && (path.is_dir() || path.extension().is_none())
    {
        targets.push(path.join("**").join(sources), Use::Write);
    }
    Ok(())
}

/// `-O` gives a file the name that the address ends with.
fn fetched_by_curl(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let valued = output("curl").map_or("", |row| row.valued);
    let letters = |word: &Word| letters(word, valued);
    let is_named = |word: &Word| {
        letters(word).contains('O') || matches!(word.value.as_str(), "--remote-name" | "--remote-name-all")
    };
    let folder = values(arguments, &["--output-dir"], valued).pop();
    if let Some(folder) = &folder {
        targets.add(folder, Use::WriteBelow)?;
    }
    if !arguments.iter().any(is_named) {
        return Ok(());
    }
    let is_told_later = |word: &Word| letters(word).contains('J') || word.value == "--remote-header-name";
    if arguments.iter().any(is_told_later) {
        return targets.add(folder.as_ref().unwrap_or(&Word::plain(".")), Use::WriteBelow);
    }
    for address in operands(arguments, &[], valued) {
        named_by_address(address, folder.as_ref(), targets)?;
    }
    Ok(())
}

/// `wget` names what it fetches by its address, unless it is told another name.
fn fetched_by_wget(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let valued = output("wget").map_or("", |row| row.valued);
    let is_other = |word: &Word| matches!(word.value.as_str(), "--spider" | "--help" | "--version");
    if !values(arguments, &["-O", "--output-document"], valued).is_empty() || arguments.iter().any(is_other) {
        return Ok(());
    }
    let folder = values(arguments, &["-P", "--directory-prefix"], valued).pop();
    for address in operands(arguments, &["-P"], valued) {
        named_by_address(address, folder.as_ref(), targets)?;
    }
    Ok(())
}

fn named_by_address(address: &Word, folder: Option<&Word>, targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let path = address.value.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_scheme, rest)| rest);
    let name = path.rsplit_once('/').map_or("", |(_, name)| name);
    let name = if name.is_empty() { "index.html" } else { name };
    let folder = folder.map_or(".", |folder| folder.value.as_str());
    if address.is_known() && !name.contains(['*', '?', '[', '{']) {
        targets.add(&Word::plain(&format!("{folder}/{name}")), Use::Write)
    } else {
        targets.add(&Word::plain(folder), Use::WriteBelow)
    }
}

fn copied_by_dd(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    for word in arguments {
        for (begin, used) in [("of=", Use::Write), ("if=", Use::Read)] {
            if let Some(file) = word.value.strip_prefix(begin) {
                targets.add(&attached(word, file), used)?;
            }
        }
    }
    Ok(())
}

/// The pieces of a file have names that begin alike.
fn split(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let (valued, plain) = if name == "split" { ("abClnt", "x") } else { ("bfn", "xx") };
    let prefix = match name {
        "split" => operands(arguments, &[], valued).get(1).map(|word| (*word).clone()),
        _csplit => values(arguments, &["-f", "--prefix"], valued).pop(),
    };
    let prefix = prefix.unwrap_or_else(|| Word::plain(plain));
    let pieces = Word { value: format!("{}*", prefix.value), has_wildcard: true, ..prefix };
    targets.add(&pieces, Use::Write)
}

/// Archives that are made or added to, and the files that a list of what was packed is kept in.
fn packed_by_tar(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    const VALUED: &str = "fCbTXIFgHKLNV";
    let old_style = arguments.first().filter(|word| !word.value.starts_with('-'));
    let all_letters: String = old_style
        .map(|word| word.value.clone())
        .into_iter()
        .chain(arguments.iter().map(|word| letters(word, VALUED)))
        .collect();
    let long = ["--create", "--append", "--update", "--concatenate", "--catenate", "--delete"];
    let writes = all_letters.contains(['c', 'r', 'u', 'A'])
        || arguments.iter().any(|word| long.contains(&word.value.as_str()));
    for list in values(arguments, &["-g", "--listed-incremental", "--index-file"], VALUED) {
        targets.add(&list, Use::Write)?;
    }
    if !writes {
        return Ok(());
    }
    let old_archive = old_style
        .filter(|word| word.value.contains('f'))
        .and_then(|_| arguments[1..].iter().find(|word| !word.value.starts_with('-')));
    let archives = values(arguments, &["-f", "--file"], VALUED);
    for archive in archives.iter().chain(old_archive) {
        targets.add(archive, Use::Write)?;
    }
    Ok(())
}

/// `cargo fmt`, and what mends warnings.
fn put_in_order_by_cargo(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let has = |text: &str| arguments.iter().any(|word| word.value == text);
    let command = arguments.iter().find(|word| !word.value.starts_with(['-', '+']));
    let changes = match command.map(|word| word.value.as_str()) {
        Some("fmt") => !has("--check"),
        Some("fix") => true,
        _other => has("--fix"),
    };
    if changes && let Ok(here) = targets.path(&Word::plain(".")) {
        targets.push(here.join("**").join("*.rs"), Use::Write);
    }
    Ok(())
}

/// What a compiler writes where it is not told.
fn compiled(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let has = |words: &[&str]| arguments.iter().any(|word| words.contains(&word.value.as_str()));
    let only_shows = has(&["-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "--help", "-dumpversion"]);
    let is_told = !values(arguments, &["-o", "--output"], "oxIDLlUTu").is_empty();
    let sources = operands(arguments, &["-o"], "oxIDLlUTu");
    if only_shows || is_told || sources.is_empty() {
        return Ok(());
    }
    let ending = if has(&["-c"]) { "o" } else { "s" };
    if !has(&["-c", "-S"]) {
        return targets.add(&Word::plain("a.out"), Use::Write);
    }
    for source in sources {
        let stem = Path::new(&source.value).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        targets.add(
            &Word { has_tilde: false, value: format!("{stem}.{ending}"), ..source.clone() },
            Use::Write,
        )?;
    }
    Ok(())
}

/// `-i` among the options of one letter, before those with code behind them.
fn changed_in_place(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let valued = "eEIMmFCrx";
    if !arguments.iter().any(|word| letters(word, valued).contains('i')) {
        return Ok(());
    }
    let mut list = operands(arguments, &[], valued);
    let has_code = arguments.iter().any(|word| letters(word, valued).ends_with(['e', 'E']));
    if !has_code && !list.is_empty() {
        list.remove(0);
    }
    list.into_iter().try_for_each(|file| targets.add(file, Use::Write))
}

fn packed(
    name: &str,
    ending: &str,
    packs: bool,
    arguments: &[Word],
    targets: &mut Targets<'_>,
) -> Result<(), Doubt> {
    let valued = if name == "zstd" || name == "brotli" { "oMTDBS" } else { "SbT" };
    let has = |letter: char, long: &[&str]| {
        arguments
            .iter()
            .any(|word| letters(word, valued).contains(letter) || long.contains(&word.value.as_str()))
    };
    let given = values(arguments, &["-o", "--output"], valued);
    for file in &given {
        targets.add(file, Use::Write)?;
    }
    let unpacks = !packs || has('d', &["--decompress", "--uncompress"]);
    let shows = has('c', &["--stdout", "--to-stdout"]) || has('t', &["--test"]) || has('l', &["--list"]);
    let keeps = has('k', &["--keep"]) || (KEEPING.contains(&name) && !has('\0', &["--rm"]));
    let goes_deeper = has('r', &["--recursive"]);
    for file in operands(arguments, &["-o"], valued) {
        targets.add(file, Use::Read)?;
        if shows || !given.is_empty() {
            continue;
        }
        if goes_deeper {
            targets.add(file, Use::WriteBelow)?;
        }
        let stem = file.value.strip_suffix(&format!(".{ending}")).or_else(|| file.value.strip_suffix(".tgz"));
        let other = match (unpacks, stem) {
            (true, Some(stem)) => stem.to_owned(),
            (true, None) => format!("{}.out", file.value),
            (false, _) => format!("{}.{ending}", file.value),
        };
        targets.add(&Word { value: other, ..file.clone() }, Use::Write)?;
        if !keeps {
            targets.add(file, Use::Remove)?;
        }
    }
    Ok(())
}

/// Whether a word is an option, alone, before `=`, or among options of one letter.
fn is_said(word: &Word, option: &str) -> bool {
    let value = word.value.as_str();
    let is_short = option.len() == 2 && option.starts_with('-') && option != "--";
    let is_among = || {
        let letters = value.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        letters.chars().all(|letter| letter.is_ascii_alphabetic()) && letters.contains(&option[1..])
    };
    value == option
        || value.split_once('=').is_some_and(|(name, _)| name == option)
        || (is_short && is_among())
}

/// The options of one letter in a word, up to and with the first that takes a value.
fn letters(word: &Word, valued: &str) -> String {
    let options =
        word.value.strip_prefix('-').filter(|options| !options.starts_with('-')).unwrap_or_default();
    let end = options.find(|letter| valued.contains(letter)).map_or(options.len(), |at| at + 1);
    options.get(..end).unwrap_or_default().to_owned()
}

fn attached(word: &Word, value: &str) -> Word {
    Word { value: value.to_owned(), has_tilde: false, ..word.clone() }
}

/// The values of options, behind them or attached.
pub(super) fn values(arguments: &[Word], options: &[&str], valued: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = arguments.iter().enumerate();
    while let Some((at, word)) = words.next() {
        let value = word.value.as_str();
        let next = || arguments.get(at + 1).cloned();
        if let Some(long) = value.strip_prefix("--").filter(|long| !long.is_empty()) {
            let (name, given) =
                long.split_once('=').map_or((long, None), |(name, given)| (name, Some(given)));
            // Long options may be shortened.
            let is_meant = |option: &&&str| {
                let known = option.strip_prefix("--");
                known.is_some_and(|known| known == name || (name.len() > 3 && known.starts_with(name)))
            };
            if options.iter().any(|option| is_meant(&option)) {
                found.extend(given.map(|given| attached(word, given)).or_else(next));
            }
            continue;
        }
        // A long option behind one dash.
        let single = options
            .iter()
            .find(|option| option.len() > 2 && !option.starts_with("--") && value.starts_with(**option));
        if let Some(option) = single {
            match value[option.len()..].strip_prefix('=') {
                Some(given) => found.push(attached(word, given)),
                None if value.len() == option.len() => found.extend(next()),
                None => {}
            }
            continue;
        }
        let letters = letters(word, &format!("{valued}{}", short(options)));
        let Some(last) = letters.chars().next_back() else { continue };
        let rest = &value[1 + letters.len()..];
        let is_valued = valued.contains(last) || short(options).contains(last);
        if short(options).contains(last) {
            found.extend(if rest.is_empty() { next() } else { Some(attached(word, rest)) });
        }
        if is_valued && rest.is_empty() {
            words.next();
        }
    }
    found
}

/// The letters of options of one letter.
fn short(options: &[&str]) -> String {
    options.iter().filter(|option| option.len() == 2).filter_map(|option| option.chars().nth(1)).collect()
}

/// The words that are neither options nor values of options of one letter, or of the options that name files.
pub(super) fn operands<'w>(arguments: &'w [Word], files: &[&str], valued: &str) -> Vec<&'w Word> {
    let mut found = Vec::new();
    let mut words = arguments.iter();
    let all = format!("{valued}{}", short(files));
    while let Some(word) = words.next() {
        let value = word.value.as_str();
        if value == "--" {
            found.extend(words.by_ref());
        } else if !value.starts_with('-') || value == "-" || word.unknown.is_some_and(|unknown| unknown.leads)
        {
            found.push(word);
        } else {
            let letters = letters(word, &all);
            let takes_next = letters.chars().next_back().is_some_and(|last| all.contains(last))
                && value.len() == letters.len() + 1;
            if takes_next || files.contains(&value) {
                words.next();
            }
        }
    }
    found
}
