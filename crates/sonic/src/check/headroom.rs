//! Mistakes with headroom: none, not reserved, too short for the cable, xon on the wrong side.
//!
//! The cable check is a lower bound, so it raises no false alarm: what is on the wire for one round
//! trip (5 ns per metre of fibre) plus one packet that each end has begun. The pause's processing
//! time comes on top (IEEE 802.1Qbb allows for it) and differs between switches.

use forebay_buffer::Reaction;
use forebay_units::{Bytes, Duration, Rate};

use super::words::{bytes, profile_path};
use super::{Check, Report, Seen, Severity, port_list};
use crate::config::{Headroom, Kind, Port};

/// The largest packet if the file does not say: SONiC's default MTU.
const MTU: Bytes = Bytes::new(9100);

/// The fixed headroom of a profile: xoff, xon, xon_offset.
fn fixed(seen: &Seen<'_>, profile: usize) -> Option<(u64, u64)> {
    match seen.config.profiles[profile].headroom {
        Headroom::Fixed { xoff, xon, .. } => Some((xoff.get(), xon.get())),
        Headroom::None | Headroom::Computed => None,
    }
}

/// The ports at which a profile's priority groups meet a condition, in order.
fn ports_where<'a>(
    seen: &Seen<'a>,
    profile: usize,
    holds: impl Fn(&Port, u8) -> bool,
) -> Vec<&'a str> {
    let config = seen.config;
    let from = config.members.partition_point(|member| member.profile < profile);
    let of_profile = config.members[from..].iter().take_while(|member| member.profile == profile);
    let groups = of_profile.filter(|member| member.kind == Kind::PriorityGroup);
    let matching = groups.filter(|member| holds(&config.ports[member.port], member.index));
    let mut names: Vec<&str> = matching.map(|m| config.ports[m.port].name.as_str()).collect();
    names.dedup();
    names
}

/// Whether flow control is on for a priority of a port.
pub(super) fn flow_controlled(port: &Port, priority: u8) -> bool {
    priority < 8 && port.pfc.is_some_and(|mask| mask & (1 << priority) != 0)
}

/// Flow control without headroom.
pub(super) const ZERO: Check = Check {
    name: "no-headroom",
    about: "flow control is on, but xoff is 0, so that packets are lost while the pause travels",
    severity: Severity::Warning,
    run: zero,
};

fn zero(seen: &Seen<'_>, report: &mut Report<'_>) {
    for profile in 0..seen.config.profiles.len() {
        if fixed(seen, profile).is_none_or(|(xoff, _)| xoff > 0) {
            continue;
        }
        let ports = ports_where(seen, profile, flow_controlled);
        if !ports.is_empty() {
            let message = format!(
                "flow control is on at {}, but there is no headroom: packets that are on the wire \
                 when a pause is sent are lost; give xoff for speed and cable",
                port_list(&ports)
            );
            report(format!("{}.xoff", profile_path(seen, profile)), message);
        }
    }
}

/// Headroom that nothing reserves.
pub(super) const NOT_RESERVED: Check = Check {
    name: "headroom-not-reserved",
    about: "xoff exceeds `size` although the pool has no shared headroom",
    severity: Severity::Warning,
    run: not_reserved,
};

fn not_reserved(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let Some((xoff, _)) = fixed(seen, index) else { continue };
        let pool = &seen.config.pools[profile.pool];
        let (room, whose, field) = if pool.shared_headroom.get() > 0 {
            (pool.shared_headroom.get(), "the pool's shared headroom (its xoff)", "raise that")
        } else {
            (
                profile.reserved.get(),
                "the reserved `size`",
                "set `size` to xon + xoff, or give the pool an xoff",
            )
        };
        if xoff > room {
            let (xoff, room) = (bytes(xoff), bytes(room));
            let message =
                format!("{xoff} of headroom do not fit into the {room} of {whose}: {field}");
            report(format!("{}.xoff", profile_path(seen, index)), message);
        }
    }
}

/// Headroom smaller than what is on the cable.
pub(super) const SHORT_FOR_CABLE: Check = Check {
    name: "headroom-below-cable",
    about: "xoff is less than what is on the wire during a round trip of the cable",
    severity: Severity::Warning,
    run: short_for_cable,
};

fn short_for_cable(seen: &Seen<'_>, report: &mut Report<'_>) {
    let mtu = seen.config.mtu.unwrap_or(MTU);
    for profile in 0..seen.config.profiles.len() {
        let Some((xoff, _)) = fixed(seen, profile).filter(|(xoff, _)| *xoff > 0) else {
            continue;
        };
        let need = |port: &Port| match (port.speed, port.cable_metres) {
            (Some(speed), Some(metres)) => in_flight(speed, metres, mtu),
            _ => 0,
        };
        let ports = ports_where(seen, profile, |port, _| need(port) > xoff);
        let worst = seen.config.ports.iter().filter(|port| ports.contains(&port.name.as_str()));
        if let Some(most) = worst.map(need).max() {
            let message = format!(
                "{} is less than the {} that can be under way at {} during a round trip, with a {} \
                 packet begun at each end: raise xoff, or correct CABLE_LENGTH",
                bytes(xoff),
                bytes(most),
                port_list(&ports),
                bytes(mtu.get())
            );
            report(format!("{}.xoff", profile_path(seen, profile)), message);
        }
    }
}

/// The bytes that arrive after a pause was decided, at least.
fn in_flight(speed: Rate, metres: u32, mtu: Bytes) -> u64 {
    let reaction = Reaction {
        rate: speed,
        delay: Reaction::cable(metres),
        largest_packet: mtu,
        frame: Bytes::ZERO,
        response: Duration::ZERO,
    };
    reaction.in_flight().get()
}

/// A pause that ends above the use at which it may begin.
pub(super) const LATE_RESUME: Check = Check {
    name: "xon-above-pause",
    about: "xon exceeds size - xoff, the use at which a pause begins when nothing is left to share",
    severity: Severity::Warning,
    run: late_resume,
};

fn late_resume(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let Some((xoff, xon)) = fixed(seen, index) else { continue };
        let own = seen.config.pools[profile.pool].shared_headroom.get() == 0;
        let begins = profile.reserved.get().saturating_sub(if own { xoff } else { 0 });
        if xon > begins && xoff <= profile.reserved.get() {
            let message = format!(
                "with the pool full a pause begins at {0} and would end at once, below {1}: lower \
                 xon to {0} or less",
                bytes(begins),
                bytes(xon)
            );
            report(format!("{}.xon", profile_path(seen, index)), message);
        }
    }
}

/// xon and xoff swapped.
pub(super) const SWAPPED: Check = Check {
    name: "xon-not-below-xoff",
    about: "xon is xoff or more: usual for slow ports with short cables, else the two are swapped",
    severity: Severity::Note,
    run: swapped,
};

fn swapped(seen: &Seen<'_>, report: &mut Report<'_>) {
    for index in 0..seen.config.profiles.len() {
        let Some((xoff, xon)) = fixed(seen, index).filter(|(xoff, xon)| *xoff > 0 && xon >= xoff)
        else {
            continue;
        };
        let message = format!(
            "xon ({} in use) is not below xoff ({} of headroom): check that they are not swapped",
            bytes(xon),
            bytes(xoff)
        );
        report(format!("{}.xon", profile_path(seen, index)), message);
    }
}
