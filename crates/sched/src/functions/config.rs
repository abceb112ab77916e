//! Parameters of the rank functions: one structure, of which each function reads its own.

use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Rate};

use crate::scheduler::Weights;

/// The work that a packet causes: a part per packet and a part per byte (thesis §3.4: job size).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobCost {
    /// Units of work per packet.
    pub per_packet: u32,
    /// Units of work per byte.
    pub per_byte: u32,
}

/// Parameters of all rank functions; each reads its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankConfig {
    /// Flows with state of their own; flow `f` uses the state of flow `f mod flows`.
    pub flows: usize,
    /// Weights of flows: `wfq`, `scfq`, `stfq`.
    pub weights: Weights,
    /// Rate of the port: `wfq` for its fluid server, `lstf` for the time that sending takes.
    pub rate: Rate,
    /// Time within which a packet of each class should be sent, the last one for all classes beyond:
    /// `edf`, `lstf`.
    pub budgets: Vec<Duration>,
    /// Work per packet of each class, the last one for all classes beyond: `wsjf`.
    pub job_costs: Vec<JobCost>,
    /// Rate of each flow: `token-bucket`.
    pub shaper_rate: Rate,
    /// Burst of each flow, at least the largest packet: `token-bucket`.
    pub shaper_burst: Bytes,
}

impl Default for RankConfig {
    /// 65,536 flows of weight 1, a port of 100 Gb/s, a budget of 1 ms, one unit of work per packet, and
    /// 1 Gb/s with bursts of 9216 B per flow. Assumed: round values, for a first try.
    fn default() -> Self {
        RankConfig {
            flows: 1 << 16,
            weights: Weights::default(),
            rate: Rate::from_gbps(100),
            budgets: vec![Duration::from_ms(1)],
            job_costs: vec![JobCost { per_packet: 1, per_byte: 0 }],
            shaper_rate: Rate::from_gbps(1),
            shaper_burst: Bytes::new(9216),
        }
    }
}

impl RankConfig {
    /// Whether every parameter can be used.
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let zero = Rate::from_bps(0);
        for (is_missing, parameter) in [
            (self.flows == 0, "flows"),
            (self.rate == zero, "rate"),
            (self.budgets.is_empty(), "budgets"),
            (self.job_costs.is_empty(), "job_costs"),
            (self.shaper_rate == zero, "shaper_rate"),
            (self.shaper_burst == Bytes::ZERO, "shaper_burst"),
        ] {
            if is_missing {
                let problem = "it is 0 or empty; give at least one";
                return Err(ParameterError::value(parameter, problem));
            }
        }
        Ok(())
    }

    /// What `per_class` says of `class`: the last entry for classes beyond it, a default if it is empty.
    pub(super) fn of_class<T: Copy + Default>(per_class: &[T], class: u8) -> T {
        per_class.get(usize::from(class)).or(per_class.last()).copied().unwrap_or_default()
    }
}

impl Default for JobCost {
    fn default() -> Self {
        JobCost { per_packet: 1, per_byte: 0 }
    }
}
