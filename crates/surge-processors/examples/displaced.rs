//! Displaced goodput of both processors by policy, on this machine: thesis §3.6.1, Fig. 3.13 and 3.15 at one
//! attack rate, that of 0.1 Gb/s where the paper's processor serves 12 Gb/s.
//!
//! ```sh
//! cargo run --release -p forebay-surge-processors --example displaced -- FOLDER
//! ```
//!
//! The folder holds captures with whole payloads; without one, those of the tests are taken, which are small.
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use forebay_surge::estimate::Limits;
use forebay_surge::model::{Arrivals, Atom, Joint, Means, Outcome, Traffic, optimal_attack};
use forebay_surge::{ProtectConfig, SchedulerConfig, Statistics};
use forebay_surge_processors::driver::{
    Arrival, Clock, Flood, MatchingStation, Paced, ReassemblyCosts, ReassemblyStation, Repeated,
    Span, Suspect, merged, run, suspects,
};
use forebay_surge_processors::rules::{MatchConfig, Matcher, backtracking_payload};
use forebay_surge_processors::tcp::{ListStore, ReassemblyConfig, SegmentStore, TreeStore};
use forebay_surge_processors::{EXAMPLE_RULES, Packet, read_packets};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::CaptureLimits;
use rustix::time::{ClockId, clock_gettime};

type Outcomes = Result<(), Box<dyn Error>>;

const POLICIES: [&str; 7] =
    ["fcfs", "fq-packets", "fq-bytes", "fq-time", "sjf", "wsjf", "wsjf-inorder"];

/// r_I / r_max, as in the paper.
const LOAD: f64 = 10.0 / 12.0;

/// r_A / r_max: 0.1 Gb/s of 12 Gb/s.
const ATTACK: f64 = 0.1 / 12.0;

/// CPU time of this thread.
fn cpu_time() -> Time {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Time::from_ps((now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64) * 1000)
}

fn packets(folder: &Path) -> Result<Vec<Packet>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .collect::<Result<Vec<_>, _>>()?
        .iter()
        .map(|e| e.path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "pcap" || end == "pcapng"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let read = read_packets(std::fs::File::open(&file)?, &name, CaptureLimits::default())?;
        if read.cut == 0 {
            all.extend(read.packets);
        } else {
            eprintln!("{name} is left out: {} of its packets were cut", read.cut);
        }
    }
    Ok(all)
}

fn guard(policy: &'static str) -> ProtectConfig {
    let scheduler = SchedulerConfig { capacity: 1024, ..SchedulerConfig::default() };
    ProtectConfig { policy, scheduler, limits: Limits::default() }
}

/// One line of a table: the same innocent traffic without and with the attack.
fn line(
    name: &str,
    note: &str,
    mut runs: impl FnMut(bool) -> Result<(Outcome, Statistics), Box<dyn Error>>,
    rates: [Rate; 2],
    fcfs: &mut Option<f64>,
) -> Outcomes {
    let (alone, _) = runs(false)?;
    let (attacked, statistics) = runs(true)?;
    let mbps = |outcome: &Outcome| outcome.goodput().as_bps() as f64 / 1e6;
    let displaced = mbps(&alone) - mbps(&attacked);
    let reference = *fcfs.get_or_insert(displaced);
    let factor = displaced / (rates[1].as_bps() as f64 / 1e6);
    println!(
        "{name:<14}{:>12.1}{:>12.1}{displaced:>12.1}{factor:>10.2}{:>10.1}%{:>9.0}%{:>9.0}%  {note}",
        mbps(&alone),
        mbps(&attacked),
        (1.0 - displaced / reference) * 100.0,
        statistics.calibration.bias() * 100.0,
        statistics.calibration.underestimated() * 100.0,
    );
    Ok(())
}

fn heading(what: &str, rates: [Rate; 2], most: f64) {
    println!("\n{what}: r_max {:.0} Mb/s, r_I {}, r_A {}", most / 1e6, rates[0], rates[1]);
    println!(
        "{:<14}{:>12}{:>12}{:>12}{:>10}{:>11}{:>10}{:>10}  attack",
        "policy", "alone, Mb/s", "attacked", "displaced", "factor", "vs FCFS", "bias", "under"
    );
}

fn rates(joint: &Joint) -> [Rate; 2] {
    [LOAD, ATTACK].map(|part| Rate::from_bps((joint.max_rate() * part) as u64))
}

