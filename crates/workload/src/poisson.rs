//! `inputs` links, on each of which flows begin as a Poisson process and send their packets back to
//! back at the link's rate. Source: Themis §6.3.1 (32 inputs of 50 Gb/s, WebSearch sizes, UDP).
//!
//! The paper does not say how flows that are active together share an input; [`InputDiscipline`]
//! offers both natural answers. O(log inputs) per packet, plus O(log points) per flow; memory
//! O(inputs), and with [`InputDiscipline::RoundRobin`] O(active flows).

use std::collections::VecDeque;

use forebay_parameters::Word;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::error::{check_links, check_packet};
use crate::flow_arrivals::{FlowArrivals, OfferedFlow, mean_gap_ps};
use crate::merge::Tournament;
use crate::{Arrival, PacketSource, SizeDistribution, SourceError};

/// How flows that are active together share an input link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputDiscipline {
    /// One flow after the other, in the order in which they begin.
    #[default]
    Fifo,
    /// One packet of each in turn; a new flow joins at the end of the turn.
    RoundRobin,
}

impl Word for InputDiscipline {
    const WORDS: &'static [(&'static str, Self)] =
        &[("fifo", InputDiscipline::Fifo), ("round-robin", InputDiscipline::RoundRobin)];
}

/// The parameters of [`PoissonFlows`].
#[derive(Clone, Debug)]
pub struct PoissonFlowsConfig {
    /// The number of input links, at least 1.
    pub inputs: u16,
    /// The rate of each, above 0 and at most 8 Tb/s.
    pub rate: Rate,
    /// The offered fraction of the inputs' aggregate rate, in (0, 1].
    pub load: f64,
    /// The sizes of flows.
    pub sizes: SizeDistribution,
    /// The size of every packet of a flow but the last, which is the remainder.
    pub packet_bytes: u32,
    /// How flows share an input.
    pub discipline: InputDiscipline,
    /// How long flows have been arriving when time begins. Inputs that begin empty would offer less
    /// than `load` for as long as their backlogs take to build up.
    pub lead: Duration,
    /// No packet is received after this instant; `None` for an endless source.
    pub stop: Option<Time>,
    /// The seed of the run.
    pub seed: u64,
}

impl PoissonFlowsConfig {
    /// An endless source with packets of 1500 bytes, flows one after the other, and inputs that
    /// begin empty.
    #[must_use]
    pub fn new(inputs: u16, rate: Rate, load: f64, sizes: SizeDistribution, seed: u64) -> Self {
        PoissonFlowsConfig {
            inputs,
            rate,
            load,
            sizes,
            packet_bytes: 1500,
            discipline: InputDiscipline::default(),
            lead: Duration::ZERO,
            stop: None,
            seed,
        }
    }
}

/// Poisson flows with sizes from a distribution; see the module's head for the model.
#[derive(Clone, Debug)]
pub struct PoissonFlows {
    sizes: SizeDistribution,
    rate: Rate,
    packet_bytes: u64,
    packet_time: Duration,
    discipline: InputDiscipline,
    /// Internal times count from the beginning of the lead.
    lead: Duration,
    last_ps: u64,
    flows_begun: u32,
    inputs: Vec<Input>,
    next: Tournament,
}

/// A link; the head of `active` is being received.
#[derive(Clone, Debug)]
struct Input {
    current: ActiveFlow,
    waiting: VecDeque<ActiveFlow>,
    upcoming: OfferedFlow,
    arrivals: FlowArrivals,
}

#[derive(Clone, Copy, Debug)]
struct ActiveFlow {
    /// Assigned when its first packet is received, when `left == bytes`.
    number: u32,
    left: u64,
    bytes: u64,
}

impl From<OfferedFlow> for ActiveFlow {
    fn from(flow: OfferedFlow) -> Self {
        ActiveFlow { number: 0, left: flow.bytes, bytes: flow.bytes }
    }
}

impl PoissonFlows {
    /// Builds the source of `config`; O(inputs).
    ///
    /// # Errors
    /// A [`SourceError`] that names the impossible parameter.
    pub fn new(config: PoissonFlowsConfig) -> Result<Self, SourceError> {
        let PoissonFlowsConfig {
            inputs,
            rate,
            load,
            sizes,
            packet_bytes,
            discipline,
            lead,
            stop,
            seed,
        } = config;
        check_links(inputs, rate, load)?;
        check_packet("packet_bytes", packet_bytes)?;
        let packet_bytes = u64::from(packet_bytes);
        let gap = mean_gap_ps(sizes.mean(), rate, load);
        let inputs: Vec<Input> = (0..inputs)
            .map(|input| Input::new(FlowArrivals::new(seed, input, gap), &sizes))
            .collect();
        let mut source = PoissonFlows {
            sizes,
            rate,
            packet_bytes,
            packet_time: rate.time_for(Bytes::new(packet_bytes)),
            discipline,
            lead,
            // Time::MAX is "never".
            last_ps: stop.map_or(Time::MAX, |stop| stop + lead).as_ps().min(u64::MAX - 1),
            flows_begun: 0,
            inputs,
            next: Tournament::new(&[]),
        };
        let first: Vec<u64> = (0..source.inputs.len()).map(|i| source.first_packet(i)).collect();
        source.next = Tournament::new(&first);
        Ok(source)
    }

