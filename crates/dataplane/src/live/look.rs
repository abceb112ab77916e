//! What someone sees who looks at a running link or lab: bounded, whatever passes and however large
//! the lab is.

use forebay_switch::{Gauge, Tally};
use forebay_units::Time;

use crate::lateness::Lateness;
use crate::link::FrameCounts;
use crate::meter::Passed;

/// The most devices that are shown by themselves; switches come first.
pub const MOST_SHOWN: usize = 32;
/// How many flows are shown.
pub(super) const TOP: usize = 10;

/// What there is to see at a moment.
#[derive(Clone, Debug)]
pub struct Look {
    /// The moment, since the beginning.
    pub at: Time,
    /// The first [`MOST_SHOWN`] devices of a lab, or the two directions of a link.
    pub devices: Vec<DeviceLook>,
    /// What was lost, since the beginning, in devices that are not shown.
    pub lost_elsewhere: Vec<(&'static str, Tally)>,
    /// What has passed since the last look.
    pub passed: Passed,
    /// How much later than computed frames were handed to the kernel, since the beginning.
    pub lateness: Lateness,
    /// Frames that wait or are on their way.
    pub held: usize,
    /// Whether frames are passed with real-time priority.
    pub is_real_time: bool,
}

/// A device at a moment.
#[derive(Clone, Debug)]
pub struct DeviceLook {
    /// Its name.
    pub name: String,
    /// What can be read off its switch.
    pub gauges: Vec<Gauge>,
    /// What was lost, since the beginning, by cause.
    pub lost: Vec<(&'static str, Tally)>,
}

impl DeviceLook {
    pub(super) fn new(
        name: &str,
        counts: &FrameCounts,
        gauges: impl FnOnce(&mut dyn FnMut(Gauge)),
    ) -> Self {
        let mut read = Vec::new();
        gauges(&mut |gauge| read.push(gauge));
        DeviceLook { name: name.to_owned(), gauges: read, lost: counts.causes().collect() }
    }
}
