//! Traffic, attack and scheduler of a point.

use std::fs::File;
use std::io::BufReader;

use forebay_parameters::ParameterError;
use forebay_surge::model::{
    Attack, Fluid, Joint, Lists, Means, Offer, Recorded, Shot, SimulationConfig, SurgeOutcome,
    Traffic, optimal_attack, simulate, simulate_sized, worst_shot_of,
};
use forebay_surge::policies::ServiceOrder;
use forebay_surge::{DropRule, SurgeError};
use forebay_units::{Bytes, Duration, Rate};

use super::config::{
    AttackConfig, AttackKind, Config, Estimates, ListsOf, Model, RecordingOrder, TrafficConfig,
};

/// Packets in order of time.
pub(super) type Offers<'a> = Box<dyn Iterator<Item = Offer> + 'a>;

/// Everything a run needs.
pub struct SurgeSetup {
    /// Policy, buffer and span.
    pub config: SimulationConfig,
    /// r_A, the rate of the attack.
    pub attack_rate: Rate,
    /// What the adversary can craft.
    pub means: Means,
    /// Innocent traffic, as a distribution.
    pub traffic: Traffic,
    /// By what it serves, if a theorem bounds the factor of that.
    bounded: Option<ServiceOrder>,
    attack: Attack,
    /// Packets as recorded, with the attack's packets of a flow; none: drawn.
    replay: Option<(Recorded, usize)>,
    lists: ListsOf,
}

impl SurgeSetup {
    /// Makes the traffic, or reads the recording.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(config: &Config, seed: u64) -> Result<Self, ParameterError> {
        let Config { traffic, attack, estimates, simulation } = config;
        if simulation.measured == Duration::ZERO {
            return Err(ParameterError::value(
                "run.span",
                "the measured span must be above 0; give 1 ms or more",
            ));
        }
        let truth = *estimates == Estimates::True;
        let (joint, mut means, mut recorded) = match traffic.model {
            Model::Recorded => recorded(traffic, truth)?,
            Model::Reassembly => simulated(traffic, truth)?,
        };
        if let Some(longest) = attack.longest {
            means.longest = longest;
            if let Some(recorded) = &mut recorded {
                recorded.scale_attack(longest);
            }
        }
        means.smallest = attack.smallest.unwrap_or(means.smallest);
        let most = joint.max_rate() * f64::from(simulation.servers);
        let rate_of = |part: f64, rate: Rate| {
            if part > 0.0 { Rate::from_bps((most * part) as u64) } else { rate }
        };
        let rate = rate_of(traffic.load, traffic.rate);
        let attack_rate = rate_of(attack.share, attack.rate);
        for (parameter, rate) in [(TrafficConfig::RATE, rate), (AttackConfig::RATE, attack_rate)] {
            if rate.as_bps() == 0 {
                return Err(parameter.refuse("give a traffic rate above 0 b/s"));
            }
        }
        let TrafficConfig { arrivals, flows, order, .. } = *traffic;
        let traffic = Traffic { joint, rate, arrivals, flows, seed };
        let (policy, servers) = (simulation.scheduler.built()?, simulation.servers);
        let served_by = policy.order();
        let bounded = served_by.filter(|_| policy.is_bounded());
        let guessed = !truth && order == RecordingOrder::Drawn;
        let target = Target { served_by, traffic: &traffic, servers, guessed };
        let shots = target.attack(attack, &means, attack_rate)?;
        let replay = recorded.filter(|_| order == RecordingOrder::Recorded).map(|recorded| {
            let given = attack.segments.map(|segments| segments as usize);
            let segments = given.unwrap_or_else(|| recorded.segments_against(served_by, &shots));
            let segments = segments.min(recorded.attack.len());
            (recorded, segments)
        });
        let lists = attack.lists;
        Ok(SurgeSetup {
            config: simulation.clone(),
            bounded,
            attack_rate,
            means,
            traffic,
            attack: shots,
            replay,
            lists,
        })
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

