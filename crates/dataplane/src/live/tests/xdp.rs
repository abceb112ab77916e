//! Links and labs by AF_XDP.

use super::*;

#[test]
fn tcp_and_echoes_pass_through_af_xdp() {
    on_a_machine(|| {
        let config = link_of(50, 5);
        let link = EmulatedLink::open(Isolation::Apart, config.mtu).unwrap();
        let link = link.with_backend(Backend::Xdp).unwrap();
        let mut took = Wait::ZERO;
        let passed = passing(link, &config, switch("occamy"), |link| {
            let far = SocketAddr::from((link.addresses().far(), 7000));
            let server = TcpListener::bind(far).unwrap();
            let receiver = thread::spawn(move || {
                let mut all = Vec::new();
                let (mut stream, _) = server.accept().unwrap();
                stream.read_to_end(&mut all).unwrap();
                stream.write_all(b"!").unwrap();
                all
            });
            let sent: Vec<u8> = (0..500_000_u32).flat_map(u32::to_be_bytes).collect();
            let begin = Instant::now();
            let send = || {
                let mut stream = TcpStream::connect(far)?;
                stream.write_all(&sent)?;
                stream.shutdown(std::net::Shutdown::Write)?;
                stream.read_exact(&mut [0])
            };
            link.near().within(send).unwrap();
            took = begin.elapsed();
            assert!(receiver.join().unwrap() == sent, "what came is what was sent");
        });
        let report = match passed {
            Ok(report) => report,
            Err(error) => {
                #[allow(clippy::print_stderr)]
                {
                    eprintln!("not tested: {error}");
                }
                assert!(matches!(error, LiveError::NoXdp(_)), "{error}");
                return;
            }
        };
        // 16 Mb at 50 Mb/s, and at least two round trips.
        assert!((Wait::from_millis(340)..Wait::from_secs(10)).contains(&took), "{took:?}");
        let [up, down] = &report.directions;
        assert!(up.left.packets >= 2_000_000 / 1_448 && down.left.packets > 10, "{up:?}");
        assert_eq!(up.causes().count(), 0, "{:?}", up.causes().collect::<Vec<_>>());
        assert!(report.lateness.quantile(0.5) < Duration::from_ms(20), "the kernel's own stamps");
    });
}

#[test]
fn frames_too_large_for_af_xdp_are_refused_with_what_would_do() {
    on_a_machine(|| {
        let config = EmulationConfig { mtu: 9_000, ..link_of(50, 5) };
        let link = EmulatedLink::open(Isolation::Apart, config.mtu).unwrap();
        let link = link.with_backend(Backend::Xdp).unwrap();
        let refused = passing(link, &config, switch("dt"), |_| {}).unwrap_err().to_string();
        assert!(refused.contains("take the ring `packet`"), "{refused}");
    });
}

#[test]
fn a_lab_of_af_xdp_hosts_passes_what_comes_through_a_port() {
    on_a_machine(|| {
        let machine = neighbour("p1", 1);
        let (rate, delay) = (Rate::from_bps(200_000_000), Duration::from_us(200));
        let config = LabConfig {
            graph: forebay_net::topology::read_shape("star:2,200M,100us").unwrap(),
            mode: Mode::Learning,
            switch: switch("occamy"),
            others: BTreeMap::new(),
            ports: vec![OutsidePort { name: "p1".to_owned(), switch: 0, rate, delay }],
            rules: Rules::default(),
            card: switch("drop-tail"),
            link: EmulationConfig::default(),
        };
        let passed = running_by(Backend::Xdp, &config, |lab, _| {
            let host = &lab.hosts()[0];
            host.1
                .within(|| {
                    let mut netlink = Netlink::open()?;
                    let index = netlink.index("eth0")?;
                    netlink.add_address(index, [10, 9, 0, 7].into(), 24)
                })
                .unwrap();
            // Large segments with unfinished checksums one way, finished ones the other.
            send(&machine, &host.1, [10, 9, 0, 7].into());
            send(&host.1, &machine, [10, 9, 0, 1].into());
        });
        if let Err(error) = passed {
            assert!(matches!(error, LiveError::NoXdp(_)), "{error}");
        }
    });
}
