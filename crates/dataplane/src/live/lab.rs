//! A live lab: hosts in namespaces of their own, joined by a fabric of switches.

use std::io;
use std::net::IpAddr;

use std::collections::BTreeMap;

use forebay_switch::Tally;
use forebay_units::{Duration, Time};
use rustix::event::{PollFd, PollFlags};

use super::buffers::Buffers;
use super::clock::{Clock, wake_in_time};
use super::control::{Change, Changed, Request, Requests};
use super::ends::{LEAST_6, prepare, silence};
use super::error::LiveError;
use super::line::{Backend, Line};
use super::look::{DeviceLook, Look, MOST_SHOWN, TOP};
use super::namespace::Namespace;
use super::netlink::{Interface, Netlink};
use super::relay::{BATCH, Sending, Stamps, woken};
use super::ring::{MEMORY, Ring, Taken, finish_checksums};
use super::waiting::{Due, Found, Waiting};
use crate::fabric::{DeviceCounts, Devices, Exit, Fabric, HostAddresses, Incoming};
use crate::lateness::Lateness;
use crate::link::LinkLoss;
use crate::link::segments::Outlet;
use crate::record::{Decided, Recorded, Recorder};

/// A host's interface.
pub(super) const INTERFACE: &str = "eth0";
/// What all rings together take at most, in bytes, as long as each has a few frames.
const ALL_RINGS: usize = 256 << 20;

/// Hosts, and the ends of their interfaces in a namespace of the fabric's own; nothing passes yet.
///
/// Namespaces have no names, so that all is gone with the process, however it ends.
pub struct Lab {
    inside: Namespace,
    hosts: Vec<(HostAddresses, Namespace)>,
    /// Interfaces of the present namespace that are ports as well.
    ports: Vec<String>,
    mtu: u32,
    backend: Backend,
}

/// What has passed through a lab.
#[derive(Clone, Debug)]
pub struct LabReport {
    /// Each device's name, and what went through it.
    pub devices: Vec<(String, DeviceCounts)>,
    /// Of each device, the frames from addresses for which its table had no room.
    pub not_learnt: Vec<u64>,
    /// Frames, and copies, that are in the fabric.
    pub held: usize,
    /// Those of them that are in no device.
    pub on_wires: usize,
    /// Whether frames are passed with real-time priority.
    pub is_real_time: bool,
    /// How much later than computed frames were handed to the kernel.
    pub lateness: Lateness,
    /// Since the beginning.
    pub lasted: Duration,
    /// What was recorded, if something was to be: known at the end, or if it ended before its time.
    pub recorded: Option<Recorded>,
}

impl Lab {
    /// Makes the hosts of a [plan](crate::fabric::LabPlan): each with a loopback interface, and one
    /// with its addresses. `ports` are interfaces of the present namespace that stand behind the
    /// plan's ports to the outside, in their order; of those nothing is changed.
    ///
    /// # Errors
    /// A port that cannot be one, or the step that failed.
    pub fn open(
        hosts: Vec<HostAddresses>,
        ports: Vec<String>,
        mtu: u32,
    ) -> Result<Self, LiveError> {
        let failed = LiveError::at;
        for name in &ports {
            check_port(name, mtu)?;
        }
        let make = || Namespace::new().map_err(failed("make a namespace"));
        let inside = make()?;
        inside.within(silence).map_err(failed("prepare the switches' namespace"))?;
        let spaces = hosts.iter().map(|_| make()).collect::<Result<Vec<_>, _>>()?;
        inside
            .within(|| {
                let mut netlink = Netlink::open()?;
                for (host, space) in hosts.iter().zip(&spaces) {
                    // Nothing is sent to the address inside.
                    let mut address = host.hardware;
                    address[1] ^= 0x80;
                    let here = Interface { name: &host.name, address };
                    let there = Interface { name: INTERFACE, address: host.hardware };
                    netlink.make_pair(here, there, space, mtu)?;
                    let index = netlink.index(&host.name)?;
                    netlink.set_up(index)?;
                }
                Ok(())
            })
            .map_err(failed("make the hosts' interfaces"))?;
        for (host, space) in hosts.iter().zip(&spaces) {
            space.within(|| set_host(host, mtu)).map_err(failed("set up a host's interface"))?;
        }
        let hosts = hosts.into_iter().zip(spaces).collect();
        Ok(Lab { inside, hosts, ports, mtu, backend: Backend::Packet })
    }

    /// The same, where frames of hosts come and leave by such sockets; those of ports to the
    /// outside do so by AF_PACKET, so that nothing of them is changed.
    ///
    /// # Errors
    /// The interfaces cannot be told what that needs.
    pub fn with_backend(self, backend: Backend) -> Result<Self, LiveError> {
        if backend == Backend::Xdp {
            let failed = LiveError::at("let senders finish their checksums, as AF_XDP needs");
            for (_, space) in &self.hosts {
                space.within(|| finish_checksums(INTERFACE)).map_err(&failed)?;
            }
        }
        Ok(Lab { backend, ..self })
    }

