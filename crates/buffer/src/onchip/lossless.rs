//! What a buffer does with packets that must not be lost: they are charged to the input they came
//! through, and no policy is asked about them.

use forebay_sched::DropCause;
use forebay_units::Time;

use super::buffer::SharedBuffer;
use super::ingress::{PauseCall, Room};
use super::policy::{Removal, Victim};
use crate::descriptor::Descriptor;

impl SharedBuffer {
    /// Whether the packets of `queue` must not be lost.
    #[inline]
    pub(super) fn is_lossless(&self, queue: u32) -> bool {
        let class = || (queue % u32::from(self.classes)) as u16;
        self.ingress.as_ref().is_some_and(|ingress| ingress.protects(class()))
    }

    /// Where there is room for a packet of a lossless class, which is charged to its input.
    #[cold]
    pub(super) fn ask_ingress(
        &mut self,
        arriving: &Descriptor,
        cells: u32,
    ) -> Result<Room, DropCause> {
        let class = (arriving.queue % u32::from(self.classes)) as u16;
        let (input, free) = (arriving.packet.input, self.levels[0].capacity - self.levels[0].used);
        let Some(ingress) = &mut self.ingress else { return Err(DropCause::Impossible) };
        let room = ingress.room(input, class, cells, free);
        room.inspect_err(|_| ingress.refused(input, class))
    }

    /// A packet of a lossless class is stored, in the room that was found for it.
    #[cold]
    pub(super) fn entered_ingress(&mut self, arriving: &Descriptor, cells: u32, room: Room) {
        let class = (arriving.queue % u32::from(self.classes)) as u16;
        if let Some(ingress) = &mut self.ingress {
            self.levels[0].used += ingress.add(arriving.packet.input, class, cells, room);
        }
    }

    /// A packet has left a buffer with lossless classes. Returns whether it was of one.
    #[cold]
    pub(super) fn left_ingress(&mut self, left: &Descriptor) -> bool {
        let class = (left.queue % u32::from(self.classes)) as u16;
        let Some(ingress) = &mut self.ingress else { return false };
        let level = &mut self.levels[0];
        let lossless = ingress.protects(class);
        if lossless {
            level.used -= ingress.remove(left.packet.input, class, left.cells.cells());
        }
        ingress.resume(level.capacity - level.used);
        lossless
    }

    /// The next thing that a neighbour is to be told, oldest first; `None` if all is told.
    pub fn next_pause_call(&mut self) -> Option<PauseCall> {
        self.ingress.as_mut()?.next_call()
    }

    /// Cells of headroom in use now, and the most that were at once.
    #[must_use]
    pub fn headroom(&self) -> (u32, u32) {
        self.ingress.as_ref().map_or((0, 0), |ingress| ingress.headroom())
    }

    /// Whether a packet that came through `input` waits in `queue`. O(packets of the queue): for
    /// whoever looks for deadlocks.
    #[must_use]
    pub fn holds_of(&self, input: u16, queue: u32) -> bool {
        if self.accounts.get(queue as usize).is_none() {
            return false;
        }
        let mut next = self.lists.head(queue);
        while let Some(id) = next {
            if self.descriptors[id].packet.input == input {
                return true;
            }
            next = self.descriptors.next(id);
        }
        false
    }

    /// Drops everything that waits in `queue`, for this cause; [`losses`](Self::losses) then has
    /// it.
    pub fn drain(&mut self, now: Time, queue: u32, cause: DropCause) {
        self.advance(now);
        while let Some(id) = self.find(Victim::Head(queue)) {
            self.lose(id, cause, Removal::PushedOut, self.now);
        }
    }
}
