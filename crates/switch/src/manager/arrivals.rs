//! Admission: where the policy puts an arriving packet, and what gives way when that is full.

use forebay_buffer::{Descriptor, DropCause, Placement, Pressure};
use forebay_pifo::TieredQueue;

use super::TrafficManager;
use super::config::StagingWrites;
use super::outcome::{Loss, Verdict};

impl<Q: TieredQueue> TrafficManager<Q> {
    pub(crate) fn admit(&mut self, arriving: &Descriptor) -> Verdict {
        let outcome = if self.buffer.protects(&arriving.packet) {
            self.admit_lossless(arriving)
        } else {
            match self.policy.place(&self.buffer, arriving) {
                Placement::Sram => self.admit_sram(arriving),
                Placement::Hbm => self.admit_hbm(arriving),
            }
        };
        match outcome {
            Ok(verdict) => verdict,
            Err(cause) => {
                self.counters.dropped.count(cause, arriving.packet.size);
                Verdict::Dropped(cause)
            }
        }
    }

    /// A packet that must not be lost goes where the policy wants it, to HBM if its input has all
    /// that it may have of the SRAM, and to headroom if staging is full, too.
    #[cold]
    fn admit_lossless(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        let wants_sram = self.policy.place(&self.buffer, arriving) == Placement::Sram;
        let goes_on_chip = wants_sram && self.buffer.finds_pool(arriving);
        if !goes_on_chip && self.staging_is_open() && self.buffer.finds_staging(arriving) {
            return self.store_hbm(arriving);
        }
        let id = self.buffer.arrive_lossless(arriving)?;
        let cells = self.buffer.descriptor(id).cells.cells();
        self.write_port.foreground(arriving.arrived, cells);
        Ok(Verdict::Sram)
    }

    fn admit_sram(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        if self.buffer.sram_fits(arriving.packet.size) {
            return self.store_sram(arriving);
        }
        match self.policy.sram_full(&self.buffer, arriving) {
            Pressure::Divert => self.store_hbm(arriving),
            Pressure::DropArriving => Err(DropCause::SramFull),
            Pressure::DropLargest { bytes } => {
                self.make_room(arriving, bytes, DropCause::SramFull)?;
                self.store_sram(arriving)
            }
        }
    }

    fn admit_hbm(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        if self.staging_is_open() && self.buffer.staging().fits(arriving.packet.size) {
            return self.store_hbm(arriving);
        }
        match self.policy.staging_full(&self.buffer, arriving) {
            Pressure::Divert => self.store_sram(arriving),
            Pressure::DropArriving => Err(DropCause::StagingFull),
            Pressure::DropLargest { bytes } => {
                self.make_room(arriving, bytes, DropCause::StagingFull)?;
                self.store_sram(arriving)
            }
        }
    }

    fn store_sram(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        let id = self.buffer.arrive_sram(arriving)?;
        let cells = self.buffer.descriptor(id).cells.cells();
        self.write_port.foreground(arriving.arrived, cells);
        Ok(Verdict::Sram)
    }

    fn store_hbm(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        if !self.staging_is_open() {
            return Err(DropCause::StagingFull);
        }
        self.buffer.arrive_hbm(arriving).map(|_| Verdict::Hbm)
    }

    fn staging_is_open(&self) -> bool {
        match self.staging_writes {
            StagingWrites::Merged => true,
            StagingWrites::Closed | StagingWrites::Whole => !self.buffer.staging().is_writing(),
        }
    }

    /// Drops on-chip packets of larger rank than the arriving one, largest first, until `bytes` are
    /// freed and the arriving packet fits. Fails with `cause` if none was larger, the largest must
    /// not be lost, or it still does not fit.
    fn make_room(
        &mut self,
        arriving: &Descriptor,
        bytes: u64,
        cause: DropCause,
    ) -> Result<(), DropCause> {
        let mut freed = 0;
        while freed < bytes || !self.buffer.sram_fits(arriving.packet.size) {
            let larger = self.buffer.largest_sram().filter(|e| {
                let packet = &self.buffer.descriptor(e.id).packet;
                e.rank > arriving.rank.get() && !self.buffer.protects(packet)
            });
            if larger.is_none() {
                break;
            }
            let Some((port, packet)) = self.buffer.drop_largest_sram() else { break };
            self.lose(Loss { packet, port, cause });
            freed += u64::from(packet.size);
        }
        if freed > 0 && self.buffer.sram_fits(arriving.packet.size) { Ok(()) } else { Err(cause) }
    }
}
