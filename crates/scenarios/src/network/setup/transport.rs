//! How hosts send, from the parameters.

use forebay_lab::{ConfigError, Resolved};
use forebay_net::network::Transport;
use forebay_net::transport::{
    ControllerConfig, DelayedAck, ReceiverConfig, RtoConfig, SenderConfig,
};
use forebay_units::{Bytes, Duration};

use super::blame;

/// How long a delayed acknowledgement waits at most (Linux's shortest is 40 ms; a data centre's is less).
const DELAYED_ACK: Duration = Duration::from_us(40);

pub(super) fn transport(
    params: &Resolved,
    round_trip: Duration,
    control: &str,
) -> Result<Transport, ConfigError> {
    let min = params.duration("min_rto")?;
    let receive_window = match params.bytes("receive_window")? {
        Bytes::ZERO => SenderConfig::default().receive_window,
        given => given,
    };
    let sender = SenderConfig {
        receive_window,
        mss: params.bytes("mss")?,
        initial_window: params.count("initial_window")? as u32,
        rto: RtoConfig { min, ..RtoConfig::default() },
        handshake_rtt: params.bool("known_rtt")?.then_some(round_trip),
        sack: params.bool("sack")?,
        ecn: control == "dctcp",
        ..SenderConfig::default()
    };
    let control = ControllerConfig::named(control)
        .map_err(|error| params.blame("transport.control", error.to_string()))?;
    let mut transport =
        Transport::window(sender, control).map_err(|error| blame::transport(params, &error))?;
    if params.bool("delayed_ack")?
        && let Transport::Window { receiver, .. } = &mut transport
    {
        let delayed_ack = Some(DelayedAck { timer: DELAYED_ACK, every: 2 });
        *receiver = ReceiverConfig { delayed_ack, ..(**receiver).clone() }.into();
    }
    Ok(transport)
}
