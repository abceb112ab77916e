//! DCQCN's reaction point: the rate of a flow.
//!
//! Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, §3 and
//! §5. A congestion notification (CNP) reduces the rate by half of α and raises α; without one α
//! decays, timer by timer. The rate comes back in steps, one for each expiry of a timer (T) and one
//! for each so many bytes (BC): towards the rate before the reduction (*fast recovery*) until
//! either count is F, then beyond it by R_AI (*additive increase*), and once both are more than F
//! by growing steps of R_HAI (*hyper increase*).
//!
//! Left open there, chosen here: α and rates are kept between timers and computed when they are
//! next asked for, which changes nothing; a rate never falls below a floor; at the link's rate both
//! counts rest. Constant time per packet and timer, 104 bytes.

use alloc::boxed::Box;

use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::roce::{Path, RateConfig, RateControl, RateSample};

/// DCQCN's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct DcqcnConfig {
    /// The gain of α is g = 2^-`gain_shift`.
    #[parameter(source = CITED, range = 0..=31, default = 8)]
    pub gain_shift: u8,
    /// How long without a notification until α decays (K).
    #[parameter(source = CITED, default = Duration::from_us(55))]
    pub alpha_timer: Duration,
    /// The period of the timer that raises the rate (T).
    #[parameter(source = CITED, default = Duration::from_us(55))]
    pub increase_timer: Duration,
    /// The bytes whose sending raises the rate (BC).
    #[parameter(source = CITED, default = Bytes::new(10_000_000))]
    pub byte_counter: Bytes,
    /// Steps of fast recovery (F).
    #[parameter(source = CITED, range = 1..=1000, default = 5)]
    pub fast_recovery: u32,
    /// A step of additive increase (R_AI).
    #[parameter(source = CITED, default = Rate::from_bps(40_000_000))]
    pub additive: Rate,
    /// A step of hyper increase (R_HAI).
    #[parameter(default = Rate::from_bps(400_000_000))]
    #[parameter(assumed = "ten steps of additive increase; nobody cites a number of the paper")]
    pub hyper: Rate,
    /// The rate below which nothing is reduced.
    #[parameter(default = Rate::from_bps(10_000_000))]
    #[parameter(assumed = "a sender must go on; nobody cites a number of the paper")]
    pub floor: Rate,
    /// The shortest time between two notifications of a receiver (N).
    #[parameter(source = CITED, default = Duration::from_us(50))]
    pub notify_every: Duration,
}

// The paper's text was not at hand when these were compared with what others cite of it.
const CITED: Source = Source::assumed("what others cite of dcqcn; not compared with its own text");

impl DcqcnConfig {
    /// That its timers end and its flows go on.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })?;
        for (timer, name) in [
            (self.alpha_timer, DcqcnConfig::ALPHA_TIMER),
            (self.increase_timer, DcqcnConfig::INCREASE_TIMER),
        ] {
            if timer < Duration::from_ns(1) {
                return Err(name.refuse("a timer of less than 1 ns never ends: give more"));
            }
        }
        if self.byte_counter == Bytes::ZERO {
            return Err(DcqcnConfig::BYTE_COUNTER.refuse("give at least 1 byte"));
        }
        if self.floor.as_bps() == 0 {
            return Err(DcqcnConfig::FLOOR.refuse("a flow at 0 b/s never ends: give a rate"));
        }
        Ok(())
    }
}

impl RateConfig for DcqcnConfig {
    fn start(&self, path: &Path, _: Bytes) -> Box<dyn RateControl> {
        Box::new(Dcqcn::new(self, path.line))
    }

    fn notify_every(&self) -> Option<Duration> {
        Some(self.notify_every)
    }

    fn reads_path(&self) -> bool {
        false
    }
}

impl RateControl for Dcqcn {
    fn rate(&mut self, now: Time) -> Rate {
        Dcqcn::rate(self, now)
    }

    fn on_sent(&mut self, now: Time, bytes: u64) {
        Dcqcn::on_sent(self, now, bytes);
    }

    fn on_ack(&mut self, sample: &RateSample<'_>) {
        if sample.notified {
            self.on_notification(sample.now);
        }
    }
}

/// Which steps raise the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Increase {
    FastRecovery,
    Additive,
    /// So many steps at once.
    Hyper(u32),
}

