//! WSJF by outstanding work per outstanding bit of each flow (thesis §3.5.3): in order, and a flow
//! is judged by all its waiting jobs.

use forebay_parameters::Choice;

use super::flow_table::Flow;
use super::per_flow::by_flow_bounded;
use super::{JobPolicy, PolicyShape};
use crate::job::JobTable;
use crate::rank::Key;

/// The choice `wsjf-inorder`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "the flow with the least outstanding work per outstanding bit first, flows in \
                 order (thesis §3.5.3)";
    Choice::new("wsjf-inorder", about, (), |(), shape: &PolicyShape| {
        by_flow_bounded(by_work, shape)
    })
    .labelled("WSJF-Inorder")
}

pub(super) fn by_work(flow: &Flow, _: &JobTable) -> Key {
    Key::Ratio(flow.work(), flow.size())
}
