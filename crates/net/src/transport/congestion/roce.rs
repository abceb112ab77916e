//! The choices of flows without a window of TCP's, which RoCE sends.

use alloc::sync::Arc;

use forebay_parameters::Choice;
use forebay_units::Bytes;

use super::control::{AckSample, Congestion, CongestionControl, Controller, EcnEcho};
use super::dcqcn::DcqcnConfig;
use crate::transport::roce::Paced;
use crate::transport::window::Window;

/// Its flows are sent by [`RoceSender`](crate::transport::RoceSender), which asks for a rate.
impl CongestionControl for Paced {
    fn on_ack(&mut self, _: &mut Window, _: &AckSample<'_>) {}

    fn on_congestion(&mut self, window: &Window, _: &Congestion) -> Bytes {
        window.cwnd
    }

    fn ecn_echo(&self) -> EcnEcho {
        if self.0.notify_every().is_some() { EcnEcho::Exact } else { EcnEcho::Off }
    }
}

/// The choice `dcqcn`.
pub(super) fn dcqcn() -> Choice<dyn CongestionControl> {
    let about = "RoCE at a rate that notifications of marks reduce (SIGCOMM 2015)";
    Choice::new("dcqcn", about, DcqcnConfig::default(), |config: &DcqcnConfig, ()| {
        config.validate().map(|()| Controller::Rate(Paced(Arc::new(*config))))
    })
}
