//! A buffer policy of one's own, wherever Forebay's are.
#![forbid(unsafe_code)]

mod keep_room;

use forebay::parameters::TakenName;
use forebay::scenarios::Policies;

/// What is built in, and what is in this crate.
///
/// # Errors
/// Forebay has one of the names itself.
pub fn policies() -> Result<Policies, TakenName> {
    let built_in = Policies::default();
    // Rank functions, schedulers, caches and the rest are added in the same way.
    let switches = built_in.switches.with_on_chip(keep_room::choice())?;
    Ok(Policies { switches, ..built_in })
}
