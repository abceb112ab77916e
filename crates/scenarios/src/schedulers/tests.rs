use super::*;
use forebay_lab::config::MAX_FILE;
use forebay_parameters::listed;
use forebay_sched::scheduler::SchedulerShape;
use forebay_units::Rate;

#[test]
fn every_scheduler_is_a_policy_and_builds() {
    assert_eq!(policies(&[], &Catalogue::default()).len(), POLICIES.len());
    for policy in POLICIES {
        assert!(with(&[], policy.name).is_ok(), "{}", policy.name);
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
        assert_eq!(
            total_weight(&params, &weights(&params).unwrap()).unwrap(),
            total,
            "{settings:?}"
        );
    }
    let huge = [("scheduler.weights".to_owned(), "4294967295x9".to_owned())];
    let huge = Resolved::with_settings(PARAMS, &huge).unwrap();
    let error = total_weight(&huge, &weights(&huge).unwrap()).unwrap_err();
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

/// A scheduler with these parameters, which can be built.
fn with(set: &[(&str, &str)], name: &str) -> Result<Choice<PacketSchedulerFamily>, ConfigError> {
    let params = params(set);
    let scheduler = choice(&Catalogue::default(), &params, name)?;
    check(&params, &scheduler, Rate::from_gbps(10)).map(|()| scheduler)
}

/// Every mistake is told of at the parameter that it is in.
#[test]
fn mistakes_are_told_where_they_are() {
    for (policy, name, bad, words) in [
        ("gearbox", "level_fifos", "3", "--set level_fifos=3: the top level has 3"),
        ("gearbox", "levels", "16", "--set levels=16: level"),
        ("gearbox-auto", "auto_fifos", "4", "--set auto_fifos=4: 4 FIFOs cannot"),
        ("drr", "quantum", "0 B", "--set quantum=0 B: give at least 1 byte"),
        ("cq-1", "unit", "0 B", "--set unit=0 B: calendar: give"),
        ("token-bucket", "shaper_rate", "0 b/s", "--set shaper_rate=0 b/s: it is 0"),
        ("edf", "budgets", "1 ms:x", "--set budgets=1 ms:x: \"1 ms:x\" is no list for classes"),
        ("wsjf", "job_costs", "1+", "--set job_costs=1+: \"1+\" is no list"),
    ] {
        let error = with(&[(name, bad)], policy).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn parameters_of_schedulers_are_read() {
    let read = |name: &str, set: &[(&str, &str)]| {
        let listed = listed(&mut with(set, name).unwrap());
        let line =
            |one: forebay_parameters::Listed| format!("{} {}", one.parameter.name, one.value);
        listed.into_iter().map(line).collect::<Vec<_>>().join(", ")
    };
    assert!(read("edf", &[("budgets", "10 us: 1 ms")]).contains("budgets 10 us:1 ms"));
    assert!(read("wsjf", &[("job_costs", "100:20+1")]).contains("job_costs 100:20+1"));
    let shaper = [("shaper_rate", "2 Gb/s"), ("shaper_burst", "3 KB")];
    let shaper = read("token-bucket", &shaper);
    assert!(shaper.contains("flows 65536, shaper_rate 2 Gb/s, shaper_burst 3 KB"), "{shaper}");
    assert!(read("gearbox", &[]).contains("levels 8@1:8@8:8@64"));
    assert!(read("drr", &[("weights", "4:1x3")]).contains("weights 4:1:1:1"));
    let shape = SchedulerShape::of_link(Rate::from_gbps(10));
    assert!(with(&[], "fq-codel").unwrap().build(&shape).is_ok());
}

/// A tree comes from a file; what is wrong with it is told with the file, the line or the node, and the fix.
#[test]
fn a_tree_is_read_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port.tree");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let params = params(&[("scheduler.tree", path.to_str().unwrap()), ("weights", "4:2")]);
        tree(&params).map_err(|error| error.to_string())
    };
    let leaf = "rate = \"1 Gb/s\"\n[[node]]\nname = \"x\"\n";
    let config = read(&format!("{leaf}match = [{{}}]\norder = \"stfq\"")).unwrap();
    assert_eq!((config.nodes.len(), config.ranks.weights.of(0)), (1, 4));
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
    assert!(tree(&params).unwrap_err().to_string().contains("cannot read it"));
}
