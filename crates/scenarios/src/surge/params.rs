//! The parameters of the experiments on SurgeProtector, where each comes from, and their policies.

use forebay_lab::DefaultSource::Paper;
use forebay_lab::{Kind, ParamSpec, PolicyInfo, assumed, param, shown};

const fn policy(name: &'static str, label: &'static str, doc: &'static str) -> PolicyInfo {
    PolicyInfo { name, label, doc }
}

/// What a policy's name ends with that drops what arrives instead of the largest.
pub const TAIL: &str = "-tail";

const DROPS_TAIL: &str = "The same with drop-tail.";

/// Every policy of `forebay-surge`, dropping the largest by its own order, or with [`TAIL`] what arrives.
pub const POLICIES: &[PolicyInfo] = &[
    policy("fcfs", "FCFS", "In order of arrival (§3.4.1)."),
    policy("fq-packets", "FQ by packets", "Fair by packets of a flow (§3.4.2)."),
    policy("fq-bytes", "FQ by bytes", "Fair by bytes of a flow (§3.4.2)."),
    policy("fq-time", "FQ by time", "Fair by processing time of a flow (§3.4.2)."),
    policy("fq-packets-tail", "FQ by packets, drop-tail", DROPS_TAIL),
    policy("fq-bytes-tail", "FQ by bytes, drop-tail", DROPS_TAIL),
    policy("fq-time-tail", "FQ by time, drop-tail", DROPS_TAIL),
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

const OWN: &str = "0: the traffic's own";

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "traffic.model",
        Kind::Choice(&["reassembly", "recorded"]),
        "reassembly",
        Paper("thesis §3.6.2"),
        "TCP reassembly as the thesis simulates it, or job sizes that were measured (traffic.file).",
    ),
    param(
        "traffic.file",
        Kind::Path,
        "",
        assumed("none: the model"),
        "A recording by `forebay surge measure`, for model = recorded.",
    ),
    param(
        "traffic.order",
        Kind::Choice(&["drawn", "recorded"]),
        "drawn",
        Paper("thesis §3.3.1"),
        "Whether packets are drawn from the joint distribution, or come as recorded, again and again.",
    ),
    param(
        "traffic.load",
        Kind::Float { min: 0.0, max: 10.0 },
        "0",
        assumed("0: the rate decides"),
        "r_I as a part of r_max.",
    ),
    param("traffic.rate", Kind::Rate, "10 Gb/s", Paper("thesis §3.6.1"), "r_I."),
    param(
        "traffic.max_rate",
        Kind::Rate,
        "0 b/s",
        assumed(OWN),
        "r_max of one server: all job sizes are scaled to it.",
    ),
    param(
        "traffic.arrivals",
        Kind::Choice(&["constant", "poisson"]),
        "constant",
        Paper("thesis §3.3.1"),
        "Evenly spaced innocent packets, or a Poisson process; drawn packets only.",
    ),
    param(
        "traffic.flows",
        Kind::Int { min: 1, max: 1 << 20 },
        "100",
        shown("the thesis states none", "surge/sensitivity-flows"),
        "Innocent flows; drawn packets only.",
    ),
    param(
        "traffic.disordered",
        Kind::Float { min: 0.0, max: 1.0 },
        "0.1",
        shown("the thesis's trace cannot be had", "surge/sensitivity-disorder"),
        "Part of innocent packets whose flow has an out-of-order list; model = reassembly.",
    ),
    param(
        "traffic.at_end",
        Kind::Float { min: 0.0, max: 1.0 },
        "0.9",
        shown("the thesis's trace cannot be had", "surge/sensitivity-heuristic"),
        "Part of those that belong at the list's end, where the estimate is true; model = reassembly.",
    ),
    param("attack.rate", Kind::Rate, "100 Mb/s", Paper("thesis §3.6.1"), "r_A."),
    param(
        "attack.share",
        Kind::Float { min: 0.0, max: 10.0 },
        "0",
        assumed("0: the rate decides"),
        "r_A as a part of r_max.",
    ),
    param(
        "attack.kind",
        Kind::Choice(&["optimal", "heaviest", "given"]),
        "optimal",
        Paper("thesis §3.6.2"),
        "The policy's optimal attack (Eq. 3.8, 3.9, footnote 7), the smallest packet with the longest job, or attack.size and attack.work.",
    ),
    param(
        "attack.size",
        Kind::Bytes,
        "64 B",
        Paper("thesis §3.5.1"),
        "Packet size of a given attack.",
    ),
    param(
        "attack.work",
        Kind::Duration,
        "10 us",
        assumed("as in §3.6.3"),
        "Job size of a given attack.",
    ),
    param(
        "attack.longest",
        Kind::Duration,
        "0 s",
        assumed(OWN),
        "J_max, after scaling; it bounds optimal attacks.",
    ),
    param(
        "attack.segments",
        Kind::Int { min: 0, max: 1 << 22 },
        "0",
        assumed("0: as the policy's optimal attack has it"),
        "N, packets of an attack flow; order = recorded.",
    ),
    param(
        "attack.burst",
        Kind::Int { min: 1, max: 1 << 20 },
        "1",
        Paper("thesis §3.3.1"),
        "Attack packets sent back to back; order = drawn.",
    ),
    param(
        "scheduler.capacity",
        Kind::Int { min: 1, max: 1 << 24 },
        "1024",
        shown("the thesis states no k", "surge/sensitivity-buffer"),
        "k, jobs that may wait.",
    ),
    param(
        "scheduler.ranks",
        Kind::Choice(&["exact", "buckets"]),
        "exact",
        shown("the simulator's are not quantized", "surge/sensitivity-ranks"),
        "Exact ranks, or 2^15 buckets (§3.5.4).",
    ),
    param(
        "scheduler.estimates",
        Kind::Choice(&["true", "heuristic"]),
        "true",
        Paper("thesis §3.6.2"),
        "Whether the scheduler knows job sizes, or what an estimator says of them.",
    ),
    param(
        "scheduler.servers",
        Kind::Int { min: 1, max: 1024 },
        "1",
        Paper("thesis §3.3.1"),
        "Processors that share the buffer; r_max is of each.",
    ),
    param(
        "scheduler.overrun",
        Kind::Int { min: 1, max: 1 << 20 },
        "1",
        assumed("a lie is revised as soon as it shows"),
        "wsjf-preemptive: how many times its estimate a job may run.",
    ),
    param(
        "scheduler.fair_below",
        Kind::Int { min: 0, max: 1 << 24 },
        "32",
        assumed("few against k"),
        "wsjf-fair: up to how many waiting jobs it is fair.",
    ),
    param(
        "run.warm_up",
        Kind::Duration,
        "20 ms",
        assumed("a thousand times the longest job and more than the buffer holds"),
        "What passes before anything is counted.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "50 ms",
        assumed("50 thousand innocent packets at 10 Gb/s"),
        "What is counted.",
    ),
];
