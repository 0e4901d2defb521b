//! A command line as simple commands one after another, for questions that only their programs answer.

use super::ast::{Link, Script, Simple, Statement, Text};

/// A simple command, and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flat {
    /// Its words, without quotes where they stand for themselves.
    pub(crate) words: Vec<String>,
    pub(crate) link: Link,
}

/// The simple commands of lists and pipes; nothing where there is anything else, or something is expanded.
pub(crate) fn flat(script: &Script) -> Option<Vec<Flat>> {
    let mut found = Vec::new();
    for item in &script.0 {
        let link = if item.in_background { Link::Background } else { Link::Then };
        add(&item.statement, link, &mut found)?;
    }
    Some(found)
}

fn add(statement: &Statement, link: Link, found: &mut Vec<Flat>) -> Option<()> {
    match statement {
        Statement::Simple(Simple { assignments, words, .. })
            if assignments.is_empty() && !words.is_empty() =>
        {
            let known = words.iter().map(Text::without_expansion).collect::<Option<_>>();
            found.push(Flat { words: known?, link });
            Some(())
        }
        Statement::Chain { left, link: between, right } => {
            add(left, *between, found)?;
            add(right, link, found)
        }
        Statement::Pipeline(parts) => {
            let (last, before) = parts.split_last()?;
            before.iter().try_for_each(|part| add(part, Link::Pipe, found))?;
            add(last, link, found)
        }
        Statement::Simple(_)
        | Statement::Not(_)
        | Statement::Redirected { .. }
        | Statement::Subshell(_)
        | Statement::Group(_)
        | Statement::If { .. }
        | Statement::For { .. }
        | Statement::While { .. }
        | Statement::Case { .. }
        | Statement::Function { .. }
        | Statement::Condition(_)
        | Statement::Arithmetic(_) => None,
    }
}
