//! A run under way. It is told how far to go and reads no clock, so that a command, a page in a
//! browser and a test drive the same object and get the same digits.

use std::fmt;
use std::time::Duration as Wall;

use forebay_net::flow::Flow;
use forebay_net::network::{Network, NetworkError, NetworkRunError};
use forebay_switch::{AnySwitch, FlowId, SwitchModel, SwitchShape};
use forebay_units::{Duration, Time};

use crate::error::NetRunError;
use crate::plan::NetRunPlan;
use crate::records::Records;
use crate::report::NetRunReport;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every flow has finished.
    Finished,
    /// Nothing is left to happen, although flows have not finished.
    Unfinished,
    /// The simulated time given for the run was over.
    GaveUp,
    /// It was stopped.
    Stopped,
    /// A flow made no progress.
    Stuck(NetworkRunError),
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// How far the network's clock has come.
    pub now: Time,
    /// Flows that have finished.
    pub finished: usize,
    /// Packets transmitted, each counted at every device.
    pub packet_hops: u64,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct NetRunOutcome {
    /// The run in numbers: totals, sizes, losses and links.
    pub report: NetRunReport,
    /// What became of each flow.
    pub records: Records,
    /// How the run ended.
    pub end: End,
    /// Why flows have not finished, and the fix; none if they have, or if the time was too short.
    pub problem: Option<String>,
    /// Why the trace is incomplete, if it is; the run went on without it.
    pub unwritten: Option<NetRunError>,
}

/// A network with the flows of a plan, as far as it has come.
///
/// ```
/// use std::time::Duration as Wall;
/// use forebay_net::flow::Flow;
/// use forebay_net_run::{End, Flows, NetRunPlan, RunConfig, Session};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let flows = vec![Flow::new(0, 1, Bytes::new(100_000), Time::ZERO)];
/// let plan = NetRunPlan::new("star:2,10G,1us", Flows::Given(flows), RunConfig::default())?;
/// let mut session = Session::new(plan, |_, switch| switch)?;
/// let end = loop {
///     if let Some(end) = session.advance(Duration::from_us(10)) {
///         break end;
///     }
/// };
/// assert_eq!(end, End::Finished);
/// // The caller has the clock, if there is one.
/// assert_eq!(session.finish(end, Wall::ZERO).report.finished, 1);
/// # Ok::<(), forebay_net_run::NetRunError>(())
/// ```
pub struct Session(Steps<AnySwitch>);

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Moment { now, finished, .. } = self.moment();
        write!(f, "Session at {now}, {finished} flows finished")
    }
}

