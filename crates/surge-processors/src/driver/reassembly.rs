//! The reassembler as a station, its attack, and what its steps cost on this machine.
//!
//! Source: thesis §3.6.1: packets of one byte with every other sequence number, so that none fits together and
//! each walks past all before it; when the window is full, a new flow. With N in a flow the average is (N - 1) / 2
//! traversals. The estimate is the length of the flow's list (§3.5.2). That is the length when a packet arrives:
//! what waits before it may lengthen the list, and then the estimate is no upper bound.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use forebay_surge::estimate::Traversals;
use forebay_surge::model::{Atom, Class, Joint};
use forebay_surge::{Protect, ProtectConfig, SurgeError};
use forebay_units::{Bytes, Duration};

use super::{Clock, Guarded, Station, Tagged};
use crate::error::ProcessorError;
use crate::packet::{Packet, Transport};
use crate::tcp::{Reassembler, ReassemblyConfig, SegmentStore, TcpFields};

/// Attack packets without end: out-of-order segments of one byte, in several flows at a time.
#[derive(Clone, Debug)]
pub struct Flood {
    /// Segments of a flow before a new one takes its place, at least 1.
    segments: u32,
    /// Flows at a time, at least 1.
    flows: u32,
    sent: u64,
}

impl Flood {
    /// Flows of so many segments, so many at a time (50 in the paper).
    #[must_use]
    pub fn new(segments: u32, flows: u32) -> Self {
        Flood { segments: segments.max(1), flows: flows.max(1), sent: 0 }
    }

    /// The segments with which a window is full: every other byte of it.
    #[must_use]
    pub fn filling(window: u64) -> u32 {
        u32::try_from(window / 2).unwrap_or(u32::MAX).max(1)
    }
}

impl Iterator for Flood {
    type Item = Packet;

    fn next(&mut self) -> Option<Packet> {
        let flows = u64::from(self.flows);
        let (round, slot) = (self.sent / flows, self.sent % flows);
        let (generation, at) = (round / u64::from(self.segments), round % u64::from(self.segments));
        self.sent += 1;
        let flow = generation * flows + slot;
        // 16 million flows before one returns, in 172.16.0.0/12 with 16 ports each.
        let [_, b, c, d] = ((flow / 16 % (1 << 20)) as u32).to_be_bytes();
        let source = ([172, 16 | b, c, d], 1024 + (flow % 16) as u16).into();
        let destination = ([192, 0, 2, 1], 80).into();
        let seq = (flow as u32).wrapping_mul(0x9E37_79B1).wrapping_add(2 * at as u32);
        let transport = Transport::Tcp(TcpFields { seq, ..TcpFields::default() });
        Some(Packet::new(source, destination, transport, b"x"))
    }
}

/// What the reassembler's steps cost, and what that makes of the innocent traffic.
#[derive(Clone, Debug)]
pub struct ReassemblyCosts {
    /// A packet of the innocent traffic, on average.
    pub base: Duration,
    /// A traversal of the longest list.
    pub step: Duration,
    /// Packet sizes, job sizes, and estimates by list length, of the innocent traffic.
    pub innocent: Joint,
}

impl ReassemblyCosts {
    /// Measures on the given packets, processed twice; the second time counts.
    ///
    /// # Errors
    /// If no packet is a TCP segment, or a limit is zero.
    pub fn measure<S: SegmentStore>(
        packets: &[Packet],
        config: ReassemblyConfig,
        clock: &Clock,
    ) -> Result<Self, MeasureError> {
        let mut reassembler: Reassembler<S> = Reassembler::new(config)?;
        let mut timed = |packet: &Packet| {
            let segment = packet.segment()?;
            let waiting = reassembler.out_of_order(&segment) as u64;
            let before = clock.now();
            reassembler.process(&segment, |_, event| {
                black_box(event);
            });
            Some((packet.size, waiting, clock.net(clock.now().since(before), 1)))
        };
        for packet in packets {
            timed(&packet.in_pass(1));
        }
        let jobs: Vec<_> = packets.iter().filter_map(|packet| timed(&packet.in_pass(2))).collect();
        let total: f64 = jobs.iter().map(|(_, _, took)| took.as_secs_f64()).sum();
        if jobs.is_empty() {
            return Err(ProcessorError::NoWork("the capture").into());
        }
        let base = Duration::from_ps((total / jobs.len() as f64 * 1e12) as u64);
        // The second half of a flow that fills the window: its mean list is three quarters of that.
        let most = Flood::filling(config.window);
        let flood: Vec<_> = Flood::new(most, 1).take(most as usize).collect();
        let walks: Vec<_> = flood.iter().filter_map(&mut timed).collect();
        let half = &walks[walks.len() / 2..];
        let steps: u64 = half.iter().map(|(_, waiting, _)| waiting).sum();
        let walked: u64 = half.iter().map(|(_, _, took)| took.as_ps()).sum();
        let step = Duration::from_ps((walked / steps.max(1)).max(1));
        let atom = |(size, waiting, work): &(Bytes, u64, Duration)| Atom {
            size: *size,
            work: *work,
            estimate: base + step * *waiting,
            weight: 1.0,
        };
        let innocent = Joint::new(jobs.iter().map(atom).collect())?;
        Ok(ReassemblyCosts { base, step, innocent })
    }

    /// The segments of attack flows whose average packet takes `work`: N = 2 K + 1 for K traversals (§3.6.1,
    /// footnote 5).
    #[must_use]
    pub fn segments_for(&self, work: Duration) -> u32 {
        let walking = work.as_ps().saturating_sub(self.base.as_ps());
        let traversals = walking / self.step.as_ps().max(1);
        u32::try_from(2 * traversals + 1).unwrap_or(u32::MAX)
    }

    /// The longest job: a whole window to walk.
    #[must_use]
    pub fn longest(&self, window: u64) -> Duration {
        self.base + self.step * u64::from(Flood::filling(window))
    }
}

/// Why costs cannot be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// The processor.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// The model of the traffic.
    #[error(transparent)]
    Surge(#[from] SurgeError),
}

/// Makes stations that reassemble TCP.
#[derive(Clone, Copy, Debug)]
pub struct ReassemblyStation;

impl ReassemblyStation {
    /// A reassembler over the store `S` behind the scheduler of `protect`.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn build<S: SegmentStore + 'static>(
        protect: &ProtectConfig,
        config: ReassemblyConfig,
        costs: &ReassemblyCosts,
        clock: &Clock,
    ) -> Result<Box<dyn Station<Packet>>, MeasureError> {
        // Shared by the estimator, which looks at arrivals, and the processor; neither runs during the other.
        let shared: Rc<RefCell<Reassembler<S>>> = Rc::new(RefCell::new(Reassembler::new(config)?));
        let lists = Rc::clone(&shared);
        let length = move |tagged: &Tagged<Packet>| {
            tagged.item.segment().map_or(0, |segment| lists.borrow().out_of_order(&segment) as u64)
        };
        let estimator = Traversals { base: costs.base, step: costs.step, length };
        let describe = |tagged: &Tagged<Packet>| (tagged.item.flow(), tagged.item.size);
        let process = move |Tagged { class, item }: Tagged<Packet>| -> (Class, ()) {
            if let Some(segment) = item.segment() {
                shared.borrow_mut().process(&segment, |_, event| {
                    black_box(event);
                });
            }
            (class, ())
        };
        let protect = Protect::new(protect, describe, estimator, process)?;
        let (clock, size) = (clock.clone(), |packet: &Packet| packet.size);
        Ok(Box::new(Guarded { protect, clock, size, learn: |_, (), _| 0 }))
    }
}
