//! The parameters of the packet schedulers, and where each comes from.

use forebay_lab::DefaultSource::{self, Paper};
use forebay_lab::{Kind, ParamSpec, assumed, param, shown};

const GEARBOX: DefaultSource = Paper("gearbox §4.1.1, Table 2");
const QUEUES: Kind = Kind::Int { min: 2, max: 4096 };
const COUNT: Kind = Kind::Int { min: 1, max: 1 << 20 };

/// Every parameter of a scheduler.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "scheduler.weights",
        Kind::Text,
        "1",
        assumed("equal flows; gearbox Table 3 has four sets"),
        "Weights of the first flows, as 50:50:1:1 or 40:1x40; all others have weight 1.",
    ),
    param("scheduler.unit", Kind::Bytes, "750 B", GEARBOX, "Bytes of a unit of virtual time."),
    param(
        "scheduler.total_weight",
        Kind::Int { min: 0, max: 1 << 30 },
        "0",
        Paper("gearbox §1, footnote 1"),
        "Weight among which a unit's bytes are shared; 0: that of scheduler.total_weight_of.",
    ),
    param(
        "scheduler.total_weight_of",
        Kind::Choice(&["listed", "heaviest"]),
        "listed",
        Paper(
            "gearbox §1, footnote 1: virtual time runs as fast as real time when all flows are active",
        ),
        "The weight of all listed flows together, or that of the heaviest one alone: its packet then takes as \
         many units as it has units of bytes.",
    ),
    param("scheduler.queues", QUEUES, "56", GEARBOX, "FIFOs of a calendar queue."),
    param("scheduler.levels", Kind::Int { min: 1, max: 16 }, "3", GEARBOX, "Levels of Gearbox."),
    param(
        "scheduler.level_fifos",
        Kind::Int { min: 2, max: 64 },
        "8",
        shown(
            "gearbox §4.1.1 has 56 FIFOs in all and Table 2 intervals of 1, 8 and 64: sets of 8, sets A and B and \
             step-down FIFOs counted",
            "gearbox/sensitivity-levels",
        ),
        "FIFOs in a set of a level, and how much coarser each level is; with sets A and B and step-down \
         FIFOs, 3 levels of 8 are 56.",
    ),
    param(
        "scheduler.granularity",
        COUNT,
        "10",
        assumed(
            "between those of gearbox Table 2; the calendars' own papers depend on their hardware",
        ),
        "Units in a period of AFQ and PCQ.",
    ),
    param(
        "scheduler.quantum",
        Kind::Bytes,
        "1500 B",
        assumed("a packet of gearbox §4.1.1, so that every visit sends"),
        "Bytes per weight and round, of DRR and FQ-CoDel.",
    ),
    param(
        "scheduler.codel_target",
        Kind::Duration,
        "50 us",
        assumed(
            "a few round trips of the empty network; the 5 ms of RFC 8289 are for wide areas, and no queue here \
             lasts as long",
        ),
        "The wait that CoDel accepts for good (fq-codel).",
    ),
    param(
        "scheduler.codel_interval",
        Kind::Duration,
        "1 ms",
        assumed("twenty targets, as RFC 8289 has it"),
        "How long waits may be worse (fq-codel).",
    ),
    param(
        "scheduler.bucket_ranks",
        Kind::Int { min: 1, max: 1 << 20 },
        "65536",
        assumed("a bucket queue of 64 K buckets, half the L2 cache of a core"),
        "16ths of a unit that wfq-bucket looks ahead: 4096 units.",
    ),
    param(
        "scheduler.budgets",
        Kind::Text,
        "1 ms",
        assumed("no deadlines in the papers"),
        "Time within which a packet should leave, class by class, as 10 us:1 ms, the last for all beyond \
         (edf, lstf).",
    ),
    param(
        "scheduler.job_costs",
        Kind::Text,
        "1",
        assumed("every packet is as much work"),
        "Work of a packet, and with a + of each byte, class by class, as 100:20+1, the last for all beyond \
         (wsjf).",
    ),
    param(
        "scheduler.shaper_rate",
        Kind::Rate,
        "1 Gb/s",
        assumed("round, below all links here"),
        "Rate of each flow (token-bucket).",
    ),
    param(
        "scheduler.shaper_burst",
        Kind::Bytes,
        "9216 B",
        assumed("a jumbo frame"),
        "Burst of each flow, at least its largest packet (token-bucket).",
    ),
    param(
        "scheduler.tree",
        Kind::Path,
        "",
        assumed("none: class 0 first, then the others, the flows of each by fair queueing"),
        "A file with the nodes of tree (docs/scheduling-trees.md); its rate gives way to that of each port.",
    ),
    param(
        "scheduler.auto_fifos",
        QUEUES,
        "112",
        assumed("twice the 56 of gearbox §4.1.1: weights of 1 : 10,000 need more"),
        "FIFOs among which the levels are chosen (gearbox-auto).",
    ),
    param(
        "scheduler.auto_backlog",
        COUNT,
        "16",
        assumed("a short flow of the lightest weight"),
        "Packets of the lightest flow that must fit ahead (gearbox-auto).",
    ),
    param(
        "scheduler.flows",
        COUNT,
        "65536",
        assumed("more than begin in any run here, so that none share state"),
        "Flows with state of their own at each port.",
    ),
];
