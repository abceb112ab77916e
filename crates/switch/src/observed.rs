//! A switch that is watched: everything that happens to packets in it is told to an observer. A
//! layer around any [`SwitchModel`], so that a switch that nobody watches pays nothing.
//!
//! A watched switch does what the same switch does unwatched; only the network's short cut for
//! first-in first-out queues ([`SwitchModel::is_fifo`]) is not taken, which changes the speed and
//! no result.

use forebay_units::{Bytes, Time};

use crate::packet::{FlowId, Handle};
use crate::{DropStates, Gauge, Losses, Lost, Pause, PauseCounts, SwitchModel, TrimCounts};

/// Who watches a switch. Calls come in the order of time.
pub trait SwitchObserver {
    /// Whether it wants to be told anything; a driver may leave out what it would only compute to
    /// tell.
    const WATCHES: bool = true;

    /// A packet has arrived for `port`; if the switch refuses it, [`lost`](SwitchObserver::lost)
    /// comes next.
    fn arrived(&mut self, now: Time, port: u16, packet: &Handle);

    /// The switch gave a packet up.
    fn lost(&mut self, now: Time, lost: &Lost);

    /// `port` begins to send a packet.
    fn left(&mut self, now: Time, port: u16, packet: &Handle);

    /// The neighbour behind a port pauses a class of what leaves through it, or lets it go on.
    fn paused(&mut self, now: Time, pause: &Pause) {
        let _ = (now, pause);
    }

    /// The switch wants the neighbour behind a port to pause a class, or to go on.
    fn asked(&mut self, now: Time, pause: &Pause) {
        let _ = (now, pause);
    }

    /// Whether gauges are to be read now. Asked after every call that may have changed them.
    fn reads(&mut self, now: Time) -> bool;

    /// A gauge, as it stands after what happened at `now`.
    fn gauge(&mut self, now: Time, gauge: &Gauge);
}

/// Nobody: for drivers that tell an observer of whatever type. Compiles to nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwatched;

impl SwitchObserver for Unwatched {
    const WATCHES: bool = false;

    #[inline(always)]
    fn arrived(&mut self, _: Time, _: u16, _: &Handle) {}
    #[inline(always)]
    fn lost(&mut self, _: Time, _: &Lost) {}
    #[inline(always)]
    fn left(&mut self, _: Time, _: u16, _: &Handle) {}
    #[inline(always)]
    fn reads(&mut self, _: Time) -> bool {
        false
    }
    #[inline(always)]
    fn gauge(&mut self, _: Time, _: &Gauge) {}
}

/// A switch and who watches it.
///
/// ```
/// use forebay_switch::{
///     DropTailSwitch, PortLimits, Gauge, Handle, Losses, Lost, Observed, SwitchModel, SwitchObserver, SwitchShape,
/// };
/// use forebay_units::{Rate, Time};
///
/// #[derive(Default)]
/// struct Count(u32);
/// impl SwitchObserver for Count {
///     fn arrived(&mut self, _: Time, _: u16, _: &Handle) { self.0 += 1; }
///     fn lost(&mut self, _: Time, _: &Lost) {}
///     fn left(&mut self, _: Time, _: u16, _: &Handle) {}
///     fn reads(&mut self, _: Time) -> bool { false }
///     fn gauge(&mut self, _: Time, _: &Gauge) {}
/// }
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10)] };
/// let plain = DropTailSwitch::new(&shape, &PortLimits::default());
/// let mut switch = Observed::new(plain, Count::default());
/// switch.arrive(Time::ZERO, 0, Handle::new(1, 1500), &mut Losses::default());
/// assert_eq!(switch.observer().0, 1);
/// ```
#[derive(Debug)]
pub struct Observed<S, O> {
    switch: S,
    observer: O,
    /// The instant of the last event inside the switch.
    now: Time,
}

impl<S, O: SwitchObserver> Observed<S, O> {
    /// `switch`, watched by `observer`.
    pub fn new(switch: S, observer: O) -> Self {
        Observed { switch, observer, now: Time::ZERO }
    }

    /// The switch itself.
    #[must_use]
    pub fn switch(&self) -> &S {
        &self.switch
    }

    /// Who watches it.
    #[must_use]
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Tells what was lost beyond the first `told`, which a driver that makes several calls before
    /// it empties the list has left there.
    fn tell_lost<P: Copy + Into<Handle>>(&mut self, now: Time, lost: &Losses<P>, told: usize) {
        for Lost { port, cause, packet } in lost.iter().copied().skip(told) {
            self.observer.lost(now, &Lost { port, cause, packet: packet.into() });
        }
    }

