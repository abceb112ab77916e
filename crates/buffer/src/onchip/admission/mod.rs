//! The admission of three schemes in hardware, cycle by cycle: the golden model of `rtl/admission`
//! (its page is `docs/rtl-admission.md`).
//!
//! What the policies `dt`, `abm` and `pushout` of [`SharedBuffer`](super::SharedBuffer) say of an
//! arriving packet, [`AdmissionPipeline`] says a fixed number of cycles later, of the buffer as it
//! stands when the packet is decided. Dynamic Threshold and Pushout decide exactly as the policies
//! do ([`Alpha::admits`], [`Tournament`]). ABM's threshold is a quotient, for which the core has
//! shifts: [`ShareShifts`] and [`DrainShift`] say what is rounded.
//!
//! O(1) per cycle, O(log queues) for Pushout. Memory: 16 to 40 bytes a queue.

mod abm;

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Configure, ParameterError, check};

use self::abm::AbmState;
pub use self::abm::{AbmPipelineConfig, DrainShift, ShareShifts};
use super::policy::{Admission, Victim};
use crate::threshold::{Alpha, Comparison};
use crate::tournament::Tournament;

/// Parameters of [`AdmissionPipeline`] that every scheme has, those of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct AdmissionPipelineConfig {
    /// Queues that share the buffer.
    #[parameter(paper = "occamy §5.1: 64", range = 2..=512, default = 64)]
    pub queues: u32,
    /// Cells of the buffer.
    #[parameter(assumed = "410 KB of 200 B, as in §6.2", range = 2..=65535, default = 2050)]
    pub cells: u32,
    /// Cells of the largest packet.
    #[parameter(assumed = "Ethernet's 1500 B in cells of 200 B", range = 1..=65535, default = 8)]
    pub largest: u32,
}

/// Parameters of Dynamic Threshold's core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct DtPipelineConfig {
    /// α as a power of two.
    #[parameter(paper = "occamy §6.2: 1", range = 0..=15, default = 0)]
    pub alpha_log2: u32,
}

/// Who may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionScheme {
    /// Dynamic Threshold, as the policy `dt`.
    Dt(DtPipelineConfig),
    /// ABM, as the policy `abm` with what [`AbmPipelineConfig`] rounds.
    Abm(AbmPipelineConfig),
    /// Pushout from the tail, as the policy `pushout`.
    Pushout,
}

/// An operation that the core takes for granted not to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionMisuse {
    /// There is no such queue.
    NoQueue(u32),
    /// A packet of so many cells: none, or more than the largest has.
    NoPacket(u32),
    /// More leaves this queue than was admitted in the cycles before.
    NotThere(u32),
    /// Pushout takes an arrival or a packet that leaves in a cycle, not both.
    OneAtATime,
}

impl core::fmt::Display for AdmissionMisuse {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            AdmissionMisuse::NoQueue(queue) => write!(f, "there is no queue {queue}"),
            AdmissionMisuse::NoPacket(cells) => {
                write!(f, "a packet of {cells} cells: give at least 1, at most the largest")
            }
            AdmissionMisuse::NotThere(queue) => {
                write!(
                    f,
                    "more leaves queue {queue} than it was said to hold; wait for the verdict"
                )
            }
            AdmissionMisuse::OneAtATime => {
                f.write_str("pushout takes an arrival or a departure in a cycle; offer one of them")
            }
        }
    }
}

impl core::error::Error for AdmissionMisuse {}

/// A packet on its way: its queue and its cells.
type Packet = (u32, u32);

/// What a scheme keeps beside the lengths.
#[derive(Clone, Debug)]
enum State {
    Dt(Alpha),
    Abm(AbmState),
    Pushout(Tournament),
}

/// An arrival, and what has been looked up for it (ABM).
#[derive(Clone, Copy, Debug)]
struct Arrival {
    packet: Packet,
    share: ShareShifts,
    drain: DrainShift,
    threshold: u32,
}

