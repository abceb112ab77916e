//! A run is recorded and replayed without any namespace.

use std::collections::BTreeMap;
use std::io::Cursor;

use forebay_switch::{SwitchConfig, SwitchShape};
use forebay_units::{Duration, Rate, Time};

use super::{
    CHANGES, DECISIONS, Decided, FRAMES, Frames, HOPS, Layout, MANIFEST, PolicyChange, RecordError,
    RecordedFrame, Recorder, replay, replay_lab,
};
use crate::fabric::{Devices, Incoming, LabConfig, LabPlan, Mode, Shapes};
use crate::link::{EmulationConfig, Frame, NewPolicy, Pace, Port, Rules};

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Records 500 frames each way over a slow link with losses, advancing at odd instants.
fn record(name: &str, folder: &std::path::Path) -> Vec<u8> {
    let config = EmulationConfig {
        rate: Rate::from_bps(5_000_000),
        loss: 0.05,
        delay: Duration::from_ms(3),
        ..EmulationConfig::default()
    };
    let (config_rate, pace) = (config.rate, Pace::of(config.rate));
    let switch = SwitchConfig::named(name).unwrap().with_buffer("20KB".parse().unwrap());
    let mut ports = [(); 2].map(|()| Port::new(&switch, &config, &pace).unwrap());
    let [up, down] = &mut ports;
    let mut directions = [
        up.direction(&config, pace.clone(), "up").watched(),
        down.direction(&config, pace.clone(), "down").watched(),
    ];
    let other = |side: u32| {
        let config = SwitchConfig::named(["pifo", "occamy"][side as usize]).unwrap();
        let shape = SwitchShape { index: 0, ports: &[config_rate] };
        NewPolicy::build(
            &config.with_buffer("9KB".parse().unwrap()),
            Rules::default(),
            &shape,
            1500,
        )
        .unwrap()
    };
    let mut recorder = Recorder::create(folder, "{}", &Layout::of_link()).unwrap();
    let mut known = [Time::ZERO; 2];
    for number in 0..1000_u64 {
        let side = (number % 2) as usize;
        let at = us(number * 700 - number % 3 * 90);
        let frame = Frame::new(vec![number as u8; 60 + (number * 37 % 1400) as usize]);
        recorder.frame(side as u16, known[side], at, &frame);
        directions[side].arrive(at, frame);
        if number == 600 {
            let sides = [(0, known[0]), (1, known[1])];
            for (side, _) in sides {
                directions[side as usize].change(other(side));
            }
            recorder.changed(&sides, &[("switch".to_owned(), "other".to_owned())]);
        }
        if number % 7 < 2 {
            known[side] = at + Duration::from_us(number % 13);
            directions[side].advance(known[side]);
            while directions[side].depart(known[side]).is_some() {}
            recorder.decided(side, Decided::Link(directions[side].decisions()));
        }
    }
    for side in 0..2 {
        known[side] = us(10_000_000);
        directions[side].advance(known[side]);
        recorder.decided(side, Decided::Link(directions[side].decisions()));
    }
    let recorded = recorder.finish(&known);
    assert_eq!((recorded.frames, recorded.stopped), (1000, None));
    assert!(folder.join(MANIFEST).exists());

    let mut ports = [(); 2].map(|()| Port::new(&switch, &config, &pace).unwrap());
    let [up, down] = &mut ports;
    let mut directions = [
        up.direction(&config, pace.clone(), "up").watched(),
        down.direction(&config, pace, "down").watched(),
    ];
    let file = std::fs::read(folder.join(FRAMES)).unwrap();
    let frames = Frames::read(Cursor::new(&file)).unwrap();
    let mut lines = [(); 2].map(|()| vec![super::DECISIONS_HEAD.to_owned()]);
    let changes = std::fs::read(folder.join(CHANGES)).unwrap();
    let changes = PolicyChange::read(Cursor::new(&changes)).unwrap();
    assert_eq!((changes.len(), changes[0].after), (1, 601));
    let done = replay(
        &mut directions,
        frames,
        &changes,
        Some(known),
        |side, decision| lines[side].push(decision.to_string()),
        |directions, change| {
            assert_eq!(change.set, [("switch".to_owned(), "other".to_owned())]);
            for &side in &change.devices {
                directions[side as usize].change(other(side));
            }
        },
    );
    assert!(matches!(done, (1000, None)), "{done:?}");
    for (side, lines) in lines.iter().enumerate() {
        let recorded = std::fs::read_to_string(folder.join(DECISIONS[side])).unwrap();
        assert!(recorded.lines().eq(lines.iter().map(String::as_str)), "{name} {side}");
        assert!(lines.len() == 501 && recorded.contains("lost,,"), "{name}: {}", lines.len());
    }
    file
}

