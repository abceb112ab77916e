//! What is compared: the form in which a page, a link and a file carry it.
//!
//! JSON, a few hundred bytes; every field is checked, and refused with a sentence. The same text
//! gives the same digits on every machine.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use forebay_parameters::{Configure, ParameterError, set};
use forebay_units::printable;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, from_value};

use crate::error::LabError;

/// The longest text of a setup; its largest part are flows given line by line.
pub(crate) const LONGEST: usize = 1 << 20;

/// Names and values, as `--set` of the command has them.
pub type Settings = BTreeMap<String, String>;

/// A policy and what is set of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Its name in the registry of the laboratory.
    pub policy: String,
    /// Its parameters, those of the switch or the cache that it is in among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: Settings,
}

impl Side {
    /// Sets its parameters in a configuration.
    pub(crate) fn fill(&self, config: &mut dyn Configure) -> Result<(), LabError> {
        fill(config, &self.set)
    }
}

/// Sets parameters in a configuration.
pub(crate) fn fill(config: &mut dyn Configure, settings: &Settings) -> Result<(), LabError> {
    let given: Vec<(&String, &String)> = settings.iter().collect();
    set(config, &given).map_err(|error: ParameterError| error.into())
}

/// A part of a network's flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "pattern", rename_all = "lowercase", deny_unknown_fields)]
pub enum Traffic {
    /// Flows between random hosts, by a Poisson process at each.
    Poisson {
        /// What each host sends, as a fraction of its link.
        load: f64,
        /// A distribution of sizes, by name.
        sizes: String,
        /// No flow begins later, as `4 ms`.
        span: String,
    },
    /// Every host asks several others at once, by a Poisson process.
    Incast {
        /// The number of responses to a query.
        degree: u32,
        /// The total bytes of a query's responses, as `1 MiB`.
        query: String,
        /// What each host asks for, as a fraction of its link.
        load: f64,
        /// Nobody asks later, as `20 ms`.
        span: String,
    },
    /// Every host sends to one other at time 0.
    Permutation {
        /// Bytes of each flow, as `5 MB`.
        bytes: String,
    },
    /// Flows that are given.
    Flows {
        /// A line `src dst bytes start_ns` each.
        lines: String,
    },
}

/// Reads an amount with its unit.
pub(crate) fn read<T: FromStr<Err: Display>>(place: &str, text: &str) -> Result<T, LabError> {
    text.parse().map_err(|error| LabError::at(place, error))
}

/// Flows through a network, the same for both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSetup {
    /// A shape, as `star:8,10G,1us`; `forebay net run --help` lists all.
    pub topology: String,
    /// The flows: those of every part, one part after another.
    pub traffic: Vec<Traffic>,
    /// How hosts send: congestion control, segment size, timeouts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hosts: Settings,
    /// The class of a flow, a rule over its fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Seed of the flows: that of the first part; each further part has the next.
    pub seed: u64,
    /// The end of the run in simulated time, as `50 ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub give_up: Option<String>,
    /// The switch that is looked at.
    #[serde(skip_serializing_if = "is_zero")]
    pub watch: u32,
    /// The switches that are compared.
    pub sides: [Side; 2],
}

impl Default for NetworkSetup {
    fn default() -> Self {
        NetworkSetup {
            topology: "star:8,10G,1us".to_owned(),
            traffic: Vec::new(),
            hosts: Settings::new(),
            class: None,
            seed: 1,
            give_up: None,
            watch: 0,
            sides: sides(["dt", "occamy"]),
        }
    }
}

/// A capture that the user brings, through a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaptureSetup {
    /// Output ports; destinations are dealt to them in order.
    pub ports: u16,
    /// The rate of each, as `1 Gb/s`.
    pub rate: String,
    /// Time is scaled so that packets offer this fraction of what all ports can send; if none, it
    /// passes as recorded.
    pub load: Option<f64>,
    /// The switches that are compared.
    pub sides: [Side; 2],
}

