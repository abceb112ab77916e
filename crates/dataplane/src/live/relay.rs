//! A live link: frames from one interface to the other, each through its direction, in time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{fs, io, thread};

use forebay_switch::{SwitchConfig, Tally};
use forebay_units::{Duration, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::addresses::Addresses;
use super::buffers::Buffers;
use super::clock::{Clock, Offset, Stamp, wake_in_time};
use super::control::{Change, Changed, Control, Request, Requests};
use super::ends::{NEAR, TO_FAR, TO_NEAR, join, prepare};
use super::error::LiveError;
use super::line::{Backend, Line};
use super::look::{DeviceLook, Look, TOP};
use super::namespace::{Isolation, Namespace};
use super::netlink::Netlink;
use super::ring::{MEMORY, Taken, finish_checksums};
use super::waiting::{Due, Found, Sleep, Waiting};
use crate::lateness::Lateness;
use crate::link::segments::{Leaving, Outlet, Sink};
use crate::link::{
    Departure, Direction, EmulationConfig, Frame, FrameCounts, LinkLoss, Pace, Port, Rules,
};
use crate::meter::{Passed, QueueName};
use crate::record::{Decided, Recorded, Recorder};

/// The most frames that are fetched at once, so that what is due need not wait.
pub(super) const BATCH: usize = 256;

/// A link that stands, on which nothing passes yet.
pub struct EmulatedLink {
    link: Namespace,
    near: Namespace,
    addresses: Addresses,
    mtu: u32,
    backend: Backend,
}

/// What has passed over a link.
#[derive(Clone, Debug)]
pub struct LinkReport {
    /// Up, from the command, and down, to it.
    pub directions: [FrameCounts; 2],
    /// Frames that waited or were on their way at the end, in each direction.
    pub held: [usize; 2],
    /// Whether frames were passed with real-time priority.
    pub is_real_time: bool,
    /// How much later than computed frames were handed to the kernel.
    pub lateness: Lateness,
    /// From the beginning to the end.
    pub lasted: Duration,
    /// What was recorded, if something was to be.
    pub recorded: Option<Recorded>,
}

impl EmulatedLink {
    /// Makes a link between the present namespace, as [`isolate`](super::isolate) has left it, and
    /// a new one.
    ///
    /// # Errors
    /// The step that failed.
    pub fn open(isolation: Isolation, mtu: u32) -> Result<Self, LiveError> {
        let make = || Namespace::new().map_err(LiveError::at("make a namespace"));
        let (link, near) = (make()?, make()?);
        let ready = LiveError::at("set up the loopback interface");
        if isolation == Isolation::Apart {
            prepare().map_err(&ready)?;
        }
        near.within(prepare).map_err(&ready)?;
        let addresses = join(&link, &near, mtu)?;
        Ok(EmulatedLink { link, near, addresses, mtu, backend: Backend::Packet })
    }

    /// The same, whose frames come and leave by such sockets.
    ///
    /// # Errors
    /// The interfaces cannot be told what that needs.
    pub fn with_backend(mut self, backend: Backend) -> Result<Self, LiveError> {
        if backend == Backend::Xdp {
            let failed = LiveError::at("let senders finish their checksums, as AF_XDP needs");
            finish_checksums(&self.addresses.interface()).map_err(&failed)?;
            self.near.within(|| finish_checksums(NEAR)).map_err(&failed)?;
        }
        self.backend = backend;
        Ok(self)
    }

    /// Where its ends are found.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// The namespace behind the link.
    #[must_use]
    pub fn near(&self) -> &Namespace {
        &self.near
    }

    /// Lets arrive what was sent before a command ended, at most for `longest` and until
    /// interrupted: its kernel goes on sending for it, and what has left is on its way.
    pub fn linger(
        &self,
        control: &Control,
        longest: std::time::Duration,
        interrupted: &AtomicBool,
    ) {
        let begin = Instant::now();
        let is_quiet = || {
            let closing = self.near.within(closing).unwrap_or(0);
            closing == 0 && control.look().is_none_or(|look| look.held == 0)
        };
        while begin.elapsed() < longest && !interrupted.load(Ordering::Relaxed) && !is_quiet() {
            thread::sleep(LOOK);
        }
    }

    /// Passes frames, up and down, until asked to stop, with classes and ranks by `rules`; to be
    /// called once. Each direction has such a switch. What passes is recorded if there is a
    /// recorder. When both rings are open, `ready` is called: what is sent from then on, passes.
    ///
    /// # Errors
    /// A switch cannot be built, or the step that failed.
    pub fn run(
        &self,
        switch: &SwitchConfig,
        directions: [(EmulationConfig, Pace); 2],
        rules: &Rules,
        recorder: Option<Recorder>,
        requests: Requests,
        ready: impl FnOnce() + Send,
    ) -> Result<LinkReport, LiveError> {
        let [(up, up_pace), (down, down_pace)] = directions;
        let mut up_port = Port::new(switch, &up, &up_pace)?;
        let mut down_port = Port::new(switch, &down, &down_pace)?;
        let passed = std::thread::scope(|scope| {
            let pass = move || {
                let failed = LiveError::at;
                self.link.enter().map_err(failed("enter the link's namespace"))?;
                let ring = |name: &str| {
                    let index = Netlink::open()?.index(name)?;
                    Line::open(self.backend, index, self.mtu, MEMORY)
                };
                let ring = |name: &str| ring(name).map_err(LiveError::socket(self.backend));
                let rings = [ring(TO_NEAR)?, ring(TO_FAR)?];
                let outlets = [&up, &down].map(|config| match self.backend {
                    Backend::Packet => Outlet::new(config.together),
                    Backend::Xdp => Outlet::new(Duration::ZERO),
                });
                let slots = rings.iter().map(Line::slots).min().unwrap_or(0);
                let both = [&up, &down];
                let late = both.map(|config| config.together).into_iter().min();
                let least = both.map(EmulationConfig::least_delay).into_iter().min();
                let mut directions = [
                    up_port.direction(&up, up_pace, "up").with_rules(rules.clone()),
                    down_port.direction(&down, down_pace, "down").with_rules(rules.clone()),
                ];
                if recorder.is_some() {
                    directions = directions.map(Direction::watched);
                }
                if requests.is_metered {
                    directions = directions.map(Direction::metered);
                }
                let mut relay = Relay {
                    rings,
                    directions,
                    outlets,
                    clock: Clock::start(),
                    is_real_time: wake_in_time(),
                    lateness: Lateness::default(),
                    known: [Time::ZERO; 2],
                    waiting: Waiting::new(
                        late.unwrap_or_default(),
                        least.unwrap_or_default(),
                        slots,
                    ),
                    recorder,
                    buffers: Buffers::new(),
                };
                ready();
                relay.pass(&requests).map_err(failed("wait for frames"))?;
                relay.report().map_err(failed("read how many frames were missed"))
            };
            scope.spawn(pass).join()
        });
        passed.unwrap_or_else(|_| {
            Err(LiveError::at("pass frames")(io::Error::other("its thread ended")))
        })
    }
}

impl Drop for EmulatedLink {
    /// Takes the interface down at once; the kernel would do so in its own time.
    fn drop(&mut self) {
        let _ = Netlink::open().and_then(|mut netlink| netlink.remove(&self.addresses.interface()));
    }
}

/// How often is looked whether all has arrived.
const LOOK: std::time::Duration = std::time::Duration::from_millis(10);

/// How many connections of this thread's namespace have data or an end that the other side has not
/// acknowledged, though their programs closed them.
fn closing() -> io::Result<usize> {
    // States of linux/tcp_states.h: FIN_WAIT1, LAST_ACK, CLOSING.
    const CLOSING: [&str; 3] = ["04", "09", "0B"];
    let of = |name: &str| {
        let text = fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default();
        let states = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(3));
        states.filter(|state| CLOSING.contains(state)).count()
    };
    Ok(of("tcp") + of("tcp6"))
}

