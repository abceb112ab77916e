//! Ingress accounting, for classes that must not lose packets: which input holds how much, and when
//! the neighbour behind it has to pause.
//!
//! Each input has a *group* for each lossless class (a priority group, in the words of SONiC). A
//! packet that enters is charged to its group: to the shared pool while the group stays within its
//! threshold and the pool has room, otherwise to *headroom*, which is set aside for what arrives
//! until the neighbour has stopped. The first packet that goes to headroom calls for a pause
//! (XOFF). The pause ends (XON) when the group has left its headroom and is [`resume`] cells below
//! its threshold, or empty. What leaves a group gives headroom back first.
//!
//! Only when headroom is full, too, is a packet lost. How much is enough:
//! [`Reaction`](crate::Reaction).
//!
//! O(1) a packet, and O(paused groups) whenever a packet leaves. 16 bytes a group, eight groups an
//! input.
//!
//! [`resume`]: IngressConfig::resume

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_sched::DropCause;

use crate::threshold::{Alpha, Comparison};

/// Classes that can be paused: those of IEEE 802.1Qbb.
pub const PRIORITIES: usize = 8;

/// How much of the shared pool a group may hold before its neighbour is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseAt {
    /// So many times the free cells.
    Share(Alpha),
    /// So many cells.
    Cells(u32),
}

impl PauseAt {
    pub(super) fn threshold(self, free: u32) -> u32 {
        match self {
            PauseAt::Share(alpha) => alpha.threshold(free),
            PauseAt::Cells(cells) => cells,
        }
    }

    pub(super) fn admits(self, length: u32, cells: u32, free: u32) -> bool {
        match self {
            PauseAt::Share(alpha) => alpha.admits(Comparison::With, length, cells, free),
            PauseAt::Cells(limit) => length.saturating_add(cells) <= limit,
        }
    }
}

/// Which classes of a buffer are lossless, and what is set aside for them. All sizes are in cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngressConfig {
    /// Whether each class is lossless.
    pub classes: [bool; PRIORITIES],
    /// Of each input, the most headroom that each of its groups may take.
    pub headroom: Vec<u32>,
    /// Headroom of all groups together; `None` for as much as each of them may take.
    pub headroom_pool: Option<u32>,
    /// When a group pauses its neighbour; `None` if none ever does, since neighbours send only what
    /// they have been granted: all packets then take what is set aside for their group, and nothing
    /// of the shared pool.
    pub pause_at: Option<PauseAt>,
    /// How far below the threshold a group must be before its neighbour may go on.
    pub resume: u32,
}

impl IngressConfig {
    /// The headroom that the memory sets aside.
    #[must_use]
    pub fn headroom_cells(&self) -> u64 {
        let classes = self.classes.iter().filter(|lossless| **lossless).count() as u64;
        let each: u64 = self.headroom.iter().map(|cells| u64::from(*cells)).sum();
        self.headroom_pool.map_or(each.saturating_mul(classes), u64::from)
    }
}

/// A neighbour is to pause a class, or may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseCall {
    /// The input behind which it is.
    pub input: u16,
    /// Which class.
    pub class: u8,
    /// Whether it is to pause.
    pub on: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Cells of the shared pool.
    shared: u32,
    headroom: u32,
    paused: bool,
}

/// Which part of the memory an arriving packet takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Shared,
    Headroom,
}

/// The accounts of a buffer's inputs.
#[derive(Clone, Debug)]
pub(crate) struct Ingress {
    config: IngressConfig,
    groups: Vec<Group>,
    /// The numbers of the groups that pause their neighbours.
    paused: Vec<u32>,
    /// What neighbours have not been told, oldest first.
    calls: VecDeque<PauseCall>,
    headroom_size: u32,
    headroom_used: u32,
    /// The most headroom that was in use at once.
    headroom_most: u32,
}

impl Ingress {
    pub(crate) fn new(config: &IngressConfig) -> Self {
        let groups = config.headroom.len() * PRIORITIES;
        Ingress {
            headroom_size: u32::try_from(config.headroom_cells()).unwrap_or(u32::MAX),
            config: config.clone(),
            groups: alloc::vec![Group::default(); groups],
            paused: Vec::new(),
            calls: VecDeque::new(),
            headroom_used: 0,
            headroom_most: 0,
        }
    }

    /// Whether packets of a class must not be lost.
    #[inline]
    pub(crate) fn protects(&self, class: u16) -> bool {
        self.config.classes.get(usize::from(class)).copied().unwrap_or(false)
    }

