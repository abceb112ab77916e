//! `forebay queues`: what hardware queues cost, by the formulas of `forebay_asic`.
//!
//! Each view prints a table of at most 100 columns, or the same numbers as JSON with `--json`.

mod compare;
mod fig3;
mod fragmentation;
mod mesh;
mod shown;
mod table1;

use clap::{Args, Subcommand};

use crate::{Failure, terminal};
use shown::refused;

/// The arguments of `forebay queues`.
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    view: Option<View>,
    #[command(flatten)]
    compare: compare::Wanted,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  forebay queues                                      every structure at 65,520 elements
  forebay queues --elements 131071 --rank-bits 15 --structure bbq,clubheap --cluster 2,16
  forebay queues --partitions 16                      with 16 logical PIFOs
  forebay queues table1                               Table 1 of the ClubHeap paper, derived
  forebay queues fig3 --svg fig3.svg                  its Figure 3
  forebay queues fragmentation                        what partitions waste
  forebay queues mesh --packet-rate 8.4G --clock 3.1G --structure bbq

These are formulas, not synthesis results. docs/cost-model.md lists the assumptions.";

#[derive(Subcommand)]
enum View {
    /// Table 1 of the ClubHeap paper: its marks, and the same marks derived by scaling the
    /// formulas.
    Table1,
    /// Figure 3 of the ClubHeap paper: how many nodes ClubHeap needs for several logical PIFOs.
    Fig3(fig3::Arguments),
    /// What is lost when a queue is partitioned (thesis §4.4.1).
    Fragmentation(fragmentation::Arguments),
    /// How many queues a switch needs (thesis §4.1.1 and §4.7.1).
    Mesh(mesh::Arguments),
}

/// A view by its words, as "forebay queues table1".
#[derive(clap::Parser)]
#[command(name = "forebay", disable_help_flag = true, disable_help_subcommand = true)]
pub(crate) enum Words {
    Queues(Arguments),
}

/// What the view of these words prints.
pub(crate) fn printed(words: &[String]) -> Result<String, Failure> {
    let parsed = <Words as clap::Parser>::try_parse_from(words);
    let Words::Queues(arguments) = parsed.map_err(|error| refused(error.render()))?;
    text(&arguments)
}

/// Shows the requested view.
pub(crate) fn show(arguments: &Arguments) -> Result<(), Failure> {
    terminal::print(&text(arguments)?)
}

fn text(arguments: &Arguments) -> Result<String, Failure> {
    match &arguments.view {
        None => compare::view(&arguments.compare)?.shown(arguments.json),
        Some(View::Table1) => table1::view()?.shown(arguments.json),
        Some(View::Fig3(more)) => fig3::view(more)?.shown(arguments.json),
        Some(View::Fragmentation(more)) => fragmentation::view(more)?.shown(arguments.json),
        Some(View::Mesh(more)) => mesh::view(more)?.shown(arguments.json),
    }
}
