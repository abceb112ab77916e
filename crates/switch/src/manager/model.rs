//! The traffic manager as a switch, for whoever drives it with packets of its own: it has no
//! handles, and its flows the numbers and sizes that the packets say.

use forebay_pifo::TieredQueue;
use forebay_sched::Packet;
use forebay_units::{Bytes, Time};

use super::{Loss, TrafficManager, Verdict};
use crate::readings::hybrid_gauges;
use crate::{Gauge, Location, Losses, SwitchModel};

/// Hands over what the last call lost of what had been accepted: mostly nothing.
#[inline]
fn report<Q: TieredQueue>(manager: &TrafficManager<Q>, lost: &mut Losses<Packet>) {
    if !manager.losses.is_empty() {
        hand_over(&manager.losses, lost);
    }
}

#[inline(never)]
fn hand_over(losses: &[Loss], lost: &mut Losses<Packet>) {
    for loss in losses {
        lost.push(loss.port, loss.cause, loss.packet);
    }
}

impl<Q: TieredQueue> SwitchModel<Packet> for TrafficManager<Q> {
    #[inline]
    fn arrive(&mut self, now: Time, port: u16, packet: Packet, lost: &mut Losses<Packet>) {
        if let Verdict::Dropped(cause) = self.accept(now, port, &packet) {
            lost.push(port, cause, packet);
        }
        report(self, lost);
    }

    #[inline]
    fn next(&mut self, now: Time, port: u16, lost: &mut Losses<Packet>) -> Option<Packet> {
        let departure = self.dequeue(now, port);
        report(self, lost);
        Some(departure?.packet)
    }

    #[inline]
    fn is_empty(&self, port: u16) -> bool {
        self.backlog(port) == 0
    }

    fn backlog(&self) -> Bytes {
        Bytes::new(self.ports.iter().map(|port| port.bytes).sum())
    }

    #[inline]
    fn next_event(&mut self) -> Option<Time> {
        TrafficManager::next_event(self)
    }

    #[inline]
    fn advance(&mut self, now: Time, lost: &mut Losses<Packet>) {
        self.advance(now);
        report(self, lost);
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        hybrid_gauges(self, show);
        for (port, state) in (0..=u16::MAX).zip(&self.ports) {
            let location = Location::Port(port);
            show(Gauge::Level { location, name: "waiting bytes", bytes: state.bytes });
        }
    }
}
