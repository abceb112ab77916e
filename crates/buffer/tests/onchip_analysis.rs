//! What the paper derives (occamy §4.2, §4.4), found again by driving the buffer. Packets are one
//! cell.
#![allow(clippy::unwrap_used)]

use forebay_buffer::onchip::{
    Alpha, ChipConfig, MemoryConfig, OnChipVerdict, SharedBuffer, policies,
};
use forebay_parameters::set;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Rate, Time};

const CELL: u32 = 100;

/// `queues` ports of one queue and `cells` cells; a head drop every `cycle`.
fn buffer(name: &str, alpha: Alpha, queues: u16, cells: u64, cycle: Duration) -> SharedBuffer {
    let chip = ChipConfig {
        ports: queues,
        capacity: Bytes::new(cells * u64::from(CELL)),
        memory: MemoryConfig {
            cell: CELL,
            cycle,
            sublists: 1,
            descriptor_cycles: 1,
            ..MemoryConfig::default()
        },
        largest_packet: CELL,
        descriptors: cells as u32,
        ..ChipConfig::default()
    };
    let mut policy = policies().named(name).unwrap().clone();
    set(&mut policy, &[("alpha", alpha.to_string())]).unwrap();
    SharedBuffer::new(&chip, &policy).unwrap()
}

fn offer(buffer: &mut SharedBuffer, now: Time, queue: u32) -> bool {
    let packet = Packet { size: CELL, ..Packet::default() };
    buffer.enqueue(now, queue, packet, Rank::default()) == OnChipVerdict::Queued
}

fn length(buffer: &SharedBuffer, queue: u32) -> f64 {
    f64::from(buffer.account(queue).unwrap().cells())
}

/// Offers packets to the first `queues` queues in turn until none is accepted.
fn flood(buffer: &mut SharedBuffer, now: Time, queues: u32) {
    // Every queue is asked, whatever the others say.
    while (0..queues).fold(false, |any, queue| offer(buffer, now, queue) | any) {}
}

#[test]
fn the_steady_state_leaves_what_equation_2_says() {
    for name in ["dt", "occamy"] {
        for exponent in -3..=4 {
            for queues in [1u16, 2, 5, 16, 64] {
                let alpha = Alpha::power_of_two(exponent);
                // No time passes, so nothing is expelled: the state that admission leads to.
                let mut buffer = buffer(name, alpha, queues, 100_000, Duration::from_ns(1));
                flood(&mut buffer, Time::ZERO, queues.into());
                let free = f64::from(buffer.pool(0).unwrap().free());
                let equation = 100_000.0 / (1.0 + alpha.get() * f64::from(queues));
                // One packet more or less in each queue moves the free buffer by at most this.
                let tolerance = (1.0 / alpha.get()).max(1.0) + 1.0;
                assert!(
                    (free - equation).abs() <= tolerance,
                    "{alpha} {queues}: {free} {equation}"
                );
            }
        }
    }
}

#[test]
fn one_queue_gets_eight_ninths_with_alpha_8() {
    let mut buffer = buffer("dt", Alpha::power_of_two(3), 1, 90_000, Duration::from_ns(1));
    flood(&mut buffer, Time::ZERO, 1);
    let share = length(&buffer, 0) / 90_000.0;
    assert!((share - 0.889).abs() < 1e-3, "{share}");
}

/// N queues in steady state under saturating traffic; bursts come to M others, each `ratio` times
/// as fast as any queue drains. Whether each burst gets its fair share, α B / (1 + α (N + M)),
/// before its first drop, within one packet.
fn fair(alpha: Alpha, congested: u32, bursts: u32, ratio: f64) -> bool {
    let cells = 20_000;
    let queues = congested + bursts;
    let mut buffer = buffer("dt", alpha, queues as u16, cells, Duration::from_ns(1));
    flood(&mut buffer, Time::ZERO, congested);
    let a = alpha.get();
    let share = a * cells as f64 / (1.0 + a * f64::from(queues));
    let mut due = 0.0;
    loop {
        // In the time in which a queue drains one packet:
        for queue in 0..queues {
            buffer.dequeue(Time::ZERO, queue);
        }
        due += ratio;
        while due >= 1.0 {
            due -= 1.0;
            for queue in congested..queues {
                let before = length(&buffer, queue);
                if !offer(&mut buffer, Time::ZERO, queue) {
                    // The threshold moves by alpha with each packet.
                    return before + 1.0 + a * f64::from(queues) >= share;
                }
            }
        }
        for queue in 0..congested {
            while offer(&mut buffer, Time::ZERO, queue) {}
        }
    }
}

#[test]
fn bursts_are_treated_fairly_up_to_the_rate_of_equation_3() {
    for (exponent, congested, bursts) in
        [(0, 1, 1), (1, 1, 1), (3, 1, 1), (-1, 2, 1), (0, 4, 2), (2, 3, 2), (0, 1, 3)]
    {
        let alpha = Alpha::power_of_two(exponent);
        let (a, n, m) = (alpha.get(), f64::from(congested), f64::from(bursts));
        let largest = 1.0 + (1.0 + a * n) / (a * m);
        let (mut low, mut high) = (1.01, 3.0 * largest);
        while high - low > 0.005 * largest {
            let middle = (low + high) / 2.0;
            if fair(alpha, congested, bursts, middle) { low = middle } else { high = middle }
        }
        let error = low / largest - 1.0;
        assert!(error.abs() < 0.01, "alpha {a}, N {n}, M {m}: {low} for {largest}");
        // Equation 4 is the same condition, solved for alpha.
        assert!((1.0 / a - ((largest - 1.0) * m - n)).abs() < 1e-9);
    }
}

