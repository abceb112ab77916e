//! The policies of the experiments on SurgeProtector.

use forebay_lab::PolicyInfo;

const fn policy(name: &'static str, label: &'static str, doc: &'static str) -> PolicyInfo {
    PolicyInfo::new(name, label, doc)
}

/// What a policy's name ends with that drops what arrives instead of the largest.
pub(super) const TAIL: &str = "-tail";

const DROPS_TAIL: &str = "The same with drop-tail.";

/// Every policy of `forebay-surge`, dropping the largest by its own order, or with [`TAIL`] what arrives.
pub(super) const POLICIES: &[PolicyInfo] = &[
    policy("fcfs", "FCFS", "In order of arrival (§3.4.1)."),
    policy(
        "fq",
        "FQ",
        "Fair by processing time of a flow, an idle one from its arrival on (§3.4.2).",
    ),
    policy("fq-tail", "FQ, drop-tail", DROPS_TAIL),
    policy("fq-packets", "FQ by packets, self-clocked", "Fair by packets of a flow (ours)."),
    policy("fq-bytes", "FQ by bytes, self-clocked", "Fair by bytes of a flow (ours)."),
    policy("fq-time", "FQ by time, self-clocked", "Fair by processing time of a flow (ours)."),
    policy("fq-packets-tail", "FQ by packets, self-clocked, drop-tail", DROPS_TAIL),
    policy("fq-bytes-tail", "FQ by bytes, self-clocked, drop-tail", DROPS_TAIL),
    policy("fq-time-tail", "FQ by time, self-clocked, drop-tail", DROPS_TAIL),
    policy("sjf", "SJF", "Smallest job first (§3.4.3)."),
    policy("sjf-tail", "SJF, drop-tail", DROPS_TAIL),
    policy("wsjf", "WSJF", "Smallest job size per packet size first (§3.4.4)."),
    policy("wsjf-tail", "WSJF, drop-tail", DROPS_TAIL),
    policy("wsjf-hoq", "WSJF-HoQ", "WSJF over the first packets of flows (§3.5.3)."),
    policy("wsjf-hoq-tail", "WSJF-HoQ, drop-tail", DROPS_TAIL),
    policy(
        "wsjf-inorder",
        "WSJF-Inorder",
        "The flow with the least outstanding work per bit (§3.5.3).",
    ),
    policy("wsjf-inorder-tail", "WSJF-Inorder, drop-tail", DROPS_TAIL),
    policy("wsjf-preemptive", "WSJF, preemptive", "WSJF that interrupts (§3.7, ours)."),
    policy("wsjf-preemptive-tail", "WSJF, preemptive, drop-tail", DROPS_TAIL),
    policy(
        "wsjf-fair",
        "WSJF, fair",
        "Fair by time while few wait, WSJF-Inorder when many do (§3.7, ours).",
    ),
    policy("wsjf-fair-tail", "WSJF, fair, drop-tail", DROPS_TAIL),
];
