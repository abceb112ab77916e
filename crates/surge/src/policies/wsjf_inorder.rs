//! WSJF by outstanding work per outstanding bit of each flow (thesis §3.5.3): in order, and a flow is judged
//! by all that waits of it.

use super::JobPolicyInfo;
use super::flow_table::Flow;
use super::per_flow::by_flow;
use crate::rank::Key;

pub(super) const INFO: JobPolicyInfo = JobPolicyInfo {
    name: "wsjf-inorder",
    about: "the flow with the least outstanding work per outstanding bit first, flows in order",
    build: |config| by_flow(|flow, _| key(flow), config),
};

pub(super) fn key(flow: &Flow) -> Key {
    Key::Ratio(flow.work(), flow.size())
}