/// What a scheme's core answers, and when.
///
/// ```
/// use forebay_buffer::onchip::{
///     Admission, AdmissionPipeline, AdmissionPipelineConfig, AdmissionScheme, DtPipelineConfig,
/// };
///
/// let config = AdmissionPipelineConfig { queues: 2, cells: 8, ..Default::default() };
/// let scheme = AdmissionScheme::Dt(DtPipelineConfig { alpha_log2: 0 });
/// let mut pipeline = AdmissionPipeline::new(&config, &scheme)?;
/// let mut verdicts = Vec::new();
/// for cycle in 0..10 {
///     let arrival = (cycle < 6).then_some((0, 1));
///     verdicts.extend(pipeline.cycle(arrival, None)?);
/// }
/// // With α = 1 one queue gets half of the buffer.
/// use Admission::{Accept, Drop};
/// assert_eq!(verdicts, [Accept, Accept, Accept, Accept, Drop, Drop]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AdmissionPipeline {
    config: AdmissionPipelineConfig,
    state: State,
    free: u32,
    lengths: Vec<u32>,
    /// Cells that the user has been told are admitted, and has not said have left.
    held: Vec<u32>,
    // Arrivals: registered; looked up (not of Pushout); about to be decided.
    registered: Option<Arrival>,
    looked_up: Option<Arrival>,
    deciding: Option<Arrival>,
    /// Decided, in the order in which they will show.
    decided: VecDeque<Option<(Admission, Packet)>>,
    // Packets that leave: registered; taken out of the lengths.
    leaves: Option<Packet>,
    taken: Option<Packet>,
}

impl AdmissionPipeline {
    /// An empty buffer.
    ///
    /// # Errors
    /// A parameter is out of its range.
    pub fn new(
        config: &AdmissionPipelineConfig,
        scheme: &AdmissionScheme,
    ) -> Result<Self, ParameterError> {
        check(&mut config.clone())?;
        if config.largest > config.cells {
            return Err(AdmissionPipelineConfig::LARGEST.refuse(format_args!(
                "{} cells do not fit into the buffer; give at most {}",
                config.largest, config.cells
            )));
        }
        let (state, behind) = match scheme {
            AdmissionScheme::Dt(dt) => {
                check(&mut dt.clone())?;
                (State::Dt(Alpha::power_of_two(dt.alpha_log2 as i32)), 1)
            }
            AdmissionScheme::Abm(abm) => (State::Abm(AbmState::new(config, abm)?), 1),
            AdmissionScheme::Pushout => {
                let levels = config.queues.next_power_of_two().ilog2();
                (State::Pushout(Tournament::new(config.queues)), levels as usize + 2)
            }
        };
        Ok(AdmissionPipeline {
            config: *config,
            state,
            free: config.cells,
            lengths: vec![0; config.queues as usize],
            held: vec![0; config.queues as usize],
            registered: None,
            looked_up: None,
            deciding: None,
            decided: VecDeque::from(vec![None; behind]),
            leaves: None,
            taken: None,
        })
    }

    /// Cycles from an arrival to its verdict: 4, or 4 and one for each level of Pushout's tree.
    #[must_use]
    pub fn latency(&self) -> u32 {
        let before = match self.state {
            State::Dt(_) | State::Abm(_) => 3,
            State::Pushout(_) => 2,
        };
        before + self.decided.len() as u32
    }

    /// Free cells.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Cells of `queue`, if it exists.
    #[must_use]
    pub fn length(&self, queue: u32) -> Option<u32> {
        self.lengths.get(queue as usize).copied()
    }