/// What came through the ring `i` leaves through the other; `directions[i]` says when.
struct Relay<'a> {
    rings: [Line; 2],
    directions: [Direction<'a>; 2],
    /// What each direction gives out.
    outlets: [Outlet; 2],
    clock: Clock,
    is_real_time: bool,
    lateness: Lateness,
    /// To when each direction has advanced.
    known: [Time; 2],
    waiting: Waiting,
    recorder: Option<Recorder>,
    buffers: Buffers,
}

impl Relay<'_> {
    fn pass(&mut self, requests: &Requests) -> io::Result<()> {
        loop {
            let mut found = Found::default();
            for side in 0..2 {
                let known = self.fetch(side, &mut found);
                self.known[side] = self.known[side].max(known);
                self.directions[side].advance(known);
                if let Some(recorder) = &mut self.recorder {
                    recorder.decided(side, Decided::Link(self.directions[side].decisions()));
                }
                self.send(side, Held::May { until: known });
            }
            if !self.wait(requests, found)? {
                continue;
            }
            for request in requests.all() {
                match request {
                    // That is a lab's.
                    Request::Report(_) => {}
                    // Nobody may wait for it any more.
                    Request::Look(to) => drop(to.send(self.look()?)),
                    Request::Change(change, to) => drop(to.send(self.change(change))),
                    Request::Stop => {
                        (0..2).for_each(|side| self.send(side, Held::Go));
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Other policies decide, each from the instant on to which its direction has advanced.
    fn change(&mut self, Change { policies, set }: Change) -> Changed {
        let mut old = Vec::new();
        let mut sides = Vec::new();
        for (side, policy) in policies {
            if let Some(direction) = self.directions.get_mut(side as usize) {
                sides.push((side, self.known[side as usize]));
                old.push(direction.change(policy));
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.changed(&sides, &set);
        }
        let at = sides.iter().map(|(_, at)| *at).max().unwrap_or_default();
        Changed { at, old }
    }

    fn look(&mut self) -> io::Result<Look> {
        self.count_missed()?;
        let mut passed = Passed::default();
        for (side, direction) in (0..).zip(&mut self.directions) {
            let own = direction.meter().map(|meter| meter.take(TOP)).unwrap_or_default();
            let of_side = |(name, queue)| (QueueName { device: side, ..name }, queue);
            passed.queues.extend(own.queues.into_iter().map(of_side));
            passed.flows.extend(own.flows);
            passed.left += own.left;
        }
        passed.flows.sort_by_key(|flow| std::cmp::Reverse(flow.left.bytes));
        passed.flows.truncate(TOP);
        let show = |(name, direction): (&str, &Direction<'_>)| {
            DeviceLook::new(name, direction.counts(), |show| direction.gauges(show))
        };
        Ok(Look {
            at: self.clock.now(),
            devices: ["up", "down"].into_iter().zip(&self.directions).map(show).collect(),
            lost_elsewhere: Vec::new(),
            passed,
            lateness: self.lateness.clone(),
            held: self.directions.iter().map(Direction::held).sum(),
            is_real_time: self.is_real_time,
        })
    }

    /// Hands over what has come, and adds it to what was found; until when all that came is known.
    fn fetch(&mut self, side: usize, found: &mut Found) -> Time {
        // Read before frames are fetched: what has come by now is there.
        let present = self.clock.now();
        let mut stamps = Stamps { clock: self.clock, offset: self.clock.offset(), now: present };
        let mut last = Time::ZERO;
        for _ in 0..BATCH {
            let direction = &mut self.directions[side];
            let mut arrive = |at: Time, frame: Frame| {
                if let Some(recorder) = &mut self.recorder {
                    recorder.frame(side as u16, self.known[side], at, &frame);
                }
                direction.arrive(at, frame);
            };
            let Some(taken) = self.rings[side].take(&mut self.buffers) else { return present };
            found.frames += 1;
            match taken {
                Taken::Frame { stamp, frame } => {
                    last = stamps.instant(stamp);
                    arrive(last, frame);
                }
                Taken::Cut { stamp, frames } => {
                    last = stamps.instant(stamp);
                    frames.into_iter().for_each(|frame| arrive(last, frame));
                }
                Taken::TooLarge { bytes } => {
                    direction.counts_mut().never_came(LinkLoss::TooLarge, bytes);
                }
                Taken::Missed { bytes } => {
                    direction.counts_mut().never_came(LinkLoss::NotTaken, bytes);
                }
            }
        }
        found.are_more = true;
        last
    }

    /// Sends what has departed.
    fn send(&mut self, side: usize, held: Held) {
        let (direction, outlet) = (&mut self.directions[side], &mut self.outlets[side]);
        let mut sink = Sending {
            ring: &mut self.rings[1 - side],
            clock: self.clock,
            lateness: &mut self.lateness,
            buffers: &mut self.buffers,
            unsent: Tally::default(),
        };
        match held {
            Held::May { until } => {
                while let Some(Departure { at, frame }) = direction.depart(until) {
                    outlet.add(at, frame, &mut sink);
                }
                if outlet.held() > 0 {
                    outlet.settle(self.clock.now(), direction.next_departure(), &mut sink);
                }
            }
            Held::Go => outlet.flush(&mut sink),
        }
        sink.ring.flush();
        let unsent = sink.unsent;
        direction.counts_mut().not_sent(unsent);
    }

    /// Sleeps until something is to be done; whether something was asked. What happens inside can
    /// be made up for later: only what leaves is due.
    fn wait(&mut self, requests: &Requests, found: Found) -> io::Result<bool> {
        let next = |(direction, outlet): (&mut Direction<'_>, &Outlet)| match outlet.held() {
            0 => direction.next_departure(),
            _ => outlet.wake(direction.next_departure()),
        };
        let next = self.directions.iter_mut().zip(&self.outlets).filter_map(next).min();
        let has_waited = self.outlets.iter().any(|outlet| outlet.held() > 0);
        let due = next.map(|at| Due { at, has_waited });
        let sleep = self.waiting.sleep(self.clock.now(), found, due);
        let mut all = [
            PollFd::new(requests, PollFlags::IN),
            PollFd::new(&self.rings[0], PollFlags::IN),
            PollFd::new(&self.rings[1], PollFlags::IN),
        ];
        let asked = match woken(&mut all, sleep, self.clock)? {
            Some(_) => all[0].revents().contains(PollFlags::IN),
            None => false,
        };
        for (ring, event) in self.rings.iter().zip(&all[1..]) {
            // It went down, or is gone.
            if event.revents().contains(PollFlags::ERR) {
                ring.clear_error();
            }
        }
        let now = self.clock.now();
        if next.is_some_and(|next| next <= now) {
            self.waiting.was_due(now);
        }
        Ok(asked)
    }

    /// Counts what the rings had no room for.
    fn count_missed(&mut self) -> io::Result<()> {
        for side in 0..2 {
            let missed = self.rings[side].missed()?;
            let counts = self.directions[side].counts_mut();
            // Their sizes are not known.
            counts.arrived += Tally { packets: missed.into(), bytes: 0 };
            counts.lose(LinkLoss::NotTaken, missed.into(), 0);
        }
        Ok(())
    }

    fn report(mut self) -> io::Result<LinkReport> {
        self.count_missed()?;
        Ok(LinkReport {
            directions: [*self.directions[0].counts(), *self.directions[1].counts()],
            held: [self.directions[0].held(), self.directions[1].held()],
            is_real_time: self.is_real_time,
            lateness: self.lateness,
            lasted: self.clock.now().since(Time::ZERO),
            recorded: self.recorder.map(|recorder| recorder.finish(&self.known)),
        })
    }
}

/// What becomes of pieces that are held back for others.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// They may stay, if what follows them leaves soon; what left until then joins them.
    May { until: Time },
    /// They go.
    Go,
}

/// Moves the kernel's stamps to the time of the run, and reads the clock only if one is later than
/// when it was read last.
pub(super) struct Stamps {
    pub(super) clock: Clock,
    pub(super) offset: Offset,
    pub(super) now: Time,
}

impl Stamps {
    pub(super) fn instant(&mut self, stamp: Stamp) -> Time {
        let at = match stamp {
            Stamp::Wall(stamp) => self.offset.instant(stamp, Time::MAX),
            Stamp::Monotonic(stamp) => self.clock.instant(stamp),
        };
        if at > self.now {
            self.now = self.clock.now();
        }
        at.min(self.now)
    }
}

/// Sleeps, until one of these has something to say unless that is a frame and is not to wake: the
/// first are requests, all others frames. How many have; `None` if a signal came instead.
pub(super) fn woken(
    all: &mut [PollFd<'_>],
    sleep: Sleep,
    clock: Clock,
) -> io::Result<Option<usize>> {
    let span = sleep.span.map(|span| {
        let nanoseconds = span.as_ps().div_ceil(1000);
        Timespec {
            tv_sec: (nanoseconds / 1_000_000_000) as i64,
            tv_nsec: (nanoseconds % 1_000_000_000) as i64,
        }
    });
    let watched = if sleep.frames_wake { all.len() } else { 1 };
    match poll(&mut all[..watched], span.as_ref()) {
        Ok(0) => {
            while sleep.watch.is_some_and(|until| clock.now() < until) {
                std::hint::spin_loop();
            }
            Ok(Some(0))
        }
        Ok(count) => Ok(Some(count)),
        Err(rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Sends through a ring what leaves.
pub(super) struct Sending<'a> {
    pub(super) ring: &'a mut Line,
    pub(super) clock: Clock,
    pub(super) lateness: &'a mut Lateness,
    pub(super) buffers: &'a mut Buffers,
    /// What the kernel did not take.
    pub(super) unsent: Tally,
}

impl Sink for Sending<'_> {
    fn leave(&mut self, leaving: &Leaving<'_>) {
        if self.ring.send(leaving).is_err() {
            self.unsent += Tally { packets: leaving.due.len() as u64, bytes: leaving.bytes };
        }
        let now = self.clock.now();
        for due in leaving.due {
            self.lateness.count(now.since(*due));
        }
    }

    fn free(&mut self, buffer: Vec<u8>) {
        self.buffers.free(buffer);
    }
}
