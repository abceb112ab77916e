//! A policy around a policy: it scans all queues at each decision, works out by itself what the
//! decision must be, and panics if the policy inside decides otherwise.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed test is a panic

use forebay_buffer::Descriptor;
use forebay_buffer::onchip::{
    Admission, Alpha, DtConfig, End, Exit, OccamyConfig, OccamyP4Config, OnChipPolicy, PoolShape,
    PoolView, Removal, Victim,
};
use forebay_units::Time;

/// A packet that waits: its queue, rank and arrival number.
#[derive(Clone, Copy)]
struct Waiting {
    queue: u32,
    rank: u64,
    arrival: u64,
}

/// Looks over the shoulder of a policy and checks what it decides.
pub(crate) struct Witness {
    name: String,
    inner: Box<dyn OnChipPolicy>,
    shape: PoolShape,
    from: End,
    members: Vec<u32>,
    /// The packets that wait, by id.
    waiting: Vec<Option<Waiting>>,
    arrivals: u64,
    /// Quasi-pushout's register.
    register: Option<u32>,
    /// The first queue that Occamy looks at next.
    turn: u32,
    /// When the pool was seen, with the free cells and the length of every queue.
    seen: Vec<(Time, u32, Vec<u32>)>,
}

impl Witness {
    pub(crate) fn new(
        name: &str,
        inner: Box<dyn OnChipPolicy>,
        from: End,
        shape: &PoolShape,
    ) -> Self {
        let members = (0..).zip(&shape.queues).filter(|(_, queue)| queue.member);
        let members = members.map(|(number, _)| number).collect();
        let shape = shape.clone();
        let (waiting, arrivals, register, turn) = (Vec::new(), 0, None, 0);
        let (name, seen) = (name.to_owned(), Vec::new());
        Witness { name, inner, shape, from, members, waiting, arrivals, register, turn, seen }
    }

    // ---- What the decisions follow from, by
    // scans ------------------------------------------------

    fn longest(&self, pool: PoolView<'_>) -> u32 {
        self.members.iter().map(|queue| pool.length(*queue)).max().unwrap()
    }

    /// The queue's own limit, or `rule` of B and N.
    fn limit(&self, queue: u32, rule: fn(u32, u32) -> u32) -> u32 {
        let members = self.members.len() as u32;
        let own = self.shape.queues[queue as usize].limit;
        own.unwrap_or_else(|| rule(self.shape.capacity, members))
    }

    fn alpha(&self, queue: u32, default: Alpha) -> f64 {
        self.shape.queues[queue as usize].alpha.unwrap_or(default).get()
    }

    /// Occamy: how far the queue is above its threshold or below it, q / α.
    fn free_needed(&self, pool: PoolView<'_>, queue: u32) -> f64 {
        let alpha = self.alpha(queue, OccamyConfig::default().alpha);
        (f64::from(pool.length(queue)) / alpha).ceil()
    }

    fn over(&self, pool: PoolView<'_>, queue: u32) -> bool {
        let threshold = self.alpha(queue, OccamyConfig::default().alpha) * f64::from(pool.free());
        f64::from(pool.length(queue)) > threshold.floor()
    }

    fn see(&mut self, now: Time, pool: PoolView<'_>) {
        let lengths = (0..self.shape.queues.len() as u32).map(|queue| pool.length(queue));
        self.seen.push((now, pool.free(), lengths.collect()));
    }

    /// The P4 prototype: free cells and lengths that SYNC packets have read by `now`. Nothing
    /// changes between two looks at the pool, so a SYNC packet reads what is seen next.
    fn synchronized(&self, now: Time) -> (u32, Vec<u32>) {
        let interval = OccamyP4Config::default().sync_interval;
        let last = Time::ZERO + interval * (now.as_ps() / interval.as_ps());
        let read = self.seen.iter().find(|(at, _, _)| *at >= last).unwrap();
        (read.1, read.2.clone())
    }

    /// An event at `queue`: quasi-pushout's register takes the longer one.
    fn compare(&mut self, pool: PoolView<'_>, queue: u32) {
        let named = self.register.map_or(0, |queue| pool.length(queue));
        if pool.length(queue) > named {
            self.register = Some(queue);
        }
    }

    // ----
    // Admission --------------------------------------------------------------------------------

