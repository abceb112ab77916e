//! The naive twin: in-order scheduling simulated clock by clock.
//!
//! [`SteppedChannel`] does what a conventional DRAM simulator does: at every clock it looks whether
//! a command may go out, by comparing the clock with when earlier commands went out. Cost grows
//! with simulated time, O((lookahead + banks) · clocks). It shares no timing state with
//! [`PseudoChannel`], must give the same completions for [`Scheduling::InOrder`], and is the peer
//! in the benchmark.
//!
//! [`PseudoChannel`]: crate::PseudoChannel
//! [`Scheduling::InOrder`]: crate::Scheduling::InOrder

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::ParameterError;
use forebay_units::Time;

use crate::{Completion, Direction, HbmConfig, PagePolicy, Refresh, Request, SubmitError};

/// When something last happened at a bank, if it did.
#[derive(Clone, Debug, Default)]
struct BankHistory {
    open_row: Option<u32>,
    activated: Option<u64>,
    /// In the future after an auto-precharge.
    precharged: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
    refreshed: Option<u64>,
    to_refresh: bool,
}

/// A pseudo channel with in-order scheduling, stepped clock by clock.
#[derive(Clone, Debug)]
pub struct SteppedChannel {
    hbm: HbmConfig,
    lookahead: usize,
    queue_depth: usize,
    page: PagePolicy,
    tick: u64,
    queue: VecDeque<(Request, u16)>,
    banks: Vec<BankHistory>,
    /// All activations, columns as (clock, bank group, direction), newest last; pruned.
    activates: VecDeque<(u64, u8)>,
    columns: VecDeque<(u64, u8, Direction)>,
    refreshed_all: Option<u64>,
    next_refresh: usize,
    in_flight: VecDeque<(u64, u64, Direction)>,
}

/// Whether `clocks` have passed at `tick` since `then`.
fn passed(tick: u64, then: Option<u64>, clocks: u32) -> bool {
    then.is_none_or(|then| tick >= then + u64::from(clocks))
}

impl SteppedChannel {
    /// An idle pseudo channel at time zero.
    ///
    /// # Errors
    /// The parameter at fault when the memory is impossible.
    pub fn new(
        hbm: &HbmConfig,
        lookahead: usize,
        queue_depth: usize,
        page: PagePolicy,
    ) -> Result<Self, ParameterError> {
        hbm.validate()?;
        Ok(SteppedChannel {
            hbm: *hbm,
            lookahead,
            queue_depth,
            page,
            tick: 0,
            queue: VecDeque::new(),
            banks: vec![BankHistory::default(); hbm.geometry.banks()],
            activates: VecDeque::new(),
            columns: VecDeque::new(),
            refreshed_all: None,
            next_refresh: 0,
            in_flight: VecDeque::new(),
        })
    }

    /// Takes a request, as [`PseudoChannel::submit`](crate::PseudoChannel::submit).
    ///
    /// # Errors
    /// [`SubmitError`], and the request is not taken.
    pub fn submit(&mut self, now: Time, request: Request) -> Result<(), SubmitError> {
        request.check(&self.hbm.geometry)?;
        self.run_to(now);
        if self.queue.len() >= self.queue_depth {
            return Err(SubmitError::QueueFull { id: request.id });
        }
        self.queue.push_back((request, request.columns));
        Ok(())
    }

    /// Steps to `now` and hands over what completed.
    pub fn advance(&mut self, now: Time, completed: &mut impl FnMut(Completion)) {
        self.run_to(now);
        let clock = self.hbm.timing.t_ck.as_ps();
        while let Some(&(tick, id, direction)) = self.in_flight.front() {
            let at = Time::from_ps(tick * clock);
            if at > now {
                break;
            }
            self.in_flight.pop_front();
            completed(Completion { id, direction, at });
        }
    }

