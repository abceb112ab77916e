//! Flow control of a hybrid switch: its parameters, and what its ports are told.

use alloc::vec::Vec;

use forebay_buffer::onchip::{IngressConfig, MemoryConfig, PRIORITIES};
use forebay_parameters::{Configure, Parameter, ParameterError, Renamed, Walk};
use forebay_pifo::TieredQueue;
use forebay_units::{Bytes, Rate, Time};

use super::{Hybrid, HybridConfig};
use crate::manager::ManagerConfig;
use crate::on_chip::lossless::Lossless;
use crate::{Losses, Pause, PauseCounts, PfcConfig};

/// Flow control at the ports of a hybrid switch.
pub(super) struct HybridLossless {
    ports: Lossless,
    /// Packets of each lossless class that wait for each port.
    waiting: Vec<u32>,
    classes: [bool; PRIORITIES],
}

impl HybridLossless {
    /// `None` if no class is lossless.
    pub(super) fn new(config: &PfcConfig, ports: usize) -> Option<Self> {
        let without = PfcConfig { watchdog: None, ..config.clone() };
        config.is_on().then(|| HybridLossless {
            ports: Lossless::new(&without, ports),
            waiting: alloc::vec![0; ports * PRIORITIES],
            classes: config.by_class(),
        })
    }

    /// A packet waits for a port from now on.
    pub(super) fn entered(&mut self, now: Time, port: u16, class: u8) {
        if let Some(waiting) = self.waiting(port, class) {
            *waiting += 1;
            self.ports.entered(now, port, class);
        }
    }

    /// A packet has left. Those of lossless classes go no other way.
    pub(super) fn left(&mut self, port: u16, class: u8) {
        if let Some(waiting) = self.waiting(port, class) {
            *waiting -= 1;
        }
    }

    fn waiting(&mut self, port: u16, class: u8) -> Option<&mut u32> {
        let is_lossless = self.classes.get(usize::from(class)).is_some_and(|one| *one);
        let index = usize::from(port) * PRIORITIES + usize::from(class);
        if is_lossless { self.waiting.get_mut(index) } else { None }
    }

    pub(super) fn pause(&mut self, now: Time, pause: Pause) {
        let holds = self.waiting(pause.port, pause.class).is_some_and(|packets| *packets > 0);
        self.ports.pause(now, pause, holds);
    }

    pub(super) fn next_event_or(&self, other: Option<Time>) -> Option<Time> {
        self.ports.next_event_or(other)
    }

    pub(super) fn offer_calls(&mut self) {
        self.ports.offer_calls();
    }

    pub(super) fn tell(&mut self, tell: &mut dyn FnMut(Pause)) {
        self.ports.tell(tell);
    }

    pub(super) fn counts(&self, now: Time) -> PauseCounts {
        self.ports.counts(now)
    }
}

impl<Q: TieredQueue> Hybrid<Q> {
    /// Takes over what neighbours are to be told.
    #[inline]
    pub(super) fn collect(&mut self, now: Time) {
        if let Some(lossless) = &mut self.lossless {
            let manager = &mut self.manager;
            lossless.ports.collect(now, || manager.next_pause_call());
        }
    }

    /// Whether the packet whose turn it is at a port is of a class that is paused there.
    #[cold]
    pub(super) fn is_held(&mut self, now: Time, port: u16, lost: &mut Losses) -> bool {
        let paused = self.lossless.as_ref().map_or(0, |lossless| lossless.ports.paused(port));
        if paused == 0 {
            return false;
        }
        let front = self.manager.front(now, port);
        self.report(lost);
        front.is_some_and(|packet| paused >> (packet.class & 7) & 1 != 0)
    }
}

impl HybridConfig {
    /// Shows flow control by pauses, without its watchdog, which would have to take packets out of
    /// the order.
    pub(super) fn walk_pfc(&mut self, walk: &mut dyn Walk) {
        let without =
            [PfcConfig::FORM, PfcConfig::WATCHDOG, PfcConfig::RESTORE].map(|one| one.name);
        self.pfc.walk(&mut Renamed::new(walk, |one: &Parameter| {
            (!without.contains(&one.name)).then(|| one.clone())
        }));
    }

