//! Frames through whole directions, without any namespace.

use etherparse::{IpEcn, IpHeaders, Ipv4Header, PacketBuilder};
use forebay_parameters::{Entry, listed};
use forebay_replay::{Ranking, class_rule};
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use super::*;

/// A UDP packet of so many bytes in all, of the flow from this port; `markable` if it understands
/// marks.
fn packet(port: u16, size: usize, markable: bool) -> Frame {
    let mut ip =
        Ipv4Header::new(0, 64, etherparse::IpNumber::UDP, [10, 0, 0, 1], [10, 0, 0, 2]).unwrap();
    ip.ecn = if markable { IpEcn::TWO } else { IpEcn::ZERO };
    let builder =
        PacketBuilder::ethernet2([2; 6], [4; 6]).ip(IpHeaders::Ipv4(ip, Default::default()));
    let mut bytes = Vec::new();
    builder.udp(port, 9).write(&mut bytes, &vec![0; size - 42]).unwrap();
    Frame::new(bytes)
}

fn port(switch: SwitchConfig, config: &EmulationConfig) -> Port {
    Port::new(&switch, config, &Pace::of(config.rate)).unwrap()
}

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Everything that leaves, and when.
fn all(direction: &mut Direction<'_>) -> Vec<Departure> {
    let mut left = Vec::new();
    while let Some(next) = direction.next_event() {
        direction.advance(next);
        left.extend(std::iter::from_fn(|| direction.depart(next)));
    }
    left
}

#[test]
fn a_departure_is_arrival_transmission_and_delay_however_late_one_looks() {
    let config = EmulationConfig { delay: Duration::from_ms(25), ..EmulationConfig::default() };
    let run = |looks: &[u64]| {
        let mut port = port(SwitchConfig::named("drop-tail").unwrap(), &config);
        let mut direction = port.direction(&config, Pace::of(config.rate), "up");
        let mut arrivals = (0..100).map(|n| us(n * 300)).peekable();
        let mut left = Vec::new();
        for look in looks {
            while let Some(at) = arrivals.next_if(|at| *at <= us(*look)) {
                direction.arrive(at, packet(1, 1250, false));
            }
            direction.advance(us(*look));
            left.extend(std::iter::from_fn(|| direction.depart(us(*look))).map(|one| one.at));
        }
        left
    };
    // 1250 bytes take 500 us at 20 Mb/s, and one comes every 300 us.
    let expected: Vec<_> = (1..=100).map(|n| us(n * 500 + 25_000)).collect();
    assert_eq!(run(&(0..200_000).step_by(100).collect::<Vec<_>>()), expected);
    assert_eq!(run(&[7_777, 31_000, 200_000]), expected, "a program that is hardly ever awake");
}

#[test]
fn every_switch_of_the_catalogue_conserves_frames() {
    let config = EmulationConfig { loss: 0.01, ..EmulationConfig::default() };
    for info in Catalogue::default().switches().iter().filter(|info| info.name() != "tree") {
        let switch = info.config.clone().with_buffer(Bytes::new(60_000));
        let Ok(mut port) = Port::new(&switch, &config, &Pace::of(config.rate)) else { continue };
        let mut direction = port.direction(&config, Pace::of(config.rate), "up");
        for number in 0..300 {
            let frame = packet(number % 5, 200 + usize::from(number), true);
            direction.arrive(us(u64::from(number) * 40), frame);
        }
        let left = all(&mut direction).len() as u64;
        let counts = direction.counts();
        let lost: u64 = counts.causes().map(|(_, tally)| tally.packets).sum();
        assert_eq!((left + lost, direction.held()), (300, 0), "{}", info.name());
        assert_eq!((counts.arrived.packets, counts.left.packets), (300, left), "{}", info.name());
        assert!(left > 0, "{}", info.name());
    }
}

/// What comes out of a link of this configuration, into which 400 packets of 1.4 KB and a large
/// segment flow, and how often something does.
fn passed(config: &EmulationConfig) -> (Vec<Departure>, u64, usize) {
    let pace = config.pace().unwrap();
    let switch = SwitchConfig::named("drop-tail").unwrap();
    let mut port = Port::new(&switch, config, &pace).unwrap();
    let mut direction = port.direction(config, pace, "up");
    for number in 0..400 {
        direction.arrive(us(number * 500), packet(number as u16, 1_400, false));
    }
    let pieces = segments::testing::pieces(&segments::testing::tcp(false, &[7; 9_000]), 900);
    pieces.into_iter().for_each(|piece| direction.arrive(us(200_000), piece));
    let left = all(&mut direction);
    let (mut outlet, mut counted) = (segments::Outlet::new(config.together), Counted(0));
    for Departure { at, frame } in left.clone() {
        outlet.add(at, frame, &mut counted);
    }
    outlet.flush(&mut counted);
    (left, direction.counts().arrived.packets, counted.0)
}

