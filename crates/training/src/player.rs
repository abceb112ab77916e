//! Runs a job over a network.
//!
//! Rank r is host r. A node begins when those that it waits for are done; a computation also waits
//! for its processor, which takes the node with the smallest number of those that may begin. Sends,
//! receives and collectives of a rank take no processor and go on at the same time.

mod measured;
mod processor;
mod running;
mod watched;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::rc::{Rc, Weak};

use forebay_net::flow::MAX_FLOWS;
use forebay_net_run::{Messages, Session};
use forebay_units::{Bytes, Time};

use crate::error::NodeName;
use crate::exchange::{Exchange, Patterns, exchange, messages};
use crate::job::{Collective, Operation, Processor};
use crate::plan::Plan;
use processor::Processors;
use running::Running;
pub use watched::Span;
use watched::Watched;

/// Why a job does not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayError {
    /// More ranks than hosts.
    Hosts {
        /// How many ranks.
        ranks: usize,
        /// How many hosts.
        hosts: u32,
    },
    /// More messages than a network carries.
    TooMany,
    /// There is no such rank to watch.
    NoRank {
        /// Which one.
        rank: u32,
        /// How many ranks there are.
        ranks: usize,
    },
    /// A node's message or collective is impossible.
    Node {
        /// Which one.
        node: NodeName,
        /// Why.
        problem: String,
    },
    /// A message makes no progress.
    Stuck(String),
    /// The network's time was over, or nothing is left to happen.
    Unfinished {
        /// When.
        at: Time,
        /// A node that is not done.
        node: NodeName,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Hosts { ranks, hosts } => write!(
                f,
                "the job has {ranks} ranks, the network {hosts} hosts: give a network of {ranks}"
            ),
            PlayError::TooMany => write!(
                f,
                "the job sends more than {MAX_FLOWS} messages: give a part of it, or collectives \
                 by trees"
            ),
            PlayError::NoRank { rank, ranks } => write!(
                f,
                "there is no rank {rank} among {ranks}: give 0 to {}",
                ranks.saturating_sub(1)
            ),
            PlayError::Node { node, problem } => write!(f, "{node}: {problem}"),
            PlayError::Stuck(problem) => f.write_str(problem),
            PlayError::Unfinished { at, node } => write!(
                f,
                "{node} is not done at {at}, and nothing is left to happen: give the run more \
                 time, and check that paths stay up"
            ),
        }
    }
}

impl std::error::Error for PlayError {}

/// Of a node that is done and waits for nothing.
const DONE: u32 = u32::MAX;

/// What is due.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// A computation.
    Computed(u32),
    /// The message of this send has arrived.
    Arrived(u32),
    /// A message of a collective has arrived.
    Part { together: u32, message: u32 },
}

/// A job that runs.
///
/// ```
/// use forebay_net_run::network;
/// use forebay_training::{Job, Operation, Patterns, Plan, Player};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let mut job = Job::of(2);
/// let (tag, bytes) = (0, Bytes::new(1000));
/// let mut sender = job.rank(0).ok_or("no such rank")?;
/// let computed = sender.compute("work", Duration::from_us(5), &[]);
/// sender.add("tell", Operation::Send { to: 1, tag, bytes }, &[computed]);
/// let mut receiver = job.rank(1).ok_or("no such rank")?;
/// receiver.add("hear", Operation::Receive { from: 0, tag, bytes }, &[]);
///
/// let net = network("star:2,10G,1us", &[])?;
/// let mut player = Player::new(Plan::new(job)?, net, Patterns::default())?;
/// assert!(player.advance(Time::MAX)?, "done");
/// let report = player.report();
/// assert_eq!(report.ranks[0].compute_us, 5.0);
/// // Two links of 1 µs, and twice 1052 bytes at 10 Gb/s.
/// assert_eq!(report.end_us, 5.0 + 2.0 + 2.0 * 0.8416);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Player {
    plan: Plan,
    net: Messages<Due>,
    patterns: Patterns,
    /// How many others each node still waits for; a receive for its message, too.
    waits: Vec<u32>,
    processors: Processors,
    /// The collectives under way.
    running: HashMap<u32, Running>,
    /// What collectives of a kind, number of members and size send, while one is under way.
    exchanges: HashMap<(Collective, u32, Bytes), Weak<Exchange>>,
    /// Nodes that may begin now, the smallest number first.
    ready: BinaryHeap<Reverse<u32>>,
    /// Processors that may have become free, or have more to do.
    touched: Vec<(usize, Processor)>,
    sent: u64,
    done: u32,
    ranks: Vec<OfRank>,
    watched: Option<Watched>,
}