impl Default for CaptureSetup {
    fn default() -> Self {
        let (rate, load) = ("1 Gb/s".to_owned(), Some(0.9));
        CaptureSetup { ports: 4, rate, load, sides: sides(["drop-tail", "occamy"]) }
    }
}

/// Requests to a cache whose misses take time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CacheSetup {
    /// How many objects there are.
    pub objects: u64,
    /// The Zipf exponent of their popularity.
    pub exponent: f64,
    /// The mean number of requests in a burst.
    pub burst: f64,
    /// How many requests are made, one a time step.
    pub requests: u64,
    /// Objects that the cache holds.
    pub capacity: u64,
    /// The latency of a miss, in time steps.
    pub z: u64,
    /// What all draws come from.
    pub seed: u64,
    /// The policies that are compared.
    pub sides: [Side; 2],
}

impl Default for CacheSetup {
    fn default() -> Self {
        CacheSetup {
            objects: 100_000,
            exponent: 0.9,
            burst: 4.0,
            requests: 500_000,
            capacity: 2_000,
            z: 1_000,
            seed: 1,
            sides: sides(["lru", "lru-mad"]),
        }
    }
}

/// An attack of growing rate on a scheduler of jobs, each policy under the attack that is the best
/// against it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JobsSetup {
    /// The rate of innocent packets, as `10 Gb/s`.
    pub rate: String,
    /// The part of innocent packets that find a list to walk.
    pub disordered: f64,
    /// The rates of the attack, one run each.
    pub attacks: Vec<String>,
    /// Packets that may wait.
    pub capacity: usize,
    /// The span that is measured, as `20 ms`; as much passes before.
    pub span: String,
    /// What all draws come from.
    pub seed: u64,
    /// The policies that are compared.
    pub sides: [Side; 2],
}

impl Default for JobsSetup {
    fn default() -> Self {
        let rates = ["10 Mb/s", "30 Mb/s", "100 Mb/s", "300 Mb/s", "1 Gb/s", "3 Gb/s", "10 Gb/s"];
        JobsSetup {
            rate: "5 Gb/s".to_owned(),
            disordered: 0.1,
            attacks: rates.map(str::to_owned).into(),
            capacity: 1024,
            span: "20 ms".to_owned(),
            seed: 1,
            sides: sides(["fcfs", "wsjf"]),
        }
    }
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "lab", rename_all = "lowercase")]
pub enum Setup {
    /// Flows through a network.
    Network(NetworkSetup),
    /// A capture through a switch.
    Capture(CaptureSetup),
    /// Requests to a cache.
    Cache(CacheSetup),
    /// An attack on a scheduler.
    Jobs(JobsSetup),
}

impl Setup {
    /// Reads a setup; what it leaves out has its default.
    ///
    /// # Errors
    /// It is too long, no JSON, or has a field that there is not. Whether it can run is seen when
    /// it begins to.
    pub fn read(text: &str) -> Result<Self, LabError> {
        if text.len() > LONGEST {
            let problem = format!("it has {} bytes: give {LONGEST} at most", text.len());
            return Err(LabError::at("setup", problem));
        }
        // By hand, so that an unknown laboratory is refused with the names that there are.
        let mut value: Value = serde_json::from_str(text).map_err(wrong)?;
        let lab = value.as_object_mut().and_then(|fields| fields.remove("lab"));
        let Some(lab) = lab.as_ref().and_then(Value::as_str) else {
            return Err(LabError::at("lab", format!("it is missing; {LABS}")));
        };
        match of_lab(lab, value) {
            Some(Ok(setup)) => Ok(setup),
            Some(Err(error)) => Err(culprit(lab, text).unwrap_or_else(|| wrong(error))),
            None => {
                let problem = format!("there is no lab `{}`; {LABS}", printable(lab));
                Err(LabError::at("lab", problem))
            }
        }
    }

