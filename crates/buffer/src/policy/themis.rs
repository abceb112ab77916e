use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure, ParameterError, Source, check};
use forebay_pifo::TieredEntry;

use super::{HybridPolicy, HybridShape, Move, MoveRoom, Placement, Pressure};
use crate::descriptor::Descriptor;
use crate::view::BufferView;

/// Parameters of [`Themis`].
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct ThemisConfig {
    /// Batches are swapped in while less than this share of the SRAM is in use.
    #[parameter(source = SETUP, range = 0.0..=1.0, default = 0.5)]
    pub swap_in_watermark: f64,
    /// Batches are swapped out while more than this share of the SRAM is in use.
    #[parameter(source = SETUP, range = 0.0..=1.0, default = 0.8)]
    pub swap_out_watermark: f64,
    /// Whether, with the staging buffer full, a larger rank is dropped from SRAM instead.
    ///
    /// Whatever is dropped then ranks above all that stays in SRAM (§4.3, "overall").
    #[parameter(default = true)]
    #[parameter(
        assumed = "themis §4.3 states the order in its summary",
        sensitivity = "themis/sensitivity-drop-order"
    )]
    pub strict_drop_order: bool,
    /// Where a packet goes whose rank is that of the most urgent one off chip.
    #[parameter(default = Placement::Hbm)]
    #[parameter(paper = "themis §4.1")]
    pub equal_ranks: Placement,
    /// Whether batches are also swapped in while a packet off chip is more urgent than all in SRAM.
    #[parameter(default = false)]
    #[parameter(paper = "themis §4.1")]
    pub swap_in_urgent: bool,
}

const SETUP: Source = Source::paper("themis §6.3.1");

/// Themis (themis §4.1): the packets that leave soonest are in SRAM.
///
/// - *Admission*: to SRAM if the packet's rank is smaller than the smallest rank off chip. A packet
///   in the staging buffer or on its way out counts as off chip, so that a flow stays in order.
/// - *Swap-out* above the upper watermark: a batch of the largest ranks on chip. Cells already on
///   their way out do not count, so one excess is not swapped out twice.
/// - *Swap-in* below the lower watermark: the batch with the smallest representative rank. With
///   `swap_in_urgent` also while that rank is smaller than all in SRAM, as the paper's hardware
///   does.
/// - *Loss* (§4.3): with the staging buffer full, the arriving packet (cause 1); with the SRAM full
///   although a swap-out is under way, a batch of the largest ranks (cause 2). A packet is never
///   dropped while one with a larger rank stays in SRAM; for cause 1 the paper states this order
///   but describes a plain tail drop, so it is the parameter `strict_drop_order`.
#[derive(Clone, Copy, Debug)]
pub struct Themis {
    batch: u64,
    config: ThemisConfig,
}

impl Themis {
    /// With the watermarks and drop order of `config`, for batches as `shape` has them.
    ///
    /// # Errors
    /// The watermarks are not in order within 0 to 1.
    pub fn new(config: &ThemisConfig, shape: &HybridShape) -> Result<Self, ParameterError> {
        check(&mut { *config })?;
        let ThemisConfig { swap_in_watermark: low, swap_out_watermark: high, .. } = *config;
        if low >= high {
            return Err(ThemisConfig::SWAP_IN_WATERMARK.refuse(format_args!(
                "it is {low}, and swap_out_watermark is {high}; it must be below that"
            )));
        }
        Ok(Themis { batch: shape.batch.get(), config: *config })
    }

    /// Whether a swap-in is wanted whatever the SRAM holds, since a packet off chip leaves before
    /// all on chip.
    fn is_urgent(&self, buffer: &dyn BufferView) -> bool {
        let first = |entry: Option<TieredEntry>| entry.map_or(u64::MAX, |entry| entry.rank);
        self.config.swap_in_urgent && first(buffer.smallest_hbm()) < first(buffer.smallest_sram())
    }
}

/// The choice `themis`.
pub(super) fn choice() -> Choice<dyn HybridPolicy> {
    let build =
        |config: &ThemisConfig, shape: &HybridShape| Ok(Box::new(Themis::new(config, shape)?) as _);
    Choice::new(
        "themis",
        "packets that leave soonest stay in SRAM; batches swap in and out",
        ThemisConfig::default(),
        build,
    )
    .labelled("Themis")
    .prefixed("")
}

impl HybridPolicy for Themis {
    fn place(&mut self, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
        match buffer.smallest_hbm() {
            Some(entry) if entry.rank < arriving.rank.get() => Placement::Hbm,
            Some(entry) if entry.rank == arriving.rank.get() => self.config.equal_ranks,
            _ => Placement::Sram,
        }
    }

    fn sram_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropLargest { bytes: self.batch }
    }

    fn staging_full(&mut self, _buffer: &dyn BufferView, arriving: &Descriptor) -> Pressure {
        if self.config.strict_drop_order {
            Pressure::DropLargest { bytes: u64::from(arriving.packet.size) }
        } else {
            Pressure::DropArriving
        }
    }

    fn next_move(&mut self, buffer: &dyn BufferView, room: MoveRoom) -> Option<Move> {
        let occupancy = f64::from(buffer.sram_staying()) / f64::from(buffer.sram_capacity());
        if room.outward && occupancy > self.config.swap_out_watermark {
            return Some(Move::SwapOut);
        }
        let wanted = || occupancy < self.config.swap_in_watermark || self.is_urgent(buffer);
        (room.inward && wanted() && buffer.smallest_hbm().is_some()).then_some(Move::SwapIn)
    }

    fn reads_queues(&self) -> bool {
        false
    }

    fn batches(&self) -> bool {
        true
    }

    fn watermarks(&self) -> Option<[f64; 2]> {
        Some([self.config.swap_in_watermark, self.config.swap_out_watermark])
    }
}
