//! The trait that every switch implements.

use alloc::boxed::Box;

use forebay_units::{Bytes, Rate, Time};

use crate::packet::{FlowId, Handle};
use crate::{DropCause, DropStates, Gauge, Losses, Pause, PauseCounts, TrimCounts};

/// A switch as its model sees it when it is made.
#[derive(Clone, Copy, Debug)]
pub struct SwitchShape<'a> {
    /// Which switch.
    pub index: u32,
    /// The rate of each of its ports.
    pub ports: &'a [Rate],
}

/// A switch: packets arrive for an output port, and leave when that port asks. It knows a packet as
/// a `P`: by its handle, but for a [traffic manager](crate::manager::TrafficManager) that is driven
/// by itself.
///
/// Ports are those of [`SwitchShape`]. Every packet that arrived is exactly one of held, given out
/// by [`next`](SwitchModel::next), or put into the losses; one that was trimmed is what is left of
/// it. Calls come in the order of time. What a
/// model does may depend on its state and its arguments only, and not on [`Handle::packet`].
///
/// A model in which something happens by itself (an expulsion, the end of a transfer, a shaped
/// packet that becomes ready) says when in [`next_event`](SwitchModel::next_event); models without
/// such events leave out the last three methods, and pay nothing for them.
pub trait SwitchModel<P = Handle> {
    /// A packet has arrived completely and is to leave through `port`. It may be refused, or push
    /// others out: what is given up goes into `lost`, with the port it was for.
    fn arrive(&mut self, now: Time, port: u16, packet: P, lost: &mut Losses<P>);

    /// `port` is free: the packet it sends next. `None` although packets wait, if none can leave
    /// yet: the port then stalls, and is asked again after the switch's next event or the next
    /// arrival for it.
    fn next(&mut self, now: Time, port: u16, lost: &mut Losses<P>) -> Option<P>;

    /// Whether nothing waits at `port`, neither ready nor stalled.
    fn is_empty(&self, port: u16) -> bool;

    /// Bytes that wait, over all ports.
    fn backlog(&self) -> Bytes;

    /// When something will next happen inside; `None` if nothing will before the next call. Asked
    /// after every other call; after [`advance`](SwitchModel::advance) it must lie in the future.
    /// There must be such an instant while a port is stalled, unless it is
    /// [paused](SwitchModel::pause).
    fn next_event(&mut self) -> Option<Time> {
        None
    }

    /// Lets everything happen that is due at `now`.
    fn advance(&mut self, now: Time, lost: &mut Losses<P>) {
        let _ = (now, lost);
    }

    /// Does until `now` what it had put off to its next call, so that what is read off it is true
    /// at `now`.
    fn settle(&mut self, now: Time, lost: &mut Losses<P>) {
        let _ = (now, lost);
    }

    /// Hands over what the neighbours behind its ports are to be told: which of them must pause a
    /// class, and which may go on. A model that has something to tell has an event at that instant;
    /// whoever drives it asks after [`advance`](SwitchModel::advance).
    fn pauses(&mut self, tell: &mut dyn FnMut(Pause)) {
        let _ = tell;
    }

    /// The neighbour behind a port wants no more packets of a class, or wants them again. A port
    /// that has none but paused packets gives out none, without an event that would end that: it is
    /// asked again after the pause.
    fn pause(&mut self, now: Time, pause: Pause) {
        let _ = (now, pause);
    }

    /// What flow control did in it until `now`, if it has lossless classes.
    fn pause_counts(&self, now: Time) -> Option<PauseCounts> {
        let _ = now;
        None
    }

    /// Whether packets of a class that came through `input` wait for the port `output`. O(packets):
    /// for whoever looks for deadlocks.
    fn waits(&self, input: u16, class: u8, output: u16) -> bool {
        let _ = (input, class, output);
        false
    }

    /// What it has trimmed so far, if it trims packets.
    fn trim_counts(&self) -> Option<TrimCounts> {
        None
    }