#[test]
fn a_recorded_run_is_decided_again_as_it_was() {
    for name in ["fq-codel", "drop-tail", "occamy", "dt", "pifo"] {
        let folder = tempfile::tempdir().unwrap();
        record(name, folder.path());
    }
}

#[test]
fn a_cut_recording_is_read_up_to_the_cut_and_damage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = record("drop-tail", folder.path());
    let cut = &file[..file.len() / 2];
    let all: Vec<_> = Frames::read(Cursor::new(cut)).unwrap().collect();
    let (last, whole) = all.split_last().unwrap();
    assert!(matches!(last, Err(RecordError::Cut)), "{last:?}");
    assert!(whole.len() > 300 && whole.iter().all(Result::is_ok));
    // Process information (its top bit set), of 6 bytes.
    let short = [&file[..28], &[1, 0, 0, 0x80, 6, 0, 0, 0], &[0; 40]].concat();
    let all: Vec<_> = Frames::read(Cursor::new(short)).unwrap().collect();
    assert!(matches!(all[..], [Err(RecordError::Damaged(_))]), "{all:?}");
    assert!(Frames::read(Cursor::new(b"no capture at all, but long enough to be one")).is_err());
}

#[test]
fn a_folder_with_files_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "").unwrap();
    let refused =
        Recorder::create(folder.path(), "{}", &Layout::of_link()).unwrap_err().to_string();
    assert!(refused.contains("not empty"), "{refused}");
}

#[test]
fn more_than_may_wait_ends_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    super::write_head(&mut out, &Layout::of_link().interfaces).unwrap();
    let frame = RecordedFrame { side: 1, known: us(3), at: us(4), bytes: vec![1; 61] };
    super::frames::write_frame(&mut out, &frame, true).unwrap();
    let read: Vec<_> = Frames::read(Cursor::new(&out)).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, [frame]);
    // More than may wait is refused at once, whatever the disk does.
    let mut recorder =
        Recorder::create(&folder.path().join("run"), "{}", &Layout::of_link()).unwrap();
    recorder.frame(0, us(0), us(0), &Frame::new(vec![0; 65 << 20]));
    let recorded = recorder.finish(&[us(1); 2]);
    assert_eq!(recorded.frames, 0);
    assert!(recorded.stopped.is_some_and(|why| why.contains("slower")));
}

#[test]
fn changes_are_read_up_to_a_cut_and_damage_is_told() {
    let change = |after, at: u64| {
        PolicyChange::new(after, &[(0, us(at))], vec![("switch".to_owned(), "dt".to_owned())])
    };
    let all = [change(3, 10), change(3, 11), change(9, 40)];
    let lines = all.iter().map(|change| serde_json::to_string(change).unwrap() + "\n");
    let text: String = lines.collect();
    let read = |text: &str| PolicyChange::read(Cursor::new(text.as_bytes()));
    assert_eq!(read(&text).unwrap(), all);
    assert_eq!(all[0].at().collect::<Vec<_>>(), [(0, us(10))]);
    assert_eq!(read(&text[..text.len() - 5]).unwrap(), all[..2]);
    assert!(read(&format!("{text}{}", text)).is_err(), "they are in order");
    assert!(read("{\"after\":1,\"at_ps\":[],\"devices\":[0],\"set\":[]}\n").is_err());
    assert!(read("nothing\n").is_err());
}

/// What changes meanwhile.
fn another(shapes: &Shapes, number: u64) -> NewPolicy {
    let name = ["fq-codel", "pushout", "themis"][number as usize % 3];
    let config = SwitchConfig::named(name).unwrap().with_buffer("100KB".parse().unwrap());
    shapes.policy(0, &config, Rules::default()).unwrap().unwrap()
}

