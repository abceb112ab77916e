//! A congestion control: Westwood+, which measures how fast its data is delivered and resumes at
//! that rate after a loss, instead of halving.
//!
//! Source: Grieco and Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and
//! Vegas TCP congestion control" (CCR 2004): a sample of the rate in each round trip, smoothed; the
//! threshold after congestion is the rate times the shortest round trip. Growth is NewReno's. O(1)
//! an acknowledgement.

use forebay::net::transport::{
    AckSample, Congestion, CongestionControl, Controller, NewReno, NewRenoConfig, Window,
};
use forebay::prelude::*;

/// Its parameter.
#[derive(Clone, Configure)]
struct Config {
    /// How much of the rate so far stays when a round trip has measured it anew.
    #[parameter(paper = "Westwood+ §2", range = 0.0..=0.99, default = 0.9)]
    kept: f64,
}

/// The window of one flow.
#[derive(Clone, Debug)]
struct Westwood {
    kept: f64,
    growth: NewReno,
    /// Bytes a second; none before the first sample.
    rate: Option<f64>,
    shortest: Option<Duration>,
    /// When the sample under way began.
    since: Option<Time>,
    /// What was acknowledged since.
    acked: Bytes,
}

impl Westwood {
    fn new(config: &Config) -> Result<Self, ParameterError> {
        let growth = NewReno::new(&NewRenoConfig::default())?;
        let (rate, shortest, since, acked) = (None, None, None, Bytes::ZERO);
        Ok(Westwood { kept: config.kept, growth, rate, shortest, since, acked })
    }

    /// A round trip is over: what it delivered, in this time.
    fn sampled(&mut self, elapsed: Duration) {
        let sample = self.acked.get() as f64 / elapsed.as_secs_f64();
        let smoothed = |rate| self.kept * rate + (1.0 - self.kept) * sample;
        self.rate = Some(self.rate.map_or(sample, smoothed));
    }
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        self.shortest = [self.shortest, sample.rtt].into_iter().flatten().min();
        self.acked += sample.acked;
        let round_trip = sample.smoothed_rtt.unwrap_or_default();
        match self.since.map(|since| sample.now.since(since)) {
            Some(elapsed) if elapsed <= round_trip => {}
            Some(elapsed) => {
                self.sampled(elapsed);
                (self.since, self.acked) = (Some(sample.now), Bytes::ZERO);
            }
            None => (self.since, self.acked) = (Some(sample.now), Bytes::ZERO),
        }
        self.growth.on_ack(window, sample);
    }

    fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes {
        let halved = self.growth.on_congestion(window, congestion);
        match (self.rate, self.shortest) {
            (Some(rate), Some(shortest)) => Bytes::new((rate * shortest.as_secs_f64()) as u64),
            (None, _) | (_, None) => halved,
        }
    }
}

/// The choice `westwood`.
pub(crate) fn choice() -> Choice<dyn CongestionControl> {
    let about = "after a loss as much in flight as was delivered in a round trip (Westwood+)";
    Choice::new("westwood", about, Config::default(), |config: &Config, ()| {
        Ok(Controller::Own(Box::new(Westwood::new(config)?)))
    })
    .labelled("Westwood+")
}

#[cfg(test)]
mod tests {
    use forebay::net::transport::Cause;

    use super::*;

    /// 10 segments of 1000 bytes in each round trip of 10 µs are 1 GB/s.
    #[test]
    fn a_loss_leaves_what_the_path_delivers_in_a_round_trip() {
        let mut control = Westwood::new(&Config::default()).expect("a good gain");
        let mss = Bytes::new(1000);
        let mut window = Window { cwnd: mss * 64, ssthresh: mss * 64, mss };
        let loss = Congestion { now: Time::ZERO, cause: Cause::Loss, flight: mss * 64 };
        assert_eq!(control.on_congestion(&window, &loss), mss * 32, "halved, before any sample");
        let rtt = Some(Duration::from_us(10));
        for step in 1..=100 {
            let sample = AckSample {
                now: Time::ZERO + Duration::from_us(1) * step,
                acked: mss,
                una: step * 1000,
                sent: step * 1000 + 64_000,
                rtt,
                smoothed_rtt: rtt,
                ece: false,
                grow: false,
                telemetry: &[],
            };
            control.on_ack(&mut window, &sample);
        }
        assert_eq!(control.on_congestion(&window, &loss), mss * 10);
    }
}
