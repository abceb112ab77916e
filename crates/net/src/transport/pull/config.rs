//! The parameters of flows that their receivers pull.

#[cfg(feature = "fabrics")]
use forebay_parameters::Choice;
use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::{Bytes, Duration};

use crate::transport::config::{ConfigError, check_mss};
#[cfg(feature = "fabrics")]
use crate::transport::congestion::Controller;
use crate::transport::congestion::{AckSample, Congestion, CongestionControl, EcnEcho};
use crate::transport::window::Window;

/// NDP's own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct PullConfig {
    /// Packets that a flow sends at once, before its receiver has pulled any: what a path holds for
    /// a round trip, and more.
    #[parameter(source = CITED, range = 1..=1_000_000, default = 30)]
    pub first_window: u32,
    /// How long a sender hears nothing until it sends again what is not answered, twice as long
    /// after each timeout in a row: only what was lost without a trace needs it.
    #[parameter(source = CITED, default = Duration::from_ms(1))]
    pub timeout: Duration,
}

// The paper's text was not at hand.
const CITED: Source = Source::assumed("what others cite of ndp; not compared with its own text");

impl PullConfig {
    /// That its timer is one.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })?;
        if self.timeout < Duration::from_ns(1) {
            let problem = "a timer of less than 1 ns never ends: give more";
            return Err(PullConfig::TIMEOUT.refuse(problem));
        }
        Ok(())
    }
}

/// Its flows are sent by [`PullSender`](super::PullSender), which is told what it may send.
impl CongestionControl for PullConfig {
    fn on_ack(&mut self, _: &mut Window, _: &AckSample<'_>) {}

    fn on_congestion(&mut self, window: &Window, _: &Congestion) -> Bytes {
        window.cwnd
    }

    fn ecn_echo(&self) -> EcnEcho {
        EcnEcho::Off
    }
}

/// The choice `ndp`.
#[cfg(feature = "fabrics")]
pub(in crate::transport) fn choice() -> Choice<dyn CongestionControl> {
    let about = "the receiver pulls packet by packet, over switches that trim (SIGCOMM 2017)";
    Choice::new("ndp", about, PullConfig::default(), |config: &PullConfig, ()| {
        config.validate().map(|()| Controller::Pull(*config))
    })
}

/// How flows are sent that their receivers pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PullTransport {
    /// Payload of a full packet.
    pub mtu: Bytes,
    /// NDP's own parameters.
    pub config: PullConfig,
}

impl PullTransport {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        check_mss(self.mtu)?;
        Ok(self.config.validate()?)
    }
}