fn reassembly<S: SegmentStore + 'static>(packets: &[Packet], clock: &Clock) -> Outcomes {
    let config = ReassemblyConfig::paper();
    let tcp: Vec<Packet> = packets.iter().filter(|p| p.segment().is_some()).cloned().collect();
    let costs = ReassemblyCosts::measure::<S>(&tcp, config, clock)?;
    let rates = rates(&costs.innocent);
    let what = format!("TCP reassembly over a {}", S::NAME);
    heading(&what, rates, costs.innocent.max_rate());
    println!("  a packet {} on average, a traversal {}", costs.base, costs.step);
    let traffic = Traffic {
        joint: costs.innocent.clone(),
        rate: rates[0],
        arrivals: Arrivals::Constant,
        flows: 1,
        seed: 0,
    };
    let means = Means {
        smallest: Bytes::new(64),
        largest: Bytes::new(1514),
        longest: costs.longest(config.window),
    };
    let span = Span { warmup: Duration::from_ms(100), measured: Duration::from_ms(300) };
    let mut fcfs = None;
    for policy in POLICIES {
        let attack = optimal_attack(policy, &traffic, 1, &means, rates[1]);
        let work = attack.shots.first().map_or(means.longest, |(shot, _)| shot.work);
        let heaviest = work >= means.longest || !(policy == "sjf" || policy.starts_with("wsjf"));
        let full = Flood::filling(config.window);
        let segments = if heaviest { full } else { costs.segments_for(work).min(full) };
        let runs = |attacked: bool| {
            let mut station = ReassemblyStation::build::<S>(&guard(policy), config, &costs, clock)?;
            let innocent = Repeated::new(&tcp);
            let mean = innocent.mean_size();
            let sized = innocent.map(|(_, packet)| (packet.size, packet));
            let innocent = Paced::innocent(sized, rates[0], mean);
            // One flow at a time: fifty would take seconds to become long at this rate.
            let flood = Flood::new(segments, 1).map(|packet| (packet.size, packet));
            let flood = Paced::attack(flood, if attacked { rates[1] } else { Rate::from_bps(0) });
            let outcome = run(station.as_mut(), merged(innocent, flood), span);
            Ok((outcome, station.statistics()))
        };
        line(policy, &format!("N = {segments}"), runs, rates, &mut fcfs)?;
    }
    Ok(())
}

/// What each suspect takes alone, twice; the second time counts.
fn matching_costs(
    matcher: &Matcher,
    list: &[Suspect],
    clock: &Clock,
) -> Result<Joint, Box<dyn Error>> {
    let time = |suspect: &Suspect| {
        let before = clock.now();
        matcher.full_match(&suspect.packet, &suspect.candidates, || Time::ZERO);
        clock.net(clock.now().since(before), 1)
    };
    for suspect in list {
        let _ = time(suspect);
    }
    let atom = |suspect: &Suspect| {
        let work = time(suspect);
        Atom { size: suspect.packet.size, work, estimate: work, weight: 1.0 }
    };
    Ok(Joint::new(list.iter().map(atom).collect())?)
}

fn matching(packets: &[Packet], clock: &Clock) -> Outcomes {
    let matcher = Rc::new(Matcher::new(EXAMPLE_RULES, MatchConfig::default()));
    let list = suspects(&matcher, packets);
    let joint = matching_costs(&matcher, &list, clock)?;
    let rates = rates(&joint);
    heading("Rule matching", rates, joint.max_rate());
    let like = packets.iter().find(|packet| packet.segment().is_some()).ok_or("no TCP packet")?;
    let crafted = |bytes| {
        let read = clock.clone();
        backtracking_payload(&matcher, like, bytes, move || read.now())
    };
    // The ratio counts, not the size: the best of several sizes.
    let tried = [10, 30, 60, 100, 200, 500, 1000].into_iter().filter_map(crafted);
    let ratio = |(packet, took): &(Packet, Duration)| took.as_secs_f64() / packet.size.get() as f64;
    let (payload, took) =
        tried.max_by(|a, b| ratio(a).total_cmp(&ratio(b))).ok_or("no rule has an expression")?;
    println!(
        "  {} of {} packets have candidates; the attack's take {took} for {}",
        list.len(),
        packets.len(),
        payload.size
    );
    let bullet = Suspect::of(&matcher, &payload).ok_or("the attack has no candidates")?;
    let span = Span { warmup: Duration::from_ms(300), measured: Duration::from_ms(1500) };
    let suspected: Vec<Packet> = list.iter().map(|suspect| suspect.packet.clone()).collect();
    let first = joint.mean_work() / joint.mean_size();
    let mut fcfs = None;
    for policy in POLICIES {
        let runs = |attacked: bool| {
            let mut station =
                MatchingStation::build(&guard(policy), Rc::clone(&matcher), first, clock)?;
            let innocent = Repeated::new(&suspected);
            let mean = innocent.mean_size();
            let sized = innocent.map(|(place, packet)| {
                let candidates = Rc::clone(&list[place].candidates);
                (packet.size, Suspect { packet, candidates })
            });
            let innocent = Paced::innocent(sized, rates[0], mean);
            let shots = (0..).map(|pass| {
                let packet = bullet.packet.in_pass(pass);
                (packet.size, Suspect { packet, ..bullet.clone() })
            });
            let shots = Paced::attack(shots, if attacked { rates[1] } else { Rate::from_bps(0) });
            let arrivals: Box<dyn Iterator<Item = Arrival<Suspect>>> =
                Box::new(merged(innocent, shots));
            let outcome = run(station.as_mut(), arrivals, span);
            Ok((outcome, station.statistics()))
        };
        line(policy, "the same payload, each in its own flow", runs, rates, &mut fcfs)?;
    }
    Ok(())
}

fn main() -> Outcomes {
    let shipped = || OsString::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data"));
    let folder = std::env::args_os().nth(1).unwrap_or_else(shipped);
    let packets = packets(Path::new(&folder))?;
    let clock = Clock::new(cpu_time);
    reassembly::<ListStore>(&packets, &clock)?;
    reassembly::<TreeStore>(&packets, &clock)?;
    matching(&packets, &clock)
}
