//! A switch with on-chip shared buffers, each under a buffer-management scheme, and a scheduler per
//! port.
//!
//! The buffer is `forebay_buffer::onchip::SharedBuffer`, unchanged; the schemes and the port
//! schedulers are those of its registry and of `forebay_sched::port`. Every port has a queue per
//! class; a packet of a class beyond the last goes to the last.
//!
//! **Pools** (occamy §6.4: every 8 ports share 4 MB, as in a Broadcom Tomahawk): so many
//! neighbouring ports share a memory, and a switch has as many memories as its ports need; the last
//! may serve fewer ports. Each has its own cells, scheme and read bandwidth for expulsions, because
//! on the chip it is a memory of its own. The paper counts 8 MB for a spine switch, which has 8
//! ports in its topology; by its own rule that is 4 MB. We follow the rule; another size for some
//! switches is another configuration.
//!
//! **Open in the paper**: a scheme that estimates drain rates (ABM) is told one port rate; where
//! ports of a pool differ it is the fastest. The memory can read what its ports can send together
//! (§5.3), unless [`OnChipConfig::cells_per_second`] or a memory is given.
//!
//! **Marking** is that of DCTCP (RFC 8257, §3.1), as in [`DropTailSwitch`](super::DropTailSwitch):
//! a packet is marked if its queue, without it, is longer than the threshold when it enters. What
//! its arrival pushed out does not count any more. With [`OnChipConfig::mark_all_above`] marks set
//! in by and by, as DCQCN wants them.
//!
//! **No events** for expulsions: the buffer carries out those that are due when it is next called,
//! at their exact times (see its documentation), so nothing that any port could see depends on
//! being woken. A packet that is expelled is only reported later, at the latest when its port next
//! sends. Only a scheme that drops packets on their way to a port (`occamy-p4`) may stall it, and
//! the end of that is an event.
//!
//! **Lossless classes** ([`PfcConfig`]): a packet is charged to the input that it came through, in
//! the memory of the port that it leaves through; the neighbour behind an input is paused while any
//! memory wants that. Headroom is set aside in each memory for every input of the switch. With
//! [credits](CreditConfig) it is the input's buffer, and no neighbour is paused: whoever drives the
//! switch lets none send more than it holds.
//!
//! O(1) plus what the scheme takes. Memory: what the buffer takes (80 bytes a packet that waits),
//! and a scheduler per port.

mod config;
mod credits;
pub(crate) mod lossless;
mod pfc;
mod ramp;
mod sending;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_buffer::onchip::{OnChipVerdict, SharedBuffer};
use forebay_parameters::{Choice, Entry};
use forebay_sched::RankFunction;
use forebay_sched::port::PortScheduler;
use forebay_units::{Bytes, Rate, Time};

pub use config::OnChipConfig;
pub use credits::CreditConfig;
use lossless::Lossless;
pub use pfc::{FlowControlForm, PfcConfig};
use ramp::Ramp;
use sending::Sending;

use crate::build_error::of_rank;
use crate::drop_states::DropStates;
use crate::flows::{Flows, handle, rank_shape};
use crate::memory;
use crate::packet::{FlowId, Handle};
use crate::readings::{pool_gauges, queue_gauges};
use crate::{
    DropCause, Gauge, Location, Losses, Pause, PauseCounts, SwitchBuildError, SwitchModel,
    SwitchShape,
};

/// Where a port's queues are.
#[derive(Clone, Copy, Debug)]
struct At {
    pool: u16,
    /// The port's number in its pool.
    local: u16,
    /// The number of its class 0.
    queue: u32,
}

/// A switch with on-chip shared buffers.
///
/// ```
/// use forebay_switch::{Handle, Losses, OnChip, OnChipConfig, SwitchModel, SwitchShape};
/// use forebay_units::{Rate, Time};
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(100); 24] };
/// let mut switch = OnChip::new(&shape, &OnChipConfig::named("occamy")?)?;
/// let mut lost = Losses::default();
/// switch.arrive(Time::ZERO, 9, Handle::new(1, 1500), &mut lost);
/// let left = switch.next(Time::ZERO, 9, &mut lost);
/// assert_eq!(left.map(|packet| packet.flow()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnChip {
    pools: Vec<SharedBuffer>,
    places: Vec<At>,
    schedulers: Vec<Box<dyn PortScheduler>>,
    rank: Option<Box<dyn RankFunction>>,
    flows: Flows,
    classes: u16,
    ports_per_pool: u16,
    mark_above: u64,
    /// Which packets beyond are marked, if not all are.
    ramp: Option<Box<Ramp>>,
    backlog: u64,
    /// When the first port may be asked again that a dropped packet keeps waiting.
    wake_at: Option<Time>,
    sending: Vec<Sending>,
    states: Box<DropStates>,
    /// Flow control, if classes are lossless.
    lossless: Option<Box<Lossless>>,
}

