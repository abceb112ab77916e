//! Which job sizes would give the factors of Fig. 3.18 (thesis §3.6.2), and which factors no job
//! sizes can give.
//!
//! ```sh
//! cargo run --release -p forebay-surge --example fit_matching -- experiments/surge/recordings/matching.csv OUT.csv
//! ```
//!
//! The thesis gives the largest factors of FCFS, SJF and WSJF, 82, 3 and 0.1, and not the job
//! sizes. J_max is 62,670 ns, as the paper's artifact sets it. FCFS depends on nothing but r_max
//! and P_min (Eq. 3.3), so r_max follows from P_min. What is left is searched: the recording,
//! scaled; log-normal job sizes and ratios, cut off at J_max; a power law of ratios, which is what
//! the bound below is attained by; each with shares of cheap and of small packets as free
//! parameters. Factors are those of the fluid at the rates of the figure; the experiment simulates
//! what is found.
//!
//! *The bound.* Of innocent traffic at rate r, let B(z) be the part whose work per bit is z or more
//! and V(z) one less the load below z. The optimal attack with ratio z is of rate V(z) / z and
//! displaces B(z): a factor of z·B(z) / V(z). Let that be d at most for every rate between a and b.
//! With G(z) the integral of B above z, V = 1 − ρ + z·B + G, so that B ≤ c·(1 − ρ + G) / z where
//! c = d / (1 − d), and by Grönwall's inequality 1 − ρ + G(y) ≤ e·(x / y)^c for y below x = J_max /
//! P_min, where e is 1 − ρ, or a·x if that is more (above, no rate of the figure reaches). At the
//! ratio y that rate b reaches, V(y) = b·y, hence 1 = 1 − ρ + G(0) ≤ b·y·(1 − d) + r·y. The least d
//! for which both can be is what no distribution with jobs of J_max at most in packets of P_min at
//! least can fall below.
//!
//! *SJF at 500 Mb/s.* An attack that leaves innocent traffic of rate r behind it a part 1 - q of
//! the processor's time that this traffic needs leaves less to more traffic of the same kind: what
//! goes ahead of the attack takes more time, and what stands behind it needs more. So the part q
//! that an attack displaces does not fall as r grows (a test of forebay-surge), and half of 500
//! Mb/s for 100 Mb/s would be at least half of 900 Mb/s, a factor of 4.5.

use std::error::Error;
use std::io::BufReader;

use forebay_surge::model::{
    Arrivals, Atom, Fluid, Joint, Means, Recorded, RecordedJob, Shot, Traffic, optimal_shot,
};
use forebay_surge::policies::ServiceOrder;
use forebay_units::{Bytes, Duration, Rate};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

/// J_max in matching, as the paper's artifact sets it.
const LONGEST: f64 = 62_670e-9;
/// r_I of the figure, b/s; the middle one assumed.
const INNOCENT: [f64; 3] = [100e6, 500e6, 900e6];
/// r_A of the figure, Mb/s.
const ATTACK_MBPS: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/// The largest factors of FCFS, SJF and WSJF, and the part that 100 Mb/s displace under SJF.
const PUBLISHED: [f64; 4] = [82.0, 3.0, 0.1, 0.5];
/// How much each counts: what the text calls "roughly" counts little.
const WEIGHTS: [f64; 4] = [1.0, 1.0, 1.0, 0.25];
/// Rows of the file that is written.
const ROWS: usize = 8000;

/// The largest factor of FCFS over the rates of the figure (Eq. 3.2), of jobs of so many seconds
/// per bit.
fn fcfs(ratio: f64, max_rate: f64) -> f64 {
    let factor = |innocent: f64, attack: f64| {
        let offered = innocent / max_rate + attack * ratio;
        (innocent.min(max_rate) - innocent / offered.max(1.0)) / attack
    };
    let rates = |innocent| ATTACK_MBPS.map(|mbps| factor(innocent, mbps as f64 * 1e6));
    INNOCENT.iter().flat_map(|innocent| rates(*innocent)).fold(0.0, f64::max)
}

