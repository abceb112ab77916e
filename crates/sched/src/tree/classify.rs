//! Which leaf takes a packet: the first rule, in the order of the configuration, that it matches.
//!
//! Source: ours; the papers leave classification to the pipeline before the scheduler. Structure:
//! for each of the three fields, its values cut where any rule's range begins or ends, and for each
//! piece the set of rules that accept it as bits. A packet matches the rules in all of its three
//! sets.
//!
//! Complexity: three binary searches over at most 2r + 1 pieces, and r / 64 words.
//! Memory: r bits for each piece, 0.2 MB for 512 rules.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::config::Rule;
use crate::Packet;

/// The rules that each value of one field is accepted by.
#[derive(Clone, Debug)]
struct Field {
    /// Where each piece begins; the first at 0.
    begins: Vec<u32>,
    /// The set of each piece, one after the other.
    sets: Vec<u64>,
}

impl Field {
    /// From the range of each rule; `None` accepts all.
    fn new(ranges: &[Option<RangeInclusive<u32>>]) -> Self {
        let words = ranges.len().div_ceil(64);
        let mut begins = vec![0];
        for range in ranges.iter().flatten() {
            begins.push(*range.start());
            begins.extend(range.end().checked_add(1));
        }
        begins.sort_unstable();
        begins.dedup();
        let mut sets = vec![0; begins.len() * words];
        for (piece, begin) in begins.iter().enumerate() {
            for (rule, range) in ranges.iter().enumerate() {
                if range.as_ref().is_none_or(|range| range.contains(begin)) {
                    sets[piece * words + rule / 64] |= 1 << (rule % 64);
                }
            }
        }
        Field { begins, sets }
    }

    /// The set of the rules that accept `value`.
    #[inline]
    fn set(&self, value: u32, words: usize) -> &[u64] {
        let piece = self.begins.partition_point(|begin| *begin <= value).saturating_sub(1);
        &self.sets[piece * words..(piece + 1) * words]
    }
}

/// The rules of a tree, compiled.
#[derive(Clone, Debug)]
pub(super) struct Classifier {
    flow: Field,
    class: Field,
    input: Field,
    /// The leaf of each rule.
    leaf: Vec<u32>,
}

impl Classifier {
    /// From rules in order, each with its leaf.
    pub(super) fn new<'a>(rules: impl Iterator<Item = (&'a Rule, u32)>) -> Self {
        let (rules, leaf): (Vec<&Rule>, Vec<u32>) = rules.unzip();
        fn wide<T: Copy + Into<u32>>(range: &RangeInclusive<T>) -> RangeInclusive<u32> {
            (*range.start()).into()..=(*range.end()).into()
        }
        let flows: Vec<_> = rules.iter().map(|rule| rule.flow.clone()).collect();
        let classes: Vec<_> = rules.iter().map(|rule| rule.class.as_ref().map(wide)).collect();
        let inputs: Vec<_> = rules.iter().map(|rule| rule.input.as_ref().map(wide)).collect();
        Classifier {
            flow: Field::new(&flows),
            class: Field::new(&classes),
            input: Field::new(&inputs),
            leaf,
        }
    }

    /// The leaf that takes `packet`, if any does.
    #[inline]
    pub(super) fn leaf(&self, packet: &Packet) -> Option<u32> {
        let words = self.leaf.len().div_ceil(64);
        let sets = self
            .flow
            .set(packet.flow, words)
            .iter()
            .zip(self.class.set(packet.class.into(), words))
            .zip(self.input.set(packet.input.into(), words));
        for (word, ((flow, class), input)) in sets.enumerate() {
            let matching = flow & class & input;
            if matching != 0 {
                return self.leaf.get(word * 64 + matching.trailing_zeros() as usize).copied();
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range<T: Copy + Ord>(ends: Option<(T, T)>) -> Option<RangeInclusive<T>> {
        ends.map(|(a, b)| a.min(b)..=a.max(b))
    }

    proptest! {
        #[test]
        fn the_first_rule_that_matches_wins(
            rules in prop::collection::vec(
                (
                    prop::option::of((any::<u32>(), 0u32..9)),
                    prop::option::of((any::<u8>(), 0u8..9)),
                    prop::option::of((any::<u16>(), any::<u16>())),
                ),
                0..150,
            ),
            packets in prop::collection::vec((0u32..12, 0u8..12, any::<u16>()), 1..50),
        ) {
            let rules: Vec<Rule> = rules
                .into_iter()
                .map(|(flow, class, input)| Rule {
                    flow: range(flow),
                    class: range(class),
                    input: range(input),
                })
                .collect();
            let classifier = Classifier::new(rules.iter().zip(100..));
            let extremes = [(0, 0, 0), (u32::MAX, u8::MAX, u16::MAX)];
            for (flow, class, input) in packets.into_iter().chain(extremes) {
                let packet = Packet { flow, class, input, ..Packet::default() };
                let expected = rules.iter().position(|rule| rule.matches(&packet));
                let expected = expected.map(|rule| rule as u32 + 100);
                prop_assert_eq!(classifier.leaf(&packet), expected);
            }
        }
    }
}
