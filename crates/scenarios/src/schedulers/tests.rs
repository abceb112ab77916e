use super::*;
use crate::Policies;
use forebay_parameters::listed;
use forebay_sched::fair::Limits;
use forebay_sched::functions::JobCost;
use forebay_units::Duration;

fn scheduling(name: &str) -> Scheduling {
    Schedulers::new(&Catalogue::default()).named(name).unwrap()
}

/// With these parameters, of which the names begin without `scheduler.`.
fn with(policy: &str, given: &[(&str, &str)]) -> Result<Scheduling, ParameterError> {
    let mut scheduling = scheduling(policy);
    let named: Vec<(String, &str)> =
        given.iter().map(|(name, text)| (format!("scheduler.{name}"), *text)).collect();
    set(&mut scheduling, &named)?;
    scheduling.build(Rate::from_gbps(10)).map(|_| scheduling)
}

/// What the engine's scheduler has of a parameter.
fn made(scheduling: &Scheduling, name: &str) -> String {
    let all = listed(&mut scheduling.made().unwrap());
    all.iter().find(|one| one.parameter.name == name).unwrap().value.to_string()
}

#[test]
fn every_scheduler_builds_and_begins_as_experiments_do() {
    let schedulers = Schedulers::new(&Catalogue::default());
    assert!(schedulers.infos().len() > 25);
    for info in schedulers.infos() {
        let scheduling = with(&info.name, &[]).unwrap();
        let all = listed_all(&mut scheduling.made().unwrap());
        for (name, value) in DEFAULTS {
            let Some(one) = all.iter().find(|one| one.parameter.name == *name) else { continue };
            assert_eq!(Ok(one.value.clone()), one.parameter.kind.read_text(value), "{}", info.name);
        }
    }
    assert_eq!(made(&scheduling("gearbox"), "levels"), "8@1:8@8:8@64");
}

#[test]
fn weights_and_their_sum_are_read_or_named() {
    for (given, total) in [
        (&[("weights", "100:100:1:1")][..], "202"),
        (&[("weights", "100:100:1:1"), ("total_weight_of", "heaviest")], "100"),
        (&[("weights", "100:100:1:1"), ("total_weight", "7")], "7"),
        (&[], "1"),
    ] {
        let scheduling = with("pifo-wfq", given).unwrap();
        assert_eq!(made(&scheduling, "total_weight"), total, "{given:?}");
    }
    assert_eq!(made(&with("drr", &[("weights", "4:1x3")]).unwrap(), "weights"), "4:1:1:1");
    let error = with("pifo-wfq", &[("weights", "4294967295x9")]).unwrap_err().to_string();
    assert!(error.contains("together, more than"), "{error}");
    for bad in ["0", "1:x", "1x0", "-1", "1x99999999"] {
        assert_eq!(with("drr", &[("weights", bad)]).unwrap_err().name(), "scheduler.weights");
    }
}

/// Every mistake is reported at the parameter that it is in.
#[test]
fn mistakes_are_told_where_they_are() {
    for (policy, name, bad, words) in [
        ("gearbox", "level_fifos", "3", "scheduler.level_fifos: the top level has 3"),
        ("gearbox", "levels", "16", "scheduler.levels: level"),
        ("gearbox-auto", "auto_fifos", "4", "scheduler.auto_fifos: 4 FIFOs cannot"),
        ("drr", "quantum", "0 B", "scheduler.quantum: "),
        ("cq-1", "unit", "0 B", "scheduler.unit: "),
        ("token-bucket", "shaper_rate", "0 b/s", "scheduler.shaper_rate: it is 0"),
        ("edf", "budgets", "1 ms:x", "scheduler.budgets: "),
        ("wsjf", "job_costs", "1+", "scheduler.job_costs: \"1+\" is not"),
    ] {
        let error = with(policy, &[(name, bad)]).err().unwrap().to_string();
        assert!(error.starts_with(words), "{policy} {name}: {error}");
    }
}