    /// One cycle, in which a packet of so many cells may arrive for a queue, and one may leave. The
    /// verdict on the packet that arrived [`latency`](AdmissionPipeline::latency) cycles before.
    ///
    /// # Errors
    /// The core takes for granted that this does not come. The cycle has not been made.
    pub fn cycle(
        &mut self,
        arrival: Option<(u32, u32)>,
        leaves: Option<(u32, u32)>,
    ) -> Result<Option<Admission>, AdmissionMisuse> {
        self.admissible(arrival, leaves)?;
        if let Some((queue, cells)) = leaves {
            self.held[queue as usize] -= cells;
        }
        let shown = self.decided.pop_front().flatten();
        if let Some((Admission::Accept, (queue, cells))) = shown {
            self.held[queue as usize] += cells;
        }

        // Everything is decided by what stood in the registers when the cycle began.
        let verdict = self.deciding.map(|arrival| (self.decide(&arrival), arrival.packet));
        let mut registered = self.registered;
        let looked_up = self.looked_up.map(|mut arrival| {
            if let State::Abm(abm) = &self.state {
                arrival.threshold = abm.threshold(self.free, arrival.share, arrival.drain);
            }
            arrival
        });
        if let State::Abm(abm) = &mut self.state {
            if let Some(arrival) = &mut registered {
                (arrival.share, arrival.drain) = abm.look_up(arrival.packet.0);
            }
            abm.cycle(verdict.map(|(_, (queue, _))| (queue, self.lengths[queue as usize])));
        }

        if let Some((queue, cells)) = self.taken {
            self.free += cells;
            self.lengths[queue as usize] -= cells;
            match &mut self.state {
                State::Dt(_) => {}
                State::Abm(abm) => abm.taken(queue, cells),
                State::Pushout(tree) => tree.set(queue, self.lengths[queue as usize]),
            }
        }
        if let Some((Admission::Accept, (queue, cells))) = verdict {
            self.free -= cells;
            self.lengths[queue as usize] += cells;
            if let State::Pushout(tree) = &mut self.state {
                tree.set(queue, self.lengths[queue as usize]);
            }
        }

        self.decided.push_back(verdict);
        self.deciding = match self.state {
            State::Dt(_) | State::Abm(_) => looked_up,
            State::Pushout(_) => registered,
        };
        self.looked_up = registered;
        self.registered = arrival.map(|packet| Arrival {
            packet,
            share: ShareShifts::nearest(1),
            drain: DrainShift::FULL,
            threshold: 0,
        });
        (self.taken, self.leaves) = (self.leaves, leaves);
        Ok(shown.map(|(verdict, _)| verdict))
    }

    /// What becomes of an arrival, as the buffer stands.
    fn decide(&self, arrival: &Arrival) -> Admission {
        let (queue, cells) = arrival.packet;
        let length = self.lengths[queue as usize];
        let fits = cells <= self.free;
        let admitted = match &self.state {
            State::Dt(alpha) => fits && alpha.admits(Comparison::With, length, cells, self.free),
            State::Abm(_) => fits && length + cells <= arrival.threshold,
            State::Pushout(tree) => {
                if !fits && length + cells < tree.max() {
                    return Admission::PushOut(Victim::Tail(tree.longest()));
                }
                fits
            }
        };
        if admitted { Admission::Accept } else { Admission::Drop }
    }

    fn admissible(
        &self,
        arrival: Option<Packet>,
        leaves: Option<Packet>,
    ) -> Result<(), AdmissionMisuse> {
        for (queue, cells) in arrival.into_iter().chain(leaves) {
            if queue >= self.config.queues {
                return Err(AdmissionMisuse::NoQueue(queue));
            }
            if !(1..=self.config.largest).contains(&cells) {
                return Err(AdmissionMisuse::NoPacket(cells));
            }
        }
        if let Some((queue, cells)) = leaves
            && cells > self.held[queue as usize]
        {
            return Err(AdmissionMisuse::NotThere(queue));
        }
        let both = arrival.is_some() && leaves.is_some();
        match self.state {
            State::Pushout(_) if both => Err(AdmissionMisuse::OneAtATime),
            State::Dt(_) | State::Abm(_) | State::Pushout(_) => Ok(()),
        }
    }
}
