//! The loop that gives the kernel bytes when they are due and takes what has come.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use forebay_units::{Bytes, Duration, Time};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::connect::{Connections, Ends};
use super::{Exchanged, Span, Transfer, Transferred};
use crate::live::clock::{Clock, wake_in_time};
use crate::live::error::LiveError;
use crate::live::ring::timeouts;

/// How often is looked whether to stop.
const LOOK: Duration = Duration::from_ms(50);
/// The most that is given or taken at once.
const CHUNK: usize = 256 << 10;
/// Events that are taken at once.
const EVENTS: usize = 64;

/// A transfer under way.
struct Passage {
    transfer: Transfer,
    ends: Ends,
    /// Bytes of the request that have not been read.
    asked: u64,
    /// Bytes that the kernel has not been given.
    left: u64,
    /// What the retransmission timer counted while the connection was made.
    before: Option<u32>,
    done: Transferred,
}

struct Exchange {
    passages: Vec<Passage>,
    epoll: std::os::fd::OwnedFd,
    clock: Clock,
    buffer: Vec<u8>,
    delivered: u64,
}

impl Connections {
    /// Sends and receives, from now on, until all that is measured has come. `watch` is told now
    /// and then how late it is, and says whether to go on.
    ///
    /// # Errors
    /// The step that failed. A connection that breaks is no error: its transfer is not completed.
    pub fn exchange(
        self,
        span: &Span,
        watch: impl FnMut(Time) -> bool,
    ) -> Result<Exchanged, LiveError> {
        let failed = LiveError::at("send and receive");
        let mut exchange = Exchange::new(self).map_err(&failed)?;
        exchange.run(span, watch).map_err(&failed)
    }
}

