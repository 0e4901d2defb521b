//! The program `toolwright`.
fn main() {}
