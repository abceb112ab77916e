//! Runs that inspect the network on the way: the stop rule of a measurement, and periodic samples.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use forebay_units::{Duration, Time};

use super::partition::Watch;
use super::{Network, NetworkRunError};
use forebay_switch::{FlowId, SwitchModel};

/// When a measurement ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRule {
    /// The flows that begin in this window are measured; earlier ones warm the network up, and
    /// later ones keep it loaded until the measured ones have finished.
    pub window: Range<Time>,
    /// The run ends here even if some have not finished; [`Time::MAX`] waits for all.
    pub give_up: Time,
}

/// Why samples cannot be taken to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleError {
    /// The step between samples was zero.
    NoStep,
    /// The run stopped early.
    Run(NetworkRunError),
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleError::NoStep => write!(f, "samples every 0 ps never end: give a step above 0"),
            SampleError::Run(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for SampleError {}

impl From<NetworkRunError> for SampleError {
    fn from(error: NetworkRunError) -> Self {
        SampleError::Run(error)
    }
}

impl<S: SwitchModel> Network<S> {
    /// Runs until a flow finishes, or up to `stop`, and returns the flows that finished at that
    /// instant; none if nothing is left to happen, or `stop` has come. Flows that are
    /// [added](Network::add_flows) then begin at that instant. A network of several partitions ends
    /// with the window in which a flow finished, which may be some link delays later.
    ///
    /// ```
    /// # use forebay_net::{flow::Flow, topology::{Graph, LinkConfig}};
    /// # use forebay_switch::{DropTailSwitch, PortLimits};
    /// # use forebay_net::{network::{Network, NetworkConfig, Transport}};
    /// # use forebay_net::transport::{SenderConfig, congestion_controls};
    /// # use forebay_units::{Bytes, Duration, Rate, Time};
    /// # let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
    /// # let transport = Transport::window(SenderConfig::default(), congestion_controls().named("cubic")?)?;
    /// # let mut network = Network::new(&Graph::star(3, link), NetworkConfig::new(transport), |shape| {
    /// #     DropTailSwitch::new(shape, &PortLimits::default())
    /// # })?;
    /// let flow = |src, dst| Flow::new(src, dst, Bytes::new(1000), Time::ZERO);
    /// network.add_flows(&[flow(0, 1)])?;
    /// assert_eq!(network.run_to_finish(Time::MAX)?, [0]);
    /// let there = network.now();
    /// network.add_flows(&[flow(1, 2)])?; // It answers.
    /// assert_eq!(network.run_to_finish(Time::MAX)?, [1]);
    /// assert!(network.now() > there);
    /// assert!(network.run_to_finish(Time::MAX)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NetworkRunError`] if the run cannot end; what was measured is kept.
    pub fn run_to_finish(&mut self, stop: Time) -> Result<Vec<FlowId>, NetworkRunError> {
        for part in &mut self.parts {
            part.watch = Some(Watch::default());
        }
        let ran = self.run_until(stop);
        let watches = self.parts.iter_mut().filter_map(|part| part.watch.take());
        let mut finished: Vec<FlowId> = watches.flat_map(|watch| watch.finished).collect();
        finished.sort_unstable();
        ran.map(|()| finished)
    }

    /// Runs until every flow that began in the rule's window has finished, or until it gives up.
    /// Returns how many have not finished. The condition is checked a few dozen times, so the run
    /// continues for up to a sixteenth of the window after the last has finished.
    ///
    /// ```
    /// # use forebay_net::{flow::Flow, topology::{Graph, LinkConfig}};
    /// # use forebay_switch::{DropTailSwitch, PortLimits};
    /// # use forebay_net::{network::{Network, NetworkConfig, StopRule, Transport}};
    /// # use forebay_net::transport::{SenderConfig, congestion_controls};
    /// # use forebay_units::{Bytes, Duration, Rate, Time};
    /// # let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
    /// # let transport = Transport::window(SenderConfig::default(), congestion_controls().named("cubic")?)?;
    /// # let mut network = Network::new(&Graph::star(3, link), NetworkConfig::new(transport), |shape| {
    /// #     DropTailSwitch::new(shape, &PortLimits::default())
    /// # })?;
    /// let at = |ms| Time::ZERO + Duration::from_ms(ms);
    /// let flow = |ms| Flow::new(0, 1, Bytes::new(100_000_000), at(ms));
    /// network.add_flows(&[flow(0), flow(1)])?; // 80 ms each, if alone
    /// let unfinished = network.run_measured(&StopRule { window: at(1)..at(2), give_up: at(10) })?;
    /// assert_eq!(unfinished, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NetworkRunError`] if the run cannot end; what was measured is kept.
    pub fn run_measured(&mut self, rule: &StopRule) -> Result<usize, NetworkRunError> {
        self.measure_by(rule, Self::run_until)
    }

    /// Like [`Network::run_measured`], with each partition on its own thread; the results are the
    /// same.
    ///
    /// # Errors
    /// As for [`Network::run_measured`].
    pub fn run_parallel_measured(&mut self, rule: &StopRule) -> Result<usize, NetworkRunError>
    where
        S: Send,
    {
        self.measure_by(rule, Self::run_parallel_until)
    }

    fn measure_by(
        &mut self,
        rule: &StopRule,
        run_until: impl Fn(&mut Self, Time) -> Result<(), NetworkRunError>,
    ) -> Result<usize, NetworkRunError> {
        let window = &rule.window;
        let mut until = window.end.min(rule.give_up);
        run_until(self, until)?;
        let mut open: Vec<FlowId> = (0..self.fabric.flows.len() as FlowId)
            .filter(|&flow| self.is_open(flow, window))
            .collect();
        let pause = (window.end.since(window.start) / 16).max(Duration::from_ns(1));
        let mut step = pause;
        while !open.is_empty() && until < rule.give_up {
            let events = self.totals().events;
            until = (until + step).min(rule.give_up);
            run_until(self, until)?;
            // Nothing may happen for a long time, or ever again.
            step = if events == self.totals().events { step * 2 } else { pause };
            open.retain(|&flow| self.is_open(flow, window));
        }
        Ok(open.len())
    }

    fn is_open(&self, flow: FlowId, window: &Range<Time>) -> bool {
        let (start, finish) = self.times(flow);
        finish.is_none() && window.contains(&start)
    }

    /// Runs until `until`, and calls `look` with the network at regular intervals, first one step
    /// after the last run: to record queue lengths, rates or link loads.
    ///
    /// ```
    /// # use forebay_net::{flow::Flow, topology::{Graph, LinkConfig}};
    /// # use forebay_switch::{DropTailSwitch, PortLimits};
    /// # use forebay_net::{network::{Network, NetworkConfig, Transport}};
    /// # use forebay_net::transport::{SenderConfig, congestion_controls};
    /// # use forebay_units::{Bytes, Duration, Rate, Time};
    /// use forebay_net::measure::Throughput;
    /// use forebay_switch::SwitchModel;
    /// # let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
    /// # let transport = Transport::window(SenderConfig::default(), congestion_controls().named("cubic")?)?;
    /// # let mut network = Network::new(&Graph::star(3, link), NetworkConfig::new(transport), |shape| {
    /// #     DropTailSwitch::new(shape, &PortLimits::default())
    /// # })?;
    /// # let flow = |src| Flow::new(src, 2, Bytes::new(1 << 40), Time::ZERO);
    /// network.add_flows(&[flow(0), flow(1)])?;
    /// let (every, until) = (Duration::from_ms(1), Time::ZERO + Duration::from_ms(20));
    /// let (mut queue, mut throughput) = (Vec::new(), Throughput::new(every, 2));
    /// network.run_sampled(every, until, |network| {
    ///     queue.extend(network.switches().map(|switch| switch.backlog()));
    ///     throughput.observe([0, 1].map(|flow| network.delivered(flow)));
    /// })?;
    /// assert_eq!((queue.len(), throughput.rates(0).count()), (20, 20));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SampleError`] if the step is zero or the run cannot end; what was measured is kept.
    pub fn run_sampled(
        &mut self,
        every: Duration,
        until: Time,
        mut look: impl FnMut(&Self),
    ) -> Result<(), SampleError> {
        if every == Duration::ZERO {
            return Err(SampleError::NoStep);
        }
        let mut next = self.ran_until + every;
        while next <= until && next < Time::MAX {
            self.run_until(next)?;
            look(self);
            next += every;
        }
        Ok(self.run_until(until)?)
    }
}
