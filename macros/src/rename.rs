//! The rules of serde's `rename_all`: the order of the schema depends on the names on the wire.

/// The rules that exist.
pub(crate) const RULES: &[&str] = &[
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

/// A field's name under a rule; a rule that does not exist changes nothing.
pub(crate) fn field(rule: &str, name: &str) -> String {
    match rule {
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => name.to_ascii_uppercase(),
        "PascalCase" => pascal(name),
        "camelCase" => {
            let pascal = pascal(name);
            let first = pascal.chars().next().map_or(0, char::len_utf8);
            pascal[..first].to_ascii_lowercase() + &pascal[first..]
        }
        "kebab-case" => name.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => name.to_ascii_uppercase().replace('_', "-"),
        _lowercase => name.to_owned(),
    }
}

/// A variant's name under a rule; a rule that does not exist changes nothing.
pub(crate) fn variant(rule: &str, name: &str) -> String {
    match rule {
        "lowercase" => name.to_ascii_lowercase(),
        "UPPERCASE" => name.to_ascii_uppercase(),
        "camelCase" => {
            let first = name.chars().next().map_or(0, char::len_utf8);
            name[..first].to_ascii_lowercase() + &name[first..]
        }
        "snake_case" => snake(name),
        "SCREAMING_SNAKE_CASE" => snake(name).to_ascii_uppercase(),
        "kebab-case" => snake(name).replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => snake(name).to_ascii_uppercase().replace('_', "-"),
        _pascal => name.to_owned(),
    }
}

/// A function's name as a type would have it.
pub(crate) fn camel(name: &str) -> String {
    pascal(name)
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (index, letter) in name.char_indices() {
        if index > 0 && letter.is_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn pascal(name: &str) -> String {
    let mut starts = true;
    let mut out = String::new();
    for letter in name.chars() {
        if letter == '_' {
            starts = true;
        } else if starts {
            out.push(letter.to_ascii_uppercase());
            starts = false;
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_names_a_field_as_serde_does() {
        let expected = [
            "file_path",
            "FILE_PATH",
            "FilePath",
            "filePath",
            "file_path",
            "FILE_PATH",
            "file-path",
            "FILE-PATH",
        ];
        for (rule, expected) in RULES.iter().zip(expected) {
            assert_eq!(field(rule, "file_path"), expected, "{rule}");
        }
    }

    #[test]
    fn every_rule_names_a_variant_as_serde_does() {
        let expected = [
            "filepath",
            "FILEPATH",
            "FilePath",
            "filePath",
            "file_path",
            "FILE_PATH",
            "file-path",
            "FILE-PATH",
        ];
        for (rule, expected) in RULES.iter().zip(expected) {
            assert_eq!(variant(rule, "FilePath"), expected, "{rule}");
        }
    }
}
