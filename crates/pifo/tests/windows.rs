//! What rolling windows do at their edges: the named policies, and when the halves change places.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use forebay_pifo::{
    Below, Beyond, CircularWindow, DoubleEnded, RankedQueue, Reason, RollingWindow, WindowPolicy,
};

const STRICT: WindowPolicy = WindowPolicy { below: Below::Reject, beyond: Beyond::Reject };
const CLAMP: WindowPolicy = WindowPolicy { below: Below::FirstBucket, beyond: Beyond::LastBucket };

#[test]
fn halves_change_places_when_the_primary_is_empty() {
    let mut queue = RollingWindow::<u32>::new(8, 100, STRICT).unwrap();
    queue.push(3, 0).unwrap();
    queue.push(15, 1).unwrap();
    assert_eq!(queue.push(16, 2).unwrap_err().reason, Reason::BeyondWindow { last: 15 });
    assert_eq!(queue.pop_min(), Some((3, 0)));
    // Empty, but not yet given up: an arrival behind the last served still finds its place.
    queue.push(4, 3).unwrap();
    assert_eq!(queue.pop_min(), Some((4, 3)));
    // An arrival beyond the window takes the empty half.
    queue.push(16, 4).unwrap();
    assert_eq!(queue.window(), (8, 23));
    assert_eq!(queue.push(7, 5).unwrap_err().reason, Reason::BelowWindow { first: 8 });
    assert_eq!(queue.pop_min(), Some((15, 1)));
    assert_eq!(queue.pop_min(), Some((16, 4)));
    assert_eq!(queue.window(), (16, 31));
}

#[test]
fn an_empty_rolling_window_skips_ahead() {
    let mut queue = RollingWindow::<u32>::new(8, 100, STRICT).unwrap();
    for rank in [1_000_003, 16 << 40, u64::MAX - 1, u64::MAX] {
        queue.push(rank, 7).unwrap();
        assert_eq!(queue.pop_min(), Some((rank, 7)));
    }
}

#[test]
fn a_refused_push_leaves_the_halves_as_they_are() {
    let mut queue = RollingWindow::<u32>::new(8, 100, STRICT).unwrap();
    queue.push(12, 0).unwrap();
    assert!(queue.push(1_000, 1).is_err());
    queue.push(2, 2).unwrap();
    assert_eq!(queue.pop_min(), Some((2, 2)));
}

#[test]
fn ranks_outside_a_rolling_window_join_its_edges() {
    let mut queue = RollingWindow::<u32>::new(8, 100, CLAMP).unwrap();
    for (rank, item) in [(20, 0), (9, 1), (500, 2), (0, 3)] {
        queue.push(rank, item).unwrap();
    }
    // The window began at 8 when rank 20 came into the empty queue.
    let served: Vec<_> = std::iter::from_fn(|| queue.pop_min()).collect();
    assert_eq!(served, [(8, 3), (9, 1), (20, 0), (23, 2)]);
}

#[test]
fn a_circular_window_follows_what_waits() {
    let mut queue = CircularWindow::<u32>::new(16, 100, STRICT).unwrap();
    queue.push(100, 0).unwrap();
    queue.push(110, 1).unwrap();
    queue.push(95, 2).unwrap(); // below the first, yet all fit
    assert_eq!(queue.push(111, 3).unwrap_err().reason, Reason::BeyondWindow { last: 110 });
    assert_eq!(queue.push(94, 3).unwrap_err().reason, Reason::BelowWindow { first: 95 });
    assert_eq!(queue.pop_min(), Some((95, 2)));
    queue.push(115, 4).unwrap();
    assert_eq!(queue.pop_max(), Some((115, 4)));
    assert_eq!(queue.pop_min(), Some((100, 0)));
    assert_eq!(queue.pop_min(), Some((110, 1)));
    queue.push(0, 5).unwrap();
    assert_eq!(queue.pop_min(), Some((0, 5)));
}

#[test]
fn ranks_outside_a_circular_window_join_its_edges() {
    let mut queue = CircularWindow::<u32>::new(16, 100, CLAMP).unwrap();
    for (rank, item) in [(100, 0), (110, 1), (500, 2), (10, 3)] {
        queue.push(rank, item).unwrap();
    }
    let served: Vec<_> = std::iter::from_fn(|| queue.pop_min()).collect();
    assert_eq!(served, [(100, 0), (100, 3), (110, 1), (115, 2)]);
}

#[test]
fn impossible_windows_are_refused() {
    assert!(RollingWindow::<u32>::new(0, 1, STRICT).is_err());
    assert!(RollingWindow::<u32>::new(1 << 20, 1, STRICT).is_err());
    assert!(RollingWindow::<u32>::new(usize::MAX, 1, STRICT).is_err());
    assert!(RollingWindow::<u32>::new(100, 1, STRICT).is_err());
    assert!(CircularWindow::<u32>::new(0, 1, STRICT).is_err());
    assert!(CircularWindow::<u32>::new(1, 1, STRICT).is_ok());
}
