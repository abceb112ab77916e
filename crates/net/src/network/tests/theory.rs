use super::*;
use crate::measure::{Spread, Throughput, jain_index};
use alloc::rc::Rc;
use core::cell::RefCell;
use forebay_switch::{DropCause, Losses};

/// Poisson arrivals of equal packets at one port: the mean wait of M/D/1 is ρ·s / (2·(1 − ρ)).
#[test]
fn waiting_time_is_that_of_m_d_1() {
    for load in [0.3, 0.6] {
        let (mean, service) = mean_wait(load, 150_000);
        let expected = load * service / (2.0 * (1.0 - load));
        assert!((mean / expected - 1.0).abs() < 0.02, "{load}: {mean} against {expected}");
    }
}

/// The mean wait of Poisson arrivals, and a packet's own time, in picoseconds.
fn mean_wait(load: f64, packets: u64) -> (f64, f64) {
    // 1000 hosts, so that the arrivals of one hardly ever wait for each other at the host.
    let hosts = 1000u32;
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
    (waits.sum::<f64>() / packets as f64, service_ps)
}

/// Over a second, flows of every congestion control get equal shares of a full link, whenever they
/// began.
#[test]
fn shares_are_fair_in_the_long_run() {
    for name in ["new-reno", "cubic", "dctcp"] {
        let mut graph = Graph::star(5, link(4, 20));
        graph.links[4].config.rate = Rate::from_gbps(1);
        let mut network = network(&graph, transport(name), 45_000);
        let start = |src: u32| Time::from_ps(mix(src.into()) % 20_000_000_000);
        let flow = |src| Flow::new(src, 4, Bytes::new(1 << 40), start(src));
        network.add_flows([0, 1, 2, 3].map(flow)).unwrap();
        network.run_until(Time::ZERO + Duration::from_ms(1000)).unwrap();
        let shares: Vec<_> = network.records().map(|r| r.delivered.get() as f64).collect();
        let fairness = jain_index(&shares);
        assert!(fairness > 0.95, "{name}: {fairness} {shares:?}");
    }
}

/// Loses every `every`-th data packet.
struct Lossy {
    inner: DropTailSwitch,
    every: u64,
    seen: u64,
}

impl SwitchModel for Lossy {
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        self.seen += u64::from(!packet.is_back());
        if !packet.is_back() && self.seen.is_multiple_of(self.every) {
            lost.push(port, DropCause::Early, packet);
        } else {
            self.inner.arrive(now, port, packet, lost);
        }
    }

    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        self.inner.next(now, port, lost)
    }

    fn is_empty(&self, port: u16) -> bool {
        self.inner.is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        self.inner.backlog()
    }
}

/// NewReno that loses every n-th packet: its window W grows from a half by one a round trip, so
/// that it sends √(3/2 · n) packets in each on average (Mathis et al., 1997). That leaves out a
/// round trip for recovery, at half the window, and the steps of whole packets: n = 3/8·W² +
/// 3/4·W + W/2 in W/2 + 2 round trips.
#[test]
fn new_reno_follows_the_square_root_law() {
    for every in [150u64, 600, 2400] {
        let config = PortLimits { limit: Bytes::new(u64::MAX), mark_above: None };
        let network = NetworkConfig::new(transport("new-reno"));
        let mut network = Network::new(&Graph::star(2, link(100, 50)), network, |shape| Lossy {
            inner: DropTailSwitch::new(shape, &config),
            every,
            seen: 0,
        })
        .unwrap();
        network.add_flows([Flow::new(0, 1, Bytes::new(1 << 40), Time::ZERO)]).unwrap();
        // Four links, and a packet and an acknowledgement on two each.
        let round_trip = Duration::from_us(200) + Duration::from_ps(2 * 120_000 + 2 * 5_120);
        let mut rounds = Throughput::new(round_trip, 1);
        let end = Time::ZERO + round_trip * 2000;
        network.run_sampled(round_trip, end, |n| rounds.observe([n.delivered(0)])).unwrap();
        // Slow start has its own law.
        let packet = Rate::mean(Bytes::new(1448), round_trip).as_bps() as f64;
        let windows: Vec<_> =
            rounds.rates(0).skip(200).map(|r| r.as_bps() as f64 / packet).collect();
        let spread = Spread::of_numbers(windows).unwrap();
        let n = every as f64;
        let window = ((1.25f64.powi(2) + 1.5 * n).sqrt() - 1.25) / 0.75;
        let (law, expected) = ((1.5 * n).sqrt(), n / (window / 2.0 + 2.0));
        assert!((spread.mean / expected - 1.0).abs() < 0.03, "{every}: {spread:?} {expected}");
        assert!(spread.mean < law && spread.mean > 0.9 * law, "{every}: {spread:?} {law}");
        assert!((spread.p95 / window - 1.0).abs() < 0.1, "{every}: {spread:?} {window}");
    }
}

