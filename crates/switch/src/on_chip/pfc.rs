//! The parameters of lossless classes, and the accounts that come of pauses.

use alloc::vec::Vec;

use forebay_buffer::Reaction;
use forebay_buffer::onchip::{Alpha, IngressConfig, MemoryConfig, PRIORITIES, PauseAt};
use forebay_parameters::{Configure, Kind, Size, Source, Word};
use forebay_units::{Bytes, Duration, Rate};

use crate::FlowControl;

/// What keeps a sender from sending more of a lossless class than its receiver can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum FlowControlForm {
    /// The receiver says when it must stop: priority flow control (IEEE 802.1Qbb).
    #[default]
    Pauses,
    /// The receiver says how much it may send: credits, as on the virtual lanes of InfiniBand (IBA
    /// volume 1, §7.9).
    Credits,
}

/// Which classes are lossless, by priority flow control (IEEE 802.1Qbb) or by credits, and when
/// neighbours are paused. docs/lossless.md says what the standards leave open and what is chosen
/// here.
#[derive(Clone, Debug, PartialEq, Configure)]
#[parameter(group = "pfc.")]
pub struct PfcConfig {
    /// Classes whose packets are not lost: whoever sends too many is kept from it; none: no flow
    /// control.
    #[parameter(range = 0..=7, default = Vec::new())]
    #[parameter(assumed = "off: no other experiment has it")]
    pub lossless: Vec<u8>,
    /// What keeps senders of lossless classes from sending too many: pauses (priority flow control)
    /// or credits.
    #[parameter(default = FlowControlForm::Pauses, when = self.is_on())]
    #[parameter(assumed = "what Ethernet has; InfiniBand and links between chiplets have credits")]
    pub form: FlowControlForm,
    /// Times the free buffer that an input's packets of a class may take before it is paused.
    #[parameter(kind = ALPHA, default = Alpha::power_of_two(0), when = self.pauses())]
    #[parameter(source = DCQCN)]
    pub pause_alpha: Alpha,
    /// Bytes that an input's packets of a class may take before it is paused; 0 B: by pause_alpha.
    #[parameter(default = None, when = self.pauses())]
    #[parameter(assumed = "0 B: the dynamic threshold of dcqcn §4")]
    pub pause_above: Option<Bytes>,
    /// How far below its threshold an input must be before it goes on; 0 B: two largest packets.
    #[parameter(default = None, when = self.pauses())]
    #[parameter(assumed = "two MTU, as others cite dcqcn §4; not compared with its text")]
    pub resume_below: Option<Bytes>,
    /// Headroom of each input and class; 0 B: what its link can bring until the pause is obeyed.
    #[parameter(default = None, when = self.pauses())]
    #[parameter(
        assumed = "0 B: by rate, cable, packets and response, as docs/lossless.md derives"
    )]
    pub headroom: Option<Bytes>,
    /// Headroom that all inputs of a memory share; 0 B: each has its own.
    #[parameter(default = None, when = self.pauses())]
    #[parameter(assumed = "0 B: no pause then ever comes too late")]
    pub headroom_pool: Option<Bytes>,
    /// How long a device takes to obey a pause that has arrived, or to use credit.
    #[parameter(default = Duration::from_ns(2_017), when = self.is_on())]
    #[parameter(assumed = "what IEEE 802.3 §31B.3.7 allows at 100 Gb/s, 394 quanta of 512 bits")]
    pub response: Duration,
    /// The smallest packet of lossless classes, which decides how many cells headroom takes.
    #[parameter(kind = Kind::Bytes, default = 64, with = Size, when = self.pauses())]
    #[parameter(assumed = "Ethernet's smallest frame")]
    pub smallest_packet: u32,
    /// How long a queue with packets may be paused before it is emptied; 0: for ever.
    #[parameter(default = None, when = self.pauses())]
    #[parameter(assumed = "off, so that a deadlock shows; SONiC's watchdog has 200 ms")]
    pub watchdog: Option<Duration>,
    /// How long an emptied queue must go unpaused before it takes packets again.
    #[parameter(default = Duration::from_ms(200), when = self.pauses() && self.watchdog.is_some())]
    #[parameter(assumed = "the default of SONiC's watchdog")]
    pub restore: Duration,
    /// The delays of the cables at the ports; ports beyond have none.
    #[parameter(skip)]
    pub cables: Vec<Duration>,
}

const ALPHA: Kind = Kind::Float { min: 1.0 / 65536.0, max: 65535.0 };

const DCQCN: Source = Source::assumed(
    "β = 8, of which a priority has an eighth, as others cite dcqcn §4; not compared with its text",
);