/// The least r_max above the largest r_I at which FCFS has the published factor; none if it never
/// has.
fn max_rate(ratio: f64) -> Option<f64> {
    let (mut low, mut high) = (INNOCENT[2], 100.0 * INNOCENT[2]);
    if fcfs(ratio, low) < PUBLISHED[0] {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if fcfs(ratio, middle) < PUBLISHED[0] { high = middle } else { low = middle }
    }
    Some(low)
}

/// What no distribution's largest factor of WSJF can fall below; see the head.
fn least_wsjf(ratio: f64, max_rate: f64) -> f64 {
    let (innocent, [least, most]) = (INNOCENT[2], [1e6, 1e9]);
    let slack = (1.0 - innocent / max_rate).max(least * ratio);
    let can_be = |d: f64| {
        let y = 1.0 / (most * (1.0 - d) + innocent);
        slack * (ratio / y).powf(d / (1.0 - d)) >= most * y * (1.0 - d)
    };
    let (mut low, mut high) = (0.0, 0.99);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if can_be(middle) { high = middle } else { low = middle }
    }
    high
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    /// The jobs of our own recording, in place of a distribution.
    Recorded,
    /// Log-normal job sizes, whatever the packet's.
    LogNormalJobs,
    /// Log-normal work per bit, whatever the packet's size.
    LogNormalRatios,
    /// Work per bit by a power law, what is longer than J_max in smaller packets.
    PowerLaw,
}

const FAMILIES: [Family; 4] =
    [Family::Recorded, Family::LogNormalJobs, Family::LogNormalRatios, Family::PowerLaw];

/// What is searched, each between 0 and 1: shape, share of cheap packets, how cheap, share of small
/// packets, P_min, size of large packets.
type Point = [f64; 6];

struct Search {
    recording: Recorded,
    /// P_min where it is not free.
    smallest: Option<u64>,
    family: Family,
}

struct Candidate {
    joint: Joint,
    smallest: u64,
    max_rate: f64,
}

/// From `least` to `most`, evenly in the logarithm.
fn scale(at: f64, least: f64, most: f64) -> f64 {
    least * (most / least).powf(at.clamp(0.0, 1.0))
}

impl Search {
    fn smallest(&self, point: &Point) -> u64 {
        self.smallest.unwrap_or_else(|| scale(point[4], 16.0, 84.0).round() as u64)
    }

    /// Sizes in bytes with their shares.
    fn sizes(&self, point: &Point) -> Vec<(f64, f64)> {
        let (small, large) = (scale(point[3], 0.02, 0.95), scale(point[5], 200.0, 1500.0));
        vec![(self.smallest(point) as f64, small), (large, 1.0 - small)]
    }

    /// Packets (bytes, seconds, weight) before job sizes are scaled.
    fn shape(&self, point: &Point) -> Vec<(f64, f64, f64)> {
        let sizes = self.sizes(point);
        let deviation = scale(point[0], 0.1, 5.0);
        // Standard normal numbers with their weights.
        let normal = (-60..=60).map(|step| {
            let x = f64::from(step) / 10.0;
            (x, (-0.5 * x * x).exp())
        });
        let product = |values: Vec<(f64, f64)>, per_bit: bool| {
            let total: f64 = values.iter().map(|(_, p)| p).sum();
            let pairs = sizes.iter().flat_map(|(size, p)| {
                values.iter().map(move |(value, q)| {
                    (*size, if per_bit { value * size } else { *value }, p * q / total)
                })
            });
            pairs.collect::<Vec<_>>()
        };
        let log_normal = || normal.map(|(x, p)| ((deviation * x).exp(), p)).collect::<Vec<_>>();
        match self.family {
            Family::Recorded => {
                let rows = self.recording.innocent.iter();
                let packet = |row: &RecordedJob| {
                    (row.shot.size.get() as f64, row.shot.work.as_secs_f64(), 1.0)
                };
                rows.map(packet).collect()
            }
            Family::LogNormalJobs => product(log_normal(), false),
            Family::LogNormalRatios => product(log_normal(), true),
            Family::PowerLaw => {
                let exponent = scale(point[0], 0.3, 3.0);
                let steps = (0..=120).map(|step| {
                    let ratio = 10f64.powf(f64::from(step) / 30.0);
                    (ratio, ratio.powf(-exponent))
                });
                product(steps.collect(), true)
            }
        }
    }