    fn check_admission(
        &self,
        now: Time,
        pool: PoolView<'_>,
        queue: u32,
        cells: u32,
        answer: Admission,
    ) {
        let length = pool.length(queue);
        let within = |limit: u32| {
            if length + cells <= limit { Admission::Accept } else { Admission::Drop }
        };
        let dynamic =
            |default| within((self.alpha(queue, default) * f64::from(pool.free())).floor() as u32);
        let even = |capacity: u32, members: u32| capacity / members;
        let expected = match self.name.as_str() {
            "complete-sharing" => Admission::Accept,
            "static-partition" => within(self.limit(queue, even)),
            "smxq" => within(self.limit(queue, |capacity, members| {
                let fits = |limit: &u32| limit * limit * members <= capacity * capacity;
                (0..=capacity).rev().find(fits).unwrap()
            })),
            "harmonic" => within(self.harmonic_limit(pool, queue, length + cells)),
            "dt" => dynamic(DtConfig::default().alpha),
            "abm" => within(self.inner.threshold(pool, queue).unwrap()),
            "occamy" | "occamy-longest" | "occamy-rank" => dynamic(OccamyConfig::default().alpha),
            "occamy-p4" => {
                let delay = OccamyP4Config::default().sync_delay;
                let sync = (now.as_ps() >= delay.as_ps())
                    .then(|| self.synchronized(Time::ZERO + now.since(Time::ZERO + delay)));
                let empty = || (self.shape.capacity, vec![0; self.shape.queues.len()]);
                let (free, lengths) = sync.unwrap_or_else(empty);
                let alpha = self.alpha(queue, OccamyP4Config::default().alpha);
                let threshold = (alpha * f64::from(free)).floor() as u32;
                let within = lengths[queue as usize] + cells <= threshold;
                if within { Admission::Accept } else { Admission::Drop }
            }
            "pushout" | "pot" | "quasi-pushout" if cells <= pool.free() => Admission::Accept,
            "pot" if length >= self.limit(queue, even) => Admission::Drop,
            "pushout" => self.push_out(pool, self.from, queue, cells, answer),
            "pot" => self.push_out(pool, self.from, queue, cells, answer),
            "quasi-pushout" => self.quasi_push_out(pool, queue, cells),
            name => panic!("say what {name} must decide"),
        };
        assert_eq!(answer, expected, "{}: {cells} cells for queue {queue}", self.name);
    }

    fn harmonic_limit(&self, pool: PoolView<'_>, queue: u32, with_packet: u32) -> u32 {
        let ahead = |other: &&u32| **other != queue && pool.length(**other) >= with_packet;
        let place = 1 + self.members.iter().filter(ahead).count();
        let sum: f64 = (1..=self.members.len()).map(|place| 1.0 / place as f64).sum();
        (f64::from(pool.capacity()) / (place as f64 * sum)).floor() as u32
    }

    /// Only the longest queue pays, the arriving packet counted in its own. Of several as long,
    /// any.
    fn push_out(
        &self,
        pool: PoolView<'_>,
        from: End,
        queue: u32,
        cells: u32,
        answer: Admission,
    ) -> Admission {
        let longest = self.longest(pool);
        if pool.length(queue) + cells >= longest {
            return own(pool, from, queue);
        }
        let chosen = match answer {
            Admission::PushOut(Victim::Head(chosen) | Victim::Tail(chosen)) => chosen,
            _ => panic!("{}: queue {queue} is not the longest and pays", self.name),
        };
        assert_eq!(pool.length(chosen), longest, "{}: queue {chosen} pays", self.name);
        Admission::PushOut(end(from, chosen))
    }

    /// The queue that the register names pays if it is longer than the arriving packet's own.
    fn quasi_push_out(&self, pool: PoolView<'_>, queue: u32, cells: u32) -> Admission {
        let from = self.from;
        match self.register {
            Some(named) if pool.length(named) > pool.length(queue) + cells => {
                Admission::PushOut(end(from, named))
            }
            _ => own(pool, from, queue),
        }
    }

    // ----
    // Expulsion --------------------------------------------------------------------------------

    fn check_expulsion(&self, pool: PoolView<'_>, victim: Option<Victim>) {
        let queues = self.shape.queues.len() as u32;
        let in_turn = (0..queues)
            .map(|step| (self.turn + step) % queues)
            .find(|queue| self.members.contains(queue) && self.over(pool, *queue));
        let expected = match self.name.as_str() {
            "occamy" => in_turn.map(Victim::Head),
            "occamy-longest" => in_turn.map(|_| Victim::Head(self.furthest(pool, victim))),
            "occamy-rank" => in_turn.map(|queue| Victim::Packet(self.largest_rank(queue))),
            _ => None,
        };
        assert_eq!(victim, expected, "{}", self.name);
    }

