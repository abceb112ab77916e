//! Flows by size, among those that began within a window of time.
//!
//! Themis (§6.3.2) and Occamy (§6.2) call flows below 100 KB small; Gearbox (§4.1.3) uses 80 KB.
//! Themis divides each FCT by the flow's size. O(flows log flows); 24 bytes per flow of the window
//! that has finished.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::ops::Range;

use forebay_units::{Bytes, Time};

use super::spread::Gathered;
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

#[cfg(test)]
mod tests {
    use super::*;
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
