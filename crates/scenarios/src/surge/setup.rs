//! Traffic, attack and scheduler of a point.

use std::fs::File;
use std::io::BufReader;

use forebay_lab::{ConfigError, Resolved};
use forebay_surge::model::{
    Arrivals, Attack, Fluid, Joint, Means, Offer, Reassembly, Recorded, Shot, SimulationConfig,
    Traffic, optimal_attack, order_of, worst_shot_of,
};
use forebay_surge::{DropRule, POLICIES, PolicyConfig, Ranks, SchedulerConfig, SurgeError};
use forebay_units::{Bytes, Duration, Rate};

use super::params::TAIL;

/// Packets in order of time.
pub(super) type Offers<'a> = Box<dyn Iterator<Item = Offer> + 'a>;

/// Everything a run needs.
pub struct Setup {
    /// Policy, buffer and span.
    pub config: SimulationConfig,
    /// r_A.
    pub attack_rate: Rate,
    /// What the adversary can craft.
    pub means: Means,
    /// Innocent traffic, as a distribution.
    pub traffic: Traffic,
    attack: Attack,
    /// Packets as recorded, with the attack's packets of a flow; none: drawn.
    replay: Option<(Recorded, usize)>,
}

impl Setup {
    /// Reads the parameters, and the recording.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(params: &Resolved, policy: &str, seed: u64) -> Result<Self, ConfigError> {
        Self::told(params, policy, seed, params.text("estimates")? == "true")
    }

    /// The same, whether the scheduler is told the truth or not.
    pub(super) fn told(
        params: &Resolved,
        policy: &str,
        seed: u64,
        truth: bool,
    ) -> Result<Self, ConfigError> {
        let config = config(params, policy)?;
        let (joint, means, recorded) = match params.text("traffic.model")? {
            "recorded" => recorded(params, truth)?,
            _ => simulated(params, truth)?,
        };
        let most = joint.max_rate() * f64::from(config.servers);
        let share = |share: &str, rate: &str| -> Result<Rate, ConfigError> {
            let part = params.float(share)?;
            if part > 0.0 { Ok(Rate::from_bps((most * part) as u64)) } else { params.rate(rate) }
        };
        let rate = share("traffic.load", "traffic.rate")?;
        let attack_rate = share("attack.share", "attack.rate")?;
        for (name, rate) in [("traffic.rate", rate), ("attack.rate", attack_rate)] {
            if rate.as_bps() == 0 {
                return Err(params.blame(name, "nothing comes at 0 b/s").fix("give more"));
            }
        }
        let arrivals = match params.text("arrivals")? {
            "poisson" => Arrivals::Poisson,
            _ => Arrivals::Constant,
        };
        let flows = params.count("traffic.flows")? as u32;
        let traffic = Traffic { joint, rate, arrivals, flows, seed };
        let guessed = !truth && params.text("traffic.order")? == "drawn";
        let target =
            Target { policy: config.policy, traffic: &traffic, servers: config.servers, guessed };
        let attack = attack(params, &target, &means, attack_rate)?;
        let replay = replay(params, config.policy, recorded, &attack)?;
        Ok(Setup { config, attack_rate, means, traffic, attack, replay })
    }

    /// Innocent packets.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn innocent(&self) -> Result<Offers<'_>, SurgeError> {
        Ok(match &self.replay {
            Some((recorded, _)) => Box::new(recorded.innocent_at(self.traffic.rate)),
            None => Box::new(self.traffic.packets()?),
        })
    }

    /// Attack packets.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn attack(&self) -> Result<Offers<'_>, SurgeError> {
        Ok(match &self.replay {
            Some((recorded, segments)) => Box::new(recorded.attack_at(self.attack_rate, *segments)),
            None => Box::new(self.attack.packets()?),
        })
    }

    /// ρ of the theorems.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.traffic.load(self.config.servers)
    }

    /// What theorems say of the policy's factor: SJF's bound (Theorem 2), WSJF's (Theorem 3) and WSJF-Inorder's (ours,
    /// docs/surgeprotector.md); none for others, nor with drop-tail, which the theorems do not know.
    #[must_use]
    pub fn bound(&self) -> f64 {
        if self.config.scheduler.drop == DropRule::Tail {
            return f64::NAN;
        }
        let smallest = self.attack_packet().size.get() as f64;
        match self.config.policy {
            "sjf" => self.load() * self.traffic.joint.mean_size() / smallest,
            "wsjf" | "wsjf-preemptive" | "wsjf-inorder" => self.load(),
            _ => f64::NAN,
        }
    }

    /// The attack's packet; of a replay, the last of a flow.
    #[must_use]
    pub fn attack_packet(&self) -> Shot {
        let last = self.replay.as_ref().and_then(|(recorded, segments)| {
            recorded.attack.get(segments.saturating_sub(1)).map(|row| row.shot)
        });
        let steady = self.attack.shots.first().map(|(shot, _)| *shot);
        let nothing = Shot::new(Bytes::new(1), Duration::ZERO);
        last.or(steady).unwrap_or(nothing)
    }
}

