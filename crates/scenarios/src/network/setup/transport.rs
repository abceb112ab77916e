//! How hosts send, from the parameters.

use forebay_net::network::Transport;
use forebay_net::transport::{
    CongestionControl, DelayedAck, ReceiverConfig, RtoConfig, SenderConfig,
};
use forebay_parameters::{Choice, ParameterError};
use forebay_units::Duration;

use super::blame;
use crate::network::params::HostConfig;

/// How long a delayed acknowledgement waits at most (Linux's shortest is 40 ms; a data centre's is less).
const DELAYED_ACK: Duration = Duration::from_us(40);

pub(super) fn transport(
    config: &HostConfig,
    round_trip: Duration,
    control: &Choice<dyn CongestionControl>,
    initial_window: u32,
) -> Result<Transport, ParameterError> {
    let default = SenderConfig::default();
    let sender = SenderConfig {
        receive_window: config.receive_window.unwrap_or(default.receive_window),
        mss: config.mss,
        initial_window,
        rto: RtoConfig {
            min: config.min_rto,
            granularity: config.rto_granularity.unwrap_or(default.rto.granularity),
            ..default.rto
        },
        handshake_rtt: config.known_rtt.then_some(round_trip),
        sack: config.sack,
        ..default
    };
    let mut transport =
        Transport::window(sender, control).map_err(|error| blame::transport(&error))?;
    if config.delayed_ack
        && let Transport::Window { receiver, .. } = &mut transport
    {
        let delayed_ack = Some(DelayedAck { timer: DELAYED_ACK, every: 2 });
        *receiver = ReceiverConfig { delayed_ack, ..(**receiver).clone() }.into();
    }
    Ok(transport)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timer_has_the_finest_clock_unless_told_otherwise() {
        let granularity = |given| {
            let mut config = HostConfig::default();
            config.rto_granularity = given;
            match transport(&config, Duration::from_us(80), &config.control, 20) {
                Ok(Transport::Window { sender, .. }) => sender.rto.granularity,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(granularity(None), RtoConfig::default().granularity);
        assert_eq!(granularity(Some(Duration::from_ms(1))), Duration::from_ms(1));
    }
}
