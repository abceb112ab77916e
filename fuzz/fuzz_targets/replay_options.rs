//! Options of a replay, structured: each text is a route, a window, a share of a sweep, a rate, a
//! rank or a class, or one error; what is read plans every packet of a capture; never a panic.
#![no_main]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use forebay_lab::run::share::RunShare;
use forebay_replay::{Pace, PlanConfig, Ranking, ReplayPlan, Route, class_rule, port_of};
use forebay_switch::Catalogue;
use forebay_trace::TraceWindow;
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::{CaptureLimits, Recording};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::default);
static RECORDING: LazyLock<Recording> = LazyLock::new(|| {
    let file: &[u8] = include_bytes!("../seeds/capture/six.pcap");
    Recording::read(file, "six.pcap", CaptureLimits::default()).unwrap()
});

#[derive(Arbitrary, Debug)]
struct Options<'a> {
    routes: Vec<&'a str>,
    rates: Vec<&'a str>,
    rank: Option<&'a str>,
    class: Option<&'a str>,
    classes: Option<u16>,
    window: &'a str,
    share: &'a str,
    pace: f64,
    by_load: bool,
}

fuzz_target!(|options: Options<'_>| {
    if let Ok(window) = options.window.parse::<TraceWindow>() {
        assert!(window.from < window.to && window.contains(window.from));
    }
    if let Ok(share) = options.share.parse::<RunShare>() {
        assert!(
            share.takes(0) || (1..1 << 16).any(|run| share.takes(run)) || options.share.len() > 4
        );
    }
    for text in options.routes.iter().chain(&options.rates) {
        // A value is printed as it can be read again.
        if let Ok(span) = text.parse::<Duration>() {
            assert_eq!(span.to_string().parse(), Ok(span));
        }
        if let Ok(size) = text.parse::<Bytes>() {
            assert_eq!(size.to_string().parse(), Ok(size));
        }
    }
    let routes: Vec<Route> = options.routes.iter().filter_map(|text| text.parse().ok()).collect();
    let to = port_of(&routes, IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)));
    assert!(to.is_none_or(|port| routes.iter().any(|route| route.port == port)));
    let rates: Vec<Rate> = options.rates.iter().filter_map(|text| text.parse().ok()).collect();
    let pace = if options.by_load { Pace::Load(options.pace) } else { Pace::Speed(options.pace) };
    let config = PlanConfig {
        routes,
        pace,
        rank: options.rank.and_then(|text| Ranking::read(text, &CATALOGUE).ok()),
        class: options.class.and_then(|text| class_rule(text).ok()),
        classes: options.classes,
        ..PlanConfig::new(rates)
    };
    let Ok(plan) = ReplayPlan::new(&RECORDING, config) else { return };
    let mut last = Time::ZERO;
    for index in 0..plan.packets() {
        let Some(offered) = plan.offered(index) else { panic!("a packet is missing") };
        assert!(offered.at >= last);
        assert!(offered.port.is_none_or(|port| usize::from(port) < plan.ports().len()));
        last = offered.at;
    }
    assert!(plan.offered(plan.packets()).is_none());
});
