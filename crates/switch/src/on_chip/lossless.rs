//! Flow control at the ports of a switch: what its neighbours are to be told, which of its own
//! queues are paused, and the watchdog.
//!
//! A neighbour is asked to pause a class while any memory of the switch wants that. A queue that is
//! paused is not served; its packets wait. The *watchdog* is that of SONiC in outline: a queue that
//! has been paused for its time and still holds packets is emptied and takes none, until it has
//! gone unpaused for the time of restoration. O(1) a call.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_buffer::onchip::{PRIORITIES, PauseCall};
use forebay_units::{Duration, Time};

use super::PfcConfig;
use crate::{Pause, PauseCounts};

/// The state of a queue of a port.
#[derive(Clone, Copy, Debug, Default)]
struct Output {
    /// Since when it is paused.
    paused: Option<Time>,
    /// Since when it holds packets while it is paused.
    blocked: Option<Time>,
    /// Since when it may be served.
    open: Time,
    /// Whether the watchdog has emptied it.
    emptied: bool,
}

/// A queue that the watchdog looks at.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Time,
    port: u16,
    class: u8,
}

/// Flow control of a switch.
#[derive(Clone, Debug)]
pub(crate) struct Lossless {
    /// For each input and class, how many memories want it paused.
    wanted: Vec<u16>,
    /// What neighbours are to be told, oldest first, and since when something new is.
    calls: Vec<Pause>,
    calls_at: Option<Time>,
    /// How many of these whoever drives the switch could have taken, and has not.
    untaken: usize,
    outputs: Vec<Output>,
    /// For each port, a bit for each class that is paused.
    paused: Vec<u8>,
    watchdog: Option<Duration>,
    restore: Duration,
    /// When paused queues have been so for too long; in the order of time.
    storms: VecDeque<Look>,
    /// When emptied queues may take packets again; in the order of time.
    restorations: VecDeque<Look>,
    counts: PauseCounts,
}

impl Lossless {
    pub(crate) fn new(config: &PfcConfig, ports: usize) -> Self {
        Lossless {
            wanted: alloc::vec![0; ports * PRIORITIES],
            calls: Vec::new(),
            calls_at: None,
            untaken: 0,
            outputs: alloc::vec![Output::default(); ports * PRIORITIES],
            paused: alloc::vec![0; ports],
            watchdog: config.watchdog,
            restore: config.restore,
            storms: VecDeque::new(),
            restorations: VecDeque::new(),
            counts: PauseCounts::default(),
        }
    }

    /// Takes over what a memory wants neighbours to be told.
    #[inline(never)]
    pub(crate) fn collect(&mut self, now: Time, mut next: impl FnMut() -> Option<PauseCall>) {
        while let Some(PauseCall { input, class, on }) = next() {
            let wanted = &mut self.wanted[number(input, class)];
            *wanted = if on { *wanted + 1 } else { *wanted - 1 };
            let changes = *wanted == u16::from(on);
            if changes {
                self.calls.push(Pause { port: input, class, on });
                self.calls_at.get_or_insert(now);
                self.counts.asked += u64::from(on);
            }
        }
    }

    /// What neighbours are to be told can be taken now; what nobody took before is forgotten.
    pub(crate) fn offer_calls(&mut self) {
        self.calls.drain(..self.untaken);
        self.untaken = self.calls.len();
        self.calls_at = None;
    }

    /// Hands over what neighbours are to be told.
    pub(crate) fn tell(&mut self, tell: &mut dyn FnMut(Pause)) {
        self.untaken = 0;
        self.calls.drain(..).for_each(tell);
    }

    /// The classes of a port that are paused, a bit for each.
    #[inline]
    pub(crate) fn paused(&self, port: u16) -> u8 {
        self.paused[usize::from(port)]
    }

    /// A queue is paused, or may be served again; whether it `holds` packets now.
    pub(crate) fn pause(&mut self, now: Time, pause: Pause, holds: bool) {
        let Pause { port, class, on } = pause;
        let output = &mut self.outputs[number(port, class)];
        if on == output.paused.is_some() {
            return;
        }
        self.paused[usize::from(port)] ^= 1 << class;
        if on {
            output.paused = Some(now);
            output.blocked = holds.then_some(now);
            if let Some(watchdog) = self.watchdog {
                self.storms.push_back(Look { at: now + watchdog, port, class });
            }
        } else {
            output.paused = None;
            output.open = now;
            self.counts.blocked += since(output.blocked.take(), now);
            if output.emptied {
                self.restorations.push_back(Look { at: now + self.restore, port, class });
            }
        }
    }

    /// A packet has entered a queue.
    pub(crate) fn entered(&mut self, now: Time, port: u16, class: u8) {
        let output = &mut self.outputs[number(port, class)];
        if output.paused.is_some() {
            output.blocked.get_or_insert(now);
        }
    }

    /// Whether the watchdog has emptied a queue, which then takes no packets.
    #[inline]
    pub(crate) fn is_emptied(&self, port: u16, class: u8) -> bool {
        self.outputs[number(port, class)].emptied
    }