    /// The text that reads back as the setup.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The name of its laboratory.
    #[must_use]
    pub fn lab(&self) -> &'static str {
        match self {
            Setup::Network(_) => "network",
            Setup::Capture(_) => "capture",
            Setup::Cache(_) => "cache",
            Setup::Jobs(_) => "jobs",
        }
    }

    /// Its sides.
    #[must_use]
    pub fn sides(&self) -> &[Side; 2] {
        match self {
            Setup::Network(setup) => &setup.sides,
            Setup::Capture(setup) => &setup.sides,
            Setup::Cache(setup) => &setup.sides,
            Setup::Jobs(setup) => &setup.sides,
        }
    }

    /// One of them.
    ///
    /// # Errors
    /// There are two, 0 and 1.
    pub fn side(&self, number: usize) -> Result<&Side, LabError> {
        let none = || LabError::at("side", format!("there is no side {number}: give 0 or 1"));
        self.sides().get(number).ok_or_else(none)
    }
}

/// The laboratories that there are.
const LABS: &str = "give network, capture, cache or jobs";

fn wrong(error: serde_json::Error) -> LabError {
    LabError::at("setup", format!("{error}: give the whole of it"))
}

/// The setup of a laboratory with these fields, if there is such a laboratory.
fn of_lab(lab: &str, fields: Value) -> Option<Result<Setup, serde_json::Error>> {
    match lab {
        "network" => Some(from_value(fields).map(Setup::Network)),
        "capture" => Some(from_value(fields).map(Setup::Capture)),
        "cache" => Some(from_value(fields).map(Setup::Cache)),
        "jobs" => Some(from_value(fields).map(Setup::Jobs)),
        _ => None,
    }
}

/// The field of a setup that cannot be read, with what usually stands there. All have defaults, so
/// each is read by itself.
fn culprit(lab: &str, text: &str) -> Option<LabError> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else { return None };
    fields.into_iter().filter(|(name, _)| name != "lab").find_map(|(name, value)| {
        let mut alone = Map::new();
        alone.insert(name.clone(), value);
        let error = of_lab(lab, Value::Object(alone))?.err()?;
        let usual = of_lab(lab, Value::Object(Map::new()))?.ok()?.text();
        let usual: Value = serde_json::from_str(&usual).ok()?;
        let fix = usual.get(&name).map(|usual| format!("; give it as {usual}")).unwrap_or_default();
        Some(LabError::at(name, format!("{error}{fix}")))
    })
}

fn sides(policies: [&str; 2]) -> [Side; 2] {
    policies.map(|policy| Side { policy: policy.to_owned(), set: Settings::new() })
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_its_default_and_the_text_reads_back() {
        for lab in ["network", "capture", "cache", "jobs"] {
            let setup = Setup::read(&format!("{{\"lab\":\"{lab}\"}}")).unwrap();
            assert_eq!(setup.lab(), lab);
            assert_eq!(Setup::read(&setup.text()), Ok(setup));
        }
    }

    #[test]
    fn wrong_setups_are_refused_with_a_sentence() {
        let refused = |text: &str| Setup::read(text).unwrap_err().to_string();
        assert!(refused("").starts_with("setup: EOF while parsing"));
        assert!(refused("{}").starts_with("lab: it is missing; give network, "));
        assert!(refused(r#"{"lab":"kitchen"}"#).starts_with("lab: there is no lab `kitchen`"));
        assert!(refused(r#"{"lab":"cache","objekts":1}"#).starts_with("objekts: unknown field"));
        assert!(refused(&" ".repeat(LONGEST + 1)).contains("bytes: give 1048576 at most"));
        let three = r#"{"lab":"cache","sides":[{"policy":"lru"}]}"#;
        assert!(refused(three).starts_with("sides: invalid length 1"));
        assert_eq!(
            refused(r#"{"lab":"cache","z":3,"objects":null}"#),
            "objects: invalid type: null, expected u64; give it as 100000"
        );
        assert!(refused(r#"{"lab":"jobs","attacks":"1 Mb/s"}"#).starts_with("attacks: invalid "));
        let part = r#"{"lab":"network","traffic":[{"pattern":"permutation"}]}"#;
        assert!(refused(part).starts_with("traffic: missing field `bytes`"));
        assert!(Setup::read(r#"{"lab":"cache"}"#).unwrap().side(2).is_err());
    }
}
