//! Sixteen senders answer at once through one port: what each switch loses of them, and when the
//! last packet is out.
//!
//! The switches have the memory that they come with, so their numbers say what they do, not which
//! is best. A policy of one's own joins them through [`Catalogue`].
//!
//! ```sh
//! cargo run --release -p forebay-switch --example incast
//! ```

use std::error::Error;

use forebay_parameters::Entry;
use forebay_switch::{Catalogue, Handle, Links, Lost, SwitchModel, SwitchShape, Traffic};
use forebay_units::{Bytes, Rate, Time};

const SENDERS: u32 = 16;
const ANSWER: Bytes = Bytes::new(600_000);
const PACKET: u32 = 1500;

/// The answers, packet by packet in turn, as fast as the senders' links allow.
#[derive(Default)]
struct Incast {
    arrived: u32,
    lost: u32,
    last: Time,
}

impl Incast {
    const PACKETS: u32 = SENDERS * (ANSWER.get() / PACKET as u64) as u32;

    fn rate() -> Rate {
        Rate::from_gbps(10)
    }
}

impl<S: SwitchModel> Traffic<S> for Incast {
    fn next_at(&self) -> Option<Time> {
        let round = u64::from(self.arrived / SENDERS + 1);
        (self.arrived < Self::PACKETS)
            .then(|| Time::ZERO + Self::rate().time_for(Bytes::new(u64::from(PACKET) * round)))
    }

    fn arrive(&mut self, _: Time, _: &mut S) -> Option<(u16, Handle)> {
        let sender = self.arrived % SENDERS;
        self.arrived += 1;
        Some((0, Handle::numbered(self.arrived, sender, PACKET)))
    }

    fn sent(&mut self, _: &Handle, _begin: Time, end: Time) {
        self.last = end;
    }

    fn lost(&mut self, _: &Lost, _: Time, _: &S) {
        self.lost += 1;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let rates = [Incast::rate(); 2];
    let catalogue = Catalogue::default();
    println!("{:<24} {:>12} {:>14}", "switch", "lost", "last one out");
    for info in catalogue.switches() {
        let mut switch =
            catalogue.switch(info.name())?.build(&SwitchShape { index: 0, ports: &rates })?;
        for sender in 0..SENDERS {
            switch.flow_added(sender, ANSWER, ANSWER);
        }
        let mut links = Links::new(&mut switch, &rates, Incast::default());
        while links.step() {}
        let Incast { lost, last, .. } = links.traffic;
        println!(
            "{:<24} {lost:>5} of {:>5} {:>14}",
            info.name(),
            Incast::PACKETS,
            last.to_string()
        );
    }
    Ok(())
}
