//! The parameters of a burst through a SONiC configuration, and where each comes from.

use forebay_buffer::onchip::{OnChipPolicy, says};
use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::{Choice, Configure, Kind, Size, Source, Word, grouped};
use forebay_sonic::play;
use forebay_units::{Bytes, Duration, Rate};

use crate::switches::policy_part;

/// Which classes get a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Burst {
    /// A queue that may lose packets.
    Lossy,
    /// A queue that may not: its senders are paused.
    Lossless,
    /// Both, half of each sender's bytes in each.
    Both,
}

impl From<Burst> for play::Burst {
    fn from(burst: Burst) -> Self {
        match burst {
            Burst::Lossy => play::Burst::Lossy,
            Burst::Lossless => play::Burst::Lossless,
            Burst::Both => play::Burst::Both,
        }
    }
}

/// Everything a run needs.
#[derive(Clone, Debug, Configure)]
pub struct SonicSetup {
    /// The configuration, a config_db.json; none: an example of eight ports of 100 Gb/s.
    #[parameter(name = "switch.config", kind = Kind::Path, source = OWN)]
    pub(super) config: String,
    /// The port that receives the burst; none: the first that has the queues.
    #[parameter(name = "switch.port", kind = Kind::Text, source = OWN)]
    pub(super) port: String,
    /// The queue that may lose packets; -1: the first.
    #[parameter(name = "switch.lossy_queue", range = -1..=15, source = OWN)]
    pub(super) lossy_queue: i64,
    /// The queue that may not; -1: the first.
    #[parameter(name = "switch.lossless_queue", range = -1..=15, source = OWN)]
    #[parameter(when = self.burst != Burst::Lossy)]
    pub(super) lossless_queue: i64,
    /// Bytes per cell of the memory.
    #[parameter(paper = "occamy §5.3", name = "switch.cell", kind = Kind::Bytes, with = Size)]
    pub(super) cell: u32,
    /// Bandwidth at which cells can be read, departures and head drops together; 0 b/s: what all
    /// ports send.
    #[parameter(name = "switch.memory_rate", only = says(&self.policy, |one| one.expels()))]
    #[parameter(paper = "occamy §5.3")]
    pub(super) memory_rate: Option<Rate>,
    /// Length in metres of the cables that the file has no length of.
    #[parameter(name = "switch.cable", range = 0..=300_000)]
    #[parameter(assumed = "between the defaults of vendors' templates, 5 m and 300 m")]
    pub(super) cable: u32,
    /// Which classes get the burst: a queue that may lose packets, one that may not, or both.
    #[parameter(name = "workload.burst", source = OWN)]
    pub(super) burst: Burst,
    /// Other ports that are already congested in the pool of the lossy queue.
    #[parameter(name = "workload.background_queues", range = 0..=512, source = OWN)]
    pub(super) background_queues: u16,
    /// What each of them gets, in times of what it sends.
    #[parameter(name = "workload.background_load", range = 0.0..=64.0)]
    #[parameter(when = self.background_queues > 0, source = OWN)]
    pub(super) background_load: f64,
    /// Senders of the burst.
    #[parameter(name = "workload.burst_senders", range = 1..=4096, source = OWN)]
    pub(super) burst_senders: u32,
    /// Rate at which each of them sends; 0 b/s: what the ports that it comes through allow.
    #[parameter(name = "workload.burst_rate", source = OWN)]
    pub(super) burst_rate: Option<Rate>,
    /// Size of the burst, all its senders together; what is no whole packet is not sent.
    #[parameter(name = "workload.burst_bytes", source = OWN)]
    pub(super) burst_bytes: Bytes,
    /// When it begins.
    #[parameter(name = "workload.burst_start", source = OWN)]
    pub(super) burst_start: Duration,
    /// Bytes of a packet.
    #[parameter(name = "workload.packet_bytes", range = 64..=9216)]
    #[parameter(assumed = "Ethernet's")]
    pub(super) packet_bytes: u32,
    /// How long a sender takes to obey a pause that has arrived.
    #[parameter(name = "pfc.response")]
    #[parameter(assumed = "what IEEE 802.3 §31B.3.7 allows at 100 Gb/s, 394 quanta of 512 bits")]
    pub(super) response: Duration,
    /// Threshold factor of every lossy queue under Occamy; 0: that of the configuration.
    #[parameter(name = "policy.occamy_alpha", kind = ALPHA, only = self.is_occamy())]
    #[parameter(paper = "occamy §4.4")]
    pub(super) occamy_alpha: f64,
    /// The scheme of the lossy queues.
    #[parameter(part, by = |policy, walk| policy_part(policy, walk, "alpha"))]
    pub(super) policy: Choice<dyn OnChipPolicy>,
    /// Simulated time.
    #[parameter(name = "run.span")]
    #[parameter(assumed = "the burst is over, and pauses have ended")]
    pub(super) span: Duration,
    /// Samples of queue lengths over the simulated time.
    #[parameter(name = "run.samples", range = 0..=10_000)]
    #[parameter(assumed = "enough for a picture")]
    pub(super) samples: u64,
}

