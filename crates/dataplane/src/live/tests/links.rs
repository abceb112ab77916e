//! Links.

use super::*;

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

/// What a command has sent before its end arrives, with the end of the connection.
#[test]
fn a_link_lingers_until_what_was_sent_has_arrived() {
    on_a_machine(|| {
        let link = EmulatedLink::open(Isolation::Apart, 1500).unwrap();
        let (config, far) = (link_of(5, 50), SocketAddr::from((link.addresses().far(), 7001)));
        let server = TcpListener::bind(far).unwrap();
        let receiving = thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut all = Vec::new();
            stream.set_read_timeout(Some(Wait::from_secs(5))).unwrap();
            stream.read_to_end(&mut all).map(|_| all.len())
        });
        let report = asking(link, &config, switch("drop-tail"), |link, control| {
            let send = || TcpStream::connect(far)?.write_all(&[1; 100_000]);
            link.near().within(send).unwrap();
            link.linger(control, Wait::from_secs(10), &false.into());
        });
        assert_eq!(report.unwrap().held, [0, 0]);
        assert_eq!(receiving.join().unwrap().unwrap(), 100_000);
    });
}
