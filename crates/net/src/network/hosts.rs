//! How the hosts of a network send, and which paths packets take: the one declaration of these
//! parameters, which the command `net run`, Python and the experiments read.

use alloc::format;
use alloc::string::String;

#[cfg(feature = "fabrics")]
use forebay_parameters::Word;
use forebay_parameters::{
    Choice, Choices, Chosen, Configure, Entry, Kind, Parameter, Renamed, Setting, Source, Value,
    Walk,
};
use forebay_units::{Bytes, Duration};

use super::{Nic, Transport};
use crate::route::BalanceConfig;
use crate::transport::{
    ConfigError, CongestionControl, Controller, DelayedAck, NewReno, RtoConfig, SenderConfig,
    congestion_controls,
};
#[cfg(feature = "fabrics")]
use crate::transport::{Paced, Recovery, RoceConfig, SelectiveConfig};

/// How RoCE sends again what was lost.
#[cfg(feature = "fabrics")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Repeats {
    /// With all behind it.
    #[default]
    GoBackN,
    /// Alone.
    Selective,
}

/// How the hosts of a network send, and which of equal paths their packets take.
///
/// ```
/// use forebay_net::network::HostConfig;
/// use forebay_parameters::set;
///
/// let mut hosts = HostConfig::default();
/// set(&mut hosts, &[("control", "cubic"), ("mss", "8960 B")])?;
/// let transport = hosts.transport(hosts.sender())?;
/// assert!(!transport.takes_marks());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Configure)]
pub struct HostConfig {
    /// Congestion control, with its parameters.
    #[parameter(part, default = NewReno::choice())]
    #[parameter(by = |control, walk| walk_control(control, &self.controls, walk))]
    pub control: Choice<dyn CongestionControl>,
    /// How RoCE sends again what was lost: with all behind it (go-back-n), or alone (selective).
    #[cfg(feature = "fabrics")]
    #[parameter(default = Repeats::GoBackN, when = self.has_rate())]
    #[parameter(assumed = "what InfiniBand does")]
    pub recovery: Repeats,
    /// Selective repeat.
    #[cfg(feature = "fabrics")]
    #[parameter(part, when = self.repeats_selectively())]
    pub selective: SelectiveConfig,
    /// What switches' reports add to a packet and its acknowledgement, under a control that reads
    /// them (hpcc, powertcp).
    #[cfg(feature = "fabrics")]
    #[parameter(default = RoceConfig::TELEMETRY, when = self.reads_telemetry())]
    #[parameter(assumed = "five ports of 8 bytes and 2, as others cite hpcc")]
    pub telemetry_bytes: Bytes,
    /// Payload of a segment; 52 bytes of headers come on top.
    #[parameter(paper = "themis §6.3.2", default = Bytes::new(1448))]
    pub mss: Bytes,
    /// First window, in segments.
    #[parameter(range = 1..=u32::MAX, default = 10, when = self.has_window())]
    #[parameter(assumed = "RFC 6928; Themis §6.3.2 has 20")]
    pub initial_window: u32,
    /// Shortest retransmission timeout.
    #[parameter(source = OCCAMY, default = Duration::from_ms(5))]
    #[parameter(when = !self.repeats_selectively() && !self.is_pulled())]
    pub min_rto: Duration,
    /// Retransmission timeout before a round trip is measured; if not given, the shortest, at
    /// least 1 ms.
    #[parameter(assumed = "the shortest, at least 1 ms", default = None, with = AsGiven)]
    #[parameter(when = self.has_window())]
    pub initial_rto: Option<Duration>,
    /// The least that the variation of round trips adds to the retransmission timeout (G of RFC
    /// 6298); 0: nothing.
    #[parameter(default = None, when = self.has_window())]
    #[parameter(
        assumed = "the finest clock; ns-3's default clock granularity is 1 ms",
        sensitivity = "themis/sensitivity-timer"
    )]
    pub rto_granularity: Option<Duration>,
    /// Selective acknowledgements; without them, recovery is by RFC 6582 alone.
    #[parameter(default = true, when = self.has_window())]
    #[parameter(assumed = "Linux and ns-3 have it on; off under plain NewReno (Themis)")]
    pub sack: bool,
    /// How many segments beyond a hole make it a loss; give more where a flow's packets overtake
    /// each other.
    #[parameter(paper = "RFC 5681 §3.2", range = 1..=1_000_000, default = 3)]
    #[parameter(when = self.has_window())]
    pub duplicate_threshold: u32,
    /// Find losses by time as well: probes for lost ends of flows, and a timer where little arrived
    /// beyond a hole.
    ///
    /// RFC 8985 (RACK-TLP), as Linux does.
    #[parameter(default = false, when = self.sack)]
    #[parameter(assumed = "ns-3 has neither, and so no paper's simulation")]
    pub loss_by_time: bool,
    /// How long what is behind a hole may be overtaken before it is lost, if losses are found by
    /// time; 0: a quarter of the shortest round trip.
    #[parameter(default = None, when = self.loss_by_time && self.sack)]
    #[parameter(assumed = "RFC 8985 §6.2, without its adaptation")]
    pub reorder_window: Option<Duration>,
    /// The most bytes that a flow may have in flight; 0: more than its path holds.
    #[parameter(default = None, when = self.has_window())]
    #[parameter(assumed = "receivers keep up, and grow their windows")]
    pub receive_window: Option<Bytes>,
    /// Acknowledge every second segment, and a single one after this time; if not given, each at
    /// once.
    #[parameter(default = None, with = AsGiven, when = self.has_window())]
    #[parameter(assumed = "data-centre practice; neither paper says")]
    pub delayed_ack: Option<Duration>,
    /// Begin each flow with a handshake; otherwise data is sent at once.
    #[parameter(assumed = "connections last longer than flows", default = false)]
    #[parameter(when = self.has_window())]
    pub handshake: bool,
    /// How switches choose among equally short paths.
    #[cfg(feature = "fabrics")]
    #[parameter(part)]
    pub balance: BalanceConfig,
    /// Whether a host's flows take turns at its link (fair), or wait in one queue (fifo).
    #[parameter(default = Nic::Fifo)]
    #[parameter(
        assumed = "as Linux hosts do; in one queue small flows wait behind their neighbours' \
                   windows whatever the switches do",
        sensitivity = "themis/sensitivity-nic, occamy/sensitivity-hosts"
    )]
    pub nic: Nic,
    /// The congestion controls that there are.
    #[parameter(skip, default = congestion_controls())]
    pub controls: Choices<dyn CongestionControl>,
}