impl OnChip {
    /// An empty switch.
    ///
    /// # Errors
    /// If a parameter does not fit, or there is a rank function and the scheme does not read ranks.
    pub fn new(shape: &SwitchShape<'_>, config: &OnChipConfig) -> Result<Self, SwitchBuildError> {
        if config.ports_per_pool == 0 {
            let problem = "a pool needs at least one port";
            return Err(OnChipConfig::PORTS_PER_POOL.refuse(problem).into());
        }
        let needed = config.memory_of_pools(shape.ports);
        if needed > memory::LEFT && !memory::is_granted(needed) {
            return Err(SwitchBuildError::Memory { ports: shape.ports.len(), needed });
        }
        let pools = shape.ports.chunks(config.ports_per_pool.into());
        config.check_lossless()?;
        let pools =
            pools.map(|ports| config.buffer(ports, shape.ports)).collect::<Result<Vec<_>, _>>()?;
        let schedulers = shape.ports.iter().map(|_| config.scheduler());
        let schedulers = schedulers.collect::<Result<_, _>>()?;
        let switch = OnChip {
            mark_above: config.mark_above.map_or(u64::MAX, Bytes::get),
            ramp: config.ramp(shape.index)?.map(Box::new),
            lossless: (config.pfc.is_on())
                .then(|| Box::new(Lossless::new(&config.pfc, shape.ports.len()))),
            ..OnChip::over(pools, config.ports_per_pool, schedulers, shape.ports)
        };
        match &config.rank {
            None => Ok(switch),
            Some(_) if !switch.pools.iter().any(SharedBuffer::reads_ranks) => {
                Err(SwitchBuildError::NotRanked(config.policy.name().to_owned()))
            }
            Some(rank) => switch.ranked_by(rank),
        }
    }

    /// The same switch with packets ranked by this function, for a scheme that reads ranks.
    ///
    /// # Errors
    /// A parameter of the rank function that does not fit.
    pub fn ranked_by(self, rank: &Choice<dyn RankFunction>) -> Result<Self, SwitchBuildError> {
        let rank = rank.build(&rank_shape()).map_err(of_rank)?;
        Ok(OnChip { rank: Some(rank), ..self })
    }

    /// A switch around a buffer of the caller's, which all ports share: for each port its scheduler
    /// and its rate. All packets rank the same, and none is marked.
    #[must_use]
    pub fn sharing(
        buffer: SharedBuffer,
        schedulers: Vec<Box<dyn PortScheduler>>,
        rates: &[Rate],
    ) -> Self {
        OnChip::over(alloc::vec![buffer], rates.len() as u16, schedulers, rates)
    }

    /// The same switch, which tells its neighbours what its memories want them to pause: for a
    /// buffer of the caller's with priority groups. Of `config` the watchdog is read.
    #[must_use]
    pub fn pausing(self, config: &PfcConfig) -> Self {
        let lossless = Lossless::new(config, self.sending.len());
        OnChip { lossless: Some(Box::new(lossless)), ..self }
    }

    fn over(
        pools: Vec<SharedBuffer>,
        ports_per_pool: u16,
        schedulers: Vec<Box<dyn PortScheduler>>,
        rates: &[Rate],
    ) -> Self {
        let classes = pools.first().map_or(1, SharedBuffer::classes);
        let place = |port: u16| At {
            pool: port / ports_per_pool,
            local: port % ports_per_pool,
            queue: u32::from(port % ports_per_pool) * u32::from(classes),
        };
        OnChip {
            pools,
            places: (0..=u16::MAX).zip(rates).map(|(port, _)| place(port)).collect(),
            schedulers,
            rank: None,
            flows: Flows::default(),
            classes,
            ports_per_pool,
            mark_above: u64::MAX,
            ramp: None,
            backlog: 0,
            wake_at: None,
            sending: rates.iter().map(|rate| Sending::idle(*rate)).collect(),
            states: Box::default(),
            lossless: None,
        }
    }