    /// The most over-allocated queue; of several, the one chosen.
    fn furthest(&self, pool: PoolView<'_>, victim: Option<Victim>) -> u32 {
        let needed = |queue: u32| self.free_needed(pool, queue);
        let most = self.members.iter().map(|queue| needed(*queue)).fold(0.0, f64::max);
        let Some(Victim::Head(chosen)) = victim else { panic!("{}: {victim:?}", self.name) };
        assert!(needed(chosen) >= most, "{}: queue {chosen} is not the furthest", self.name);
        chosen
    }

    /// The packet of `queue` with the largest rank, the youngest of several.
    fn largest_rank(&self, queue: u32) -> u32 {
        let packets = (0..).zip(&self.waiting);
        let packets = packets.filter_map(|(id, packet)| packet.map(|packet| (id, packet)));
        let of_queue = packets.filter(|(_, packet)| packet.queue == queue);
        of_queue.max_by_key(|(_, packet)| (packet.rank, packet.arrival)).unwrap().0
    }
}

fn end(from: End, queue: u32) -> Victim {
    match from {
        End::Head => Victim::Head(queue),
        End::Tail => Victim::Tail(queue),
    }
}

/// The arriving packet's own queue pays: with its head if that is the end, or with the packet
/// itself.
fn own(pool: PoolView<'_>, from: End, queue: u32) -> Admission {
    if from == End::Head && pool.length(queue) > 0 {
        Admission::PushOut(Victim::Head(queue))
    } else {
        Admission::Drop
    }
}

impl OnChipPolicy for Witness {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        assert!(self.members.contains(&arriving.queue));
        let lengths: u32 = self.members.iter().map(|queue| pool.length(*queue)).sum();
        assert_eq!(lengths, pool.used());
        // What it is asked for is what the queue's reservation, as it is now, does not cover.
        let account = pool.account(arriving.queue);
        let wanted = arriving.packet.size.div_ceil(self.shape.cell.get() as u32);
        let reserved = account.reserved().saturating_sub(account.cells());
        assert_eq!(cells, wanted.saturating_sub(reserved));
        assert!(cells > 0);
        self.compare(pool, arriving.queue);
        self.see(arriving.arrived, pool);
        let answer = self.inner.admit(pool, arriving, cells);
        self.check_admission(arriving.arrived, pool, arriving.queue, cells, answer);
        answer
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        self.inner.threshold(pool, queue)
    }

    fn next_expulsion(&mut self, pool: PoolView<'_>) -> Option<Victim> {
        let victim = self.inner.next_expulsion(pool);
        self.check_expulsion(pool, victim);
        victim
    }

    fn expels(&self) -> bool {
        self.inner.expels()
    }

    fn reads_alpha(&self) -> bool {
        self.inner.reads_alpha()
    }

    fn reads_ranks(&self) -> bool {
        self.inner.reads_ranks()
    }

    fn exit(&mut self, now: Time, pool: PoolView<'_>, departing: &Descriptor) -> Exit {
        self.see(now, pool);
        let answer = self.inner.exit(now, pool, departing);
        let free = self.synchronized(now).0;
        let alpha = self.alpha(departing.queue, OccamyP4Config::default().alpha);
        let over = f64::from(pool.length(departing.queue)) > (alpha * f64::from(free)).floor();
        assert_eq!(answer != Exit::Send, over && self.name == "occamy-p4", "{}", self.name);
        answer
    }

    fn enqueued(&mut self, pool: PoolView<'_>, id: u32, packet: &Descriptor) {
        self.waiting.resize(self.waiting.len().max(id as usize + 1), None);
        let waiting =
            Waiting { queue: packet.queue, rank: packet.rank.get(), arrival: self.arrivals };
        self.waiting[id as usize] = Some(waiting);
        self.arrivals += 1;
        self.compare(pool, packet.queue);
        self.inner.enqueued(pool, id, packet);
    }

    fn removed(&mut self, pool: PoolView<'_>, id: u32, packet: &Descriptor, how: Removal) {
        self.waiting[id as usize] = None;
        if how == Removal::Expelled {
            self.turn = packet.queue + 1;
        }
        self.compare(pool, packet.queue);
        self.inner.removed(pool, id, packet, how);
    }
}
