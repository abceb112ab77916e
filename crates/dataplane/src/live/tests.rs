//! Links with real packets, in namespaces that the tests make: nothing else on the machine sees
//! them. Where namespaces may not be made, a line says so.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration as Wait, Instant};

use etherparse::{IpEcn, IpHeaders, Ipv4Header, PacketBuilder};
use forebay_switch::SwitchConfig;
use forebay_units::{Bytes, Duration, Rate};

use super::buffers::Buffers;
use super::ends::prepare;
use super::netlink::{Interface, Netlink};
use super::ring::{MEMORY, Ring, Taken};
use super::{
    Backend, Control, EmulatedLink, Isolation, Lab, LabReport, LinkReport, LiveError, Namespace,
};
use crate::fabric::{Devices, LabConfig, LabPlan, Mode, OutsidePort};
use crate::link::segments::{Leaving, Offload};
use crate::link::{Checksum, EmulationConfig, Frame, LinkLoss, Rules};

/// Does something on a machine of its own.
fn on_a_machine(work: impl FnOnce() + Send) {
    match Namespace::new() {
        Ok(machine) => {
            let done = machine.within(|| {
                prepare()?;
                work();
                Ok(())
            });
            done.unwrap();
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("not tested: namespaces may not be made here");
            }
        }
        Err(error) => panic!("{error}"),
    }
}

/// Does something while a link passes frames: what has passed.
fn over(
    config: &EmulationConfig,
    switch: SwitchConfig,
    work: impl FnOnce(&EmulatedLink),
) -> LinkReport {
    let link = EmulatedLink::open(Isolation::Apart, config.mtu).unwrap();
    passing(link, config, switch, work).unwrap()
}

/// Does something while this link passes frames: what has passed, or why it cannot.
fn passing(
    link: EmulatedLink,
    config: &EmulationConfig,
    switch: SwitchConfig,
    work: impl FnOnce(&EmulatedLink),
) -> Result<LinkReport, LiveError> {
    let (control, requests) = Control::new(false).unwrap();
    let pace = || (config.clone(), config.pace().unwrap());
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let link = &link;
        let directions = [pace(), pace()];
        let passing = scope.spawn(move || {
            link.run(&switch, directions, &Rules::default(), None, requests, move || {
                ready.send(()).unwrap()
            })
        });
        if is_ready.recv().is_ok() {
            work(link);
        }
        control.stop();
        passing.join().unwrap()
    })
}

fn switch(name: &str) -> SwitchConfig {
    SwitchConfig::named(name).unwrap()
}

fn link_of(mbps: u64, delay_ms: u64) -> EmulationConfig {
    let (rate, delay) = (Rate::from_bps(mbps * 1_000_000), Duration::from_ms(delay_ms));
    EmulationConfig { rate, delay, ..EmulationConfig::default() }
}

/// A ring at an end of a link, for tests that send and see frames.
fn ring(name: &str, mtu: u32) -> io::Result<Ring> {
    let index = Netlink::open()?.index(name)?;
    Ring::open(index, mtu, MEMORY)
}

impl Ring {
    fn send_frame(&self, frame: &Frame) -> io::Result<()> {
        let offload = Offload { checksum: frame.checksum(), cut: None };
        self.send(&Leaving { parts: frame.parts(), offload, due: &[], bytes: 0 })
    }
}

/// The frames that come to a ring, until `wanted` says that it has seen enough, at most two
/// seconds.
fn come(ring: &mut Ring, mut wanted: impl FnMut(&Frame) -> bool) -> Vec<Frame> {
    let (mut frames, begin) = (Vec::new(), Instant::now());
    let mut buffers = Buffers::new();
    while begin.elapsed() < Wait::from_secs(2) {
        match ring.take(&mut buffers) {
            Some(Taken::Frame { frame, .. }) => {
                let enough = wanted(&frame);
                frames.push(frame);
                if enough {
                    break;
                }
            }
            Some(Taken::Cut { .. } | Taken::TooLarge { .. } | Taken::Missed { .. }) => {}
            None => thread::sleep(Wait::from_millis(1)),
        }
    }
    frames
}

/// What an EtherType of local experiments (IEEE 802) marks as a test's own.
const OWN: [u8; 2] = [0x88, 0xb5];