#[derive(Clone, Debug, Default)]
struct OfRank {
    end: Time,
    sent: u64,
    iterations: Vec<Time>,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Player at {}, {} of {} nodes done", self.now(), self.done, self.plan.nodes())
    }
}

impl Player {
    /// A job before it begins, in a network without flows.
    ///
    /// # Errors
    /// The network has too few hosts, or the job more messages than a network carries.
    pub fn new(plan: Plan, net: Session, patterns: Patterns) -> Result<Self, PlayError> {
        let net = Messages::new(net);
        let ranks = plan.job.ranks.len();
        if ranks > net.hosts() as usize {
            return Err(PlayError::Hosts { ranks, hosts: net.hosts() });
        }
        let of =
            |one: &crate::plan::Together| messages(one.kind, one.members.len() as u64, patterns);
        let all = plan.together.iter().map(of).fold(0, u64::saturating_add);
        if all.saturating_add(plan.nodes().into()) > MAX_FLOWS as u64 {
            return Err(PlayError::TooMany);
        }
        let mut waits = plan.waits.clone();
        for (number, waits) in (0..).zip(&mut waits) {
            let is_receive = matches!(plan.node(number).operation, Operation::Receive { .. });
            *waits += u32::from(is_receive);
        }
        let begins = |node: &u32| waits[*node as usize] == 0;
        let ready = (0..plan.nodes()).filter(begins).map(Reverse).collect();
        Ok(Player {
            net,
            patterns,
            waits,
            processors: Processors::of(ranks),
            running: HashMap::new(),
            exchanges: HashMap::new(),
            ready,
            touched: Vec::new(),
            sent: 0,
            done: 0,
            ranks: vec![OfRank::default(); ranks],
            watched: None,
            plan,
        })
    }

    /// The simulated time.
    #[must_use]
    pub fn now(&self) -> Time {
        self.net.now()
    }

