//! One pseudo channel of an HBM2E stack, written and read back: where a stream's rows lie decides
//! how much of the bandwidth it gets.
//!
//! 256 bytes of each row are moved, with the rows in turn over one bank, over the four banks of a
//! bank group, over one bank of each group, and over all sixteen.
//!
//! ```sh
//! cargo run --release -p forebay-mem --example layouts
//! ```

use std::error::Error;

use forebay_mem::{BankAddress, ControllerConfig, Direction, HbmConfig, PseudoChannel, Request};
use forebay_units::Time;

const ROWS: u32 = 8192;
const BYTES_OF_A_ROW: u64 = 256;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:<18} {:>12} {:>12}", "rows over", "write, Gb/s", "read, Gb/s");
    for (name, groups, banks) in
        [("one bank", 1, 1), ("one bank group", 1, 4), ("four groups", 4, 1), ("all banks", 4, 4)]
    {
        let mut channel =
            PseudoChannel::new(&HbmConfig::samsung_hbm2e(), &ControllerConfig::fr_fcfs())?;
        let written = stream(&mut channel, Direction::Write, groups, banks, Time::ZERO)?;
        let read = stream(&mut channel, Direction::Read, groups, banks, written)?;
        let bits = (u64::from(ROWS) * BYTES_OF_A_ROW * 8) as f64;
        let gbps = |from: Time, to: Time| bits / to.since(from).as_secs_f64() / 1e9;
        println!("{name:<18} {:>12.1} {:>12.1}", gbps(Time::ZERO, written), gbps(written, read));
    }
    Ok(())
}

/// Moves the rows one way, from `now` on; when the last is done.
fn stream(
    channel: &mut PseudoChannel,
    direction: Direction,
    groups: u32,
    banks: u32,
    mut now: Time,
) -> Result<Time, Box<dyn Error>> {
    let HbmConfig { geometry, timing, .. } = HbmConfig::samsung_hbm2e();
    let columns = (BYTES_OF_A_ROW / geometry.access_bytes.get()) as u16;
    let mut last = now;
    for turn in 0..ROWS {
        let bank =
            BankAddress { group: (turn % groups) as u8, bank: (turn / groups % banks) as u8 };
        let row = turn / (groups * banks);
        // The memory is driven: while its queue is full, time goes on by a clock.
        while !channel.has_room() {
            now += timing.t_ck;
            channel.advance(now, &mut |done| last = done.at);
        }
        let (id, access) = (u64::from(turn), geometry.access_bytes);
        channel.submit(now, Request::new(id, direction, bank, row, columns, access))?;
    }
    while let Some(next) = channel.next_event() {
        channel.advance(next, &mut |done| last = done.at);
    }
    Ok(last)
}
