//! Who sends what, through which port of the switch.
//!
//! Every sender of the burst is behind a port that is not the burst's, the next one where it gets
//! most of the port's speed; a congested port gets its traffic from all ports but itself, in
//! proportion to what the burst leaves of them. So nothing comes through a port that it could not
//! bring.

use forebay_sonic::play::{Burst, Played};
use forebay_units::Rate;

/// A flow into the switch.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPlan {
    /// The port that it comes through.
    pub input: usize,
    /// The port that it leaves through.
    pub output: usize,
    /// Whether it is of the lossless class.
    pub lossless: bool,
    /// How fast it sends.
    pub rate: Rate,
    /// Which sender of the burst; none for the traffic of a congested port.
    pub sender: Option<u32>,
}

/// Why the ports cannot bring the traffic: the parameter at fault, and one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// As the scenario calls it.
    pub parameter: &'static str,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// What is asked of the ports.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Which classes get the burst.
    pub burst: Burst,
    /// Its senders.
    pub senders: u32,
    /// The rate of each; none for what the ports allow.
    pub rate: Option<Rate>,
    /// Congested ports.
    pub busy: u16,
    /// What each of them gets, in times of its speed.
    pub load: f64,
}

/// Rates are whole Mb/s, so that they are short where they are shown.
const STEP: u64 = 1_000_000;

/// The senders of the burst by the port that each comes through.
fn places(played: &Played, demand: &Demand) -> Result<Vec<usize>, Refused> {
    let class = if demand.burst.lossless() { &played.lossless } else { &played.lossy };
    let inputs: Vec<usize> = class.iter().flat_map(|class| played.inputs(class)).collect();
    let mut senders = vec![0u64; played.ports.len()];
    let speed = |port: usize| played.ports[port].speed.as_bps();
    let places = (0..demand.senders).map(|_| {
        let best = inputs
            .iter()
            .copied()
            .max_by_key(|port| (speed(*port) / (senders[*port] + 1), std::cmp::Reverse(*port)));
        best.inspect(|port| senders[*port] += 1)
    });
    places.collect::<Option<Vec<_>>>().ok_or_else(|| Refused {
        parameter: "workload.burst_senders",
        problem: "no other port can send the burst: play a configuration with more ports".into(),
    })
}

/// The rate of each sender, and where each is.
fn burst(played: &Played, demand: &Demand) -> Result<(Rate, Vec<usize>), Refused> {
    let places = places(played, demand)?;
    let mut senders = vec![0u64; played.ports.len()];
    places.iter().for_each(|port| senders[*port] += 1);
    let speed = |port: usize| played.ports[port].speed.as_bps();
    let each = |(port, senders): (usize, &u64)| speed(port).checked_div(*senders);
    let of_ports = senders.iter().enumerate().filter_map(each).min().unwrap_or(0);
    let all = others(played);
    let busy: u64 =
        busy(played, demand)?.iter().map(|port| background(played, demand, *port)).sum();
    let left = all.saturating_sub(busy) / u64::from(demand.senders.max(1));
    let most = of_ports.min(left) / STEP * STEP;
    if most == 0 {
        let problem = format!(
            "the other ports bring {}, all of which the congested ports take: lower it",
            Rate::from_bps(all)
        );
        return Err(Refused { parameter: "workload.background_queues", problem });
    }
    match demand.rate {
        None => Ok((Rate::from_bps(most), places)),
        Some(rate) if rate.as_bps() <= most => Ok((rate, places)),
        Some(rate) => Err(Refused {
            parameter: "workload.burst_rate",
            problem: format!(
                "{} senders at {rate} are more than their ports bring in addition to {} for the \
                 congested ports: give {} or less",
                demand.senders,
                Rate::from_bps(busy),
                Rate::from_bps(most)
            ),
        }),
    }
}

/// What all ports but the burst's bring.
fn others(played: &Played) -> u64 {
    let others = played.ports.iter().enumerate().filter(|(port, _)| *port != played.output);
    others.fold(0, |sum, (_, port)| sum.saturating_add(port.speed.as_bps()))
}

/// The congested ports.
fn busy(played: &Played, demand: &Demand) -> Result<Vec<usize>, Refused> {
    let mut ports = played.congestible();
    let (asked, there) = (usize::from(demand.busy), ports.len());
    if asked > there {
        let problem = format!(
            "{asked} is more than the {there} other ports with a lossy queue in the pool: give \
             {there} or less"
        );
        return Err(Refused { parameter: "workload.background_queues", problem });
    }
    ports.truncate(asked);
    Ok(ports)
}

/// What a congested port gets, in bits a second.
fn background(played: &Played, demand: &Demand, port: usize) -> u64 {
    (played.ports[port].speed.as_bps() as f64 * demand.load) as u64
}

/// The rate of each sender of the burst.
///
/// # Errors
/// If the ports cannot bring it.
pub fn sender_rate(played: &Played, demand: &Demand) -> Result<Rate, Refused> {
    burst(played, demand).map(|(rate, _)| rate)
}

/// Every flow: those of congested ports first.
///
/// # Errors
/// If the ports cannot bring them.
pub fn flows(played: &Played, demand: &Demand) -> Result<Vec<FlowPlan>, Refused> {
    let (rate, places) = burst(played, demand)?;
    let mut left: Vec<u64> = played.ports.iter().map(|port| port.speed.as_bps()).collect();
    for port in &places {
        left[*port] = left[*port].saturating_sub(rate.as_bps());
    }
    left[played.output] = 0;
    let mut flows = Vec::new();
    for output in busy(played, demand)? {
        let all: u64 = left.iter().sum::<u64>() - left[output];
        let wanted = background(played, demand, output) as f64 / all.max(1) as f64;
        for (input, left) in left.iter().enumerate().filter(|(input, _)| *input != output) {
            let rate = Rate::from_bps((*left as f64 * wanted) as u64);
            if rate.as_bps() >= STEP {
                flows.push(FlowPlan { input, output, lossless: false, rate, sender: None });
            }
        }
    }
    let classes = [(false, demand.burst.lossy()), (true, demand.burst.lossless())];
    let classes: Vec<bool> =
        classes.iter().filter(|(_, sent)| *sent).map(|(one, _)| *one).collect();
    let each = Rate::from_bps((rate.as_bps() / classes.len() as u64).max(1));
    for (sender, input) in (0..).zip(places) {
        for lossless in &classes {
            flows.push(FlowPlan {
                input,
                output: played.output,
                lossless: *lossless,
                rate: each,
                sender: Some(sender),
            });
        }
    }
    Ok(flows)
}