    /// The distribution of a point, scaled to the r_max that FCFS demands and cut off at J_max;
    /// none if it cannot be.
    fn candidate(&self, point: &Point) -> Option<Candidate> {
        let smallest = self.smallest(point);
        let max_rate = max_rate(LONGEST / (smallest as f64 * 8.0))?;
        let mut packets = self.shape(point);
        let (cheap, part) = (scale(point[1], 1e-3, 0.999), scale(point[2], 1e-4, 1.0));
        let mean = |packets: &[(f64, f64, f64)], of: fn(&(f64, f64, f64)) -> f64| {
            let total: f64 = packets.iter().map(|packet| packet.2).sum();
            packets.iter().map(|packet| of(packet) * packet.2).sum::<f64>() / total
        };
        // Cheap packets are of all sizes.
        let middle = mean(&packets, |packet| packet.1) * part;
        let total: f64 = packets.iter().map(|packet| packet.2).sum();
        let cheap_ones: Vec<_> =
            packets.iter().map(|packet| (packet.0, middle, packet.2 * cheap)).collect();
        for packet in &mut packets {
            packet.2 *= 1.0 - cheap;
        }
        packets.extend(cheap_ones);
        let wanted = mean(&packets, |packet| packet.0) * 8.0 / max_rate;
        // What is cut off at J_max makes the mean smaller: again, until it comes out.
        let mut factor = wanted / mean(&packets, |packet| packet.1);
        for _ in 0..200 {
            let cut =
                |packet: &(f64, f64, f64)| (packet.1 * factor).min(LONGEST) * packet.2 / total;
            factor *= wanted / packets.iter().map(cut).sum::<f64>();
            if !factor.is_finite() || factor > 1e30 {
                return None;
            }
        }
        let atom = |packet: &(f64, f64, f64)| {
            let work = Duration::from_ps(((packet.1 * factor).min(LONGEST) * 1e12).max(1.0) as u64);
            let size = Bytes::new(packet.0.round().max(smallest as f64) as u64);
            Atom { size, work, estimate: work, weight: packet.2.max(1e-300) }
        };
        let joint = Joint::new(packets.iter().map(atom).collect()).ok()?;
        let close = (joint.max_rate() / max_rate - 1.0).abs() < 0.02;
        close.then_some(Candidate { joint, smallest, max_rate })
    }
}

/// The factors of SJF and WSJF at the rates of the figure, and what 100 Mb/s displace of 500 Mb/s
/// under SJF.
fn factors(joint: &Joint, smallest: u64) -> [f64; 3] {
    let means = Means {
        smallest: Bytes::new(smallest),
        largest: Bytes::new(1500),
        longest: Duration::from_ps((LONGEST * 1e12) as u64),
    };
    let mut found = [0.0; 3];
    for innocent in INNOCENT {
        let rate = Rate::from_bps(innocent as u64);
        let (arrivals, flows, seed) = (Arrivals::Constant, 1, 0);
        let traffic = Traffic { joint: joint.clone(), rate, arrivals, flows, seed };
        for (place, order) in [(0, ServiceOrder::ByWork), (1, ServiceOrder::ByRatio)] {
            let fluid = Fluid::new(&traffic, 1, order);
            for mbps in ATTACK_MBPS {
                let attack = mbps as f64 * 1e6;
                let shot = optimal_shot(&fluid, &means, Rate::from_bps(mbps * 1_000_000));
                let displaced = fluid.alone() - fluid.under(&shot, attack);
                found[place] = f64::max(found[place], displaced / attack);
                if place == 0 && mbps == 100 && innocent == INNOCENT[1] {
                    found[2] = displaced / fluid.alone();
                }
            }
        }
    }
    found
}

/// How far a candidate is from what was published: the weighted sum of squared logarithms.
fn distance(candidate: &Candidate) -> (f64, [f64; 4]) {
    let first = fcfs(LONGEST / (candidate.smallest as f64 * 8.0), candidate.max_rate);
    let [sjf, wsjf, half] = factors(&candidate.joint, candidate.smallest);
    let found = [first, sjf, wsjf, half];
    let parts = found.iter().zip(PUBLISHED).zip(WEIGHTS);
    let squares =
        parts.map(|((ours, paper), weight)| weight * (ours.max(1e-9) / paper).ln().powi(2));
    (squares.sum(), found)
}

