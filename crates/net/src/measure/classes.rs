//! Flows by size, among those that began within a window of time.
//!
//! Themis (§6.3.2) and Occamy (§6.2) call flows below 100 KB small; Gearbox (§4.1.3) uses 80 KB.
//! Themis divides each FCT by the flow's size. O(flows log flows); 24 bytes per flow of the window
//! that has finished.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::ops::Range;

use forebay_switch::FlowId;
use forebay_units::{Bytes, Duration, Time};

use super::spread::{Gathered, slowdown};
use super::{Completions, FlowRecord, Spread};

/// Classes of sizes: below the first edge, from each edge to the next, and from the last one on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeClasses {
    edges: Vec<Bytes>,
}

/// Edges of size classes that do not increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeError {
    before: Bytes,
    edge: Bytes,
}

impl fmt::Display for EdgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EdgeError { before, edge } = self;
        write!(f, "the size class edge {edge} follows {before}: give increasing edges above 0")
    }
}

impl core::error::Error for EdgeError {}

impl SizeClasses {
    /// Small flows, below 100 KB, and all others.
    #[must_use]
    pub fn small_and_large() -> Self {
        SizeClasses { edges: alloc::vec![Bytes::new(100_000)] }
    }

    /// Classes between these edges; with none, all flows are one class.
    ///
    /// # Errors
    /// [`EdgeError`] names the first edge that is not above the one before it.
    pub fn new(edges: &[Bytes]) -> Result<Self, EdgeError> {
        let before = core::iter::once(Bytes::ZERO).chain(edges.iter().copied());
        match before.zip(edges.iter().copied()).find(|(before, edge)| before >= edge) {
            Some((before, edge)) => Err(EdgeError { before, edge }),
            None => Ok(SizeClasses { edges: edges.to_vec() }),
        }
    }

    /// The range of sizes of each class, the end excluded.
    pub fn ranges(&self) -> impl Iterator<Item = Range<Bytes>> + '_ {
        let from = core::iter::once(Bytes::ZERO).chain(self.edges.iter().copied());
        let to = self.edges.iter().copied().chain(core::iter::once(Bytes::new(u64::MAX)));
        from.zip(to).map(|(from, to)| from..to)
    }

    fn class_of(&self, size: Bytes) -> usize {
        self.edges.partition_point(|edge| *edge <= size)
    }
}

/// The flows of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassReport {
    /// Their range of sizes, the end excluded.
    pub sizes: Range<Bytes>,
    /// FCT and slowdown.
    pub completions: Completions,
    /// FCT over size, in picoseconds per byte.
    pub time_per_byte: Option<Spread<f64>>,
}

/// The flows that began in `window` (its end excluded), by class. Earlier ones belong to the
/// warm-up.
///
/// ```
/// use forebay_net::flow::Flow;
/// use forebay_net::measure::{FlowRecord, LastLink, SizeClasses, Transit, by_class};
/// use forebay_net::transport::SenderCounters;
/// use forebay_units::{Bytes, Duration, Time};
///
/// let after = |us| Time::ZERO + Duration::from_us(us);
/// // One flow starts each microsecond, and takes 20 µs, twice its ideal.
/// let records: Vec<_> = (0..100).map(|us| FlowRecord {
///     flow: Flow::new(0, 1, Bytes::new(1000), after(us)),
///     finish: (us != 77).then_some(after(us + 20)),
///     delivered: Bytes::new(1000),
///     ideal: Duration::from_us(10),
///     last_link: LastLink::default(),
///     sender: SenderCounters::default(),
///     transit: Transit::default(),
/// }).collect();
/// let classes = by_class(&records, &(after(50)..after(90)), &SizeClasses::small_and_large());
/// let small = &classes[0].completions;
/// assert_eq!((small.unfinished, small.time.ok_or("flows")?.count), (1, 39));
/// assert_eq!(small.slowdown.ok_or("flows")?.p99, 2.0);
/// assert_eq!(classes[1].completions.time, None);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn by_class(
    records: impl IntoIterator<Item: Borrow<FlowRecord>>,
    window: &Range<Time>,
    classes: &SizeClasses,
) -> Vec<ClassReport> {
    let mut of_class: Vec<(Gathered, Vec<f64>)> =
        classes.ranges().map(|_| <_>::default()).collect();
    for record in records {
        let record = record.borrow();
        if !window.contains(&record.flow.start) {
            continue;
        }
        let (completions, per_byte) = &mut of_class[classes.class_of(record.flow.bytes)];
        completions.add(record.fct(), record.ideal);
        let bytes = record.flow.bytes.get().max(1) as f64;
        per_byte.extend(record.fct().map(|fct| fct.as_ps() as f64 / bytes));
    }
    let report = |(sizes, (completions, per_byte)): (_, (Gathered, Vec<f64>))| {
        let time_per_byte = Spread::of_numbers(per_byte);
        ClassReport { sizes, completions: completions.spread(), time_per_byte }
    };
    classes.ranges().zip(of_class).map(report).collect()
}

/// A flow that began in the measured window.
pub(crate) struct Measured {
    pub(crate) id: FlowId,
    pub(crate) bytes: Bytes,
    pub(crate) fct: Option<Duration>,
}

