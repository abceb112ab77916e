//! How a pseudo channel's controller behaves: queue depth, scheduling and page policy.
//!
//! The paper (Themis, Appendix A) gives none of these; they are choices, and `docs/hbm.md` shows
//! what each changes.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use forebay_parameters::{
    Configure, Kind, ParameterError, Parameters, Setting, Source, Value, Walk, Word, check,
};
use forebay_units::Bytes;

use crate::timers::{Tick, Timers};
use crate::{BankAddress, Direction, Request};

/// In which order column and row commands go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub enum Scheduling {
    /// Column commands strictly in request order. Row commands also in request order, and for at
    /// most `lookahead` requests behind the one whose columns are issuing; 0 serves one request
    /// after the other.
    InOrder {
        /// Requests behind the first whose rows an in-order controller opens early, of those it
        /// holds.
        #[parameter(range = 0..=MAX_LOOKAHEAD)]
        #[parameter(assumed = "not stated", sensitivity = "themis/sensitivity-lookahead")]
        lookahead: usize,
    },
    /// First ready, first come: of the columns whose rows are open, the one that can issue first,
    /// the older on a tie, so that requests in different bank groups share the bus at tCCD_S. The
    /// direction changes only when no column of the present one is open, or after `group_limit`
    /// columns while the other waits. A row stays open while requests for it are held, at most
    /// `hit_limit` of them ahead of an older request for another row.
    FrFcfs {
        /// Columns of one direction after which a waiting open column of the other goes first.
        #[parameter(source = COMMON, range = 0..=u32::MAX)]
        group_limit: u32,
        /// Requests that may overtake an older one of their bank because their row is open.
        #[parameter(source = COMMON, range = 0..=u32::MAX)]
        hit_limit: u32,
    },
}

/// What happens to a row after its last held column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum PagePolicy {
    /// It stays open until another row of the bank, or a refresh, needs the bank.
    Open,
    /// The last column of a request closes it (auto-precharge), unless the controller holds a
    /// further request for it: in order, the next request; first-ready, any.
    Closed,
}

/// One pseudo channel's controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Parameters)]
pub struct ControllerConfig {
    /// Requests that the controller of a pseudo channel holds; 0: one more than it looks ahead, or
    /// 32 first ready.
    #[parameter(range = 0..=64)]
    #[parameter(
        assumed = "not stated; usual for a controller",
        sensitivity = "themis/sensitivity-pattern-scheduler"
    )]
    pub queue_depth: usize,
    /// How the controller orders commands.
    #[parameter(kind = Kind::Choice(&["in-order", "fr-fcfs"]))]
    #[parameter(
        assumed = "not stated; only interleaved bank groups reach 2.64 us",
        sensitivity = "themis/sensitivity-pattern-scheduler"
    )]
    pub scheduling: Scheduling,
    /// Whether a row stays open after its last held column.
    #[parameter(
        assumed = "successive packets rarely share a row",
        sensitivity = "themis/sensitivity-page"
    )]
    pub page: PagePolicy,
}

impl ControllerConfig {
    /// First ready, first come, 32 requests, open pages, 64 columns a direction, 16 overtakes: near
    /// common DRAM controllers, and it reproduces Table 2 of Themis.
    #[must_use]
    pub const fn fr_fcfs() -> Self {
        ControllerConfig {
            queue_depth: 32,
            scheduling: Scheduling::FrFcfs { group_limit: 64, hit_limit: 16 },
            page: PagePolicy::Open,
        }
    }

    /// One request after the other in open pages; `lookahead` rows are opened early.
    #[must_use]
    pub const fn in_order(lookahead: usize) -> Self {
        ControllerConfig {
            queue_depth: 32,
            scheduling: Scheduling::InOrder { lookahead },
            page: PagePolicy::Open,
        }
    }

    /// Requests held, at most. Where `queue_depth` is 0: in order, one more than it looks ahead;
    /// first ready, 32.
    #[must_use]
    pub const fn depth(&self) -> usize {
        match (self.queue_depth, self.scheduling) {
            (0, Scheduling::InOrder { lookahead }) => lookahead.saturating_add(1),
            (0, Scheduling::FrFcfs { .. }) => 32,
            (depth, _) => depth,
        }
    }

    /// Checks what it holds.
    ///
    /// # Errors
    /// The parameter that cannot be: a queue depth beyond 64, or a lookahead beyond 63.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })
    }
}

impl Default for ControllerConfig {
    fn default() -> Self {
        ControllerConfig::fr_fcfs()
    }
}

/// The farthest that a controller looks ahead: behind the first of 64 requests.
const MAX_LOOKAHEAD: usize = 63;

