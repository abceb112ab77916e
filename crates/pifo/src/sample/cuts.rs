//! Where to divide a slot: splitters from a sorted sample, in the manner of samplesort.
//!
//! Complexity: O(parts).

use alloc::vec::Vec;

use super::slots::{Cut, Kind};

/// Where to divide elements of which `sample` is a sorted sample, for about `parts` equal parts:
/// ascending, at most `2 * parts - 2`. A rank that fills a part, or begins the sample, gets a slot
/// to itself: so every division of two elements or more separates some, or finds that they are
/// equal.
pub(super) fn cuts<R: Copy + Ord>(sample: &[R], parts: usize) -> Vec<Cut<R>> {
    let mut cuts: Vec<Cut<R>> = Vec::with_capacity(2 * parts);
    let mut last = sample.first().copied();
    let mut heavy = false;
    for part in 1..parts {
        let Some(&splitter) = sample.get(part * sample.len() / parts) else { continue };
        if Some(splitter) != last {
            cuts.push(Cut { splitter, kind: Kind::Range });
            heavy = false;
        } else if !heavy {
            if cuts.last().is_some_and(|cut| cut.splitter == splitter) {
                cuts.pop();
            }
            cuts.push(Cut { splitter, kind: Kind::Equal });
            cuts.push(Cut { splitter, kind: Kind::After });
            heavy = true;
        }
        last = Some(splitter);
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cuts_ascend_are_few_and_separate(
            mut sample in prop::collection::vec(0u8..12, 1..60), parts in 2usize..20,
        ) {
            sample.sort_unstable();
            let cuts = cuts(&sample, parts);
            prop_assert!(!cuts.is_empty() && cuts.len() <= 2 * parts - 2);
            for pair in cuts.windows(2) {
                let isolated = (pair[0].kind, pair[1].kind) == (Kind::Equal, Kind::After);
                prop_assert_eq!(pair[0].splitter == pair[1].splitter, isolated);
                prop_assert!(pair[0].splitter <= pair[1].splitter);
            }
            for (at, cut) in cuts.iter().enumerate() {
                prop_assert_eq!(cut.kind == Kind::After, at > 0 && cuts[at - 1].kind == Kind::Equal);
                prop_assert!(cut.kind != Kind::Range || cut.splitter > sample[0]);
            }
        }
    }
}
