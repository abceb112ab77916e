//! The parameters of one direction of a link.

use std::path::Path;

use forebay_parameters::{Configure, Kind, ParameterError};
use forebay_units::{Bytes, Duration, Rate};

use super::direction::least_memory;
use super::pace::Pace;
use crate::trace;

/// The longest that frames may be kept to be handled at once: what waits longer is no more like a
/// network card, and would be taken for a machine that is too slow.
const MOST_TOGETHER: Duration = Duration::from_ms(1);

/// One direction of a link, but for its switch. `docs/live.md` says what each does.
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct EmulationConfig {
    /// A file with rates that change, of mahimahi or rattan, in place of the rate.
    #[parameter(assumed = "a constant rate", kind = Kind::Path, default = String::new())]
    pub trace: String,
    /// Bits that pass in a second, counted over Ethernet frames without preamble and checksum.
    #[parameter(assumed = "the example of the manual", default = Rate::from_bps(20_000_000))]
    #[parameter(when = self.trace.is_empty())]
    pub rate: Rate,
    /// How long a frame is on the way, once its last bit was sent.
    #[parameter(assumed = "no distance", default = Duration::ZERO)]
    pub delay: Duration,
    /// A frame takes at most so much less or more than the delay, uniformly distributed.
    #[parameter(assumed = "none", default = Duration::ZERO)]
    pub jitter: Duration,
    /// The probability with which a frame is lost on the way.
    #[parameter(assumed = "none", range = 0.0..=1.0, default = 0.0)]
    pub loss: f64,
    /// The probability with which a frame is held back, so that later ones may overtake it.
    #[parameter(assumed = "none", range = 0.0..=1.0, default = 0.0)]
    pub reorder: f64,
    /// How long such a frame is held back.
    #[parameter(assumed = "a few packets at 20 Mb/s", default = Duration::from_ms(1))]
    #[parameter(when = self.reorder > 0.0)]
    pub reorder_by: Duration,
    /// Bytes of the largest IP packet that passes: at least IPv4's least (RFC 791), at most what an
    /// interface takes.
    #[parameter(assumed = "Ethernet's", range = 68..=65_535, default = 1500)]
    pub mtu: u32,
    /// How much later frames may leave so that several are handled at once: packets that one large
    /// segment of the sender carried leave as one again, and frames that come densely are found in
    /// pauses of this time; 0 lets each packet leave by itself, at its instant.
    #[parameter(assumed = "what network cards wait for more to come (interrupt moderation)")]
    #[parameter(default = Duration::from_us(20))]
    pub together: Duration,
    /// Seed of everything random.
    #[parameter(assumed = "any", range = 0.., default = 1, when = self.draws())]
    pub seed: u64,
    /// The most memory that frames may take that wait or are on their way.
    #[parameter(assumed = "two seconds at 1 Gb/s", default = Bytes::new(256_000_000))]
    pub memory: Bytes,
}

impl EmulationConfig {
    /// The least time that a frame takes on the wire.
    #[must_use]
    pub fn least_delay(&self) -> Duration {
        self.delay - self.jitter
    }

    /// Whether anything is drawn at random.
    fn draws(&self) -> bool {
        self.jitter > Duration::ZERO || self.loss > 0.0 || self.reorder > 0.0
    }

    /// That each value makes sense.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ParameterError> {
        if self.rate == Rate::from_bps(0) {
            return Err(EmulationConfig::RATE.refuse("nothing passes at 0 b/s: give a higher rate"));
        }
        if self.jitter > self.delay {
            let delay = self.delay;
            let problem =
                format!("a frame cannot take less than no time: give at most the delay, {delay}");
            return Err(EmulationConfig::JITTER.refuse(problem));
        }
        if self.together > MOST_TOGETHER {
            let problem = format!("frames are kept for others at most {MOST_TOGETHER}");
            return Err(EmulationConfig::TOGETHER.refuse(problem));
        }
        let least = least_memory(self.mtu);
        if self.memory < least {
            let problem = format!("no full frame fits into {}: give at least {least}", self.memory);
            return Err(EmulationConfig::MEMORY.refuse(problem));
        }
        Ok(())
    }

    /// How fast it sends: at its rate, or as its trace says, which is read here.
    ///
    /// # Errors
    /// A value that makes no sense, or what is wrong with the trace.
    pub fn pace(&self) -> Result<Pace, ParameterError> {
        self.check()?;
        if self.trace.is_empty() {
            return Ok(Pace::of(self.rate));
        }
        let refuse = |error| EmulationConfig::TRACE.refuse(format!("{}: {error}", self.trace));
        trace::open(Path::new(&self.trace)).map_err(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let refused = |config: EmulationConfig| config.check().unwrap_err().to_string();
        let base = EmulationConfig::default();
        assert_eq!(base.check(), Ok(()));
        let jitter = refused(EmulationConfig { jitter: Duration::from_ms(1), ..base.clone() });
        assert!(jitter.starts_with("jitter: "), "{jitter}");
        let together = Duration::from_us(1001);
        let together = refused(EmulationConfig { together, ..base.clone() });
        assert_eq!(together, "together: frames are kept for others at most 1 ms");
        let rate = refused(EmulationConfig { rate: Rate::from_bps(0), ..base });
        assert!(rate.starts_with("rate: "), "{rate}");
        let least = least_memory(1500);
        let fits = EmulationConfig { memory: least, ..EmulationConfig::default() };
        assert_eq!(fits.check(), Ok(()));
        let memory = refused(EmulationConfig { memory: least - Bytes::new(1), ..fits });
        assert!(
            memory.starts_with("memory: ") && memory.contains("give at least 1.646 KB"),
            "{memory}"
        );
        let config =
            EmulationConfig { trace: "/no/such.trace".to_owned(), ..EmulationConfig::default() };
        let trace = config.pace().unwrap_err().to_string();
        assert!(trace.starts_with("trace: /no/such.trace: it cannot be read: "), "{trace}");
    }
}
