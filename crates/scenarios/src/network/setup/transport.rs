//! How hosts send, from the parameters.

use forebay_net::network::{HostConfig, Transport};
use forebay_net::transport::{CongestionControl, SenderConfig};
use forebay_parameters::{Choice, ParameterError};
use forebay_units::Duration;

use super::blame;
use crate::network::params::HostPart;

/// How long a delayed acknowledgement waits at most (Linux's shortest is 40 ms; a data centre's is
/// less).
const DELAYED_ACK: Duration = Duration::from_us(40);

pub(super) fn transport(
    config: &HostPart,
    round_trip: Duration,
    control: &Choice<dyn CongestionControl>,
    initial_window: u32,
) -> Result<Transport, ParameterError> {
    let hosts = HostConfig {
        control: control.clone(),
        initial_window,
        delayed_ack: config.delayed_ack.then_some(DELAYED_ACK),
        ..config.sending.clone()
    };
    let handshake_rtt = config.known_rtt.then_some(round_trip);
    let sender = SenderConfig { handshake_rtt, ..hosts.sender() };
    hosts.transport(sender).map_err(|error| blame::transport(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_net::transport::RtoConfig;

    #[test]
    fn the_timer_has_the_finest_clock_unless_told_otherwise() {
        let granularity = |given| {
            let mut config = HostPart::default();
            config.sending.rto_granularity = given;
            let control = &config.sending.control;
            match transport(&config, Duration::from_us(80), control, 20) {
                Ok(Transport::Window { sender, .. }) => sender.rto.granularity,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(granularity(None), RtoConfig::default().granularity);
        assert_eq!(granularity(Some(Duration::from_ms(1))), Duration::from_ms(1));
    }
}