    /// Whether anything is held or in flight.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty() || !self.in_flight.is_empty()
    }

    fn run_to(&mut self, now: Time) {
        let limit = now.as_ps().div_ceil(self.hbm.timing.t_ck.as_ps());
        while self.tick < limit {
            self.step();
            self.tick += 1;
        }
    }

    fn step(&mut self) {
        self.mark_refresh();
        self.try_column();
        if !self.try_refresh() {
            self.try_row();
        }
    }

    fn bank_of(&self, request: &Request) -> usize {
        usize::from(request.bank.group) * usize::from(self.hbm.geometry.banks_per_group)
            + usize::from(request.bank.bank)
    }

    fn mark_refresh(&mut self) {
        let t = &self.hbm.timing;
        let banks = self.banks.len();
        let interval = match self.hbm.refresh {
            Refresh::Off => return,
            Refresh::AllBank => u64::from(t.t_refi),
            Refresh::PerBank => u64::from(t.t_refi) / banks as u64,
        };
        if self.tick == 0 || !self.tick.is_multiple_of(interval) {
            return;
        }
        if self.hbm.refresh == Refresh::AllBank {
            self.banks.iter_mut().for_each(|bank| bank.to_refresh = true);
        } else {
            self.banks[self.next_refresh].to_refresh = true;
            self.next_refresh = (self.next_refresh + 1) % banks;
        }
    }

    fn try_column(&mut self) {
        let Some(&(request, remaining)) = self.queue.front() else { return };
        let index = self.bank_of(&request);
        let (t, tick) = (self.hbm.timing, self.tick);
        let bank = &self.banks[index];
        let opened = match request.direction {
            Direction::Read => passed(tick, bank.activated, t.t_rcd_rd),
            Direction::Write => passed(tick, bank.activated, t.t_rcd_wr),
        };
        if bank.to_refresh || bank.open_row != Some(request.row) || !opened {
            return;
        }
        let group = request.bank.group;
        let clear = self.columns.iter().all(|&(then, other, direction)| {
            let gap = match (direction, request.direction) {
                (Direction::Read, Direction::Write) => t.t_rtw,
                (Direction::Write, Direction::Read) => t.write_to_read_clocks(),
                (Direction::Read, Direction::Read) | (Direction::Write, Direction::Write) => {
                    if other == group {
                        t.t_ccd_l
                    } else {
                        t.t_ccd_s
                    }
                }
            };
            passed(tick, Some(then), gap)
        });
        if clear {
            self.issue_column(request, remaining, index);
        }
    }

    fn issue_column(&mut self, request: Request, remaining: u16, index: usize) {
        let (t, tick) = (self.hbm.timing, self.tick);
        self.columns.push_back((tick, request.bank.group, request.direction));
        // A gap spans fewer columns than this, as long as it is below 64 tCCD_S.
        if self.columns.len() > 64 {
            self.columns.pop_front();
        }
        let bank = &mut self.banks[index];
        let latency = match request.direction {
            Direction::Read => {
                bank.read = Some(tick);
                t.cl
            }
            Direction::Write => {
                bank.written = Some(tick);
                t.cwl
            }
        };
        if remaining > 1 {
            self.queue[0].1 -= 1;
            return;
        }
        let next = self.queue.get(1).map(|(next, _)| (self.bank_of(next), next.row));
        if self.page == PagePolicy::Closed && next != Some((index, request.row)) {
            let mut at = tick;
            while !self.may_precharge(index, at) {
                at += 1;
            }
            self.banks[index].open_row = None;
            self.banks[index].precharged = Some(at);
        }
        self.queue.pop_front();
        let done = tick + u64::from(latency + t.burst);
        self.in_flight.push_back((done, request.id, request.direction));
    }

    fn may_precharge(&self, index: usize, tick: u64) -> bool {
        let (t, bank) = (&self.hbm.timing, &self.banks[index]);
        passed(tick, bank.activated, t.t_ras)
            && passed(tick, bank.read, t.t_rtp)
            && passed(tick, bank.written, t.cwl + t.burst + t.t_wr)
    }

    /// Whether a closed bank may be activated or refreshed, as far as the bank itself goes.
    fn bank_rested(&self, index: usize) -> bool {
        let (t, bank, tick) = (&self.hbm.timing, &self.banks[index], self.tick);
        passed(tick, bank.activated, t.t_rc)
            && passed(tick, bank.precharged, t.t_rp)
            && passed(tick, bank.refreshed, t.t_rfc_sb)
            && passed(tick, self.refreshed_all, t.t_rfc)
    }

    /// Uses the row bus for refresh if one waits and may go on; otherwise leaves it.
    fn try_refresh(&mut self) -> bool {
        let waiting = |bank: &BankHistory| bank.to_refresh;
        if !self.banks.iter().any(waiting) {
            return false;
        }
        if let Some(index) = self.banks.iter().position(|b| b.to_refresh && b.open_row.is_some()) {
            let ready = self.may_precharge(index, self.tick);
            if ready {
                self.precharge(index);
            }
            return ready;
        }
        if self.hbm.refresh == Refresh::AllBank {
            let ready = (0..self.banks.len()).all(|index| self.bank_rested(index));
            if ready {
                self.refreshed_all = Some(self.tick);
                self.banks.iter_mut().for_each(|bank| bank.to_refresh = false);
            }
            return ready;
        }
        let index = self.banks.iter().position(waiting).unwrap_or(0);
        let ready = self.bank_rested(index);
        if ready {
            self.banks[index].refreshed = Some(self.tick);
            self.banks[index].to_refresh = false;
        }
        ready
    }

    fn precharge(&mut self, index: usize) {
        self.banks[index].open_row = None;
        self.banks[index].precharged = Some(self.tick);
    }

    fn try_row(&mut self) {
        let mut earlier_banks = Vec::new();
        let mut target = None;
        for (request, _) in self.queue.iter().take(self.lookahead.saturating_add(1)) {
            let index = self.bank_of(request);
            if self.banks[index].open_row != Some(request.row) {
                target = (!earlier_banks.contains(&index)).then_some((index, *request));
                break;
            }
            earlier_banks.push(index);
        }
        let Some((index, request)) = target else { return };
        if self.banks[index].to_refresh {
            return;
        }
        if self.banks[index].open_row.is_some() {
            if self.may_precharge(index, self.tick) {
                self.precharge(index);
            }
        } else if self.bank_rested(index) && self.may_activate(request.bank.group) {
            self.banks[index].open_row = Some(request.row);
            self.banks[index].activated = Some(self.tick);
            self.activates.push_back((self.tick, request.bank.group));
            if self.activates.len() > 64 {
                self.activates.pop_front();
            }
        }
    }

    fn may_activate(&self, group: u8) -> bool {
        let (t, tick) = (&self.hbm.timing, self.tick);
        let spaced = self.activates.iter().all(|&(then, other)| {
            passed(tick, Some(then), if other == group { t.t_rrd_l } else { t.t_rrd_s })
        });
        let fourth_last = self.activates.iter().rev().nth(3).map(|&(then, _)| then);
        spaced && passed(tick, fourth_last, t.t_faw)
    }
}
