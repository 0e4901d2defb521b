//! The program `toolwright`.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolwright_sim::cli::main()
}
