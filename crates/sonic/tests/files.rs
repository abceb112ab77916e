//! Whole files: realistic ones explained with the numbers that one gets by hand, broken ones
//! refused with the place of the error, and any mutation of them without a panic.
#![allow(clippy::unwrap_used, clippy::panic)]

use forebay_sonic::explain::Limit;
use forebay_sonic::{Config, LARGEST, check, explain, parse};
use forebay_units::Rate;
use proptest::prelude::*;

const LEAF: &str = include_str!("data/leaf.json");
const OLD_STYLE: &str = include_str!("data/old-style.json");
const DYNAMIC: &str = include_str!("data/dynamic-model.json");
const SHARED_HEADROOM: &str = include_str!("data/shared-headroom.json");
const MISTAKES: &str = include_str!("data/mistakes.json");
const CHASSIS: &str = include_str!("data/chassis.json");
/// Checks that have a test of their own.
const ELSEWHERE: [&str; 3] = ["unknown-size", "unread-keys", "marking-above-limit"];

fn config(text: &str) -> Config {
    parse(text.as_bytes()).map_err(|errors| errors.to_string()).unwrap()
}

fn errors(text: &str) -> Vec<String> {
    let errors = parse(text.as_bytes()).unwrap_err();
    errors.0.iter().map(ToString::to_string).collect()
}

#[test]
fn a_leaf_has_the_numbers_that_one_gets_by_hand() {
    let explained = explain(&config(LEAF));
    let pool = &explained.pools[0];
    // 8 lossy groups of 2,000 B, 12 and 4 lossless ones of 66,000 B and 56,000 B.
    assert_eq!(
        (pool.name.as_str(), pool.members, pool.reserved_bytes),
        ("ingress_pool", 24, 1_032_000)
    );
    assert_eq!(pool.shared_bytes, Some(12_000_000 - 1_032_000));
    assert_eq!(pool.sum_of_alphas, 8.0 * 8.0 + 16.0 * 0.25);
    let lossless = explained.profiles.iter().find(|p| p.name == "pg_lossless_40m").unwrap();
    assert_eq!(lossless.threshold_bytes, [2_742_000, 2_056_500, 1_371_000, 685_500, 0]);
    assert_eq!(lossless.alone_bytes, Some(2_193_600)); // a fifth: 0.25 / 1.25
    assert_eq!(lossless.all_congested_bytes, Some((10_968_000.0f64 * 0.25 / 69.0).round() as u64));
    assert!(lossless.lossless && lossless.formula.contains("2^-2 = 0.25"), "{}", lossless.formula);
    assert_eq!((lossless.members[0].indices.as_str(), lossless.members[0].ports.len()), ("3-4", 6));
    let fixed = explained.profiles.iter().find(|p| p.name == "q_lossless").unwrap();
    assert_eq!(fixed.threshold_bytes, [12_000_000; 5]);
    assert_eq!(fixed.members[0].service.as_deref(), Some("DWRR, weight 25"));
    assert_eq!(explained.findings, []);
    let no_table = "QUEUE.wred_profile (there is no table WRED_PROFILE)";
    let no_map = "PORT_QOS_MAP.tc_to_queue_map (there is no table TC_TO_QUEUE_MAP)";
    for name in [no_map, "PORT.alias", "PORT.lanes", no_table] {
        assert_eq!(explained.not_modelled.iter().filter(|n| *n == name).count(), 1, "{name}");
    }
}

#[test]
fn brackets_and_lists_mean_what_names_and_single_ports_do() {
    let old = config(OLD_STYLE);
    let new =
        OLD_STYLE.replace("[BUFFER_POOL|", "").replace("[BUFFER_PROFILE|", "").replace(']', "");
    assert_eq!(old, config(&new));
    assert_eq!((old.ports.len(), old.members.len(), old.port_limits.len()), (4, 36, 8));
    let explained = explain(&old);
    let findings: Vec<&str> = explained.findings.iter().map(|f| f.check).collect();
    assert_eq!(findings, ["other-mode"], "{:?}", explained.findings); // static_th in a dynamic pool
}

