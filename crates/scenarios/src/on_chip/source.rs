//! Senders that do not react: packets of one size at one rate, for ever or until a burst is sent.
//!
//! A packet arrives when its last byte does. Each sender's first packet comes at a random phase
//! within one packet time, so that senders are not in step and seeds differ.

use forebay_units::{Bytes, Duration, Rate, Time};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A sender and what it still has to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sender {
    /// The queue that its packets go to.
    pub queue: u32,
    /// When it begins.
    pub start: Time,
    /// How fast it sends.
    pub rate: Rate,
    /// Bytes per packet.
    pub packet: u32,
    /// Bytes left to send; none if it never ends.
    pub left: Option<u64>,
}

impl Sender {
    /// The size of its next packet; none if it has sent everything.
    #[must_use]
    pub fn next_size(&self) -> Option<u32> {
        match self.left {
            None => Some(self.packet),
            Some(0) => None,
            Some(left) => Some(left.min(self.packet.into()) as u32),
        }
    }

    /// Time on the sender's link of its next packet; none if it has sent everything.
    #[must_use]
    pub fn next_time(&self) -> Option<Duration> {
        self.next_size().map(|size| self.rate.time_for(Bytes::new(size.into())))
    }

    /// Takes its next packet: the size.
    pub fn send(&mut self) -> Option<u32> {
        let size = self.next_size()?;
        if let Some(left) = &mut self.left {
            *left -= u64::from(size);
        }
        Some(size)
    }
}

/// When each sender's first packet has arrived; none for a sender of nothing.
#[must_use]
pub fn first_arrivals(senders: &[Sender], seed: u64) -> Vec<Option<Time>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let first = |sender: &Sender| {
        let phase = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let whole = sender.next_time()?;
        let phase = Duration::from_ps((whole.as_ps() as f64 * phase) as u64);
        Some(sender.start + whole + phase)
    };
    senders.iter().map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_sent_to_the_last_byte() {
        let mut sender = Sender {
            queue: 0,
            start: Time::ZERO,
            rate: Rate::from_gbps(12),
            packet: 1500,
            left: Some(3100),
        };
        assert_eq!(sender.next_time(), Some(Duration::from_us(1)));
        let sizes: Vec<u32> = std::iter::from_fn(|| sender.send()).collect();
        assert_eq!(sizes, [1500, 1500, 100]);
        assert_eq!((sender.next_size(), sender.next_time()), (None, None));
    }

    #[test]
    fn seeds_move_senders_by_less_than_a_packet() {
        let sender = Sender {
            queue: 0,
            start: Time::ZERO + Duration::from_us(5),
            rate: Rate::from_gbps(12),
            packet: 1500,
            left: None,
        };
        let senders = [sender; 50];
        let (one, two) = (first_arrivals(&senders, 1), first_arrivals(&senders, 2));
        assert_ne!(one, two);
        let from = Time::ZERO + Duration::from_us(6);
        for at in one.into_iter().chain(two).flatten() {
            assert!(at >= from && at < from + Duration::from_us(1));
        }
    }
}
