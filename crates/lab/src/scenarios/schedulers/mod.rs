//! The packet schedulers as policies of experiments, and their parameters; several scenarios share them.
//!
//! Source: gearbox §4.1.1, Table 2; what a baseline's own paper says otherwise stands at its parameter. The
//! schedulers are those of `forebay_sched::scheduler`, by the same names.

mod params;
mod policies;

use forebay_sched::fair::gearbox::LevelConfig;
use forebay_sched::scheduler::{AutoLevels, SchedulerConfig, Weights};

use crate::config::Resolved;
use crate::error::ConfigError;
pub use params::PARAMS;
pub use policies::POLICIES;

/// The weights that a text such as `50:50:1:1` or `40:1x40` lists.
///
/// # Errors
/// Names the parameter, if it is no such list.
pub fn weights(params: &Resolved) -> Result<Vec<u32>, ConfigError> {
    let text = params.text("scheduler.weights")?;
    let bad = || {
        params
            .blame("scheduler.weights", format!("\"{text}\" is no list of weights"))
            .fix("write whole numbers from 1, as 50:50:1:1 or 40:1x40")
    };
    let mut weights = Vec::new();
    for part in text.split(':') {
        let (weight, times) = part.split_once('x').unwrap_or((part, "1"));
        let weight: u32 = weight.trim().parse().map_err(|_| bad())?;
        let times: usize = times.trim().parse().map_err(|_| bad())?;
        if weight == 0 || times == 0 || times + weights.len() > 1 << 16 {
            return Err(bad());
        }
        weights.extend(std::iter::repeat_n(weight, times));
    }
    Ok(weights)
}

/// The parameters of the schedulers; the link rate and the limits are the scenario's.
///
/// # Errors
/// Names the parameter at fault.
pub fn config(params: &Resolved) -> Result<SchedulerConfig, ConfigError> {
    let of = weights(params)?;
    let number = |name: &str| params.count(name).map(|count| count as u32);
    let mut config = SchedulerConfig {
        calendar_queues: number("scheduler.queues")?,
        calendar_granularity: params.count("scheduler.granularity")?,
        quantum: small(params, "scheduler.quantum")?,
        flows: number("scheduler.flows")?,
        auto: AutoLevels {
            fifos: number("scheduler.auto_fifos")?,
            backlog: number("scheduler.auto_backlog")?,
            ..AutoLevels::default()
        },
        ..SchedulerConfig::default()
    };
    config.unit.bytes = params.bytes("scheduler.unit")?;
    config.unit.total_weight = total_weight(params, &of)?;
    config.gearbox.levels = levels(number("scheduler.levels")?, number("scheduler.level_fifos")?);
    config.weights = Weights::new(1, of)
        .map_err(|error| params.blame("scheduler.weights", error.to_string()))?;
    Ok(config)
}

/// The weight among which a unit's bytes are shared (gearbox §1, footnote 1).
fn total_weight(params: &Resolved, listed: &[u32]) -> Result<u32, ConfigError> {
    let given = params.count("scheduler.total_weight")?;
    let total = match params.text("scheduler.total_weight_of")? {
        _ if given > 0 => given,
        "heaviest" => listed.iter().max().copied().unwrap_or(1).into(),
        _ => listed.iter().map(|weight| u64::from(*weight)).sum(),
    };
    u32::try_from(total).map_err(|_| {
        let message = format!("the weights are {total} together, more than 2^32 - 1");
        params
            .blame("scheduler.weights", message)
            .fix("give smaller weights of the same proportion")
    })
}

/// Levels each of which is as coarse as a whole set of the one below.
fn levels(levels: u32, fifos: u32) -> Vec<LevelConfig> {
    let granularity = |level| u64::from(fifos).saturating_pow(level);
    (0..levels).map(|level| LevelConfig { fifos, granularity: granularity(level) }).collect()
}

fn small(params: &Resolved, name: &str) -> Result<u32, ConfigError> {
    let bytes = params.bytes(name)?.get();
    u32::try_from(bytes)
        .map_err(|_| params.blame(name, format!("{bytes} bytes are too many")).fix("give less"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_sched::scheduler::{scheduler, schedulers};

    #[test]
    fn every_scheduler_is_a_policy_and_builds() {
        for (name, _) in schedulers().filter(|(name, _)| *name != "drop-tail") {
            assert!(POLICIES.iter().any(|policy| policy.name == name), "{name}");
        }
        let config = config(&Resolved::with_settings(PARAMS, &[]).unwrap()).unwrap();
        assert_eq!(config.gearbox.fifos(), 56);
        for policy in POLICIES {
            assert!(scheduler(policy.name, &config).is_ok(), "{}", policy.name);
        }
    }

    #[test]
    fn weights_and_their_sum_are_read_or_named() {
        let read = |text: &str| {
            let set = [("scheduler.weights".to_owned(), text.to_owned())];
            weights(&Resolved::with_settings(PARAMS, &set).unwrap())
        };
        assert_eq!(read("50:50:1:1").unwrap(), [50, 50, 1, 1]);
        assert_eq!(read("4:1x3").unwrap(), [4, 1, 1, 1]);
        for (settings, total) in [
            (&[("weights", "100:100:1:1")][..], 202),
            (&[("weights", "100:100:1:1"), ("total_weight_of", "heaviest")], 100),
            (&[("weights", "100:100:1:1"), ("total_weight", "7")], 7),
            (&[], 1),
        ] {
            let set: Vec<_> =
                settings.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
            let params = Resolved::with_settings(PARAMS, &set).unwrap();
            assert_eq!(config(&params).unwrap().unit.total_weight, total, "{settings:?}");
        }
        let huge = [("scheduler.weights".to_owned(), "4294967295x9".to_owned())];
        let error = config(&Resolved::with_settings(PARAMS, &huge).unwrap()).unwrap_err();
        assert!(error.to_string().contains("together, more than"), "{error}");
        for bad in ["", "0", "1:x", "1x0", "-1", "1x99999999"] {
            assert!(read(bad).unwrap_err().to_string().contains("no list of weights"), "{bad}");
        }
    }
}
