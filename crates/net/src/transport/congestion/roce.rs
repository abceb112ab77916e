//! The choice `dcqcn`: flows without a window, which RoCE sends at DCQCN's rate.

use alloc::boxed::Box;

use forebay_parameters::Choice;
use forebay_units::Bytes;

use super::control::{AckSample, Congestion, CongestionControl, Controller, EcnEcho};
use super::dcqcn::DcqcnConfig;
use crate::transport::window::Window;

/// Its flows are sent by [`RoceSender`](crate::transport::RoceSender), which asks for a rate.
impl CongestionControl for DcqcnConfig {
    fn on_ack(&mut self, _: &mut Window, _: &AckSample<'_>) {}

    fn on_congestion(&mut self, window: &Window, _: &Congestion) -> Bytes {
        window.cwnd
    }

    fn ecn_echo(&self) -> EcnEcho {
        EcnEcho::Exact
    }
}

/// The choice `dcqcn`.
pub(super) fn choice() -> Choice<dyn CongestionControl> {
    let about = "RoCE: go-back-N at a rate that notifications of marks reduce (SIGCOMM 2015)";
    Choice::new("dcqcn", about, DcqcnConfig::default(), |config: &DcqcnConfig, ()| {
        config.validate().map(|()| Controller::Dcqcn(Box::new(*config)))
    })
}