    /// Its hosts, each with its namespace.
    #[must_use]
    pub fn hosts(&self) -> &[(HostAddresses, Namespace)] {
        &self.hosts
    }

    /// Passes frames between the hosts, through the fabric of these devices, until asked to stop;
    /// what comes from host `i` comes in at edge `i`, which is at `entrances[i]`. What passes is
    /// recorded if there is a recorder. When all rings are open, `ready` is called: what is sent
    /// from then on, passes.
    ///
    /// # Errors
    /// The step that failed.
    pub fn run(
        &self,
        devices: &mut Devices,
        entrances: Vec<(u32, u16)>,
        recorder: Option<Recorder>,
        requests: Requests,
        ready: impl FnOnce() + Send,
    ) -> Result<LabReport, LiveError> {
        let memory = MEMORY.min(ALL_RINGS / self.hosts.len().max(1));
        // In the present namespace.
        let foreign = |name: &String| {
            let index = Netlink::open()?.index(name)?;
            Ring::of_foreign(index, self.mtu, MEMORY)
        };
        let foreign = self.ports.iter().map(foreign).collect::<io::Result<Vec<_>>>();
        let foreign = foreign.map_err(LiveError::at("open a port"))?;
        let passed = std::thread::scope(|scope| {
            let pass = move || {
                let failed = LiveError::at;
                self.inside.enter().map_err(failed("enter the switches' namespace"))?;
                let open = |name: &str| {
                    let index = Netlink::open()?.index(name)?;
                    Line::open(self.backend, index, self.mtu, memory)
                };
                let rings = self.hosts.iter().map(|(host, _)| open(&host.name));
                let rings = rings
                    .chain(foreign.into_iter().map(Line::Packet).map(Ok))
                    .collect::<io::Result<Vec<_>>>();
                let rings = rings.map_err(LiveError::socket(self.backend))?;
                let outlets = (0..).zip(&rings).map(|(edge, ring)| match ring.joins() {
                    true => Outlet::new(devices.together(edge)),
                    false => Outlet::new(Duration::ZERO),
                });
                let outlets = outlets.collect();
                let edges = 0..rings.len() as u32;
                let late = edges.clone().map(|edge| devices.together(edge)).min();
                let least = edges.map(|edge| devices.least_delay(edge)).min();
                let slots = rings.iter().map(Line::slots).min().unwrap_or(0);
                let waiting =
                    Waiting::new(late.unwrap_or_default(), least.unwrap_or_default(), slots);
                let mut fabric = devices.fabric(entrances);
                if recorder.is_some() {
                    fabric = fabric.watched();
                }
                if requests.is_metered {
                    fabric = fabric.metered();
                }
                let mut relay = Relay {
                    rings,
                    fabric,
                    outlets,
                    recorder,
                    clock: Clock::start(),
                    is_real_time: wake_in_time(),
                    lateness: Lateness::default(),
                    waiting,
                    buffers: Buffers::new(),
                };
                ready();
                relay.pass(&requests).map_err(failed("wait for frames"))
            };
            scope.spawn(pass).join()
        });
        passed.unwrap_or_else(|_| {
            Err(LiveError::at("pass frames")(io::Error::other("its thread ended")))
        })
    }
}