    /// Nodes that are done, and all nodes.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        (self.done, self.plan.nodes())
    }

    /// Whether nothing is left to happen in the network: if the job is not done, it never will be.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.net.is_idle()
    }

    /// Runs up to `until`; whether the job is done. That nothing is left to happen is an error of a
    /// run up to [`Time::MAX`] alone; others say that the job is not done.
    ///
    /// # Errors
    /// The job cannot go on. What was measured so far is in the report.
    pub fn advance(&mut self, until: Time) -> Result<bool, PlayError> {
        self.begin_ready()?;
        while self.done < self.plan.nodes() {
            let next = self.net.next(until);
            match next.map_err(|error| PlayError::Stuck(error.to_string()))? {
                Some(due) => self.due(due)?,
                None if until < Time::MAX => return Ok(false),
                None => return Err(self.unfinished()),
            }
            self.begin_ready()?;
        }
        Ok(true)
    }

    fn unfinished(&self) -> PlayError {
        let is_left = |node: &u32| self.waits[*node as usize] != DONE;
        let node = (0..self.plan.nodes()).find(is_left).unwrap_or(0);
        PlayError::Unfinished { at: self.now(), node: self.plan.name(node) }
    }

    fn due(&mut self, due: Due) -> Result<(), PlayError> {
        match due {
            Due::Computed(node) => {
                let rank = self.plan.rank[node as usize] as usize;
                if let Operation::Compute { on, .. } = self.plan.node(node).operation {
                    self.processors.free(rank, on, self.net.now());
                    self.touched.push((rank, on));
                }
                self.end(node);
            }
            Due::Arrived(send) => {
                self.end(send);
                self.count(self.plan.partner[send as usize]);
            }
            Due::Part { together, message } => self.part(together, message)?,
        }
        Ok(())
    }

    /// One thing less for a node to wait for.
    fn count(&mut self, node: u32) {
        self.waits[node as usize] -= 1;
        if self.waits[node as usize] == 0 {
            self.ready.push(Reverse(node));
        }
    }

    fn end(&mut self, node: u32) {
        self.done += 1;
        self.ends(node);
        self.waits[node as usize] = DONE;
        let rank = &mut self.ranks[self.plan.rank[node as usize] as usize];
        let now = self.net.now();
        rank.end = now;
        let iteration = self.plan.node(node).iteration as usize;
        if rank.iterations.len() <= iteration {
            rank.iterations.resize(iteration + 1, Time::ZERO);
        }
        rank.iterations[iteration] = now;
        for at in 0..self.plan.followers(node).len() {
            self.count(self.plan.followers(node)[at]);
        }
    }

    /// Begins what may begin.
    fn begin_ready(&mut self) -> Result<(), PlayError> {
        while let Some(Reverse(node)) = self.ready.pop() {
            let rank = self.plan.rank[node as usize];
            self.begins(node);
            match self.plan.node(node).operation {
                Operation::Compute { time, .. } if time.as_ps() == 0 => self.end(node),
                Operation::Compute { on, .. } => {
                    self.processors.queue(rank as usize, on, node);
                    self.touched.push((rank as usize, on));
                }
                Operation::Send { to, bytes, .. } => {
                    self.send([rank, to], bytes, node, Due::Arrived(node))?;
                }
                Operation::Receive { .. } => self.end(node),
                Operation::Collective { .. } => self.join(node)?,
            }
        }
        while let Some((rank, on)) = self.touched.pop() {
            self.take(rank, on);
        }
        Ok(())
    }

    /// Lets a processor begin that is free.
    fn take(&mut self, rank: usize, on: Processor) {
        let Some(node) = self.processors.take(rank, on, self.net.now()) else { return };
        self.begins(node);
        if let Operation::Compute { time, .. } = self.plan.node(node).operation {
            self.net.schedule(time, Due::Computed(node));
        }
    }

    /// Sends a message for a node; `due` is due when it has arrived.
    fn send(
        &mut self,
        [from, to]: [u32; 2],
        bytes: Bytes,
        node: u32,
        due: Due,
    ) -> Result<(), PlayError> {
        let sent = self.net.send(from, to, bytes, self.sent, 0, None);
        let sent = sent.and_then(|()| self.net.receive(from, to, self.sent, due));
        sent.map_err(|error| self.refused(node, &error))?;
        self.sent += 1;
        self.ranks[from as usize].sent += bytes.get();
        Ok(())
    }

    fn refused(&self, node: u32, problem: &dyn fmt::Display) -> PlayError {
        PlayError::Node { node: self.plan.name(node), problem: problem.to_string() }
    }

    /// What a collective sends.
    fn exchange(&mut self, node: u32, together: u32) -> Result<Rc<Exchange>, PlayError> {
        let one = &self.plan.together[together as usize];
        let key = (one.kind, one.members.len() as u32, one.bytes);
        if let Some(known) = self.exchanges.get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let made = exchange(key.0, key.1, key.2, self.patterns);
        let made = Rc::new(made.map_err(|error| self.refused(node, &error))?);
        self.exchanges.retain(|_, known| known.strong_count() > 0);
        self.exchanges.insert(key, Rc::downgrade(&made));
        Ok(made)
    }
}

#[cfg(test)]
mod tests;
