//! Skills: how they are found, what is filled into them, and what they may.

mod files;
mod uses;