#[test]
fn what_the_switch_computes_is_not_made_up() {
    let explained = explain(&config(DYNAMIC));
    assert_eq!(explained.pools[0].size_bytes, None);
    let null = explained.profiles.iter().find(|p| p.name == "NULL").unwrap();
    assert!(null.lossless && null.threshold_bytes.is_empty() && null.alone_bytes.is_none());
    assert_eq!(explained.findings.iter().map(|f| f.check).collect::<Vec<_>>(), ["unknown-size"]);
    let traditional =
        DYNAMIC.replace("\"dynamic\",\n      \"hwsku\"", "\"traditional\",\n      \"hwsku\"");
    let errors = errors(&traditional);
    assert!(
        errors[0].starts_with("BUFFER_POOL|ingress_lossless_pool.size: is missing;"),
        "{errors:?}"
    );
    assert!(errors.iter().any(|error| error.contains("buffer_model is dynamic")), "{errors:?}");
}

#[test]
fn shared_headroom_is_taken_once() {
    let explained = explain(&config(SHARED_HEADROOM));
    let pool = &explained.pools[0];
    assert_eq!(pool.shared_bytes, Some(30_000_000 - 1_500_000 - 16 * 19_456));
    assert_eq!(explained.findings, []);
    let small = SHARED_HEADROOM.replace("1500000", "50000");
    let findings = check::findings(&config(&small));
    assert_eq!(findings[0].check, "headroom-not-reserved");
}

/// A limit at a full pool, alone and with all congested, after its formula.
fn limit(limit: &Option<Limit>) -> (&str, u64, u64) {
    let limit = limit.as_ref().unwrap();
    (limit.formula, limit.bytes[4], limit.alone_bytes.unwrap() - limit.bytes[4])
}

#[test]
fn headroom_of_its_own_is_within_size() {
    let explained = explain(&config(MISTAKES));
    let late = explained.profiles.iter().find(|p| p.name == "late_resume").unwrap();
    let alone = late.alone_bytes.unwrap();
    // size 100,000 with xoff 60,000 in it: with the pool full the pause begins at 40,000.
    assert_eq!(limit(&late.pause_at), ("size - xoff + T", 40_000, alone));
    assert_eq!(limit(&late.drop_at), ("size + T", 100_000, alone));
    let empty = late.threshold_bytes[0];
    assert_eq!(late.pause_at.as_ref().unwrap().bytes[0], empty + 40_000);
    let lossy = explained.profiles.iter().find(|p| p.name == "lossy_in").unwrap();
    assert_eq!((&lossy.pause_at, lossy.drop_at.as_ref().unwrap().bytes[4]), (&None, 0));
}

#[test]
fn shared_headroom_comes_on_top_of_size() {
    let explained = explain(&config(SHARED_HEADROOM));
    let profile = explained.profiles.iter().find(|p| p.name == "lossless_200g_100m").unwrap();
    let alone = profile.alone_bytes.unwrap();
    assert_eq!(limit(&profile.pause_at), ("size + T", 19_456, alone));
    assert_eq!(limit(&profile.drop_at), ("size + T + xoff", 19_456 + 90_000, alone));
    let computed = explain(&config(DYNAMIC));
    let null = computed.profiles.iter().find(|p| p.name == "NULL").unwrap();
    assert_eq!((&null.pause_at, &null.drop_at), (&None, &None));
}

