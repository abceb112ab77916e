//! How the TCP stack of a host is set: its routes to the others, and what holds for all of it.

use std::fs;
use std::io;

use forebay_units::Duration;

use super::TcpSettings;
use crate::fabric::HostAddresses;
use crate::live::lab::INTERFACE;
use crate::live::namespace::Namespace;
use crate::live::netlink::{Netlink, TcpRoute};

/// The names of the congestion controls that this kernel has; none where it does not say.
#[must_use]
pub fn controls() -> Vec<String> {
    let file = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let names = fs::read_to_string(file).unwrap_or_default();
    names.split_whitespace().map(str::to_owned).collect()
}

pub(super) fn all(hosts: &[(HostAddresses, Namespace)], settings: &TcpSettings) -> io::Result<()> {
    hosts.iter().enumerate().try_for_each(|(number, (own, space))| {
        space.within(|| {
            stack(settings)?;
            let mut netlink = Netlink::open()?;
            let index = netlink.index(INTERFACE)?;
            let others = hosts.iter().enumerate().filter(|(other, _)| *other != number);
            for (_, (other, _)) in others {
                netlink.add_tcp_route(
                    index,
                    &TcpRoute {
                        to: other.v4.0,
                        gateway: own.gateway.map(|gateway| gateway.v4),
                        initial_window: settings.initial_window,
                        min_rto_ms: milliseconds(settings.min_rto),
                    },
                )?;
            }
            Ok(())
        })
    })
}

/// The kernel counts timers in milliseconds.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_ps().div_ceil(1_000_000_000)).unwrap_or(u32::MAX).max(1)
}

/// What a kernel does not have, it does not need to be told.
fn stack(settings: &TcpSettings) -> io::Result<()> {
    let set = |name: &str, value: &str| fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
    // No connection learns from those before it.
    let _ = set("tcp_no_metrics_save", "1");
    // Connections wait between being made and being used.
    let _ = set("tcp_slow_start_after_idle", "0");
    if !settings.loss_by_time {
        set("tcp_early_retrans", "0")?;
        set("tcp_recovery", "0")?;
    }
    set("tcp_sack", if settings.sack { "1" } else { "0" })
}
