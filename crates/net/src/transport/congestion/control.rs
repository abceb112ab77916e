//! What every congestion control is: a [`CongestionControl`] of one flow, what it is told, and the
//! [`Controller`] that a flow holds.

use alloc::boxed::Box;
use core::fmt;

use forebay_parameters::Family;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::cubic::Cubic;
use super::dctcp::Dctcp;
use super::new_reno::NewReno;
#[cfg(feature = "fabrics")]
use crate::transport::pull::PullConfig;
use crate::transport::report::PortReport;
use crate::transport::roce::Paced;
use crate::transport::window::Window;

/// How a receiver reports marked segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EcnEcho {
    /// Not at all.
    #[default]
    Off,
    /// From a mark until the sender says that it has reacted (RFC 3168, §6.1.3).
    Latched,
    /// Exactly: an acknowledgement has the flag if and only if the segments it covers were marked
    /// (RFC 8257, §3.2).
    Exact,
}

/// One acknowledgement of new data, as a controller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSample<'a> {
    /// The instant it arrived.
    pub now: Time,
    /// How many bytes it acknowledged for the first time.
    pub acked: Bytes,
    /// The cumulative position it brought.
    pub una: u64,
    /// The position just after the highest byte sent so far.
    pub sent: u64,
    /// The round trip that it measured, if any.
    pub rtt: Option<Duration>,
    /// The smoothed round trip, once there is one.
    pub smoothed_rtt: Option<Duration>,
    /// Whether it carried an ECN echo.
    pub ece: bool,
    /// Whether the window may grow: no loss is being recovered, and the acknowledgement has no ECN
    /// echo (RFC 3168, §6.1.2).
    pub grow: bool,
    /// What the ports on the path recorded, the first one first; empty if none does.
    pub telemetry: &'a [PortReport],
}

/// How the sender detected congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Duplicate acknowledgements or SACK blocks show a loss.
    Loss,
    /// The retransmission timer ran out.
    Timeout,
    /// The receiver echoed a mark.
    Echo,
}

/// Congestion, reported at most once per window of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congestion {
    /// The instant of detection.
    pub now: Time,
    /// How it was detected.
    pub cause: Cause,
    /// Data outstanding: FlightSize of RFC 5681, without what limited transmit added.
    pub flight: Bytes,
}

/// The policy: sizes the window.
pub trait CongestionControl {
    /// New data was acknowledged. Called in every phase, before the sender acts on an ECN echo;
    /// grows the window only if [`AckSample::grow`]. A window below a segment, but of at least a
    /// byte, makes the sender send single segments, spaced so that one window is sent per round
    /// trip.
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>);

    /// Congestion was detected: returns the new slow-start threshold. The sender raises it to at
    /// least two segments and sets the window from it: to one segment after a timeout, to the
    /// threshold otherwise.
    fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes;

    /// The echo the receiver must give when ECN is on. With [`EcnEcho::Exact`] retransmissions are
    /// also sent as markable; RFC 3168, §6.1.5 forbids it for the latched echo.
    fn ecn_echo(&self) -> EcnEcho {
        EcnEcho::Latched
    }

    /// Whether it is made for marks, so that hosts turn ECN on for it. Default: if its echo is
    /// exact.
    fn wants_marks(&self) -> bool {
        self.ecn_echo() == EcnEcho::Exact
    }

    /// How fast segments may follow each other within the window, counted in payload; asked at each
    /// segment, to find when the next may be sent. Default: as fast as the window allows.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
}

impl<C: CongestionControl + ?Sized> CongestionControl for Box<C> {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        (**self).on_ack(window, sample);
    }

    fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes {
        (**self).on_congestion(window, congestion)
    }

    fn ecn_echo(&self) -> EcnEcho {
        (**self).ecn_echo()
    }

    fn wants_marks(&self) -> bool {
        (**self).wants_marks()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        (**self).pacing_rate()
    }
}

/// The congestion control of one flow: a built-in one in place, or a caller's own behind a pointer.
#[derive(Clone, Debug)]
pub enum Controller {
    /// Additive increase, halved at congestion (RFC 5681, RFC 6582).
    NewReno(NewReno),
    /// A cubic of the time since congestion (RFC 9438).
    Cubic(Cubic),
    /// Reduced by the fraction of marked bytes (RFC 8257).
    Dctcp(Dctcp),
    /// A rate instead: its flows are sent by RoCE.
    Rate(Paced),
    /// No window and no rate: its flows send what their receivers pull.
    #[cfg(feature = "fabrics")]
    Pull(PullConfig),
    /// Any other.
    Own(Box<dyn OwnControl>),
}

/// What a caller's own congestion control can, beside controlling, so that every flow has one:
/// whatever is `Clone`, `Debug`, `Send` and `Sync` can it.
pub trait OwnControl: CongestionControl + fmt::Debug + Send + Sync {
    /// One in the same state.
    fn copy(&self) -> Box<dyn OwnControl>;
}

impl<C: CongestionControl + Clone + fmt::Debug + Send + Sync + 'static> OwnControl for C {
    fn copy(&self) -> Box<dyn OwnControl> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn OwnControl> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

impl Controller {
    fn inner(&self) -> &dyn CongestionControl {
        match self {
            Controller::NewReno(control) => control,
            Controller::Cubic(control) => control,
            Controller::Dctcp(control) => control,
            Controller::Rate(control) => control,
            #[cfg(feature = "fabrics")]
            Controller::Pull(control) => control,
            Controller::Own(control) => control.as_ref(),
        }
    }

    fn inner_mut(&mut self) -> &mut dyn CongestionControl {
        match self {
            Controller::NewReno(control) => control,
            Controller::Cubic(control) => control,
            Controller::Dctcp(control) => control,
            Controller::Rate(control) => control,
            #[cfg(feature = "fabrics")]
            Controller::Pull(control) => control,
            Controller::Own(control) => control.as_mut(),
        }
    }
}

impl CongestionControl for Controller {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        self.inner_mut().on_ack(window, sample);
    }

    fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes {
        self.inner_mut().on_congestion(window, congestion)
    }

    fn ecn_echo(&self) -> EcnEcho {
        self.inner().ecn_echo()
    }

    fn wants_marks(&self) -> bool {
        self.inner().wants_marks()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.inner().pacing_rate()
    }
}

/// The family of congestion controls. What is built is one flow's; other flows have copies of it.
impl Family for dyn CongestionControl {
    const WHAT: &'static str = "congestion control";
    type Shape = ();
    type Built = Controller;
}
