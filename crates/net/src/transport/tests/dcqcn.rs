//! DCQCN's rate, transition by transition: the figures are those that equations 1 to 4 of the paper
//! give at a link of 40 Gb/s.

use forebay_parameters::set;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::{ConfigError, Controller, Dcqcn, DcqcnConfig, congestion_controls};

const LINE: Rate = Rate::from_gbps(40);

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

fn mbps(control: &mut Dcqcn, now: Time) -> f64 {
    control.rate(now).as_bps() as f64 / 1e6
}

#[test]
fn a_notification_reduces_by_half_of_alpha_and_raises_alpha() {
    let mut control = Dcqcn::new(&DcqcnConfig::default(), LINE);
    assert_eq!((control.rate(us(500)), control.alpha(us(500))), (LINE, 1.0));
    control.on_notification(us(500));
    assert_eq!(mbps(&mut control, us(500)), 20_000.0);
    // α is 1 and stays there: (1 - g) α + g.
    assert_eq!(control.alpha(us(500)), 1.0);
    control.on_notification(us(550));
    assert_eq!(mbps(&mut control, us(550)), 10_000.0);
}

#[test]
fn without_notifications_alpha_decays_every_55_us() {
    let mut control = Dcqcn::new(&DcqcnConfig::default(), LINE);
    control.on_notification(us(0));
    assert_eq!(control.alpha(us(54)), 1.0);
    let decayed = |periods: i32| (1.0 - 1.0 / 256.0_f64).powi(periods);
    assert!((control.alpha(us(55)) - decayed(1)).abs() < 1e-12);
    assert!((control.alpha(us(55 * 100)) - decayed(100)).abs() < 1e-12);
    // The next notification reduces by half of that.
    let before = mbps(&mut control, us(5_500));
    control.on_notification(us(5_500));
    let after = mbps(&mut control, us(5_500));
    assert!((after / before - (1.0 - decayed(100) / 2.0)).abs() < 1e-6);
    assert!(control.alpha(us(1_000_000_000)) >= 0.0, "it ends, however long nothing comes");
}

#[test]
fn fast_recovery_halves_the_way_back_until_five_expiries() {
    let mut control = Dcqcn::new(&DcqcnConfig::default(), LINE);
    control.on_notification(us(0));
    let rates: Vec<f64> = (1..=4).map(|n| mbps(&mut control, us(55 * n))).collect();
    assert_eq!(rates, [30_000.0, 35_000.0, 37_500.0, 38_750.0]);
    // The fifth expiry is additive: the target is the link's rate already, and stays.
    assert_eq!(mbps(&mut control, us(55 * 5)), 39_375.0);
}

#[test]
fn additive_increase_raises_the_target_by_40_mbps() {
    let mut control = Dcqcn::new(&DcqcnConfig::default(), LINE);
    control.on_notification(us(0));
    control.on_notification(us(1)); // from 20 to 10 Gb/s: the target is 20
    assert_eq!(mbps(&mut control, us(1)), 10_000.0);
    let at = |n: u64| us(1 + 55 * n);
    assert_eq!(mbps(&mut control, at(4)), 19_375.0);
    // Additive: target 20,040, then 20,080.
    assert_eq!(mbps(&mut control, at(5)), (19_375.0 + 20_040.0) / 2.0);
    assert_eq!(mbps(&mut control, at(6)), (19_707.5 + 20_080.0) / 2.0);
}

#[test]
fn bytes_count_as_the_timer_does() {
    let mut control = Dcqcn::new(&DcqcnConfig::default(), LINE);
    control.on_notification(us(0));
    control.on_sent(us(1), 9_999_999);
    assert_eq!(mbps(&mut control, us(1)), 20_000.0);
    control.on_sent(us(1), 1);
    assert_eq!(mbps(&mut control, us(1)), 30_000.0);
    // Two rounds at once.
    control.on_sent(us(1), 20_000_000);
    assert_eq!(mbps(&mut control, us(1)), 37_500.0);
}

#[test]
fn hyper_increase_begins_when_both_counts_are_beyond_five() {
    let config = DcqcnConfig { byte_counter: Bytes::new(1_000), ..DcqcnConfig::default() };
    let mut control = Dcqcn::new(&config, LINE);
    for n in 0..6 {
        control.on_notification(us(n)); // down to 625 Mb/s, with a target of 1,250
    }
    assert_eq!(mbps(&mut control, us(5)), 625.0);
    // Six rounds of bytes: four of fast recovery, two additive.
    control.on_sent(us(5), 6_000);
    let target = 1_250.0 + 2.0 * 40.0;
    let near = mbps(&mut control, us(5));
    assert!(near < target && target - near < 60.0, "{near}");
    // The timer's first five expiries are additive, since the least count is not beyond five; the
    // sixth is hyper: (6 - 5) · 400.
    let before = mbps(&mut control, us(5 + 55 * 5));
    let sixth = mbps(&mut control, us(5 + 55 * 6));
    let target = target + 5.0 * 40.0 + 400.0;
    assert!((sixth - (before + target) / 2.0).abs() < 1e-5, "{sixth}");
    // A notification begins anew.
    control.on_notification(us(345));
    let reduced = mbps(&mut control, us(345));
    let raised = mbps(&mut control, us(345 + 55));
    assert!((raised - (reduced + sixth) / 2.0).abs() < 1e-5, "{raised}");
}

#[test]
fn the_rate_ends_between_its_floor_and_the_line() {
    let mut control = Dcqcn::new(&DcqcnConfig::default(), LINE);
    for n in 0..100 {
        control.on_notification(us(n));
    }
    assert_eq!(mbps(&mut control, us(100)), 10.0);
    assert_eq!(control.rate(us(10_000_000)), LINE);
    // At the line nothing is left to expire.
    control.on_sent(us(10_000_000), u64::MAX);
    assert_eq!(control.rate(us(10_000_000)), LINE);
}

#[test]
fn impossible_parameters_are_refused() {
    let refused = |name: &str, value: &str| {
        let mut choice = congestion_controls().named("dcqcn").unwrap().clone();
        set(&mut choice, &[(name, value)]).unwrap();
        choice.build(&()).err().map(|error| error.name().to_owned())
    };
    for name in ["alpha_timer", "increase_timer"] {
        assert_eq!(refused(name, "0 ns").as_deref(), Some(name));
    }
    assert_eq!(refused("byte_counter", "0 B").as_deref(), Some("byte_counter"));
    assert_eq!(refused("floor", "0 b/s").as_deref(), Some("floor"));
    let built = congestion_controls().named("dcqcn").unwrap().build(&());
    assert!(matches!(built.map_err(ConfigError::from), Ok(Controller::Rate(_))));
}
