//! The two ends of a flow, as held by its hosts.
//!
//! They are stored separately, since they belong to different hosts. Both exist only while they are
//! needed: instead of a finished receiver, the whole flow's acknowledgement answers whatever still
//! arrives.

use alloc::boxed::Box;
use alloc::sync::Arc;

use forebay_parameters::Choice;
use forebay_units::{Bytes, Rate, Time};

use crate::packet::Wire;
use crate::transport::{
    Ack, ConfigError, CongestionControl, ConstantRate, Controller, DelayedAck, Paced, Path,
    PortReport, PullReceiver, Receiver, ReceiverConfig, Recovery, RoceConfig, RoceReceiver,
    RoceSender, Segment, Sender, SenderConfig, SenderCounters,
};
#[cfg(feature = "fabrics")]
use crate::transport::{PullSender, PullTransport};

/// How hosts send.
#[derive(Clone, Debug)]
pub enum Transport {
    /// A window with loss recovery. The receivers' ECN echo follows from the controller and the
    /// sender's choice.
    Window {
        /// How the flow sends, shared by all flows of its class.
        sender: Arc<SenderConfig>,
        /// How the flow acknowledges, shared by all flows of its class.
        receiver: Arc<ReceiverConfig>,
        /// What sizes the window; every flow has a copy of its own.
        control: Controller,
    },
    /// RoCE: packets at a rate, shared by all flows of its class.
    Roce(Arc<RoceConfig>),
    /// Packets that their receivers pull, over switches that trim.
    #[cfg(feature = "fabrics")]
    Pull(PullTransport),
    /// Datagrams at a rate, counted on the wire; lost ones are not repeated.
    Datagrams {
        /// Bytes of data in each.
        payload: Bytes,
        /// The rate of each flow.
        rate: Rate,
    },
}

impl Transport {
    /// Sized by this congestion control, with ECN if the sender asks for it or the control
    /// [wants marks](CongestionControl::wants_marks).
    ///
    /// # Errors
    /// [`ConfigError`] if the sender's choices, or the control's parameters, are impossible.
    pub fn window(
        mut sender: SenderConfig,
        control: &Choice<dyn CongestionControl>,
    ) -> Result<Self, ConfigError> {
        let control = control.build(&())?;
        if let Controller::Rate(Paced(control)) = control {
            let (mtu, timeout, recovery) = (sender.mss, sender.rto.min, Recovery::GoBackN);
            let telemetry = RoceConfig::TELEMETRY;
            return Transport::roce(RoceConfig { mtu, timeout, recovery, telemetry, control });
        }
        #[cfg(feature = "fabrics")]
        if let Controller::Pull(config) = control {
            let transport = Transport::Pull(PullTransport { mtu: sender.mss, config });
            transport.check()?;
            return Ok(transport);
        }
        sender.ecn |= control.wants_marks();
        let mut receiver = ReceiverConfig { sack: sender.sack, ..ReceiverConfig::default() };
        if sender.ecn {
            receiver.ecn = control.ecn_echo();
        }
        let transport =
            Transport::Window { sender: Arc::new(sender), receiver: Arc::new(receiver), control };
        transport.check()?;
        Ok(transport)
    }

    /// RoCE, at the rate that its control gives.
    ///
    /// # Errors
    /// [`ConfigError`] if nothing can be sent so.
    pub fn roce(config: RoceConfig) -> Result<Self, ConfigError> {
        let transport = Transport::Roce(Arc::new(config));
        transport.check()?;
        Ok(transport)
    }

    /// Whether its packets can be marked.
    #[must_use]
    pub fn takes_marks(&self) -> bool {
        match self {
            Transport::Window { sender, .. } => sender.ecn,
            Transport::Roce(config) => config.control.notify_every().is_some(),
            #[cfg(feature = "fabrics")]
            Transport::Pull(_) => false,
            Transport::Datagrams { .. } => false,
        }
    }