impl PfcConfig {
    /// Whether any class is lossless.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.lossless.is_empty()
    }

    /// Whether any is, by pauses.
    fn pauses(&self) -> bool {
        self.is_on() && self.form == FlowControlForm::Pauses
    }

    /// Whether any is, by credits.
    pub(crate) fn grants(&self) -> bool {
        self.is_on() && self.form == FlowControlForm::Credits
    }

    /// Of each class, whether it is lossless.
    pub(crate) fn by_class(&self) -> [bool; PRIORITIES] {
        let mut lossless = [false; PRIORITIES];
        for class in &self.lossless {
            if let Some(one) = lossless.get_mut(usize::from(*class)) {
                *one = true;
            }
        }
        lossless
    }

    /// What the inputs of a switch with ports of these rates may hold of one of its memories;
    /// `None` if no class is lossless.
    pub(crate) fn ingress(
        &self,
        ports: &[Rate],
        memory: &MemoryConfig,
        largest_packet: u32,
    ) -> Option<IngressConfig> {
        if !self.is_on() {
            return None;
        }
        let cell = Bytes::new(memory.cell.max(1).into());
        let cells = |bytes: Bytes| u32::try_from(bytes.div_ceil(cell)).unwrap_or(u32::MAX);
        let of_link = |(port, rate): (usize, &Rate)| {
            let delay = self.cables.get(port).copied().unwrap_or_default();
            self.headroom_of(*rate, delay, memory, largest_packet)
        };
        let headroom = match self.headroom {
            Some(bytes) => alloc::vec![cells(bytes); ports.len()],
            None => ports.iter().enumerate().map(of_link).collect(),
        };
        let two = Bytes::new(u64::from(largest_packet) * 2);
        Some(IngressConfig {
            classes: self.by_class(),
            headroom,
            headroom_pool: self.headroom_pool.map(cells),
            pause_at: Some(match self.pause_above {
                Some(bytes) => PauseAt::Cells((bytes.get() / cell.get()).min(1 << 24) as u32),
                None => PauseAt::Share(self.pause_alpha),
            }),
            resume: cells(self.resume_below.unwrap_or(two)),
        })
    }

    /// The headroom, in cells, of a class at a port of this rate behind a cable of this delay.
    fn headroom_of(
        &self,
        rate: Rate,
        delay: Duration,
        memory: &MemoryConfig,
        largest_packet: u32,
    ) -> u32 {
        let reaction = Reaction {
            rate,
            delay,
            largest_packet: Bytes::new(largest_packet.into()),
            frame: Bytes::new(FlowControl::FRAME.into()),
            response: self.response,
        };
        let sizes = self.smallest_packet..=largest_packet;
        let cells = memory.most_cells(reaction.in_flight().get(), &sizes);
        // The packet that calls for the pause is one, whatever the others are.
        let cells = cells.saturating_add(memory.cells(largest_packet).into());
        u32::try_from(cells).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_parameters::{listed, set};

    #[test]
    fn what_has_no_effect_is_refused() {
        let mut config = PfcConfig::default();
        assert_eq!(listed(&mut config).len(), 1);
        let error = set(&mut config, &[("pfc.pause_alpha", "0.5")]).unwrap_err();
        assert_eq!(error.name(), "pfc.pause_alpha");
        set(&mut config, &[("pfc.lossless", "3:4"), ("pfc.pause_alpha", "0.5")]).unwrap();
        assert_eq!(config.lossless, [3, 4]);
        let error = set(&mut config, &[("pfc.restore", "1 ms")]).unwrap_err();
        assert_eq!(error.name(), "pfc.restore");
        let credits = [("pfc.form", "credits"), ("pfc.pause_alpha", "2")];
        assert_eq!(set(&mut config.clone(), &credits).unwrap_err().name(), "pfc.pause_alpha");
        assert!(set(&mut config, &[("pfc.lossless", "8")]).is_err());
        assert!(set(&mut config, &[("pfc.lossless", "")]).is_ok() && !config.is_on());
    }

    #[test]
    fn headroom_follows_from_the_link() {
        let ports = [Rate::from_gbps(100); 2];
        let memory = MemoryConfig { cell: 100, ..MemoryConfig::default() };
        let config = PfcConfig {
            lossless: alloc::vec![3],
            response: Duration::from_us(2),
            smallest_packet: 1000,
            cables: alloc::vec![Duration::from_us(1)],
            ..PfcConfig::default()
        };
        let cells = config.ingress(&ports, &memory, 1000).unwrap().headroom;
        // 12.5 bytes a nanosecond: 2 µs of cable and 2 µs of response; three packets and a frame,
        // whose 64 bytes do not fill a cell.
        assert_eq!(cells, [520 + 10, 270 + 10]);
        let given = PfcConfig { headroom: Some(Bytes::new(5_001)), ..config };
        assert_eq!(given.ingress(&ports, &memory, 1000).unwrap().headroom, [51, 51]);
        assert_eq!(PfcConfig::default().ingress(&ports, &memory, 1000), None);
    }
}
