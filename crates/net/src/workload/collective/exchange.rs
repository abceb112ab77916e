//! What a pattern of a collective must say.

use forebay_units::Bytes;

use super::round::Round;

/// How a pattern builds its rounds. To add one, add a type in its own file, a variant and a line in
/// `Pattern::exchange`.
pub(super) trait Exchange {
    /// Its name in configurations.
    fn name(&self) -> &'static str;

    /// The fewest bytes that can be exchanged among `hosts`.
    fn least_bytes(&self, hosts: u64) -> u64;

    /// The number of flows in a round; saturating.
    fn flows(&self, hosts: u64) -> u64;

    /// An upper bound on the bytes that any host receives in a round.
    fn received(&self, hosts: u64, bytes: Bytes) -> Bytes;

    /// The fewest messages that follow on each other before any host has received all of a round.
    fn steps(&self, hosts: u64, at_once: u64) -> u64;

    /// Writes a round with the number of flows given by [`flows`](Exchange::flows).
    fn write(&self, round: &mut Round<'_>, bytes: Bytes);
}
