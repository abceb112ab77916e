//! A sender on a script: acknowledgements in, segments out, all counted in whole segments.

use std::sync::Arc;
use std::vec::Vec;

use crate::transport::{Ack, Controller, RtoConfig, Segment, Sender, SenderConfig};
use forebay_units::{Bytes, Duration, Time};

extern crate std;

/// Payload of a segment in scripts.
pub(super) const MSS: u64 = 1000;
/// What timestamps measure in scripts.
pub(super) const RTT: Duration = Duration::from_us(100);

/// No SACK, no limited transmit; first timeout 10 ms, least 1 ms; a window of 10 segments.
pub(super) fn plain() -> SenderConfig {
    SenderConfig {
        mss: Bytes::new(MSS),
        sack: false,
        limited_transmit: false,
        rto: RtoConfig {
            initial: Duration::from_ms(10),
            min: Duration::from_ms(1),
            max: Duration::from_ms(100),
            ..RtoConfig::default()
        },
        ..SenderConfig::default()
    }
}

pub(super) struct Script {
    pub(super) sender: Sender<Controller>,
    pub(super) now: Time,
    config: Arc<SenderConfig>,
}

impl Script {
    pub(super) fn new(control: &str, config: SenderConfig) -> Self {
        let control = super::control(control);
        let config = Arc::new(config);
        let sender = Sender::new(Arc::clone(&config), None, control).unwrap();
        Script { sender, config, now: Time::ZERO + Duration::from_ms(1) }
    }

    /// Makes it a flow of so many segments. Before anything is sent.
    pub(super) fn end_after(&mut self, segments: u64) {
        let control = self.sender.control().clone();
        let length = Some(Bytes::new(segments * MSS));
        self.sender = Sender::new(Arc::clone(&self.config), length, control).unwrap();
    }

    pub(super) fn at_us(&mut self, us: u64) -> &mut Self {
        self.now = Time::ZERO + Duration::from_us(us);
        self
    }

    /// Everything the sender gives now.
    pub(super) fn segments(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.sender.poll(self.now)).collect()
    }

    /// Everything the sender gives now, as segment numbers.
    pub(super) fn sent(&mut self) -> Vec<u64> {
        self.segments().iter().map(|s| s.seq / MSS).collect()
    }

    /// An acknowledgement of the first `n` segments, with SACK blocks in segments.
    pub(super) fn make_ack(&self, n: u64, sack: &[(u64, u64)]) -> Ack {
        let mut ack = Ack::cumulative(n * MSS);
        ack.echo = Time::from_ps(self.now.as_ps() - RTT.as_ps());
        for &(start, end) in sack {
            assert!(ack.add_sack(start * MSS, end * MSS));
        }
        ack
    }

    /// Takes in that acknowledgement; what is sent then.
    pub(super) fn sack(&mut self, n: u64, sack: &[(u64, u64)]) -> Vec<u64> {
        let ack = self.make_ack(n, sack);
        self.sender.on_ack(self.now, &ack);
        self.sent()
    }

    /// As [`sack`](Script::sack), without blocks.
    pub(super) fn ack(&mut self, n: u64) -> Vec<u64> {
        self.sack(n, &[])
    }

    /// As [`ack`](Script::ack), with the ECN echo.
    pub(super) fn ack_with_echo(&mut self, n: u64) -> Vec<Segment> {
        let mut ack = self.make_ack(n, &[]);
        ack.ece = true;
        self.sender.on_ack(self.now, &ack);
        self.segments()
    }

    /// Goes to the sender's deadline and lets it act; what is sent then.
    pub(super) fn time_out(&mut self) -> Vec<u64> {
        self.now = self.sender.deadline().unwrap();
        self.sender.on_deadline(self.now);
        self.sent()
    }

    pub(super) fn cwnd(&self) -> f64 {
        self.sender.window().segments()
    }

    pub(super) fn ssthresh(&self) -> f64 {
        self.sender.window().ssthresh.get() as f64 / MSS as f64
    }

    /// How far the deadline is.
    pub(super) fn until_deadline(&self) -> Duration {
        self.sender.deadline().unwrap().since(self.now)
    }
}
