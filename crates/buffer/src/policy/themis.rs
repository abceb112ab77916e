use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure, ParameterError, Source, check};

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
}

const SETUP: Source = Source::paper("themis §6.3.1");

/// Themis (themis §4.1): the packets that leave soonest are in SRAM.
///
/// - *Admission*: to SRAM if the packet's rank is smaller than the smallest rank off chip. A packet in
///   the staging buffer or on its way out counts as off chip, so that a flow stays in order.
/// - *Swap-out* above the upper watermark: a batch of the largest ranks on chip. Cells already on
///   their way out do not count, so one excess is not swapped out twice.
/// - *Swap-in* below the lower watermark: the batch with the smallest representative rank.
/// - *Loss* (§4.3): with the staging buffer full, the arriving packet (cause 1); with the SRAM full
///   although a swap-out is under way, a batch of the largest ranks (cause 2). A packet is never
///   dropped while one with a larger rank stays in SRAM; for cause 1 the paper states this order but
///   describes a plain tail drop, so it is the parameter `strict_drop_order`.
#[derive(Clone, Copy, Debug)]
pub struct Themis {
    swap_in: f64,
    swap_out: f64,
    batch: u64,
    strict_drop_order: bool,
}

impl Themis {
    /// With the watermarks and drop order of `config`, for batches as `shape` has them.
    ///
    /// # Errors
    /// The watermarks are not in order within 0 to 1.
    pub fn new(config: &ThemisConfig, shape: &HybridShape) -> Result<Self, ParameterError> {
        check(&mut { *config })?;
        let (low, high) = (config.swap_in_watermark, config.swap_out_watermark);
        if low >= high {
            return Err(ThemisConfig::SWAP_IN_WATERMARK.refuse(format_args!(
                "it is {low}, and swap_out_watermark is {high}; it must be below that"
            )));
        }
        Ok(Themis {
            swap_in: low,
            swap_out: high,
            batch: shape.batch.get(),
            strict_drop_order: config.strict_drop_order,
        })
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
}

impl HybridPolicy for Themis {
    fn place(&mut self, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
        match buffer.smallest_hbm() {
            Some(entry) if entry.rank <= arriving.rank.get() => Placement::Hbm,
            _ => Placement::Sram,
        }
    }

    fn sram_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropLargest { bytes: self.batch }
    }

    fn staging_full(&mut self, _buffer: &dyn BufferView, arriving: &Descriptor) -> Pressure {
        if self.strict_drop_order {
            Pressure::DropLargest { bytes: u64::from(arriving.packet.size) }
        } else {
            Pressure::DropArriving
        }
    }

    fn next_move(&mut self, buffer: &dyn BufferView, room: MoveRoom) -> Option<Move> {
        let occupancy = f64::from(buffer.sram_staying()) / f64::from(buffer.sram_capacity());
        if room.outward && occupancy > self.swap_out {
            return Some(Move::SwapOut);
        }
        if room.inward && occupancy < self.swap_in && buffer.smallest_hbm().is_some() {
            return Some(Move::SwapIn);
        }
        None
    }

    fn reads_queues(&self) -> bool {
        false
    }

    fn batches(&self) -> bool {
        true
    }

    fn watermarks(&self) -> Option<[f64; 2]> {
        Some([self.swap_in, self.swap_out])
    }
}
