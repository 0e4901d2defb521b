//! Arithmetic: the shell evaluates what its variables hold, commands in subscripts included, so their names are told.

use tree_sitter::Node;

use super::ast::Arithmetic;
use super::doubt::Doubt;
use super::statements::Reader;

impl Reader<'_> {
    /// Reads `$((…))` or `((…))`: numbers, names and operators only.
    pub(super) fn arithmetic(&self, node: Node<'_>) -> Result<Arithmetic, Doubt> {
        self.arithmetic_in(node.byte_range())
    }

    /// The same, for a stretch of the source.
    pub(super) fn arithmetic_in(&self, range: std::ops::Range<usize>) -> Result<Arithmetic, Doubt> {
        let typed = &self.source[range.clone()];
        let inner = typed.strip_prefix('$').unwrap_or(typed);
        let inner = inner.strip_prefix("((").and_then(|inner| inner.strip_suffix("))")).unwrap_or(inner);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_ \t+-*/%<>=!&|^~?:,()$".contains(c);
        let is_odd = !inner.chars().all(is_plain)
            || inner.contains("$(")
            || inner.contains("$$")
            || inner.ends_with('$');
        if is_odd {
            return Err(Doubt::at(self.source, range, "is arithmetic that may evaluate more than it shows"));
        }
        // `NAME=…` alone evaluates what stands behind.
        let assigned =
            inner.split_once('=').map(|(name, value)| (name.trim(), value)).filter(|(name, value)| {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && name.chars().all(is_plain)
                    && !value.starts_with('=')
                    && !value.contains(name)
            });
        let sets = assigned.map(|(name, _value)| name.to_owned());
        let inner = assigned.map_or(inner, |(_name, value)| value);
        let words = inner.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let is_name = |word: &&str| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit());
        let mut names: Vec<String> = words.filter(is_name).map(str::to_owned).collect();
        // Arguments hold anything.
        let numbered = inner.match_indices('$').map(|(at, _)| &inner[at + 1..]);
        names.extend(
            numbered
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                .map(|rest| rest[..1].to_owned()),
        );
        Ok(Arithmetic { typed: typed.to_owned(), names, sets })
    }
}
