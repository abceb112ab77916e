//! WSJF by the head of each flow's queue (thesis §3.5.3): in order, but one expensive job at the head holds
//! its whole flow back, which the paper shows to be a poor defence.

use super::JobPolicyInfo;
use super::per_flow::by_flow;
use super::wsjf::Wsjf;

pub(super) const INFO: JobPolicyInfo = JobPolicyInfo {
    name: "wsjf-hoq",
    about: "wsjf by the first job of each flow, flows in order",
    build: |config| by_flow(|flow, jobs| Wsjf::key(&jobs.get(flow.head)), config),
};
