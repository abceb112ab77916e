//! Scheduling policies: which waiting job is next, and which is dropped. One file each, one
//! registry line.
//!
//! Source: thesis §3.4 and §3.5.3; preemption and fairness are open questions of §3.7.
//!
//! A policy is either an order of jobs (`per_job`: each job has a rank from its arrival on) or an
//! order of flows (`per_flow`: a flow's rank changes, its jobs leave in order). Both are over the
//! queues of `forebay-pifo`, exact (logarithmic) or over buckets (constant).

mod fcfs;
mod flow_table;
mod flow_tags;
mod fq;
mod fq_self_clocked;
mod per_flow;
mod per_job;
mod policy;
mod sjf;
mod step;
mod wsjf;
mod wsjf_fair;
mod wsjf_hoq;
mod wsjf_inorder;
mod wsjf_preemptive;

use forebay_parameters::{Choice, Choices, Registry};

pub use policy::{JobPolicy, PolicyShape, Ranks, ServiceOrder};
pub(crate) use step::OF_BUCKETS;

/// The built-in policies.
///
/// ```
/// use forebay_parameters::{Choice, set};
/// use forebay_surge::policies::{JobPolicy, PolicyShape, policies};
///
/// let mut patient = policies().named("wsjf-preemptive")?.clone();
/// set(&mut patient, &[("overrun", "2")])?;
/// let error = policies().named("wsfj").unwrap_err().to_string();
/// assert!(error.starts_with("there is no job policy `wsfj`"));
///
/// // One of a caller's own joins them: here, another policy under its own name.
/// let own = Choice::<dyn JobPolicy>::new("patient", "a patient wsjf-preemptive", (),
///     move |(), shape: &PolicyShape| patient.build(shape));
/// assert!(policies().with(own)?.named("patient")?.build(&PolicyShape::default()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn policies() -> Choices<dyn JobPolicy> {
    Registry::of([
        fcfs::choice(),
        fq::choice(),
        fq_self_clocked::by_packets(),
        fq_self_clocked::by_bytes(),
        fq_self_clocked::by_time(),
        sjf::choice(),
        wsjf::choice(),
        wsjf_hoq::choice(),
        wsjf_inorder::choice(),
        wsjf_preemptive::choice(),
        wsjf_fair::choice(),
    ])
}

/// The policy to take where nothing speaks for another: `wsjf-inorder`.
pub(crate) fn usual() -> Choice<dyn JobPolicy> {
    wsjf_inorder::choice()
}

#[cfg(test)]
mod tests;
