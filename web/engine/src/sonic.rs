//! A `config_db.json` that a user drops in: what it means, and a setup with its buffer.

use forebay_sonic::config::{Direction, Mode, Threshold};
use forebay_sonic::{Config, Explanation, explain, parse};
use forebay_units::{Bytes, Rate};
use serde::Serialize;

use crate::error::LabError;
use crate::setup::{NetworkSetup, Settings, Setup, Side, Traffic};

/// The most ports of the switch that is made of it: each is a host.
const MOST_PORTS: usize = 32;
/// The rate of a port that has none in the file.
const USUAL: Rate = Rate::from_gbps(100);

/// What a configuration means.
#[derive(Debug, Serialize)]
pub(crate) struct Read {
    /// In numbers with their formulas, with the classic mistakes.
    explanation: Explanation,
    /// Its buffer under its own scheme and under Occamy, with an incast; none if no pool decides by
    /// its free memory.
    setup: Option<Setup>,
    /// What of the setup is not the file's.
    assumed: Vec<String>,
}

/// Reads a configuration.
///
/// # Errors
/// It is too long, no JSON, or no configuration; a line for each mistake.
pub(crate) fn read(file: &[u8]) -> Result<Read, LabError> {
    let config = parse(file).map_err(|error| LabError::at("config_db.json", error))?;
    let made = made(&config);
    let (setup, assumed) = made.map_or((None, Vec::new()), |(setup, said)| (Some(setup), said));
    Ok(Read { explanation: explain(&config), setup, assumed })
}

/// The first egress pool that shares dynamically, with the alpha of the first queue in it.
fn made(config: &Config) -> Option<(Setup, Vec<String>)> {
    let is_meant = |pool: &forebay_sonic::config::Pool| {
        pool.mode == Mode::Dynamic && pool.direction != Direction::Ingress && pool.size.is_some()
    };
    let (member, alpha) = config.members.iter().find_map(|member| {
        let is_in = is_meant(config.pool_of(member));
        match config.profile_of(member).threshold {
            Threshold::Dynamic(alpha) if is_in => Some((member, alpha)),
            Threshold::Dynamic(_) | Threshold::Static(_) => None,
        }
    })?;
    let (pool, profile) = (config.pool_of(member), config.profile_of(member));
    let size = pool.size?;
    let rate = config.ports.iter().find_map(|port| port.speed);
    let ports = config.ports.len().clamp(4, MOST_PORTS);
    let buffer =
        [("pool".to_owned(), size.to_string()), ("ports_per_pool".to_owned(), ports.to_string())];
    let side = |policy: &str, alpha: f64| Side {
        policy: policy.to_owned(),
        set: Settings::from_iter(
            buffer.clone().into_iter().chain([("alpha".to_owned(), alpha.to_string())]),
        ),
    };
    let query = Bytes::new((size.get() / 2).clamp(100_000, 1 << 30));
    let span = "2 ms".to_owned();
    let degree = (ports as u32 - 1).min(16);
    let background =
        Traffic::Poisson { load: 0.4, sizes: "websearch".to_owned(), span: span.clone() };
    let incast = Traffic::Incast { degree, query: query.to_string(), load: 0.2, span };
    let setup = Setup::Network(NetworkSetup {
        topology: format!("star:{ports},{},1us", rate.unwrap_or(USUAL)).replace(' ', ""),
        traffic: vec![background, incast],
        hosts: Settings::from_iter([("control".to_owned(), "dctcp".to_owned())]),
        give_up: Some("50 ms".to_owned()),
        sides: [side("dt", alpha.factor()), side("occamy", 8.0)],
        ..NetworkSetup::default()
    });
    let mut assumed = vec![
        format!(
            "pool {} of {size} with the alpha of profile {}, {}, at every port; one queue a port",
            pool.name,
            profile.name,
            alpha.factor()
        ),
        "Occamy has alpha 8, as its paper proposes".to_owned(),
        "flows: WebSearch at 40 % of each link, and queries for half of the pool".to_owned(),
    ];
    if config.ports.len() != ports {
        assumed.push(format!("{ports} ports; the file has {}", config.ports.len()));
    }
    if rate.is_none() {
        assumed.push(format!("ports of {USUAL}; the file has no speed"));
    }
    Some((setup, assumed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_becomes_a_setup_that_runs() {
        for file in ["chassis.json", "dynamic-model.json"] {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/sonic/tests/data/");
            let file = std::fs::read(format!("{root}{file}")).unwrap();
            let read = read(&file).unwrap();
            assert!(!read.explanation.pools.is_empty());
            let Some(setup) = read.setup else { continue };
            assert!(!read.assumed.is_empty());
            #[cfg(feature = "switches")]
            for side in 0..2 {
                crate::Run::new(&setup, side, &crate::Inputs::default()).unwrap();
            }
            assert_eq!(setup.lab(), "network");
        }
        let small =
            br#"{"BUFFER_POOL": {"out": {"type": "egress", "mode": "dynamic", "size": "9000000"}},
            "BUFFER_PROFILE": {"lossy": {"pool": "out", "size": "0", "dynamic_th": "-1"}},
            "BUFFER_QUEUE": {"Ethernet0|0-1": {"profile": "lossy"}}}"#;
        let setup = read(small).unwrap().setup.unwrap();
        assert_eq!(setup.sides()[0].set["alpha"], "0.5");
        assert!(read(b"{").unwrap_err().to_string().starts_with("config_db.json: "));
    }
}
