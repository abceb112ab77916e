//! The approximate queues by name. Adding one: its file, its entry here.

use alloc::boxed::Box;

use forebay_parameters::{Entry, Registry};

use super::{
    Advance, Aifo, AifoConfig, ApproximateQueue, CalendarQueue, DropTailQueue,
    ProgrammableCalendar, PushOut, RefuseWhenFull, ShapeError, SpPifo,
};
use crate::exact::ExactQueue;

/// Parameters of all structures; each reads its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproximateConfig {
    /// Places for elements, in all. Default 80: eight queues of ten, as SP-PIFO is evaluated.
    pub capacity: usize,
    /// First-in first-out queues, of those structures that have several. Default 8.
    pub queues: usize,
    /// Ranks per period of a calendar. Default 25 (ours).
    pub granularity: u64,
    /// AIFO's window and burst.
    pub aifo: AifoConfig,
}

impl Default for ApproximateConfig {
    fn default() -> Self {
        let aifo = AifoConfig::default();
        ApproximateConfig { capacity: 80, queues: 8, granularity: 25, aifo }
    }
}

/// A queue of the registry.
pub type AnyApproximate<T> = Box<dyn ApproximateQueue<Item = T> + Send>;

/// One line of the registry.
#[derive(Clone, Copy, Debug)]
pub struct ApproximateInfo<T> {
    /// The name in configurations and results.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// An empty queue; [`ShapeError`] if a parameter that it reads is out of range.
    pub build: fn(&ApproximateConfig) -> Result<AnyApproximate<T>, ShapeError>,
}

impl<T> Entry for ApproximateInfo<T> {
    const WHAT: &'static str = "approximate queue";

    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        self.about
    }
}

/// The built-in structures: the ideal first, no scheduling last.
///
/// ```
/// use forebay_parameters::Entry;
/// use forebay_pifo::approximate::{ApproximateConfig, ApproximateInfo, approximate_queues};
///
/// let config = ApproximateConfig::default();
/// let mut queue = (approximate_queues().named("sp-pifo")?.build)(&config)?;
/// queue.push(7, "packet")?;
/// assert_eq!(queue.pop(), Some((7, "packet")));
///
/// // One of a caller's own joins them: here, a smaller one.
/// let own = ApproximateInfo::<u64> {
///     name: "small-aifo",
///     about: "aifo of eight places",
///     build: |config| {
///         let small = ApproximateConfig { capacity: 8, ..*config };
///         (approximate_queues().get("aifo").unwrap().build)(&small)
///     },
/// };
/// let mine = approximate_queues().with(own)?;
/// assert_eq!((mine.named("small-aifo")?.build)(&config)?.capacity(), 8);
/// assert!(mine.named("small").err().unwrap().to_string().starts_with("there is no approximate queue `small`; "));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
pub fn approximate_queues<T: Send + 'static>() -> Registry<ApproximateInfo<T>> {
    Registry::of([
        ApproximateInfo {
            name: "pifo",
            about: "exact order; when full, the largest rank is dropped",
            build: |config| {
                Ok(Box::new(PushOut::new(ExactQueue::new(usize::MAX), config.places()?)))
            },
        },
        ApproximateInfo {
            name: "pifo-refuse",
            about: "exact order; when full, the arriving element is dropped",
            build: |config| Ok(Box::new(RefuseWhenFull::new(ExactQueue::new(config.places()?)))),
        },
        ApproximateInfo {
            name: "sp-pifo",
            about: "strict-priority queues whose bounds follow the ranks",
            build: |config| {
                let ApproximateConfig { capacity, queues, .. } = *config;
                if capacity < queues {
                    return Err(ShapeError::NoPlaces { capacity, queues });
                }
                let places = capacity.checked_div(queues).unwrap_or(0);
                Ok(Box::new(SpPifo::new(queues, places)?))
            },
        },
        ApproximateInfo {
            name: "aifo",
            about: "one queue that admits by the quantile of the rank",
            build: |config| Ok(Box::new(Aifo::new(config.capacity, config.aifo)?)),
        },
        ApproximateInfo {
            name: "afq",
            about: "a calendar of fixed rounds, for ranks that advance",
            build: |config| {
                let ApproximateConfig { queues, granularity, capacity, .. } = *config;
                Ok(Box::new(CalendarQueue::new(queues, granularity, capacity)?))
            },
        },
        ApproximateInfo {
            name: "pcq",
            about: "a calendar of periods that can be programmed, for ranks that advance",
            build: |config| {
                let ApproximateConfig { queues, granularity, capacity, .. } = *config;
                let advance = Advance::WhenEmpty;
                Ok(Box::new(ProgrammableCalendar::new(queues, granularity, capacity, advance)?))
            },
        },
        ApproximateInfo {
            name: "fifo",
            about: "arrival order; when full, the arriving element is dropped",
            build: |config| Ok(Box::new(DropTailQueue::new(config.capacity)?)),
        },
    ])
}

impl ApproximateConfig {
    /// The capacity, if it is one.
    fn places(&self) -> Result<usize, ShapeError> {
        ShapeError::check(self.capacity, 1, 1).map(|()| self.capacity)
    }
}
