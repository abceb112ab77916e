//! Links with real packets, in namespaces that the tests make: nothing else on the machine sees
//! them. Where namespaces may not be made, a line says so.

mod labs;
mod links;
mod xdp;

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
    asking(link, config, switch, |link, _| work(link))
}

/// The same for who asks something of the link.
fn asking(
    link: EmulatedLink,
    config: &EmulationConfig,
    switch: SwitchConfig,
    work: impl FnOnce(&EmulatedLink, &Control),
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
            work(link, &control);
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
    running_by(Backend::Packet, config, work).unwrap()
}

/// The same by such sockets, or why it cannot.
fn running_by(
    backend: Backend,
    config: &LabConfig,
    work: impl FnOnce(&Lab, &Control),
) -> Result<LabReport, LiveError> {
    let LabPlan { devices, entrances, hosts } = LabPlan::new(config).unwrap();
    let mut devices = Devices::build(devices, 1500, 256 << 20).unwrap();
    let ports = config.ports.iter().map(|port| port.name.clone()).collect();
    let lab = Lab::open(hosts, ports, 1500).unwrap().with_backend(backend).unwrap();
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
        passing.join().unwrap()
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
