//! Who sends what, through which port of the switch.
//!
//! Every sender of the burst is behind a port that is not the burst's, the next one where it gets
//! most of the port's speed; a congested port gets its traffic from all ports but itself, of what
//! the burst leaves of them (`bring` in the module above). So nothing comes through a port that it
//! could not bring.

use forebay_sonic::play::{Burst, Played};
use forebay_units::Rate;

use super::bring::brought;

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
    let congested = busy(played, demand)?;
    let busy: u64 = congested.iter().map(|port| background(played, demand, *port)).sum();
    let left = all.saturating_sub(busy) / u64::from(demand.senders.max(1));
    // What comes through a congested port itself is of no use to that.
    let beside = |port: &usize| {
        let elsewhere = u64::from(demand.senders) - senders[*port];
        let left = all.saturating_sub(speed(*port) + background(played, demand, *port));
        left.checked_div(elsewhere).unwrap_or(u64::MAX)
    };
    let beside = congested.iter().map(beside).min().unwrap_or(u64::MAX);
    let most = of_ports.min(left).min(beside) / STEP * STEP;
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
    let wanted = |output: usize| (output, background(played, demand, output));
    let outputs: Vec<(usize, u64)> = busy(played, demand)?.into_iter().map(wanted).collect();
    let brought = brought(&left, &outputs);
    for (place, (output, _)) in outputs.into_iter().enumerate() {
        for (input, brought) in brought.iter().enumerate() {
            let rate = Rate::from_bps(brought[place] as u64);
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

#[cfg(test)]
mod tests {
    use forebay_sonic::play::Wanted;

    use super::*;

    fn example() -> Played {
        let config = forebay_sonic::parse(forebay_sonic::EXAMPLE).unwrap();
        let wanted = Wanted { port: None, lossy: None, lossless: None, burst: Burst::Lossless };
        Played::new(&config, &wanted).unwrap()
    }

    #[test]
    fn no_port_brings_more_than_its_speed_and_every_congested_one_gets_its_load() {
        let played = example();
        for busy in 0..=3 {
            for senders in [1, 2, 7, 12, 16, 40] {
                let burst = Burst::Lossless;
                let demand = Demand { burst, senders, rate: None, busy, load: 2.0 };
                let flows = flows(&played, &demand).unwrap();
                let sum = |of: &dyn Fn(&FlowPlan) -> bool| -> u64 {
                    flows.iter().filter(|flow| of(flow)).map(|flow| flow.rate.as_bps()).sum()
                };
                for (port, one) in played.ports.iter().enumerate() {
                    let brings = sum(&|flow| flow.input == port);
                    assert!(brings <= one.speed.as_bps(), "{busy} {senders}: {port} {brings}");
                }
                for output in played.congestible().into_iter().take(busy.into()) {
                    let gets = sum(&|flow| flow.output == output);
                    assert!(gets.abs_diff(200_000_000_000) < 20 * STEP, "{busy} {senders}: {gets}");
                }
            }
        }
    }
}
