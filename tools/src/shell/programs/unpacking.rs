//! Programs outside the table that write, or read, what is in a folder: they unpack archives, apply patches, copy whole
//! folders, or search them. What they write there has no names that could be told.

use super::Told;
use super::copying::brought;
use crate::shell::commands::{Found, Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Editors that write what they are given.
const EDITORS: &[&str] = &["ed", "emacs", "ex", "nano", "nvim", "red", "vi", "vim"];
/// Programs that search whole folders for a pattern, the working directory where none is named.
const SEARCHERS: &[&str] = &["ack", "ag", "pt", "rga", "ug", "ugrep"];

/// What a program does to folders; nothing where it is none of these.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<Option<Told>, Doubt> {
    let unpacks = match name {
        "tar" | "bsdtar" | "gtar" => tar(arguments, targets)?,
        "unzip" => {
            let only_shows = has_letter(arguments, &['l', 'v', 't', 'p', 'z', 'Z'], &['d', 'P', 'x']);
            !only_shows && below(values(arguments, 'd', &[]), targets)?
        }
        "7z" | "7za" | "7zr" | "7zz" | "unrar" | "rar" => {
            let extracts = arguments
                .first()
                .is_none_or(|word| matches!(word.value.as_str(), "x" | "e") || !word.is_known());
            extracts && below(values(arguments, 'o', &[]), targets)?
        }
        "ar" | "jar" => {
            arguments.first().is_none_or(|word| word.value.contains('x'))
                && below(values(arguments, 'C', &["--dir"]), targets)?
        }
        "cpio" => cpio(arguments, targets)?,
        "pax" => has_letter(arguments, &['r'], &[]) && below(Vec::new(), targets)?,
        "dpkg" | "dpkg-deb" => {
            let extracts = has_letter(arguments, &['x', 'X', 'R'], &[])
                || arguments.iter().any(|word| word.value.contains("extract"));
            extracts && below(last(arguments), targets)?
        }
        "python" | "python3" => python(arguments, targets)?,
        "setfacl" | "chattr" => {
            if has_letter(arguments, &['R'], &[])
                || arguments.iter().any(|word| word.value.starts_with("--rec"))
            {
                operands(arguments).into_iter().try_for_each(|word| targets.add(word, Use::WriteBelow))?;
            }
            false
        }
        "rsync" | "scp" => copies(arguments, targets)?,
        "docker" | "podman" if arguments.first().is_some_and(|word| word.value == "cp") => {
            copies(&arguments[1..], targets)?
        }
        "patch" => {
            let only_tries = arguments.iter().any(|word| word.value == "--dry-run");
            !only_tries && below(values(arguments, 'd', &["--directory"]), targets)?
        }
        // What is mounted somewhere is there as if a link led to it.
        "bindfs" | "mount" | "sshfs" => !arguments.is_empty(),
        "wget" => wget(arguments, targets)?,
        "fd" | "fdfind" => return fd(arguments, targets).map(Some),
        editor if EDITORS.contains(&editor) => {
            operands(arguments).into_iter().try_for_each(|word| targets.add(word, Use::Write))?;
            return Ok(Some(Told::default()));
        }
        searcher if SEARCHERS.contains(&searcher) => {
            targets.add_here(Use::ReadBelow)?;
            operands(arguments).into_iter().try_for_each(|word| targets.add(word, Use::ReadBelow))?;
            return Ok(Some(Told::default()));
        }
        _other => return Ok(None),
    };
    Ok(Some(Told { brings_links: unpacks, ..Told::default() }))
}

/// `tar` extracts with an `x` among its letters, which may stand without a dash; what is not known may say so too.
fn tar(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let letters = |word: &Word| word.value.trim_start_matches('-').to_owned();
    let old_style = arguments.first().filter(|word| !word.value.starts_with('-'));
    let extracts = old_style.is_some_and(|word| letters(word).contains('x') || !word.is_known())
        || has_letter(arguments, &['x'], &['f', 'C', 'b', 'T', 'X', 'I', 'F', 'g', 'H', 'K', 'L', 'N', 'V'])
        || arguments
            .iter()
            .any(|word| ["--extr", "--get"].iter().any(|option| word.value.starts_with(option)))
        || arguments.iter().any(|word| word.unknown.is_some_and(|unknown| unknown.leads));
    if !extracts {
        return Ok(false);
    }
    let is_absolute = old_style.is_some_and(|word| word.value.contains('P'));
    if is_absolute
        || has_letter(arguments, &['P'], &['f', 'C'])
        || arguments.iter().any(|word| word.value.starts_with("--abs"))
    {
        targets.push("/**".into(), Use::Write);
    }
    let mut folders = values(arguments, 'C', &["--directory", "--cd"]);
    if old_style.is_some_and(|word| word.value.contains('C')) {
        folders.extend(operands(&arguments[1..]).into_iter().cloned());
    }
    // The second is taken from the first.
    if folders.len() > 1 {
        targets.add_here(Use::WriteBelow)?;
    }
    below(folders, targets)
}

fn cpio(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let passes = has_letter(arguments, &['p'], &['E', 'F', 'I', 'O', 'D'])
        || arguments.iter().any(|word| word.value.starts_with("--pass"));
    let extracts = has_letter(arguments, &['i'], &['E', 'F', 'I', 'O', 'D'])
        || arguments.iter().any(|word| word.value.starts_with("--ext"));
    let lists = has_letter(arguments, &['t'], &['E', 'F', 'I', 'O', 'D']);
    if passes {
        return below(last(arguments), targets);
    }
    Ok(extracts && !lists && below(values(arguments, 'D', &["--directory"]), targets)?)
}

