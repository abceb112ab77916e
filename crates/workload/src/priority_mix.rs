//! One high-priority and one low-priority flow, mixed in a fixed ratio. Source: Themis, Appendix C:
//! "packets are evenly spaced both within each flow and across flows"; at ratio n, for every n
//! high-priority packets one low-priority packet arrives on the link. O(1) per packet and in
//! memory.
//!
//! Packet slots are equally spaced on each link, and the links' slots are staggered by an equal
//! share of that spacing, so that the aggregate is equally spaced as well (to the picosecond, which
//! is the cost of integers). The slots of the rarer class are staggered too: slot j of link i holds
//! it if (i + j) mod (n + 1) = n. So every link sees the exact ratio, and in the aggregate the
//! rarer class is n + 1 slots apart everywhere except, at most, where one round over the links
//! meets the next. If the phases were alike on all links, their low-priority packets would arrive
//! in a clump.
//!
//! The paper's load axis keeps its meaning: `load` is a fraction of the inputs' aggregate rate,
//! both classes together.

use forebay_units::{Bytes, Duration, Rate, Time};

use crate::error::{check_links, check_packet};
use crate::{Arrival, PacketSource, SourceError};

/// The flow and class number of high-priority packets.
const HIGH: u8 = 0;
/// The flow and class number of low-priority packets.
const LOW: u8 = 1;

/// High- to low-priority packets: n : 1, or 1 : n for the paper's ratios below 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixRatio {
    high: u32,
    low: u32,
}

impl MixRatio {
    /// `high` high-priority packets for every `low` low-priority ones; one of the two must be 1,
    /// since only then can both flows be evenly spaced. A ratio of ½ is `new(1, 2)`.
    ///
    /// # Errors
    /// [`SourceError::Ratio`] unless it is n:1 or 1:n with n from 1 to 1 000 000.
    pub fn new(high: u32, low: u32) -> Result<Self, SourceError> {
        const MOST: u32 = 1_000_000;
        if high.min(low) != 1 || high.max(low) > MOST {
            return Err(SourceError::Ratio { high, low });
        }
        Ok(MixRatio { high, low })
    }

    fn cycle(self) -> u32 {
        self.high + self.low
    }
}

/// The parameters of [`PriorityMix`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixConfig {
    /// The number of input links, at least 1.
    pub inputs: u16,
    /// The rate of each, above 0 and at most 8 Tb/s.
    pub rate: Rate,
    /// The offered fraction of the inputs' aggregate rate, in (0, 1].
    pub load: f64,
    /// High- to low-priority packets.
    pub ratio: MixRatio,
    /// The size of every packet.
    pub packet_bytes: u32,
    /// No packet is received after this instant; `None` for an endless source.
    pub stop: Option<Time>,
}

impl MixConfig {
    /// An endless mix of packets of 1500 bytes.
    #[must_use]
    pub fn new(inputs: u16, rate: Rate, load: f64, ratio: MixRatio) -> Self {
        MixConfig { inputs, rate, load, ratio, packet_bytes: 1500, stop: None }
    }
}

/// The evenly spaced mix; high-priority packets are flow 0 and class 0, low-priority ones flow 1
/// and class 1. Both flows are endless: their size is [`u64::MAX`].
#[derive(Clone, Debug)]
pub struct PriorityMix {
    inputs: u16,
    packet_bytes: u32,
    common: u8,
    /// n + 1 for a ratio of n:1 or 1:n.
    cycle: u32,
    /// The time between packets of one link.
    spacing: Duration,
    last_ps: u64,
    input: u16,
    /// When the first link's packet of this round is received.
    round_at: Time,
    /// (this round) mod `cycle`.
    round_phase: u32,
    /// (input + round) mod `cycle`.
    phase: u32,
}

impl PriorityMix {
    /// Builds the source of `config`; O(1).
    ///
    /// # Errors
    /// A [`SourceError`] that names the impossible parameter.
    pub fn new(config: MixConfig) -> Result<Self, SourceError> {
        let MixConfig { inputs, rate, load, ratio, packet_bytes, stop } = config;
        check_links(inputs, rate, load)?;
        check_packet("packet_bytes", packet_bytes)?;
        let packet_time = rate.time_for(Bytes::new(u64::from(packet_bytes)));
        // The conversion saturates: a packet beyond the clock is never received.
        let spacing = f64::from(packet_bytes) * 8e12 / (rate.as_bps() as f64 * load);
        Ok(PriorityMix {
            inputs,
            packet_bytes,
            common: if ratio.high >= ratio.low { HIGH } else { LOW },
            cycle: ratio.cycle(),
            spacing: Duration::from_ps(spacing.round() as u64).max(packet_time),
            // Time::MAX is "never".
            last_ps: stop.unwrap_or(Time::MAX).as_ps().min(u64::MAX - 1),
            input: 0,
            round_at: Time::ZERO + packet_time,
            round_phase: 0,
            phase: 0,
        })
    }

    fn received(&self) -> Time {
        let part = u128::from(self.spacing.as_ps()) * u128::from(self.input);
        let stagger = part / u128::from(self.inputs);
        // The quotient is below the spacing, since the input is below the number of inputs.
        self.round_at + Duration::from_ps(u64::try_from(stagger).unwrap_or(u64::MAX))
    }

