//! How much of a burst each scheme takes in while another queue is congested (occamy §2.2, Fig. 3).
//!
//! Port 0 gets 20 Gb/s and sends 10, so that its queue is as long as the scheme lets it be. After a
//! millisecond a burst arrives for port 1 at 28 Gb/s.
//!
//! ```sh
//! cargo run --release -p forebay-buffer --example burst
//! ```

use std::error::Error;

use forebay_buffer::onchip::{ChipConfig, OnChipVerdict, SharedBuffer, policies};
use forebay_parameters::Entry;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Rate, Time};

const PACKET: Bytes = Bytes::new(1500);

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:<18} {:>20} {:>22}", "scheme", "congested queue, KB", "burst without loss, KB");
    for scheme in policies().iter() {
        let mut buffer = SharedBuffer::new(&ChipConfig::default(), scheme)?;
        let (congested, burst) = run(&mut buffer).ok_or("the chip has two ports")?;
        let [congested, burst] = [congested, burst].map(|bytes| bytes.get() as f64 / 1e3);
        println!("{:<18} {congested:>20.1} {burst:>22.1}", scheme.name());
    }
    Ok(())
}

/// What the congested queue holds when the burst begins, and how much of it comes before its first
/// loss.
fn run(buffer: &mut SharedBuffer) -> Option<(Bytes, Bytes)> {
    let (long, short) = (buffer.queue(0, 0)?, buffer.queue(1, 0)?);
    let packet = Packet { size: PACKET.get() as u32, ..Packet::default() };
    let [to_long, to_short, sent] = [20, 28, 10].map(|gbps| Rate::from_gbps(gbps).time_for(PACKET));
    let begin = Time::ZERO + Duration::from_ms(1);
    let mut next = [Time::ZERO, begin, Time::ZERO];
    let (mut congested, mut taken) = (Bytes::ZERO, 0);
    loop {
        let now = next.into_iter().min()?;
        if next[2] == now {
            next[2] += sent;
            buffer.dequeue(now, long);
            buffer.dequeue(now, short);
        } else if next[0] == now {
            next[0] += to_long;
            buffer.enqueue(now, long, packet, Rank::default());
        } else {
            next[1] += to_short;
            if now == begin {
                congested = Bytes::new(buffer.account(long)?.bytes());
            }
            let verdict = buffer.enqueue(now, short, packet, Rank::default());
            // What was let in may be pushed out or expelled later.
            let lost = buffer.losses().iter().any(|loss| loss.queue == short);
            if verdict != OnChipVerdict::Queued || lost {
                return Some((congested, Bytes::new(taken * PACKET.get())));
            }
            taken += 1;
        }
    }
}