    /// Whether its flows ask for more of a path than its first link.
    pub(super) fn reads_path(&self) -> bool {
        match self {
            Transport::Roce(config) => config.reads_path(),
            #[cfg(feature = "fabrics")]
            Transport::Pull(_) => false,
            Transport::Window { .. } | Transport::Datagrams { .. } => false,
        }
    }

    /// Whether its receivers pull.
    pub(super) fn pulls(&self) -> bool {
        match self {
            #[cfg(feature = "fabrics")]
            Transport::Pull(_) => true,
            Transport::Window { .. } | Transport::Roce(_) | Transport::Datagrams { .. } => false,
        }
    }

    /// Whether its hosts know what to do with a packet without its data: they ask for it again, or
    /// ask for nothing again.
    pub(super) fn takes_headers(&self) -> bool {
        match self {
            #[cfg(feature = "fabrics")]
            Transport::Pull(_) => true,
            Transport::Datagrams { .. } => true,
            Transport::Window { .. } | Transport::Roce(_) => false,
        }
    }

    /// What switches' reports add to a packet and its acknowledgement; none if they write none.
    pub(super) fn telemetry(&self) -> Option<u32> {
        match self {
            Transport::Roce(config) if cfg!(feature = "fabrics") => {
                let bytes = u32::try_from(config.telemetry.get()).unwrap_or(u32::MAX);
                config.control.reads_telemetry().then_some(bytes)
            }
            #[cfg(feature = "fabrics")]
            Transport::Pull(_) => None,
            Transport::Roce(_) | Transport::Window { .. } | Transport::Datagrams { .. } => None,
        }
    }

    /// The same in which switches' reports take so many bytes of a packet and its acknowledgement.
    #[must_use]
    pub fn with_telemetry(mut self, bytes: Bytes) -> Self {
        if let Transport::Roce(config) = &mut self {
            Arc::make_mut(config).telemetry = bytes;
        }
        self
    }

    /// The same that sends lost packets of RoCE again in this way; others are as they were.
    ///
    /// # Errors
    /// [`ConfigError`] if its timeouts are impossible.
    pub fn with_recovery(mut self, recovery: Recovery) -> Result<Self, ConfigError> {
        if let Transport::Roce(config) = &mut self {
            Arc::make_mut(config).recovery = recovery;
        }
        self.check()?;
        Ok(self)
    }

    /// The same with delayed acknowledgements; datagrams and RoCE have none.
    ///
    /// # Errors
    /// [`ConfigError::DelayedAck`] if they could never be sent.
    pub fn with_delayed_ack(mut self, delayed: DelayedAck) -> Result<Self, ConfigError> {
        if let Transport::Window { receiver, .. } = &mut self {
            Arc::make_mut(receiver).delayed_ack = Some(delayed);
        }
        self.check()?;
        Ok(self)
    }

    /// Whether flows can be built from it.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.source(
            Bytes::new(1),
            Time::ZERO,
            Wire::default(),
            &Path::of_line(Rate::from_gbps(1)),
        )?;
        self.sink().map(drop)
    }

    /// The largest payload of a packet.
    pub(super) fn payload(&self) -> Bytes {
        match self {
            Transport::Window { sender, .. } => sender.mss,
            Transport::Roce(config) => config.mtu,
            #[cfg(feature = "fabrics")]
            Transport::Pull(config) => config.mtu,
            Transport::Datagrams { payload, .. } => *payload,
        }
    }

    /// The sender of a flow over a path.
    pub(super) fn source(
        &self,
        length: Bytes,
        now: Time,
        wire: Wire,
        path: &Path,
    ) -> Result<Source, ConfigError> {
        match self {
            Transport::Window { sender, control, .. } => {
                let sender = Sender::new(Arc::clone(sender), Some(length), control.clone())?;
                Ok(Source::Window(Box::new(sender)))
            }
            Transport::Roce(config) => {
                let sender = RoceSender::new(config, length, wire.headers, path)?;
                Ok(Source::Roce(Box::new(sender)))
            }
            #[cfg(feature = "fabrics")]
            Transport::Pull(config) => Ok(Source::Pull(Box::new(PullSender::new(config, length)?))),
            Transport::Datagrams { payload, rate } => {
                let headers = Bytes::new(wire.headers.into());
                let source = ConstantRate::new(now, *rate, *payload, headers, Some(length))?;
                Ok(Source::Datagrams(Box::new(source)))
            }
        }
    }

    pub(super) fn sink(&self) -> Result<Sink, ConfigError> {
        match self {
            Transport::Window { receiver, .. } => {
                Ok(Sink::Window(Box::new(Receiver::new(Arc::clone(receiver))?)))
            }
            Transport::Roce(config) => Ok(Sink::Roce(RoceReceiver::new(config))),
            #[cfg(feature = "fabrics")]
            Transport::Pull(config) => Ok(Sink::Pull(Box::new(PullReceiver::new(config)))),
            Transport::Datagrams { .. } => Ok(Sink::Datagrams(0)),
        }
    }
}

