//! `forebay buffer`: what a switch's buffer configuration means, and how other schemes would do.

mod arguments;
mod compare;
mod compared;
mod explain;
mod incast;
mod told;
mod uplinks;
mod whole;
mod written;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use forebay_files::Input;
use forebay_lab::ScenarioRegistry;
use forebay_parameters::{Kind, Value};
use forebay_scenarios::Policies;
use forebay_sonic::{Config, LARGEST};

use crate::Failure;
use arguments::CompareArguments;

/// The subcommands of `forebay buffer`.
#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one, for as long as the command runs")]
pub(crate) enum BufferCommand {
    /// Explain a SONiC config_db.json: every queue's threshold and why, headroom, and the classic
    /// mistakes.
    Explain {
        /// The configuration, a config_db.json; - for the standard input.
        file: PathBuf,
        /// Print JSON instead of text.
        #[arg(long)]
        json: bool,
        /// End with exit code 1 if there are warnings.
        #[arg(long)]
        strict: bool,
    },
    /// Send an incast into one queue of a configuration under DT, ABM, Occamy, Pushout or any other
    /// policy on chip, and draw what would have been dropped.
    Compare(CompareArguments),
}

/// Runs a subcommand.
pub(crate) fn run(
    command: &BufferCommand,
    policies: &Policies,
    registry: impl FnOnce() -> Result<ScenarioRegistry, Failure>,
) -> Result<(), Failure> {
    match command {
        BufferCommand::Explain { file, json, strict } => explain::explain(file, *json, *strict),
        BufferCommand::Compare(arguments) => compare::compare(arguments, policies, &registry()?),
    }
}

/// Reads a configuration and its bytes, at most as many as the largest one may have.
fn load(file: &Path) -> Result<(Config, Vec<u8>), Failure> {
    let input = Input::of(file);
    let name = input.name();
    let unreadable = |error| Failure::unread(&name, &error, "give the path of a config_db.json");
    // A device may never end, and what is too large is refused with the place in it.
    let mut bytes = Vec::new();
    let opened = input.open().map_err(unreadable)?;
    opened.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let config = forebay_sonic::parse(&bytes).map_err(|errors| {
        let text = errors.to_string();
        let lines: Vec<String> =
            text.lines().map(|line| format!("error: {name}: {line}")).collect();
        Failure::input(lines.join("\n"))
    })?;
    Ok((config, bytes))
}

/// A value with a unit from an option.
fn value(option: &str, text: &str, kind: Kind) -> Result<Value, Failure> {
    kind.read_text(text).map_err(|problem| Failure::input(format!("error: --{option}: {problem}")))
}
