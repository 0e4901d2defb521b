//! What `#[tool]` says of mistakes: a file in `tests/ui` for each kind, with what is said beside it.

#[test]
fn mistakes_are_all_told_under_the_tokens_at_fault() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
