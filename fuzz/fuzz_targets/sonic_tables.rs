//! A SONiC configuration, structured: tables with plausible keys and fields that hold any small
//! values, so that most of them are read; an explanation that adds up, or errors that name a place;
//! never a panic.
#![no_main]

use std::collections::BTreeMap;

use forebay_sonic::play::{Burst, Played, Wanted};
use forebay_sonic::{explain, parse};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Tables {
    pools: Vec<(u8, bool, bool, u32, Option<u16>)>,
    profiles: Vec<Profile>,
    members: Vec<(bool, bool, u8, u8, u8, u8)>,
    marks: Vec<(u8, u32, u32, u8)>,
    ports: Vec<(u8, u32, u16, u8)>,
    maps: Vec<(u8, u8, u8, u8)>,
    dynamic: bool,
}

#[derive(Arbitrary, Debug)]
struct Profile {
    name: u8,
    pool: u8,
    size: u16,
    alpha: Option<i8>,
    bytes: Option<u32>,
    headroom: Option<(u16, u16)>,
}

type Table = BTreeMap<String, BTreeMap<String, String>>;

fn entry<const N: usize>(fields: [(&str, String); N]) -> BTreeMap<String, String> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A name among few, so that references meet.
fn name(kind: &str, number: u8) -> String {
    format!("{kind}{}", number % 4)
}

fn tables(from: Tables) -> BTreeMap<&'static str, Table> {
    let mut all: BTreeMap<&'static str, Table> = BTreeMap::new();
    for (number, ingress, dynamic, size, xoff) in from.pools {
        let mut pool = entry([
            ("type", if ingress { "ingress" } else { "egress" }.to_owned()),
            ("mode", if dynamic { "dynamic" } else { "static" }.to_owned()),
            ("size", size.to_string()),
        ]);
        pool.extend(xoff.map(|xoff| ("xoff".to_owned(), xoff.to_string())));
        all.entry("BUFFER_POOL").or_default().insert(name("pool", number), pool);
    }
    for profile in from.profiles {
        let mut fields =
            entry([("pool", name("pool", profile.pool)), ("size", profile.size.to_string())]);
        let alpha = profile.alpha.map(|alpha| ("dynamic_th".to_owned(), (alpha % 10).to_string()));
        fields.extend(alpha);
        fields.extend(profile.bytes.map(|bytes| ("static_th".to_owned(), bytes.to_string())));
        if let Some((xoff, xon)) = profile.headroom {
            fields.extend(entry([("xoff", xoff.to_string()), ("xon", xon.to_string())]));
        }
        all.entry("BUFFER_PROFILE").or_default().insert(name("profile", profile.name), fields);
    }
    for (group, chassis, port, first, more, profile) in from.members {
        let host = if chassis { "lc|asic0|" } else { "" };
        let last = first % 9 + more % 4;
        let key = format!("{host}{}|{}-{last}", name("Ethernet", port), first % 9);
        let table = if group { "BUFFER_PG" } else { "BUFFER_QUEUE" };
        let fields = entry([("profile", name("profile", profile))]);
        all.entry(table).or_default().insert(key.clone(), fields);
        if profile % 3 == 0 {
            let fields = entry([("wred_profile", name("ecn", port))]);
            all.entry("QUEUE").or_default().insert(key, fields);
        }
    }
    for (number, min, max, percent) in from.marks {
        let fields = entry([
            ("ecn", "ecn_all".to_owned()),
            ("green_min_threshold", min.to_string()),
            ("green_max_threshold", max.to_string()),
            ("green_drop_probability", percent.to_string()),
        ]);
        all.entry("WRED_PROFILE").or_default().insert(name("ecn", number), fields);
    }
    for (port, speed, metres, pfc) in from.ports {
        let port = name("Ethernet", port);
        let speed = entry([("speed", speed.to_string())]);
        all.entry("PORT").or_default().insert(port.clone(), speed);
        let cables = all.entry("CABLE_LENGTH").or_default().entry("AZURE".to_owned()).or_default();
        cables.insert(port.clone(), format!("{metres}m"));
        let pfc = entry([("pfc_enable", (pfc % 9).to_string())]);
        all.entry("PORT_QOS_MAP").or_default().insert(port, pfc);
    }
    for (map, port, key, value) in from.maps {
        let (field, table) = [
            ("dscp_to_tc_map", "DSCP_TO_TC_MAP"),
            ("tc_to_queue_map", "TC_TO_QUEUE_MAP"),
            ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
            ("pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
        ][usize::from(map % 4)];
        let fields = all.entry(table).or_default().entry(name("map", port)).or_default();
        fields.insert((key % 9).to_string(), (value % 9).to_string());
        let port = name("Ethernet", port);
        let of_port = all.entry("PORT_QOS_MAP").or_default().entry(port).or_default();
        of_port.insert(field.to_owned(), name("map", value));
    }
    if from.dynamic {
        let model = entry([("buffer_model", "dynamic".to_owned())]);
        all.entry("DEVICE_METADATA").or_default().insert("localhost".to_owned(), model);
    }
    all
}

fuzz_target!(|from: Tables| {
    let file = serde_json::to_vec(&tables(from)).unwrap();
    let config = match parse(&file) {
        Ok(config) => config,
        Err(errors) => {
            assert!(!errors.0.is_empty() && !errors.to_string().is_empty());
            return;
        }
    };
    let explained = explain(&config);
    let members: u64 = explained.pools.iter().map(|pool| pool.members).sum();
    assert_eq!(members, config.members.len() as u64);
    for profile in &explained.profiles {
        assert!(profile.threshold_bytes.is_sorted_by(|a, b| a >= b) && !profile.members.is_empty());
    }
    assert!(explained.marking.iter().all(|marking| !marking.colours.is_empty()));
    for burst in [Burst::Lossy, Burst::Lossless, Burst::Both] {
        let wanted = Wanted { port: None, lossy: None, lossless: None, burst };
        match Played::new(&config, &wanted) {
            Ok(played) => {
                assert!(played.output < played.ports.len() && played.classes().count() > 0);
                assert_eq!(played.lossless.is_some(), burst.lossless());
                for class in played.classes() {
                    let sizes = [class.queues.len(), class.groups.len()];
                    assert_eq!(sizes, [played.ports.len(); 2]);
                    assert!(!class.lossless || played.inputs(class).count() > 0);
                }
            }
            Err(error) => assert!(!error.path.is_empty() && !error.fix.is_empty()),
        }
    }
});
