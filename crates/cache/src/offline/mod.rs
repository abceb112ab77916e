//! What only a known future allows: the future itself, and the best of all schedules.

mod activity;
mod annotate;
mod belatedly;
mod exhaustive;

pub use activity::{burstiness, most_active};
pub use annotate::{annotate, annotate_until};
pub use belatedly::{Belatedly, BelatedlyError, Options, Prices, ProgramSize, Progress, Solution};
pub use exhaustive::{MAX_REQUESTS, Optimum, TooManyRequests, exhaustive};
