use super::*;
use forebay_lab::config::MAX_FILE;
use forebay_sched::functions::JobCost;
use forebay_sched::scheduler::{scheduler, schedulers};
use forebay_units::{Bytes, Duration, Rate};

#[test]
fn every_scheduler_is_a_policy_and_builds() {
    for (name, _) in schedulers().filter(|(name, _)| *name != "drop-tail") {
        assert!(POLICIES.iter().any(|policy| policy.name == name), "{name}");
    }
    let config = config(&Resolved::with_settings(PARAMS, &[]).unwrap()).unwrap();
    assert_eq!(config.gearbox.fifos(), 56);
    for policy in POLICIES {
        assert!(scheduler(policy.name, &config).is_ok(), "{}", policy.name);
    }
}

#[test]
fn weights_and_their_sum_are_read_or_named() {
    let read = |text: &str| {
        let set = [("scheduler.weights".to_owned(), text.to_owned())];
        weights(&Resolved::with_settings(PARAMS, &set).unwrap())
    };
    assert_eq!(read("50:50:1:1").unwrap(), [50, 50, 1, 1]);
    assert_eq!(read("4:1x3").unwrap(), [4, 1, 1, 1]);
    for (settings, total) in [
        (&[("weights", "100:100:1:1")][..], 202),
        (&[("weights", "100:100:1:1"), ("total_weight_of", "heaviest")], 100),
        (&[("weights", "100:100:1:1"), ("total_weight", "7")], 7),
        (&[], 1),
    ] {
        let set: Vec<_> =
            settings.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        let params = Resolved::with_settings(PARAMS, &set).unwrap();
        assert_eq!(config(&params).unwrap().unit.total_weight, total, "{settings:?}");
    }
    let huge = [("scheduler.weights".to_owned(), "4294967295x9".to_owned())];
    let error = config(&Resolved::with_settings(PARAMS, &huge).unwrap()).unwrap_err();
    assert!(error.to_string().contains("together, more than"), "{error}");
    for bad in ["", "0", "1:x", "1x0", "-1", "1x99999999"] {
        assert!(read(bad).unwrap_err().to_string().contains("no list of weights"), "{bad}");
    }
}

fn params(set: &[(&str, &str)]) -> Resolved {
    let set: Vec<_> =
        set.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    Resolved::with_settings(PARAMS, &set).unwrap()
}

/// Every mistake is told of at the parameter that it is in.
#[test]
fn mistakes_are_told_where_they_are() {
    for (policy, name, bad, words) in [
        ("gearbox", "level_fifos", "3", "--set level_fifos=3: gearbox: the top level has 3"),
        ("gearbox", "levels", "16", "--set levels=16: gearbox: level"),
        ("gearbox-auto", "auto_fifos", "4", "--set auto_fifos=4: gearbox: 4 FIFOs cannot"),
        ("drr", "quantum", "0 B", "--set quantum=0 B: quantum: give at least 1 byte"),
        ("cq-1", "unit", "0 B", "--set unit=0 B: unit: give it"),
        ("token-bucket", "shaper_rate", "0 b/s", "--set shaper_rate=0 b/s: shaper_rate: it is 0"),
        ("edf", "budgets", "1 ms:x", "--set budgets=1 ms:x: \"1 ms:x\" is no list for classes"),
        ("wsjf", "job_costs", "1+", "--set job_costs=1+: \"1+\" is no list"),
    ] {
        let params = params(&[(name, bad)]);
        let error = config(&params)
            .and_then(|config| check(&params, policy, &config, Rate::from_gbps(10)))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn parameters_of_ranks_are_read() {
    let ranks = config(&params(&[
        ("budgets", "10 us: 1 ms"),
        ("job_costs", "100:20+1"),
        ("shaper_rate", "2 Gb/s"),
        ("shaper_burst", "3 KB"),
    ]))
    .unwrap()
    .ranks;
    assert_eq!(ranks.budgets, [Duration::from_us(10), Duration::from_ms(1)]);
    let costs = [JobCost { per_packet: 100, per_byte: 0 }, JobCost { per_packet: 20, per_byte: 1 }];
    assert_eq!(ranks.job_costs, costs);
    assert_eq!((ranks.shaper_rate, ranks.shaper_burst), (Rate::from_gbps(2), Bytes::new(3000)));
}

/// A tree comes from a file; what is wrong with it is told with the file, the line or the node, and the fix.
#[test]
fn a_tree_is_read_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port.tree");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let params = params(&[("scheduler.tree", path.to_str().unwrap()), ("weights", "4:2")]);
        config(&params).map_err(|error| error.to_string())
    };
    let leaf = "rate = \"1 Gb/s\"\n[[node]]\nname = \"x\"\n";
    let config = read(&format!("{leaf}match = [{{}}]\norder = \"stfq\"")).unwrap();
    assert_eq!((config.tree.nodes.len(), config.tree.ranks.weights.of(0)), (1, 4));
    assert!(scheduler("tree", &config).is_ok());
    for (text, words) in [
        (format!("{leaf}wieght = 3"), "port.tree: TOML parse error at line 4"),
        (leaf.to_owned(), "port.tree: node \"x\": no packet can reach this leaf"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains("--set tree=") && error.contains(words), "{error}");
    }
    std::fs::write(&path, [b'#'; MAX_FILE + 2]).unwrap();
    assert!(read(&"#".repeat(MAX_FILE + 2)).unwrap_err().contains("make it smaller"));
    std::fs::remove_file(&path).unwrap();
    let params = params(&[("scheduler.tree", path.to_str().unwrap())]);
    assert!(super::config(&params).unwrap_err().to_string().contains("cannot read it"));
}