    /// Where a packet of so many cells would be put while `free` cells of the pool are free.
    pub(crate) fn room(
        &self,
        input: u16,
        class: u16,
        cells: u32,
        free: u32,
    ) -> Result<Room, DropCause> {
        let group = self.groups.get(number(input, class)).ok_or(DropCause::Impossible)?;
        let admits = |at: PauseAt| at.admits(group.shared, cells, free);
        if cells <= free && self.config.pause_at.is_some_and(admits) {
            return Ok(Room::Shared);
        }
        let own = self.config.headroom[usize::from(input)];
        let fits = group.headroom.saturating_add(cells) <= own
            && self.headroom_used.saturating_add(cells) <= self.headroom_size;
        if fits { Ok(Room::Headroom) } else { Err(DropCause::HeadroomFull) }
    }

    /// A packet was refused: its neighbour is to pause, unless nothing waits whose leaving would
    /// end that.
    #[cold]
    pub(crate) fn refused(&mut self, input: u16, class: u16) {
        let index = number(input, class);
        let holds = self.groups.get(index).is_some_and(|group| group.shared > 0);
        if holds || self.headroom_used > 0 {
            self.pause(index);
        }
    }

    fn pause(&mut self, index: usize) {
        if self.config.pause_at.is_none() {
            return;
        }
        let Some(group) = self.groups.get_mut(index) else { return };
        if !core::mem::replace(&mut group.paused, true) {
            self.paused.push(index as u32);
            self.calls.push_back(call(index as u32, true));
        }
    }

    /// Charges a packet. Returns the cells that it takes of the pool.
    pub(crate) fn add(&mut self, input: u16, class: u16, cells: u32, room: Room) -> u32 {
        let index = number(input, class);
        let group = &mut self.groups[index];
        match room {
            Room::Shared => {
                group.shared += cells;
                cells
            }
            Room::Headroom => {
                group.headroom += cells;
                self.headroom_used += cells;
                self.headroom_most = self.headroom_most.max(self.headroom_used);
                self.pause(index);
                0
            }
        }
    }

    /// A packet has left. Returns the cells that it gives back to the pool.
    pub(crate) fn remove(&mut self, input: u16, class: u16, cells: u32) -> u32 {
        let Some(group) = self.groups.get_mut(number(input, class)) else { return 0 };
        let headroom = group.headroom.min(cells);
        group.headroom -= headroom;
        group.shared -= cells - headroom;
        self.headroom_used -= headroom;
        cells - headroom
    }

    /// Ends the pauses that need not go on while `free` cells are free.
    #[inline]
    pub(crate) fn resume(&mut self, free: u32) {
        if !self.paused.is_empty() {
            self.resume_paused(free);
        }
    }

    fn resume_paused(&mut self, free: u32) {
        let threshold = self.config.pause_at.map_or(0, |at| at.threshold(free));
        let below = threshold.saturating_sub(self.config.resume);
        let (groups, calls) = (&mut self.groups, &mut self.calls);
        self.paused.retain(|&index| {
            let group = &mut groups[index as usize];
            let stays = group.headroom > 0 || group.shared > below;
            if !stays {
                group.paused = false;
                calls.push_back(call(index, false));
            }
            stays
        });
    }

    /// The next thing that a neighbour is to be told.
    pub(crate) fn next_call(&mut self) -> Option<PauseCall> {
        self.calls.pop_front()
    }

    /// Cells of headroom in use now, and the most at once.
    pub(crate) fn headroom(&self) -> (u32, u32) {
        (self.headroom_used, self.headroom_most)
    }

    /// What the groups hold of the pool, and of headroom.
    pub(crate) fn held(&self) -> (u64, u64) {
        self.groups.iter().fold((0, 0), |(shared, headroom), group| {
            (shared + u64::from(group.shared), headroom + u64::from(group.headroom))
        })
    }

    /// What a group holds in all.
    pub(crate) fn of(&self, input: u16, class: u16) -> u64 {
        let group = self.groups.get(number(input, class)).copied().unwrap_or_default();
        u64::from(group.shared) + u64::from(group.headroom)
    }

    /// How many groups there are.
    pub(crate) fn inputs(&self) -> u16 {
        (self.groups.len() / PRIORITIES) as u16
    }
}

#[inline]
fn number(input: u16, class: u16) -> usize {
    usize::from(input) * PRIORITIES + usize::from(class)
}

