//! What experiments call the parameters of switches: groups before the engine's own names.

use forebay_buffer::HybridPolicy;
use forebay_parameters::{
    Choice, Configure, Entry, Family, Kind, Parameter, Renamed, Setting, Source, Value, Walk,
};
use forebay_sched::RankFunction;
use forebay_sched::port::PortScheduler;
use forebay_switch::{Catalogue, HybridConfig};

use crate::own_room::under;

/// Of every switch that orders packets by rank.
pub(crate) const RANK: Parameter = Parameter::new(
    "switch.rank",
    Kind::Text,
    Source::paper("themis §6.3.1"),
    "Order of packets in switches that read ranks: a rank function, or a rule such as class * 100.",
);

/// What experiments call a parameter of a policy: the policy's prefix stands before it
/// (`policy.dt_alpha`), since an experiment runs several. Themis declares none, and the variants of
/// DT and Occamy that of the original.
pub(crate) fn policy_path<F: Family + ?Sized>(policy: &Choice<F>, parameter: &str) -> String {
    match policy.prefix() {
        "" => format!("policy.{parameter}"),
        prefix => under("policy", prefix, parameter),
    }
}

/// Shows the parameters of a policy but for `without`, which the scenario sets.
pub(crate) fn policy_part<F: Family + ?Sized>(
    policy: &mut Choice<F>,
    walk: &mut dyn Walk,
    without: &str,
) {
    let named = policy.clone();
    policy.walk(&mut Renamed::new(walk, |one: &Parameter| {
        (one.name != without).then(|| one.called(policy_path(&named, &one.name)))
    }));
}

/// What experiments call a parameter of what chooses among a port's queues.
pub(crate) fn scheduler_path(scheduler: &Choice<dyn PortScheduler>, parameter: &str) -> String {
    under("scheduler", scheduler.prefix(), parameter)
}

/// Shows the parameters of what chooses among a port's queues; in a list of everything, also those
/// of the others that could.
pub(crate) fn scheduler_part(
    scheduler: &mut Choice<dyn PortScheduler>,
    catalogue: &Catalogue,
    walk: &mut dyn Walk,
) {
    let show = |one: &mut Choice<dyn PortScheduler>, walk: &mut dyn Walk| {
        let named = one.clone();
        one.walk(&mut Renamed::new(walk, |parameter: &Parameter| {
            parameter.called(scheduler_path(&named, &parameter.name))
        }));
    };
    show(scheduler, walk);
    if walk.wants_all() {
        let others = catalogue.port_schedulers().iter();
        for other in others.filter(|one| one.name() != scheduler.name()) {
            show(&mut other.clone(), walk);
        }
    }
}

/// What experiments call a parameter of a hybrid switch under `policy`.
pub(crate) fn hybrid_path(policy: &Choice<dyn HybridPolicy>, parameter: &str) -> String {
    match parameter {
        "sram" => "sram.capacity".to_owned(),
        "cell" | "staging" | "port_rate" => format!("sram.{parameter}"),
        "hbm_order" => "hbm.order".to_owned(),
        "slot_order" => "hbm.layout".to_owned(),
        "staging_writes" => "sram.staging_writes".to_owned(),
        "move_bytes" | "fetch_batches" | "fetch_reserve" => format!("policy.{parameter}"),
        "ranked_queue" | "rank_bits" | "queue_by" | "accounting_queues" | "descriptors"
        | "read_window" | "write_forwarding" | "largest_packet" | "mark_above" => {
            format!("switch.{parameter}")
        }
        _ if parameter.starts_with("hbm.") || parameter.starts_with("rank.") => {
            parameter.to_owned()
        }
        _ => policy_path(policy, parameter),
    }
}

/// Shows the parameters of a hybrid switch but for `without`, which the scenario sets, and those of
/// flow control: there is no neighbour to pause.
pub(crate) fn hybrid_part(switch: &mut HybridConfig, walk: &mut dyn Walk, without: &[&str]) {
    let policy = switch.scheme.clone();
    switch.walk(&mut Renamed::new(walk, |one: &Parameter| {
        let shown = !without.contains(&&*one.name) && !one.name.starts_with("pfc.");
        shown.then(|| one.called(hybrid_path(&policy, &one.name)))
    }));
}

/// A rank function as a field: by its name in the catalogue, or by a rule such as `class * 100`.
pub(crate) struct Rank<'a> {
    pub(crate) choice: &'a mut Choice<dyn RankFunction>,
    pub(crate) catalogue: &'a Catalogue,
}

impl Setting for Rank<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let text = value.to_string();
        if text != self.choice.name() {
            *self.choice = self.catalogue.rank(&text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Text(self.choice.name().to_owned())
    }
}
