//! A queue of jobs in front of one processor, with an attacker among its users: how much of what
//! the others send is served, under each policy.
//!
//! The others ask for a third of the processor's time, in jobs of 1500 bytes that take a
//! microsecond. The attacker sends a fiftieth of their bytes, in small jobs that cost four times
//! the processor's time.
//!
//! ```sh
//! cargo run --release -p forebay-surge --example under_attack
//! ```

use std::cell::Cell;

use forebay_surge::estimate::Given;
use forebay_surge::policies::policies;
use forebay_surge::{FlowKey, Protect, ProtectConfig, SurgeError};
use forebay_units::{Bytes, Duration, Time};

struct Job {
    user: u64,
    bytes: u64,
    work: Duration,
}

const ATTACKER: u64 = 0;
const TICK: Duration = Duration::from_us(3);
const TICKS: u64 = 100_000;

fn main() -> Result<(), SurgeError> {
    println!("{:<18} {:>16} {:>16}", "policy", "innocent, served", "attack, served");
    for policy in policies().names() {
        let [attack, innocent] = served(policy)?;
        println!("{:<18} {innocent:>14.1} % {attack:>14.1} %", policy);
    }
    Ok(())
}

/// The shares of the attacker's and of the others' jobs that were run, in percent.
fn served(policy: &str) -> Result<[f64; 2], SurgeError> {
    let now = Cell::new(Time::ZERO); // a virtual clock, which work moves on
    let config = ProtectConfig::under(policy)?;
    let describe = |job: &Job| (FlowKey(job.user), Bytes::new(job.bytes));
    let estimate = Given::new(|job: &Job| job.work.as_secs_f64());
    let process = |job: Job| {
        now.set(now.get() + job.work);
        usize::from(job.user != ATTACKER)
    };
    let mut queue = Protect::new(&config, describe, estimate, process)?;

    let (mut offered, mut done) = ([0_u32; 2], [0_u32; 2]);
    for tick in 0..TICKS {
        let arrival = Time::ZERO + TICK * tick;
        while now.get() < arrival {
            match queue.poll(|| now.get()) {
                Some(job) => done[job.result] += 1,
                None => now.set(arrival),
            }
        }
        let _ = queue
            .offer(arrival, Job { user: 1 + tick % 50, bytes: 1500, work: Duration::from_us(1) });
        offered[1] += 1;
        if tick % 2 == 0 {
            let _ = queue
                .offer(arrival, Job { user: ATTACKER, bytes: 64, work: Duration::from_us(24) });
            offered[0] += 1;
        }
    }
    Ok([0, 1].map(|who| 100.0 * f64::from(done[who]) / f64::from(offered[who])))
}
