//! The approximate queues by name. Adding one: its file, its line here.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

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

type Build<T> = fn(&ApproximateConfig) -> Result<AnyApproximate<T>, ShapeError>;

/// One line of the registry.
#[derive(Clone, Copy, Debug)]
pub struct ApproximateInfo<T> {
    /// The name in configurations and results.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    build: Build<T>,
}

impl<T> ApproximateInfo<T> {
    /// An empty queue.
    ///
    /// # Errors
    /// [`ShapeError`] if a parameter that it reads is out of range.
    pub fn build(&self, config: &ApproximateConfig) -> Result<AnyApproximate<T>, ShapeError> {
        (self.build)(config)
    }
}

/// Every structure by name: the ideal first, no scheduling last.
#[must_use]
pub fn approximate_queues<T: Send + 'static>() -> Vec<ApproximateInfo<T>> {
    let mut registry: Vec<ApproximateInfo<T>> = Vec::new();
    let mut add = |name, about, build: Build<T>| {
        registry.push(ApproximateInfo { name, about, build });
    };
    add("pifo", "exact order; when full, the largest rank is dropped", |config| {
        Ok(Box::new(PushOut::new(ExactQueue::new(usize::MAX), config.places()?)))
    });
    add("pifo-refuse", "exact order; when full, the arriving element is dropped", |config| {
        Ok(Box::new(RefuseWhenFull::new(ExactQueue::new(config.places()?))))
    });
    add("sp-pifo", "strict-priority queues whose bounds follow the ranks", |config| {
        let ApproximateConfig { capacity, queues, .. } = *config;
        if capacity < queues {
            return Err(ShapeError::NoPlaces { capacity, queues });
        }
        let places = capacity.checked_div(queues).unwrap_or(0);
        Ok(Box::new(SpPifo::new(queues, places)?))
    });
    add("aifo", "one queue that admits by the quantile of the rank", |config| {
        Ok(Box::new(Aifo::new(config.capacity, config.aifo)?))
    });
    add("afq", "a calendar of fixed rounds, for ranks that advance", |config| {
        let ApproximateConfig { queues, granularity, capacity, .. } = *config;
        Ok(Box::new(CalendarQueue::new(queues, granularity, capacity)?))
    });
    add("pcq", "a calendar of periods that can be programmed, for ranks that advance", |config| {
        let ApproximateConfig { queues, granularity, capacity, .. } = *config;
        let advance = Advance::WhenEmpty;
        Ok(Box::new(ProgrammableCalendar::new(queues, granularity, capacity, advance)?))
    });
    add("fifo", "arrival order; when full, the arriving element is dropped", |config| {
        Ok(Box::new(DropTailQueue::new(config.capacity)?))
    });
    registry
}

impl ApproximateConfig {
    /// The capacity, if it is one.
    fn places(&self) -> Result<usize, ShapeError> {
        ShapeError::check(self.capacity, 1, 1).map(|()| self.capacity)
    }
}

/// An empty queue of the structure called `name`.
///
/// # Errors
/// [`ShapeError`] if there is none of that name, or a parameter is out of range.
///
/// ```
/// use forebay_pifo::approximate::{ApproximateConfig, ApproximateQueue, approximate_queue};
///
/// let mut queue = approximate_queue("sp-pifo", &ApproximateConfig::default())?;
/// queue.push(7, "packet")?;
/// assert_eq!(queue.pop(), Some((7, "packet")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn approximate_queue<T: Send + 'static>(
    name: &str,
    config: &ApproximateConfig,
) -> Result<AnyApproximate<T>, ShapeError> {
    approximate_queues()
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| ShapeError::Unknown(name.to_string()))?
        .build(config)
}