fn own(payload: &[u8]) -> Frame {
    let mut bytes = [2; 12].to_vec();
    bytes.extend(OWN);
    bytes.extend(payload);
    Frame::new(bytes)
}

#[test]
fn an_echo_takes_both_delays_and_transmissions() {
    on_a_machine(|| {
        let config = link_of(20, 25);
        let mut round_trips = Vec::new();
        let report = over(&config, switch("fq-codel"), |link| {
            let far = SocketAddr::from((link.addresses().far(), 7));
            let server = UdpSocket::bind(far).unwrap();
            let echo = thread::spawn(move || {
                let mut packet = [0; 2000];
                for _ in 0..20 {
                    let (length, from) = server.recv_from(&mut packet).unwrap();
                    server.send_to(&packet[..length], from).unwrap();
                }
            });
            let asked = link.near().within(|| {
                let client = UdpSocket::bind("0.0.0.0:0")?;
                client.set_read_timeout(Some(Wait::from_secs(5)))?;
                for _ in 0..20 {
                    let begin = Instant::now();
                    client.send_to(&[1; 1000], far)?;
                    client.recv(&mut [0; 2000])?;
                    round_trips.push(begin.elapsed());
                }
                Ok(())
            });
            asked.unwrap();
            echo.join().unwrap();
        });
        // 1042 bytes take 416.8 us at 20 Mb/s, twice.
        let least = Wait::from_nanos(50_833_600);
        let late = Wait::from_secs_f64(report.lateness.longest().as_secs_f64());
        round_trips.sort_unstable();
        assert!(round_trips[0] >= least, "{round_trips:?}");
        // A busy machine may wake the test itself late: half of the echoes tell.
        assert!(
            round_trips[10] < least + 2 * late + Wait::from_millis(20),
            "{round_trips:?} {late:?}"
        );
        let [up, down] = &report.directions;
        assert!(up.left.packets >= 20 && down.left.packets >= 20);
        assert_eq!((up.causes().count(), down.causes().count()), (0, 0));
    });
}

#[test]
fn tcp_fills_the_link_and_no_more() {
    on_a_machine(|| {
        const TOTAL: usize = 4_000_000;
        let config = link_of(20, 10);
        let mut rate = 0.0;
        let report = over(&config, switch("drop-tail").with_buffer(Bytes::new(100_000)), |link| {
            let far = SocketAddr::from((link.addresses().far(), 5001));
            let server = TcpListener::bind(far).unwrap();
            let sender = thread::spawn(move || {
                let (mut stream, _) = server.accept().unwrap();
                // The reader leaves when it has seen enough.
                let _ = stream.write_all(&vec![7; TOTAL]);
            });
            let received = link.near().within(|| {
                let mut stream = TcpStream::connect(far)?;
                let (mut buffer, mut all, mut from) = (vec![0; 1 << 16], 0, None);
                while all < TOTAL {
                    let length = stream.read(&mut buffer)?;
                    assert!(length > 0, "the sender went away");
                    all += length;
                    // Slow start is over by then.
                    if all > TOTAL / 4 {
                        from.get_or_insert_with(|| (Instant::now(), all));
                    }
                }
                let (begin, before) = from.unwrap_or((Instant::now(), 0));
                rate = (all - before) as f64 * 8.0 / begin.elapsed().as_secs_f64();
                Ok(())
            });
            received.unwrap();
            sender.join().unwrap();
        });
        // 1448 of 1514 bytes are data.
        let most = 20e6 * 1448.0 / 1514.0;
        assert!((most * 0.9..most * 1.03).contains(&rate), "{:.3} Mb/s", rate / 1e6);
        let down = &report.directions[1];
        assert!(down.left.packets as usize > TOTAL / 1448, "cut to segments before the switch");
        assert_eq!(down.lost(LinkLoss::TooLarge).packets, 0);
    });
}

