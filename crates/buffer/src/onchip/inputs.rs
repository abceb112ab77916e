//! What a buffer does with packets that are counted as they come in: those of lossless classes are
//! charged to their inputs in place of their queues, and no policy is asked about them; or all are
//! charged to priority groups and to their queues.

use alloc::boxed::Box;

use forebay_parameters::ParameterError;
use forebay_sched::DropCause;
use forebay_units::Time;

use super::buffer::SharedBuffer;
use super::groups::{GroupState, Groups, GroupsConfig};
use super::ingress::{Ingress, PauseCall, Room};
use super::policy::{Removal, Victim};
use crate::descriptor::Descriptor;

/// The accounts of a buffer's inputs.
#[derive(Clone, Debug)]
pub(super) enum Inputs {
    /// Of lossless classes, which draw on the first pool.
    Lossless(Ingress),
    /// Of priority groups, which have pools of their own.
    Groups(Groups),
}

impl SharedBuffer {
    /// The same buffer, empty, whose packets are charged to priority groups, too.
    ///
    /// # Errors
    /// A group, pool or priority that is not there; or lossless classes, which stand in place of
    /// groups.
    pub fn charging(self, groups: GroupsConfig) -> Result<Self, ParameterError> {
        groups.validate()?;
        if self.inputs.is_some() {
            let problem = "the buffer has lossless classes: give one of the two";
            return Err(ParameterError::value("groups", problem));
        }
        let groups = Box::new(Inputs::Groups(Groups::new(groups, self.classes)));
        Ok(SharedBuffer { inputs: Some(groups), ..self })
    }

    /// Whether the packets of `queue` must not be lost, and are charged to inputs alone.
    #[inline]
    pub(super) fn is_lossless(&self, queue: u32) -> bool {
        let class = || (queue % u32::from(self.classes)) as u16;
        match self.inputs.as_deref() {
            Some(Inputs::Lossless(ingress)) => ingress.protects(class()),
            Some(Inputs::Groups(_)) | None => false,
        }
    }

    /// Whether there is room for a packet that is counted as it comes in; of a lossless class,
    /// where.
    #[cold]
    pub(super) fn ask_inputs(
        &mut self,
        arriving: &Descriptor,
        cells: u32,
    ) -> Result<Option<Room>, DropCause> {
        let class = (arriving.queue % u32::from(self.classes)) as u16;
        let (input, free) = (arriving.packet.input, self.levels[0].capacity - self.levels[0].used);
        match self.inputs.as_deref_mut() {
            Some(Inputs::Lossless(ingress)) if ingress.protects(class) => {
                let room = ingress.room(input, class, cells, free);
                return room.inspect_err(|_| ingress.refused(input, class)).map(Some);
            }
            Some(Inputs::Groups(groups)) => groups.ask(input, class, cells)?,
            Some(Inputs::Lossless(_)) | None => {}
        }
        self.ask(arriving, cells).map(|()| None)
    }

    /// A packet is stored, in the room that was found for it. Returns whether it is of a lossless
    /// class.
    #[cold]
    pub(super) fn entered_through(
        &mut self,
        arriving: &Descriptor,
        cells: u32,
        room: Option<Room>,
    ) -> bool {
        let class = (arriving.queue % u32::from(self.classes)) as u16;
        let input = arriving.packet.input;
        match (self.inputs.as_deref_mut(), room) {
            (Some(Inputs::Lossless(ingress)), Some(room)) => {
                self.levels[0].used += ingress.add(input, class, cells, room);
                true
            }
            (Some(Inputs::Groups(groups)), _) => {
                groups.add(input, class, cells);
                false
            }
            (Some(Inputs::Lossless(_)) | None, _) => false,
        }
    }

    /// A packet has left that was counted as it came in. Returns whether it is of a lossless class.
    #[cold]
    pub(super) fn left_input(&mut self, left: &Descriptor) -> bool {
        let class = (left.queue % u32::from(self.classes)) as u16;
        let (input, cells) = (left.packet.input, left.cells.cells());
        match self.inputs.as_deref_mut() {
            Some(Inputs::Lossless(ingress)) => {
                let level = &mut self.levels[0];
                let lossless = ingress.protects(class);
                if lossless {
                    level.used -= ingress.remove(input, class, cells);
                }
                ingress.resume(level.capacity - level.used);
                lossless
            }
            Some(Inputs::Groups(groups)) => {
                groups.remove(input, class, cells);
                false
            }
            None => false,
        }
    }

    /// The next thing that a neighbour is to be told, oldest first; `None` if all is told.
    pub fn next_pause_call(&mut self) -> Option<PauseCall> {
        match self.inputs.as_deref_mut()? {
            Inputs::Lossless(ingress) => ingress.next_call(),
            Inputs::Groups(groups) => groups.next_call(),
        }
    }

    /// Cells of headroom in use now, and the most that were at once; of priority groups, the most
    /// in any of their pools.
    #[must_use]
    pub fn headroom(&self) -> (u32, u32) {
        match self.inputs.as_deref() {
            Some(Inputs::Lossless(ingress)) => ingress.headroom(),
            Some(Inputs::Groups(groups)) => groups.headroom(),
            None => (0, 0),
        }
    }

    /// Its priority groups as they stand; none unless it [has](Self::charging) such.
    #[must_use]
    pub fn groups(&self) -> &[GroupState] {
        match self.inputs.as_deref() {
            Some(Inputs::Groups(groups)) => groups.states(),
            Some(Inputs::Lossless(_)) | None => &[],
        }
    }

    /// Cells of the shared part of an ingress pool that are in use, if there is that pool.
    #[must_use]
    pub fn input_pool(&self, pool: u16) -> Option<u32> {
        match self.inputs.as_deref()? {
            Inputs::Groups(groups) => groups.used(pool),
            Inputs::Lossless(_) => None,
        }
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
