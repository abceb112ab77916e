//! Messages between hosts, and timers: for runs whose flows depend on each other.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;

use forebay_net::flow::Flow;
use forebay_net::measure::Totals;
use forebay_units::{Bytes, Duration, Time};

use crate::{NetRunError, Session};

/// What a receive is matched by: source, destination, tag.
type Address = (u32, u32, u64);

/// Why a message cannot be sent, or a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// There is no such host, or it would send to itself, or the message is empty.
    Message(String),
    /// A flow made no progress.
    Stuck(String),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Message(problem) | MessageError::Stuck(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for MessageError {}

/// A message that was sent.
struct Sent<T> {
    address: Address,
    done: Option<T>,
}

/// A network that carries messages. `T` is what the caller gets back when something is due.
///
/// ```
/// use forebay_net_run::{Messages, network};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let mut net = Messages::new(network("star:3,10G,1us", &[])?);
/// net.receive(0, 1, 7, "host 1 has it")?;
/// net.send(0, 1, Bytes::new(1000), 7, 0, Some("host 0 has sent it"))?;
/// net.schedule(Duration::from_us(1), "a microsecond");
/// let mut due = Vec::new();
/// while let Some(what) = net.next(Time::MAX)? {
///     due.push(what);
/// }
/// assert_eq!(due, ["a microsecond", "host 0 has sent it", "host 1 has it"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Messages<T> {
    session: Session,
    hosts: u32,
    now: Time,
    /// By the number of their flow; none once they have arrived.
    sent: Vec<Option<Sent<T>>>,
    /// How many have arrived that nobody has received.
    arrived: HashMap<Address, u64>,
    /// Who waits for messages.
    awaited: HashMap<Address, VecDeque<T>>,
    waiting: u64,
    /// By instant and in the order in which they were set.
    timers: BTreeMap<(Time, u64), T>,
    set: u64,
    /// What is due now.
    due: VecDeque<T>,
}

impl<T> fmt::Debug for Messages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Messages at {}, {} sent, {} awaited", self.now, self.sent.len(), self.waiting)
    }
}

impl<T> Messages<T> {
    /// A network without messages.
    #[must_use]
    pub fn new(session: Session) -> Self {
        Messages {
            hosts: session.hosts(),
            session,
            now: Time::ZERO,
            sent: Vec::new(),
            arrived: HashMap::new(),
            awaited: HashMap::new(),
            waiting: 0,
            timers: BTreeMap::new(),
            set: 0,
            due: VecDeque::new(),
        }
    }

    /// How many hosts there are, numbered from 0.
    #[must_use]
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// The simulated time: when what was due last was due, or to where the network ran since.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Receives that have not been matched, and messages that have not been received.
    #[must_use]
    pub fn unmatched(&self) -> (u64, u64) {
        (self.waiting, self.arrived.values().sum())
    }

    /// What the network has counted.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.session.network().totals()
    }

    /// `src` sends a message now, in a class of which 0 is the most urgent; `done` is due when its
    /// last byte has arrived.
    ///
    /// # Errors
    /// [`MessageError::Message`]; then nothing is sent.
    pub fn send(
        &mut self,
        src: u32,
        dst: u32,
        bytes: Bytes,
        tag: u64,
        class: u8,
        done: Option<T>,
    ) -> Result<(), MessageError> {
        let flow = Flow { class, ..Flow::new(src, dst, bytes, self.now) };
        self.session.add(&[flow]).map_err(|error| MessageError::Message(error.to_string()))?;
        self.sent.push(Some(Sent { address: (src, dst, tag), done }));
        Ok(())
    }

    /// `dst` receives the next message of `src` with this tag; `done` is due when it has arrived,
    /// at once if it has already.
    ///
    /// # Errors
    /// [`MessageError::Message`]: there is no such host.
    pub fn receive(&mut self, src: u32, dst: u32, tag: u64, done: T) -> Result<(), MessageError> {
        if let Some(host) = [src, dst].into_iter().find(|host| *host >= self.hosts) {
            let problem = format!("there is no host {host}: give one below {}", self.hosts);
            return Err(MessageError::Message(problem));
        }
        let address = (src, dst, tag);
        match self.arrived.get_mut(&address) {
            Some(arrived) => {
                *arrived -= 1;
                if *arrived == 0 {
                    self.arrived.remove(&address);
                }
                self.due.push_back(done);
            }
            None => {
                self.awaited.entry(address).or_default().push_back(done);
                self.waiting += 1;
            }
        }
        Ok(())
    }

    /// `done` is due after `delay`.
    pub fn schedule(&mut self, delay: Duration, done: T) {
        self.timers.insert((self.now + delay, self.set), done);
        self.set += 1;
    }

    /// What is due next, up to `until`; `None` if nothing is, for now or for ever.
    ///
    /// # Errors
    /// [`MessageError::Stuck`]: a message makes no progress.
    pub fn next(&mut self, until: Time) -> Result<Option<T>, MessageError> {
        while self.due.is_empty() {
            let timer = self.timers.keys().next().map(|(at, _)| *at);
            let stop = timer.map_or(until, |at| at.min(until));
            let finished = self.session.run_to_finish(stop).map_err(stuck)?;
            if !finished.is_empty() {
                self.now = self.session.network().now();
                finished.into_iter().for_each(|flow| self.arrive(flow));
            } else if timer.is_some_and(|at| at <= until && at < Time::MAX) {
                self.now = stop;
                self.ring();
            } else {
                // What is sent or set next begins where the network has come.
                if until < Time::MAX {
                    self.now = self.now.max(until);
                }
                return Ok(None);
            }
        }
        Ok(self.due.pop_front())
    }

    /// Whether nothing is due, and nothing is left to happen that would change that.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let is_quiet = self.due.is_empty() && self.timers.is_empty();
        is_quiet && self.session.network().next_event().is_none()
    }

    /// A message has arrived.
    fn arrive(&mut self, flow: u32) {
        let Some(Sent { address, done }) = self.sent[flow as usize].take() else { return };
        self.due.extend(done);
        let Some(first) = self.awaited.get_mut(&address).and_then(VecDeque::pop_front) else {
            *self.arrived.entry(address).or_default() += 1;
            return;
        };
        self.due.push_back(first);
        self.waiting -= 1;
        if self.awaited[&address].is_empty() {
            self.awaited.remove(&address);
        }
    }

    /// The timers of this instant are due.
    fn ring(&mut self) {
        while let Some(timer) = self.timers.first_entry() {
            if timer.key().0 > self.now {
                return;
            }
            self.due.push_back(timer.remove());
        }
    }
}