/// `python -m zipfile -e` and the like.
fn python(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let is_archive = arguments
        .windows(2)
        .any(|pair| pair[0].value == "-m" && matches!(pair[1].value.as_str(), "zipfile" | "tarfile"));
    let extracts = arguments.iter().any(|word| word.value == "-e" || word.value.starts_with("--ex"));
    if !(is_archive && extracts) {
        return Ok(false);
    }
    targets.add_here(Use::WriteBelow)?;
    below(last(arguments), targets)
}

/// `wget` names the files itself where it fetches many.
fn wget(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    const VALUED: &[char] = &['O', 'P', 'U', 'o', 'a', 'e', 't', 'T', 'w', 'Q'];
    const MANY: &[&str] =
        &["--recursive", "--mirror", "--input-file", "--content-disposition", "--force-directories"];
    let is_many = has_letter(arguments, &['r', 'm', 'i', 'x'], VALUED)
        || MANY.iter().any(|option| arguments.iter().any(|word| word.value.starts_with(option)));
    Ok(is_many && below(values(arguments, 'P', &["--directory-prefix"]), targets)?)
}

/// From all operands but the last to the last, whole folders with all that is in them.
fn copies(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let list = operands(arguments);
    let Some((target, sources)) = list.split_last() else { return Ok(false) };
    for source in sources.iter().filter(|source| !is_remote(source)) {
        targets.add(source, Use::ReadBelow)?;
    }
    if sources.is_empty() || is_remote(target) {
        return Ok(false);
    }
    targets.add(target, Use::Write)?;
    targets.add(target, Use::WriteBelow)?;
    for source in sources.iter().filter(|source| !is_remote(source)) {
        if let (Ok(from), Ok(into)) = (targets.path(source), targets.path(target)) {
            let named = from.file_name().map(|name| into.join(name));
            brought(&from, &std::iter::once(into).chain(named).collect::<Vec<_>>(), targets);
        }
    }
    Ok(true)
}

/// `HOST:PATH`.
fn is_remote(word: &Word) -> bool {
    let first = word.value.split('/').next().unwrap_or_default();
    first.contains(':') && word.is_known()
}

/// `fd` runs a command on what it finds.
fn fd(arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    const RUNNING: &[&str] = &["-x", "-X", "--exec", "--exec-batch"];
    let at = arguments.iter().position(|word| RUNNING.contains(&word.value.as_str()));
    let attached = arguments.iter().find(|word| {
        let is_cluster = !word.value.starts_with("--") && word.value.contains(['x', 'X']);
        word.value.starts_with('-')
            && (is_cluster || word.value.starts_with("--exec"))
            && !RUNNING.contains(&word.value.as_str())
    });
    if let Some(word) = attached {
        targets.open.push(format!("`{}` of `fd` may run another program", word.typed));
    }
    let own = &arguments[..at.unwrap_or(arguments.len())];
    let used = if at.is_some() || attached.is_some() { Use::ReadBelow } else { Use::List };
    targets.add_here(used)?;
    operands(own).into_iter().try_for_each(|word| targets.add(word, used))?;
    let Some(command) = at.map(|at| &arguments[at + 1..]).filter(|command| !command.is_empty()) else {
        return Ok(Told::default());
    };
    let found = Word {
        typed: "{}".to_owned(),
        value: "./**/*".to_owned(),
        has_wildcard: true,
        found: Some(Found { may_be_links: true, may_split: false }),
        ..Word::default()
    };
    let mut run: Vec<Word> =
        command.iter().map(|word| if word.value == "{}" { found.clone() } else { word.clone() }).collect();
    if !command.iter().any(|word| word.value.contains('{')) {
        run.push(found);
    }
    Ok(Told { runs: vec![run], ..Told::default() })
}

/// Anything below these folders is written, or below the working directory where there are none.
fn below(folders: Vec<Word>, targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    if folders.is_empty() {
        targets.add_here(Use::WriteBelow)?;
    }
    folders.iter().try_for_each(|folder| targets.add(folder, Use::WriteBelow))?;
    Ok(true)
}

/// Whether one of these letters is among the options of one letter, each before those that take a value.
fn has_letter(arguments: &[Word], letters: &[char], valued: &[char]) -> bool {
    arguments.iter().any(|word| {
        let options =
            word.value.strip_prefix('-').filter(|options| !options.starts_with('-')).unwrap_or_default();
        let end = options.find(valued).unwrap_or(options.len());
        options[..end].contains(letters)
    })
}

/// The values of an option, behind it or attached.
fn values(arguments: &[Word], letter: char, long: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let value = word.value.as_str();
        let next = || arguments.get(at + 1).cloned();
        let attached = |text: &str| Word { value: text.to_owned(), has_tilde: false, ..word.clone() };
        if let Some(option) = value.strip_prefix("--") {
            let (name, given) =
                option.split_once('=').map_or((option, None), |(name, given)| (name, Some(given)));
            let is_meant = name.len() > 1 && long.iter().any(|long| long[2..].starts_with(name));
            if is_meant {
                found.extend(given.map(attached).or_else(next));
            }
        } else if let Some(options) = value.strip_prefix('-')
            && let Some((before, behind)) = options.split_once(letter)
        {
            found.extend(if behind.is_empty() { next() } else { Some(attached(behind)) });
            // It may belong to the value of an option before it.
            found.extend((!before.is_empty()).then(|| Word::plain(".")));
        }
    }
    found
}

fn operands(arguments: &[Word]) -> Vec<&Word> {
    let is_operand = |word: &&Word| !word.value.starts_with(['-', '+']) || word.unknown.is_some();
    arguments.iter().filter(is_operand).collect()
}

fn last(arguments: &[Word]) -> Vec<Word> {
    operands(arguments).into_iter().next_back().cloned().into_iter().collect()
}