#[test]
fn a_recorded_lab_is_decided_again_as_it_was() {
    let lab = |name: &str| {
        let mut link = EmulationConfig { loss: 0.02, ..EmulationConfig::default() };
        link.jitter = Duration::from_us(3);
        let config = LabConfig {
            graph: forebay_net::topology::read_shape("star:4,20M,50us").unwrap(),
            mode: Mode::Learning,
            switch: SwitchConfig::named(name).unwrap().with_buffer("30KB".parse().unwrap()),
            others: BTreeMap::new(),
            ports: Vec::new(),
            rules: crate::link::Rules::default(),
            card: SwitchConfig::named("drop-tail").unwrap(),
            link,
        };
        let LabPlan { devices, entrances, hosts } = LabPlan::new(&config).unwrap();
        (Devices::build(devices, 1500, 64 << 20).unwrap(), entrances, hosts)
    };
    for name in ["occamy", "dt", "fq-codel", "pushout"] {
        let folder = tempfile::tempdir().unwrap();
        let (mut devices, entrances, hosts) = lab(name);
        let names = hosts.iter().map(|host| host.name.clone()).collect();
        let mut recorder = Recorder::create(folder.path(), "{}", &Layout::of_lab(names)).unwrap();
        let shapes = devices.shapes();
        let mut fabric = devices.fabric(entrances.clone()).watched();
        for number in 0..2_000_u64 {
            if number % 613 == 612 {
                recorder.changed(&[(0, fabric.now())], &[]);
                fabric.change(0, another(&shapes, number / 613));
            }
            let edge = (number % 4) as u32;
            let to = (number / 3 % 4) as usize;
            let mut bytes = [hosts[to].hardware, hosts[edge as usize].hardware].concat();
            bytes.extend([0x88, 0xb5]);
            bytes.resize(60 + (number * 37 % 1400) as usize, 0);
            // Some waited before the run began, or are stamped late, several at a time.
            let at = match number % 5 {
                0..2 => Time::ZERO,
                _ => us(number * 150 - number % 3 * 40),
            };
            let frame = Frame::new(bytes);
            recorder.frame(edge as u16, fabric.now(), at, &frame);
            fabric.arrive(Incoming { at, edge, frame });
            if number % 7 < 2 {
                fabric.advance(us(number * 150 + number % 13));
                while fabric.exit().is_some() {}
                recorder.decided(0, Decided::Lab(fabric.decisions()));
            }
        }
        fabric.advance(us(10_000_000));
        recorder.decided(0, Decided::Lab(fabric.decisions()));
        let recorded = recorder.finish(&[fabric.now()]);
        assert_eq!((recorded.frames, recorded.stopped), (2_000, None));

        let (mut devices, entrances, _) = lab(name);
        let mut fabric = devices.fabric(entrances).watched();
        let file = std::fs::read(folder.path().join(FRAMES)).unwrap();
        let frames = Frames::read(Cursor::new(&file)).unwrap();
        let mut lines = vec![super::HOPS_HEAD.to_owned()];
        let changes = std::fs::read(folder.path().join(CHANGES)).unwrap();
        let changes = PolicyChange::read(Cursor::new(&changes)).unwrap();
        let mut number = 0;
        let done = replay_lab(
            &mut fabric,
            frames,
            &changes,
            Some(us(10_000_000)),
            |decision| lines.push(decision.to_string()),
            |fabric, change| {
                fabric.change(change.devices[0], another(&shapes, number));
                number += 1;
            },
        );
        assert_eq!(number, 3);
        assert!(matches!(done, (2_000, None)), "{done:?}");
        let recorded = std::fs::read_to_string(folder.path().join(HOPS)).unwrap();
        for (was, is) in recorded.lines().zip(&lines) {
            assert_eq!(was, is, "{name}");
        }
        assert_eq!(recorded.lines().count(), lines.len(), "{name}");
        assert!(lines.len() > 3_000 && recorded.contains(",lost,"), "{name}: {}", lines.len());
    }
}

/// After `kill -9` what the policy was is known, whatever else is not.
#[test]
fn a_change_of_the_policy_is_written_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::create(folder.path(), "{}", &Layout::of_link()).unwrap();
    recorder.changed(&[(0, us(5))], &[("buffer".to_owned(), "5 KB".to_owned())]);
    let path = folder.path().join(CHANGES);
    let written = || std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n'));
    for _ in 0..2000 {
        if written() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(written(), "and not only in the end");
    assert_eq!((recorder.ended(), recorder.finish(&[us(9); 2]).stopped), (None, None));
}