    /// Expels the packet at the head of a queue, whatever the scheme says: for whoever follows a
    /// chip that decides elsewhere what it expels, and when. Nothing happens if the queue is empty
    /// or there is none.
    pub fn expel(&mut self, now: Time, port: u16, class: u8, lost: &mut Losses) {
        if usize::from(port) < self.places.len() && u16::from(class) < self.classes {
            let (pool, queue) = self.queue(port, class);
            let _told_below = self.pools[usize::from(pool)].expel(now, queue);
            self.report(now, pool, lost);
        }
    }

    /// The buffers, to look at: one for every [`OnChipConfig::ports_per_pool`] ports.
    #[must_use]
    pub fn pools(&self) -> &[SharedBuffer] {
        &self.pools
    }

    /// Keeps account of the state in which packets are lost. O(ports).
    #[cold]
    fn count_drops(&mut self, now: Time, pool: u16, packets: usize) {
        let (used, all) = self.pools[usize::from(pool)].occupancy();
        let busy = sending::busy(&self.sending, now);
        for _ in 0..packets {
            self.states.count(f64::from(used) / f64::from(all), busy);
        }
    }

    /// Hands over what the last call on `pool` lost of what had been accepted.
    #[inline]
    fn report(&mut self, now: Time, pool: u16, lost: &mut Losses) {
        if self.lossless.is_some() || !self.pools[usize::from(pool)].losses().is_empty() {
            self.report_losses(now, pool, lost);
        }
    }

    fn report_losses(&mut self, now: Time, pool: u16, lost: &mut Losses) {
        let packets = self.pools[usize::from(pool)].losses().len();
        if packets > 0 {
            self.count_drops(now, pool, packets);
        }
        for loss in self.pools[usize::from(pool)].losses() {
            self.backlog -= u64::from(loss.packet.size);
            let local = (loss.queue / u32::from(self.classes)) as u16;
            let port = pool * self.ports_per_pool + local;
            lost.push(port, loss.cause, handle(&loss.packet));
        }
        if let Some(lossless) = &mut self.lossless {
            let pool = &mut self.pools[usize::from(pool)];
            lossless.collect(now, || pool.next_pause_call());
        }
    }

    /// The memory and the number of a queue of a port.
    fn queue(&self, port: u16, class: u8) -> (u16, u32) {
        let place = self.places[usize::from(port)];
        (place.pool, place.queue + u32::from(class))
    }

    /// Whether the watchdog keeps a packet out.
    fn is_emptied(&self, port: u16, class: u32) -> bool {
        self.lossless.as_ref().is_some_and(|lossless| lossless.is_emptied(port, class as u8))
    }

    /// Empties the queues that have been paused for too long.
    #[cold]
    fn watch(&mut self, now: Time, lost: &mut Losses) {
        loop {
            let (pools, places) = (&self.pools, &self.places);
            let holds = |port: u16, class: u8| {
                let place = places[usize::from(port)];
                let account =
                    pools[usize::from(place.pool)].account(place.queue + u32::from(class));
                account.is_some_and(|account| account.packets() > 0)
            };
            let Some(lossless) = &mut self.lossless else { return };
            let Some((port, class)) = lossless.next_storm(now, holds) else {
                lossless.restore(now);
                return lossless.offer_calls();
            };
            let (pool, queue) = self.queue(port, class);
            self.pools[usize::from(pool)].drain(now, queue, DropCause::Watchdog);
            self.report(now, pool, lost);
        }
    }
}

