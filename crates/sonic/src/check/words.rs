//! How findings name places, ports and counts.

use super::Seen;

/// `BUFFER_PROFILE|name`.
pub(super) fn profile_path(seen: &Seen<'_>, profile: usize) -> String {
    format!("BUFFER_PROFILE|{}", seen.config.profiles[profile].name)
}

/// "1 queue", "1,024 queues".
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(count))
}

/// "48,000 B": exact, as thresholds are.
pub(crate) fn bytes(count: u64) -> String {
    grouped(count) + " B"
}

/// "1,024".
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "priority 3", "priorities 3 and 4", "priorities 0, 3 and 4".
pub(super) fn priorities(all: &[u8]) -> String {
    let texts: Vec<String> = all.iter().map(u8::to_string).collect();
    match &texts[..] {
        [] => String::new(),
        [one] => format!("priority {one}"),
        [rest @ .., last] => format!("priorities {} and {last}", rest.join(", ")),
    }
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
