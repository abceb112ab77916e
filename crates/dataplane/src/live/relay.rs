//! A live link: frames from one interface to the other, each through its direction, in time.

use std::io;

use forebay_switch::{SwitchConfig, Tally};
use forebay_units::{Duration, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::addresses::Addresses;
use super::clock::{Clock, wake_in_time};
use super::control::{Change, Changed, Request, Requests};
use super::ends::{TO_FAR, TO_NEAR, join, prepare};
use super::error::LiveError;
use super::look::{DeviceLook, Look, TOP};
use super::namespace::{Isolation, Namespace};
use super::netlink::Netlink;
use super::ring::{MEMORY, Ring, Taken};
use crate::lateness::Lateness;
use crate::link::{
    Departure, Direction, EmulationConfig, FrameCounts, LinkLoss, Pace, Port, Rules,
};
use crate::meter::{Passed, QueueName};
use crate::record::{Decided, Recorded, Recorder};

/// The most frames that are fetched at once, so that what is due need not wait.
pub(super) const BATCH: usize = 256;
/// The most buffers that are kept for frames to come.
pub(super) const SPARE: usize = 1024;

/// A link that stands, on which nothing passes yet.
pub struct EmulatedLink {
    link: Namespace,
    near: Namespace,
    addresses: Addresses,
    mtu: u32,
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
        Ok(EmulatedLink { link, near, addresses, mtu })
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
                    Ring::open(index, self.mtu, MEMORY)
                };
                let ring = |name: &str| ring(name).map_err(failed("open a packet socket"));
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
                    rings: [ring(TO_NEAR)?, ring(TO_FAR)?],
                    directions,
                    clock: Clock::start(),
                    is_real_time: wake_in_time(),
                    lateness: Lateness::default(),
                    known: [Time::ZERO; 2],
                    recorder,
                    spare: Vec::new(),
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

/// What came through the ring `i` leaves through the other; `directions[i]` says when.
struct Relay<'a> {
    rings: [Ring; 2],
    directions: [Direction<'a>; 2],
    clock: Clock,
    is_real_time: bool,
    lateness: Lateness,
    /// To when each direction has advanced.
    known: [Time; 2],
    recorder: Option<Recorder>,
    spare: Vec<Vec<u8>>,
}

impl Relay<'_> {
    fn pass(&mut self, requests: &Requests) -> io::Result<()> {
        loop {
            for side in 0..2 {
                let known = self.fetch(side);
                self.known[side] = self.known[side].max(known);
                self.directions[side].advance(known);
                if let Some(recorder) = &mut self.recorder {
                    recorder.decided(side, Decided::Link(self.directions[side].decisions()));
                }
                self.send(side, known);
            }
            let next = self.directions.iter_mut().filter_map(Direction::next_event).min();
            if !self.wait(next, requests)? {
                continue;
            }
            for request in requests.all() {
                match request {
                    // That is a lab's.
                    Request::Report(_) => {}
                    // Nobody may wait for it any more.
                    Request::Look(to) => drop(to.send(self.look()?)),
                    Request::Change(change, to) => drop(to.send(self.change(change))),
                    Request::Stop => return Ok(()),
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

    /// Hands over what has come; until when all that came is known.
    fn fetch(&mut self, side: usize) -> Time {
        // Read before frames are fetched: what has come by now is there.
        let (present, offset) = (self.clock.now(), self.clock.offset());
        let direction = &mut self.directions[side];
        let mut last = Time::ZERO;
        for _ in 0..BATCH {
            match self.rings[side].take(|| self.spare.pop().unwrap_or_default()) {
                None => return present,
                Some(Taken::Frame { stamp, frame }) => {
                    last = offset.instant(stamp, self.clock.now());
                    if let Some(recorder) = &mut self.recorder {
                        recorder.frame(side as u16, self.known[side], last, &frame.bytes);
                    }
                    direction.arrive(last, frame);
                }
                Some(Taken::Cut { stamp, frames }) => {
                    last = offset.instant(stamp, self.clock.now());
                    for frame in frames {
                        if let Some(recorder) = &mut self.recorder {
                            recorder.frame(side as u16, self.known[side], last, &frame.bytes);
                        }
                        direction.arrive(last, frame);
                    }
                }
                Some(Taken::TooLarge { bytes }) => {
                    let counts = direction.counts_mut();
                    counts.arrived.count(bytes);
                    counts.lose(LinkLoss::TooLarge, 1, bytes.into());
                }
            }
        }
        last
    }

    /// Sends what has departed.
    fn send(&mut self, side: usize, known: Time) {
        while let Some(Departure { at, frame }) = self.directions[side].depart(known) {
            if self.rings[1 - side].send(&frame).is_err() {
                self.directions[side].counts_mut().not_sent(frame.bytes.len() as u32);
            }
            self.lateness.count(self.clock.now().since(at));
            if self.spare.len() < SPARE {
                self.spare.push(frame.bytes);
            }
        }
    }

    /// Sleeps until `next`, or until something comes; whether something was asked.
    fn wait(&self, next: Option<Time>, requests: &Requests) -> io::Result<bool> {
        let timeout = next.map(|next| {
            let nanoseconds = next.since(self.clock.now()).as_ps().div_ceil(1000);
            Timespec {
                tv_sec: (nanoseconds / 1_000_000_000) as i64,
                tv_nsec: (nanoseconds % 1_000_000_000) as i64,
            }
        });
        let mut waiting = [
            PollFd::new(&self.rings[0], PollFlags::IN),
            PollFd::new(&self.rings[1], PollFlags::IN),
            PollFd::new(requests, PollFlags::IN),
        ];
        match poll(&mut waiting, timeout.as_ref()) {
            Ok(_) => Ok(waiting[2].revents().contains(PollFlags::IN)),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
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
