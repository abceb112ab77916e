//! WSJF by the head of each flow's queue (thesis §3.5.3): in order, but one expensive job at the
//! head holds its whole flow back, which the paper shows to be a poor defence.

use forebay_parameters::Choice;

use super::per_flow::by_flow;
use super::wsjf::Wsjf;
use super::{JobPolicy, PolicyShape};

/// The choice `wsjf-hoq`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "wsjf by the first job of each flow, flows in order (thesis §3.5.3)";
    Choice::new("wsjf-hoq", about, (), |(), shape: &PolicyShape| {
        by_flow(|flow, jobs| Wsjf::key(&jobs.get(flow.head)), shape)
    })
    .labelled("WSJF-HoQ")
}
