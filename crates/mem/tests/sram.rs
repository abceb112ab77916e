//! The O(1) port against one that moves cell by cell.

use forebay_mem::SramPort;
use forebay_units::{Duration, Time};
use proptest::prelude::*;

/// Decides at the start of every cell slot: foreground first, else background.
#[derive(Clone, Default)]
struct CellByCell {
    cell: u64,
    free: u64,
    foreground: u64,
    background: Option<(u64, u64, u64)>, // remaining, moved, when the last one ended
    moved: [u64; 2],
}

impl CellByCell {
    /// Starts every cell that starts before `now`.
    fn run(&mut self, now: u64) {
        while self.free < now {
            if !self.serve_one() {
                self.free = now;
            }
        }
    }

    fn serve_one(&mut self) -> bool {
        if self.foreground > 0 {
            self.foreground -= 1;
            self.moved[0] += 1;
            self.free += self.cell;
            return true;
        }
        if let Some((remaining, moved, end)) = &mut self.background
            && *remaining > 0
        {
            *remaining -= 1;
            *moved += 1;
            self.moved[1] += 1;
            self.free += self.cell;
            *end = self.free;
            return true;
        }
        false
    }

    fn foreground_done(&self) -> u64 {
        let mut twin = self.clone();
        while twin.foreground > 0 {
            twin.serve_one();
        }
        twin.free
    }

    fn background_done(&self) -> Option<u64> {
        let mut twin = self.clone();
        while twin.serve_one() {}
        twin.background.map(|(_, _, end)| end)
    }
}

#[derive(Clone, Debug)]
enum Op {
    Foreground(u64),
    Begin(u64),
    Finish,
    Abort,
    Look,
}

fn ops() -> impl Strategy<Value = Vec<(u64, Op)>> {
    let op = prop_oneof![
        4 => (0u64..6).prop_map(Op::Foreground),
        3 => (0u64..20).prop_map(Op::Begin),
        2 => Just(Op::Finish),
        1 => Just(Op::Abort),
        2 => Just(Op::Look),
    ];
    // Gaps in whole cells (slot boundaries) and in between.
    let gap = prop_oneof![Just(0u64), (0u64..5).prop_map(|cells| cells * 10), 0u64..60];
    prop::collection::vec((gap, op), 1..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_cell_is_where_the_naive_port_has_it(ops in ops()) {
        let mut port = SramPort::new(Duration::from_ps(10));
        let mut naive = CellByCell { cell: 10, ..Default::default() };
        let mut now = 0;
        for (gap, op) in ops {
            now += gap;
            let at = Time::from_ps(now);
            naive.run(now);
            match op {
                Op::Foreground(cells) => {
                    let busy = naive.foreground > 0 || naive.free > now;
                    let start = if busy { naive.foreground_done() } else { now };
                    prop_assert_eq!(port.foreground_start(at).as_ps(), start);
                    naive.foreground += cells;
                    prop_assert_eq!(port.foreground(at, cells).as_ps(), naive.foreground_done());
                }
                Op::Begin(cells) => {
                    let begun = port.begin_background(at, cells).is_ok();
                    prop_assert_eq!(begun, naive.background.is_none());
                    if begun {
                        naive.background = Some((cells, 0, now));
                    }
                }
                Op::Finish => {
                    let done = naive.background.is_some_and(|(rest, _, end)| rest == 0 && end <= now);
                    prop_assert_eq!(port.finish_background(at), done);
                    if done {
                        naive.background = None;
                    }
                }
                Op::Abort => {
                    let moved = naive.background.take().map_or(0, |(_, moved, _)| moved);
                    prop_assert_eq!(port.abort_background(at), moved);
                }
                Op::Look => {
                    let counters = port.counters(at);
                    prop_assert_eq!(counters.background_cells, naive.moved[1]);
                    let accepted = naive.moved[0] + naive.foreground;
                    prop_assert_eq!(counters.foreground_cells, accepted);
                    let cells = counters.foreground_cells + counters.background_cells;
                    prop_assert_eq!(counters.busy, Duration::from_ps(cells * 10));
                }
            }
            prop_assert_eq!(port.background_due().map(Time::as_ps), naive.background_done());
            prop_assert_eq!(port.has_background(), naive.background.is_some());
        }
    }
}

#[test]
fn a_swap_yields_and_resumes() {
    let mut port = SramPort::new(Duration::from_ns(1));
    port.begin_background(Time::ZERO, 10).unwrap();
    assert_eq!(port.background_due(), Some(Time::from_ps(10_000)));
    // Part way in the third cell: that cell ends, then four foreground cells, then the other seven.
    assert_eq!(port.foreground(Time::from_ps(2_500), 4), Time::from_ps(7_000));
    assert_eq!(port.background_due(), Some(Time::from_ps(14_000)));
    assert!(!port.finish_background(Time::from_ps(13_999)));
    assert!(port.finish_background(Time::from_ps(14_000)));
    assert_eq!(port.counters(Time::from_ps(14_000)).busy, Duration::from_ns(14));
}
