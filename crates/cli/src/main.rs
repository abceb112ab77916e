//! The `forebay` command with the policies and scenarios of this project.

use std::process::ExitCode;

use forebay_lab::RegistryError;
use forebay_scenarios::Policies;

fn main() -> Result<ExitCode, RegistryError> {
    let policies = Policies::default();
    Ok(forebay_cli::main(&policies, forebay_scenarios::registry(&policies)?))
}