/// The best of random points, then of points near the best.
fn search(search: &Search, rng: &mut ChaCha8Rng) -> Option<(f64, [f64; 4], Point)> {
    let mut best: Option<(f64, [f64; 4], Point)> = None;
    for round in 0..4000 {
        let width = if round < 1500 { 1.0 } else { 0.3 * 0.998f64.powi(round - 1500) };
        let point = match best {
            Some((_, _, at)) if round >= 1500 => {
                at.map(|x| (x + width * (2.0 * uniform(rng) - 1.0)).clamp(0.0, 1.0))
            }
            _ => core::array::from_fn(|_| uniform(rng)),
        };
        let Some(candidate) = search.candidate(&point) else { continue };
        let (far, found) = distance(&candidate);
        if best.as_ref().is_none_or(|(least, _, _)| far < *least) {
            best = Some((far, found, point));
        }
    }
    best
}

/// The distribution as a recording of equally likely rows, those of a kind spread over the file.
fn recording(candidate: &Candidate) -> Recorded {
    let job = |size: u64, work: Duration| {
        let work = Duration::from_ns(work.as_ps().div_ceil(1000));
        RecordedJob { flow: 0, shot: Shot::new(Bytes::new(size), work) }
    };
    let mut order: Vec<usize> = (0..candidate.joint.atoms().len()).collect();
    order.sort_by_key(|place| candidate.joint.atoms()[*place].work);
    let (mut sum, mut innocent) = (0.0, Vec::new());
    for place in order {
        sum += candidate.joint.probability(place);
        let Atom { size, work, .. } = candidate.joint.atoms()[place];
        while (innocent.len() as f64 + 0.5) < sum * ROWS as f64 {
            innocent.push(job(size.get(), work));
        }
    }
    let longest = Duration::from_ps((LONGEST * 1e12) as u64);
    Recorded { innocent, attack: vec![job(candidate.smallest, longest)] }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file =
        arguments.next().ok_or("give a recording, as experiments/surge/recordings/matching.csv")?;
    let recording_of_ours = Recorded::read(BufReader::new(std::fs::File::open(file)?))?;

    println!(
        "what FCFS's factor says of r_max, and the least factor of WSJF that there can then be"
    );
    println!("P_min  r_max, Mb/s  load at 900 Mb/s  WSJF at least");
    for smallest in [84u64, 72, 64, 60, 54, 48, 44, 40, 36, 32, 28, 24] {
        let ratio = LONGEST / (smallest as f64 * 8.0);
        match max_rate(ratio) {
            Some(rate) => println!(
                "{smallest:5}  {:11.0}  {:16.3}  {:13.3}",
                rate / 1e6,
                INNOCENT[2] / rate,
                least_wsjf(ratio, rate)
            ),
            None => println!("{smallest:5}  none: FCFS stays below its factor"),
        }
    }

    println!("\nfamily           P_min  r_max  FCFS   SJF  WSJF  SJF at 500, 100 Mb/s  distance");
    let mut best: Option<(f64, Candidate)> = None;
    for family in FAMILIES {
        for smallest in [Some(64), None] {
            let recording = recording_of_ours.clone();
            let one = Search { recording, smallest, family };
            let mut rng = stream(1, "fit", family as u64 * 2 + u64::from(smallest.is_none()));
            let Some((far, [first, sjf, wsjf, half], point)) = search(&one, &mut rng) else {
                println!("{:15}  none", format!("{family:?}"));
                continue;
            };
            let Some(candidate) = one.candidate(&point) else { continue };
            println!(
                "{:15}  {:5}  {:5.0}  {first:4.0}  {sjf:4.2}  {wsjf:4.3}  {half:20.2}  {far:.4}  \
                 {point:.3?}",
                format!("{family:?}"),
                candidate.smallest,
                candidate.max_rate / 1e6,
            );
            if best.as_ref().is_none_or(|(least, _)| far < *least) {
                best = Some((far, candidate));
            }
        }
    }
    if let (Some((_, candidate)), Some(out)) = (best, arguments.next()) {
        std::fs::write(out, recording(&candidate).to_csv())?;
    }
    Ok(())
}
