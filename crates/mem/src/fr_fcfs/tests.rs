//! The shortcuts of a choice against the choice made anew for every command.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use alloc::vec::Vec;

use proptest::prelude::*;

use super::FrFcfsQueue;
use crate::command::Command;
use crate::controller::{ColumnPick, ColumnRun, CommandQueue, Done, Held, RowPick};
use crate::issuer::Issuer;
use crate::timers::{Tick, Timers};
use crate::{BankAddress, Direction, HbmConfig, PagePolicy, Refresh, Request};
use forebay_units::Bytes;

/// The same queue, which is asked for every column, and looks at all banks for every row command.
struct Anew(FrFcfsQueue);

impl CommandQueue for Anew {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, held: Held, timers: &Timers) -> bool {
        let _ = self.0.push(held, timers);
        true
    }

    fn next_column(&self, timers: &Timers, floor: Tick) -> ColumnPick {
        self.0.next_column(timers, floor)
    }

    fn next_row(&mut self, timers: &Timers, floor: Tick) -> RowPick {
        self.0.refreshing_changed();
        self.0.next_row(timers, floor)
    }

    fn may_precede(&self, _: &ColumnPick, _: usize, _: &Timers) -> bool {
        true
    }

    fn held(&self, slot: usize) -> &Held {
        self.0.held(slot)
    }

    fn closes_page(&self, bank: usize, slot: usize) -> bool {
        self.0.closes_page(bank, slot)
    }

    fn run(&self, _: &ColumnPick, _: Tick, _: &Timers) -> ColumnRun {
        ColumnRun { columns: 1, gap: 0, partner: None }
    }

    fn columns_passed(&mut self, _: Direction, _: usize, _: u16) {
        unreachable!("no run has a partner");
    }

    fn columns_issued(&mut self, pick: &ColumnPick, columns: u16, timers: &Timers) -> Option<Done> {
        self.0.columns_issued(pick, columns, timers)
    }

    fn row_issued(&mut self, pick: &RowPick, timers: &Timers) {
        self.0.row_issued(pick, timers);
    }

    fn refreshing_changed(&mut self) {}

    fn bank_closed(&mut self, bank: usize, timers: &Timers) {
        self.0.bank_closed(bank, timers);
    }

    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick> {
        self.0.completes_after(timers, floor)
    }
}

/// Clocks after the one before, write, bank, row, columns.
type Offer = (Tick, bool, usize, u32, u16);

/// All commands; a request that finds 64 held is left out.
fn commands(
    mut queue: impl CommandQueue,
    hbm: &HbmConfig,
    page: PagePolicy,
    offers: &[Offer],
) -> Vec<Command> {
    let mut issuer = Issuer::new(hbm, page);
    issuer.trace = Some(Vec::new());
    let mut now = 0;
    for (id, &(gap, write, bank, row, columns)) in (0..).zip(offers) {
        now += gap;
        issuer.run(&mut queue, now);
        if queue.len() == 64 {
            continue;
        }
        let direction = if write { Direction::Write } else { Direction::Read };
        let address = BankAddress { group: (bank / 4) as u8, bank: (bank % 4) as u8 };
        let request = Request::new(id, direction, address, row, columns, Bytes::new(32));
        let held = Held { request, bank, remaining: columns, activated: false };
        if queue.push(held, &issuer.timers) {
            issuer.changed();
        }
    }
    issuer.run(&mut queue, now + 200_000);
    assert_eq!(queue.len(), 0);
    issuer.trace.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn runs_and_remembered_rows_change_no_command(
        (banks, rows, most) in (1usize..=16, 1u32..=4, 1u16..=32),
        (t_ccd_s, t_ccd_l, t_rrd) in (2u32..=4, 0u32..=6, 1u32..=10),
        (refresh, closed) in (0usize..3, any::<bool>()),
        (group_limit, hit_limit) in (1u32..40, 0u32..20),
        raw in prop::collection::vec(
            (0u64..60, 0u8..3, any::<prop::sample::Index>(), 0u32..4, 0u16..32), 1..150,
        ),
    ) {
        let refresh = [Refresh::Off, Refresh::AllBank, Refresh::PerBank][refresh];
        let mut hbm = HbmConfig { refresh, ..HbmConfig::samsung_hbm2e() };
        (hbm.timing.t_ccd_s, hbm.timing.t_ccd_l) = (t_ccd_s, t_ccd_s + t_ccd_l);
        (hbm.timing.t_rrd_s, hbm.timing.t_rrd_l) = (t_rrd, t_rrd + 1);
        hbm.validate().unwrap();
        let page = if closed { PagePolicy::Closed } else { PagePolicy::Open };
        let offers: Vec<Offer> = raw
            .iter()
            .map(|(gap, way, bank, row, columns)| {
                // Half of them at once, so that many are held.
                let gap = if gap % 2 == 0 { 0 } else { *gap };
                (gap, *way == 0, bank.index(banks), row % rows, columns % most + 1)
            })
            .collect();
        let queue = FrFcfsQueue::new(group_limit, hit_limit);
        let anew = commands(Anew(queue.clone()), &hbm, page, &offers);
        prop_assert_eq!(commands(queue, &hbm, page, &offers), anew);
    }
}