/// As [`fair`], with Occamy, one queue each, and no departures: only head drops at rate V shrink
/// the over-allocated queue, and the burst queue does not drain. Then it grows at R itself where
/// equation 3 has R − V: fair up to R = V (1 + α) / α.
fn fair_by_expulsion(alpha: Alpha, ratio: f64) -> bool {
    let cells = 20_000;
    let drop = Duration::from_ns(1000);
    let mut buffer = buffer("occamy", alpha, 2, cells, drop);
    flood(&mut buffer, Time::ZERO, 1);
    let a = alpha.get();
    let share = a * cells as f64 / (1.0 + 2.0 * a);
    let gap = Duration::from_ps((drop.as_ps() as f64 / ratio) as u64);
    let mut now = Time::ZERO;
    loop {
        now += gap;
        let before = length(&buffer, 1);
        if !offer(&mut buffer, now, 1) {
            return before + 1.0 + 2.0 * a >= share;
        }
        if before > share {
            return true;
        }
    }
}

#[test]
fn expulsion_drains_what_ports_do_not() {
    for exponent in [-1, 0, 1, 3] {
        let alpha = Alpha::power_of_two(exponent);
        let largest = (1.0 + alpha.get()) / alpha.get();
        let (mut low, mut high) = (0.5, 3.0 * largest);
        while high - low > 0.005 * largest {
            let middle = (low + high) / 2.0;
            if fair_by_expulsion(alpha, middle) { low = middle } else { high = middle }
        }
        let error = low / largest - 1.0;
        assert!(error.abs() < 0.01, "alpha {alpha}: {low} for {largest}");
    }
}

#[test]
fn without_spare_bandwidth_occamy_is_dynamic_threshold() {
    // Departures overdraw the read side from the first: §4.5.
    let alpha = Alpha::power_of_two(3);
    let run = |name: &str| {
        let mut buffer = buffer(name, alpha, 4, 500, Duration::from_us(10));
        let mut verdicts = Vec::new();
        let mut state = 7u32;
        for step in 1..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let now = Time::ZERO + Duration::from_ns(step * 1000);
            buffer.dequeue(now, state >> 16 & 3);
            verdicts.push(offer(&mut buffer, now, state >> 20 & 3));
            verdicts.push(offer(&mut buffer, now, (step / 4000 % 4) as u32));
        }
        verdicts
    };
    let occamy = run("occamy");
    assert!(occamy.contains(&false));
    assert_eq!(occamy, run("dt"));
}

#[test]
fn abm_divides_by_congested_queues_and_measures_drains() {
    let chip = ChipConfig {
        ports: 4,
        capacity: Bytes::new(1_000_000),
        memory: MemoryConfig { cell: 1000, ..MemoryConfig::default() },
        largest_packet: 1000,
        port_rate: Rate::from_gbps(8), // a packet in a microsecond
        ..ChipConfig::default()
    };
    let chip = ChipConfig { classes: 2, ..chip };
    let mut abm = policies().named("abm").unwrap().clone();
    set(&mut abm, &[("congested", "28 kB")]).unwrap();
    let mut buffer = SharedBuffer::new(&chip, &abm).unwrap();
    let packet = Packet { size: 1000, ..Packet::default() };
    let at = |us| Time::ZERO + Duration::from_us(us);
    let put = |buffer: &mut SharedBuffer, now, queue, packets| {
        for _ in 0..packets {
            assert_eq!(buffer.enqueue(now, queue, packet, Rank::default()), OnChipVerdict::Queued);
        }
    };
    // Nothing congested: alpha 2 times the free buffer.
    assert_eq!(buffer.threshold(0), Some(2000));
    // Queues 0, 2, 4 have class 0. An arrival counts what was there before it.
    put(&mut buffer, at(0), 0, 29);
    assert_eq!(buffer.threshold(0), Some(2 * 971));
    put(&mut buffer, at(0), 2, 29);
    assert_eq!(buffer.threshold(0), Some(942));
    put(&mut buffer, at(0), 4, 15); // half congested
    assert_eq!(buffer.threshold(0), Some(2 * 927 * 2 / 5));
    // Class 1 is not concerned.
    assert_eq!(buffer.threshold(1), Some(2 * 927));
    // In 80 microseconds queue 0 gets three quarters of its port, and 60 packets more.
    for us in 1..=60 {
        put(&mut buffer, at(us), 0, 1);
        buffer.dequeue(at(us), 0);
    }
    put(&mut buffer, at(80), 0, 1);
    let all = 2.0 * 926.0 / 2.5;
    let threshold = f64::from(buffer.threshold(0).unwrap());
    assert!((threshold - 0.75 * all).abs() < 2.0, "{threshold} of {all}");
    // A drain below 1 / classes counts as 1.
    buffer.dequeue(at(150), 0);
    put(&mut buffer, at(170), 0, 1);
    let threshold = f64::from(buffer.threshold(0).unwrap());
    assert!((threshold - all).abs() < 2.0, "{threshold} of {all}");
}
