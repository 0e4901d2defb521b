//! Texts cut to so many bytes, never within a character.

/// The beginning of a text: so many bytes at the most, cut between characters.
#[must_use]
pub fn start_of(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::start_of;

    #[test]
    fn no_character_is_cut() {
        for (bytes, start) in [(0, ""), (1, "a"), (2, "a"), (3, "aü"), (4, "aüb"), (9, "aüb")] {
            assert_eq!(start_of("aüb", bytes), start);
        }
    }
}
