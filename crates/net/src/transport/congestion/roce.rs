//! The choices of flows without a window of TCP's, which RoCE sends.

use alloc::sync::Arc;

use forebay_parameters::{Choice, ParameterError};
use forebay_units::Bytes;

use super::control::{AckSample, Congestion, CongestionControl, Controller, EcnEcho};
use super::dcqcn::DcqcnConfig;
#[cfg(feature = "fabrics")]
use super::hpcc::HpccConfig;
#[cfg(feature = "fabrics")]
use super::power_tcp::PowerTcpConfig;
#[cfg(feature = "fabrics")]
use super::swift::SwiftConfig;
#[cfg(feature = "fabrics")]
use super::timely::TimelyConfig;
use crate::transport::roce::{Paced, RateConfig};
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
        paced(*config, config.validate())
    })
}

/// The choice `hpcc`.
#[cfg(feature = "fabrics")]
pub(super) fn hpcc() -> Choice<dyn CongestionControl> {
    let about = "RoCE by what switches measure on the fullest link (SIGCOMM 2019)";
    Choice::new("hpcc", about, HpccConfig::default(), |config: &HpccConfig, ()| {
        paced(*config, config.validate())
    })
}

/// The choice `swift`.
#[cfg(feature = "fabrics")]
pub(super) fn swift() -> Choice<dyn CongestionControl> {
    let about = "RoCE by the delay against a target (SIGCOMM 2020)";
    Choice::new("swift", about, SwiftConfig::default(), |config: &SwiftConfig, ()| {
        paced(*config, config.validate())
    })
}

/// The choice `timely`.
#[cfg(feature = "fabrics")]
pub(super) fn timely() -> Choice<dyn CongestionControl> {
    let about = "RoCE at a rate that the gradient of delays moves (SIGCOMM 2015)";
    Choice::new("timely", about, TimelyConfig::default(), |config: &TimelyConfig, ()| {
        paced(*config, config.validate())
    })
}

/// The choice `powertcp`.
#[cfg(feature = "fabrics")]
pub(super) fn power_tcp() -> Choice<dyn CongestionControl> {
    let about = "RoCE by queues times their growth, as switches measure them (NSDI 2022)";
    Choice::new("powertcp", about, PowerTcpConfig::default(), |config: &PowerTcpConfig, ()| {
        paced(*config, config.validate())
    })
}

fn paced<C: RateConfig + 'static>(
    config: C,
    checked: Result<(), ParameterError>,
) -> Result<Controller, ParameterError> {
    checked.map(|()| Controller::Rate(Paced(Arc::new(config))))
}