/// A flow's state at the host that sends.
#[derive(Debug)]
pub(super) enum Source {
    /// Before its start, or after its end.
    Idle,
    Window(Box<Sender<Controller>>),
    Roce(Box<RoceSender>),
    #[cfg(feature = "fabrics")]
    Pull(Box<PullSender>),
    Datagrams(Box<ConstantRate>),
}

impl Source {
    #[inline]
    pub(super) fn poll(&mut self, now: Time) -> Option<Segment> {
        match self {
            Source::Idle => None,
            Source::Window(sender) => sender.poll(now),
            Source::Roce(sender) => sender.poll(now),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.poll(now),
            Source::Datagrams(source) => source.poll(now),
        }
    }

    pub(super) fn on_ack(&mut self, now: Time, ack: &Ack, reports: &[PortReport]) {
        match self {
            Source::Window(sender) => sender.on_ack(now, ack),
            Source::Roce(sender) => sender.on_ack_with(now, ack, reports),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.on_ack(now, ack),
            Source::Idle | Source::Datagrams(_) => {}
        }
    }

    /// A pull of this number has arrived.
    pub(super) fn on_pull(&mut self, now: Time, number: u64) {
        #[cfg(feature = "fabrics")]
        if let Source::Pull(sender) = self {
            sender.on_pull(now, number);
        }
        #[cfg(not(feature = "fabrics"))]
        let _ = (now, number);
    }

    /// A packet has come back without its data.
    pub(super) fn on_returned(&mut self, now: Time, segment: &Segment) {
        #[cfg(feature = "fabrics")]
        if let Source::Pull(sender) = self {
            sender.on_returned(now, segment);
        }
        #[cfg(not(feature = "fabrics"))]
        let _ = (now, segment);
    }

