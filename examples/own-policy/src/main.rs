//! The `forebay` command with what this crate adds.

use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (catalogue, registry) = (own_policy::catalogue()?, own_policy::registry()?);
    Ok(forebay::cli::main(&catalogue, registry))
}
