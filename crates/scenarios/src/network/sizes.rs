//! The background flows of one range of sizes: completion times, packets' delays, losses.
//!
//! Source: gearbox §4.1.3, Fig. 10 to 13. O(flows log flows).

use std::ops::Range;

use forebay_net::measure::{ClassReport, FlowRecord, SizeClasses, Spread, Transit, by_class};
use forebay_units::{Bytes, Duration, Time};

/// The flows of some sizes that began in the window.
pub(super) struct SizeGroup {
    /// Completion times.
    pub report: ClassReport,
    transit: Transit,
    /// The mean delay of each flow's packets.
    delays: Option<Spread<Duration>>,
}

impl SizeGroup {
    pub(super) fn new(records: &[FlowRecord], window: &Range<Time>, sizes: &Range<Bytes>) -> Self {
        let within = |record: &&FlowRecord| {
            sizes.contains(&record.flow.bytes) && window.contains(&record.flow.start)
        };
        let group: Vec<&FlowRecord> = records.iter().filter(within).collect();
        let every = SizeClasses::new(&[]).unwrap_or_else(|_| SizeClasses::small_and_large());
        let transits = group.iter().map(|record| record.transit);
        let delays = transits.clone().filter_map(|transit| transit.mean_delay()).collect();
        SizeGroup {
            report: by_class(group.iter().copied(), window, &every).remove(0),
            transit: transits.fold(Transit::default(), |sum, transit| sum + transit),
            delays: Spread::of_times(delays),
        }
    }

    /// Of all packets, in microseconds.
    pub(super) fn delay_mean(&self) -> f64 {
        self.transit.mean_delay().map_or(f64::NAN, us)
    }

    /// Over flows, of the mean delay of their packets, in microseconds.
    pub(super) fn delay_p99(&self) -> f64 {
        self.delays.as_ref().map_or(f64::NAN, |delays| us(delays.p99))
    }

    /// Of the data packets sent, those lost.
    pub(super) fn loss_fraction(&self) -> f64 {
        let Transit { packets, lost, .. } = self.transit;
        if packets + lost == 0 { f64::NAN } else { lost as f64 / (packets + lost) as f64 }
    }
}

fn us(time: Duration) -> f64 {
    time.as_ps() as f64 / 1e6
}