    /// What the inputs may hold of the SRAM.
    ///
    /// # Errors
    /// Headroom leaves no room for a batch beside it.
    pub(super) fn ingress(&self, ports: &[Rate]) -> Result<Option<IngressConfig>, ParameterError> {
        let ManagerConfig { sram, staging, cell, largest_packet, .. } = self.memory;
        let cell = u32::try_from(cell.get()).unwrap_or(u32::MAX);
        let memory = MemoryConfig { cell, ..MemoryConfig::default() };
        let Some(ingress) = self.pfc.ingress(ports, &memory, largest_packet) else {
            return Ok(None);
        };
        let headroom = Bytes::new(ingress.headroom_cells().saturating_mul(cell.into()));
        let least = headroom.get().saturating_add((staging + self.memory.row_bytes()).get());
        if sram.get() < least {
            return Err(ManagerConfig::SRAM.refuse(format_args!(
                "headroom of {headroom} beside a staging buffer of {staging} leaves no room for \
                 one batch of {} in an SRAM of {sram}; give it at least {}, or less headroom",
                self.memory.row_bytes(),
                Bytes::new(least)
            )));
        }
        Ok(Some(ingress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DropCause, Handle, SwitchModel, SwitchShape};
    use alloc::vec::Vec;
    use forebay_parameters::set;
    use forebay_pifo::TieredExact;

    /// Two ports over 100 cells of 1500 bytes beside 20 of headroom an input, and an HBM that takes
    /// nothing; class 3 is lossless.
    fn switch(scheme: &str) -> Hybrid<TieredExact> {
        let mut config = HybridConfig::named(scheme).unwrap();
        let given = [
            ("sram", "214500 B"),
            ("cell", "1500 B"),
            ("staging", "4500 B"),
            ("hbm.rows", "1"),
            ("hbm.bank_groups", "1"),
            ("hbm.banks_per_group", "1"),
            ("pfc.lossless", "3"),
            ("pfc.headroom", "30 KB"),
            ("pfc.pause_above", "60 KB"),
        ];
        set(&mut config, &given).unwrap();
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
        Hybrid::exact(&shape, &config).unwrap()
    }

    fn packet(flow: u32, class: u8, input: u16) -> Handle {
        Handle::new(flow, 1500).with_class(class).with_input(input)
    }

    /// What is told, and what was lost, when packets of a class arrive at one instant.
    fn burst(
        switch: &mut Hybrid<TieredExact>,
        (flow, class, input): (u32, u8, u16),
        count: u32,
    ) -> (Vec<bool>, Vec<DropCause>) {
        let (mut lost, mut told) = (Losses::default(), Vec::new());
        let mut causes = Vec::new();
        for _ in 0..count {
            switch.arrive(Time::ZERO, 0, packet(flow, class, input), &mut lost);
            switch.manager().audit().unwrap();
            while let Some(one) = lost.pop() {
                causes.push(one.cause);
            }
        }
        switch.advance(Time::ZERO, &mut lost);
        switch.pauses(&mut |pause| {
            assert_eq!((pause.port, pause.class), (input, 3));
            told.push(pause.on);
        });
        (told, causes)
    }

    #[test]
    fn what_finds_no_room_calls_for_a_pause_and_takes_headroom() {
        for scheme in ["themis", "greedy-hybrid", "dt-hybrid", "occamy-hybrid"] {
            let mut switch = switch(scheme);
            switch.flow_added(1, Bytes::new(9_000), Bytes::new(9_000));
            // 40 cells below the threshold, 3 in staging, and the first that finds neither.
            assert_eq!(burst(&mut switch, (1, 3, 1), 43), (Vec::new(), Vec::new()), "{scheme}");
            assert_eq!(burst(&mut switch, (1, 3, 1), 20), (alloc::vec![true], Vec::new()));
            let full = burst(&mut switch, (1, 3, 1), 1);
            assert_eq!(full, (Vec::new(), alloc::vec![DropCause::HeadroomFull]), "{scheme}");
            assert_eq!(switch.pause_counts(Time::ZERO).unwrap().headroom_most, Bytes::new(30_000));
            // Lossy packets have the rest of the SRAM, and none of the other input's headroom.
            let lossy = burst(&mut switch, (2, 0, 1), 100).1;
            assert!(lossy.len() >= 40, "{scheme}: {}", lossy.len());
            assert_eq!(burst(&mut switch, (1, 3, 0), 20).1, [], "{scheme}");
        }
    }

    #[test]
    fn a_paused_class_stays_and_the_pause_ends_as_packets_leave() {
        let mut switch = switch("greedy-hybrid");
        switch.flow_added(1, Bytes::new(9_000), Bytes::new(9_000));
        assert_eq!(burst(&mut switch, (1, 3, 1), 45).0, [true]);
        let pause = |on| Pause { port: 0, class: 3, on };
        let mut lost = Losses::default();
        switch.pause(Time::ZERO, pause(true));
        assert!(switch.next(Time::ZERO, 0, &mut lost).is_none());
        assert!(switch.waits(1, 3, 0) && !switch.waits(0, 3, 0) && !switch.waits(1, 3, 1));
        let (mut now, mut sent) = (Time::ZERO, 0);
        switch.pause(now, pause(false));
        let mut told = Vec::new();
        while sent < 45 {
            sent += u32::from(switch.next(now, 0, &mut lost).is_some());
            now = switch.next_event().unwrap_or(now).max(now);
            switch.advance(now, &mut lost);
            switch.pauses(&mut |pause| told.push((pause.on, sent)));
            switch.manager().audit().unwrap();
        }
        // 42 cells, of which 2 are headroom: 38 are two packets below the threshold.
        assert_eq!(told, [(false, 4)]);
        assert!(switch.next(now, 0, &mut lost).is_none() && lost.pop().is_none());
    }
}