/// How many packets of TCP with data, and how many joined segments, come out of a link of this
/// configuration while four megabytes pass.
fn come_out(config: &EmulationConfig) -> (usize, usize) {
    let (mut alone, mut joined) = (0, 0);
    let report = over(config, switch("occamy").with_buffer(Bytes::new(4_000_000)), |link| {
        let index = Netlink::open().unwrap().index(&link.addresses().interface()).unwrap();
        let mut beside = Ring::open(index, config.mtu, MEMORY).unwrap();
        let far = SocketAddr::from((link.addresses().far(), 5001));
        let server = TcpListener::bind(far).unwrap();
        let receiver = thread::spawn(move || {
            let mut all = Vec::new();
            server.accept().unwrap().0.read_to_end(&mut all).unwrap();
            all
        });
        let sent: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_be_bytes).collect();
        let send = || TcpStream::connect(far)?.write_all(&sent);
        link.near().within(send).unwrap();
        assert!(receiver.join().unwrap() == sent, "what came is what was sent");
        let mut buffers = Buffers::new();
        while let Some(taken) = beside.take(&mut buffers) {
            match taken {
                Taken::Frame { frame, .. } => alone += usize::from(frame.len() > 500),
                Taken::Cut { frames, .. } => joined += usize::from(frames.len() > 1),
                Taken::TooLarge { .. } | Taken::Missed { .. } => {}
            }
        }
    });
    let up = &report.directions[0];
    assert!(up.left.packets as usize >= 4_000_000 / 1_448, "each packet is counted");
    assert_eq!(up.causes().count(), 0, "{:?}", up.causes().collect::<Vec<_>>());
    (alone, joined)
}

#[test]
fn packets_of_a_segment_leave_together_where_they_follow_each_other_closely() {
    on_a_machine(|| {
        let fast = EmulationConfig { rate: Rate::from_bps(40_000_000_000), ..link_of(1, 1) };
        let (_, joined) = come_out(&fast);
        assert!(joined > 0, "large segments stay whole");
        let apart = EmulationConfig { together: Duration::ZERO, ..fast };
        let (alone, joined) = come_out(&apart);
        assert!(alone > 1_000 && joined == 0, "{alone} alone, {joined} joined");
    });
}

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
        let LabPlan { devices, entrances, hosts } = LabPlan::new(&config).unwrap();
        let mut devices = Devices::build(devices, 1500, 256 << 20).unwrap();
        let lab = Lab::open(hosts, vec!["p1".to_owned()], 1500).unwrap();
        let lab = lab.with_backend(Backend::Xdp).unwrap();
        let (control, requests) = Control::new(false).unwrap();
        thread::scope(|scope| {
            let (ready, is_ready) = mpsc::channel();
            let (lab, devices) = (&lab, &mut devices);
            let passing = scope.spawn(move || {
                lab.run(devices, entrances, None, requests, move || ready.send(()).unwrap())
            });
            if is_ready.recv().is_ok() {
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
            }
            control.stop();
            if let Err(error) = passing.join().unwrap() {
                assert!(matches!(error, LiveError::NoXdp(_)), "{error}");
            }
        });
    });
}

#[test]
fn frames_pass_unchanged_whatever_they_are() {
    on_a_machine(|| {
        let config = link_of(1000, 1);
        let tagged: Vec<u8> = [&[2; 12][..], &[0x81, 0x00, 0x00, 0x07], &OWN, &[9; 50]].concat();
        let twice: Vec<u8> =
            [&[2; 12][..], &[0x88, 0xa8, 0, 5, 0x81, 0, 0, 7], &OWN, &[9; 50]].concat();
        // An IPv4 header that claims more than there is, and one that is cut off.
        let lies = [&[2; 12][..], &[0x08, 0x00], &[0x4f, 0, 0xff, 0xff], &[0xee; 56]].concat();
        let cut = [&[2; 12][..], &[0x08, 0x00], &[0x45]].concat();
        let bytes = |frame: Frame| frame.parts().concat();
        let sent = [bytes(own(&[1; 46])), bytes(own(&[3; 1500])), tagged, twice, lies, cut];
        let (mut seen, count) = (Vec::new(), sent.len());
        let report = over(&config, switch("occamy"), |link| {
            let mut far = ring(&link.addresses().interface(), config.mtu).unwrap();
            let sent = &sent;
            let send = || {
                let near = ring("eth0", config.mtu)?;
                sent.iter().try_for_each(|bytes| near.send_frame(&Frame::new(bytes.clone())))
            };
            link.near().within(send).unwrap();
            let mut missing = count;
            seen = come(&mut far, |frame| {
                missing -= usize::from(sent.contains(&frame.parts().concat()));
                missing == 0
            });
        });
        let seen: Vec<_> = seen
            .into_iter()
            .map(|frame| frame.parts().concat())
            .filter(|bytes| sent.contains(bytes))
            .collect();
        assert_eq!(seen, sent, "in their order");
        assert_eq!(report.directions[0].causes().count(), 0);
    });
}