    /// Skips what the input received during the lead; returns when its next packet is received.
    fn first_packet(&mut self, index: usize) -> u64 {
        let begin = Time::ZERO + self.lead;
        let input = &mut self.inputs[index];
        let mut start = input.next_flow(&self.sizes, Time::ZERO);
        loop {
            let end = start + self.rate.time_for(Bytes::new(input.current.left));
            if end > begin {
                break;
            }
            start = input.next_flow(&self.sizes, end);
        }
        if start < begin {
            let packets = (begin - start).as_ps() / self.packet_time.as_ps().max(1);
            let flow = &mut input.current;
            let received = (packets * self.packet_bytes).min(flow.left.saturating_sub(1));
            flow.left -= received - received % self.packet_bytes;
            start += self.packet_time * (received / self.packet_bytes);
            if flow.left < flow.bytes {
                flow.number = self.flows_begun;
                self.flows_begun = self.flows_begun.wrapping_add(1);
            }
        }
        self.received(index, start)
    }

    /// When the next packet of the current flow will have been received, if it starts at `start`.
    #[inline]
    fn received(&self, input: usize, start: Time) -> u64 {
        let left = self.inputs[input].current.left;
        let span = if left >= self.packet_bytes {
            self.packet_time
        } else {
            self.rate.time_for(Bytes::new(left))
        };
        (start + span).as_ps()
    }
}

impl Input {
    fn new(mut arrivals: FlowArrivals, sizes: &SizeDistribution) -> Self {
        let upcoming = arrivals.next_flow(sizes);
        let current = ActiveFlow { number: 0, left: 0, bytes: 0 };
        Input { current, waiting: VecDeque::new(), upcoming, arrivals }
    }

    /// Makes the upcoming flow the current one; returns when its packets can start, on a link that
    /// is free from `now`.
    fn next_flow(&mut self, sizes: &SizeDistribution, now: Time) -> Time {
        self.current = self.upcoming.into();
        let start = self.upcoming.at.max(now);
        self.upcoming = self.arrivals.next_flow(sizes);
        start
    }

    /// Turns to the next waiting flow, at `now`; returns when its packet can start.
    fn next_turn(&mut self, sizes: &SizeDistribution, now: Time) -> Time {
        while self.upcoming.at <= now && now < Time::MAX {
            self.waiting.push_back(self.upcoming.into());
            self.upcoming = self.arrivals.next_flow(sizes);
        }
        if self.current.left > 0 {
            self.waiting.push_back(self.current);
        }
        match self.waiting.pop_front() {
            Some(flow) => {
                self.current = flow;
                now
            }
            None => self.next_flow(sizes, now),
        }
    }
}

impl PacketSource for PoissonFlows {
    #[inline]
    fn next_time(&self) -> Option<Time> {
        let (at, _) = self.next.winner();
        (at <= self.last_ps).then(|| Time::from_ps(at - self.lead.as_ps()))
    }

    #[inline]
    fn next_packet(&mut self) -> Option<Arrival> {
        let (at, index) = self.next.winner();
        if at > self.last_ps {
            return None;
        }
        let now = Time::from_ps(at);
        let input = &mut self.inputs[index];
        let flow = &mut input.current;
        if flow.left == flow.bytes {
            flow.number = self.flows_begun;
            self.flows_begun = self.flows_begun.wrapping_add(1);
        }
        let size = flow.left.min(self.packet_bytes);
        flow.left -= size;
        let arrival = Arrival {
            at: Time::from_ps(at - self.lead.as_ps()),
            input: index as u16,
            flow: flow.number,
            size: size as u32,
            flow_size: flow.bytes,
            class: 0,
        };
        let start = match self.discipline {
            InputDiscipline::Fifo if flow.left > 0 => now,
            InputDiscipline::Fifo => input.next_flow(&self.sizes, now),
            InputDiscipline::RoundRobin => input.next_turn(&self.sizes, now),
        };
        self.next.replace_winner(self.received(index, start));
        Some(arrival)
    }
}

#[cfg(test)]
mod tests;
