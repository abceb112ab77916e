//! Labs.

use super::*;

#[test]
fn hosts_of_a_star_find_each_other_and_share_the_rate() {
    on_a_machine(|| {
        let report = within("star:3,50M,1ms", Mode::Learning, switch("occamy"), |lab, control| {
            let address = lab.hosts()[1].0.v4.0.into();
            let took = transfer(lab, [0, 1], address);
            // 8 Mb at 50 Mb/s, and less than twice that with its headers and round trips.
            assert!((Wait::from_millis(160)..Wait::from_millis(900)).contains(&took), "{took:?}");
            let so_far = control.report().unwrap();
            assert_eq!(so_far.devices.len(), 4);
            assert!(so_far.devices[0].1.sent[1].bytes > 1_000_000);
        });
        let names: Vec<_> = report.devices.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["s1", "h1", "h2", "h3"]);
        let third = report.devices[0].1.sent[2];
        assert!(third.packets < 100, "the switch has learnt: {third:?}");
    });
}

/// Rings share their memory among hosts: whatever each gets, the kernel wants whole blocks.
#[test]
fn a_lab_may_have_any_number_of_hosts() {
    on_a_machine(|| {
        let _ = within("star:41,100M,1ms", Mode::Learning, switch("drop-tail"), |lab, _| {
            transfer(lab, [0, 40], lab.hosts()[40].0.v4.0.into());
        });
    });
}

#[test]
fn a_leaf_spine_routes_both_families() {
    on_a_machine(|| {
        let shape = "leaf-spine:2x2x2,200M,200M,100us";
        let report = within(shape, Mode::Routes, switch("drop-tail"), |lab, _| {
            transfer(lab, [0, 3], lab.hosts()[3].0.v4.0.into());
            if lab.hosts()[2]
                .1
                .within(|| Ok(std::path::Path::new("/proc/net/if_inet6").exists()))
                .unwrap()
            {
                transfer(lab, [1, 2], lab.hosts()[2].0.v6.0.into());
            }
        });
        let lost: Vec<_> =
            report.devices.iter().flat_map(|(_, counts)| counts.all.causes()).collect();
        assert!(lost.iter().all(|(cause, _)| *cause == "not-forwarded"), "{lost:?}");
    });
}

#[test]
fn a_storm_of_requests_and_made_up_addresses_is_survived() {
    on_a_machine(|| {
        let report = within("star:3,100M,10us", Mode::Learning, switch("dt"), |lab, _| {
            let flooded = lab.hosts()[0].1.within(|| {
                let ring = ring("eth0", 1500)?;
                for number in 0..20_000u32 {
                    let [a, b, c, d] = number.to_be_bytes();
                    let mut bytes = [[0xff; 6], [2, 7, a, b, c, d]].concat();
                    bytes.extend([0x08, 0x06]);
                    bytes.extend([0; 46]);
                    let _ = ring.send_frame(&Frame::new(bytes));
                }
                Ok(())
            });
            flooded.unwrap();
            transfer(lab, [1, 2], lab.hosts()[2].0.v4.0.into());
        });
        let switch = &report.devices[0].1;
        assert!(switch.copies.packets > 1_000, "{switch:?}");
    });
}

#[test]
fn interfaces_that_there_are_become_ports_and_are_left_as_they_were() {
    on_a_machine(|| {
        let machines = [neighbour("p1", 1), neighbour("p2", 2)];
        let (rate, delay) = (Rate::from_bps(200_000_000), Duration::from_us(200));
        let port = |name: &str| OutsidePort { name: name.to_owned(), switch: 0, rate, delay };
        let config = LabConfig {
            graph: forebay_net::topology::read_graph("hosts 0\nswitches 1\n").unwrap(),
            mode: Mode::Learning,
            switch: switch("occamy"),
            others: BTreeMap::new(),
            ports: vec![port("p1"), port("p2")],
            rules: Rules::default(),
            card: switch("drop-tail"),
            link: EmulationConfig::default(),
        };
        let wanted = || Netlink::open().unwrap().promiscuity("p1").unwrap().unwrap();
        let before = wanted();
        let report = running(&config, |_, _| {
            assert_eq!(wanted(), before + 1);
            let index = Netlink::open().unwrap().index("p1").unwrap();
            let mut beside = Ring::of_foreign(index, 1500, MEMORY).unwrap();
            let address = IpAddr::from([10, 9, 0, 2]);
            let took = send(&machines[0], &machines[1], address);
            // 8 Mb at 200 Mb/s.
            assert!((Wait::from_millis(40)..Wait::from_secs(10)).contains(&took), "{took:?}");
            let mut buffers = Buffers::new();
            let taken = std::iter::from_fn(|| beside.take(&mut buffers));
            assert!(taken.into_iter().any(|one| matches!(one, Taken::Cut { .. })), "no segment");

            // It goes down, and comes back.
            let mut netlink = Netlink::open().unwrap();
            netlink.set_down(index).unwrap();
            thread::sleep(Wait::from_millis(50));
            netlink.set_up(index).unwrap();
            send(&machines[1], &machines[0], [10, 9, 0, 1].into());
        });
        assert_eq!(wanted(), before);
        let passed = &report.devices[0].1;
        assert!(passed.sent[1].bytes > 1_000_000 && passed.sent[0].bytes > 1_000_000, "{passed:?}");
        assert_eq!(passed.all.lost(LinkLoss::TooLarge).packets, 0);

        let refused = |name: &str, mtu| {
            let opened = Lab::open(Vec::new(), vec![name.to_owned()], mtu);
            opened.err().map(|error| error.to_string()).unwrap_or_default()
        };
        // The kernel's own words.
        assert!(refused("p9", 1500).starts_with("the port p9: "), "{}", refused("p9", 1500));
        assert!(refused("p1", 9000).contains("give mtu=1500"), "{}", refused("p1", 9000));
        let mut netlink = Netlink::open().unwrap();
        let index = netlink.index("p1").unwrap();
        netlink.set_down(index).unwrap();
        assert!(refused("p1", 1500).contains("ip link set p1 up"), "{}", refused("p1", 1500));
    });
}
