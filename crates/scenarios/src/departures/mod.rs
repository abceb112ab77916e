//! When packets of random rank leave a hybrid buffer: Fig. 9 of Themis (§6.2).
//!
//! The paper's board sends packets with random ranks through its buffer, captures the mean
//! departure time of every 65,536 packets, and compares Themis with Greedy-Hybrid at the same
//! rates. Here packets of random size and rank arrive back to back at one rate and leave at
//! another, the smallest rank first; a run measures one group of successive departures. The rates,
//! the sizes and the ranks are not stated, nor is what a departure time counts from: they are
//! parameters, and there is a metric for each reading. The memories are those of the other
//! single-switch experiments. O(log) per packet; a time for every packet that has arrived.

mod packets;

use forebay_buffer::HybridPolicy;
use forebay_lab::{
    Better, ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, metric,
};
use forebay_parameters::{Choice, Configure, Kind, ParameterError, UnknownName, Walk};
use forebay_pifo::TieredBuckets;
use forebay_sched::{Quantizer, ShortestFlowFirst};
use forebay_switch::manager::{ManagerConfig, TrafficManager};
use forebay_switch::{Catalogue, HybridConfig, Links};
use forebay_units::{Bytes, Duration, Rate};

use packets::{Packets, Reading};

use crate::engine_policies;
use crate::switches::{hybrid_part, hybrid_path};

/// The scenario over the hybrid policies of a catalogue; see the module's head.
pub struct Departures {
    catalogue: Catalogue,
    infos: Vec<PolicyInfo>,
}

/// Everything a run needs.
#[derive(Clone, Debug, Configure)]
struct Setup {
    /// Rate at which packets arrive, back to back.
    #[parameter(name = "workload.arrival_rate")]
    #[parameter(assumed = "not stated; twice the output, so that packets must wait")]
    arrival_rate: Rate,
    /// How many packets arrive; 0: they do not end.
    #[parameter(name = "workload.packets", range = 0..=1 << 30)]
    #[parameter(assumed = "the board's generator runs on while it is watched")]
    packets: Option<u64>,
    /// Ranks are drawn evenly from so many.
    #[parameter(name = "workload.ranks", range = 2..=1 << 20)]
    #[parameter(paper = "themis App. E")]
    ranks: u64,
    /// Smallest packet; sizes are drawn evenly from there up to the largest.
    #[parameter(name = "workload.smallest_packet", kind = Kind::Int { min: 1, max: 9216 })]
    #[parameter(assumed = "statistically similar sizes under both schemes; Ethernet's")]
    smallest_packet: u32,
    /// Largest packet.
    #[parameter(name = "workload.largest_packet", kind = Kind::Int { min: 1, max: 9216 })]
    #[parameter(assumed = "statistically similar sizes under both schemes; Ethernet's")]
    largest_packet: u32,
    /// Rate of the output link.
    #[parameter(name = "switch.egress_rate")]
    #[parameter(assumed = "not stated; that of the board's Ethernet ports")]
    egress_rate: Rate,
    #[parameter(part, by = walk_switch)]
    switch: HybridConfig,
    /// Packets of a group of departures.
    #[parameter(name = "run.group_packets", range = 1..=1 << 24)]
    #[parameter(paper = "themis §6.2")]
    group_packets: u64,
    /// Which group is measured; 1: the first to leave.
    #[parameter(name = "run.group", range = 1..=1 << 10)]
    #[parameter(paper = "themis Fig. 9")]
    group: u64,
}

fn walk_switch(switch: &mut HybridConfig, walk: &mut dyn Walk) {
    hybrid_part(switch, walk, &["ranked_queue", "rank_bits", "largest_packet", "mark_above"]);
}

