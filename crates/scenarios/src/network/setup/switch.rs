//! Every switch, from the parameters.

use forebay_buffer::onchip::{Alpha, QueueConfig};
use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::{Entry, set};
use forebay_sched::scheduler::by_rank;
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::{Bytes, Duration};

use crate::on_chip::setup::port_scheduler;
use crate::schedulers;

pub(super) fn switch(
    catalogue: &Catalogue,
    params: &Resolved,
    policy: &str,
    round_trip: Duration,
    has_background: bool,
) -> Result<SwitchConfig, ConfigError> {
    let bad = |error: &dyn std::error::Error| params.blame("switch.pool", error.to_string());
    let mut config = catalogue.switch(policy).map_err(|error| bad(&error))?;
    let rank = || {
        let rank = catalogue.rank(params.text("switch.rank")?);
        rank.map_err(|error| params.blame("switch.rank", error.sentence()))
    };
    match &mut config {
        SwitchConfig::DropTail(config) => config.limit = params.bytes("port_limit")?,
        SwitchConfig::Scheduled(config) => {
            let limit = params.bytes("port_limit")?;
            config.limits.limit = limit;
            config.scheduler = if policy == "pifo" {
                let mut scheduler = by_rank(rank()?);
                schedulers::configure(&mut scheduler, params)?;
                scheduler
            } else {
                schedulers::choice(catalogue, params, policy)?
            };
            // Room for as many of the smallest packets; the limit in bytes is what counts.
            let packets = (limit.get() / 64).clamp(1, 1 << 16).to_string();
            set(&mut config.scheduler, &[("packets", packets)]).map_err(|error| bad(&error))?;
        }
        SwitchConfig::Hybrid(config) => {
            config.memory.sram = params.bytes("sram")?;
            config.rank = rank()?;
        }
        SwitchConfig::OnChip(config) => {
            config.pool = params.bytes("switch.pool")?;
            config.ports_per_pool = params.count("ports_per_pool")? as u16;
            config.cell = params.bytes("switch.cell")?.get().min(u64::from(u32::MAX)) as u32;
            config.scheduler = port_scheduler(catalogue, params)?;
            config.queues = params.count("switch.classes")? as u16;
            let interval = match params.duration("abm_interval")? {
                Duration::ZERO => round_trip,
                given => given,
            };
            let given = match config.policy.name() {
                "dt" => vec![("alpha", alpha(params, "dt_alpha")?)],
                "abm" => {
                    vec![("alpha", alpha(params, "abm_alpha")?), ("interval", interval.to_string())]
                }
                name if name.starts_with("occamy") => {
                    vec![("alpha", alpha(params, "occamy_alpha")?)]
                }
                _ => Vec::new(),
            };
            set(&mut config.policy, &given).map_err(|error| bad(&error))?;
            let first = first_alpha(params, has_background)?;
            config.classes = classes(params, config.queues, first)?;
        }
    }
    let above = params.bytes("mark_above")?;
    Ok(config.with_marks((above > Bytes::ZERO).then_some(above)))
}

/// The policy's threshold factor: `policy.alpha`, where it is given, before its own.
fn alpha(params: &Resolved, own: &str) -> Result<String, ConfigError> {
    let name = if params.float("policy.alpha")? > 0.0 { "policy.alpha" } else { own };
    let value = params.float(name)?;
    let alpha = Alpha::new(value);
    alpha
        .map(|alpha| alpha.to_string())
        .ok_or_else(|| params.blame(name, format!("{value} is no threshold factor")))
}

/// A class's own threshold factor; none where it is 0.
fn own_alpha(params: &Resolved, name: &str) -> Result<Option<Alpha>, ConfigError> {
    params.float(name).map(|value| (value > 0.0).then(|| Alpha::new(value)).flatten())
}

/// That of class 0, which may have another one while nothing competes with it (Occamy §3.1).
fn first_alpha(params: &Resolved, has_background: bool) -> Result<Option<Alpha>, ConfigError> {
    let alone = if has_background { None } else { own_alpha(params, "first_alpha_alone")? };
    alone.map_or_else(|| own_alpha(params, "first_alpha"), |alpha| Ok(Some(alpha)))
}

/// The threshold factor of each class, where it is not the policy's.
fn classes(
    params: &Resolved,
    classes: u16,
    first: Option<Alpha>,
) -> Result<Vec<QueueConfig>, ConfigError> {
    let other = own_alpha(params, "other_alpha")?;
    let queue = |class| QueueConfig {
        alpha: if class == 0 { first } else { other },
        ..QueueConfig::default()
    };
    Ok((0..classes).map(queue).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::params::PARAMS;
    use forebay_parameters::{Value, listed};
    use forebay_switch::OnChipConfig;

    fn chip(policy: &str, set: &[(&str, &str)], has_background: bool) -> OnChipConfig {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings: Vec<_> = set.iter().map(owned).collect();
        let params = Resolved::with_settings(PARAMS, &settings).unwrap();
        match switch(&Catalogue::default(), &params, policy, Duration::from_us(40), has_background)
            .unwrap()
        {
            SwitchConfig::OnChip(chip) => chip,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn abm_measures_over_a_round_trip_unless_told_otherwise() {
        let abm = |set: &[(&str, &str)]| format!("{:?}", chip("abm", set, true).policy);
        assert!(abm(&[]).contains("interval = 40 us"));
        assert!(abm(&[("abm_interval", "7 us")]).contains("interval = 7 us"));
    }

    #[test]
    fn one_factor_for_all_schemes_goes_before_their_own() {
        let alphas = |set: &[(&str, &str)]| {
            ["dt", "abm", "occamy-rank"].map(|policy| {
                let mut policy = chip(policy, set, true).policy;
                listed(&mut policy)[0].value.clone()
            })
        };
        assert_eq!(alphas(&[]), [1.0, 2.0, 8.0].map(Value::Float));
        assert_eq!(alphas(&[("policy.alpha", "4")]), [4.0; 3].map(Value::Float));
    }

    /// Occamy §3.1: 8 beside low-priority traffic, 1 without, so that the burst deserves half of the buffer in
    /// both.
    #[test]
    fn the_first_class_may_have_another_factor_while_it_is_alone() {
        let set = [("first_alpha", "8"), ("first_alpha_alone", "1"), ("switch.classes", "8")];
        let first =
            |has_background| chip("dt", &set, has_background).classes[0].alpha.map(Alpha::get);
        assert_eq!((first(true), first(false)), (Some(8.0), Some(1.0)));
        let always = chip("dt", &set[..1], false).classes[0].alpha.map(Alpha::get);
        assert_eq!(always, Some(8.0));
    }
}
