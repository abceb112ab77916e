//! When packets arrive: a capture repeated at one rate, an attack at another, merged.
//!
//! Source: thesis §3.3.1: innocent packets are evenly spaced, E\[P\] / r_I. So are the adversary's,
//! each sent when their rate has paid for it (§3.3.2). O(1) per packet.

use std::iter::Peekable;

use forebay_surge::model::Class;
use forebay_units::{Bytes, Rate, Time};

use super::Tagged;
use crate::packet::Packet;

/// An item that arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemArrival<T> {
    /// When it arrives.
    pub at: Time,
    /// The size of its packet on the wire, by which its sender pays.
    pub size: Bytes,
    /// What the processor is to work on, with its class.
    pub item: Tagged<T>,
}

/// Items at a rate, each when its bits are paid for.
#[derive(Clone, Debug)]
pub struct Paced<I> {
    items: I,
    class: Class,
    rate: Rate,
    /// Even spacing, if given; otherwise each item takes the time of its own bits.
    mean: Option<Bytes>,
    sent: u128,
}

impl<I> Paced<I> {
    /// Innocent items of this mean size, evenly spaced.
    pub fn innocent(items: I, rate: Rate, mean: Bytes) -> Self {
        Paced { items, class: Class::Innocent, rate, mean: Some(mean), sent: 0 }
    }

    /// Attack items, each after the time that its own bits take at `rate`.
    pub fn attack(items: I, rate: Rate) -> Self {
        Paced { items, class: Class::Attack, rate, mean: None, sent: 0 }
    }
}

impl<T, I: Iterator<Item = (Bytes, T)>> Iterator for Paced<I> {
    type Item = ItemArrival<T>;

    /// Ends with the items, at a rate of zero, and before the sum of bits exceeds what time can
    /// represent.
    fn next(&mut self) -> Option<ItemArrival<T>> {
        let (size, item) = self.items.next()?;
        self.sent += self.mean.unwrap_or(size).bits();
        let ps = self
            .sent
            .checked_mul(1_000_000_000_000)?
            .checked_div(u128::from(self.rate.as_bps()))?;
        let at = Time::from_ps(u64::try_from(ps).ok()?);
        Some(ItemArrival { at, size, item: Tagged { class: self.class, item } })
    }
}

/// An endless list of packets, with other hosts in each repetition ([`Packet::in_pass`]).
#[derive(Clone, Debug)]
pub struct Repeated<'a> {
    packets: &'a [Packet],
    next: usize,
    pass: u32,
}

impl<'a> Repeated<'a> {
    /// An endless repetition of these packets; empty if there are none.
    #[must_use]
    pub fn new(packets: &'a [Packet]) -> Self {
        Repeated { packets, next: 0, pass: 0 }
    }

    /// Their mean size.
    #[must_use]
    pub fn mean_size(&self) -> Bytes {
        let sum: u64 = self.packets.iter().map(|packet| packet.size.get()).sum();
        Bytes::new((sum / (self.packets.len() as u64).max(1)).max(1))
    }
}

impl Iterator for Repeated<'_> {
    /// The place in the list, and the packet.
    type Item = (usize, Packet);

    fn next(&mut self) -> Option<(usize, Packet)> {
        if self.next >= self.packets.len() {
            (self.next, self.pass) = (0, self.pass.wrapping_add(1));
        }
        let place = self.next;
        let packet = self.packets.get(place)?.in_pass(self.pass);
        self.next += 1;
        Some((place, packet))
    }
}

/// Two time-ordered sequences merged; at the same instant the first goes first.
pub fn merged<T, A, B>(first: A, second: B) -> impl Iterator<Item = ItemArrival<T>>
where
    A: Iterator<Item = ItemArrival<T>>,
    B: Iterator<Item = ItemArrival<T>>,
{
    let (mut first, mut second): (Peekable<A>, Peekable<B>) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || match (first.peek(), second.peek()) {
        (Some(one), Some(other)) if other.at < one.at => second.next(),
        (None, _) => second.next(),
        _ => first.next(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_keep_their_rates_and_come_in_order() {
        let sizes = [100u64, 1500, 64, 800];
        let items = || sizes.iter().cycle().map(|size| (Bytes::new(*size), *size));
        let rate = Rate::from_gbps(1);
        let innocent = Paced::innocent(items(), rate, Bytes::new(616));
        let attack = Paced::attack(items(), Rate::from_bps(100_000_000));
        let (mut last, mut bits) = (Time::ZERO, [0u128; 2]);
        for arrival in merged(innocent, attack).take(10_000) {
            assert!(arrival.at >= last);
            last = arrival.at;
            bits[arrival.item.class as usize] += arrival.size.bits();
        }
        let seconds = last.as_ps() as f64 / 1e12;
        assert!((bits[0] as f64 / seconds / 1e9 - 1.0).abs() < 0.01);
        assert!((bits[1] as f64 / seconds / 1e8 - 1.0).abs() < 0.02);
        assert!(Paced::attack(items(), Rate::from_bps(0)).next().is_none());
        assert!(Repeated::new(&[]).next().is_none());
    }
}