    fn step(&mut self) {
        self.input += 1;
        self.phase = if self.phase + 1 == self.cycle { 0 } else { self.phase + 1 };
        if self.input == self.inputs {
            self.input = 0;
            self.round_at += self.spacing;
            self.round_phase =
                if self.round_phase + 1 == self.cycle { 0 } else { self.round_phase + 1 };
            self.phase = self.round_phase;
        }
    }
}

impl PacketSource for PriorityMix {
    #[inline]
    fn next_time(&self) -> Option<Time> {
        let at = self.received();
        (at.as_ps() <= self.last_ps).then_some(at)
    }

    #[inline]
    fn next_packet(&mut self) -> Option<Arrival> {
        let at = self.next_time()?;
        let rare = self.phase + 1 == self.cycle;
        let class = if rare { HIGH + LOW - self.common } else { self.common };
        let arrival = Arrival {
            at,
            input: self.input,
            flow: u32::from(class),
            size: self.packet_bytes,
            flow_size: u64::MAX,
            class,
        };
        self.step();
        Some(arrival)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packets(config: MixConfig, count: usize) -> Vec<Arrival> {
        let mut source = PriorityMix::new(config).unwrap();
        std::iter::from_fn(|| source.next_packet()).take(count).collect()
    }

    #[test]
    fn the_papers_set_up_is_evenly_spaced() {
        // 32 inputs of 50 Gb/s at load 0.5: a packet of 240 ns every 480 ns a link, every 15 ns in
        // all.
        let ratio = MixRatio::new(3, 1).unwrap();
        let packets = packets(MixConfig::new(32, Rate::from_gbps(50), 0.5, ratio), 32 * 8);
        assert_eq!(packets[0].at, Time::ZERO + Duration::from_ns(240));
        assert!(packets.windows(2).all(|pair| pair[1].at - pair[0].at == Duration::from_ns(15)));
        let classes: Vec<u8> = packets[..8].iter().map(|packet| packet.class).collect();
        assert_eq!(classes, [0, 0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn impossible_ratios_are_named() {
        for (high, low) in [(0, 1), (1, 0), (2, 3), (1_000_001, 1)] {
            let error = MixRatio::new(high, low).unwrap_err().to_string();
            let fix = "give n:1 or 1:n with n from 1 to 1000000";
            assert_eq!(error, format!("ratio is {high}:{low}: {fix}"));
        }
    }

    #[test]
    fn a_full_link_is_never_faster_than_its_rate() {
        // A packet takes 1,090,909.09… ps, so that the nearest spacing would be too short.
        let rate = Rate::from_gbps(11);
        let config = MixConfig::new(1, rate, 1.0, MixRatio::new(1, 1).unwrap());
        let packets = packets(config, 2);
        assert_eq!(packets[1].at - packets[0].at, rate.time_for(Bytes::new(1500)));
    }

    #[test]
    fn an_almost_idle_mix_ends_with_the_clock() {
        let ratio = MixRatio::new(1, 1).unwrap();
        let config = MixConfig::new(2, Rate::from_bps(1), 1e-200, ratio);
        assert_eq!(packets(config, 10).len(), 2);
    }

    proptest! {
        #[test]
        fn every_promise_holds(
            inputs in 1u16..40,
            n in 1u32..9,
            mostly_low: bool,
            load in 0.01f64..=1.0,
            bps in 1_000_000_000u64..400_000_000_000,
        ) {
            let ratio = if mostly_low { MixRatio::new(1, n) } else { MixRatio::new(n, 1) }.unwrap();
            let config = MixConfig::new(inputs, Rate::from_bps(bps), load, ratio);
            let cycle = (n + 1) as usize;
            let packets = packets(config, usize::from(inputs) * cycle * 4);
            let spacing = 12_000e12 / (bps as f64 * load);

            for pair in packets.windows(2) {
                let gap = (pair[1].at - pair[0].at).as_ps() as f64;
                prop_assert!((gap - spacing / f64::from(inputs)).abs() <= 2.0);
                prop_assert!(pair[0].at <= pair[1].at);
            }
            for input in 0..inputs {
                let link: Vec<_> = packets.iter().filter(|packet| packet.input == input).collect();
                let needed = Rate::from_bps(bps).time_for(Bytes::new(1500));
                prop_assert!(link.windows(2).all(|pair| pair[1].at - pair[0].at >= needed));
                // Any n + 1 packets in a row hold the exact ratio.
                for window in link.windows(cycle) {
                    let low = window.iter().filter(|packet| packet.class == 1).count() as u32;
                    prop_assert_eq!(low, if mostly_low { n } else { 1 });
                }
            }
            // In a round over the links the rarer class is n + 1 slots apart.
            let rare = if n == 1 { 1 } else { u8::from(!mostly_low) };
            for round in packets.chunks(usize::from(inputs)) {
                let at: Vec<usize> =
                    (0..round.len()).filter(|slot| round[*slot].class == rare).collect();
                prop_assert!(at.windows(2).all(|pair| pair[1] - pair[0] == cycle));
            }
        }
    }
}
