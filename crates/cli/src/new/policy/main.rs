//! The `forebay` command with what this crate adds.

use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let policies = keep_room::policies()?;
    Ok(forebay::cli::main(&policies, || forebay::scenarios::registry(&policies)))
}