#[test]
fn every_mistake_is_found_where_it_is() {
    let findings = check::findings(&config(MISTAKES));
    let at = |check: &str| -> Vec<&str> {
        findings.iter().filter(|f| f.check == check).map(|f| f.path.as_str()).collect()
    };
    for (check, paths) in [
        ("oversubscribed-pool", &["BUFFER_POOL|small_in.size"][..]),
        (
            "wrong-direction",
            &["BUFFER_PROFILE|queue_in_ingress.pool", "BUFFER_PROFILE|group_in_egress.pool"],
        ),
        ("unused-pool", &["BUFFER_POOL|spare"]),
        ("unused-profile", &["BUFFER_PROFILE|forgotten"]),
        (
            "other-mode",
            &[
                "BUFFER_PROFILE|bytes_in_dynamic.static_th",
                "BUFFER_PROFILE|alpha_in_static.dynamic_th",
            ],
        ),
        ("greedy-alpha", &["BUFFER_PROFILE|greedy.dynamic_th"]),
        ("nothing-to-share", &["BUFFER_PROFILE|starved.size"]),
        ("no-headroom", &["BUFFER_PROFILE|no_headroom.xoff"]),
        ("headroom-not-reserved", &["BUFFER_PROFILE|unreserved.xoff"]),
        ("headroom-below-cable", &["BUFFER_PROFILE|short_cable.xoff"]),
        ("xon-above-pause", &["BUFFER_PROFILE|late_resume.xon"]),
        ("xon-not-below-xoff", &["BUFFER_PROFILE|late_resume.xon"]),
        ("lossless-in-lossy-profile", &["BUFFER_PROFILE|lossy_in"]),
        ("pfc-without-group", &["PORT_QOS_MAP|Ethernet8.pfc_enable"]),
        ("headroom-without-pfc", &["BUFFER_PROFILE|short_cable"]),
    ] {
        assert_eq!(at(check), paths, "{check}: {findings:#?}");
    }
    let found: Vec<&str> = findings.iter().map(|finding| finding.check).collect();
    for check in check::ALL {
        assert!(found.contains(&check.name) || ELSEWHERE.contains(&check.name), "{}", check.name);
    }
}

#[test]
fn queues_of_a_chassis_are_read_and_nothing_they_use_is_called_unused() {
    let config = config(CHASSIS);
    let queues: Vec<_> = config.members.iter().filter(|member| member.index < 3).collect();
    assert_eq!((config.members.len(), queues.len(), config.unread.len()), (12, 8, 0));
    let far = config.ports.iter().find(|port| port.name == "lc-2|asic0|Ethernet0").unwrap();
    assert_eq!(far.speed, Some(Rate::from_gbps(400)));
    assert!(far.of_chassis() && config.ports.iter().filter(|port| !port.of_chassis()).count() == 2);
    let explained = explain(&config);
    assert_eq!(explained.findings, [], "a pool of size 0 and 120 km of cable are legal");
    let lossy = explained.profiles.iter().find(|p| p.name == "q_lossy").unwrap();
    assert_eq!(lossy.members[0].ports.len(), 2, "{:?}", lossy.members);
}

#[test]
fn where_a_key_is_not_read_nothing_is_called_unused() {
    let text = CHASSIS.replace("lc-2|asic0|Ethernet0|0-2", "asic0|Ethernet0|0-2");
    let text = text.replace("lc-1|asic0|Ethernet0|0-2", "asic0|Ethernet4|0-2");
    let config = config(&text);
    assert_eq!(config.unread.len(), 2);
    let findings = check::findings(&config);
    let checks: Vec<&str> = findings.iter().map(|finding| finding.check).collect();
    assert_eq!(checks, ["unread-keys"], "{findings:#?}");
    assert!(findings[0].message.contains("this and 1 more key are of a form"), "{findings:#?}");
}

#[test]
fn early_marking_is_explained_and_must_be_reachable() {
    let explained = explain(&config(CHASSIS));
    let [marking] = &explained.marking[..] else { panic!("{:?}", explained.marking) };
    assert_eq!(marking.name, "ecn");
    assert_eq!(
        marking.colours,
        [
            "green: a packet is marked (ECN), or dropped if its ends do not know ECN, from 300,000 \
             B in the queue on, with a probability that grows to 5 % at 900,000 B, and always \
             above",
            "yellow, red: nothing before the queue is full",
        ]
    );
    let lossless = explained.profiles.iter().find(|p| p.name == "q_lossless").unwrap();
    assert_eq!(lossless.members[0].wred.as_deref(), Some("ecn"));
    let late =
        CHASSIS.replace("\"300000\"", "\"800000000\"").replace("\"900000\"", "\"900000000\"");
    let findings = check::findings(&config(&late));
    assert_eq!(findings[0].check, "marking-above-limit", "{findings:#?}");
    for (from, to, words) in [
        ("\"300000\"", "\"900001\"", "the lower threshold is above the upper one"),
        ("\"ecn_green\"", "\"ecn_blue\"", "`ecn_blue` is not ecn_none, ecn_all"),
        ("\"wred_profile\": \"ecn\"", "\"wred_profile\": \"enc\"", "did you mean `ecn`?"),
    ] {
        let errors = errors(&CHASSIS.replacen(from, to, 1));
        assert!(errors[0].contains(words), "{errors:?}");
    }
}

