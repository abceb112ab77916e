//! The packet schedulers as policies: names, labels and a sentence each.

use forebay_lab::PolicyInfo;

const fn policy(name: &'static str, label: &'static str, doc: &'static str) -> PolicyInfo {
    PolicyInfo { name, label, doc }
}

/// Every scheduler but drop-tail, which the scenarios have already.
pub const POLICIES: &[PolicyInfo] = &[
    policy("pifo-wfq", "PIFO-WFQ", "Weighted fair queueing in exact order."),
    policy(
        "pifo-wfq-drop-largest",
        "PIFO-WFQ, drop-largest",
        "The same; a full buffer drops what would leave last instead of the arrival.",
    ),
    policy("wfq-bucket", "WFQ, buckets", "The same to a 16th of a unit, over a bucket queue."),
    policy("gearbox", "Gearbox", "Approximate weighted fair queueing by levels of FIFOs."),
    policy("gearbox-auto", "Gearbox, levels chosen", "Gearbox with levels for the weights' range."),
    policy("gearbox-srpt", "Gearbox, SRPT", "Shortest remaining flow first over the same levels."),
    policy("cq-1", "CQ-1", "A calendar queue of 1 unit a FIFO."),
    policy("cq-10", "CQ-10", "A calendar queue of 10 units a FIFO."),
    policy("cq-100", "CQ-100", "A calendar queue of 100 units a FIFO."),
    policy("afq", "AFQ", "A calendar queue that keeps finish times in a sketch."),
    policy("pcq", "PCQ", "A programmable calendar queue."),
    policy("drr", "DRR", "Deficit round robin."),
    policy("fq-codel", "FQ-CoDel", "Deficit round robin over hashed queues kept short by CoDel."),
    policy(
        "tree",
        "Tree",
        "A scheduling tree: scheduler.tree, or class 0 first and fair shares within.",
    ),
    policy("fifo", "FIFO", "Order of arrival, as a rank."),
    policy("sff", "SFF", "Shortest flow first."),
    policy("strict-priority", "Strict priority", "By class."),
    policy("wfq", "WFQ, fluid clock", "Virtual finish times of the fluid server."),
    policy("scfq", "SCFQ", "Self-clocked virtual finish times."),
    policy("stfq", "STFQ", "Virtual start times."),
    policy("srpt", "SRPT", "Shortest remaining flow first."),
    policy("las", "LAS", "Least attained service first."),
    policy("edf", "EDF", "Earliest deadline first, by class."),
    policy("lstf", "LSTF", "Least slack time first."),
    policy("wsjf", "WSJF", "Weighted shortest job first."),
    policy("token-bucket", "Token bucket", "Departure times of a shaper per flow."),
];
