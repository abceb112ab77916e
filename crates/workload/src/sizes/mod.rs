//! How large flows are: an empirical cumulative distribution, linear between its points. WebSearch
//! (Themis §6.3.1, after DCTCP) and Hadoop (Roy et al., SIGCOMM'15) are built in; the head of each
//! file in `data/` says where its points come from. O(log points) per draw.

mod csv;
mod error;

use forebay_parameters::UnknownName;
use forebay_units::Bytes;
use rand::Rng;

use crate::random::uniform;
pub use error::{DistributionError, Problem as DistributionProblem};

/// The most points a distribution may have.
pub const MAX_POINTS: usize = 65_536;

/// The largest flow, in bytes (1 PiB): whole numbers up to here are exact in every computation.
pub const MAX_FLOW_BYTES: f64 = (1u64 << 50) as f64;

/// An empirical distribution of flow sizes.
///
/// ```
/// use forebay_units::Bytes;
/// use forebay_workload::SizeDistribution;
///
/// let sizes = SizeDistribution::from_csv("0, 0\n1000, 0.5\n9000, 1", "half-small.csv")?;
/// assert_eq!(sizes.quantile(0.25), Bytes::new(500));
/// assert_eq!(sizes.quantile(0.75), Bytes::new(5000));
/// # Ok::<(), forebay_workload::DistributionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SizeDistribution {
    name: String,
    /// From probability 0 to 1, ascending in both.
    points: Vec<Point>,
    mean: f64,
}

/// The probability that a flow is of at most `bytes` bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    bytes: f64,
    probability: f64,
}

impl SizeDistribution {
    /// The names that [`builtin`](Self::builtin) knows.
    pub const BUILTIN: [&'static str; 3] = ["websearch", "hadoop", "wide-area"];

    /// A distribution that ships with the crate, by name.
    ///
    /// # Errors
    /// If there is none with that name; the message lists the names.
    pub fn builtin(name: &str) -> Result<Self, DistributionError> {
        let text = match name {
            "websearch" => include_str!("../../data/websearch.csv"),
            "hadoop" => include_str!("../../data/hadoop.csv"),
            "wide-area" => include_str!("../../data/wide-area.csv"),
            _ => {
                let unknown = UnknownName::new("distribution of sizes", name, Self::BUILTIN);
                return Err(DistributionError::UnknownName(unknown));
            }
        };
        Self::from_csv(text, name)
    }

    /// Reads the distribution in `text`, lines of `size_bytes,cum_prob`; messages call it `name` (a
    /// file's path, for example). Blank lines and lines that start with `#` are skipped, and so is
    /// a header in the first line. Sizes and probabilities must not decrease, and probabilities run
    /// from 0 to 1; two points of one size are a step. A header that speaks of bits is refused.
    /// O(length).
    ///
    /// # Errors
    /// A [`DistributionError`] with the line and the fix.
    pub fn from_csv(text: &str, name: &str) -> Result<Self, DistributionError> {
        let points = csv::parse(text, name)?;
        let mean = points.windows(2).map(|pair| mean_within(pair[0], pair[1])).sum();
        Ok(SizeDistribution { name: name.to_owned(), points, mean })
    }

    /// Reads the distribution from `reader`, at most a few megabytes of it; otherwise like
    /// [`from_csv`](Self::from_csv).
    ///
    /// # Errors
    /// A [`DistributionError`], also if the text cannot be read or is too long.
    pub fn from_reader(reader: impl std::io::Read, name: &str) -> Result<Self, DistributionError> {
        Self::from_csv(&csv::read_bounded(reader, name)?, name)
    }

    /// Every flow has `size` bytes (1 to [`MAX_FLOW_BYTES`], clamped).
    #[must_use]
    pub fn constant(size: Bytes) -> Self {
        let bytes = (size.get() as f64).clamp(1.0, MAX_FLOW_BYTES);
        let points = [0.0, 1.0].map(|probability| Point { bytes, probability }).to_vec();
        SizeDistribution { name: format!("{size}"), points, mean: bytes }
    }

    /// The distribution's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mean of the sizes that [`sample`](Self::sample) draws, in (fractional) bytes; at
    /// least 1.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The largest size that [`sample`](Self::sample) draws.
    #[must_use]
    pub fn largest(&self) -> Bytes {
        self.quantile(1.0)
    }

    /// The size that a fraction `u` of flows does not exceed, rounded to a whole byte, at least 1.
    /// A `u` outside [0, 1] counts as the nearer end, NaN as 0.
    #[must_use]
    pub fn quantile(&self, u: f64) -> Bytes {
        let u = u.max(0.0);
        let above = self.points.partition_point(|point| point.probability < u);
        let upper = self.points[above.min(self.points.len() - 1)];
        let lower = self.points[above.saturating_sub(1)];
        let width = upper.probability - lower.probability;
        if width <= 0.0 {
            return whole(upper.bytes);
        }
        let fraction = ((u - lower.probability) / width).min(1.0);
        whole(lower.bytes + fraction * (upper.bytes - lower.bytes))
    }

    /// Draws a size with one number from `rng`.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Bytes {
        self.quantile(uniform(rng))
    }
}

fn whole(bytes: f64) -> Bytes {
    Bytes::new(bytes.round().max(1.0) as u64)
}

/// What sizes between two points contribute to the mean: ∫ max(1, round(x)) over the interval, in
/// closed form.
///
/// ∫ round = (b² − d(b)² − a² + d(a)²)/2 for d(x) = x − round(x), and the lower bound of 1 adds the
/// part of the interval below ½; both corrections vanish where points are whole and sizes are not
/// tiny.
fn mean_within(from: Point, to: Point) -> f64 {
    let (a, b) = (from.bytes, to.bytes);
    let mean = if b > a {
        let squared_distance = |x: f64| (x - x.round()) * (x - x.round());
        let rounding = (squared_distance(a) - squared_distance(b)) / (2.0 * (b - a));
        let raised = (b.min(0.5) - a.min(0.5)) / (b - a);
        (a + b) / 2.0 + rounding + raised
    } else {
        a.round().max(1.0)
    };
    (to.probability - from.probability) * mean
}

#[cfg(test)]
mod tests;