/// What a run measures.
const METRICS: &[MetricSpec] = &[
    metric("departure_time", "us", "Mean departure time", Better::Lower).is(
        "Mean time from the beginning of the run to the end of a packet's departure, over the \
             group.",
    ),
    metric("residence", "us", "Mean time in the buffer", Better::Lower)
        .is("Mean time from a packet's arrival to the end of its departure, over the group."),
    metric("group_time", "us", "Time in which the group leaves", Better::Lower)
        .is("From the end of the departure before the group to that of its last."),
    metric("egress_utilization", "fraction", "Egress utilization", Better::Higher)
        .is("Bytes of the group, of what the output link could send in its time."),
    metric("on_chip_hit_rate", "fraction", "On-chip dequeue hit rate", Better::Higher)
        .is("Packets of the group that left from on-chip memory."),
    metric("loss_fraction", "fraction", "Packet loss", Better::Lower)
        .is("Packets dropped, of those that arrived, until the group has left."),
];

impl Departures {
    /// Over these policies.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        let infos = engine_policies(catalogue.hybrid());
        Departures { catalogue: catalogue.clone(), infos }
    }

    fn defaults(&self, policy: &str) -> Result<Setup, UnknownName> {
        self.catalogue.hybrid().named(policy).cloned().map(Setup::new)
    }

    /// The parameters of a point.
    fn setup(&self, params: &Resolved, policy: &str) -> Result<Setup, ConfigError> {
        params.fill(self.defaults(policy)?)
    }
}

impl Scenario for Departures {
    fn name(&self) -> &'static str {
        "departures"
    }

    fn about(&self) -> &'static str {
        "packets of random rank leave a hybrid SRAM and HBM buffer: when each group of them does"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.defaults(policy).ok())
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.infos
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        METRICS
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        let of_the_group = quantity != "loss_fraction";
        of_the_group.then_some(Lack {
            why: "no packet of the group left, since too few arrive",
            parameter: "workload.packets",
        })
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        self.setup(params, policy)?.check().map_err(|error| params.refuse(&error))
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        self.setup(point.params, point.policy)?.run(point.seed, context)
    }
}

