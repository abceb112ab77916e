//! Prints where the golden model of Gearbox's core puts each of a fixed stream of packets, and in
//! which order they leave, one line an operation:
//! `cargo run --release -p forebay-sched --example gearbox_core`.
//!
//! Few flows with times of very different sizes, so that all levels and both sets are used and some
//! packets are refused.

use forebay_sched::fair::gearbox::{GearboxCore, GearboxDescriptor};

const OPERATIONS: u32 = 6000;

/// A linear congruential generator; its upper bits are even enough.
struct Stream(u64);

impl Stream {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % bound
    }
}

fn main() {
    let (mut stream, mut core) = (Stream(1), GearboxCore::default());
    for operation in 0..OPERATIONS {
        // Fills for half of each thousand operations, and drains.
        let share = if operation % 1000 < 500 { 3 } else { 1 };
        if stream.below(4) < share {
            let flow = stream.below(40) as u16;
            let time = 1 + stream.below(1 << (2 * (flow % 8)));
            let length = 64 + stream.below(1437) as u16;
            let packet = GearboxDescriptor { pointer: operation as u16, length, time, flow };
            match core.enqueue(packet) {
                Ok(at) => println!("{operation} taken {} {} {}", at.unit, at.level, at.fifo),
                Err(_) => println!("{operation} refused"),
            }
        } else {
            match core.dequeue() {
                Some((packet, at)) => {
                    let GearboxDescriptor { pointer, flow, .. } = packet;
                    println!(
                        "{operation} left {pointer} {flow} {} {} {}",
                        at.unit, at.level, at.fifo
                    );
                }
                None => println!("{operation} nothing"),
            }
        }
    }
}