/// Whether an interface can be a port, on which frames of this MTU pass.
fn check_port(name: &str, mtu: u32) -> Result<(), LiveError> {
    let refused = |problem: String| LiveError::Port { name: name.to_owned(), problem };
    let found = Netlink::open().and_then(|mut netlink| netlink.find(name));
    let found = found.map_err(|error| refused(error.to_string()))?;
    if !found.is_ethernet {
        return Err(refused("it is no Ethernet interface: name one that is".to_owned()));
    }
    if !found.is_up {
        return Err(refused(format!("it is down: bring it up (ip link set {name} up)")));
    }
    match found.mtu {
        Some(own) if own < mtu => Err(refused(format!(
            "frames of the lab may be {mtu} bytes long, and there {own}: give mtu={own}, or raise \
             it there (ip link set {name} mtu {mtu})"
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Gives a host its addresses, in its namespace.
fn set_host(host: &HostAddresses, mtu: u32) -> io::Result<()> {
    prepare()?;
    let mut netlink = Netlink::open()?;
    let index = netlink.index(INTERFACE)?;
    netlink.set_up(index)?;
    netlink.add_address(index, host.v4.0.into(), host.v4.1)?;
    // A kernel without IPv6 has no use for it.
    let has_6 = mtu >= LEAST_6 && netlink.add_address(index, host.v6.0.into(), host.v6.1).is_ok();
    let Some(gateway) = host.gateway else { return Ok(()) };
    let families = [IpAddr::V4(gateway.v4), IpAddr::V6(gateway.v6)];
    for address in families.into_iter().filter(|address| address.is_ipv4() || has_6) {
        netlink.add_neighbour(index, address, gateway.hardware)?;
        if address.is_ipv4() {
            netlink.add_host_route(index, address)?;
        }
        netlink.add_default_route(index, address)?;
    }
    Ok(())
}

/// What comes through ring `i` enters the fabric at edge `i`, and leaves it there.
struct Relay<'a> {
    rings: Vec<Line>,
    fabric: Fabric<'a>,
    /// By edge, what leaves there.
    outlets: Vec<Outlet>,
    clock: Clock,
    is_real_time: bool,
    lateness: Lateness,
    waiting: Waiting,
    recorder: Option<Recorder>,
    buffers: Buffers,
}

impl Relay<'_> {
    fn pass(&mut self, requests: &Requests) -> io::Result<LabReport> {
        loop {
            let mut found = Found::default();
            let known = self.fetch(&mut found);
            self.fabric.advance(known);
            if let Some(recorder) = &mut self.recorder {
                recorder.decided(0, Decided::Lab(self.fabric.decisions()));
            }
            self.send(false);
            if !self.wait(requests, found)? {
                continue;
            }
            for request in requests.all() {
                match request {
                    // Nobody may wait for it any more.
                    Request::Report(to) => drop(to.send(self.report()?)),
                    Request::Look(to) => drop(to.send(self.look()?)),
                    Request::Change(change, to) => drop(to.send(self.change(change))),
                    Request::Stop => {
                        self.send(true);
                        return self.end();
                    }
                }
            }
        }
    }

    /// Hands over what has come, and adds it to what was found; until when all that came is known.
    fn fetch(&mut self, found: &mut Found) -> Time {
        // Read before frames are fetched: what has come by now is there.
        let present = self.clock.now();
        let mut stamps = Stamps { clock: self.clock, offset: self.clock.offset(), now: present };
        let mut known = present;
        for edge in 0..self.rings.len() {
            let mut last = Time::ZERO;
            let mut taken = 0;
            while taken < BATCH
                && let Some(frame) = self.rings[edge].take(&mut self.buffers)
            {
                let edge = edge as u32;
                taken += 1;
                let lost = match frame {
                    Taken::Frame { stamp, frame } => {
                        last = stamps.instant(stamp);
                        self.arrive(Incoming { at: last, edge, frame });
                        continue;
                    }
                    Taken::Cut { stamp, frames } => {
                        last = stamps.instant(stamp);
                        for frame in frames {
                            self.arrive(Incoming { at: last, edge, frame });
                        }
                        continue;
                    }
                    Taken::TooLarge { bytes } => (LinkLoss::TooLarge, bytes),
                    Taken::Missed { bytes } => (LinkLoss::NotTaken, bytes),
                };
                if let Some(counts) = self.fabric.outside(edge) {
                    counts.never_came(lost.0, lost.1);
                }
            }
            found.frames += taken;
            if taken == BATCH {
                found.are_more = true;
                known = known.min(last);
            }
        }
        known
    }

    fn arrive(&mut self, arrival: Incoming) {
        if let Some(recorder) = &mut self.recorder {
            let Incoming { at, edge, frame } = &arrival;
            recorder.frame(*edge as u16, self.fabric.now(), *at, frame);
        }
        self.fabric.arrive(arrival);
    }

    /// Sends what has left; at the end, also what is held back.
    fn send(&mut self, at_end: bool) {
        let Relay { rings, outlets, fabric, clock, lateness, buffers, .. } = self;
        let edges = outlets.len() as u32;
        let mut to = |edge: u32, fabric: &mut Fabric<'_>, exit: Option<Exit>| {
            let ring = rings.get_mut(edge as usize).zip(outlets.get_mut(edge as usize));
            let Some((ring, outlet)) = ring else { return };
            let unsent = Tally::default();
            let mut sink = Sending { ring, clock: *clock, lateness, buffers, unsent };
            match exit {
                Some(Exit { at, frame, .. }) => outlet.add(at, frame, &mut sink),
                None if at_end => outlet.flush(&mut sink),
                None if outlet.held() > 0 => {
                    let next = fabric.next_exit(edge);
                    outlet.settle(clock.now(), next, &mut sink);
                }
                None => {}
            }
            let Tally { packets, bytes } = sink.unsent;
            if packets > 0
                && let Some(counts) = fabric.outside(edge)
            {
                counts.arrived += sink.unsent;
                counts.lose(LinkLoss::NotSent, packets, bytes);
            }
        };
        while let Some(exit) = fabric.exit() {
            to(exit.edge, fabric, Some(exit));
        }
        (0..edges).for_each(|edge| to(edge, fabric, None));
        rings.iter_mut().for_each(Line::flush);
    }

    /// When something is due: a frame may leave. While some are held back for others, what else
    /// leaves waits for that as well, for no longer than these.
    fn next(&self) -> Option<Time> {
        let held = (0..).zip(&self.outlets).filter(|(_, outlet)| outlet.held() > 0);
        let held = held.filter_map(|(edge, outlet)| outlet.wake(self.fabric.next_exit(edge))).min();
        held.or_else(|| self.fabric.next_departure())
    }

    /// Sleeps until something is to be done; whether something was asked.
    fn wait(&mut self, requests: &Requests, found: Found) -> io::Result<bool> {
        let next = self.next();
        let has_waited = self.outlets.iter().any(|outlet| outlet.held() > 0);
        let due = next.map(|at| Due { at, has_waited });
        let sleep = self.waiting.sleep(self.clock.now(), found, due);
        let rings = self.rings.iter().map(|ring| PollFd::new(ring, PollFlags::IN));
        let asked = [PollFd::new(requests, PollFlags::IN)];
        let mut all: Vec<_> = asked.into_iter().chain(rings).collect();
        let woken = woken(&mut all, sleep, self.clock)?;
        let asked = woken.is_some() && all[0].revents().contains(PollFlags::IN);
        for (ring, event) in self.rings.iter().zip(all.iter().skip(1)) {
            // It went down: what comes once it is up again is received.
            if woken.is_some() && event.revents().contains(PollFlags::ERR) {
                ring.clear_error();
            }
        }
        let now = self.clock.now();
        if next.is_some_and(|next| next <= now) {
            self.waiting.was_due(now);
        }
        Ok(asked)
    }

    /// Other policies decide from the present on.
    fn change(&mut self, Change { policies, set }: Change) -> Changed {
        let at = self.fabric.now();
        let devices: Vec<(u32, Time)> = policies.iter().map(|(device, _)| (*device, at)).collect();
        let change = |(device, policy)| self.fabric.change(device, policy);
        let old = policies.into_iter().filter_map(change).collect();
        if let Some(recorder) = &mut self.recorder {
            recorder.changed(&devices, &set);
        }
        Changed { at, old }
    }

    fn look(&mut self) -> io::Result<Look> {
        self.count_missed()?;
        let passed = self.fabric.meter().map(|meter| meter.take(TOP)).unwrap_or_default();
        let all = self.fabric.counts().enumerate();
        let shown = all.take(MOST_SHOWN).map(|(device, (name, counts))| {
            DeviceLook::new(name, &counts.all, |show| self.fabric.gauges(device, show))
        });
        let devices = shown.collect();
        let mut elsewhere = BTreeMap::new();
        for (_, counts) in self.fabric.counts().skip(MOST_SHOWN) {
            for (cause, tally) in counts.all.causes() {
                *elsewhere.entry(cause).or_insert(Tally::default()) += tally;
            }
        }
        Ok(Look {
            at: self.clock.now(),
            devices,
            lost_elsewhere: elsewhere.into_iter().collect(),
            passed,
            lateness: self.lateness.clone(),
            held: self.fabric.held(),
            is_real_time: self.is_real_time,
        })
    }

    /// Counts what the rings had no room for.
    fn count_missed(&mut self) -> io::Result<()> {
        for (edge, ring) in (0..).zip(&mut self.rings) {
            let missed = ring.missed()?;
            if let Some(counts) = self.fabric.outside(edge) {
                // Their sizes are not known.
                counts.arrived += Tally { packets: missed.into(), bytes: 0 };
                counts.lose(LinkLoss::NotTaken, missed.into(), 0);
            }
        }
        Ok(())
    }

    fn report(&mut self) -> io::Result<LabReport> {
        self.count_missed()?;
        let devices = self.fabric.counts();
        Ok(LabReport {
            devices: devices.map(|(name, counts)| (name.to_owned(), counts.clone())).collect(),
            not_learnt: self.fabric.not_learnt().collect(),
            held: self.fabric.held(),
            on_wires: self.fabric.on_wires(),
            is_real_time: self.is_real_time,
            lateness: self.lateness.clone(),
            lasted: self.clock.now().since(Time::ZERO),
            recorded: self.recorder.as_ref().and_then(Recorder::ended),
        })
    }

    /// The report at the end, once what was to be recorded is.
    fn end(&mut self) -> io::Result<LabReport> {
        let report = self.report()?;
        let now = self.fabric.now();
        let recorded = self.recorder.take().map(|recorder| recorder.finish(&[now]));
        Ok(LabReport { recorded, ..report })
    }
}