impl Setup {
    fn new(policy: Choice<dyn HybridPolicy>) -> Self {
        let switch = HybridConfig::new(policy);
        let memory = ManagerConfig { descriptors: 1 << 24, ..switch.memory.clone() };
        Setup {
            arrival_rate: Rate::from_gbps(200),
            packets: None,
            ranks: 1 << 15,
            smallest_packet: 64,
            largest_packet: 1500,
            egress_rate: Rate::from_gbps(100),
            switch: HybridConfig { memory, ..switch },
            group_packets: 65_536,
            group: 1,
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.smallest_packet > self.largest_packet {
            return Err(Setup::SMALLEST_PACKET.refuse(format_args!(
                "it is {} B, and the largest packet has {} B; give at most that",
                self.smallest_packet, self.largest_packet
            )));
        }
        for (rate, parameter) in
            [(self.arrival_rate, &Setup::ARRIVAL_RATE), (self.egress_rate, &Setup::EGRESS_RATE)]
        {
            if rate.as_bps() == 0 || rate > self.switch.memory.port_rate {
                let port = self.switch.memory.port_rate;
                return Err(parameter.refuse(format_args!(
                    "a port of the SRAM moves {port}: give a rate above 0 b/s and up to that"
                )));
            }
        }
        self.manager().map(drop)
    }

    /// The switch, empty. A packet's drawn rank stands in for the size of its flow, so shortest
    /// flow first serves by it.
    fn manager(&self) -> Result<TrafficManager<TieredBuckets>, ParameterError> {
        let memory = ManagerConfig {
            ports: 1,
            largest_packet: self.largest_packet,
            quantizer: Quantizer::Identity,
            ..self.switch.memory.clone()
        };
        let reserved = memory.descriptors.min(1 << 20);
        let queue = |_| {
            TieredBuckets::with_capacity(self.ranks, reserved)
                .map_err(|error| Setup::RANKS.refuse(error))
        };
        let scheme = &self.switch.scheme;
        TrafficManager::new(&memory, scheme, Box::new(ShortestFlowFirst), queue).map_err(|error| {
            let name = match error.name() {
                "largest_packet" => "workload.largest_packet".to_owned(),
                "workload.ranks" => return error,
                other => hybrid_path(scheme, other),
            };
            error.renamed(name)
        })
    }

    fn run(&self, seed: u64, context: &RunContext<'_>) -> Result<RunOutput, RunError> {
        let mut switch = self.manager().map_err(|error| RunError::Failed(error.to_string()))?;
        let rates = [self.egress_rate];
        let mut links = Links::new(&mut switch, &rates, Packets::new(self, seed));
        let [begin, end] = [self.group - 1, self.group].map(|groups| groups * self.group_packets);
        let mut at = [Reading::default(); 2];
        for (reading, departures) in at.iter_mut().zip([begin, end]) {
            let mut goes_on = true;
            for event in 0u64.. {
                if event.is_multiple_of(65_536) && context.stopped() {
                    return Err(RunError::Stopped);
                }
                if !goes_on || links.traffic.so_far.left >= departures {
                    break;
                }
                goes_on = links.step();
            }
            *reading = Reading { switch: *links.switch().counters(), ..links.traffic.so_far };
        }
        Ok(RunOutput { values: self.values(&at[0], &at[1]), timelines: Vec::new() })
    }

    /// What lies between two readings, as the metrics of [`METRICS`]; NaN where no packet left.
    fn values(&self, from: &Reading, to: &Reading) -> Vec<(&'static str, f64)> {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let left = (to.left - from.left) as f64;
        let group = to.last - from.last;
        let counts = to.switch - from.switch;
        let capacity = self.egress_rate.as_bps() as f64 * group.as_secs_f64();
        let departed = counts.departed();
        vec![
            ("departure_time", (to.times - from.times) * 1e6 / left),
            ("residence", (to.residence - from.residence) * 1e6 / left),
            ("group_time", micros(group)),
            ("egress_utilization", Bytes::new(departed.bytes).bits() as f64 / capacity),
            ("on_chip_hit_rate", counts.departed_sram.packets as f64 / departed.packets as f64),
            (
                "loss_fraction",
                to.switch.dropped.total().packets as f64 / to.switch.arrived.packets as f64,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_absence_is_explained, run_with, value};

    use super::*;

    fn run(policy: &str, set: &[(&str, &str)]) -> Vec<(&'static str, f64)> {
        let small = [("group_packets", "2000"), ("sram.capacity", "400 KB")];
        let set = [&small, set].concat();
        run_with(&Departures::new(&Catalogue::default()), policy, &set).unwrap()
    }

    #[test]
    fn what_leaves_as_fast_as_it_comes_waits_for_nothing() {
        let values = run("greedy-hybrid", &[("arrival_rate", "50 Gb/s"), ("packets", "2000")]);
        assert_eq!(
            (value(&values, "loss_fraction"), value(&values, "on_chip_hit_rate")),
            (0.0, 1.0)
        );
        // Packets of 782 B on average come every 125 ns: the mean of 2,000 is in the middle of
        // their time.
        let middle = 1000.0 * 782.0 * 8.0 / 50e3;
        assert!((value(&values, "departure_time") / middle - 1.0).abs() < 0.05);
        assert!((value(&values, "group_time") / middle - 2.0).abs() < 0.1);
        assert!(
            value(&values, "residence") < 0.3,
            "a packet's own time, and that of one before it"
        );
    }

    #[test]
    fn groups_follow_one_another() {
        let time = |group, name| value(&run("themis", &[("group", group)]), name);
        let before = time("1", "group_time") + time("2", "group_time");
        let third = time("3", "departure_time");
        assert!(before < third && third < before + time("3", "group_time"));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let scenario = Departures::new(&Catalogue::default());
        for (name, given) in
            [("smallest_packet", "1501"), ("egress_rate", "4 Tb/s"), ("arrival_rate", "0 b/s")]
        {
            let error = run_with(&scenario, "themis", &[(name, given)]).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn what_there_is_not_is_explained() {
        let few = [("group_packets", "2000"), ("packets", "1000"), ("group", "2")];
        let names = ["departure_time", "residence", "egress_utilization", "on_chip_hit_rate"];
        assert_absence_is_explained(
            &Departures::new(&Catalogue::default()),
            "themis",
            &few,
            &names,
        );
    }
}