fn stuck(error: NetRunError) -> MessageError {
    MessageError::Stuck(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network;

    fn messages(topology: &str) -> Messages<u32> {
        Messages::new(network(topology, &[]).unwrap())
    }

    fn all(net: &mut Messages<u32>) -> Vec<(u64, u32)> {
        let mut due = Vec::new();
        while let Some(what) = net.next(Time::MAX).unwrap() {
            due.push((net.now().as_ps(), what));
        }
        due
    }

    #[test]
    fn a_message_may_come_before_its_receive_or_after() {
        let mut net = messages("star:2,10G,1us");
        net.send(0, 1, Bytes::new(1000), 1, 0, None).unwrap();
        net.send(0, 1, Bytes::new(1000), 2, 0, None).unwrap();
        net.receive(0, 1, 2, 20).unwrap();
        net.receive(1, 0, 2, 99).unwrap();
        let due = all(&mut net);
        assert_eq!(due.iter().map(|(_, what)| *what).collect::<Vec<_>>(), [20]);
        assert_eq!(net.unmatched(), (1, 1));
        net.receive(0, 1, 1, 10).unwrap();
        assert_eq!(all(&mut net), [(net.now().as_ps(), 10)], "at once");
        assert_eq!(net.unmatched(), (1, 0));
    }

    #[test]
    fn equal_messages_are_received_in_order_and_each_once() {
        let mut net = messages("star:2,10G,1us");
        for n in 0..3 {
            net.receive(0, 1, 5, n).unwrap();
        }
        for n in 0..4 {
            net.send(0, 1, Bytes::new(3000), 5, 0, Some(10 + n)).unwrap();
        }
        let due: Vec<u32> = all(&mut net).into_iter().map(|(_, what)| what).collect();
        assert_eq!(due, [10, 0, 11, 1, 12, 2, 13]);
        assert_eq!(net.unmatched(), (0, 1));
    }

    #[test]
    fn timers_ring_in_order_and_messages_begin_when_they_are_sent() {
        let mut net = messages("star:3,10G,1us");
        let us = Duration::from_us;
        net.schedule(us(5), 2);
        net.schedule(us(5), 3);
        net.schedule(us(2), 1);
        let mut due = Vec::new();
        while let Some(what) = net.next(Time::MAX).unwrap() {
            if what == 2 {
                net.send(2, 0, Bytes::new(1000), 0, 0, Some(4)).unwrap();
            }
            due.push((net.now().as_ps() / 1_000_000, what));
        }
        // Two links of 1 us and twice 1052 bytes at 10 Gb/s, 0.84 us each.
        assert_eq!(due, [(2, 1), (5, 2), (5, 3), (8, 4)]);
    }

    #[test]
    fn a_run_stops_where_it_is_told_and_goes_on() {
        let mut net = messages("star:2,10G,1us");
        net.send(0, 1, Bytes::new(1_000_000), 0, 0, Some(1)).unwrap();
        let at = |us| Time::ZERO + Duration::from_us(us);
        assert_eq!(net.next(at(10)).unwrap(), None);
        assert_eq!((net.next(at(20)).unwrap(), net.now()), (None, at(20)));
        net.schedule(Duration::from_us(5), 2);
        net.schedule(Duration::MAX, 3); // never
        assert_eq!((net.next(Time::MAX).unwrap(), net.now()), (Some(2), at(25)));
        assert_eq!(net.next(at(2000)).unwrap(), Some(1));
        assert!(net.now() > at(800), "{}", net.now());
        assert_eq!(net.next(Time::MAX).unwrap(), None);
    }

    #[test]
    fn impossible_messages_are_refused_and_change_nothing() {
        let mut net = messages("star:2,10G,1us");
        assert!(net.send(0, 2, Bytes::new(1), 0, 0, None).is_err());
        assert!(net.send(0, 0, Bytes::new(1), 0, 0, None).is_err());
        assert!(net.receive(2, 0, 0, 1).is_err());
        assert_eq!((all(&mut net), net.unmatched()), (Vec::new(), (0, 0)));
        net.send(0, 1, Bytes::new(1), 0, 0, Some(7)).unwrap();
        assert_eq!(all(&mut net).len(), 1, "flows are still numbered as messages are");
    }
}
