//! Completion times on an empty network.
//!
//! O(links of the path).

use forebay_units::Duration;

/// One link of a path: the time of a full packet, the time of the flow's last packet, and the
/// delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathLink {
    pub(crate) full: Duration,
    pub(crate) last: Duration,
    pub(crate) delay: Duration,
}

/// When the last of `packets` packets arrives that are sent back to back from time 0 over empty
/// links; all but the last are full.
pub(crate) fn ideal(packets: u64, path: &[PathLink]) -> Duration {
    // Since all full packets are alike, the m-th one leaves a link m - 1 times the slowest link so
    // far after the first one does. Only the last packet can be faster than its predecessors.
    let full = packets.saturating_sub(1);
    let (mut first, mut slowest, mut last) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for link in path {
        first += link.full;
        slowest = slowest.max(link.full);
        let before = if full == 0 { Duration::ZERO } else { first + slowest * (full - 1) };
        last = last.max(before) + link.last + link.delay;
        first += link.delay;
    }
    last
}

/// When the first packet can begin on the last link of a path over empty links; `alone` if it is
/// also the flow's last packet.
pub(crate) fn reach(path: &[PathLink], alone: bool) -> Duration {
    let before = path.split_last().map_or(&path[..0], |(_, before)| before);
    before.iter().map(|link| if alone { link.last } else { link.full } + link.delay).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        /// Compared with a simulation of every packet at every link.
        #[test]
        fn the_ideal_is_that_of_every_packet(
            packets in 1u64..40,
            links in proptest::collection::vec((1u64..100, 1u64..100, 0u64..100), 1..6),
        ) {
            let path: Vec<_> = links
                .iter()
                .map(|&(full, last, delay)| PathLink {
                    full: Duration::from_ps(full),
                    last: Duration::from_ps(last.min(full)),
                    delay: Duration::from_ps(delay),
                })
                .collect();
            let mut free = alloc::vec![0; path.len()];
            let mut arrival = 0;
            for packet in 1..=packets {
                arrival = 0;
                for (link, free) in path.iter().zip(&mut free) {
                    let time = if packet == packets { link.last } else { link.full };
                    *free = arrival.max(*free) + time.as_ps();
                    arrival = *free + link.delay.as_ps();
                }
            }
            prop_assert_eq!(ideal(packets, &path).as_ps(), arrival);
        }
    }
}
