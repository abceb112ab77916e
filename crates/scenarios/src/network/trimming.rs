//! What trimming did: metrics of networks whose switches trim, or whose receivers pull.

use forebay_lab::Better::{Lower, Neither};
use forebay_lab::{Lack, MetricSpec, metric};
use forebay_net::network::Trimming;

/// A metric for each number of a run's trimming.
pub(super) const TRIMMING: &[MetricSpec] = &[
    metric("trimmed_fraction", "fraction", "Packets trimmed", Neither)
        .is("Packets whose data switches cut off, of all that hosts sent."),
    metric("returned", "", "Headers sent back", Lower)
        .is("Headers that found no room, and went back to their senders."),
    metric("nacks", "", "Packets asked for again", Neither)
        .is("Headers that reached receivers, which asked for the packets again."),
    metric("pulls", "", "Pulls", Neither).is("Packets that receivers asked for one by one."),
];

/// Why a network that neither trims nor pulls has no value of these.
pub(super) fn lack(quantity: &str) -> Option<Lack> {
    let is_one = TRIMMING.iter().any(|metric| metric.name == quantity);
    let why = "no switch trims, and no receiver pulls";
    is_one.then_some(Lack { why, parameter: "transport.control" })
}

/// A value for each; none is a number where nothing is trimmed or pulled. `sent` is how many
/// packets hosts made.
pub(super) fn values(trimming: Option<&Trimming>, sent: u64) -> [(&'static str, f64); 4] {
    let of = |value: fn(&Trimming) -> u64| trimming.map_or(f64::NAN, |one| value(one) as f64);
    [
        ("trimmed_fraction", of(|one| one.trimmed.packets) / sent.max(1) as f64),
        ("returned", of(|one| one.returned)),
        ("nacks", of(|one| one.nacks)),
        ("pulls", of(|one| one.pulls)),
    ]
}
