//! The syntax of a command line: a tree of the pieces that are known, and a doubt about the first that is not.
//!
//! Two readers must agree: a grammar gives the structure, and a reader of words by hand goes over every byte of it. It
//! runs nothing and knows no program. What it doubts must be asked about: a wrong reading would be a hole.

mod arithmetic;
mod ast;
mod compound;
mod doubt;
mod expansion;
mod flat;
mod redirects;
mod statements;
mod tree;
mod words;

pub(crate) use self::ast::{
    Arithmetic, Assigned, Assignment, Direction, Link, Part, Redirect, Script, Simple, Statement, Text,
};
pub(crate) use self::doubt::Doubt;
pub(crate) use self::flat::{Flat, flat};
pub(crate) use self::tree::parse;