const OCCAMY: Source = Source::paper("occamy §6.4");

impl HostConfig {
    /// Which congestion control.
    pub const CONTROL: Parameter = Parameter::new(
        "control",
        Kind::Text,
        OCCAMY,
        "Congestion control; one that wants marks, such as dctcp, needs switches that mark; with \
         dcqcn, hpcc, swift, timely or powertcp hosts send by RoCE; with ndp receivers pull.",
    );

    /// The defaults, with these congestion controls to choose among.
    #[must_use]
    pub fn among(controls: &Choices<dyn CongestionControl>) -> Self {
        HostConfig { controls: controls.clone(), ..HostConfig::default() }
    }

    /// Whether hosts send by windows of TCP: others send by RoCE, at a rate, or are pulled, and
    /// most of the parameters have no effect.
    #[must_use]
    pub fn has_window(&self) -> bool {
        !self.has_rate() && !self.is_pulled()
    }

    /// Whether hosts send by RoCE.
    fn has_rate(&self) -> bool {
        matches!(self.control.build(&()), Ok(Controller::Rate(_)))
    }

    /// Whether receivers pull what hosts send.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        #[cfg(feature = "fabrics")]
        return matches!(self.control.build(&()), Ok(Controller::Pull(_)));
        #[cfg(not(feature = "fabrics"))]
        false
    }

    /// How switches choose among equally short paths.
    #[must_use]
    pub fn balance(&self) -> BalanceConfig {
        #[cfg(feature = "fabrics")]
        return self.balance;
        #[cfg(not(feature = "fabrics"))]
        BalanceConfig::default()
    }

    #[cfg(feature = "fabrics")]
    fn reads_telemetry(&self) -> bool {
        match self.control.build(&()) {
            Ok(Controller::Rate(Paced(control))) => control.reads_telemetry(),
            Ok(_) | Err(_) => false,
        }
    }

    fn repeats_selectively(&self) -> bool {
        #[cfg(feature = "fabrics")]
        return self.has_rate() && self.recovery == Repeats::Selective;
        #[cfg(not(feature = "fabrics"))]
        false
    }

    /// The sender that these parameters describe; what they leave open is as the transport has it.
    #[must_use]
    pub fn sender(&self) -> SenderConfig {
        let own = SenderConfig::default();
        SenderConfig {
            mss: self.mss,
            initial_window: self.initial_window,
            receive_window: self.receive_window.unwrap_or(own.receive_window),
            rto: RtoConfig {
                min: self.min_rto,
                initial: self.initial_rto.unwrap_or(own.rto.initial),
                granularity: self.rto_granularity.unwrap_or(own.rto.granularity),
                ..own.rto
            },
            sack: self.sack,
            loss_by_time: self.loss_by_time && self.sack,
            duplicate_threshold: self.duplicate_threshold,
            reorder_window: self.reorder_window,
            handshake: self.handshake,
            ..own
        }
    }

    /// The transport of this sender.
    ///
    /// # Errors
    /// A parameter is out of its range, or does not fit another.
    pub fn transport(&self, sender: SenderConfig) -> Result<Transport, ConfigError> {
        let transport = Transport::window(sender, &self.control).map_err(|error| match error {
            ConfigError::Parameter(error) => {
                let name = own_name(&self.control, error.name());
                ConfigError::Parameter(error.renamed(name))
            }
            other => other,
        })?;
        #[cfg(feature = "fabrics")]
        let transport = {
            let transport = transport.with_telemetry(self.telemetry_bytes);
            if self.repeats_selectively() {
                return transport.with_recovery(Recovery::Selective(self.selective));
            }
            transport
        };
        match self.delayed_ack {
            Some(timer) => transport.with_delayed_ack(DelayedAck { timer, every: 2 }),
            None => Ok(transport),
        }
    }
}

