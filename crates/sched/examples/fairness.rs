//! How fair each scheduler is at one link: the normalized fairness measure and refusals, by
//! weights.
//!
//! Four flows with packets of 1500 bytes at 10 Gb/s, each with up to 16 packets waiting; one that
//! is refused is offered again after the next packet has left. Weight sets as gearbox Table 3, and
//! one of 1 : 10,000. `gearbox-auto` has its levels chosen for the set, from as many FIFOs as it
//! needs (in brackets).

use forebay_parameters::{Choice, Entry, listed, set};
use forebay_sched::Packet;
use forebay_sched::fair::gearbox::{GearboxConfig, GearboxError, WeightRange};
use forebay_sched::fair::measure::{Sent, fairness_over};
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, schedulers};
use forebay_units::{Bytes, Duration, Rate, Time};

const SETS: [[u32; 4]; 5] =
    [[1, 1, 1, 1], [2, 2, 1, 1], [50, 50, 1, 1], [100, 100, 1, 1], [10_000, 10_000, 1, 1]];
const WAITING: u32 = 16;
const SIZE: u32 = 1500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("normalized fairness over 1 ms, over 10 ms (0 is fair); refused offers, %");
    for weights in SETS {
        println!("\nweights {weights:?}");
        let total: u32 = weights.iter().sum();
        let given = [
            ("weights", weights.map(|weight| weight.to_string()).join(":")),
            ("total_weight", total.to_string()),
        ];
        let auto = levels_for(&weights)?.fifos();
        for mut scheduler in schedulers() {
            let reads = listed(&mut scheduler);
            let read = |name: &str| reads.iter().any(|one| one.parameter.name == name);
            for one in given.iter().filter(|(name, _)| read(name)) {
                set(&mut scheduler, core::slice::from_ref(one))?;
            }
            let mut title = scheduler.name().to_owned();
            if title == "gearbox-auto" {
                let fifos = auto.to_string();
                title = format!("{title} ({fifos})");
                set(&mut scheduler, &[("fifos", fifos)])?;
            }
            report(&title, &scheduler, &weights)?;
        }
    }
    Ok(())
}

/// The smallest Gearbox that takes 16 packets of the lightest flow.
fn levels_for(weights: &[u32]) -> Result<GearboxConfig, GearboxError> {
    let range = |fifos| WeightRange {
        heaviest: weights.iter().copied().max().unwrap_or(1),
        total_weight: weights.iter().sum(),
        packet: Bytes::new(u64::from(SIZE)),
        backlog: WAITING,
        ..WeightRange::new(fifos)
    };
    match GearboxConfig::for_weights(&range(0)) {
        Err(GearboxError::Budget { needed: Some(needed), .. }) => {
            GearboxConfig::for_weights(&range(needed))
        }
        other => other,
    }
}

fn report(
    title: &str,
    scheduler: &Choice<dyn PacketScheduler>,
    weights: &[u32],
) -> Result<(), Box<dyn std::error::Error>> {
    let rate = Rate::from_gbps(10);
    let mut scheduler = scheduler.build(&SchedulerShape::of_link(rate))?;
    let step = rate.time_for(Bytes::new(u64::from(SIZE)));
    let (mut now, until) = (Time::ZERO, Time::ZERO + Duration::from_ms(500));
    let mut waiting = vec![0u32; weights.len()];
    let (mut sent, mut offers, mut refusals) = (Vec::new(), 0u64, 0u64);
    while now < until {
        for (flow, waiting) in (0..).zip(&mut waiting) {
            while *waiting < WAITING {
                offers += 1;
                let packet = Packet { flow, size: SIZE, ..Packet::default() };
                if scheduler.enqueue(now, packet).is_err() {
                    refusals += 1;
                    break;
                }
                *waiting += 1;
            }
        }
        if let Some(packet) = scheduler.dequeue(now) {
            waiting[packet.flow as usize] -= 1;
            sent.push(Sent { at: now, flow: packet.flow, bytes: packet.size });
        }
        while let Some((packet, _)) = scheduler.take_dropped() {
            waiting[packet.flow as usize] -= 1;
            refusals += 1;
        }
        now += step;
    }
    // The first 50 ms are the start.
    let span = (Time::ZERO + Duration::from_ms(50), until);
    let mean = |scale| {
        let windows = fairness_over(&sent, weights, span, Duration::from_ms(scale));
        let measured = windows.iter().flatten();
        measured.clone().sum::<f64>() / measured.count() as f64
    };
    let refused = 100.0 * refusals as f64 / offers as f64;
    println!("{title:20} {:6.2} {:6.2} {refused:6.1}", mean(1), mean(10));
    Ok(())
}
