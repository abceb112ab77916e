//! HPCC and PowerTCP, transition by transition. A path at 100 Gb/s with a base round trip of 10 us
//! holds 125,000 bytes.

use forebay_parameters::set;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::{
    Hpcc, HpccConfig, Path, PortReport, PowerTcp, PowerTcpConfig, RateControl, RateSample,
    congestion_controls,
};

const PATH: Path = Path { line: Rate::from_gbps(100), round_trip: Duration::from_us(10), hops: 2 };
const FULL: f64 = 125_000.0;

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// A port at 100 Gb/s that has sent so many times 125,000 bytes, and has such a queue.
fn port(at: u64, sent: f64, queue: u64) -> PortReport {
    let (queue, sent) = (Bytes::new(queue), Bytes::new((sent * FULL) as u64));
    PortReport { port: 4, at: us(at), queue, sent, rate: Rate::from_gbps(100) }
}

/// An acknowledgement of all before `una`; `sent` are sent.
fn ack(telemetry: &[PortReport], una: u64, sent: u64) -> RateSample<'_> {
    RateSample {
        now: us(0),
        acked: Bytes::new(1000),
        una,
        sent,
        rtt: Duration::from_us(10),
        notified: false,
        telemetry,
    }
}

fn near(is: u64, should: f64) {
    assert!((is as f64 - should).abs() <= 1.0, "{is} is not {should}");
}

fn hpcc() -> Hpcc {
    Hpcc::new(&HpccConfig::default(), &PATH)
}

#[test]
fn hpcc_begins_with_what_the_path_holds() {
    let mut hpcc = hpcc();
    assert_eq!((hpcc.window(), hpcc.rate(us(0))), (Bytes::new(125_000), Rate::from_gbps(100)));
    // The first report is nothing to compare with.
    hpcc.on_ack(&ack(&[port(10, 1.0, 99_999)], 1, 2));
    assert_eq!(hpcc.window(), Bytes::new(125_000));
}

#[test]
fn hpcc_aims_at_95_percent_of_a_full_link() {
    let mut hpcc = hpcc();
    hpcc.on_ack(&ack(&[port(10, 1.0, 0)], 1, 9));
    hpcc.on_ack(&ack(&[port(20, 2.0, 0)], 2, 9));
    assert!((hpcc.utilization() - 1.0).abs() < 1e-9);
    near(hpcc.window().get(), FULL * 0.95 + 80.0);
    // W / T
    near(hpcc.rate(us(0)).as_bps() / 1_000_000, (FULL * 0.95 + 80.0) * 8.0 / 10.0);
}

#[test]
fn hpcc_counts_the_smaller_of_two_queues() {
    let window = |before, now| {
        let mut hpcc = hpcc();
        hpcc.on_ack(&ack(&[port(10, 1.0, before)], 1, 9));
        hpcc.on_ack(&ack(&[port(20, 2.0, now)], 2, 9));
        hpcc.window().get()
    };
    near(window(125_000, 125_000), FULL * 0.95 / 2.0 + 80.0);
    near(window(0, 125_000), FULL * 0.95 + 80.0);
}

#[test]
fn hpcc_weighs_a_report_by_the_time_it_covers() {
    let mut hpcc = hpcc();
    hpcc.on_ack(&ack(&[port(10, 1.0, 250_000)], 1, 9));
    // A fifth of T: U = 0.8 · 1 + 0.2 · (2 + 1).
    hpcc.on_ack(&ack(&[port(12, 1.2, 250_000)], 2, 9));
    assert!((hpcc.utilization() - 1.4).abs() < 1e-9);
}

#[test]
fn hpcc_moves_its_reference_once_a_round_trip() {
    let mut hpcc = hpcc();
    hpcc.on_ack(&ack(&[port(10, 1.0, 125_000)], 1, 50));
    hpcc.on_ack(&ack(&[port(20, 2.0, 125_000)], 10, 60));
    let once = FULL * 0.95 / 2.0 + 80.0;
    near(hpcc.window().get(), once);
    // Of what was sent before: it is the same reference that is divided.
    hpcc.on_ack(&ack(&[port(30, 3.0, 125_000)], 60, 70));
    near(hpcc.window().get(), once * 0.95 / 2.0 + 80.0);
    hpcc.on_ack(&ack(&[port(40, 4.0, 125_000)], 61, 90));
    near(hpcc.window().get(), once * 0.95 / 2.0 + 80.0);
    hpcc.on_ack(&ack(&[port(50, 5.0, 125_000)], 90, 99));
    near(hpcc.window().get(), (once * 0.95 / 2.0 + 80.0) * 0.95 / 2.0 + 80.0);
}

#[test]
fn hpcc_adds_for_five_round_trips_before_it_measures() {
    let mut hpcc = hpcc();
    hpcc.on_ack(&ack(&[port(10, 1.0, 125_000)], 1, 1));
    hpcc.on_ack(&ack(&[port(20, 2.0, 125_000)], 2, 2));
    let mut reference = FULL * 0.95 / 2.0 + 80.0;
    // Half of the link is used, and no queue is left.
    for step in 1..=5 {
        hpcc.on_ack(&ack(&[port(20 + 10 * step, 2.0 + 0.5 * step as f64, 0)], 2 + step, 2 + step));
        reference += 80.0;
        near(hpcc.window().get(), reference);
    }
    hpcc.on_ack(&ack(&[port(80, 5.0, 0)], 9, 9));
    near(hpcc.window().get(), reference * 0.95 / 0.5 + 80.0);
}

