//! The `forebay` command with what this crate adds.

use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let policies = own_policy::policies()?;
    Ok(forebay::cli::main(&policies, || own_policy::registry(&policies)))
}