fn config(params: &Resolved, policy: &str) -> Result<SimulationConfig, ConfigError> {
    let (name, drop) = match policy.strip_suffix(TAIL) {
        Some(name) => (name, DropRule::Tail),
        None => (policy, DropRule::Largest),
    };
    let info = POLICIES.iter().find(|info| info.name == name);
    let info = info.ok_or_else(|| ConfigError::new(format!("there is no policy {policy}")))?;
    let ranks = match params.text("ranks")? {
        "buckets" => Ranks::Buckets,
        _ => Ranks::Exact,
    };
    let policy = PolicyConfig {
        ranks,
        overrun: params.count("overrun")? as u32,
        fair_below: params.count("fair_below")? as usize,
        ..PolicyConfig::default()
    };
    let measured = params.duration("run.span")?;
    if measured == Duration::ZERO {
        return Err(params.blame("run.span", "nothing is counted in no time").fix("give more"));
    }
    Ok(SimulationConfig {
        policy: info.name,
        scheduler: SchedulerConfig { capacity: params.count("capacity")? as usize, drop, policy },
        servers: params.count("servers")? as u32,
        warmup: params.duration("warm_up")?,
        measured,
    })
}

type Made = (Joint, Means, Option<Recorded>);

/// The model of §3.6.2.
fn simulated(params: &Resolved, truth: bool) -> Result<Made, ConfigError> {
    let mut model = Reassembly {
        disordered: params.float("disordered")?,
        at_end: params.float("at_end")?,
        ..Reassembly::default()
    };
    let max_rate = params.rate("max_rate")?;
    if max_rate.as_bps() > 0 {
        model.max_rate = max_rate.as_bps() as f64;
    }
    let joint = model.innocent();
    let joint = joint.map_err(|error| params.blame("disordered", error.to_string()))?;
    let joint = if truth { joint.with_true_estimates() } else { joint };
    let mut means = model.means();
    bound_by(params, &mut means)?;
    Ok((joint, means, None))
}

/// What was measured, scaled to r_max.
fn recorded(params: &Resolved, truth: bool) -> Result<Made, ConfigError> {
    let Some(path) = params.path("traffic.file")? else {
        let message = "recorded traffic needs a file";
        return Err(params.blame("traffic.file", message).fix("give traffic.file = \"…\""));
    };
    let bad =
        |problem: String| params.blame("traffic.file", format!("{}: {problem}", path.display()));
    let file = File::open(&path).map_err(|error| bad(error.to_string()))?;
    let mut read = Recorded::read(BufReader::new(file)).map_err(|error| bad(error.to_string()))?;
    let joint = read.joint().map_err(|error| bad(error.to_string()))?;
    let max_rate = params.rate("max_rate")?.as_bps();
    if max_rate > 0 {
        read.scale(joint.max_rate() / max_rate as f64);
    }
    if truth {
        read = read.with_true_estimates();
    }
    let joint = read.joint().map_err(|error| bad(error.to_string()))?;
    let mut means = read.means();
    bound_by(params, &mut means)?;
    Ok((joint, means, Some(read)))
}

fn bound_by(params: &Resolved, means: &mut Means) -> Result<(), ConfigError> {
    let longest = params.duration("attack.longest")?;
    if longest > Duration::ZERO {
        means.longest = longest;
    }
    Ok(())
}

/// What is attacked.
struct Target<'a> {
    policy: &'a str,
    traffic: &'a Traffic,
    servers: u32,
    /// Whether the scheduler goes by estimates that the adversary can choose among.
    guessed: bool,
}

fn attack(
    params: &Resolved,
    target: &Target<'_>,
    means: &Means,
    rate: Rate,
) -> Result<Attack, ConfigError> {
    let attack = match params.text("attack.kind")? {
        "heaviest" => Attack::steady(rate, means.heaviest()),
        "given" => {
            let size = params.bytes("attack.size")?;
            if size == Bytes::ZERO {
                return Err(params.blame("attack.size", "no packet is empty").fix("give 1 B"));
            }
            Attack::steady(rate, Shot::new(size, params.duration("attack.work")?))
        }
        _ => target.optimal(means, rate),
    };
    Ok(Attack { burst: params.count("burst")? as u32, ..attack })
}

impl Target<'_> {
    /// The optimal attack. Against estimates it is the pair among the innocent that displaces most (§3.6.2, footnote
    /// 7), or the true optimum if that displaces more, by the fluid.
    fn optimal(&self, means: &Means, rate: Rate) -> Attack {
        let ideal = optimal_attack(self.policy, self.traffic, self.servers, means, rate);
        let Some(order) = order_of(self.policy).filter(|_| self.guessed) else { return ideal };
        let fluid = Fluid::new(self.traffic, self.servers, order);
        let left = |shot: &Shot| fluid.under(shot, rate.as_bps() as f64);
        let forced = worst_shot_of(&self.traffic.joint, &fluid, rate);
        let ideals = ideal.shots.iter().map(|(shot, _)| left(shot)).fold(f64::INFINITY, f64::min);
        match forced.filter(|shot| left(shot) < ideals) {
            Some(shot) => Attack::steady(rate, shot),
            None => ideal,
        }
    }
}

/// Packets as they were recorded, and how many of the attack's a flow has.
fn replay(
    params: &Resolved,
    policy: &str,
    recorded: Option<Recorded>,
    attack: &Attack,
) -> Result<Option<(Recorded, usize)>, ConfigError> {
    if params.text("traffic.order")? == "drawn" {
        return Ok(None);
    }
    let Some(recorded) = recorded else {
        let message = "the model has no order of its own";
        return Err(params.blame("traffic.order", message).fix("use drawn, or model = recorded"));
    };
    let all = recorded.attack.len();
    let segments = match params.count("attack.segments")? {
        0 => recorded.segments_against(policy, attack),
        given => usize::try_from(given).unwrap_or(all),
    };
    Ok(Some((recorded, segments.min(all))))
}
