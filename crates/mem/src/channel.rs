//! One pseudo channel: requests in, commands out, completions back.
//!
//! The controller is event-driven: work is O(1) per command in order and O(banks with requests)
//! first-ready; idle time costs nothing (a refresh is a command).
//!
//! Commands are decided lazily: one at clock `t` is issued when the channel is driven past `t`, and
//! sees exactly the requests submitted up to `t`. The order of `submit` and `advance` at one
//! instant therefore does not matter.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use forebay_parameters::ParameterError;
use forebay_units::Time;

use crate::command::Command;
use crate::controller::{CommandQueue, Held};
use crate::fr_fcfs::FrFcfsQueue;
use crate::in_order::InOrderQueue;
use crate::issuer::Issuer;
use crate::{
    Completion, ControllerConfig, Geometry, HbmConfig, MemoryStats, Request, Scheduling,
    SubmitError,
};

/// A pseudo channel and its controller, sans-IO: time comes in with every call and never decreases
/// (an earlier `now` counts as the latest one seen).
#[derive(Clone)]
pub struct PseudoChannel {
    geometry: Geometry,
    /// Column accesses in a row.
    columns: u64,
    queue_depth: usize,
    queue: Queue,
    issuer: Issuer,
    /// See [`PseudoChannel::next_event`], which is asked far more often than this changes.
    /// [`Time::MAX`]: none.
    next: Time,
}

impl fmt::Debug for PseudoChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PseudoChannel")
            .field("queue", &self.queue.len())
            .field("queue_depth", &self.queue_depth)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
enum Queue {
    InOrder(InOrderQueue),
    FrFcfs(Box<FrFcfsQueue>),
}

impl Queue {
    fn len(&self) -> usize {
        match self {
            Queue::InOrder(queue) => queue.len(),
            Queue::FrFcfs(queue) => queue.len(),
        }
    }
}

impl PseudoChannel {
    /// An idle pseudo channel with all banks closed, at time zero.
    ///
    /// # Errors
    /// The parameter at fault when the memory or the controller is impossible.
    pub fn new(hbm: &HbmConfig, controller: &ControllerConfig) -> Result<Self, ParameterError> {
        hbm.validate()?;
        controller.validate()?;
        let queue = match controller.scheduling {
            Scheduling::InOrder { lookahead } => Queue::InOrder(InOrderQueue::new(lookahead)),
            Scheduling::FrFcfs { group_limit, hit_limit } => {
                Queue::FrFcfs(Box::new(FrFcfsQueue::new(group_limit, hit_limit)))
            }
        };
        let issuer = Issuer::new(hbm, controller.page);
        let queue_depth = controller.depth();
        let columns = hbm.geometry.columns();
        let (geometry, next) = (hbm.geometry, Time::MAX);
        Ok(PseudoChannel { geometry, columns, queue_depth, queue, issuer, next })
    }

    /// Takes a request for the controller to serve from `now` on.
    ///
    /// # Errors
    /// [`SubmitError::QueueFull`], or [`SubmitError::OutsideGeometry`]; the request is then not
    /// taken.
    pub fn submit(&mut self, now: Time, request: Request) -> Result<(), SubmitError> {
        request.check_within(&self.geometry, self.columns)?;
        let moved = self.run_to(now);
        if self.queue.len() >= self.queue_depth {
            if moved {
                self.note_next();
            }
            return Err(SubmitError::QueueFull { id: request.id });
        }
        self.issuer.note_arrival(self.queue.len());
        let bank = usize::from(request.bank.group) * usize::from(self.geometry.banks_per_group)
            + usize::from(request.bank.bank);
        let held = Held { request, bank, remaining: request.columns, activated: false };
        let changes = match &mut self.queue {
            Queue::InOrder(queue) => queue.push(held, &self.issuer.timers),
            Queue::FrFcfs(queue) => queue.push(held, &self.issuer.timers),
        };
        if changes {
            self.issuer.changed();
        }
        if changes || moved {
            self.note_next();
        }
        Ok(())
    }

    /// Whether a request submitted at the time of the last call would find room.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.queue.len() < self.queue_depth
    }

    /// Requests held: those with columns still to issue.
    #[must_use]
    pub fn held(&self) -> usize {
        self.queue.len()
    }

    /// When to call [`PseudoChannel::advance`] next: a completion comes then or, with several
    /// requests held, perhaps later, but never earlier (an instant already past is a completion not
    /// yet handed over). `None` when nothing is held or in flight. O(1).
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> Option<Time> {
        (self.next < Time::MAX).then_some(self.next)
    }

    /// Works out the next event after a change. O(1) in order or with data on its way, O(banks with
    /// requests) first-ready.
    fn note_next(&mut self) {
        let issuer = &self.issuer;
        let (timers, floor) = (&issuer.timers, issuer.floor);
        let tick = match (issuer.in_flight.front(), &self.queue) {
            (Some((tick, ..)), _) => Some(*tick),
            (None, Queue::InOrder(queue)) => queue.completes_after(timers, floor),
            (None, Queue::FrFcfs(queue)) => queue.completes_after(timers, floor),
        };
        self.next = tick.map_or(Time::MAX, |tick| issuer.time(tick));
    }

    /// Issues every command before `now` and hands over what completed up to `now`, in order.
    pub fn advance(&mut self, now: Time, completed: &mut impl FnMut(Completion)) {
        let moved = self.run_to(now);
        let in_flight = self.issuer.in_flight.len();
        while let Some(&(tick, id, direction)) = self.issuer.in_flight.front() {
            let at = self.issuer.time(tick);
            if at > self.issuer.now {
                break;
            }
            self.issuer.in_flight.pop_front();
            completed(Completion { id, direction, at });
        }
        if moved || self.issuer.in_flight.len() < in_flight {
            self.note_next();
        }
    }

    /// Counters up to the time of the last call.
    #[must_use]
    pub fn stats(&self) -> MemoryStats {
        self.issuer.stats_now(self.queue.len())
    }

    /// Keeps every command from now on, for [`PseudoChannel::take_commands`].
    pub fn record_commands(&mut self) {
        self.issuer.trace.get_or_insert_default();
    }

    /// The commands kept since the last call, in time order.
    pub fn take_commands(&mut self) -> Vec<Command> {
        self.issuer.trace.as_mut().map(core::mem::take).unwrap_or_default()
    }

    /// Issues every command before `now`; says whether time went on.
    fn run_to(&mut self, now: Time) -> bool {
        let issuer = &mut self.issuer;
        if now <= issuer.now {
            return false;
        }
        issuer.now = now;
        let limit = issuer.clock.ticks(now);
        if limit <= issuer.wake {
            issuer.floor = issuer.floor.max(limit);
            return true;
        }
        match &mut self.queue {
            Queue::InOrder(queue) => issuer.run(queue, limit),
            Queue::FrFcfs(queue) => issuer.run(queue.as_mut(), limit),
        }
        true
    }
}
