use super::*;
use alloc::rc::Rc;
use core::cell::RefCell;

/// Poisson arrivals of equal packets at one port: the mean wait of M/D/1 is ρ·s / (2·(1 − ρ)).
#[test]
fn waiting_time_is_that_of_m_d_1() {
    // 1000 hosts, so that the arrivals of one hardly ever wait for each other at the host.
    let (hosts, packets, load) = (1000u32, 200_000u64, 0.8);
    let mut graph = Graph::star(hosts, link(1000, 1));
    graph.links[0].config.rate = Rate::from_gbps(10);
    let payload = Bytes::new(1198);
    let transport = Transport::Datagrams { payload, rate: Rate::from_gbps(1000) };
    let mut network = network(&graph, transport, u64::MAX);
    let service_ps = 1_000_000.0; // 1250 bytes at 10 Gb/s
    let mut at = 0.0;
    let flows: Vec<_> = (0..packets)
        .map(|n| {
            let uniform = (mix(n) >> 11) as f64 / (1u64 << 53) as f64;
            at += -(1.0 - uniform).ln() * service_ps / load;
            let src = 1 + (mix(n ^ 1 << 40) % u64::from(hosts - 1)) as u32;
            Flow::new(src, 0, payload, Time::from_ps(at as u64))
        })
        .collect();
    network.add_flows(&flows).unwrap();
    network.run().unwrap();
    let waits = network
        .records()
        .map(|record| (record.fct().unwrap().as_ps() - record.ideal.as_ps()) as f64);
    let mean = waits.sum::<f64>() / packets as f64;
    let expected = load * service_ps / (2.0 * (1.0 - load));
    // The mean of so long a busy sequence varies by about 2 %.
    assert!((mean / expected - 1.0).abs() < 0.06, "{mean} against {expected}");
}

/// Flows that share a bottleneck for long fill it, and get alike shares: DCTCP's within 60 ms, but for unlike delays; what only
/// losses tell takes longer to even out, but no flow starves (1/4 would be one flow alone).
#[test]
fn long_flows_share_a_link() {
    for (name, fairness) in [("new-reno", 0.6), ("cubic", 0.6), ("dctcp", 0.85)] {
        // Hosts faster than the bottleneck and unlike delays: at one rate everywhere the arrivals lock
        // into the departures, and drop-tail can starve all flows but one.
        let mut graph = Graph::star(5, link(40, 5));
        graph.links[4].config.rate = Rate::from_gbps(10);
        for (link, us) in graph.links.iter_mut().zip(5..) {
            link.config.delay = Duration::from_us(us);
        }
        let mut network = network(&graph, transport(name), 150_000);
        let bytes = Bytes::new(1 << 40);
        let start = |src: u32| Time::ZERO + Duration::from_us(137 * u64::from(src));
        let flow = |src| Flow::new(src, 4, bytes, start(src));
        network.add_flows(&[0, 1, 2, 3].map(flow)).unwrap();
        let span = Duration::from_ms(60);
        network.run_until(Time::ZERO + span).unwrap();
        let shares: Vec<_> = network.records().map(|r| r.delivered.get() as f64).collect();
        let (sum, squares) =
            shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        let jain = sum * sum / (4.0 * squares);
        let goodput = sum * 8.0 / span.as_secs_f64() / 10e9 * 1500.0 / 1448.0;
        assert!(jain > fairness, "{name}: {shares:?}");
        assert!(goodput > 0.93 && goodput <= 1.0, "{name}: {goodput}");
    }
}

/// The queue of DCTCP flows stays around the marking threshold, and nothing is dropped.
#[test]
fn dctcp_keeps_the_queue_at_the_threshold() {
    let threshold = 100_000;
    let samples: Rc<RefCell<Vec<u64>>> = Rc::default();
    let config =
        DropTailConfig { limit: Bytes::new(1_000_000), mark_above: Some(Bytes::new(threshold)) };
    let graph = Graph::star(3, link(10, 10));
    let mut network = Network::new(&graph, NetworkConfig::new(transport("dctcp")), |shape| {
        let samples = Rc::clone(&samples);
        let note = move |now: Time, _packet: &Handle, backlog: Bytes| {
            if now > Time::ZERO + Duration::from_ms(10) {
                samples.borrow_mut().push(backlog.get());
            }
        };
        Watched { inner: DropTail::new(shape, &config), note }
    })
    .unwrap();
    let flow = |src| Flow::new(src, 2, Bytes::new(1 << 40), Time::ZERO);
    network.add_flows(&[flow(0), flow(1)]).unwrap();
    network.run_until(Time::ZERO + Duration::from_ms(40)).unwrap();
    let samples = samples.borrow();
    let mean = samples.iter().sum::<u64>() / samples.len() as u64;
    assert!((threshold / 2..threshold * 3 / 2).contains(&mean), "mean queue {mean}");
    let highest = samples.iter().max().unwrap();
    assert!(*highest < 2 * threshold, "{highest}");
    assert_eq!(network.totals().dropped.packets, 0);
}
