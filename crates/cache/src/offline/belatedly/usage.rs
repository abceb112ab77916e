//! How many objects hold a slot at each row: a segment tree with the largest of any range.
//!
//! O(log r) a change or a question, for r rows; 16 bytes a row.

/// Counts by row.
#[derive(Debug)]
pub(super) struct Usage {
    leaves: usize,
    /// What is added to all rows below each node, and the largest count below it, that included.
    added: Vec<i32>,
    most: Vec<i32>,
}

impl Usage {
    /// Nobody holds anything, over `rows` rows.
    pub(super) fn new(rows: usize) -> Self {
        let leaves = rows.next_power_of_two().max(1);
        Usage { leaves, added: vec![0; 2 * leaves], most: vec![0; 2 * leaves] }
    }

    /// Adds `change` at the rows from `first` up to `end`.
    pub(super) fn add(&mut self, first: u32, end: u32, change: i32) {
        let (mut left, mut right) = (first as usize + self.leaves, end as usize + self.leaves);
        let (mut low, mut high) = (left, right);
        while left < right {
            if left & 1 == 1 {
                self.put(left, change);
                left += 1;
            }
            if right & 1 == 1 {
                right -= 1;
                self.put(right, change);
            }
            (left, right) = (left / 2, right / 2);
        }
        if first < end {
            high -= 1;
            while low > 1 {
                (low, high) = (low / 2, high / 2);
                for node in [low, high] {
                    let below = self.most[2 * node].max(self.most[2 * node + 1]);
                    self.most[node] = below + self.added[node];
                }
            }
        }
    }

    fn put(&mut self, node: usize, change: i32) {
        self.added[node] += change;
        self.most[node] += change;
    }

    /// The most at any row from `first` up to `end`; 0 if there is none.
    pub(super) fn most(&self, first: u32, end: u32) -> i32 {
        if first >= end {
            return 0;
        }
        // The largest below each edge of the range, with what is added on the way up.
        let (mut left, mut right) = (first as usize + self.leaves, end as usize - 1 + self.leaves);
        let (mut from_left, mut from_right) = (self.most[left], self.most[right]);
        while left / 2 != right / 2 {
            if left & 1 == 0 {
                from_left = from_left.max(self.most[left + 1]);
            }
            if right & 1 == 1 {
                from_right = from_right.max(self.most[right - 1]);
            }
            (left, right) = (left / 2, right / 2);
            from_left += self.added[left];
            from_right += self.added[right];
        }
        let mut most = from_left.max(from_right);
        // Above, both edges are the same.
        let mut node = left / 2;
        while node >= 1 {
            most += self.added[node];
            node /= 2;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_are_those_of_a_vector(
            rows in 1_usize..40,
            steps in prop::collection::vec((0_u32..40, 0_u32..40, -3_i32..4), 0..60),
        ) {
            let (mut usage, mut vector) = (Usage::new(rows), vec![0_i32; rows]);
            for (a, b, change) in steps {
                let (first, end) = (a.min(b).min(rows as u32), a.max(b).min(rows as u32));
                usage.add(first, end, change);
                for count in &mut vector[first as usize..end as usize] {
                    *count += change;
                }
                for (first, end) in [(0, rows as u32), (first, end), (first / 2, end)] {
                    let most = vector[first as usize..end as usize].iter().max().copied();
                    prop_assert_eq!(usage.most(first, end), most.unwrap_or(0));
                }
            }
        }
    }
}
