//! What was run, by which program, where, and for how long.

use serde::{Deserialize, Serialize};

use super::record::Record;

/// The machine that ran an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model, if the system tells it.
    pub cpu: String,
    /// How many threads it offers.
    pub cores: usize,
    /// The operating system and architecture.
    pub os: String,
}

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// "forebay".
    pub program: String,
    /// The program's version at the last command.
    pub version: String,
    /// The hash of the engine's sources; empty if it was built without them.
    pub engine_hash: String,
    /// A hash over every run's key.
    pub configuration_hash: String,
    /// How many runs the experiment has.
    pub runs: usize,
    /// How many the last command computed.
    pub computed: usize,
    /// How many the last command found already done.
    pub reused: usize,
    /// How long the last command took, in seconds.
    pub wall_seconds: f64,
    /// On how many threads.
    pub jobs: usize,
    /// How much processor time all runs took, whichever command computed them, in seconds; none if
    /// a stored run does not say.
    #[serde(default)]
    pub cpu_seconds: Option<f64>,
    /// The machine of the last command.
    pub machine: Machine,
    /// What was not whole about its inputs.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What was run: policies, points, parameters and claims.
    pub experiment: Record,
}

impl Machine {
    /// The machine that this program runs on, as far as its system tells.
    #[must_use]
    pub fn this() -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find(|line| line.starts_with("model name"));
        let cpu = model.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
        Machine {
            cpu: cpu.unwrap_or("unknown").to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}
