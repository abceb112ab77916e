//! A buffer policy, a rank function, a queue and a scenario of one's own.
//!
//! Forebay knows nothing of this crate. [`catalogue`] adds the policy, the rank function and a scheduler over the queue
//! to what switches can be made of, [`registry`] the scenario to those of the laboratory; from there all work as the
//! built-in ones do. The queue itself, [`Lists`], goes by value wherever a ranked queue does.
//! The program of this package is the `forebay` command with them:
//!
//! ```sh
//! cargo run -- run compare.toml                     # an experiment: the policy beside Dynamic Threshold
//! cargo run -- run formula.toml                     # the scenario
//! cargo run -- net run --topology star:8,10G,1us --flows flows.txt --switch keep-room
//! cargo run -- replay capture.pcap --rate 1G --switch mice-first
//! ```
#![forbid(unsafe_code)]

mod formula;
mod keep_room;
mod lists;
mod mice_first;

use forebay::lab::Registry;
use forebay::parameters::TakenName;
use forebay::switch::Catalogue;

pub use formula::Formula;
pub use lists::Lists;

/// What is built in, and what is in this crate.
///
/// # Errors
/// Forebay has one of the names itself.
pub fn catalogue() -> Result<Catalogue, TakenName> {
    Catalogue::default()
        .with_on_chip(keep_room::choice())?
        .with_rank(mice_first::choice())?
        .with_scheduler(lists::choice())
}

/// The laboratory's scenarios over a catalogue such as [`catalogue`], and the one of this crate.
///
/// # Errors
/// A name is taken, or a declaration is unsound.
pub fn registry(catalogue: &Catalogue) -> Result<Registry, Box<dyn std::error::Error>> {
    Ok(forebay::scenarios::registry(catalogue)?.with(Formula)?)
}
