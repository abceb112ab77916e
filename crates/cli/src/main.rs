//! The `forebay` command with the policies and scenarios of this project.

use std::process::ExitCode;

use forebay_switch::Catalogue;

fn main() -> ExitCode {
    let catalogue = Catalogue::default();
    forebay_cli::main(&catalogue, forebay_scenarios::registry(&catalogue))
}
