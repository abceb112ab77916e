//! The `forebay` command with the policies and scenarios of this project.

use std::process::ExitCode;

use forebay_lab::RegistryError;
use forebay_switch::Catalogue;

fn main() -> Result<ExitCode, RegistryError> {
    let catalogue = Catalogue::default();
    Ok(forebay_cli::main(&catalogue, forebay_scenarios::registry(&catalogue)?))
}
