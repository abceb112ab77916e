//! How many queues a switch needs.
//!
//! Source: thesis §4.1.1 and Fig. 4.1 (k^2 + k queues without logical partitions, 2k with),
//! clubheap §2.1 (32.5 times fewer for 64 ports), thesis §4.7.1 (two layers, each wide enough for
//! the packet rate). Complexity: constant.

/// Queues of a k-port switch without logical partitions: one for each pair of ports, and one for
/// each output.
#[must_use]
pub fn without_partitions(ports: u32) -> u64 {
    let ports = u64::from(ports);
    ports * ports + ports
}

/// Queues of a k-port switch with logical partitions: one for each input and one for each output.
#[must_use]
pub fn with_partitions(ports: u32) -> u64 {
    2 * u64::from(ports)
}

/// Packets per second that one queue schedules: a replace each.
///
/// `None` if `cycles_per_replace` is zero.
#[must_use]
pub fn packet_rate(clock_hz: u64, cycles_per_replace: u32) -> Option<u64> {
    clock_hz.checked_div(cycles_per_replace.into())
}

/// Partitioned queues that together keep up with `packets` per second: as many in each of two
/// layers as the rate needs.
///
/// `None` if one queue schedules nothing (a clock slower than a replace).
#[must_use]
pub fn queues_for(packets: u64, clock_hz: u64, cycles_per_replace: u32) -> Option<u128> {
    if packet_rate(clock_hz, cycles_per_replace)? == 0 {
        return None;
    }
    let cycles = u128::from(packets) * u128::from(cycles_per_replace);
    Some(2 * cycles.div_ceil(clock_hz.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_numbers() {
        assert_eq!(without_partitions(4), 20, "thesis Fig. 4.1");
        assert_eq!(with_partitions(4), 8);
        assert_eq!(without_partitions(64) * 10 / with_partitions(64), 325, "clubheap §2.1: 32.5x");
        assert_eq!(without_partitions(32), 32 * 32 + 32, "thesis §4.1.1");
        // Thesis §4.7.1: BBQ at 3.1 GHz, two operations a packet, 8.4 billion packets a second.
        assert_eq!(packet_rate(3_100_000_000, 2), Some(1_550_000_000));
        assert_eq!(queues_for(8_400_000_000, 3_100_000_000, 2), Some(12));
        // Thesis §4.7.2: 302 MHz on an FPGA.
        assert_eq!(packet_rate(302_000_000, 2), Some(151_000_000));
    }

    #[test]
    fn bad_rates_have_no_answer() {
        assert_eq!(queues_for(1, 0, 2), None);
        assert_eq!(queues_for(1, 10, 0), None);
        assert!(queues_for(u64::MAX, 2, 1).is_some() && without_partitions(u32::MAX) > 0);
    }
}
