//! The same side with the command, word by word: what a user takes away to run larger.

use crate::setup::{CacheSetup, CaptureSetup, NetworkSetup, Settings, Setup, Side};

/// What the page calls the files that it hands out.
const FLOW_FILE: &str = "flows.txt";

/// The command that prints the digits of this side with `--json`; none where there is none.
pub(crate) fn command(setup: &Setup, side: &Side) -> Option<String> {
    let words = match setup {
        Setup::Network(setup) => network(setup, side),
        Setup::Capture(setup) => capture(setup, side),
        Setup::Cache(setup) => cache(setup, side),
        Setup::Jobs(_) => return None,
    };
    let words = words.iter().map(|word| quoted(word));
    Some(words.collect::<Vec<_>>().join(" "))
}

fn network(setup: &NetworkSetup, side: &Side) -> Vec<String> {
    let mut words = said(&["forebay", "net", "run", "--json"]);
    words.extend(said(&["--topology", &setup.topology, "--flows", FLOW_FILE]));
    words.extend(switch(side));
    words.extend(hosts(&setup.hosts));
    for (option, value) in [("--class", &setup.class), ("--give-up", &setup.give_up)] {
        if let Some(value) = value {
            words.extend(said(&[option, value]));
        }
    }
    words
}

fn capture(setup: &CaptureSetup, side: &Side) -> Vec<String> {
    let mut words = said(&["forebay", "replay", "CAPTURE", "--json"]);
    words.extend(said(&["--ports", &setup.ports.to_string(), "--rate", &setup.rate]));
    if let Some(load) = setup.load {
        words.extend(said(&["--load", &load.to_string()]));
    }
    words.extend(switch(side));
    words
}

fn cache(setup: &CacheSetup, side: &Side) -> Vec<String> {
    let mut words = said(&["forebay", "cache", "simulate", "--json"]);
    words.extend(said(&["--policies", &side.policy, "--seed", &setup.seed.to_string()]));
    words.extend(said(&["--objects", &setup.capacity.to_string(), "--z", &setup.z.to_string()]));
    let trace = [
        ("trace.kind", "zipf-bursts".to_owned()),
        ("trace.requests", setup.requests.to_string()),
        ("trace.objects", setup.objects.to_string()),
        ("trace.exponent", setup.exponent.to_string()),
        ("trace.burst", setup.burst.to_string()),
    ];
    let trace = trace.into_iter().map(|(name, value)| (name.to_owned(), value));
    // How victims are found is the cache's, what the policy reads its own.
    let own = side.set.iter().map(|(name, value)| match name.as_str() {
        "eviction" | "samples" => (format!("cache.{name}"), value.clone()),
        _ => (name.clone(), value.clone()),
    });
    for (name, value) in trace.chain(own) {
        words.extend(said(&["--set", &format!("{name}={value}")]));
    }
    words
}

fn switch(side: &Side) -> Vec<String> {
    let mut words = said(&["--switch", &side.policy]);
    for (name, value) in &side.set {
        words.extend(said(&["--set", &format!("{name}={value}")]));
    }
    words
}

/// Whoever has no networks is asked of none.
#[cfg(not(feature = "switches"))]
fn hosts(_settings: &Settings) -> Vec<String> {
    Vec::new()
}

/// Parameters of the hosts are options of their own; a flag is turned on, or off.
#[cfg(feature = "switches")]
fn hosts(settings: &Settings) -> Vec<String> {
    use forebay_net::network::HostConfig;
    use forebay_parameters::{Kind, Value, listed};
    let known = listed(&mut HostConfig::default());
    let mut words = Vec::new();
    for (name, value) in settings {
        let option = name.replace('_', "-");
        let flag = known.iter().find(|one| one.parameter.name == *name);
        let flag = flag.filter(|one| one.parameter.kind == Kind::Bool);
        match flag.map(|one| one.value == Value::Bool(true)) {
            None => words.extend([format!("--{option}"), value.clone()]),
            Some(is_on) if is_on == (value == "true") => {}
            Some(true) => words.push(format!("--no-{option}")),
            Some(false) => words.push(format!("--{option}")),
        }
    }
    words
}

fn said(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "switches")]
    fn words_are_those_of_the_command() {
        let text = r#"{"lab":"network","topology":"star:3,10G,1us","give_up":"5 ms",
            "class":"bytes > 9",
            "hosts":{"control":"dctcp","sack":"false","handshake":"true","initial_window":"20"},
            "sides":[{"policy":"dt","set":{"alpha":"2","pool":"1 MB"}},{"policy":"it's"}]}"#;
        let setup = Setup::read(text).unwrap();
        let said = |side| command(&setup, &setup.sides()[side]).unwrap();
        assert_eq!(
            said(0),
            "forebay net run --json --topology star:3,10G,1us --flows flows.txt --switch dt --set \
             alpha=2 --set 'pool=1 MB' --control dctcp --handshake --initial-window 20 --no-sack \
             --class 'bytes > 9' --give-up '5 ms'"
        );
        assert!(said(1).contains(r"--switch 'it'\''s'"));
        let jobs = Setup::read(r#"{"lab":"jobs"}"#).unwrap();
        assert_eq!(command(&jobs, &jobs.sides()[0]), None);
    }
}