    /// Tells what was lost, and reads the gauges if they are wanted.
    fn tell<P: Copy + Into<Handle>>(&mut self, now: Time, lost: &Losses<P>, told: usize)
    where
        S: SwitchModel<P>,
    {
        self.tell_lost(now, lost, told);
        if self.observer.reads(now) {
            let observer = &mut self.observer;
            self.switch.gauges(&mut |gauge| observer.gauge(now, &gauge));
        }
    }
}

impl<P: Copy + Into<Handle>, S: SwitchModel<P>, O: SwitchObserver> SwitchModel<P>
    for Observed<S, O>
{
    #[inline]
    fn arrive(&mut self, now: Time, port: u16, packet: P, lost: &mut Losses<P>) {
        self.observer.arrived(now, port, &packet.into());
        let told = lost.iter().len();
        self.switch.arrive(now, port, packet, lost);
        self.tell(now, lost, told);
    }

    #[inline]
    fn next(&mut self, now: Time, port: u16, lost: &mut Losses<P>) -> Option<P> {
        let told = lost.iter().len();
        let left = self.switch.next(now, port, lost);
        if let Some(packet) = left {
            self.observer.left(now, port, &packet.into());
        }
        self.tell(now, lost, told);
        left
    }

    fn is_empty(&self, port: u16) -> bool {
        self.switch.is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        self.switch.backlog()
    }

    fn next_event(&mut self) -> Option<Time> {
        self.switch.next_event()
    }

    #[inline]
    fn advance(&mut self, now: Time, lost: &mut Losses<P>) {
        self.now = now;
        let told = lost.iter().len();
        self.switch.advance(now, lost);
        self.tell(now, lost, told);
    }

    fn settle(&mut self, now: Time, lost: &mut Losses<P>) {
        let told = lost.iter().len();
        self.switch.settle(now, lost);
        self.tell_lost(now, lost, told);
    }

    fn pauses(&mut self, tell: &mut dyn FnMut(Pause)) {
        let (observer, now) = (&mut self.observer, self.now);
        self.switch.pauses(&mut |pause| {
            observer.asked(now, &pause);
            tell(pause);
        });
    }

    fn pause(&mut self, now: Time, pause: Pause) {
        self.observer.paused(now, &pause);
        self.switch.pause(now, pause);
    }

    fn pause_counts(&self, now: Time) -> Option<PauseCounts> {
        self.switch.pause_counts(now)
    }

    fn waits(&self, input: u16, class: u8, output: u16) -> bool {
        self.switch.waits(input, class, output)
    }

    fn trim_counts(&self) -> Option<TrimCounts> {
        self.switch.trim_counts()
    }

    fn head_size(&self, port: u16, class: u8) -> Option<u32> {
        self.switch.head_size(port, class)
    }

    fn drop_states(&self) -> Option<&DropStates> {
        self.switch.drop_states()
    }

    fn flow_added(&mut self, id: FlowId, data: Bytes, on_wire: Bytes) {
        self.switch.flow_added(id, data, on_wire);
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        self.switch.gauges(show);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DropTailSwitch, PortLimits, SwitchShape};
    use forebay_units::Rate;

    #[derive(Default)]
    struct Lose(u32);

    impl SwitchObserver for Lose {
        fn arrived(&mut self, _: Time, _: u16, _: &Handle) {}
        fn lost(&mut self, _: Time, _: &Lost) {
            self.0 += 1;
        }
        fn left(&mut self, _: Time, _: u16, _: &Handle) {}
        fn reads(&mut self, _: Time) -> bool {
            false
        }
        fn gauge(&mut self, _: Time, _: &Gauge) {}
    }

    #[test]
    fn a_loss_is_told_once_however_late_the_list_is_emptied() {
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10)] };
        let limits = PortLimits { limit: Bytes::new(2_000), ..PortLimits::default() };
        let mut switch = Observed::new(DropTailSwitch::new(&shape, &limits), Lose::default());
        let mut lost = Losses::default();
        for told in [0, 1, 2] {
            switch.arrive(Time::ZERO, 0, Handle::new(1, 1_500), &mut lost);
            assert_eq!(switch.observer().0, told);
        }
        // As a network does: it asks for the next packet first, and then empties the list.
        assert!(switch.next(Time::ZERO, 0, &mut lost).is_some());
        switch.advance(Time::ZERO, &mut lost);
        switch.settle(Time::ZERO, &mut lost);
        assert_eq!((switch.observer().0, lost.iter().len()), (2, 2));
    }
}