#[test]
fn a_trees_leaves_have_the_parameters_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port.tree");
    let leaf = "rate = \"1 Gb/s\"\n[[node]]\nname = \"x\"\nmatch = [{}]\n";
    std::fs::write(&path, leaf).unwrap();
    let refused = with("tree", &[("budgets", "1 ms")]).err().unwrap();
    assert_eq!(refused.name(), "scheduler.budgets", "the built-in tree has fair queues alone");
    let given = [
        ("tree", path.to_str().unwrap()),
        ("budgets", "10 us: 1 ms"),
        ("job_costs", "100:20+1"),
        ("shaper_rate", "2 Gb/s"),
        ("shaper_burst", "3 KB"),
        ("weights", "4:2"),
    ];
    let ranks = with("tree", &given).unwrap().tree().unwrap().ranks;
    assert_eq!(ranks.budgets, [Duration::from_us(10), Duration::from_ms(1)]);
    let costs = [JobCost { per_packet: 100, per_byte: 0 }, JobCost { per_packet: 20, per_byte: 1 }];
    assert_eq!((ranks.job_costs.as_slice(), ranks.weights.of(0)), (&costs[..], 4));
    assert_eq!((ranks.shaper_rate, ranks.shaper_burst), (Rate::from_gbps(2), Bytes::new(3000)));
}

/// A tree comes from a file; what is wrong with it is reported with the file, the line or the node,
/// and the fix.
#[test]
fn a_tree_is_read_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port.tree");
    let read = |text: &[u8]| {
        std::fs::write(&path, text).unwrap();
        with("tree", &[("tree", path.to_str().unwrap()), ("weights", "4:2")])
    };
    let leaf = "rate = \"1 Gb/s\"\n[[node]]\nname = \"x\"\n";
    let tree = read(format!("{leaf}match = [{{}}]\norder = \"stfq\"").as_bytes()).unwrap();
    let tree = tree.tree().unwrap();
    assert_eq!((tree.nodes.len(), tree.ranks.weights.of(0)), (1, 4));
    for (text, words) in [
        (format!("{leaf}wieght = 3"), "port.tree: line 4"),
        (leaf.to_owned(), "port.tree: node \"x\": no packet can reach this leaf"),
        ("#".repeat(MAX_FILE + 2), "make it smaller"),
    ] {
        let error = read(text.as_bytes()).err().unwrap();
        assert!(error.name() == "scheduler.tree" && error.sentence().contains(words), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    let error = with("tree", &[("tree", path.to_str().unwrap())]).err().unwrap();
    assert!(error.sentence().contains("cannot read it"), "{error}");
}

/// A stranger's parameter, called as one of ours with another default.
#[derive(Clone, Configure)]
struct Own {
    /// Bytes of a turn.
    #[parameter(assumed = "not ours", range = 1.., default = 7)]
    quantum: u32,
    /// Packets that may wait.
    #[parameter(part)]
    limits: Limits,
}

fn own(own: Own) -> Choice<dyn PacketScheduler> {
    Choice::new("one-turn", "a stranger's", own, |own: &Own, _| {
        Err(ParameterError::value("quantum", format_args!("{} is never built", own.quantum)))
    })
}

#[test]
fn a_strangers_parameter_is_not_taken_for_one_of_ours() {
    let mut scheduling = Scheduling::new(own(Own::default()), &Catalogue::default());
    let shown: Vec<String> = listed_all(&mut scheduling)
        .into_iter()
        .map(|one| format!("{} = {}", one.parameter.name, one.value))
        .collect();
    // The limits are those of the port, as for all.
    assert_eq!(shown, ["scheduler.one_turn_quantum = 7"]);
    set(&mut scheduling, &[("scheduler.one_turn_quantum", "9")]).unwrap();
    let error = scheduling.build(Rate::from_gbps(1)).err().unwrap().to_string();
    assert_eq!(error, "scheduler.one_turn_quantum: 9 is never built");
}

#[test]
fn a_strangers_scheduler_goes_with_the_others_in_every_scenario() {
    let own = own(Own { limits: Limits { packets: 3, ..Limits::default() }, ..Own::default() });
    let built_in = Policies::default();
    let switches = built_in.switches.with_scheduler(own).unwrap();
    let registry = crate::registry(&Policies { switches, ..built_in }).unwrap();
    for scenario in ["link", "network"] {
        let scenario = registry.get(scenario).unwrap();
        let all = listed_all(&mut *scenario.configure("one-turn"));
        let names: Vec<&str> = all.iter().map(|one| &*one.parameter.name).collect();
        assert!(names.contains(&"scheduler.one_turn_quantum"), "{names:?}");
        assert!(!names.contains(&"scheduler.quantum"), "{names:?}");
    }
}