fn call(group: u32, on: bool) -> PauseCall {
    let each = PRIORITIES as u32;
    PauseCall { input: (group / each) as u16, class: (group % each) as u8, on }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(pause_at: PauseAt) -> IngressConfig {
        let mut classes = [false; PRIORITIES];
        classes[3] = true;
        IngressConfig {
            classes,
            headroom: alloc::vec![10, 6],
            headroom_pool: None,
            pause_at: Some(pause_at),
            resume: 2,
        }
    }

    fn put(ingress: &mut Ingress, input: u16, cells: u32, free: u32) -> Result<u32, DropCause> {
        let room = ingress.room(input, 3, cells, free)?;
        Ok(ingress.add(input, 3, cells, room))
    }

    #[test]
    fn a_group_beyond_its_threshold_fills_headroom_and_calls_once() {
        let mut ingress = Ingress::new(&config(PauseAt::Cells(8)));
        assert!(ingress.protects(3) && !ingress.protects(0) && !ingress.protects(9));
        assert_eq!(put(&mut ingress, 0, 8, 100), Ok(8));
        assert_eq!(ingress.next_call(), None);
        assert_eq!([put(&mut ingress, 0, 4, 92), put(&mut ingress, 0, 6, 92)], [Ok(0), Ok(0)]);
        assert_eq!(put(&mut ingress, 0, 1, 92), Err(DropCause::HeadroomFull));
        assert_eq!(ingress.next_call(), Some(PauseCall { input: 0, class: 3, on: true }));
        assert_eq!((ingress.next_call(), ingress.headroom()), (None, (10, 10)));
        // The other input has headroom of its own.
        assert_eq!(put(&mut ingress, 1, 9, 92), Err(DropCause::HeadroomFull));
        assert_eq!(put(&mut ingress, 7, 1, 92), Err(DropCause::Impossible));
        assert_eq!((ingress.held(), ingress.of(0, 3)), ((8, 10), 18));
    }

    #[test]
    fn headroom_is_given_back_first_and_the_pause_ends_below_the_threshold() {
        let mut ingress = Ingress::new(&config(PauseAt::Cells(8)));
        put(&mut ingress, 0, 8, 100).unwrap();
        put(&mut ingress, 0, 4, 92).unwrap();
        ingress.next_call();
        let mut leave = |cells, free| {
            let back = ingress.remove(0, 3, cells);
            ingress.resume(free);
            (back, ingress.next_call().map(|call| call.on))
        };
        assert_eq!(leave(3, 92), (0, None));
        assert_eq!(leave(2, 93), (1, None));
        assert_eq!(leave(1, 94), (1, Some(false)), "2 cells below the threshold");
        assert_eq!(leave(1, 95), (1, None), "once");
    }

    /// Nothing of the pool, and no call, however full.
    #[test]
    fn a_group_that_grants_takes_its_own_room_alone() {
        let grants = IngressConfig { pause_at: None, ..config(PauseAt::Cells(8)) };
        let mut ingress = Ingress::new(&grants);
        assert_eq!([put(&mut ingress, 0, 6, 100), put(&mut ingress, 0, 4, 100)], [Ok(0), Ok(0)]);
        assert_eq!(put(&mut ingress, 0, 1, 100), Err(DropCause::HeadroomFull));
        ingress.refused(0, 3);
        assert_eq!((ingress.remove(0, 3, 4), ingress.headroom()), (0, (6, 10)));
        ingress.resume(100);
        assert_eq!(ingress.next_call(), None);
    }

    #[test]
    fn a_shrinking_pool_pauses_and_an_empty_group_goes_on() {
        let mut ingress = Ingress::new(&config(PauseAt::Share(Alpha::power_of_two(0))));
        assert_eq!(put(&mut ingress, 0, 4, 8), Ok(4));
        assert_eq!(put(&mut ingress, 0, 1, 4), Ok(0), "beyond its share of what is free");
        assert!(ingress.next_call().is_some_and(|call| call.on));
        ingress.remove(0, 3, 5);
        // Nothing is free, so the threshold is 0; but the group holds nothing either.
        ingress.resume(0);
        assert!(ingress.next_call().is_some_and(|call| !call.on));
    }

    #[test]
    fn shared_headroom_is_first_come_first_served() {
        let pool = IngressConfig { headroom_pool: Some(12), ..config(PauseAt::Cells(0)) };
        assert_eq!((pool.headroom_cells(), config(PauseAt::Cells(0)).headroom_cells()), (12, 16));
        let mut ingress = Ingress::new(&pool);
        assert_eq!([put(&mut ingress, 0, 10, 50), put(&mut ingress, 1, 2, 50)], [Ok(0), Ok(0)]);
        assert_eq!(put(&mut ingress, 1, 1, 50), Err(DropCause::HeadroomFull));
    }
}
