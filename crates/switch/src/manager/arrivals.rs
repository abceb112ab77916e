//! Admission: where the policy puts an arriving packet, and what gives way when that is full.

use forebay_buffer::{Descriptor, DropCause, Placement, Pressure};
use forebay_pifo::TieredQueue;

use super::TrafficManager;
use super::outcome::{Loss, Verdict};

impl<Q: TieredQueue> TrafficManager<Q> {
    pub(crate) fn admit(&mut self, arriving: &Descriptor) -> Verdict {
        let outcome = match self.policy.place(&self.buffer, arriving) {
            Placement::Near => self.admit_near(arriving),
            Placement::Far => self.admit_far(arriving),
        };
        match outcome {
            Ok(verdict) => verdict,
            Err(cause) => {
                self.counters.dropped.count(cause, arriving.packet.size);
                Verdict::Dropped(cause)
            }
        }
    }

    fn admit_near(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        if self.buffer.near_fits(arriving.packet.size) {
            return self.store_near(arriving);
        }
        match self.policy.near_full(&self.buffer, arriving) {
            Pressure::Divert => self.store_far(arriving),
            Pressure::DropArriving => Err(DropCause::MemoryFull),
            Pressure::DropLargest { bytes } => {
                self.make_room(arriving, bytes, DropCause::MemoryFull)?;
                self.store_near(arriving)
            }
        }
    }

    fn admit_far(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        if self.buffer.staging().fits(arriving.packet.size) {
            return self.store_far(arriving);
        }
        match self.policy.staging_full(&self.buffer, arriving) {
            Pressure::Divert => self.store_near(arriving),
            Pressure::DropArriving => Err(DropCause::StagingFull),
            Pressure::DropLargest { bytes } => {
                self.make_room(arriving, bytes, DropCause::StagingFull)?;
                self.store_near(arriving)
            }
        }
    }

    fn store_near(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        let id = self.buffer.arrive_near(arriving)?;
        let cells = self.buffer.descriptor(id).cells.cells();
        self.write_port.foreground(arriving.arrived, cells);
        Ok(Verdict::Near)
    }

    fn store_far(&mut self, arriving: &Descriptor) -> Result<Verdict, DropCause> {
        self.buffer.arrive_far(arriving).map(|_| Verdict::Far)
    }

    /// Drops on-chip packets of larger rank than the arriving one, largest first, until `bytes` are
    /// freed and the arriving packet fits. Fails with `cause` if none was larger or it still does not
    /// fit.
    fn make_room(
        &mut self,
        arriving: &Descriptor,
        bytes: u64,
        cause: DropCause,
    ) -> Result<(), DropCause> {
        let mut freed = 0;
        while freed < bytes || !self.buffer.near_fits(arriving.packet.size) {
            let larger = self.buffer.largest_near().filter(|e| e.rank > arriving.rank.get());
            if larger.is_none() {
                break;
            }
            let Some((port, packet)) = self.buffer.drop_largest_near() else { break };
            self.lose(Loss { packet, port, cause });
            freed += u64::from(packet.size);
        }
        if freed > 0 && self.buffer.near_fits(arriving.packet.size) { Ok(()) } else { Err(cause) }
    }
}