/// Flows that share a bottleneck for long fill it, and get alike shares: DCTCP's within 60 ms, but
/// for unlike delays; what only losses tell takes longer to even out, but no flow starves (1/4
/// would be one flow alone).
#[test]
fn long_flows_share_a_link() {
    for (name, fairness) in [("new-reno", 0.6), ("cubic", 0.6), ("dctcp", 0.85)] {
        // Hosts faster than the bottleneck and unlike delays: at one rate everywhere the arrivals
        // lock into the departures, and drop-tail can starve all flows but one.
        let mut graph = Graph::star(5, link(40, 5));
        graph.links[4].config.rate = Rate::from_gbps(10);
        for (link, us) in graph.links.iter_mut().zip(5..) {
            link.config.delay = Duration::from_us(us);
        }
        let mut network = network(&graph, transport(name), 150_000);
        let bytes = Bytes::new(1 << 40);
        let start = |src: u32| Time::ZERO + Duration::from_us(137 * u64::from(src));
        let flow = |src| Flow::new(src, 4, bytes, start(src));
        network.add_flows([0, 1, 2, 3].map(flow)).unwrap();
        let span = Duration::from_ms(60);
        network.run_until(Time::ZERO + span).unwrap();
        let shares: Vec<_> = network.records().map(|r| r.delivered.get() as f64).collect();
        let (sum, jain) = (shares.iter().sum::<f64>(), jain_index(&shares));
        let goodput = sum * 8.0 / span.as_secs_f64() / 10e9 * 1500.0 / 1448.0;
        assert!(jain > fairness, "{name}: {shares:?}");
        assert!(goodput > 0.93 && goodput <= 1.0, "{name}: {goodput}");
    }
}

/// N DCTCP flows keep the queue between K + N packets and an amplitude of √(N·(C·RTT + K) / 2)
/// packets below (RFC 8257's authors, SIGCOMM 2010, §3.3), and nothing is dropped. Samples are of
/// arriving packets, and an RTT is longer where the queue is.
#[test]
fn dctcp_keeps_the_queue_at_the_threshold() {
    let threshold = 100_000.0;
    for flows in [1, 2] {
        let queue = dctcp_queue(threshold as u64, flows);
        let (n, rtt_packets) = (f64::from(flows), 10e9 * 41.5e-6 / 8.0 / 1500.0);
        let amplitude = 1500.0 * (n * (rtt_packets + threshold / 1500.0) / 2.0).sqrt();
        assert!(queue.max <= threshold + 1500.0 * n, "{queue:?}");
        let range = threshold - amplitude..threshold + 1500.0 * n;
        assert!(range.contains(&queue.mean), "{queue:?} {amplitude}");
    }
}

/// The queue that packets of some DCTCP flows find in the steady state, in bytes.
fn dctcp_queue(threshold: u64, flows: u32) -> Spread<f64> {
    let samples: Rc<RefCell<Vec<f64>>> = Rc::default();
    let mark_above = Some(Bytes::new(threshold));
    let config = PortLimits { limit: Bytes::new(1_000_000), mark_above };
    let mut graph = Graph::star(3, link(40, 10));
    graph.links[2].config.rate = Rate::from_gbps(10);
    let mut network = Network::new(&graph, NetworkConfig::new(transport("dctcp")), |shape| {
        let samples = Rc::clone(&samples);
        let note = move |now: Time, packet: &Handle, backlog: Bytes| {
            if now > Time::ZERO + Duration::from_ms(10) && !packet.is_back() {
                samples.borrow_mut().push(backlog.get() as f64);
            }
        };
        Watched { inner: DropTailSwitch::new(shape, &config), note }
    })
    .unwrap();
    let flow = |src| Flow::new(src, 2, Bytes::new(1 << 40), Time::ZERO);
    network.add_flows((0..flows).map(flow).collect::<Vec<_>>()).unwrap();
    network.run_until(Time::ZERO + Duration::from_ms(40)).unwrap();
    assert_eq!(network.totals().dropped.packets, 0);
    Spread::of_numbers(samples.take()).unwrap()
}
