//! A tool is no nested type.

/// Finds things.
#[toolwright::tool]
#[derive(Debug, toolwright::Params)]
struct Find {
    /// What to find.
    what: String,
}

/// Finds others.
#[derive(toolwright::Params)]
#[tool]
struct FindOthers {
    /// What to find.
    what: String,
}

fn main() {}