/// Shows the choice of a control, and its parameters.
fn walk_control(
    control: &mut Choice<dyn CongestionControl>,
    among: &Choices<dyn CongestionControl>,
    walk: &mut dyn Walk,
) {
    walk.field(&HostConfig::CONTROL, &mut Chosen { choice: control, among });
    #[cfg(feature = "fabrics")]
    {
        walk_own(control, walk);
        if walk.wants_all() {
            let others = among.iter().filter(|one| one.name() != control.name());
            others.for_each(|one| walk_own(&mut one.clone(), walk));
        }
    }
}

/// Shows the parameters of a control under its name, as `hpcc_target`: those of several stand
/// together where a network has several.
#[cfg(feature = "fabrics")]
pub fn walk_own(control: &mut Choice<dyn CongestionControl>, walk: &mut dyn Walk) {
    let named = control.clone();
    control
        .walk(&mut Renamed::new(walk, |one: &Parameter| one.called(own_name(&named, &one.name))));
}

/// What a parameter of a control is called among those of others.
fn own_name(control: &Choice<dyn CongestionControl>, parameter: &str) -> String {
    format!("{}_{parameter}", control.prefix().replace('-', "_"))
}

/// A span that may be left out; what is given counts, also if it is zero.
struct AsGiven<'a>(&'a mut Option<Duration>);

impl Setting for AsGiven<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let mut given = Duration::ZERO;
        given.put(value)?;
        *self.0 = Some(given);
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Duration(self.0.unwrap_or_default())
    }
}
