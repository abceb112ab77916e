//! What only a known future allows: the future itself, and the best of all schedules.

mod activity;
mod annotate;
mod exhaustive;

pub use activity::{burstiness, most_active};
pub use annotate::annotate;
pub use exhaustive::{MAX_REQUESTS, Optimum, TooManyRequests, exhaustive};
