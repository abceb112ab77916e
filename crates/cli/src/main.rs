//! The `forebay` command with the scenarios of this project.

use std::process::ExitCode;

fn main() -> ExitCode {
    forebay_cli::main(forebay_scenarios::registry())
}