#[test]
fn hpcc_follows_the_fullest_port() {
    let other = |at, sent, queue| PortReport { port: 9, ..port(at, sent, queue) };
    let mut hpcc = hpcc();
    hpcc.on_ack(&ack(&[port(10, 1.0, 0), other(11, 1.0, 125_000)], 1, 9));
    hpcc.on_ack(&ack(&[port(20, 1.5, 0), other(21, 2.0, 125_000)], 2, 9));
    near(hpcc.window().get(), FULL * 0.95 / 2.0 + 80.0);
    // Another path: nothing can be compared, until the next one.
    let before = hpcc.window();
    hpcc.on_ack(&ack(&[other(30, 1.5, 0), port(31, 2.0, 0)], 9, 9));
    assert_eq!(hpcc.window(), before);
}

fn power_tcp() -> PowerTcp {
    PowerTcp::new(&PowerTcpConfig::default(), &PATH)
}

/// γ (old / power + β) + (1 - γ) present.
fn mixed(old: f64, power: f64, present: f64) -> f64 {
    (0.9 * (old / power + FULL / 10.0) + 0.1 * present).min(FULL)
}

#[test]
fn power_is_one_at_a_full_link_without_a_queue() {
    let mut power_tcp = power_tcp();
    power_tcp.on_ack(&ack(&[port(10, 1.0, 0)], 1, 9));
    power_tcp.on_ack(&ack(&[port(20, 2.0, 0)], 2, 9));
    assert!((power_tcp.power() - 1.0).abs() < 1e-9);
    assert_eq!(power_tcp.window(), Bytes::new(125_000), "no more than the path holds");
}

#[test]
fn power_is_voltage_times_current() {
    // A queue that stands, of as much as the path holds: twice the voltage.
    let mut standing = power_tcp();
    standing.on_ack(&ack(&[port(10, 1.0, 125_000)], 1, 9));
    standing.on_ack(&ack(&[port(20, 2.0, 125_000)], 2, 9));
    assert!((standing.power() - 2.0).abs() < 1e-9);
    near(standing.window().get(), mixed(FULL, 2.0, FULL));
    // The same that has grown from nothing: twice the current as well.
    let mut growing = power_tcp();
    growing.on_ack(&ack(&[port(10, 1.0, 0)], 1, 9));
    growing.on_ack(&ack(&[port(20, 2.0, 125_000)], 2, 9));
    assert!((growing.power() - 4.0).abs() < 1e-9);
    near(growing.window().get(), mixed(FULL, 4.0, FULL));
    // And that drains: half the current.
    let mut draining = power_tcp();
    draining.on_ack(&ack(&[port(10, 1.0, 187_500)], 1, 9));
    draining.on_ack(&ack(&[port(20, 2.0, 125_000)], 2, 9));
    assert!((draining.power() - 1.0).abs() < 1e-9);
}

#[test]
fn power_tcp_divides_the_window_of_a_round_trip_ago() {
    let mut power_tcp = power_tcp();
    power_tcp.on_ack(&ack(&[port(10, 1.0, 125_000)], 1, 50));
    power_tcp.on_ack(&ack(&[port(20, 2.0, 125_000)], 2, 50));
    let first = mixed(FULL, 2.0, FULL);
    near(power_tcp.window().get(), first);
    // The first acknowledgement made the present window the old one, until 50 arrives.
    power_tcp.on_ack(&ack(&[port(30, 3.0, 125_000)], 3, 60));
    let second = mixed(first, 2.0, first);
    near(power_tcp.window().get(), second);
    power_tcp.on_ack(&ack(&[port(40, 4.0, 125_000)], 51, 90));
    let third = mixed(first, 2.0, second);
    near(power_tcp.window().get(), third);
    power_tcp.on_ack(&ack(&[port(50, 5.0, 125_000)], 52, 95));
    near(power_tcp.window().get(), mixed(third, 2.0, third));
}

#[test]
fn power_is_averaged_over_a_round_trip() {
    let mut power_tcp = power_tcp();
    power_tcp.on_ack(&ack(&[port(10, 1.0, 125_000)], 1, 9));
    power_tcp.on_ack(&ack(&[port(15, 1.5, 125_000)], 2, 9));
    assert!((power_tcp.power() - 1.5).abs() < 1e-9);
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (control, name, value) in [
        ("hpcc", "target", "1.5"),
        ("powertcp", "gamma", "0"),
        ("timely", "floor", "0 b/s"),
        ("timely", "high", "1 us"),
        ("swift", "scaling_to", "0.01"),
    ] {
        let mut choice = congestion_controls().named(control).unwrap().clone();
        let refused = set(&mut choice, &[(name, value)]).and_then(|()| choice.build(&()).map(drop));
        assert_eq!(refused.unwrap_err().name(), name, "{control}");
    }
}
