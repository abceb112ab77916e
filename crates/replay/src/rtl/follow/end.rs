//! What is compared when everything has been told: counters, registers, and that nothing is left.

use super::Follower;
use crate::rtl::difference::Place;
use crate::rtl::events::Register;
use crate::rtl::run::Step;
use crate::rtl::watch::Totals;

/// Registers of the whole core that are compared.
const REGISTERS: usize = 2;

impl Follower<'_> {
    /// The counters come port by port, each port's by their numbers.
    pub(super) fn counter(
        &mut self,
        cycle: u64,
        (port, number): (u16, u16),
        packets: u32,
        bytes: u64,
    ) -> Step {
        let counters = self.model.get(usize::from(port)).map(Totals::counters).unwrap_or_default();
        let due = (self.counted / counters.len(), self.counted % counters.len());
        let known = counters.get(usize::from(number));
        let Some(known) = known.filter(|_| due == (port.into(), number.into())) else {
            let switch = format!("counter {} of port {} is due", due.1, due.0);
            let core = format!("counter {number}");
            return Self::part(Place::Counter, cycle, None, Some(port), core, switch);
        };
        self.counted += 1;
        if (u64::from(packets), bytes) == (known.packets, known.bytes) {
            return Ok(());
        }
        let core = format!("counter {number}: {packets} packets, {bytes} B");
        let switch = format!("{} packets, {} B", known.packets, known.bytes);
        Self::part(Place::Counter, cycle, None, Some(port), core, switch)
    }

    /// At the end: as many packets were malformed, and all cells are free again.
    pub(super) fn register(&mut self, cycle: u64, register: Register, value: u32) -> Step {
        let known = match register {
            Register::Malformed => self.malformed,
            Register::Free => self.config.cells,
        };
        self.counted += 1;
        if value == known {
            return Ok(());
        }
        let (core, switch) = (format!("{value} {}", register.words()), known.to_string());
        Self::part(Place::Counter, cycle, None, None, core, switch)
    }

    /// Every packet has come, and has been sent or lost.
    pub(super) fn end(&mut self, cycle: u64) -> Step {
        self.ended = true;
        let left = [self.find(self.next, true), self.find(self.next_malformed, false)];
        if let Some(at) = left.into_iter().flatten().next() {
            let packet = Some(&self.packets[at]);
            return Self::part(Place::Event, cycle, packet, None, "it never came", "it is due");
        }
        let waiting = self.queues.iter().chain(&self.leaving).flatten().chain(&self.let_in).next();
        if let Some(at) = waiting {
            let packet = self.packets[*at as usize];
            let port = Some(packet.port);
            return Self::part(
                Place::Event,
                cycle,
                Some(&packet),
                port,
                "it never left",
                "it waits",
            );
        }
        let all = self.model.len() * Totals::default().counters().len() + REGISTERS;
        if self.counted == all {
            return Ok(());
        }
        let (core, switch) = (format!("{} counters", self.counted), format!("there are {all}"));
        Self::part(Place::Counter, cycle, None, None, core, switch)
    }
}