#[test]
fn a_threshold_of_the_other_kind_is_a_note() {
    let findings = check::findings(&config(MISTAKES));
    let other = findings.iter().find(|finding| finding.check == "other-mode").unwrap();
    assert_eq!(other.severity, check::Severity::Note);
}

/// `LEAF` with one piece of text replaced by another.
fn broken(from: &str, to: &str) -> Vec<String> {
    assert!(LEAF.contains(from), "{from}");
    errors(&LEAF.replacen(from, to, 1))
}

#[test]
fn each_error_names_its_place_and_its_fix() {
    for (from, to, expected) in [
        (
            "\"pool\": \"egress_lossy_pool\"",
            "\"pool\": \"egress_losy_pool\"",
            "BUFFER_PROFILE|q_lossy.pool: there is no pool `egress_losy_pool`; did you mean \
             `egress_lossy_pool`?",
        ),
        (
            "\"size\": \"66000\"",
            "\"size\": \"-66000\"",
            "BUFFER_PROFILE|pg_lossless_40m.size: `-66000` is not a size in bytes from 0 to 2^40; \
             write \"18432\"",
        ),
        (
            "\"dynamic_th\": \"3\"",
            "\"dynamic_th\": \"9\"",
            "BUFFER_PROFILE|pg_lossy.dynamic_th: `9` is not an exponent of alpha from -8 to 7; \
             write \"0\" for alpha = 1, \"3\" for alpha = 8",
        ),
        (
            "\"profile\": \"pg_lossy\"",
            "\"profile\": 7",
            "BUFFER_PG|Ethernet0|0.profile: there is no profile `7`; there are: pg_lossless_40m, \
             pg_lossless_5m, pg_lossy, q_lossy, q_control, q_lossless",
        ),
        (
            "\"Ethernet0|3-4\": {\n      \"profile\": \"pg_lossless_40m\"",
            "\"Ethernet0|0-9\": {\n      \"profile\": \"pg_lossless_40m\"",
            "BUFFER_PG|Ethernet0|0-9: `0-9` is not an index from 0 to 7, or a range of them; write \
             \"Ethernet0|3-4\"",
        ),
        (
            "\"Ethernet0|3-4\": {\n      \"profile\": \"pg_lossless_40m\"",
            "\"Ethernet0|0-4\": {\n      \"profile\": \"pg_lossless_40m\"",
            "BUFFER_PG|Ethernet0|0-4: priority group 0 of Ethernet0 is given twice; keep one",
        ),
        (
            "\"BUFFER_PG\": {\n    \"Ethernet0|0\"",
            "\"BUFFER_PG\": {\n    \"Ethernet1|0\"",
            "BUFFER_PG|Ethernet1|0: there is no port `Ethernet1`; did you mean `Ethernet0`?",
        ),
        (
            "\"mode\": \"static\"",
            "\"mode\": [\"static\"]",
            "BUFFER_POOL|egress_lossless_pool.mode: a list stands where a text belongs; compare it \
             with `show runningconfiguration all`",
        ),
        (
            "\"speed\": \"100000\"",
            "\"speed\": \"fast\"",
            "PORT|Ethernet0.speed: `fast` is not a speed in Mb/s from 1 to 10000000; write \
             \"100000\"",
        ),
        (
            "\"Ethernet0\": \"40m\"",
            "\"Ethernet0\": \"forty\"",
            "CABLE_LENGTH|AZURE.Ethernet0: `forty` is not a length in metres from 0m to 300000m; \
             write \"40m\"",
        ),
        (
            "\"static_th\": \"12000000\"",
            "\"static_th\": \"12000000\", \"dynamic_th\": \"0\"",
            "BUFFER_PROFILE|q_lossless: `dynamic_th` and `static_th` are both there and exclude \
             each other; keep the one that suits the pool's mode",
        ),
        (
            "\"static_th\": \"12000000\"",
            "\"static_th\": \"0\"",
            "BUFFER_PROFILE|q_lossless: it has neither reserved bytes nor a threshold, so its \
             members can hold nothing; raise `size` or `static_th`",
        ),
    ] {
        assert_eq!(broken(from, to)[0], expected);
    }
}