impl SwitchModel for OnChip {
    #[inline]
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        let place = self.places[usize::from(port)];
        let class = u32::from(packet.class()).min(u32::from(self.classes) - 1);
        if self.lossless.is_some() && self.is_emptied(port, class) {
            return lost.push(port, DropCause::Watchdog, packet);
        }
        let pool = &mut self.pools[usize::from(place.pool)];
        let queue = place.queue + class;
        let entering = self.flows.packet(packet);
        let rank = self.rank.as_mut().map_or_else(Default::default, |r| r.rank(now, &entering));
        match pool.enqueue(now, queue, entering, rank) {
            OnChipVerdict::Queued => {
                let size = u64::from(packet.size());
                self.backlog += size;
                let length = pool.account(queue).map_or(0, |account| account.bytes());
                let waiting = length - size;
                if waiting > self.mark_above
                    && self.ramp.as_mut().is_none_or(|ramp| ramp.marks(waiting))
                {
                    pool.mark_tail(queue);
                }
                if let Some(lossless) = &mut self.lossless {
                    lossless.entered(now, port, class as u8);
                }
            }
            OnChipVerdict::Dropped(cause) => {
                lost.push(port, cause, packet);
                self.count_drops(now, place.pool, 1);
            }
        }
        self.report(now, place.pool, lost);
    }

    #[inline]
    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        let place = self.places[usize::from(port)];
        let pool = &mut self.pools[usize::from(place.pool)];
        let paused = self.lossless.as_ref().map_or(0, |lossless| lossless.paused(port));
        let schedulers = &mut self.schedulers;
        let departure = if paused != 0 {
            let is_open = |class| paused >> class & 1 == 0;
            pool.serve_open(now, place.local, &mut *schedulers[usize::from(port)], is_open)
        } else if self.classes == 1 {
            pool.dequeue(now, place.queue)
        } else {
            pool.serve(now, place.local, &mut *schedulers[usize::from(port)])
        };
        let free_from = pool.free_from(place.local);
        self.report(now, place.pool, lost);
        if free_from > now {
            self.wake_at = Some(self.wake_at.map_or(free_from, |at| at.min(free_from)));
        }
        let packet = departure?.packet;
        self.backlog -= u64::from(packet.size);
        self.sending[usize::from(port)].begin(now, packet.size);
        Some(handle(&packet))
    }

    #[inline]
    fn is_empty(&self, port: u16) -> bool {
        let place = self.places[usize::from(port)];
        let pool = &self.pools[usize::from(place.pool)];
        let is_empty = |queue| pool.account(queue).is_none_or(|account| account.packets() == 0);
        match self.classes {
            1 => is_empty(place.queue),
            classes => (place.queue..place.queue + u32::from(classes)).all(is_empty),
        }
    }

    fn backlog(&self) -> Bytes {
        Bytes::new(self.backlog)
    }

    #[inline]
    fn next_event(&mut self) -> Option<Time> {
        match &self.lossless {
            None => self.wake_at,
            Some(lossless) => lossless.next_event_or(self.wake_at),
        }
    }

    fn advance(&mut self, now: Time, lost: &mut Losses) {
        self.wake_at = self.wake_at.filter(|at| *at > now);
        if self.lossless.is_some() {
            self.watch(now, lost);
        }
    }

    fn pauses(&mut self, tell: &mut dyn FnMut(Pause)) {
        if let Some(lossless) = &mut self.lossless {
            lossless.tell(tell);
        }
    }

    fn pause(&mut self, now: Time, pause: Pause) {
        let (pool, queue) = self.queue(pause.port, pause.class);
        let account = self.pools[usize::from(pool)].account(queue);
        let holds = account.is_some_and(|account| account.packets() > 0);
        if let Some(lossless) = &mut self.lossless {
            lossless.pause(now, pause, holds);
        }
    }

    fn pause_counts(&self, now: Time) -> Option<PauseCounts> {
        let counts = self.lossless.as_ref()?.counts(now);
        let most = self
            .pools
            .iter()
            .map(|pool| Bytes::new(u64::from(pool.headroom().1) * u64::from(pool.memory().cell)));
        Some(PauseCounts { headroom_most: most.max().unwrap_or_default(), ..counts })
    }

    fn waits(&self, input: u16, class: u8, output: u16) -> bool {
        let (pool, queue) = self.queue(output, class);
        self.pools[usize::from(pool)].holds_of(input, queue)
    }

    fn head_size(&self, port: u16, class: u8) -> Option<u32> {
        let (pool, queue) = self.queue(port, class);
        self.pools[usize::from(pool)].head(queue).map(|packet| packet.size)
    }

    fn settle(&mut self, now: Time, lost: &mut Losses) {
        for pool in 0..self.pools.len() as u16 {
            self.pools[usize::from(pool)].advance(now);
            self.report(now, pool, lost);
        }
    }

    fn drop_states(&self) -> Option<&DropStates> {
        Some(&self.states)
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        for (number, pool) in (0..=u16::MAX).zip(&self.pools) {
            pool_gauges(pool, number, show);
        }
        for (port, place) in (0..=u16::MAX).zip(&self.places) {
            let pool = &self.pools[usize::from(place.pool)];
            for class in 0..self.classes {
                let at = match self.classes {
                    1 => Location::Port(port),
                    _ => Location::Queue { port, class },
                };
                queue_gauges(pool, place.queue + u32::from(class), at, show);
            }
        }
    }

    fn flow_added(&mut self, id: FlowId, data: Bytes, _on_wire: Bytes) {
        if self.rank.is_some() {
            self.flows.add(id, data);
        }
    }
}

#[cfg(test)]
mod tests;
