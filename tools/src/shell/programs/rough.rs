//! What a program may do whose arguments are in doubt: every word of them may be a file that it uses in the worst way
//! that it can.

use super::Told;
use super::table::{Role, program};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Reads the arguments of a program for which a doubt came up.
pub(super) fn read(
    name: &str,
    arguments: &[Word],
    doubt: &Doubt,
    targets: &mut Targets<'_>,
) -> Result<Told, Doubt> {
    targets.open.push(doubt.to_string());
    let mut uses = uses(name);
    let writes = matches!(program(name).map(|row| row.role), Some(Role::CopyTo | Role::WriteAfterFirst));
    if writes && arguments.iter().any(may_ask_for_folders) {
        uses.push(Use::WriteBelow);
    }
    let looks_here = name == "find"
        || matches!(program(name).map(|row| row.role), Some(Role::Match | Role::MatchHere | Role::ListHere));
    if looks_here {
        targets.add_here(Use::ReadBelow)?;
    }
    for word in arguments.iter().filter(|word| word.value != "--") {
        for piece in pieces(name, word) {
            uses.iter().try_for_each(|used| targets.add(&piece, *used))?;
        }
    }
    let brings_links = matches!(name, "cp" | "ln" | "mv");
    Ok(Told { read_only: false, brings_links, ..Told::default() })
}

/// Whether an option may ask for whole folders.
fn may_ask_for_folders(word: &Word) -> bool {
    let Some(option) = word.value.strip_prefix('-').filter(|_| word.is_known()) else {
        return word.unknown.is_some_and(|unknown| unknown.leads);
    };
    match option.strip_prefix('-') {
        Some(long) => long.starts_with("rec") || long.starts_with("arc"),
        None => option.contains(['r', 'R', 'a']),
    }
}

/// The files that a word may name: itself, or the value of an option.
fn pieces(name: &str, word: &Word) -> Vec<Word> {
    let Some(option) = word.value.strip_prefix('-').filter(|_| word.is_known()) else {
        return vec![word.clone()];
    };
    let takes_files = matches!(name, "egrep" | "fgrep" | "grep" | "rg" | "sort" | "tree");
    let attached = option
        .get(1..)
        .filter(|value| !option.starts_with('-') && (takes_files || value.contains(['/', '.'])));
    let value = option.split_once('=').map(|(_name, value)| value);
    let named = attached.into_iter().chain(value).filter(|value| !value.is_empty());
    named.map(|value| Word { value: value.to_owned(), has_tilde: false, ..word.clone() }).collect()
}

/// The worst that a program may do with a file.
fn uses(name: &str) -> Vec<Use> {
    match name {
        "sed" | "sort" | "uniq" | "tree" | "file" => vec![Use::ReadBelow, Use::Write],
        _other => match program(name).map(|row| row.role) {
            Some(Role::Write | Role::WriteAfterFirst) => vec![Use::Write],
            Some(Role::Remove) => vec![Use::Remove],
            Some(Role::CopyTo) => vec![Use::ReadBelow, Use::Write],
            Some(Role::MoveTo) => vec![Use::Remove, Use::Write],
            Some(
                Role::Words
                | Role::Text
                | Role::Read
                | Role::ReadBelow
                | Role::List
                | Role::ListHere
                | Role::Match
                | Role::MatchHere,
            )
            | None => vec![Use::ReadBelow],
        },
    }
}
