//! The options that describe a switch.

use forebay_files::Files;
use forebay_parameters::Entry;
use forebay_sched::scheduler::tree;
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::Bytes;

use super::{SwitchArguments, wrong};
use crate::{Failure, sched};

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
