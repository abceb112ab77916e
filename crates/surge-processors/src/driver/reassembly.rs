//! The reassembler as a station, its attack, and what its steps cost on this machine.
//!
//! Source: thesis §3.6.1: one-byte packets at every other sequence number, so that none fits
//! together and each walks past all before it; when the window is full, a new flow begins. With N
//! packets in a flow the average is (N - 1) / 2 traversals. The estimate is the length of the
//! flow's list when a packet arrives (§3.5.2); it is no upper bound if packets ahead of it lengthen
//! the list.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hint::black_box;
use std::rc::Rc;

use forebay_surge::estimate::Traversals;
use forebay_surge::model::{Class, Recorded, RecordedJob, Shot};
use forebay_surge::{FlowKey, Protect, ProtectConfig, SurgeError};
use forebay_units::Duration;

use super::{Clock, Guarded, Noted, Station, Tagged};
use crate::error::ProcessorError;
use crate::packet::{Packet, Transport};
use crate::tcp::{Reassembler, ReassemblyConfig, SegmentStore, TcpFields};

/// An endless sequence of attack packets: out-of-order one-byte segments, in several flows at a
/// time.
#[derive(Clone, Debug)]
pub struct Flood {
    /// Number of segments in a flow before a new one replaces it, at least 1.
    segments: u32,
    /// Number of flows at a time, at least 1.
    flows: u32,
    sent: u64,
}

impl Flood {
    /// Flows of this many segments, this many at a time (50 in the paper).
    #[must_use]
    pub fn new(segments: u32, flows: u32) -> Self {
        Flood { segments: segments.max(1), flows: flows.max(1), sent: 0 }
    }

    /// The number of segments that fill a window: every other byte of it.
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

/// How often a job is run to be measured; the median counts.
pub(super) const REPEATS: usize = 5;

/// The cost of the reassembler's steps, and the resulting traffic model.
#[derive(Clone, Debug)]
pub struct ReassemblyCosts {
    /// A packet of the innocent traffic, on average.
    pub base: Duration,
    /// A traversal of the longest list.
    pub step: Duration,
    /// Innocent packets in order, and a flow of the attack that fills the window; estimates by list
    /// length.
    pub recorded: Recorded,
}

impl ReassemblyCosts {
    /// Measures on the given packets, processed five times between different hosts; medians count.
    ///
    /// # Errors
    /// No packet is a TCP segment, or a limit is zero.
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
            Some((waiting, clock.net(clock.now().since(before), 1)))
        };
        let tcp: Vec<&Packet> = packets.iter().filter(|p| p.segment().is_some()).collect();
        // The first pass finds cold caches and is discarded.
        for packet in &tcp {
            timed(&packet.in_pass(0));
        }
        let innocent: Vec<Packet> = tcp.iter().map(|packet| (*packet).clone()).collect();
        let innocent = medians(&innocent, &mut timed);
        if innocent.is_empty() {
            return Err(ProcessorError::NoWork("the capture").into());
        }
        let full: Vec<Packet> = Flood::new(Flood::filling(config.window), 1)
            .take(Flood::filling(config.window) as usize)
            .collect();
        let attack = medians(&full, &mut timed);
        let total: u128 = innocent.iter().map(|job| u128::from(job.took.as_ps())).sum();
        let base = Duration::from_ps((total / innocent.len() as u128) as u64);
        // The second half of a flow that fills the window, where walking is nearly all the work.
        let half = &attack[attack.len() / 2..];
        let steps: u64 = half.iter().map(|job| job.waiting).sum();
        let walked: u64 = half.iter().map(|job| job.took.as_ps()).sum();
        let step = Duration::from_ps((walked / steps.max(1)).max(1));
        let numbers = FlowNumbers::default();
        let row = |(packet, job): (&Packet, &Timed)| RecordedJob {
            flow: numbers.of(packet),
            shot: Shot { size: packet.size, work: job.took, estimate: base + step * job.waiting },
        };
        let innocent = tcp.iter().copied().zip(&innocent).map(row).collect();
        let attack =
            full.iter().zip(&attack).map(|pair| RecordedJob { flow: 0, ..row(pair) }).collect();
        Ok(ReassemblyCosts { base, step, recorded: Recorded { innocent, attack } })
    }
}

/// A timed job.
struct Timed {
    /// Number of segments that waited in its flow when it arrived.
    waiting: u64,
    took: Duration,
}

/// Every packet in several passes, each between other hosts; the median of each.
fn medians(
    packets: &[Packet],
    timed: &mut impl FnMut(&Packet) -> Option<(u64, Duration)>,
) -> Vec<Timed> {
    let mut passes = vec![Vec::with_capacity(REPEATS); packets.len()];
    for pass in 1..=REPEATS as u32 {
        for (packet, times) in packets.iter().zip(&mut passes) {
            times.extend(timed(&packet.in_pass(pass)));
        }
    }
    let median = |mut times: Vec<(u64, Duration)>| {
        times.sort_by_key(|(_, took)| *took);
        times.get(times.len() / 2).map(|(waiting, took)| Timed { waiting: *waiting, took: *took })
    };
    passes.into_iter().filter_map(median).collect()
}

/// Flows in the order in which they are first seen.
#[derive(Default)]
pub(super) struct FlowNumbers(RefCell<HashMap<FlowKey, u32>>);

impl FlowNumbers {
    pub(super) fn of(&self, packet: &Packet) -> u32 {
        let mut known = self.0.borrow_mut();
        let next = known.len() as u32;
        *known.entry(packet.flow()).or_insert(next)
    }
}

/// Why costs cannot be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// An error of the processor.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// An error of the traffic model.
    #[error(transparent)]
    Surge(#[from] SurgeError),
    /// r_max would be 0.
    #[error(
        "no innocent packet was completed in the counted span, so there is no r_max; give a longer \
         span"
    )]
    NothingServed,
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
        // Shared by the estimator, which looks at arrivals, and the processor; they never run at
        // the same time.
        let shared: Rc<RefCell<Reassembler<S>>> = Rc::new(RefCell::new(Reassembler::new(config)?));
        let (lists, counted) = (Rc::clone(&shared), Rc::clone(&shared));
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
        let learn = |_: &mut _, (): &(), _| Noted { readings: 0, matched: None };
        let counts = Box::new(move || {
            let counters = counted.borrow().counters();
            vec![
                ("segments", counters.segments),
                ("bytes in order", counters.delivered_bytes),
                ("bytes repeated", counters.repeated_bytes),
                ("bytes missing", counters.missing_bytes),
                ("bytes refused", counters.refused_bytes),
                ("segments beyond the window", counters.beyond_window),
                ("FINs before more data", counters.void_fins),
            ]
        });
        Ok(Box::new(Guarded { protect, clock, size, learn, counts }))
    }
}
