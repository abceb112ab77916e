//! Congestion control: the size of the window.
//!
//! A controller sees each acknowledgement of new data and may resize the window, and it chooses the
//! new threshold when the sender has detected congestion. *Detecting* congestion, and the
//! retransmissions that follow, belong to the sender and are the same for all. The split follows
//! RFC 5681, §3: growth and the size of the reduction differ between algorithms, recovery does not.
//!
//! [`Controller`] holds any built-in algorithm in place, without an allocation or a second cache
//! line per flow. `cargo run --release -p forebay-net --example transport_speed` compares it with a
//! boxed one: times do not differ beyond the noise, so what it saves is the allocation per flow. A
//! new algorithm is one file, and one line in [`congestion_controls`]. A sender also accepts any
//! other type that implements [`CongestionControl`].
//!
//! Some are no windows of TCP's: [`Dcqcn`], [`Hpcc`], [`Swift`], [`Timely`] and [`PowerTcp`] are a
//! [`RateControl`](crate::transport::RateControl) each, and their flows are sent by
//! [`RoceSender`](crate::transport::RoceSender).
//!
//! `ndp` has neither a window nor a rate: its receivers pull packet by packet, and its flows are
//! sent by [`PullSender`](crate::transport::PullSender).
//!
//! Hooks for algorithms that are not registered: a round-trip sample an acknowledgement for those
//! driven by delay, which may set a window below one segment; [`CongestionControl::pacing_rate`]
//! for those that set a rate; [`AckSample::telemetry`] for those that read what switches wrote
//! down, which they do for hosts by RoCE alone.

mod control;
mod cubic;
mod dcqcn;
mod dctcp;
#[cfg(feature = "fabrics")]
mod hpcc;
mod ndp;
mod new_reno;
#[cfg(feature = "fabrics")]
mod power_tcp;
#[cfg(feature = "fabrics")]
mod reports;
mod roce;
#[cfg(feature = "fabrics")]
mod swift;
#[cfg(feature = "fabrics")]
mod timely;

use forebay_parameters::{Choices, Registry};

pub use control::{
    AckSample, Cause, Congestion, CongestionControl, Controller, EcnEcho, OwnControl,
};
pub use cubic::{Cubic, CubicConfig};
pub use dcqcn::{Dcqcn, DcqcnConfig};
pub use dctcp::{Dctcp, DctcpConfig};
#[cfg(feature = "fabrics")]
pub use hpcc::{Hpcc, HpccConfig};
pub use new_reno::{NewReno, NewRenoConfig};
#[cfg(feature = "fabrics")]
pub use power_tcp::{PowerTcp, PowerTcpConfig};
#[cfg(feature = "fabrics")]
pub use swift::{Swift, SwiftConfig};
#[cfg(feature = "fabrics")]
pub use timely::{Timely, TimelyConfig};

/// The built-in congestion controls.
///
/// ```
/// use forebay_net::transport::{
///     AckSample, Congestion, CongestionControl, Controller, EcnEcho, Window, congestion_controls,
/// };
/// use forebay_parameters::{Choice, set};
/// use forebay_units::Bytes;
///
/// let mut dctcp = congestion_controls().named("dctcp")?.clone();
/// set(&mut dctcp, &[("gain_shift", "5")])?;
/// assert_eq!(dctcp.build(&())?.ecn_echo(), EcnEcho::Exact);
///
/// /// One of a caller's own: a window that never changes.
/// #[derive(Clone, Debug)]
/// struct Fixed;
/// impl CongestionControl for Fixed {
///     fn on_ack(&mut self, _: &mut Window, _: &AckSample<'_>) {}
///     fn on_congestion(&mut self, window: &Window, _: &Congestion) -> Bytes { window.cwnd }
/// }
/// let fixed = Choice::new("fixed", "a window that never changes", (), |(), ()| {
///     Ok(Controller::Own(Box::new(Fixed)))
/// });
/// assert!(congestion_controls().with(fixed)?.named("fixed").is_ok());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
pub fn congestion_controls() -> Choices<dyn CongestionControl> {
    Registry::of([
        NewReno::choice(),
        cubic::choice(),
        Dctcp::choice(),
        roce::dcqcn(),
        #[cfg(feature = "fabrics")]
        roce::hpcc(),
        #[cfg(feature = "fabrics")]
        roce::swift(),
        #[cfg(feature = "fabrics")]
        roce::timely(),
        #[cfg(feature = "fabrics")]
        roce::power_tcp(),
        #[cfg(feature = "fabrics")]
        ndp::choice(),
    ])
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn every_name_builds() {
        for choice in congestion_controls() {
            assert!(choice.build(&()).is_ok(), "{choice:?}");
        }
        let error = congestion_controls().named("bbr").unwrap_err().to_string();
        assert!(error.starts_with("there is no congestion control `bbr`; "), "{error}");
    }
}
