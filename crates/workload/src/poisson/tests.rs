use super::*;
use proptest::prelude::*;

fn config(inputs: u16, load: f64, seed: u64) -> PoissonFlowsConfig {
    let sizes = SizeDistribution::builtin("hadoop").unwrap();
    PoissonFlowsConfig::new(inputs, Rate::from_gbps(50), load, sizes, seed)
}

fn packets(config: PoissonFlowsConfig, count: usize) -> Vec<Arrival> {
    let mut source = PoissonFlows::new(config).unwrap();
    std::iter::from_fn(|| source.next_packet()).take(count).collect()
}

#[test]
fn impossible_parameters_are_named() {
    let message = |change: fn(&mut PoissonFlowsConfig)| {
        let mut config = config(2, 0.5, 1);
        change(&mut config);
        PoissonFlows::new(config).unwrap_err().to_string()
    };
    let load = "give the offered fraction of the inputs' aggregate rate, in (0, 1]";
    assert_eq!(message(|c| c.load = 0.0), format!("load is 0: {load}"));
    assert_eq!(message(|c| c.load = f64::NAN), format!("load is NaN: {load}"));
    assert_eq!(message(|c| c.load = 1.01), format!("load is 1.01: {load}"));
    assert_eq!(message(|c| c.inputs = 0), "inputs is 0: a source needs at least one input link");
    assert_eq!(
        message(|c| c.rate = Rate::from_bps(0)),
        "rate is 0 b/s: give a link rate above 0 b/s and at most 8 Tb/s"
    );
    assert_eq!(
        message(|c| c.packet_bytes = 0),
        "packet_bytes is 0 B: give a packet size from 1 B to 1 MB"
    );
}

#[test]
fn extreme_parameters_end_or_go_on_quietly() {
    let mut slow = config(1, 1e-300, 1);
    slow.rate = Rate::from_bps(1);
    assert_eq!(packets(slow, 10), []);
    let mut fast = config(3, 1.0, 1);
    fast.rate = Rate::from_gbps(8000);
    fast.sizes = SizeDistribution::constant(Bytes::new(1));
    fast.discipline = InputDiscipline::RoundRobin;
    assert_eq!(packets(fast, 1000).len(), 1000);
    let mut stopped = config(3, 1.0, 1);
    stopped.stop = Some(Time::ZERO);
    assert_eq!(packets(stopped, 10), []);
}

#[test]
fn stop_is_the_last_instant() {
    let all = packets(config(4, 0.8, 9), 1000);
    let mut stopped = config(4, 0.8, 9);
    stopped.stop = Some(all[500].at);
    let expected = all.iter().filter(|packet| packet.at <= all[500].at).count();
    assert_eq!(packets(stopped, usize::MAX), all[..expected]);
}

/// The bytes received until a time, against load · rate · time. Short of the bytes offered is what
/// waits for its link, and a compound Poisson sum has the variance (flows) · E[size²].
#[test]
fn received_load_is_the_load() {
    let config = PoissonFlowsConfig { packet_bytes: 9000, ..config(16, 0.6, 4) };
    let span = Duration::from_ms(400);
    let mut source = PoissonFlows::new(config.clone()).unwrap();
    let (mut received, mut offered_squares) = (0.0, 0.0);
    let mut flows = 0;
    while source.next_time().unwrap() <= Time::ZERO + span {
        let packet = source.next_packet().unwrap();
        received += f64::from(packet.size);
        if packet.flow == flows {
            flows += 1;
            offered_squares += (packet.flow_size as f64).powi(2);
        }
    }
    let mut backlog = 0.0;
    for input in &mut source.inputs {
        backlog += input.current.left as f64;
        while input.upcoming.at <= Time::ZERO + span {
            backlog += input.upcoming.bytes as f64;
            input.upcoming = input.arrivals.next_flow(&config.sizes);
        }
    }
    let expected = 16.0 * 50e9 * 0.6 / 8.0 * span.as_secs_f64();
    let deviation = offered_squares.sqrt();
    assert!((received + backlog / 2.0 - expected).abs() < 4.0 * deviation + backlog / 2.0);
    assert!(4.0 * deviation + backlog < 0.1 * expected, "{deviation} {backlog} {expected}");
}

