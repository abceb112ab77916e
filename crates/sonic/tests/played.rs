//! What of a configuration is played: classes, groups and headroom from the file's maps and
//! profiles, and what keeps a file from being played.
#![allow(clippy::unwrap_used)]

use forebay_sonic::config::Threshold;
use forebay_sonic::play::{Burst, Played, Wanted};
use forebay_sonic::{EXAMPLE, parse};

const LEAF: &str = include_str!("data/leaf.json");

fn example() -> String {
    String::from_utf8(EXAMPLE.to_vec()).unwrap()
}

fn play(text: &str, burst: Burst) -> Result<Played, String> {
    let config = parse(text.as_bytes()).unwrap();
    let wanted = Wanted { port: None, lossy: None, lossless: None, burst };
    Played::new(&config, &wanted).map_err(|error| error.to_string())
}

#[test]
fn maps_say_which_group_and_queue_a_class_has() {
    let played = play(&example(), Burst::Both).unwrap();
    let (lossy, lossless) = (played.lossy.unwrap(), played.lossless.unwrap());
    assert_eq!((lossy.queue, lossy.traffic_class, lossy.group), (0, 0, 0));
    assert_eq!((lossless.queue, lossless.group, lossless.dscps.as_slice()), (3, 3, &[24, 26][..]));
    // Traffic class 4 to queue 3 and group 4, which pauses by priority 5.
    let other = example()
        .replace(
            "\"3\": \"3\",\n      \"4\": \"4\"\n    }\n  },\n  \"TC_TO_PRIORITY",
            "\"3\": \"4\",\n      \"4\": \"3\"\n    }\n  },\n  \"TC_TO_PRIORITY",
        )
        .replace(
            "\"tc_to_pg_map\": \"RACK\"",
            "\"tc_to_pg_map\": \"RACK\", \"pfc_to_pg_map\": \"P\"",
        )
        .replace("\"pfc_enable\": \"3,4\"", "\"pfc_enable\": \"5\"")
        .replacen('{', "{\"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP\": {\"P\": {\"5\": \"4\"}},", 1);
    let played = play(&other, Burst::Lossless).unwrap();
    let class = played.lossless.as_ref().unwrap();
    assert_eq!((class.queue, class.traffic_class, class.group), (3, 4, 4));
    assert_eq!(class.groups[1].as_ref().unwrap().pauses, Some(5));
    assert_eq!(played.inputs(class).count(), 7);
}

#[test]
fn of_two_priorities_of_a_group_the_one_with_flow_control_pauses_it() {
    let two = example()
        .replace(
            "\"tc_to_pg_map\": \"RACK\"",
            "\"tc_to_pg_map\": \"RACK\", \"pfc_to_pg_map\": \"P\"",
        )
        .replace("\"pfc_enable\": \"3,4\"", "\"pfc_enable\": \"4\"")
        .replacen(
            '{',
            "{\"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP\": {\"P\": {\"3\": \"3\", \"4\": \"3\"}},",
            1,
        );
    let class = play(&two, Burst::Lossless).unwrap().lossless.unwrap();
    assert_eq!((class.queue, class.group), (3, 3));
    assert_eq!(class.groups[1].as_ref().unwrap().pauses, Some(4));
}

#[test]
fn headroom_is_part_of_size_where_it_fits_and_is_not_shared() {
    let group = |text: &str, port: usize| {
        let played = play(text, Burst::Lossless).unwrap();
        played.lossless.unwrap().groups[port].clone().unwrap()
    };
    let (far, near) = (group(LEAF, 1), group(LEAF, 7));
    let sizes = |one: &forebay_sonic::play::PlayedGroup| {
        (one.reserved.get(), one.headroom.get(), one.inside.get(), one.xon.get())
    };
    assert_eq!(sizes(&far), (18_000, 48_000, 48_000, 18_000));
    assert_eq!(far.xon_offset.map(|offset| offset.get()), Some(2_500));
    assert_eq!((sizes(&near), near.xon_offset), ((18_000, 38_000, 38_000, 18_000), None));
    // Beside: `size` is too small for it.
    let beside = group(&LEAF.replace("\"66000\"", "\"1000\""), 1);
    assert_eq!(sizes(&beside), (1_000, 48_000, 0, 18_000));
    // Shared by all.
    let shared = group(&example(), 1);
    assert_eq!(sizes(&shared), (2_000, 80_000, 0, 2_000));
    let played = play(&example(), Burst::Lossless).unwrap();
    assert_eq!(played.ingress[0].headroom.unwrap().get(), 1_200_000);
    let queue = played.lossless.unwrap().queues[0].clone().unwrap();
    assert!(matches!(queue.threshold, Threshold::Static(_)) && queue.wred.is_some());
}

#[test]
fn what_keeps_a_file_from_being_played_has_its_place_and_the_fix() {
    let leaf = |from: &str, to: &str| {
        let changed = LEAF.replace(from, to);
        assert_ne!(changed, LEAF, "{from}");
        play(&changed, Burst::Lossless).unwrap_err()
    };
    let no_flow_control = leaf("\"pfc_enable\": \"3,4\"", "\"pfc_enable\": \"\"");
    assert!(no_flow_control.starts_with("PORT_QOS_MAP: no queue"), "{no_flow_control}");
    assert!(no_flow_control.contains("; add pfc_enable"), "{no_flow_control}");
    let no_groups =
        leaf("|3-4\": {\n      \"profile\": \"pg_", "|1-2\": {\n      \"profile\": \"pg_");
    assert!(
        no_groups.starts_with("PORT_QOS_MAP|Ethernet0.pfc_enable: no other port has a priority"),
        "{no_groups}"
    );
    let small = leaf("\"size\": \"12000000\"", "\"size\": \"1000000\"");
    assert!(small.starts_with("BUFFER_POOL|") && small.contains("give it a larger"), "{small}");
    let computed = include_str!("data/dynamic-model.json");
    let computed = play(computed, Burst::Lossless).unwrap_err();
    assert!(computed.contains("the pool's size is not in the file; give it"), "{computed}");
}

#[test]
fn a_map_that_says_nothing_is_an_error_and_a_missing_table_is_not() {
    let errors = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
    let wrong = example().replace("\"26\": \"3\"", "\"26\": \"8\"");
    let wrong = errors(&wrong);
    assert!(
        wrong.starts_with("DSCP_TO_TC_MAP|RACK.26: `8` is not a number of this map"),
        "{wrong}"
    );
    let high = errors(&example().replace("\"26\": \"3\"", "\"64\": \"3\""));
    assert!(high.starts_with("DSCP_TO_TC_MAP|RACK.64"), "{high}");
    let unknown =
        example().replacen("\"tc_to_queue_map\": \"RACK\"", "\"tc_to_queue_map\": \"RAK\"", 1);
    let unknown = errors(&unknown);
    assert!(unknown.contains("tc_to_queue_map: there is no map `RAK`"), "{unknown}");
    assert!(parse(LEAF.as_bytes()).is_ok());
}
