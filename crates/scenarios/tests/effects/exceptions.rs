//! What may be set to another value and change nothing, and why.

/// Parameters of a scenario that need not matter under some policies.
#[derive(Debug)]
pub(crate) struct Exception {
    /// Where the parameters are shown, by the names of scenarios.
    scenarios: &'static [&'static str],
    /// Their policies; empty: all.
    policies: &'static [&'static str],
    /// The parameters; empty: all of the scheduler.
    parameters: &'static [&'static str],
    /// Why.
    _reason: &'static str,
}

const LINKS: &[&str] = &["link", "hierarchy"];

const EXCEPTIONS: &[Exception] = &[
    Exception {
        scenarios: &["hbm-pattern"],
        policies: &[],
        parameters: &["hbm.bank_groups", "hbm.banks_per_group", "hbm.rows"],
        _reason: "a pattern says itself which banks and rows it visits; they only have to be there",
    },
    Exception {
        scenarios: &["hbm-pattern", "single-point"],
        policies: &[],
        parameters: &["hbm.group_limit", "hbm.hit_limit", "hbm.page"],
        _reason: "nothing waits so long that a limit on overtaking, or on open rows, is reached",
    },
    Exception {
        scenarios: &["network"],
        policies: &[],
        parameters: &["hbm.t_rrd_s"],
        _reason: "without refreshes a burst opens banks of one group after the other, which \
                  t_rrd_l or t_faw limits",
    },
    Exception {
        scenarios: &["network"],
        policies: &["dt"],
        parameters: &["transport.cubic_c", "transport.cubic_fast_convergence"],
        _reason: "over round trips this short CUBIC follows Reno (RFC 9438, §4.3)",
    },
    Exception {
        scenarios: &["network"],
        policies: &["dt"],
        parameters: &["transport.dcqcn_hyper", "transport.timely_hyper"],
        _reason: "a link shared by four hosts for 5 ms is never calm for so long",
    },
    Exception {
        scenarios: LINKS,
        policies: &["gearbox-srpt", "sff", "srpt"],
        parameters: &[],
        _reason: "no flow here ends, so that none has a size to order by",
    },
    Exception {
        scenarios: LINKS,
        policies: &["fq-codel", "cake"],
        parameters: &["scheduler.codel_ecn"],
        _reason: "no packet here is of a flow that understands marks",
    },
    Exception {
        scenarios: &["hierarchy"],
        policies: &["cake"],
        parameters: &["scheduler.hash_ways"],
        _reason: "so few flows that none shares a queue",
    },
    Exception {
        scenarios: &["link"],
        policies: &["strict-priority", "edf", "lstf", "wsjf"],
        parameters: &["scheduler.bucket_ranks", "scheduler.quantizer"],
        _reason: "all packets here are of one class, and leave in order of arrival",
    },
    Exception {
        scenarios: &["hierarchy"],
        policies: &["wsjf"],
        parameters: &["scheduler.bucket_ranks", "scheduler.quantizer"],
        _reason: "its ranks, the work of a packet by class, are few and small",
    },
    Exception {
        scenarios: &["link", "hierarchy", "network"],
        policies: &["fifo", "strict-priority", "edf", "lstf"],
        parameters: &["scheduler.bucket_ranks", "scheduler.quantizer"],
        _reason: "ranks by arrival or by class are in the same order in any buckets, all of which \
                  are in use",
    },
    Exception {
        scenarios: &["link", "hierarchy", "network"],
        policies: &["pifo-wfq", "wfq-bucket", "gearbox-auto"],
        parameters: &["scheduler.total_weight", "scheduler.total_weight_of"],
        _reason: "virtual time runs at another pace, in the same order but for rounding",
    },
    Exception {
        scenarios: &["network"],
        policies: &["pifo-wfq", "tree"],
        parameters: &["scheduler.default_weight"],
        _reason: "few flows with weights meet others at one port in so short a run",
    },
    Exception {
        scenarios: &["link"],
        policies: &["wfq"],
        parameters: &["scheduler.unit"],
        _reason: "it only measures here, and exact order is late by nothing that could be measured",
    },
    Exception {
        scenarios: &["hierarchy"],
        policies: &["gearbox", "gearbox-auto"],
        parameters: &["scheduler.level_memory", "scheduler.rounding", "scheduler.step_down"],
        _reason: "shares of leaves do not tell which packet of a few waiting ones leaves first",
    },
    Exception {
        scenarios: &["hierarchy"],
        policies: &["tree", "wfq", "token-bucket"],
        parameters: &[
            "run.warm_up",
            "scheduler.default_weight",
            "scheduler.flows",
            "scheduler.weights",
            "workload.window",
        ],
        _reason: "exact from the beginning; weights and flows are within the leaves, which are \
                  measured",
    },
    Exception {
        scenarios: &["surge"],
        policies: &["fq-packets", "fq-packets-tail"],
        parameters: &["scheduler.ranks"],
        _reason: "its tags count packets, which buckets hold exactly",
    },
    Exception {
        scenarios: &["surge"],
        policies: &["sjf"],
        parameters: &["attack.lists"],
        _reason: "the attack's long jobs are never served, so that its lists do not grow",
    },
    Exception {
        scenarios: &["delayed-hits"],
        policies: &["belatedly"],
        parameters: &["cache.bytes", "store.kind", "trace.origin_column", "trace.size_column"],
        _reason: "the program knows objects of one size and one latency: any other value is \
                  refused, or is such",
    },
    Exception {
        scenarios: &["delayed-hits"],
        policies: &["cache-a", "cache-b"],
        parameters: &["trace.size_column"],
        _reason: "one object is kept, whatever its size",
    },
    Exception {
        scenarios: &["delayed-hits"],
        policies: &["pairs"],
        parameters: &["trace.header", "trace.time_column"],
        _reason: "a count of six pairs does not tell runs apart that differ so little",
    },
];

/// Those of a scenario.
pub(crate) fn all(scenario: &str) -> impl Iterator<Item = &'static Exception> {
    EXCEPTIONS.iter().filter(move |one| one.scenarios.contains(&scenario))
}

/// The one for this parameter under this policy, if there is one.
pub(crate) fn of(scenario: &str, policy: &str, parameter: &str) -> Option<&'static Exception> {
    all(scenario).find(|one| {
        let is_for = one.policies.is_empty() || one.policies.contains(&policy);
        let is_whole = one.parameters.is_empty() && parameter.starts_with("scheduler.");
        is_for && (is_whole || one.parameters.contains(&parameter))
    })
}
