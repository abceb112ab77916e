//! The options that describe a switch.

use std::path::PathBuf;

use clap::Args;
use forebay_files::Files;
use forebay_parameters::{Entry, listed_all};
use forebay_sched::scheduler::tree;
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::Bytes;

use crate::failure::wrong;
use crate::settings::Decided;
use crate::{Failure, key_value, sched, settings};

#[derive(Args, Clone)]
pub(crate) struct SwitchArguments {
    /// The kind of switch: drop-tail, pifo, dt, abm, occamy, pushout, themis, ... (a wrong name
    /// lists all).
    #[arg(long, value_name = "NAME", default_value = "drop-tail")]
    pub(crate) switch: String,
    /// The scheduling tree of every port, a file (with --switch tree); the port's rate replaces the
    /// tree's.
    #[arg(long, value_name = "FILE")]
    pub(crate) tree: Option<PathBuf>,
    /// Size of the buffer: of each port (drop-tail, pifo), of a switch's pool (on-chip), of the
    /// SRAM (hybrid) [default: the switch's own, 1 MB per port for drop-tail].
    #[arg(long, value_name = "SIZE")]
    pub(crate) buffer: Option<Bytes>,
    /// Mark packets when their queue holds more than this many bytes, if their flow understands
    /// marks.
    #[arg(long, value_name = "SIZE")]
    pub(crate) mark: Option<Bytes>,
}

#[derive(Args)]
pub(crate) struct SwitchSettings {
    /// Any other parameter of the switch, such as alpha=2 or hbm.rows=4096; a wrong name lists all.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) set: Vec<(String, String)>,
}

/// The switch of the catalogue that the options describe.
pub(crate) fn switch(
    arguments: &SwitchArguments,
    catalogue: &Catalogue,
) -> Result<SwitchConfig, Failure> {
    let config = catalogue.switch(&arguments.switch).map_err(|error| wrong("switch", error))?;
    let config = match &arguments.tree {
        Some(path) => with_tree(config, path, catalogue)?,
        None => config,
    };
    let config = match arguments.buffer {
        Some(Bytes::ZERO) => {
            return Err(wrong("buffer", "a buffer of 0 B cannot hold a packet: give a larger one"));
        }
        Some(size) => config.with_buffer(size),
        None => config,
    };
    Ok(config.with_marks(arguments.mark))
}

/// The same switch with the parameters of `--set`, of which none is one that an option has given,
/// or that follows from the packets; `others` are the options of the command besides those of every
/// switch.
pub(crate) fn with_settings(
    mut config: SwitchConfig,
    arguments: &SwitchArguments,
    others: &[(&str, bool)],
    more: &SwitchSettings,
) -> Result<SwitchConfig, Failure> {
    let decided = decided(&mut config, arguments, others);
    let decided: Vec<Decided<'_>> = decided.iter().map(|(name, by)| (&**name, &**by)).collect();
    settings::set(std::slice::from_mut(&mut config), &more.set, &decided)
        .map_err(|error| settings::misset("set", &error, &more.set))?;
    Ok(config)
}

/// The parameters of a switch that `--set` may not set, since an option has given them or they
/// follow from the packets, and what sets each; `others` are as above.
pub(crate) fn decided(
    config: &mut SwitchConfig,
    arguments: &SwitchArguments,
    others: &[(&str, bool)],
) -> Vec<(String, String)> {
    let own = [("buffer", arguments.buffer.is_some()), ("mark", arguments.mark.is_some())];
    let is_given = |option: &str| own.iter().chain(others).any(|given| *given == (option, true));
    let shown = listed_all(config).into_iter().map(|one| one.parameter.name.to_string());
    let decided = shown.filter_map(|name| match config.option(&name) {
        "largest_packet" => Some((name, "the size of the largest packet that is sent".to_owned())),
        option => {
            is_given(option).then(|| format!("given as --{option}, too")).map(|by| (name, by))
        }
    });
    decided.collect()
}

/// The files that these options read.
pub(crate) fn read_by(arguments: &SwitchArguments) -> Files {
    match &arguments.tree {
        Some(path) => Files::default().read("the scheduling tree", path),
        None => Files::default(),
    }
}

/// The same switch with the tree from a file.
fn with_tree(
    mut config: SwitchConfig,
    path: &std::path::Path,
    catalogue: &Catalogue,
) -> Result<SwitchConfig, Failure> {
    match &mut config {
        SwitchConfig::Scheduled(scheduled) if scheduled.scheduler.name() == "tree" => {
            let read = sched::read_tree(path, catalogue);
            scheduled.scheduler = tree(read.map_err(|problem| wrong("tree", problem))?);
            Ok(config)
        }
        SwitchConfig::DropTail(_)
        | SwitchConfig::OnChip(_)
        | SwitchConfig::Hybrid(_)
        | SwitchConfig::Scheduled(_) => Err(wrong(
            "tree",
            "only the switch `tree` has a scheduling tree: give --switch tree as well",
        )),
    }
}
