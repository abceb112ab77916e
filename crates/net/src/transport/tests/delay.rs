//! TIMELY and Swift, transition by transition.

use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::{Path, RateControl, RateSample, Swift, SwiftConfig, Timely, TimelyConfig};

const PATH: Path = Path { line: Rate::from_gbps(10), round_trip: Duration::from_us(20), hops: 2 };

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

fn timely() -> Timely {
    Timely::new(&TimelyConfig::default(), &PATH)
}

fn mbps(timely: &mut Timely) -> f64 {
    timely.rate(us(0)).as_bps() as f64 / 1e6
}

/// After such a round trip; the rate then.
fn after(timely: &mut Timely, rtt: u64) -> f64 {
    timely.on_completion(Duration::from_us(rtt));
    mbps(timely)
}

#[test]
fn timely_below_low_only_adds() {
    let mut timely = timely();
    assert_eq!(mbps(&mut timely), 10_000.0);
    after(&mut timely, 1_000);
    let reduced = mbps(&mut timely);
    // However fast the round trip grows.
    assert!((after(&mut timely, 10) - (reduced + 10.0)).abs() < 1e-3);
    assert!((after(&mut timely, 49) - (reduced + 20.0)).abs() < 1e-3);
}

#[test]
fn timely_above_high_reduces_by_how_far() {
    let mut timely = timely();
    // 1 - 0.8 (1 - 500 / 1000)
    assert!((after(&mut timely, 1_000) - 6_000.0).abs() < 1e-3);
    // However fast it falls.
    assert!((after(&mut timely, 625) - 6_000.0 * (1.0 - 0.8 * 0.2)).abs() < 1e-3);
}

#[test]
fn timely_between_them_follows_the_gradient() {
    let mut timely = timely();
    assert_eq!(after(&mut timely, 100), 10_000.0);
    // It grows by 8 us, of which 0.875 count, over the shortest of 20 us.
    let share = 0.875 * 8.0 / 20.0;
    let reduced = 10_000.0 * (1.0 - 0.8 * share);
    assert!((after(&mut timely, 108) - reduced).abs() < 1e-3);
    // The average of differences is 0.125 · 7 + 0.875 · (-8) = -6.125 us: it is raised.
    assert!((after(&mut timely, 100) - (reduced + 10.0)).abs() < 1e-3);
}

#[test]
fn timely_rises_faster_from_the_fifth_calm_completion_on() {
    let mut timely = timely();
    let mut rate = after(&mut timely, 1_000);
    for calm in 1..=7 {
        let next = after(&mut timely, 300 - calm);
        let step = if calm >= 5 { 50.0 } else { 10.0 };
        assert!((next - (rate + step)).abs() < 1e-3, "{calm}");
        rate = next;
    }
    // One that is not calm begins the count anew.
    let reduced = after(&mut timely, 390);
    assert!(reduced < rate);
    assert!((after(&mut timely, 300) - (reduced + 10.0)).abs() < 1e-3);
}

#[test]
fn timely_acts_once_a_segment_and_stops_at_its_floor() {
    let mut timely = timely();
    let sample = |acked| RateSample {
        now: us(0),
        acked: Bytes::new(acked),
        una: 1,
        sent: 1,
        rtt: Duration::from_ms(9),
        notified: false,
        telemetry: &[],
    };
    timely.on_ack(&sample(15_999));
    assert_eq!(mbps(&mut timely), 10_000.0);
    timely.on_ack(&sample(1));
    assert!(mbps(&mut timely) < 3_000.0);
    (0..40).for_each(|_| timely.on_ack(&sample(16_000)));
    assert_eq!(mbps(&mut timely), 10.0);
}

/// A target of 50 us, 1 us for each link and none for flow scaling.
fn config() -> SwiftConfig {
    let base_target = Some(Duration::from_us(48));
    SwiftConfig { base_target, scaling: Duration::ZERO, ..SwiftConfig::default() }
}

