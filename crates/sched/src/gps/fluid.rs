//! The fluid server itself: who has been served how much, and when each packet is done.
//!
//! The reference that schedulers are tested against, so it is plain: it looks at every session at
//! every event. Its arithmetic is that of the folder's head comment, and what it reports are whole
//! numbers, so a bound can be checked without tolerance.
//!
//! Complexity: O(n) per packet that arrives or finishes. Memory: 16 bytes per packet in the fluid
//! server, 56 per session.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_units::{Rate, Time};

use super::virtual_span;

/// A packet that the fluid server has served completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The session whose packet it was.
    pub session: usize,
    /// The number of the packet within its session, from 0.
    pub packet: u64,
    /// When: the work in pico-bits that the server can have done by then. Divided by the rate in
    /// bits per second it is the instant in picoseconds.
    pub at_work: u128,
}

#[derive(Clone, Debug)]
struct Session {
    weight: u32,
    /// Finish tags of the packets in the server.
    finishes: VecDeque<u128>,
    last_finish: u128,
    finished: u64,
    served: u128,
}

/// A fluid server with every session in sight.
///
/// ```
/// use forebay_sched::gps::{FluidServer, PICOBITS_PER_BYTE};
/// use forebay_units::{Rate, Time};
///
/// let mut server = FluidServer::new(Rate::from_gbps(8), &[1, 3]); // 1 byte per nanosecond
/// server.arrive(Time::ZERO, 0, 1000);
/// server.arrive(Time::ZERO, 1, 1000);
/// let done = server.advance(Time::from_ps(3_000_000));
/// let at: Vec<_> = done.iter().map(|d| (d.session, d.at_work / PICOBITS_PER_BYTE)).collect();
/// // Rounded up to whole pico-bits: a third of 1000 bytes at weight 3.
/// assert_eq!(at, [(1, 1333), (0, 2000)]);
/// ```
#[derive(Clone)]
pub struct FluidServer {
    rate: u128,
    sessions: Vec<Session>,
    virtual_time: u128,
    work: u128,
}

forebay_pifo::debug_in_one_line!(
    [] FluidServer,
    |server| { sessions: server.sessions.len(), virtual_time: server.virtual_time }
);

impl FluidServer {
    /// An idle server of `rate` with one session per weight; a weight of zero counts as one.
    #[must_use]
    pub fn new(rate: Rate, weights: &[u32]) -> Self {
        let session = |&weight: &u32| Session {
            weight: weight.max(1),
            finishes: VecDeque::new(),
            last_finish: 0,
            finished: 0,
            served: 0,
        };
        FluidServer {
            rate: u128::from(rate.as_bps()),
            sessions: weights.iter().map(session).collect(),
            virtual_time: 0,
            work: 0,
        }
    }

    /// The work in pico-bits that `session` has been given; zero if there is no such session.
    #[must_use]
    pub fn served(&self, session: usize) -> u128 {
        self.sessions.get(session).map_or(0, |session| session.served)
    }

    /// The virtual time, as of the last event.
    #[cfg(test)]
    pub(super) fn virtual_time(&self) -> u128 {
        self.virtual_time
    }

    /// The finish tag of the session's last packet.
    #[cfg(test)]
    pub(super) fn last_finish(&self, session: usize) -> u128 {
        self.sessions[session].last_finish
    }

    /// Serves until `now`; the packets that are done by then, in order.
    pub fn advance(&mut self, now: Time) -> Vec<Finished> {
        let offered = self.rate * u128::from(now.as_ps());
        let mut done = Vec::new();
        while let Some((weight, next)) = self.next_finish() {
            let affordable = offered.saturating_sub(self.work) / weight;
            let step = (next - self.virtual_time).min(affordable);
            self.serve(step, weight);
            if self.virtual_time < next {
                return done; // the rest of the work, less than one unit for each, stays to be done
            }
            self.collect(&mut done);
        }
        self.work = self.work.max(offered);
        done
    }

    /// A packet of `size` bytes arrives; no such session, no packet. What is done by then, as
    /// [`advance`](Self::advance).
    pub fn arrive(&mut self, now: Time, session: usize, size: u32) -> Vec<Finished> {
        let done = self.advance(now);
        let virtual_time = self.virtual_time;
        if let Some(session) = self.sessions.get_mut(session) {
            let start = virtual_time.max(session.last_finish);
            session.last_finish = start.saturating_add(virtual_span(size, session.weight));
            session.finishes.push_back(session.last_finish);
        }
        done
    }

    /// The weight of the backlogged sessions, and the first finish tag among them.
    fn next_finish(&self) -> Option<(u128, u128)> {
        let backlogged = || self.sessions.iter().filter(|session| !session.finishes.is_empty());
        let next = backlogged().filter_map(|session| session.finishes.front()).min()?;
        Some((backlogged().map(|session| u128::from(session.weight)).sum(), *next))
    }

    /// Gives every backlogged session `step` units for each unit of its weight.
    fn serve(&mut self, step: u128, weight: u128) {
        self.virtual_time += step;
        self.work += step * weight;
        for session in self.sessions.iter_mut().filter(|session| !session.finishes.is_empty()) {
            session.served += step * u128::from(session.weight);
        }
    }

    /// Takes out the packets that are done.
    fn collect(&mut self, done: &mut Vec<Finished>) {
        for (number, session) in self.sessions.iter_mut().enumerate() {
            while session.finishes.front().is_some_and(|finish| *finish <= self.virtual_time) {
                session.finishes.pop_front();
                let packet = session.finished;
                session.finished += 1;
                done.push(Finished { session: number, packet, at_work: self.work });
            }
        }
    }
}