    /// When something is next due, of it and of this.
    #[inline(never)] // so that switches without it have a short path
    pub(crate) fn next_event_or(&self, other: Option<Time>) -> Option<Time> {
        let looks = [self.storms.front(), self.restorations.front()];
        looks.into_iter().flatten().map(|look| look.at).chain(self.calls_at).chain(other).min()
    }

    /// The next queue that the watchdog finds to have been paused for too long, if it is due at
    /// `now`: `holds` says whether a queue holds packets. It is to be emptied.
    pub(crate) fn next_storm(
        &mut self,
        now: Time,
        holds: impl Fn(u16, u8) -> bool,
    ) -> Option<(u16, u8)> {
        let watchdog = self.watchdog?;
        while let Some(look) = self.storms.front().copied().filter(|look| look.at <= now) {
            self.storms.pop_front();
            let Look { at, port, class } = look;
            let output = &mut self.outputs[number(port, class)];
            let is_same_pause = output.paused.is_some_and(|since| since + watchdog <= at);
            if !is_same_pause || output.emptied {
                continue;
            }
            if holds(port, class) {
                output.emptied = true;
                self.counts.blocked += since(output.blocked.take(), now);
                self.counts.watchdog += 1;
                return Some((port, class));
            }
            self.storms.push_back(Look { at: now + watchdog, port, class });
        }
        None
    }

    /// Lets queues that were emptied take packets again, if that is due.
    pub(crate) fn restore(&mut self, now: Time) {
        while let Some(look) = self.restorations.front().copied().filter(|look| look.at <= now) {
            self.restorations.pop_front();
            let output = &mut self.outputs[number(look.port, look.class)];
            if output.paused.is_none() && output.open + self.restore <= look.at {
                output.emptied = false;
            }
        }
    }

    /// What it did until `now`, but for what memories know.
    pub(crate) fn counts(&self, now: Time) -> PauseCounts {
        let running = self.outputs.iter().map(|output| since(output.blocked, now));
        let blocked = running.fold(self.counts.blocked, |sum, span| sum + span);
        PauseCounts { blocked, ..self.counts }
    }
}

fn since(begin: Option<Time>, now: Time) -> Duration {
    begin.map_or(Duration::ZERO, |begin| now.since(begin))
}

#[inline]
fn number(port: u16, class: u8) -> usize {
    usize::from(port) * PRIORITIES + usize::from(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_ms(1);

    fn at(ms: u64) -> Time {
        Time::ZERO + MS * ms
    }

    fn watched() -> Lossless {
        let config = PfcConfig {
            lossless: alloc::vec![3],
            watchdog: Some(MS * 10),
            restore: MS * 5,
            ..PfcConfig::default()
        };
        Lossless::new(&config, 2)
    }

    fn pause(on: bool) -> Pause {
        Pause { port: 1, class: 3, on }
    }

    #[test]
    fn the_watchdog_empties_a_queue_that_is_paused_for_too_long() {
        let mut ports = watched();
        ports.pause(at(1), pause(true), true);
        assert_eq!(
            (ports.paused(1), ports.paused(0), ports.next_event_or(None)),
            (8, 0, Some(at(11)))
        );
        assert_eq!(ports.next_storm(at(10), |_, _| true), None);
        assert_eq!(ports.next_storm(at(11), |_, _| true), Some((1, 3)));
        assert!(ports.is_emptied(1, 3) && !ports.is_emptied(1, 2));
        assert_eq!(
            (ports.next_storm(at(30), |_, _| true), ports.next_event_or(None)),
            (None, None)
        );
        // It takes packets again 5 ms after the pause has ended for good.
        ports.pause(at(20), pause(false), false);
        ports.pause(at(22), pause(true), false);
        ports.restore(at(25));
        assert!(ports.is_emptied(1, 3));
        ports.pause(at(26), pause(false), false);
        ports.restore(at(31));
        assert!(!ports.is_emptied(1, 3));
        assert_eq!(ports.counts(at(40)).watchdog, 1);
        assert_eq!(ports.counts(at(40)).blocked, MS * 10);
    }

    #[test]
    fn a_pause_that_ends_in_time_or_holds_up_nothing_is_no_storm() {
        let mut ports = watched();
        ports.pause(at(0), pause(true), true);
        ports.pause(at(9), pause(false), true);
        ports.pause(at(10), pause(true), false);
        assert_eq!(ports.next_storm(at(10), |_, _| true), None, "another pause than that");
        assert_eq!(ports.next_storm(at(20), |_, _| false), None, "nothing waits");
        ports.entered(at(25), 1, 3);
        assert_eq!(ports.next_event_or(None), Some(at(30)));
        assert_eq!(ports.next_storm(at(30), |_, _| true), Some((1, 3)));
        assert_eq!(ports.counts(at(30)).blocked, MS * (9 + 5));
    }

    #[test]
    fn a_pause_told_twice_is_one() {
        let mut ports = watched();
        ports.pause(at(0), pause(true), false);
        ports.pause(at(1), pause(true), true);
        ports.pause(at(2), pause(false), true);
        ports.pause(at(3), pause(false), true);
        assert_eq!((ports.paused(1), ports.counts(at(5)).blocked), (0, Duration::ZERO));
    }
}
