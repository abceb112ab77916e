//! Congestion control: the size of the window.
//!
//! A controller sees each acknowledgement of new data and may resize the window, and it chooses the
//! new threshold when the sender has detected congestion. *Detecting* congestion, and the
//! retransmissions that follow, belong to the sender and are the same for all. The split follows
//! RFC 5681, §3: growth and the size of the reduction differ between algorithms, recovery does not.
//!
//! [`Controller`] holds any registered algorithm in place, without an allocation or a second cache
//! line per flow. `cargo run --release -p forebay-net --example transport_speed` compares it with a
//! boxed one: times do not differ beyond the noise, so what it saves is the allocation per flow. A
//! new algorithm is one file, and one line in the list below. A sender also accepts any other type
//! that implements [`CongestionControl`].
//!
//! Hooks for algorithms that are not registered: a round-trip sample a acknowledgement for those driven by
//! delay (Swift), which may set a window below one segment; [`CongestionControl::pacing_rate`] for those that
//! set a rate (DCQCN); [`AckSample::telemetry`] for those that read what switches wrote down (HPCC). The
//! network's switches write nothing yet. Nor do they pause an upstream port (PFC, which DCQCN leans on): it
//! would hook in where a port asks for its next packet, as a port of a
//! [`SwitchModel`](forebay_switch::SwitchModel) that stalls until the pause is over, with pause frames sent
//! upstream by the model when a packet arrives.

mod cubic;
mod dctcp;
mod new_reno;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use forebay_units::{Bytes, Duration, Rate, Time};

pub use cubic::{Cubic, CubicConfig};
pub use dctcp::{Dctcp, DctcpConfig};
pub use new_reno::{NewReno, NewRenoConfig};

use super::config::{ConfigError, UnknownController};
use super::window::Window;

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

/// What a port on a flow's path knew when a packet left it: in-band telemetry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortReport {
    /// When the packet left.
    pub at: Time,
    /// Bytes that waited for the port.
    pub queue: Bytes,
    /// Bytes that the port has sent in total.
    pub sent: Bytes,
    /// The rate of its link.
    pub rate: Rate,
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

    fn pacing_rate(&self) -> Option<Rate> {
        (**self).pacing_rate()
    }
}

/// From one line per algorithm: the registry by name, the parameters, and the dispatch.
macro_rules! controllers {
    ($($(#[$doc:meta])* $name:literal => $algorithm:ident($config:ty),)+) => {
        /// Any registered algorithm, running for one flow.
        #[derive(Clone, Debug)]
        pub enum Controller {
            $($(#[$doc])* $algorithm($algorithm),)+
        }

        impl CongestionControl for Controller {
            fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
                match self {
                    $(Controller::$algorithm(control) => control.on_ack(window, sample),)+
                }
            }

            fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes {
                match self {
                    $(Controller::$algorithm(control) => control.on_congestion(window, congestion),)+
                }
            }

            fn ecn_echo(&self) -> EcnEcho {
                match self {
                    $(Controller::$algorithm(control) => control.ecn_echo(),)+
                }
            }

            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Controller::$algorithm(control) => control.pacing_rate(),)+
                }
            }
        }

        /// Any registered algorithm, with its parameters.
        ///
        /// ```
        /// use forebay_net::transport::{CongestionControl, CongestionConfig, EcnEcho};
        ///
        /// let dctcp = CongestionConfig::named("dctcp")?.build()?;
        /// assert_eq!(dctcp.ecn_echo(), EcnEcho::Exact);
        /// assert!(CongestionConfig::named("vegas").is_err());
        /// # Ok::<(), Box<dyn core::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub enum CongestionConfig {
            $($(#[$doc])* $algorithm($config),)+
        }

        impl CongestionConfig {
            /// The names of the registered algorithms.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The algorithm with this name, with default parameters.
            pub fn named(name: &str) -> Result<Self, UnknownController> {
                match name {
                    $($name => Ok(CongestionConfig::$algorithm(<$config>::default())),)+
                    _ => Err(UnknownController(name.to_string())),
                }
            }

            /// Builds the algorithm for one flow; an error if a parameter is out of range.
            pub fn build(&self) -> Result<Controller, ConfigError> {
                match self {
                    $(CongestionConfig::$algorithm(config) => {
                        $algorithm::new(config).map(Controller::$algorithm)
                    })+
                }
            }
        }
    };
}

controllers! {
    /// Additive increase, halved at congestion (RFC 5681, RFC 6582).
    "new-reno" => NewReno(NewRenoConfig),
    /// A cubic of the time since congestion (RFC 9438).
    "cubic" => Cubic(Arc<CubicConfig>),
    /// Reduced by the fraction of marked bytes (RFC 8257).
    "dctcp" => Dctcp(DctcpConfig),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds() {
        for name in CongestionConfig::NAMES {
            let config = CongestionConfig::named(name).unwrap();
            assert!(config.build().is_ok(), "{name}");
        }
        assert_eq!(
            CongestionConfig::named("bbr").unwrap_err().to_string(),
            "\"bbr\" is not a congestion control: choose one of \"new-reno\", \"cubic\", \"dctcp\""
        );
    }
}