fn swift(config: &SwiftConfig) -> Swift {
    Swift::new(config, &PATH, Bytes::new(1_000))
}

fn ack(at: u64, rtt: u64, packets: u64) -> RateSample<'static> {
    RateSample {
        now: us(at),
        acked: Bytes::new(1_000 * packets),
        una: 1,
        sent: 1,
        rtt: Duration::from_us(rtt),
        notified: false,
        telemetry: &[],
    }
}

#[test]
fn swift_grows_by_a_packet_a_round_trip_below_the_target() {
    let mut swift = swift(&config());
    assert_eq!((swift.packets(), swift.target()), (25.0, Duration::from_us(50)));
    swift.on_ack(&ack(0, 49, 5));
    assert!((swift.packets() - 25.2).abs() < 1e-9);
    assert_eq!(swift.window(), Bytes::new(25_200));
    assert_eq!(swift.rate(us(0)), Rate::from_gbps(10));
}

#[test]
fn swift_shrinks_by_how_far_above_the_target_once_a_round_trip() {
    let mut swift = swift(&config());
    // 1 - 0.8 (100 - 50) / 100
    swift.on_ack(&ack(1_000, 100, 1));
    assert!((swift.packets() - 15.0).abs() < 1e-9);
    swift.on_ack(&ack(1_099, 100, 1));
    assert!((swift.packets() - 15.0).abs() < 1e-9);
    // At most by half.
    swift.on_ack(&ack(1_100, 5_000, 1));
    assert!((swift.packets() - 7.5).abs() < 1e-9);
}

#[test]
fn swift_below_a_packet_spaces_packets_and_grows_by_what_arrives() {
    let mut swift = swift(&config());
    for round in 0..7 {
        swift.on_ack(&ack(10_000 * round, 8_000, 1));
    }
    let window = 25.0 / f64::from(1 << 7);
    assert!((swift.packets() - window).abs() < 1e-9);
    // 1000 bytes in rtt / cwnd.
    let rate = window * 8_000.0 / 8e-3;
    assert!((swift.rate(us(0)).as_bps() as f64 - rate).abs() < 2.0);
    swift.on_ack(&ack(100_000, 40, 1));
    assert!((swift.packets() - (window + 1.0)).abs() < 1e-9);
}

#[test]
fn swift_targets_more_for_small_windows_and_long_paths() {
    let target = |window: f64, hops| {
        let config = SwiftConfig { base_target: Some(Duration::from_us(40)), ..Default::default() };
        let round_trip = Duration::from_ps((window * 800_000.0) as u64);
        let path = Path { round_trip, hops, ..PATH };
        swift_over(&config, &path).target().as_ps() as f64 / 1e6
    };
    let alpha = 50.0 / (1.0 / 0.1_f64.sqrt() - 0.1);
    for window in [1.0_f64, 4.0, 25.0] {
        let scaled = alpha * (1.0 / window.sqrt() - 0.1);
        assert!((target(window, 3) - (43.0 + scaled)).abs() < 1e-3, "{window}");
    }
    assert!((target(100.0, 6) - 46.0).abs() < 1e-3);
    assert!((target(400.0, 6) - 46.0).abs() < 1e-3, "never less");
}

fn swift_over(config: &SwiftConfig, path: &Path) -> Swift {
    Swift::new(config, path, Bytes::new(1_000))
}

#[test]
fn swift_halves_at_a_loss_and_begins_anew_after_five_timeouts() {
    let mut swift = swift(&config());
    swift.on_ack(&ack(0, 40, 0));
    swift.on_loss(us(1_000), 0);
    assert!((swift.packets() - 12.5).abs() < 1e-9);
    swift.on_loss(us(1_039), 1);
    assert!((swift.packets() - 12.5).abs() < 1e-9, "once a round trip");
    swift.on_loss(us(1_040), 2);
    assert!((swift.packets() - 6.25).abs() < 1e-9);
    swift.on_loss(us(1_041), 5);
    assert!((swift.packets() - 0.001).abs() < 1e-9);
}