impl Setting for Scheduling {
    /// One that is chosen anew has the values of [`ControllerConfig::fr_fcfs`], or looks as far
    /// ahead as the queue reaches.
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let known = [*self, self.other()];
        let found = known.into_iter().find(|known| known.value() == *value);
        *self = found.ok_or_else(|| format!("{value} does not fit here"))?;
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Text(self.word().to_owned())
    }
}

impl Scheduling {
    /// The other one, as it is when chosen anew.
    const fn other(self) -> Self {
        match self {
            Scheduling::InOrder { .. } => ControllerConfig::fr_fcfs().scheduling,
            Scheduling::FrFcfs { .. } => Scheduling::InOrder { lookahead: MAX_LOOKAHEAD },
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Scheduling::InOrder { .. } => "in-order",
            Scheduling::FrFcfs { .. } => "fr-fcfs",
        }
    }
}

const COMMON: Source =
    Source::assumed("near common DRAM controllers; reproduces Table 2 of Themis");

impl Configure for ControllerConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&ControllerConfig::SCHEDULING, &mut self.scheduling);
        self.scheduling.walk(walk);
        if walk.wants_all() {
            self.scheduling.other().walk(walk);
        }
        walk.field(&ControllerConfig::QUEUE_DEPTH, &mut self.queue_depth);
        walk.field(&ControllerConfig::PAGE, &mut self.page);
    }
}

/// The next column command of a queue; two words, since it is passed around for every command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnPick {
    pub(crate) tick: Tick,
    pub(crate) bank: u8,
    /// The queue's own handle of the request.
    pub(crate) slot: u8,
    pub(crate) direction: Direction,
}

impl ColumnPick {
    /// No column command can go out until something else happens.
    pub(crate) const NEVER: ColumnPick =
        ColumnPick { tick: Tick::MAX, bank: 0, slot: 0, direction: Direction::Read };
}

/// Columns that go out without another choice, evenly spaced: all of the pick, or of the pick and
/// another bank in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnRun {
    /// How many, of both; at least one.
    pub(crate) columns: u16,
    /// Clocks between one and the next.
    pub(crate) gap: Tick,
    /// The bank that takes every second turn, and its slot.
    pub(crate) partner: Option<(u8, u8)>,
}

impl ColumnRun {
    /// As many of `most` columns, `gap` clocks apart from `first` on, as go out before `until`.
    #[inline]
    pub(crate) fn before(until: Tick, first: Tick, gap: Tick, most: u32) -> Self {
        let most = most.min(u32::from(u16::MAX));
        let columns = if first + Tick::from(most - 1) * gap < until {
            most as u16
        } else {
            ((until - 1 - first) / gap + 1) as u16
        };
        ColumnRun { columns, gap, partner: None }
    }
}

/// A request whose last column was issued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) id: u64,
    pub(crate) useful: Bytes,
    pub(crate) direction: Direction,
    /// Whether a row was opened for it.
    pub(crate) activated: bool,
}

/// The next row command of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPick {
    pub(crate) tick: Tick,
    pub(crate) bank: u8,
    pub(crate) activates: bool,
    /// The row to activate; of no meaning for a precharge.
    pub(crate) row: u32,
}

impl RowPick {
    /// No row command can go out until something else happens.
    pub(crate) const NEVER: RowPick =
        RowPick { tick: Tick::MAX, bank: 0, activates: false, row: 0 };
}

/// A request held by a controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) request: Request,
    pub(crate) bank: usize,
    /// Columns not yet issued.
    pub(crate) remaining: u16,
    /// Whether a row was opened for it.
    pub(crate) activated: bool,
}

impl Held {
    /// What is in a slot that holds nothing.
    pub(crate) const NOTHING: Held = Held {
        request: Request {
            id: 0,
            direction: Direction::Read,
            bank: BankAddress { group: 0, bank: 0 },
            row: 0,
            column: 0,
            columns: 0,
            useful: Bytes::ZERO,
        },
        bank: 0,
        remaining: 0,
        activated: false,
    };

    pub(crate) fn next_column(&self) -> u16 {
        self.request.column + (self.request.columns - self.remaining)
    }

    pub(crate) fn done(&self) -> Done {
        let Request { id, direction, useful, .. } = self.request;
        Done { id, useful, direction, activated: self.activated }
    }
}

