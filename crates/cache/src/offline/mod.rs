//! What only a known future allows: the future itself, and the best of all schedules.

mod annotate;
mod exhaustive;

pub use annotate::annotate;
pub use exhaustive::{MAX_REQUESTS, Optimum, TooManyRequests, exhaustive};
