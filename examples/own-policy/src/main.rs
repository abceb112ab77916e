//! The `forebay` command with what this crate adds.

use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let catalogue = own_policy::catalogue()?;
    Ok(forebay::cli::main(&catalogue, own_policy::registry(&catalogue)?))
}