/// The waiting requests of one pseudo channel, in the order that a scheduling policy gives them.
///
/// `floor` is the earliest clock at which a command may still issue. Banks under refresh
/// ([`Timers::refreshing`]) are passed over.
pub(crate) trait CommandQueue {
    fn len(&self) -> usize;
    /// Takes a request in; says whether that may change the next commands.
    fn push(&mut self, held: Held, timers: &Timers) -> bool;
    fn next_column(&self, timers: &Timers, floor: Tick) -> ColumnPick;
    fn next_row(&mut self, timers: &Timers, floor: Tick) -> RowPick;
    /// Whether the row just opened in `bank` may come before the column `pick`.
    fn may_precede(&self, pick: &ColumnPick, bank: usize, timers: &Timers) -> bool;
    /// The held request of a pick.
    fn held(&self, slot: usize) -> &Held;
    /// Whether nothing held wants the row of the request of `bank` in `slot` after it, so that a
    /// closed page may close with the request's last column. Asked before
    /// [`CommandQueue::columns_issued`].
    fn closes_page(&self, bank: usize, slot: usize) -> bool;
    /// The columns from the pick on that [`CommandQueue::next_column`] would choose one after the
    /// other, or some of them, if no row command, refresh or arrival comes before `until`. At most
    /// the last of them ends a request.
    fn run(&self, pick: &ColumnPick, until: Tick, timers: &Timers) -> ColumnRun;
    /// Counts columns of the pick's partner, or of the pick while its partner's follow, none of
    /// them the last of its request.
    fn columns_passed(&mut self, direction: Direction, slot: usize, columns: u16);
    /// Counts columns of a pick or its partner (`timers` already know), those that were the last of
    /// a run; gives the request if they were its last.
    fn columns_issued(&mut self, pick: &ColumnPick, columns: u16, timers: &Timers) -> Option<Done>;
    /// The row command of the pick was issued (`timers` already know).
    fn row_issued(&mut self, pick: &RowPick, timers: &Timers);
    /// Which banks are under refresh has changed.
    fn refreshing_changed(&mut self);
    /// `bank` was closed by a refresh.
    fn bank_closed(&mut self, bank: usize, timers: &Timers);
    /// No request can complete before this clock; `None` when nothing is held.
    fn completes_after(&self, timers: &Timers, floor: Tick) -> Option<Tick>;
}

/// The earliest clock at which `held` could complete, its bank being free to serve it from `floor`
/// on.
pub(crate) fn earliest_completion(held: &Held, timers: &Timers, floor: Tick) -> Tick {
    let (t, direction) = (&timers.timing, held.request.direction);
    let activate_to_column = match direction {
        Direction::Read => Tick::from(t.t_rcd_rd),
        Direction::Write => Tick::from(t.t_rcd_wr),
    };
    let first = if timers.is_open(held.bank, held.request.row) {
        floor.max(timers.column_at(held.bank, direction))
    } else {
        let activate = if timers.is_closed(held.bank) {
            floor.max(timers.activate_at(held.bank))
        } else {
            floor.max(timers.precharge_at(held.bank)) + Tick::from(t.t_rp)
        };
        (activate + activate_to_column).max(timers.channel_column_at(direction))
    };
    let rest = Tick::from(held.remaining.saturating_sub(1)) * Tick::from(t.t_ccd_l);
    first + rest + timers.latency(direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_parameters::{listed, listed_all, set};

    #[test]
    fn the_depth_follows_the_lookahead_where_none_is_given() {
        let depth = |queue_depth, scheduling| {
            ControllerConfig { queue_depth, scheduling, page: PagePolicy::Open }.depth()
        };
        let in_order = |lookahead| Scheduling::InOrder { lookahead };
        assert_eq!([0, 1, 63].map(|ahead| depth(0, in_order(ahead))), [1, 2, 64]);
        assert_eq!(depth(0, ControllerConfig::fr_fcfs().scheduling), 32);
        assert_eq!(depth(5, in_order(63)), 5);
    }

    #[test]
    fn a_scheduling_chosen_anew_has_its_own_defaults_and_a_list_of_all_has_both() {
        let mut config = ControllerConfig::in_order(1);
        set(&mut config, &[("scheduling", "in-order")]).unwrap();
        assert_eq!(config, ControllerConfig::in_order(1));
        set(&mut config, &[("scheduling", "fr-fcfs")]).unwrap();
        assert_eq!(config, ControllerConfig::fr_fcfs());
        set(&mut config, &[("scheduling", "in-order")]).unwrap();
        assert_eq!(config, ControllerConfig::in_order(MAX_LOOKAHEAD));
        let mut config = ControllerConfig::in_order(1);
        assert_eq!((listed(&mut config).len(), listed_all(&mut config).len()), (4, 6));
        assert_eq!(listed_all(&mut config)[1].value, Value::Int(1));
    }
}
