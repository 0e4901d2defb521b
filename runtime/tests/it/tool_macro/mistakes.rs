//! What `#[tool]` says of mistakes: a folder in `tests/ui` for each, with what is said beside each file.

#[test]
fn mistakes_are_all_told_under_the_tokens_at_fault() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
