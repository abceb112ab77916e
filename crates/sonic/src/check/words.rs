//! How findings name places, ports and counts.

use super::Seen;

/// `BUFFER_PROFILE|name`.
pub(super) fn profile_path(seen: &Seen<'_>, profile: usize) -> String {
    format!("BUFFER_PROFILE|{}", seen.config.profiles[profile].name)
}

/// "1 queue", "2 queues".
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// "Ethernet0", "Ethernet0 and Ethernet4", "Ethernet0 to Ethernet124 (32 ports)".
#[must_use]
pub fn port_list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [first, .., last] => format!("{first} to {last} ({} ports)", names.len()),
    }
}