/// The rate of one flow.
///
/// ```
/// use forebay_net::transport::{Dcqcn, DcqcnConfig};
/// use forebay_units::{Duration, Rate, Time};
///
/// let line = Rate::from_gbps(40);
/// let mut control = Dcqcn::new(&DcqcnConfig::default(), line);
/// assert_eq!(control.rate(Time::ZERO), line);
/// control.on_notification(Time::ZERO); // α begins at 1: half
/// assert_eq!(control.rate(Time::ZERO), Rate::from_gbps(20));
/// // Fast recovery: half of the way back at each timer.
/// assert_eq!(control.rate(Time::ZERO + Duration::from_us(55)), Rate::from_gbps(30));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dcqcn {
    config: DcqcnConfig,
    line: u64,
    /// R_C, R_T, in bits per second.
    current: u64,
    target: u64,
    alpha: f64,
    /// When α decays next, and when the timer expires next; never before the first notification.
    decays: Time,
    expires: Time,
    /// Expiries of the timer and of the byte counter since the last notification.
    expiries: u32,
    byte_rounds: u32,
    /// What is left of the byte counter.
    bytes_left: u64,
}

impl Dcqcn {
    /// That of a flow that has sent nothing, at a link of the rate `line`.
    #[must_use]
    pub fn new(config: &DcqcnConfig, line: Rate) -> Self {
        let line = line.as_bps().max(1);
        let least = Duration::from_ns(1);
        Dcqcn {
            config: DcqcnConfig {
                alpha_timer: config.alpha_timer.max(least),
                increase_timer: config.increase_timer.max(least),
                byte_counter: config.byte_counter.max(Bytes::new(1)),
                ..*config
            },
            line,
            current: line,
            target: line,
            alpha: 1.0,
            decays: Time::MAX,
            expires: Time::MAX,
            expiries: 0,
            byte_rounds: 0,
            bytes_left: config.byte_counter.get().max(1),
        }
    }

    /// The rate at which it may send at `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        self.advance(now);
        Rate::from_bps(self.current)
    }

    /// α at `now`: by half of it the next notification reduces the rate.
    pub fn alpha(&mut self, now: Time) -> f64 {
        self.advance(now);
        self.alpha
    }

    /// A notification has arrived (eq. 1).
    pub fn on_notification(&mut self, now: Time) {
        self.advance(now);
        let gain = self.gain();
        self.target = self.current;
        let reduced = (self.current as f64 * (1.0 - self.alpha / 2.0)) as u64;
        self.current = reduced.max(self.config.floor.as_bps()).min(self.line);
        self.alpha = (1.0 - gain) * self.alpha + gain;
        (self.expiries, self.byte_rounds) = (0, 0);
        self.bytes_left = self.config.byte_counter.get();
        self.decays = now + self.config.alpha_timer;
        self.expires = now + self.config.increase_timer;
    }

    /// So many bytes are sent at `now`.
    pub fn on_sent(&mut self, now: Time, bytes: u64) {
        self.advance(now);
        let mut bytes = bytes;
        while self.expires < Time::MAX && bytes >= self.bytes_left {
            bytes -= self.bytes_left;
            self.bytes_left = self.config.byte_counter.get();
            self.byte_rounds = self.byte_rounds.saturating_add(1);
            self.increase();
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes).max(1);
    }

    fn gain(&self) -> f64 {
        1.0 / (1u64 << self.config.gain_shift.min(31)) as f64
    }

    /// Lets the timers expire that are due by `now`.
    fn advance(&mut self, now: Time) {
        while self.decays <= now {
            self.alpha *= 1.0 - self.gain();
            self.decays += self.config.alpha_timer;
            if self.alpha < f64::MIN_POSITIVE {
                (self.alpha, self.decays) = (0.0, Time::MAX);
            }
        }
        while self.expires <= now {
            self.expires += self.config.increase_timer;
            self.expiries = self.expiries.saturating_add(1);
            self.increase();
        }
    }

    /// A timer or the byte counter has expired (eq. 3, eq. 4).
    fn increase(&mut self) {
        let step = match self.phase() {
            Increase::FastRecovery => 0,
            Increase::Additive => self.config.additive.as_bps(),
            Increase::Hyper(steps) => self.config.hyper.as_bps().saturating_mul(steps.into()),
        };
        self.target = self.target.saturating_add(step).min(self.line);
        let sum = u128::from(self.current) + u128::from(self.target);
        // Rounded up, so that it arrives.
        self.current = u64::try_from(sum.div_ceil(2)).unwrap_or(self.line).min(self.line);
        if self.current == self.line {
            self.expires = Time::MAX;
        }
    }

    fn phase(&self) -> Increase {
        let (least, most) =
            (self.expiries.min(self.byte_rounds), self.expiries.max(self.byte_rounds));
        let fast = self.config.fast_recovery;
        if most < fast {
            Increase::FastRecovery
        } else if least > fast {
            Increase::Hyper(least - fast)
        } else {
            Increase::Additive
        }
    }
}
