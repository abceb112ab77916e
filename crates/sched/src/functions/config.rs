//! Parameters of the rank functions: one structure, of which each function reads its own.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Configure, Kind, ParameterError, Setting, Value};
use forebay_units::{Bytes, Duration, Rate};

use crate::flow_table::FLOWS;
use crate::scheduler::Weights;
use crate::settings::{list_of, texts};

/// The work that a packet causes: a part per packet and a part per byte (thesis §3.4: job size).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobCost {
    /// Units of work per packet.
    pub per_packet: u32,
    /// Units of work per byte.
    pub per_byte: u32,
}

/// Parameters of all rank functions; each reads its own. The rate is the port's. Defaults are
/// assumed: round values, for a first try.
#[derive(Clone, Debug, PartialEq, Eq, Configure)]
pub struct RankConfig {
    /// Weights of flows: `wfq`, `scfq`, `stfq`.
    #[parameter(part)]
    pub weights: Weights,
    /// Flows with state of their own; flow `f` uses the state of flow `f mod flows`.
    #[parameter(declared = FLOWS, default = 1 << 20)]
    pub flows: usize,
    /// Time within which a packet should leave, class by class, the last for all beyond.
    ///
    /// Of `edf` and `lstf`.
    #[parameter(assumed = "no deadlines in the papers", default = vec![Duration::from_ms(1)])]
    pub budgets: Vec<Duration>,
    /// Work of a packet, and with a + of each byte, class by class, as 100:20+1, the last for all
    /// beyond.
    ///
    /// Of `wsjf`.
    #[parameter(assumed = "every packet is as much work", kind = Kind::List(&Kind::Text))]
    #[parameter(with = Costs, default = vec![JobCost::default()])]
    pub job_costs: Vec<JobCost>,
    /// Rate of each flow.
    ///
    /// Of `token-bucket`.
    #[parameter(assumed = "round, below most links", default = Rate::from_gbps(1))]
    pub shaper_rate: Rate,
    /// Burst of each flow, at least its largest packet.
    ///
    /// Of `token-bucket`.
    #[parameter(assumed = "a jumbo frame", default = Bytes::new(9216))]
    pub shaper_burst: Bytes,
    /// Rate of the port: `wfq` for its fluid server, `lstf` for the time that sending takes.
    #[parameter(skip, default = Rate::from_gbps(100))]
    pub rate: Rate,
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

    /// Whether `per_class` says anything else of one class than of another.
    pub(super) fn differ<T: PartialEq>(per_class: &[T]) -> bool {
        per_class.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// What `per_class` says of `class`: the last entry for classes beyond it, a default if it is
    /// empty.
    pub(super) fn of_class<T: Copy + Default>(per_class: &[T], class: u8) -> T {
        per_class.get(usize::from(class)).or(per_class.last()).copied().unwrap_or_default()
    }
}

impl Default for JobCost {
    fn default() -> Self {
        JobCost { per_packet: 1, per_byte: 0 }
    }
}

/// Work of a packet, and with a + of each byte, as `100:20+1`.
pub(super) struct Costs<'a>(pub(super) &'a mut Vec<JobCost>);

impl Setting for Costs<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let read = |text: &str| {
            let (per_packet, per_byte) = text.split_once('+').unwrap_or((text, "0"));
            let (per_packet, per_byte) = (per_packet.parse().ok()?, per_byte.parse().ok()?);
            Some(JobCost { per_packet, per_byte })
        };
        *self.0 = list_of(value, read, "work per packet and per byte, as 20+1")?;
        Ok(())
    }

    fn value(&self) -> Value {
        texts(self.0, |cost| match cost.per_byte {
            0 => cost.per_packet.to_string(),
            per_byte => format!("{}+{per_byte}", cost.per_packet),
        })
    }
}