struct Counted(usize);

impl segments::Sink for Counted {
    fn leave(&mut self, _: &segments::Leaving<'_>) {
        self.0 += 1;
    }

    fn free(&mut self, _: Vec<u8>) {}
}

#[test]
fn every_parameter_of_a_link_changes_what_passes() {
    let random = EmulationConfig {
        delay: Duration::from_ms(5),
        jitter: Duration::from_ms(1),
        loss: 0.1,
        reorder: 0.2,
        ..EmulationConfig::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    std::fs::write(&trace, "3\n5\n").unwrap();
    let others: Vec<(&str, EmulationConfig)> = vec![
        ("trace", EmulationConfig { trace: trace.to_str().unwrap().to_owned(), ..random.clone() }),
        ("rate", EmulationConfig { rate: Rate::from_bps(30_000_000), ..random.clone() }),
        ("delay", EmulationConfig { delay: Duration::from_ms(6), ..random.clone() }),
        ("jitter", EmulationConfig { jitter: Duration::from_ms(2), ..random.clone() }),
        ("loss", EmulationConfig { loss: 0.3, ..random.clone() }),
        ("reorder", EmulationConfig { reorder: 0.5, ..random.clone() }),
        ("reorder_by", EmulationConfig { reorder_by: Duration::from_ms(3), ..random.clone() }),
        ("mtu", EmulationConfig { mtu: 1_000, ..random.clone() }),
        ("together", EmulationConfig { together: Duration::ZERO, ..random.clone() }),
        ("seed", EmulationConfig { seed: 2, ..random.clone() }),
        ("memory", EmulationConfig { memory: Bytes::new(20_000), ..random.clone() }),
    ];
    let known: Vec<_> =
        listed(&mut random.clone()).into_iter().map(|one| one.parameter.name).collect();
    assert_eq!(known, others.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let base = passed(&random);
    assert_eq!(base, passed(&random));
    for (name, other) in others {
        assert_ne!(passed(&other), base, "{name}");
    }
}

#[test]
fn what_the_switch_marks_is_marked_on_the_wire() {
    let config = EmulationConfig::default();
    let switch = SwitchConfig::named("drop-tail").unwrap().with_marks(Some(Bytes::new(3_000)));
    let mut port = port(switch, &config);
    let mut direction = port.direction(&config, Pace::of(config.rate), "down");
    for number in 0..10 {
        direction.arrive(Time::ZERO, packet(number, 1500, number % 2 == 0));
    }
    let left = all(&mut direction);
    let marks = left.iter().map(|one| one.frame.head()[15] & 3).collect::<Vec<_>>();
    // One is sent at once, and three may wait before the next is marked.
    assert_eq!(marks, [2, 0, 2, 0, 3, 0, 3, 0, 3, 0]);
    assert_eq!(direction.counts().marked, 3);
}

#[test]
fn jumbo_frames_pass_where_the_mtu_says_so_and_tags_do_not_count() {
    let run = |mtu: u32, frame: Frame| {
        let config = EmulationConfig { mtu, ..EmulationConfig::default() };
        let mut port = port(SwitchConfig::named("drop-tail").unwrap(), &config);
        let mut direction = port.direction(&config, Pace::of(config.rate), "up");
        direction.arrive(Time::ZERO, frame);
        let left = all(&mut direction).len();
        (left, direction.counts().lost(LinkLoss::TooLarge).packets)
    };
    assert_eq!(run(1500, packet(1, 1514, false)), (1, 0));
    assert_eq!(run(1500, packet(1, 1515, false)), (0, 1));
    assert_eq!(run(9000, packet(1, 9014, false)), (1, 0));
    let mut tagged = packet(1, 1514, false);
    tagged.head_mut().splice(12..12, [0x81, 0x00, 0x00, 0x07]);
    assert_eq!(run(1500, tagged), (1, 0));
}

#[test]
fn memory_is_bounded_and_the_loss_has_a_name() {
    let memory = Bytes::new(100_000);
    let config =
        EmulationConfig { memory, delay: Duration::from_ms(500), ..EmulationConfig::default() };
    let mut port = port(SwitchConfig::named("fifo").unwrap(), &config);
    let mut direction = port.direction(&config, Pace::of(config.rate), "up");
    for number in 0..1_000 {
        direction.arrive(us(number), packet(1, 60, false));
    }
    assert!(direction.held() <= 100_000 / 128);
    assert!(direction.counts().lost(LinkLoss::NoMemory).packets > 0);
    assert_eq!(
        all(&mut direction).len() + direction.counts().lost(LinkLoss::NoMemory).packets as usize,
        1_000
    );
}

#[test]
fn late_stamps_arrive_at_the_present_and_are_counted() {
    let config = EmulationConfig::default();
    let mut port = port(SwitchConfig::named("drop-tail").unwrap(), &config);
    let mut direction = port.direction(&config, Pace::of(config.rate), "up");
    direction.advance(us(1_000));
    direction.arrive(us(900), packet(1, 1250, false));
    direction.arrive(us(1_100), packet(1, 1250, false));
    assert_eq!(
        all(&mut direction).iter().map(|one| one.at).collect::<Vec<_>>(),
        [us(1_500), us(2_000)]
    );
    assert_eq!(direction.counts().stamped_late, 1);
}

#[test]
fn rules_over_headers_give_classes_and_ranks() {
    let first = |switch: &str, rank: Option<&str>, class: Option<&str>| {
        let (config, catalogue) = (EmulationConfig::default(), Catalogue::default());
        let ranking = rank.map(|text| Ranking::read(text, &catalogue).unwrap());
        let mut switch = SwitchConfig::named(switch).unwrap();
        if let Some(ranking) = &ranking {
            switch = ranking.applied_to(switch).unwrap();
        }
        let mut port = port(switch, &config);
        let rank = match ranking {
            Some(Ranking::Rule { rule, .. }) => Some(rule),
            Some(Ranking::Function(_)) | None => None,
        };
        let rules = Rules { class: class.map(|text| class_rule(text).unwrap()), rank };
        let mut direction = port.direction(&config, Pace::of(config.rate), "up").with_rules(rules);
        for port in [5, 3, 9, 1] {
            direction.arrive(Time::ZERO, packet(port, 1000, false));
        }
        let ports = all(&mut direction).into_iter().map(|one| one.frame.head()[35]);
        ports.collect::<Vec<_>>()
    };
    assert_eq!(first("pifo", Some("source_port"), None), [1, 3, 5, 9]);
    assert_eq!(first("pifo", Some("20 - source_port"), None), [9, 5, 3, 1]);
    assert_eq!(first("pifo", Some("fifo"), None), [5, 3, 9, 1]);
    assert_eq!(first("strict-priority", None, Some("source_port == 9 ? 0 : 1")), [9, 5, 3, 1]);
}

#[test]
fn fq_codel_keeps_a_sparse_flow_out_of_the_queue_of_a_greedy_one() {
    // Offered 40 Mb/s to 20 Mb/s by one flow, beside a packet of another flow every 10 ms.
    let wait = |switch: &str| {
        let config = EmulationConfig::default();
        let mut port = port(SwitchConfig::named(switch).unwrap(), &config);
        let mut direction = port.direction(&config, Pace::of(config.rate), "up");
        let mut sparse = Vec::new();
        for number in 0..10_000u64 {
            direction.arrive(us(number * 250), packet(1, 1250, false));
            if number % 40 == 0 {
                direction.arrive(us(number * 250), packet(2, 100, false));
                sparse.push(us(number * 250));
            }
        }
        let left = all(&mut direction);
        let arrived = left.iter().filter(|one| one.frame.len() == 100).map(|one| one.at);
        arrived.zip(sparse).map(|(at, sent)| at.since(sent)).max().unwrap_or(Duration::ZERO)
    };
    assert!(wait("fq-codel") < Duration::from_ms(2), "{}", wait("fq-codel"));
    assert!(wait("drop-tail") > Duration::from_ms(100), "{}", wait("drop-tail"));
}

proptest! {
    /// Whatever arrives whenever, it leaves in the order of time, and nothing is created or
    /// vanishes.
    #[test]
    fn any_frames_at_any_times_are_conserved(
        frames in prop::collection::vec((0u64..2_000, prop::collection::vec(any::<u8>(), 0..200)), 0..200),
        jitter in 0u64..2_000,
        reorder in 0.0f64..1.0,
    ) {
        let config = EmulationConfig {
            delay: Duration::from_us(2_000),
            jitter: Duration::from_us(jitter),
            reorder,
            rate: Rate::from_bps(1_000_000),
            ..EmulationConfig::default()
        };
        let mut port = port(SwitchConfig::named("fq-codel").unwrap(), &config);
        let mut direction = port.direction(&config, Pace::of(config.rate), "up");
        let (mut now, mut left, count) = (0, Vec::new(), frames.len() as u64);
        for (pause, bytes) in frames {
            now += pause;
            direction.arrive(us(now), Frame::new(bytes));
            direction.advance(us(now));
            left.extend(std::iter::from_fn(|| direction.depart(us(now))).map(|one| one.at));
        }
        left.extend(all(&mut direction).into_iter().map(|one| one.at));
        prop_assert!(left.is_sorted());
        let lost: u64 = direction.counts().causes().map(|(_, tally)| tally.packets).sum();
        prop_assert_eq!(left.len() as u64 + lost, count);
        prop_assert_eq!(direction.held(), 0);
    }
}