#[test]
fn loads_share_the_sizes_of_flows() {
    let sizes = |load| {
        let mut sizes = vec![];
        for packet in packets(config(1, load, 3), 20_000) {
            if packet.flow as usize == sizes.len() {
                sizes.push(packet.flow_size);
            }
        }
        sizes
    };
    let (light, heavy) = (sizes(0.2), sizes(0.9));
    assert!(light.len() > 100);
    assert_eq!(light[..100], heavy[..100]);
}

#[test]
fn round_robin_alternates_where_fifo_does_not() {
    let switches = |discipline| {
        let config = PoissonFlowsConfig { discipline, ..config(1, 0.95, 8) };
        let packets = packets(config, 20_000);
        packets.windows(2).filter(|pair| pair[0].flow != pair[1].flow).count()
    };
    assert!(switches(InputDiscipline::RoundRobin) > 2 * switches(InputDiscipline::Fifo));
}

proptest! {
    #[test]
    fn every_promise_holds(
        inputs in 1u16..20,
        load in 0.05f64..=1.0,
        seed: u64,
        gbps in 1u64..400,
        packet_bytes in 1u32..9000,
        round_robin: bool,
    ) {
        let discipline = if round_robin { InputDiscipline::RoundRobin } else { InputDiscipline::Fifo };
        let rate = Rate::from_bps(gbps * 999_999_937);
        let config = PoissonFlowsConfig { rate, packet_bytes, discipline, ..config(inputs, load, seed) };
        let packets = packets(config.clone(), 3000);
        prop_assert_eq!(packets.len(), 3000);
        prop_assert_eq!(&packets, &self::packets(config, 3000));

        prop_assert!(packets.is_sorted_by_key(|packet| (packet.at, packet.input)));
        let mut free = vec![Time::ZERO; usize::from(inputs)];
        let mut flows: Vec<(u16, u64, u64)> = vec![];
        for packet in &packets {
            let needed = rate.time_for(Bytes::new(u64::from(packet.size)));
            let free = &mut free[usize::from(packet.input)];
            prop_assert!(packet.at.since(*free) >= needed);
            *free = packet.at;

            let number = packet.flow as usize;
            prop_assert!(number <= flows.len(), "flows are numbered densely");
            if number == flows.len() {
                flows.push((packet.input, packet.flow_size, packet.flow_size));
            }
            let (input, bytes, left) = &mut flows[number];
            prop_assert_eq!((*input, *bytes), (packet.input, packet.flow_size));
            let expected = (*left).min(u64::from(packet_bytes));
            prop_assert!(u64::from(packet.size) == expected && expected > 0);
            *left -= expected;
        }
        // Flows one after the other: at most one of an input is unfinished.
        if discipline == InputDiscipline::Fifo {
            let unfinished = flows.iter().filter(|(_, _, left)| *left > 0).count();
            prop_assert!(unfinished <= usize::from(inputs));
        }
    }
}

#[test]
fn a_lead_is_the_same_source_seen_from_later() {
    let sizes = SizeDistribution::builtin("websearch").unwrap();
    let lead = Duration::from_ms(7);
    let config = PoissonFlowsConfig {
        stop: Some(Time::ZERO + Duration::from_ms(10)),
        ..PoissonFlowsConfig::new(4, Rate::from_gbps(50), 0.9, sizes, 3)
    };
    let late = PoissonFlowsConfig {
        stop: Some(Time::ZERO + Duration::from_ms(3)),
        lead,
        ..config.clone()
    };
    let packets = |config| {
        let mut source = PoissonFlows::new(config).unwrap();
        std::iter::from_fn(move || source.next_packet())
    };
    let begin = Time::ZERO + lead;
    let seen: Vec<_> = packets(config)
        .filter(|packet| packet.at > begin)
        .map(|packet| (packet.at - begin, packet.input, packet.size, packet.flow_size))
        .collect();
    let led: Vec<_> = packets(late)
        .map(|packet| (packet.at - Time::ZERO, packet.input, packet.size, packet.flow_size))
        .collect();
    assert!(led.len() > 10_000);
    assert_eq!(led, seen);
}