    pub(super) fn on_deadline(&mut self, now: Time) {
        match self {
            Source::Window(sender) => sender.on_deadline(now),
            Source::Roce(sender) => sender.on_deadline(now),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.on_deadline(now),
            Source::Idle | Source::Datagrams(_) => {}
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        match self {
            Source::Idle => None,
            Source::Window(sender) => sender.deadline(),
            Source::Roce(sender) => sender.deadline(),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.deadline(),
            Source::Datagrams(source) => source.deadline(),
        }
    }

    /// Whether a timer has to bring its next turn: it has something to send that is held back, or
    /// (RoCE, NDP) waits for an answer.
    pub(super) fn needs_timer(&self) -> bool {
        match self {
            Source::Window(sender) => sender.is_held(),
            Source::Roce(_) => true,
            #[cfg(feature = "fabrics")]
            Source::Pull(_) => true,
            Source::Idle | Source::Datagrams(_) => false,
        }
    }

    /// Whether what it may send now waits only for its turn, which comes without a timer: what is
    /// sent at a rate is due at instants of its own.
    pub(super) fn waits_for_turn(&self, now: Time) -> bool {
        match self {
            Source::Datagrams(source) => source.deadline().is_some_and(|due| due <= now),
            Source::Roce(sender) => sender.deadline().is_some_and(|due| due <= now),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.is_ready(),
            Source::Idle | Source::Window(_) => false,
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        match self {
            Source::Idle => false,
            Source::Window(sender) => sender.is_finished(),
            Source::Roce(sender) => sender.is_finished(),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.is_finished(),
            Source::Datagrams(source) => source.is_finished(),
        }
    }

    /// The number of timeouts in a row.
    pub(super) fn backoff(&self) -> u8 {
        match self {
            Source::Window(sender) => sender.backoff(),
            Source::Roce(sender) => sender.backoff(),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.backoff(),
            Source::Idle | Source::Datagrams(_) => 0,
        }
    }

    pub(super) fn counters(&self) -> SenderCounters {
        match self {
            Source::Window(sender) => sender.counters(),
            Source::Roce(sender) => sender.counters(),
            #[cfg(feature = "fabrics")]
            Source::Pull(sender) => sender.counters(),
            Source::Idle | Source::Datagrams(_) => SenderCounters::default(),
        }
    }
}

/// A flow's state at the host that receives.
#[derive(Debug)]
pub(super) enum Sink {
    /// Nothing has arrived.
    Untouched,
    Window(Box<Receiver>),
    Roce(RoceReceiver),
    #[cfg(feature = "fabrics")]
    Pull(Box<PullReceiver>),
    /// Bytes that arrived.
    Datagrams(u64),
    /// Everything has arrived and is acknowledged.
    Complete,
}

impl Sink {
    /// Processes a segment of a flow of `length` bytes. Returns the answer, if there is one.
    #[inline]
    pub(super) fn on_segment(&mut self, now: Time, segment: &Segment, length: u64) -> Option<Ack> {
        match self {
            Sink::Untouched => None,
            Sink::Window(receiver) => receiver.on_segment(now, segment),
            Sink::Roce(receiver) => receiver.on_segment(now, segment),
            #[cfg(feature = "fabrics")]
            Sink::Pull(receiver) => Some(receiver.on_packet(segment)),
            Sink::Datagrams(received) => {
                *received = received.saturating_add(segment.len.into());
                None
            }
            Sink::Complete => {
                let mut ack = Ack::cumulative(length);
                ack.echo = segment.sent_at;
                Some(ack)
            }
        }
    }

    /// Processes a packet without its data. Returns the answer, if there is one.
    #[cold]
    pub(super) fn on_header(&mut self, segment: &Segment, length: u64) -> Option<Ack> {
        match self {
            #[cfg(feature = "fabrics")]
            Sink::Pull(receiver) => Some(receiver.on_header(segment)),
            Sink::Complete => Some(Ack::cumulative(length)),
            Sink::Untouched | Sink::Window(_) | Sink::Roce(_) | Sink::Datagrams(_) => {
                let _ = segment; // nobody asks for it again
                None
            }
        }
    }

    /// Its state, if it pulls.
    pub(super) fn pulling(&mut self) -> Option<&mut PullReceiver> {
        #[cfg(feature = "fabrics")]
        if let Sink::Pull(receiver) = self {
            return Some(receiver);
        }
        None
    }

    pub(super) fn on_deadline(&mut self, now: Time) -> Option<Ack> {
        if let Sink::Window(receiver) = self { receiver.on_deadline(now) } else { None }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        if let Sink::Window(receiver) = self { receiver.deadline() } else { None }
    }

    /// Bytes that arrived, each counted once (datagrams are never repeated).
    pub(super) fn delivered(&self, length: u64) -> u64 {
        match self {
            Sink::Untouched => 0,
            Sink::Window(receiver) => receiver.delivered().get(),
            Sink::Roce(receiver) => receiver.delivered().get(),
            #[cfg(feature = "fabrics")]
            Sink::Pull(receiver) => receiver.delivered().get(),
            Sink::Datagrams(received) => *received,
            Sink::Complete => length,
        }
    }
}
