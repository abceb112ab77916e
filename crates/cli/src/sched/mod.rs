//! `forebay sched`: scheduling trees in files, checked before they run.

mod check;

use std::path::PathBuf;

use clap::Subcommand;
use forebay_switch::Catalogue;

use crate::Failure;
pub(crate) use check::read as read_tree;

/// The subcommands of `forebay sched`.
#[derive(Subcommand)]
pub(crate) enum SchedCommand {
    /// Check a scheduling tree and print it: who goes before whom, and what each node gets while
    /// all are busy.
    #[command(after_help = CHECK_HELP)]
    Check {
        /// The tree's file; - for standard input.
        file: PathBuf,
    },
}

const CHECK_HELP: &str = "The file is TOML: rate, mtu, capacity, and a [[node]] for each node; docs/scheduling-trees.md says what a \
node has. Experiments take it as scheduler.tree, `forebay net run` as --tree.

Example:
  forebay sched check experiments/trees/tenants.tree";

pub(crate) fn run(command: &SchedCommand, catalogue: &Catalogue) -> Result<(), Failure> {
    match command {
        SchedCommand::Check { file } => check::check(file, catalogue),
    }
}