#[test]
fn jumbo_frames_pass_where_the_mtu_is_theirs() {
    on_a_machine(|| {
        let config = EmulationConfig { mtu: 9000, ..link_of(100, 1) };
        let jumbo = own(&[5; 9000]);
        let mut seen = Vec::new();
        over(&config, switch("dt"), |link| {
            let mut far = ring(&link.addresses().interface(), config.mtu).unwrap();
            link.near().within(|| ring("eth0", config.mtu)?.send_frame(&jumbo)).unwrap();
            seen = come(&mut far, |frame| *frame == jumbo);
        });
        assert!(seen.contains(&jumbo));
    });
}

#[test]
fn an_unfinished_checksum_and_a_mark_arrive() {
    on_a_machine(|| {
        let config = EmulationConfig { rate: Rate::from_bps(200_000), ..link_of(1, 1) };
        let mut ip =
            Ipv4Header::new(0, 64, etherparse::IpNumber::UDP, [10, 0, 0, 1], [10, 0, 0, 2])
                .unwrap();
        ip.ecn = IpEcn::TWO;
        let builder =
            PacketBuilder::ethernet2([2; 6], [4; 6]).ip(IpHeaders::Ipv4(ip, Default::default()));
        let mut bytes = Vec::new();
        builder.udp(7, 9).write(&mut bytes, &[1; 1000]).unwrap();
        let checksum = Some(Checksum { start: 34, offset: 6 });
        let frame = Frame::new(bytes).with_checksum(checksum);
        let mut seen = Vec::new();
        let marking = switch("drop-tail").with_marks(Some(Bytes::new(3_000)));
        let report = over(&config, marking, |link| {
            let mut far = ring(&link.addresses().interface(), config.mtu).unwrap();
            let send = || {
                let near = ring("eth0", config.mtu)?;
                (0..10).try_for_each(|_| near.send_frame(&frame))
            };
            link.near().within(send).unwrap();
            let mut missing = 10;
            seen = come(&mut far, |frame| {
                missing -= usize::from(frame.checksum().is_some());
                missing == 0
            });
        });
        let own = seen.iter().filter(|seen| seen.checksum() == checksum);
        let marks: Vec<_> = own.map(|seen| seen.head()[15]).collect();
        // The first finds no queue, the last finds a long one.
        assert!(
            marks.len() == 10 && marks[0] == 2 && marks[9] == 3 && marks.is_sorted(),
            "{marks:?}"
        );
        let marked = marks.iter().filter(|mark| **mark == 3).count() as u64;
        assert_eq!(report.directions[0].marked, marked);
    });
}

#[test]
fn a_slow_link_loses_by_the_switch_and_says_why() {
    on_a_machine(|| {
        let config = link_of(1, 0);
        let report = over(&config, switch("drop-tail").with_buffer(Bytes::new(10_000)), |link| {
            let send = || {
                let near = ring("eth0", config.mtu)?;
                (0..100).try_for_each(|_| near.send_frame(&own(&[1; 1000])))
            };
            link.near().within(send).unwrap();
            thread::sleep(Wait::from_millis(200));
        });
        let up = &report.directions[0];
        let causes: Vec<_> = up.causes().map(|(cause, _)| cause).collect();
        assert_eq!(causes, ["queue-full"]);
        let lost: u64 = up.causes().map(|(_, tally)| tally.packets).sum();
        assert_eq!(up.arrived.packets, up.left.packets + lost + report.held[0] as u64);
        assert!(lost >= 50, "{lost}");
    });
}

#[test]
fn links_stand_side_by_side_and_leave_nothing() {
    on_a_machine(|| {
        let (one, other) = (
            EmulatedLink::open(Isolation::None, 1500).unwrap(),
            EmulatedLink::open(Isolation::None, 1500).unwrap(),
        );
        assert_ne!(one.addresses(), other.addresses());
        let names = [one.addresses().interface(), other.addresses().interface()];
        let mut netlink = Netlink::open().unwrap();
        assert!(names.iter().all(|name| netlink.index(name).is_ok()));
        drop((one, other));
        assert!(names.iter().all(|name| netlink.index(name).is_err()), "interfaces stay");
    });
}

