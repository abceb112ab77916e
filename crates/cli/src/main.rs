//! The `forebay` command with the policies and scenarios of this project.

use std::process::ExitCode;

use forebay_scenarios::Policies;

fn main() -> ExitCode {
    let policies = Policies::default();
    forebay_cli::main(&policies, || forebay_scenarios::registry(&policies))
}
