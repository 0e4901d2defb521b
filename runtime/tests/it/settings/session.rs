//! What settings mean for a session.

#[test]
fn nothing_yet() {}