/// FCT and slowdown of each class, and of all flows together. One kind of value is in memory at a
/// time, class after class: first each class is sorted in its place, then all.
pub(crate) fn completions(
    classes: &SizeClasses,
    flows: &(impl Iterator<Item = Measured> + Clone),
    ideal: impl Fn(FlowId) -> Duration,
) -> (Vec<Completions>, Completions) {
    let count = classes.edges.len() + 1;
    let (mut finished, mut of_class) =
        (alloc::vec![0; count], alloc::vec![Completions::default(); count]);
    for Measured { bytes, fct, .. } in flows.clone() {
        let class = classes.class_of(bytes);
        match fct {
            Some(_) => finished[class] += 1,
            None => of_class[class].unfinished += 1,
        }
    }
    let unfinished = of_class.iter().map(|class| class.unfinished).sum();
    let mut all = Completions { unfinished, ..Completions::default() };
    let ends = || flows.clone().filter_map(|flow| flow.fct.map(|fct| (flow, fct)));

    let times = ends().map(|(flow, fct)| (classes.class_of(flow.bytes), fct));
    let mut times = by_place(&finished, times, Duration::ZERO);
    for (class, values) in of_class.iter_mut().zip(pieces(&finished, &mut times)) {
        class.time = Spread::sorting_times(values);
    }
    all.time = Spread::of_times(times);

    let slowdowns =
        ends().map(|(flow, fct)| (classes.class_of(flow.bytes), slowdown(fct, ideal(flow.id))));
    let mut slowdowns = by_place(&finished, slowdowns, 0.0);
    for (class, values) in of_class.iter_mut().zip(pieces(&finished, &mut slowdowns)) {
        class.slowdown = Spread::sorting_numbers(values);
    }
    all.slowdown = Spread::of_numbers(slowdowns);
    (of_class, all)
}

/// Values, each with its class, put class after class, of which `counts` has the sizes.
fn by_place<T: Copy>(
    counts: &[usize],
    values: impl Iterator<Item = (usize, T)>,
    nothing: T,
) -> Vec<T> {
    let mut next: Vec<usize> = counts
        .iter()
        .scan(0, |sum, count| {
            let start = *sum;
            *sum += count;
            Some(start)
        })
        .collect();
    let mut placed = alloc::vec![nothing; counts.iter().sum()];
    for (class, value) in values {
        placed[next[class]] = value;
        next[class] += 1;
    }
    placed
}

/// The piece of each class.
fn pieces<'a, T>(counts: &[usize], mut values: &'a mut [T]) -> Vec<&'a mut [T]> {
    let piece = |count: &usize| {
        let (piece, rest) = core::mem::take(&mut values).split_at_mut(*count);
        values = rest;
        piece
    };
    counts.iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;
    use crate::measure::{LastLink, Transit};
    use crate::transport::SenderCounters;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn edges_rise() {
        let edges = |kb: &[u64]| -> Vec<Bytes> { kb.iter().map(|&n| Bytes::new(n)).collect() };
        let error = SizeClasses::new(&edges(&[5, 9, 9])).unwrap_err().to_string();
        assert_eq!(error, "the size class edge 9 B follows 9 B: give increasing edges above 0");
        assert!(SizeClasses::new(&edges(&[0])).is_err());
        assert_eq!(SizeClasses::new(&[]).unwrap().ranges().count(), 1);
    }

    proptest! {
        /// What is computed from a few numbers of each flow is what their records tell.
        #[test]
        fn completions_are_those_of_the_records(
            flows in proptest::collection::vec((1u64..60, 0u64..9, 0u64..90, 1u64..30), 0..40),
            edges in proptest::collection::btree_set(1u64..50, 0..4),
        ) {
            let edges: Vec<Bytes> = edges.into_iter().map(Bytes::new).collect();
            let classes = SizeClasses::new(&edges).unwrap();
            let record = |&(bytes, start, fct, ideal): &(u64, u64, u64, u64)| FlowRecord {
                flow: Flow::new(0, 1, Bytes::new(bytes), Time::from_ps(start)),
                // Some have not finished.
                finish: (fct % 5 > 0).then_some(Time::from_ps(start + fct)),
                delivered: Bytes::ZERO,
                ideal: Duration::from_ps(ideal),
                last_link: LastLink::default(),
                sender: SenderCounters::default(),
                transit: Transit::default(),
            };
            let records: Vec<FlowRecord> = flows.iter().map(record).collect();
            let window = Time::from_ps(2)..Time::from_ps(7);
            let began = (0..).zip(&records).filter(|(_, record)| {
                window.contains(&record.flow.start)
            });
            let measured = began.map(|(id, record)| {
                Measured { id, bytes: record.flow.bytes, fct: record.fct() }
            });
            let (of_class, all) =
                completions(&classes, &measured, |id| records[id as usize].ideal);
            let expected = by_class(&records, &window, &classes);
            prop_assert_eq!(of_class, expected.into_iter().map(|c| c.completions).collect::<Vec<_>>());
            let one = by_class(&records, &window, &SizeClasses::new(&[]).unwrap());
            prop_assert_eq!(&all, &one[0].completions);
        }

        #[test]
        fn every_size_is_in_the_class_whose_range_has_it(
            edges in proptest::collection::btree_set(1u64..50, 0..6), size in 0u64..60,
        ) {
            let edges: Vec<Bytes> = edges.into_iter().map(Bytes::new).collect();
            let classes = SizeClasses::new(&edges).unwrap();
            let size = Bytes::new(size);
            let holding: Vec<_> =
                classes.ranges().enumerate().filter(|(_, range)| range.contains(&size)).collect();
            prop_assert_eq!(holding.len(), 1);
            prop_assert_eq!(holding[0].0, classes.class_of(size));
        }
    }
}
