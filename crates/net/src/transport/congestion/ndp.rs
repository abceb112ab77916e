//! The choice of flows that their receivers pull.

#[cfg(feature = "fabrics")]
use forebay_parameters::Choice;
use forebay_units::Bytes;

#[cfg(feature = "fabrics")]
use super::control::Controller;
use super::control::{AckSample, Congestion, CongestionControl, EcnEcho};
use crate::transport::pull::PullConfig;
use crate::transport::window::Window;

/// Its flows are sent by [`PullSender`](crate::transport::PullSender), which is told what it may
/// send.
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
pub(super) fn choice() -> Choice<dyn CongestionControl> {
    let about = "the receiver pulls packet by packet, over switches that trim (SIGCOMM 2017)";
    Choice::new("ndp", about, PullConfig::default(), |config: &PullConfig, ()| {
        config.validate().map(|()| Controller::Pull(*config))
    })
}