impl Exchange {
    fn new(connections: Connections) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let Connections { transfers, ends } = connections;
        let both = transfers.into_iter().zip(ends);
        let passages: Vec<Passage> = both
            .map(|(transfer, ends)| Passage {
                asked: transfer.request.map_or(0, Bytes::get),
                left: transfer.bytes.get(),
                before: timeouts(&ends.sender).ok().flatten().map(|(timeouts, _)| timeouts),
                done: Transferred::default(),
                transfer,
                ends,
            })
            .collect();
        for (data, passage) in (0..).step_by(2).zip(&passages) {
            let receiver = (&passage.ends.receiver, EventData::new_u64(data + 1));
            epoll::add(&epoll, receiver.0, receiver.1, EventFlags::IN)?;
            let wanted = if passage.asked > 0 { EventFlags::IN } else { EventFlags::empty() };
            epoll::add(&epoll, &passage.ends.sender, EventData::new_u64(data), wanted)?;
        }
        let buffer = vec![0; CHUNK];
        Ok(Exchange { passages, epoll, clock: Clock::start(), buffer, delivered: 0 })
    }

    fn run(&mut self, span: &Span, mut watch: impl FnMut(Time) -> bool) -> io::Result<Exchanged> {
        // As the program that passes the frames does: hosts are as prompt as the network.
        wake_in_time();
        let mut order: Vec<usize> = (0..self.passages.len()).collect();
        order.sort_by_key(|index| self.passages[*index].transfer.at);
        let mut coming = order.into_iter().peekable();
        let mut exchanged = Exchanged::default();
        let mut delivered = None;
        let mut events = Vec::with_capacity(EVENTS);
        self.clock = Clock::start();
        let mut looked = Time::ZERO;
        loop {
            let now = self.clock.now();
            while let Some(index) = coming.next_if(|index| self.passages[*index].transfer.at <= now)
            {
                self.begin(index);
            }
            if now >= span.measured.end {
                delivered.get_or_insert(self.delivered);
                if now >= span.give_up || self.is_over(span) {
                    break;
                }
            }
            if now.since(looked) >= LOOK {
                looked = now;
                if !watch(now) {
                    exchanged.is_stopped = true;
                    break;
                }
            }
            let next = coming.peek().map(|index| self.passages[*index].transfer.at);
            let wait = next.map_or(LOOK, |next| next.since(self.clock.now()).min(LOOK));
            let nanoseconds = wait.as_ps().div_ceil(1000) as i64;
            let wait = Timespec { tv_sec: 0, tv_nsec: nanoseconds };
            events.clear();
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&wait))
            {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                let data = event.data.u64();
                let (index, is_receiver) = ((data / 2) as usize, data % 2 == 1);
                if is_receiver { self.take(index) } else { self.on_sender(index) }
            }
        }
        exchanged.delivered = Bytes::new(delivered.unwrap_or(self.delivered));
        exchanged.transfers = self.passages.iter_mut().map(Passage::ended).collect();
        Ok(exchanged)
    }

    /// Whether all that is measured has come.
    fn is_over(&self, span: &Span) -> bool {
        self.passages.iter().all(|passage| {
            !span.measured.contains(&passage.transfer.at) || passage.done.finish.is_some()
        })
    }

    /// A transfer's instant has come.
    fn begin(&mut self, index: usize) {
        let passage = &mut self.passages[index];
        match passage.transfer.request {
            Some(bytes) => {
                // It fits into an empty socket.
                let length = usize::try_from(bytes.get()).unwrap_or(CHUNK).min(CHUNK);
                let _ = (&passage.ends.receiver).write_all(&self.buffer[..length]);
            }
            None => self.send(index),
        }
    }

    fn on_sender(&mut self, index: usize) {
        let passage = &mut self.passages[index];
        if passage.asked > 0 {
            let read = (&passage.ends.sender).read(&mut self.buffer);
            // What is broken is not asked again.
            let taken = read.map_or(0, |length| length as u64);
            passage.asked = passage.asked.saturating_sub(taken);
            if taken == 0 {
                let _ = epoll::delete(&self.epoll, &passage.ends.sender);
                return;
            }
            if passage.asked > 0 {
                return;
            }
        }
        self.send(index);
    }

    /// Gives the kernel as much as it takes.
    fn send(&mut self, index: usize) {
        let passage = &mut self.passages[index];
        let is_first = passage.done.begun.is_none();
        if is_first {
            passage.done.begun = Some(self.clock.now());
        }
        while passage.left > 0 {
            let length = passage.left.min(CHUNK as u64) as usize;
            match (&passage.ends.sender).write(&self.buffer[..length]) {
                Ok(0) => break,
                Ok(taken) => passage.left -= taken as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if is_first {
                        self.watch(index, EventFlags::OUT);
                    }
                    return;
                }
                Err(_) => break,
            }
        }
        self.watch(index, EventFlags::empty());
    }

    /// Says what is wanted to be known of a sender.
    fn watch(&self, index: usize, flags: EventFlags) {
        let data = EventData::new_u64(2 * index as u64);
        // A socket that is broken is not watched.
        let _ = epoll::modify(&self.epoll, &self.passages[index].ends.sender, data, flags);
    }

    /// Takes what has come.
    fn take(&mut self, index: usize) {
        let passage = &mut self.passages[index];
        // With TRUNC, the kernel drops the bytes instead of copying them.
        match recv(&passage.ends.receiver, self.buffer.as_mut_slice(), RecvFlags::TRUNC) {
            Ok((_, 0)) => {
                let _ = epoll::delete(&self.epoll, &passage.ends.receiver);
            }
            Ok((_, length)) => {
                let length = length as u64;
                self.delivered += length;
                passage.done.delivered += Bytes::new(length);
                if passage.done.delivered >= passage.transfer.bytes {
                    passage.done.finish.get_or_insert(self.clock.now());
                }
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => {
                let _ = epoll::delete(&self.epoll, &passage.ends.receiver);
            }
        }
    }
}

impl Passage {
    fn ended(&mut self) -> Transferred {
        let now: Option<(u32, u32)> = timeouts(&self.ends.sender as &TcpStream).ok().flatten();
        let mut done = self.done;
        done.timeouts = now.zip(self.before).map(|((now, _), before)| now.saturating_sub(before));
        done.resent = now.map_or(0, |(_, resent)| resent);
        done
    }
}