impl Session {
    /// The network of the plan before its first event, each switch in the layer that `around` puts
    /// around it: an observer, or nothing. The plan's trace is not written: that is [`run`]'s.
    ///
    /// [`run`]: crate::run
    ///
    /// # Errors
    /// The network cannot be created.
    pub fn new(
        plan: NetRunPlan,
        around: impl FnMut(&SwitchShape<'_>, AnySwitch) -> AnySwitch,
    ) -> Result<Self, NetRunError> {
        Steps::around(plan, around).map(Session)
    }

    /// Lets happen what comes next, and what follows within `step` of simulated time; how the run
    /// ended, if it did.
    pub fn advance(&mut self, step: Duration) -> Option<End> {
        self.0.advance(step)
    }

    /// Adds flows, numbered after those already there: each begins at its start, or now if that is
    /// in the past. None is added if one is impossible.
    ///
    /// # Errors
    /// Names the first impossible one.
    pub fn add(&mut self, flows: &[Flow]) -> Result<(), NetRunError> {
        let added = self.0.network.add_flows(flows);
        added.map_err(|error| NetRunError::Input(error.to_string()))
    }

    /// Runs until a flow finishes, or up to `until` (or the plan's end), and returns the flows that
    /// finished at that instant: what a caller needs whose next flows depend on it.
    ///
    /// ```
    /// use forebay_net::flow::Flow;
    /// use forebay_net_run::{NetRunPlan, RunConfig, Session};
    /// use forebay_units::{Bytes, Time};
    ///
    /// let plan = NetRunPlan::open("star:2,10G,1us", RunConfig::default())?;
    /// let mut session = Session::new(plan, |_, switch| switch)?;
    /// session.add(&[Flow::new(0, 1, Bytes::new(1000), Time::ZERO)])?;
    /// assert_eq!(session.run_to_finish(Time::MAX)?, [0]);
    /// session.add(&[Flow::new(1, 0, Bytes::new(1000), Time::ZERO)])?; // the answer
    /// assert_eq!(session.run_to_finish(Time::MAX)?, [1]);
    /// # Ok::<(), forebay_net_run::NetRunError>(())
    /// ```
    ///
    /// # Errors
    /// A flow made no progress.
    pub fn run_to_finish(&mut self, until: Time) -> Result<Vec<FlowId>, NetRunError> {
        let Steps { plan, network } = &mut self.0;
        let ran = network.run_to_finish(until.min(plan.give_up));
        ran.map_err(|error| NetRunError::Input(plan.stuck(&error, network)))
    }

    /// How far it has come.
    #[must_use]
    pub fn moment(&self) -> Moment {
        self.0.moment()
    }

    /// How many hosts there are, numbered from 0.
    #[must_use]
    pub fn hosts(&self) -> u32 {
        self.0.plan.size().1
    }

    /// The network, to look at.
    #[must_use]
    pub fn network(&self) -> &Network<AnySwitch> {
        &self.0.network
    }

    /// Ends the run, which took `wall` by the caller's clock, and reports what was measured.
    #[must_use]
    pub fn finish(self, end: End, wall: Wall) -> NetRunOutcome {
        self.0.finish(end, wall)
    }
}

/// The same with switches of one type, which many runs use.
pub(crate) struct Steps<S> {
    plan: NetRunPlan,
    network: Network<S>,
}

impl<S: SwitchModel + Send + 'static> Steps<S> {
    /// The network of the plan that `make` makes, before its first event.
    pub(crate) fn begin(
        mut plan: NetRunPlan,
        make: impl FnOnce(&NetRunPlan) -> Result<Network<S>, NetworkError>,
    ) -> Result<Self, NetRunError> {
        plan.check_packets()?;
        let flows = std::mem::take(&mut plan.flows);
        let mut network = make(&plan).map_err(|error| plan.failure(&error))?;
        network.add_list(flows).map_err(|error| plan.failure(&error))?;
        plan.failures.iter().try_for_each(|failure| failure.plan(&mut network))?;
        Ok(Steps { plan, network })
    }

    /// The same with each switch in the layer that `around` puts around it.
    pub(crate) fn around(
        plan: NetRunPlan,
        around: impl FnMut(&SwitchShape<'_>, AnySwitch) -> S,
    ) -> Result<Self, NetRunError> {
        Steps::begin(plan, |plan| {
            Network::around(&plan.config.switch, &plan.graph, plan.network.clone(), around)
        })
    }

    pub(crate) fn advance(&mut self, step: Duration) -> Option<End> {
        let Some(next) = self.next_event() else {
            let all = self.network.flow_count() as usize;
            let is_over = self.network.finished() == all;
            return Some(if is_over { End::Finished } else { End::Unfinished });
        };
        if next > self.plan.give_up {
            return Some(End::GaveUp);
        }
        let until = (next + step).min(self.plan.give_up);
        self.network.run_parallel_until(until).err().map(End::Stuck)
    }

    /// When the next thing happens; `None` if nothing is left to happen.
    pub(crate) fn next_event(&self) -> Option<Time> {
        self.network.next_event()
    }

    /// The end of the run, in simulated time.
    pub(crate) fn give_up(&self) -> Time {
        self.plan.give_up
    }

    pub(crate) fn moment(&self) -> Moment {
        Moment {
            now: self.network.now(),
            finished: self.network.finished(),
            packet_hops: self.network.totals().packet_hops,
        }
    }

    pub(crate) fn finish(self, end: End, wall: Wall) -> NetRunOutcome {
        let Steps { plan, network } = self;
        let report = NetRunReport::new(&plan, &network, end, wall);
        let problem = match end {
            End::Finished | End::GaveUp | End::Stopped => None,
            End::Unfinished => Some(
                "no events are left, but some flows have not finished: check that they can begin \
                 and that paths stay up"
                    .to_owned(),
            ),
            End::Stuck(error) => Some(plan.stuck(&error, &network)),
        };
        NetRunOutcome { report, records: Records::of(network), end, problem, unwritten: None }
    }
}