#[test]
fn both_ends_have_ipv6() {
    on_a_machine(|| {
        let mut answer = None;
        over(&link_of(100, 1), switch("fifo"), |link| {
            let [[_, (far, _)], _] = link.addresses().ends();
            let Ok(server) = UdpSocket::bind((far, 7)) else { return };
            let heard = thread::spawn(move || {
                server.set_read_timeout(Some(Wait::from_secs(5))).unwrap();
                server.recv_from(&mut [0; 100]).map(|(_, from)| from.ip())
            });
            link.near()
                .within(|| UdpSocket::bind("[::]:0")?.send_to(&[1; 10], (far, 7)).map(drop))
                .unwrap();
            answer = Some(heard.join().unwrap().unwrap());
        });
        // None: this kernel has no IPv6.
        assert!(answer.is_none_or(|from| matches!(from, IpAddr::V6(_))));
    });
}

/// Does something while a lab of this topology passes frames: what has passed.
fn within(
    topology: &str,
    mode: Mode,
    switch: SwitchConfig,
    work: impl FnOnce(&Lab, &Control),
) -> LabReport {
    let config = LabConfig {
        graph: forebay_net::topology::read_shape(topology).unwrap(),
        mode,
        switch,
        others: BTreeMap::new(),
        ports: Vec::new(),
        rules: Rules::default(),
        card: SwitchConfig::named("drop-tail").unwrap().with_buffer(Bytes::new(4_000_000)),
        link: EmulationConfig::default(),
    };
    running(&config, work)
}

/// Does something while this lab passes frames: what has passed.
fn running(config: &LabConfig, work: impl FnOnce(&Lab, &Control)) -> LabReport {
    let LabPlan { devices, entrances, hosts } = LabPlan::new(config).unwrap();
    let mut devices = Devices::build(devices, 1500, 256 << 20).unwrap();
    let ports = config.ports.iter().map(|port| port.name.clone()).collect();
    let lab = Lab::open(hosts, ports, 1500).unwrap();
    let (control, requests) = Control::new(false).unwrap();
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let (lab, devices) = (&lab, &mut devices);
        let passing = scope.spawn(move || {
            lab.run(devices, entrances, None, requests, move || ready.send(()).unwrap())
        });
        if is_ready.recv().is_ok() {
            work(lab, &control);
        }
        control.stop();
        passing.join().unwrap().unwrap()
    })
}

/// A megabyte by TCP from a host to another; how long it took.
fn transfer(lab: &Lab, [from, to]: [usize; 2], to_address: IpAddr) -> Wait {
    send(&lab.hosts()[from].1, &lab.hosts()[to].1, to_address)
}

/// A megabyte by TCP from a namespace to another; how long it took.
fn send(from: &Namespace, to: &Namespace, to_address: IpAddr) -> Wait {
    let listener = to.within(|| TcpListener::bind((to_address, 7000))).unwrap();
    thread::scope(|scope| {
        let receiving = scope.spawn(move || {
            let (mut stream, _) = listener.accept()?;
            let mut all = Vec::new();
            stream.read_to_end(&mut all)?;
            io::Result::Ok(all.len())
        });
        let begin = Instant::now();
        let sent = from.within(|| {
            let mut stream = TcpStream::connect((to_address, 7000))?;
            stream.write_all(&vec![1; 1_000_000])
        });
        sent.unwrap();
        assert_eq!(receiving.join().unwrap().unwrap(), 1_000_000);
        begin.elapsed()
    })
}

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

/// A machine behind an interface of this one, which sends large segments as most do.
fn neighbour(interface: &str, number: u8) -> Namespace {
    let machine = Namespace::new().unwrap();
    let mut netlink = Netlink::open().unwrap();
    let here = Interface { name: interface, address: [2, 9, 0, 0, 0, number] };
    let there = Interface { name: "eth0", address: [2, 9, 0, 0, 1, number] };
    netlink.make_pair(here, there, &machine, 1500).unwrap();
    let index = netlink.index(interface).unwrap();
    netlink.set_up(index).unwrap();
    let inside = machine.within(|| {
        prepare()?;
        let mut netlink = Netlink::open()?;
        let index = netlink.index("eth0")?;
        netlink.set_up(index)?;
        netlink.add_address(index, [10, 9, 0, number].into(), 24)
    });
    inside.unwrap();
    machine
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
