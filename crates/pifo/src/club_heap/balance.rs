//! Which child has the fewest elements: the difference field.
//!
//! Source: clubheap §4.2 (3). For two ways it is the paper's one signed number, the elements of the
//! left subtree less those of the right. For `W` ways, which the paper leaves open, it is the same
//! number for each child but the first, `d[i] = count(0) - count(i + 1)`: that is all a choice
//! among `W` counts needs, and one field less than the counts. The fewest are where `d` is largest;
//! ties go left.
//!
//! Complexity: O(W). Memory: `W - 1` numbers per node; 32 bits hold any difference of 2^26
//! elements.

/// The child with the fewest elements; the leftmost of several.
#[inline]
pub(super) fn fewest(differences: &[i32]) -> usize {
    let (mut child, mut most) = (0, 0);
    for (right, &difference) in differences.iter().enumerate() {
        if difference > most {
            (child, most) = (right + 1, difference);
        }
    }
    child
}

/// Notes one element more under `child`.
#[inline]
pub(super) fn gained(differences: &mut [i32], child: usize) {
    shift(differences, child, 1);
}

/// Notes one element less under `child`.
#[inline]
pub(super) fn lost(differences: &mut [i32], child: usize) {
    shift(differences, child, -1);
}

#[inline]
fn shift(differences: &mut [i32], child: usize, by: i32) {
    match child.checked_sub(1) {
        None => differences.iter_mut().for_each(|difference| *difference += by),
        Some(right) => differences[right] -= by,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_choice_is_that_of_whole_counts(
            ways in 2usize..=16,
            moves in prop::collection::vec((0usize..16, any::<bool>()), 1..200),
        ) {
            let (mut counts, mut differences) = (vec![0i32; ways], vec![0; ways - 1]);
            for (child, gain) in moves {
                let child = child % ways;
                if gain {
                    gained(&mut differences, child);
                    counts[child] += 1;
                } else {
                    lost(&mut differences, child);
                    counts[child] -= 1;
                }
                let expected = (0..ways).min_by_key(|&child| counts[child]).unwrap();
                prop_assert_eq!(fewest(&differences), expected);
            }
        }
    }
}