    /// The size in bytes of the packet of a class that leaves `port` next, if one waits: for
    /// whoever keeps the accounts of credit. A model that does not say is never driven by credit.
    fn head_size(&self, port: u16, class: u8) -> Option<u32> {
        let _ = (port, class);
        None
    }

    /// What it was like whenever it lost a packet, if it keeps account of that.
    fn drop_states(&self) -> Option<&DropStates> {
        None
    }

    /// Shows what can be read off the switch. O(queues); for traces, so it costs nothing unless
    /// asked.
    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        let _ = show;
    }

    /// A flow's size is known from now on: the bytes of its data, and those of its data packets
    /// with their headers, for whoever ranks by either. Told again, the size has changed.
    fn flow_added(&mut self, id: FlowId, data: Bytes, on_wire: Bytes) {
        let _ = (id, data, on_wire);
    }

    /// Whether the packets of a port leave in the order they came, and none that was let in is
    /// given up. When each leaves is then known as it comes, and the network may hold the packets
    /// in the model's place: for each it calls [`admit`](SwitchModel::admit), then
    /// [`begin`](SwitchModel::begin), and none of `arrive`, `next` and `is_empty`.
    fn is_fifo(&self) -> bool {
        false
    }

    /// As [`arrive`](SwitchModel::arrive), but the packet is not given to the model; it may be
    /// marked, and waits for its port until it begins.
    ///
    /// # Errors
    /// Why it is refused. A model that [is not first-in first-out](SwitchModel::is_fifo) is not
    /// asked.
    fn admit(&mut self, port: u16, packet: &mut P) -> Result<(), DropCause> {
        let _ = (port, packet);
        Err(DropCause::NoRoute)
    }

    /// The packet that has waited longest for `port`, of `size` bytes, begins to be sent.
    fn begin(&mut self, port: u16, size: u32) {
        let _ = (port, size);
    }
}

impl<P, S: SwitchModel<P> + ?Sized> SwitchModel<P> for Box<S> {
    fn arrive(&mut self, now: Time, port: u16, packet: P, lost: &mut Losses<P>) {
        (**self).arrive(now, port, packet, lost);
    }

    fn next(&mut self, now: Time, port: u16, lost: &mut Losses<P>) -> Option<P> {
        (**self).next(now, port, lost)
    }

    fn is_empty(&self, port: u16) -> bool {
        (**self).is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        (**self).backlog()
    }

    fn next_event(&mut self) -> Option<Time> {
        (**self).next_event()
    }

    fn advance(&mut self, now: Time, lost: &mut Losses<P>) {
        (**self).advance(now, lost);
    }

    fn settle(&mut self, now: Time, lost: &mut Losses<P>) {
        (**self).settle(now, lost);
    }

    fn pauses(&mut self, tell: &mut dyn FnMut(Pause)) {
        (**self).pauses(tell);
    }

    fn pause(&mut self, now: Time, pause: Pause) {
        (**self).pause(now, pause);
    }

    fn pause_counts(&self, now: Time) -> Option<PauseCounts> {
        (**self).pause_counts(now)
    }

    fn waits(&self, input: u16, class: u8, output: u16) -> bool {
        (**self).waits(input, class, output)
    }

    fn trim_counts(&self) -> Option<TrimCounts> {
        (**self).trim_counts()
    }

    fn head_size(&self, port: u16, class: u8) -> Option<u32> {
        (**self).head_size(port, class)
    }

    fn drop_states(&self) -> Option<&DropStates> {
        (**self).drop_states()
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        (**self).gauges(show);
    }

    fn flow_added(&mut self, id: FlowId, data: Bytes, on_wire: Bytes) {
        (**self).flow_added(id, data, on_wire);
    }

    fn is_fifo(&self) -> bool {
        (**self).is_fifo()
    }

    fn admit(&mut self, port: u16, packet: &mut P) -> Result<(), DropCause> {
        (**self).admit(port, packet)
    }

    fn begin(&mut self, port: u16, size: u32) {
        (**self).begin(port, size);
    }
}