    /// Simulates these packets, attack flows with their lists as they are if that is asked for.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn simulate(
        &self,
        innocent: impl Iterator<Item = Offer>,
        attack: impl Iterator<Item = Offer>,
    ) -> Result<SurgeOutcome, SurgeError> {
        match (&self.replay, self.lists) {
            (Some((recorded, _)), ListsOf::Served) => {
                simulate_sized(&self.config, innocent, attack, Lists::new(recorded))
            }
            (Some(_), ListsOf::Recorded) | (None, ListsOf::Served | ListsOf::Recorded) => {
                simulate(&self.config, innocent, attack)
            }
        }
    }

    /// ρ of the theorems.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.traffic.load(self.config.servers)
    }

    /// The bound on the policy's factor, if a theorem gives one: Theorem 2 by job size, Theorem 3
    /// by ratio (of WSJF-Inorder it is ours, docs/surgeprotector.md). None with drop-tail, which
    /// the theorems do not know.
    #[must_use]
    pub fn bound(&self) -> f64 {
        if self.config.scheduler.drop == DropRule::Tail {
            return f64::NAN;
        }
        let smallest = self.attack_packet().size.get() as f64;
        match self.bounded {
            Some(ServiceOrder::ByWork) => self.load() * self.traffic.joint.mean_size() / smallest,
            Some(ServiceOrder::ByRatio) => self.load(),
            None => f64::NAN,
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

type Made = (Joint, Means, Option<Recorded>);

/// The model of §3.6.2.
fn simulated(traffic: &TrafficConfig, truth: bool) -> Result<Made, ParameterError> {
    let mut model = traffic.reassembly.clone();
    if let Some(max_rate) = traffic.max_rate {
        model.max_rate = max_rate.as_bps() as f64;
    }
    let joint = model.innocent();
    let joint = joint.map_err(|error| ParameterError::value("traffic.disordered", error))?;
    let joint = if truth { joint.with_true_estimates() } else { joint };
    Ok((joint, model.means(), None))
}

/// What was measured, scaled to r_max.
fn recorded(traffic: &TrafficConfig, truth: bool) -> Result<Made, ParameterError> {
    let path = &traffic.file;
    if path.is_empty() {
        return Err(
            TrafficConfig::FILE.refuse("recorded traffic needs a file; give traffic.file = \"…\"")
        );
    }
    let bad = |problem: &dyn std::fmt::Display| {
        TrafficConfig::FILE.refuse(format_args!("{path}: {problem}"))
    };
    let file = File::open(path).map_err(|error| bad(&error))?;
    let mut read = Recorded::read(BufReader::new(file)).map_err(|error| bad(&error))?;
    let joint = read.joint().map_err(|error| bad(&error))?;
    if let Some(max_rate) = traffic.max_rate {
        read.scale(joint.max_rate() / max_rate.as_bps() as f64);
    }
    if truth {
        read = read.with_true_estimates();
    }
    let joint = read.joint().map_err(|error| bad(&error))?;
    Ok((joint, read.means(), Some(read)))
}

/// What is attacked.
struct Target<'a> {
    /// By what the policy serves.
    served_by: Option<ServiceOrder>,
    traffic: &'a Traffic,
    servers: u32,
    /// Whether the scheduler goes by estimates that the adversary can choose among.
    guessed: bool,
}

impl Target<'_> {
    /// The attack that the configuration asks for.
    fn attack(
        &self,
        config: &AttackConfig,
        means: &Means,
        rate: Rate,
    ) -> Result<Attack, ParameterError> {
        let attack = match config.kind {
            AttackKind::Heaviest => Attack::steady(rate, means.heaviest()),
            AttackKind::Given if config.size == Bytes::ZERO => {
                return Err(AttackConfig::SIZE.refuse("a packet must be at least 1 B"));
            }
            AttackKind::Given => Attack::steady(rate, Shot::new(config.size, config.work)),
            AttackKind::Optimal => self.optimal(means, rate),
        };
        Ok(Attack { burst: config.burst, ..attack })
    }

    /// The optimal attack. Against estimates it is the pair among the innocent that displaces most
    /// (§3.6.2, footnote 7), or the true optimum if that displaces more, by the fluid.
    fn optimal(&self, means: &Means, rate: Rate) -> Attack {
        let ideal = optimal_attack(self.served_by, self.traffic, self.servers, means, rate);
        let Some(order) = self.served_by.filter(|_| self.guessed) else { return ideal };
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