#[test]
fn one_mistake_is_one_error() {
    for (from, to) in [
        ("\"mode\": \"dynamic\"", "\"mode\": \"dynamical\""),
        ("\"dynamic_th\": \"3\"", "\"dynamic_th\": \"9\""),
        ("\"BUFFER_POOL\": {", "\"BUFFER_POOL\": 7, \"OTHER\": {"),
    ] {
        let errors = broken(from, to);
        assert_eq!(errors.len(), 1, "{errors:#?}");
    }
}

#[test]
fn keys_cannot_command_the_terminal() {
    for escape in ["\\u001b[2J", "\\u009b2J", "\\u202e"] {
        let errors = errors(&LEAF.replace("q_control", &format!("q{escape}")));
        assert!(errors[0].contains("is not a key without control characters"), "{errors:?}");
        assert!(errors.iter().all(|e| !e.contains(['\u{1b}', '\u{9b}', '\u{202e}'])), "{errors:?}");
    }
    let errors = errors(&LEAF.replace("q_control", &"q".repeat(300)));
    assert!(errors.len() == 1 && errors[0].contains("at most 255 bytes"), "{errors:?}");
}

#[test]
fn limits_of_ports_are_named_as_not_modelled() {
    let explained = explain(&config(OLD_STYLE));
    let name = "BUFFER_PORT_EGRESS_PROFILE_LIST thresholds".to_owned();
    assert!(explained.not_modelled.contains(&name), "{:?}", explained.not_modelled);
    let list = "\"[BUFFER_PROFILE|egress_lossless],[BUFFER_PROFILE|egress_lossy]\"";
    assert!(OLD_STYLE.contains(list));
    for wrong in ["{\"a\": 1}", "null", "[[\"egress_lossy\"]]"] {
        let errors = errors(&OLD_STYLE.replace(list, wrong));
        assert!(errors.len() == 1 && errors[0].contains("a text or a list of texts"), "{errors:?}");
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_where_it_ends() {
    for at in [0, 1, 100, LEAF.len() / 2, LEAF.trim_end().len() - 1] {
        let errors = errors(&LEAF[..at]);
        assert!(
            errors.len() == 1 && errors[0].contains("the text ends inside a value"),
            "{at}: {errors:?}"
        );
    }
}

#[test]
fn hostile_files_cost_little() {
    let nested = format!("{{\"BUFFER_POOL\": {}", "[".repeat(LARGEST - 100));
    assert!(errors(&nested)[0].contains("ends inside a value"));
    let too_large = " ".repeat(10 << 20);
    assert!(errors(&too_large)[0].contains("more than 8 MiB"));
    let ports: String = (0..200_000).map(|n| format!("Ethernet{n},")).collect();
    let many =
        format!("{{\"PORT\": {{\"Ethernet0\": {{}}}}, \"BUFFER_PG\": {{\"{ports}|0-7\": {{}}}}}}");
    assert!(!errors(&many).is_empty());
    assert!(errors("{}")[0].starts_with("BUFFER_PG, BUFFER_QUEUE: is missing;"));
}

#[test]
fn files_of_another_kind_are_told_apart() {
    for (text, expected) in [
        // A template whose groups and queues the switch fills in.
        (
            r#"{"BUFFER_PG": {}, "BUFFER_QUEUE": {}}"#,
            "BUFFER_PG, BUFFER_QUEUE: there are no entries; give at least one priority group",
        ),
        // The dump of a database.
        (
            r#"{"BUFFER_PG|Ethernet0|3-4": {"profile": "p"}}"#,
            "BUFFER_PG|Ethernet0|3-4: a key stands where the name of a table belongs",
        ),
        // A switch of several ASICs.
        (
            r#"{"localhost": {}, "asic0": {"BUFFER_POOL": {}}}"#,
            "localhost: the file has a configuration for each ASIC; give that of one of them",
        ),
        ("[{\"BUFFER_POOL_TABLE:p\": {}}]", "found a list, expected an object of tables"),
    ] {
        let errors = errors(text);
        assert!(errors.len() == 1 && errors[0].contains(expected), "{text}: {errors:?}");
    }
}

/// What is found in a configuration, check by check.
fn found(text: &str) -> Vec<(&'static str, check::Severity)> {
    check::findings(&config(text)).iter().map(|one| (one.check, one.severity)).collect()
}

#[test]
fn what_vendors_ship_is_no_warning() {
    // Lossless queues without a limit of their own: their packets were let in by priority groups.
    let unlimited = LEAF.replacen("\"static_th\": \"12000000\"", "\"dynamic_th\": \"7\"", 1);
    assert!(!found(&unlimited).iter().any(|(check, _)| *check == "greedy-alpha"));
    // A lossy queue without a limit is bounded by nothing.
    let lossy = LEAF.replace(
        "\"pool\": \"egress_lossy_pool\",\n      \"size\": \"1500\",\n      \"dynamic_th\": \"0\"",
        "\"pool\": \"egress_lossy_pool\",\n      \"size\": \"1500\",\n      \"dynamic_th\": \"7\"",
    );
    assert_ne!(lossy, LEAF);
    assert!(found(&lossy).contains(&("greedy-alpha", check::Severity::Warning)));
    // A pool that nothing draws from.
    let spare = "\"BUFFER_POOL\": {\n    \"spare\": {\"type\": \"egress\", \"mode\": \"static\", \
                 \"size\": \"9000000\"},";
    let spare = LEAF.replacen("\"BUFFER_POOL\": {", spare, 1);
    assert_eq!(found(&spare), [("unused-pool", check::Severity::Note)]);
}

#[test]
fn findings_have_one_style_of_numbers_and_one_sentence_for_alike_priorities() {
    let findings = check::findings(&config(MISTAKES));
    for finding in &findings {
        let digits = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut words = finding.message.split(|c: char| !c.is_ascii_alphanumeric());
        assert!(!words.any(digits), "{finding:?}");
    }
    // A pool as large as that of a card of a chassis.
    let large = CHASSIS.replace("\"q_lossy\": {", "\"q_lossy\": {\"xoff\": \"99999999999\",");
    assert_ne!(large, CHASSIS);
    let findings = check::findings(&config(&large));
    assert!(findings.iter().any(|one| one.message.contains("99,999,999,999 B")), "{findings:#?}");
    let none =
        LEAF.replace("|3-4\": {\n      \"profile\": \"pg_", "|5-6\": {\n      \"profile\": \"pg_");
    let findings = check::findings(&config(&none));
    let without: Vec<_> = findings.iter().filter(|one| one.check == "pfc-without-group").collect();
    assert!(
        without.len() == 1 && without[0].message.contains("priorities 3 and 4"),
        "{without:#?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// One piece of a good file replaced by any text: a configuration whose explanation adds up, or
    /// errors.
    #[test]
    fn mutations_never_panic(which in 0usize..6, place in 0.0f64..1.0, cut in 0usize..12, piece in "[-0-9a-z\"|,:{}\\[\\]]{0,6}") {
        let text = [LEAF, OLD_STYLE, DYNAMIC, SHARED_HEADROOM, MISTAKES, CHASSIS][which];
        let start = (text.len() as f64 * place) as usize;
        let end = (start + cut).min(text.len());
        let text = format!("{}{piece}{}", &text[..start], &text[end..]);
        match parse(text.as_bytes()) {
            Err(errors) => prop_assert!(!errors.0.is_empty()),
            Ok(config) => {
                let explained = explain(&config);
                let members: u64 = explained.pools.iter().map(|pool| pool.members).sum();
                prop_assert_eq!(members, config.members.len() as u64);
                for pool in &explained.pools {
                    let Some(size) = pool.size_bytes else { continue };
                    prop_assert!(pool.shared_bytes.is_some_and(|shared| shared <= size));
                }
            }
        }
    }
}