const OWN: Source = Source::assumed("ours; a command or an experiment says it");
const ALPHA: Kind = Kind::Float { min: 0.0, max: 1024.0 };

impl SonicSetup {
    /// The defaults under a policy.
    #[must_use]
    pub fn new(policy: Choice<dyn OnChipPolicy>) -> Self {
        SonicSetup {
            config: String::new(),
            port: String::new(),
            lossy_queue: -1,
            lossless_queue: -1,
            cell: 200,
            memory_rate: None,
            cable: play::CABLE,
            burst: Burst::Both,
            background_queues: 1,
            background_load: 2.0,
            burst_senders: 16,
            burst_rate: None,
            burst_bytes: Bytes::new(4_000_000),
            burst_start: Duration::from_us(500),
            packet_bytes: 1500,
            response: Duration::from_ns(2_017),
            occamy_alpha: 8.0,
            policy,
            span: Duration::from_us(1_500),
            samples: 300,
        }
    }

    pub(super) fn is_occamy(&self) -> bool {
        self.policy.prefix() == "occamy"
    }

    /// The packets of the burst.
    pub(super) fn burst_packets(&self) -> u64 {
        self.burst_bytes.get() / u64::from(self.packet_bytes.max(1))
    }

    /// Refuses what takes for ever, or ends before the burst.
    pub(super) fn check(&self, params: &Resolved) -> Result<(), ConfigError> {
        if self.cell == 0 {
            return Err(params.blame("cell", "a cell must hold a byte").fix("give 1 B or more"));
        }
        if self.burst_start >= self.span {
            let message = "the burst would begin after the end of the run";
            return Err(params.blame("span", message).fix("lengthen it, or begin earlier"));
        }
        let least = u64::from(self.packet_bytes);
        if self.burst_bytes.get() < least {
            let message = format!("a burst of {} is less than a packet", self.burst_bytes);
            return Err(params
                .blame("burst_bytes", message)
                .fix(format!("give {least} B or more")));
        }
        if self.burst_rate.is_some_and(|rate| rate.as_bps() < 1_000_000) {
            let message = "a packet would take for ever";
            return Err(params.blame("burst_rate", message).fix("give 1 Mb/s or more, or 0 b/s"));
        }
        let busy = play::SPEED.as_bps() as f64 * self.background_load;
        let bits = busy * f64::from(self.background_queues) * self.span.as_secs_f64();
        let packets = (bits / 8.0 + self.burst_bytes.get() as f64) / f64::from(self.packet_bytes);
        if packets > 2e9 {
            let message = format!("{} packets would be sent", grouped(packets as u64));
            return Err(params.blame("span", message).fix("shorten the span or lower the rates"));
        }
        Ok(())
    }
}
