//! Ingress pools: which priority group of which input holds how much, next to what queues hold.
//!
//! A switch that counts on both sides admits a packet only if its *priority group* and its queue
//! have room. A group fills its reservation first, then it takes the shared part of its ingress
//! pool while it is within its threshold and the pool has room, and then its *headroom*, if it has
//! some. The first packet that goes to headroom calls for a pause, if the group pauses its
//! neighbour at all; the pause ends when the group has left its headroom and holds no more than the
//! larger of two limits: a number of cells ([`Resume::below`]), and so much less than it may hold
//! now ([`Resume::offset`]). What leaves gives headroom back first, and the reservation last.
//!
//! Groups are asked before the queue's policy, so a packet that they refuse pushes nothing out.
//! O(1) a packet, and O(groups that pause) whenever a packet leaves; 32 bytes a group.
//!
//! Unlike the [ingress accounts](super::IngressConfig) of lossless classes, which stand in place of
//! the policies', these stand beside them: a packet is charged on both sides.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_parameters::ParameterError;
use forebay_sched::DropCause;

use super::ingress::{PRIORITIES, PauseAt, PauseCall};

/// An ingress pool. Sizes are in cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPool {
    /// What its groups share.
    pub shared: u32,
    /// Headroom that they share; `None` if each has its own.
    pub headroom: Option<u32>,
}

/// When the neighbour behind a group may go on. Sizes are in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resume {
    /// When the group holds no more than this, …
    pub below: u32,
    /// … or is this far below what it may hold; `None` if that ends no pause.
    pub offset: Option<u32>,
}

/// A priority group of an input. Sizes are in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupConfig {
    /// Index of its pool.
    pub pool: u16,
    /// The input that it belongs to.
    pub input: u16,
    /// Cells that only it can use, without its headroom.
    pub reserved: u32,
    /// What it may take of the shared part.
    pub threshold: PauseAt,
    /// The headroom that it may take.
    pub headroom: u32,
    /// The priority, 0 to 7, that its neighbour is to pause once it takes headroom; `None` if it
    /// pauses none.
    pub pauses: Option<u8>,
    /// When that pause ends.
    pub resume: Resume,
}

/// Priority groups and the pools that they draw on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupsConfig {
    /// The ingress pools.
    pub pools: Vec<InputPool>,
    /// The groups.
    pub groups: Vec<GroupConfig>,
    /// For each input and class of queues, `input * classes + class`, the group that its packets
    /// are charged to; `None` for packets that are not counted as they come in.
    pub charged: Vec<Option<u16>>,
}

impl GroupsConfig {
    /// Checks that groups, pools and priorities exist.
    ///
    /// # Errors
    /// The first index that leads nowhere.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let wrong = |problem: &str| Err(ParameterError::value("groups", problem));
        if self.groups.iter().any(|group| usize::from(group.pool) >= self.pools.len()) {
            return wrong("a group names a pool that is not there: give it one of the list");
        }
        if self
            .groups
            .iter()
            .any(|group| group.pauses.is_some_and(|one| usize::from(one) >= PRIORITIES))
        {
            return wrong("a group pauses a priority above 7: there are 8");
        }
        let lost = |group: &u16| usize::from(*group) >= self.groups.len();
        if self.charged.iter().flatten().any(lost) {
            return wrong("packets are charged to a group that is not there: give it one");
        }
        Ok(())
    }
}

/// What a group holds and has seen. Sizes are in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupState {
    /// What it holds beside headroom: of its reservation, and beyond that of the shared part.
    pub held: u32,
    /// The headroom that it holds.
    pub headroom: u32,
    /// The most headroom that it held at once.
    pub headroom_most: u32,
    /// Packets that it refused.
    pub refused: u64,
    /// Whether it pauses its neighbour now.
    pub paused: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    used: u32,
    headroom: u32,
    headroom_most: u32,
}

/// The accounts of priority groups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    config: GroupsConfig,
    classes: u16,
    states: Vec<GroupState>,
    pools: Vec<Pool>,
    /// The groups that pause their neighbours.
    paused: Vec<u16>,
    /// What neighbours have not been told, oldest first.
    calls: VecDeque<PauseCall>,
}

/// Which part of a group a packet takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The reservation, and so many cells of the shared part.
    Main(u32),
    Headroom,
}

impl Groups {
    pub(super) fn new(config: GroupsConfig, classes: u16) -> Self {
        Groups {
            classes,
            states: alloc::vec![GroupState::default(); config.groups.len()],
            pools: alloc::vec![Pool::default(); config.pools.len()],
            paused: Vec::new(),
            calls: VecDeque::new(),
            config,
        }
    }

    fn group_of(&self, input: u16, class: u16) -> Option<usize> {
        let number = usize::from(input) * usize::from(self.classes) + usize::from(class);
        self.config.charged.get(number).copied().flatten().map(usize::from)
    }

    /// Where a packet of so many cells would be put.
    fn part(&self, index: usize, cells: u32) -> Result<Part, DropCause> {
        let (group, state) = (&self.config.groups[index], &self.states[index]);
        let pool = &self.config.pools[usize::from(group.pool)];
        let level = &self.pools[usize::from(group.pool)];
        let shared = state.held.saturating_sub(group.reserved);
        let charge = state.held.saturating_add(cells).saturating_sub(group.reserved) - shared;
        let free = pool.shared.saturating_sub(level.used);
        let within = group.threshold.admits(shared, charge, free);
        if charge == 0 || (charge <= free && within) {
            return Ok(Part::Main(charge));
        }
        let fits = state.headroom.saturating_add(cells) <= group.headroom
            && pool.headroom.is_none_or(|all| level.headroom.saturating_add(cells) <= all);
        match (fits, group.headroom > 0 || group.pauses.is_some(), within) {
            (true, _, _) => Ok(Part::Headroom),
            (false, true, _) => Err(DropCause::HeadroomFull),
            (false, false, true) => Err(DropCause::SramFull),
            (false, false, false) => Err(DropCause::Threshold),
        }
    }

    /// Whether the group of a packet takes it. A group that refuses one calls for a pause, unless
    /// it holds nothing whose leaving would end that.
    pub(super) fn ask(&mut self, input: u16, class: u16, cells: u32) -> Result<(), DropCause> {
        let Some(index) = self.group_of(input, class) else { return Ok(()) };
        let Err(cause) = self.part(index, cells) else { return Ok(()) };
        let state = &mut self.states[index];
        state.refused += 1;
        if state.held > 0 || state.headroom > 0 {
            self.pause(index);
        }
        Err(cause)
    }

    fn pause(&mut self, index: usize) {
        let group = &self.config.groups[index];
        let Some(class) = group.pauses else { return };
        if !core::mem::replace(&mut self.states[index].paused, true) {
            self.paused.push(index as u16);
            self.calls.push_back(PauseCall { input: group.input, class, on: true });
        }
    }

    /// Charges a packet that has been stored.
    pub(super) fn add(&mut self, input: u16, class: u16, cells: u32) {
        let Some(index) = self.group_of(input, class) else { return };
        let level = usize::from(self.config.groups[index].pool);
        match self.part(index, cells) {
            Ok(Part::Main(charge)) => {
                self.states[index].held += cells;
                self.pools[level].used += charge;
            }
            // What made room for the packet only left: it never fits less than when it was asked.
            Ok(Part::Headroom) | Err(_) => {
                let (state, pool) = (&mut self.states[index], &mut self.pools[level]);
                state.headroom += cells;
                state.headroom_most = state.headroom_most.max(state.headroom);
                pool.headroom += cells;
                pool.headroom_most = pool.headroom_most.max(pool.headroom);
                self.pause(index);
            }
        }
    }

    /// A packet has left.
    pub(super) fn remove(&mut self, input: u16, class: u16, cells: u32) {
        if let Some(index) = self.group_of(input, class) {
            let (group, state) = (&self.config.groups[index], &mut self.states[index]);
            let level = &mut self.pools[usize::from(group.pool)];
            let headroom = state.headroom.min(cells);
            let before = state.held.saturating_sub(group.reserved);
            state.headroom -= headroom;
            state.held -= cells - headroom;
            level.headroom -= headroom;
            level.used -= before - state.held.saturating_sub(group.reserved);
        }
        if !self.paused.is_empty() {
            self.resume();
        }
    }

    fn resume(&mut self) {
        let (config, states, pools) = (&self.config, &mut self.states, &self.pools);
        let calls = &mut self.calls;
        self.paused.retain(|&index| {
            let (group, state) =
                (&config.groups[usize::from(index)], &mut states[usize::from(index)]);
            let pool = &config.pools[usize::from(group.pool)];
            let free = pool.shared.saturating_sub(pools[usize::from(group.pool)].used);
            let most = group.reserved.saturating_add(group.threshold.threshold(free));
            let offset = group.resume.offset.map_or(0, |offset| most.saturating_sub(offset));
            let stays = state.headroom > 0 || state.held > group.resume.below.max(offset);
            if !stays && let Some(class) = group.pauses {
                state.paused = false;
                calls.push_back(PauseCall { input: group.input, class, on: false });
            }
            stays
        });
    }

    pub(super) fn next_call(&mut self) -> Option<PauseCall> {
        self.calls.pop_front()
    }

    /// Every group as it stands.
    pub(super) fn states(&self) -> &[GroupState] {
        &self.states
    }

    /// What groups hold of a pool's shared part.
    pub(super) fn used(&self, pool: u16) -> Option<u32> {
        self.pools.get(usize::from(pool)).map(|pool| pool.used)
    }

    /// Cells of headroom in use now, over all pools, and the most in any of them.
    pub(super) fn headroom(&self) -> (u32, u32) {
        let most = self.pools.iter().map(|pool| pool.headroom_most).max().unwrap_or(0);
        (self.pools.iter().map(|pool| pool.headroom).sum(), most)
    }

    /// Of each group, the cells of its headroom and of the rest, and the group of a packet: for the
    /// audit.
    pub(super) fn charged(&self, input: u16, class: u16) -> Option<usize> {
        self.group_of(input, class)
    }

    /// Whether pools hold what their groups do, and no more than they have.
    pub(super) fn is_sound(&self) -> bool {
        (0u16..).zip(&self.pools).all(|(number, level)| {
            let own = || {
                let pairs = self.config.groups.iter().zip(&self.states);
                pairs.filter(move |(group, _)| group.pool == number)
            };
            let pool = &self.config.pools[usize::from(number)];
            let shared = own().map(|(group, state)| state.held.saturating_sub(group.reserved));
            level.used == shared.sum::<u32>()
                && level.used <= pool.shared
                && level.headroom == own().map(|(_, state)| state.headroom).sum::<u32>()
                && pool.headroom.is_none_or(|all| level.headroom <= all)
                && own().all(|(group, state)| state.headroom <= group.headroom)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::Alpha;

    fn group(reserved: u32, threshold: PauseAt, headroom: u32) -> GroupConfig {
        let resume = Resume { below: 2, offset: None };
        let pauses = (headroom > 0).then_some(3);
        GroupConfig { pool: 0, input: 1, reserved, threshold, headroom, pauses, resume }
    }

    /// One input with a lossy class 0 and a lossless class 1, another that is not counted.
    fn groups(lossless: GroupConfig, headroom: Option<u32>) -> Groups {
        let lossy = group(0, PauseAt::Share(Alpha::power_of_two(0)), 0);
        let config = GroupsConfig {
            pools: alloc::vec![InputPool { shared: 20, headroom }],
            groups: alloc::vec![lossy, lossless],
            charged: alloc::vec![None, None, Some(0), Some(1)],
        };
        config.validate().unwrap();
        Groups::new(config, 2)
    }

    fn put(groups: &mut Groups, class: u16, cells: u32) -> Result<(), DropCause> {
        groups.ask(1, class, cells)?;
        groups.add(1, class, cells);
        assert!(groups.is_sound());
        Ok(())
    }

    #[test]
    fn a_group_fills_its_reservation_its_share_and_its_headroom() {
        let mut groups = groups(group(4, PauseAt::Cells(6), 5), None);
        for cells in [3, 3, 4] {
            assert_eq!(put(&mut groups, 1, cells), Ok(()));
        }
        assert_eq!((groups.used(0), groups.next_call()), (Some(6), None));
        assert_eq!(put(&mut groups, 1, 2), Ok(()));
        assert_eq!(groups.next_call(), Some(PauseCall { input: 1, class: 3, on: true }));
        assert_eq!(put(&mut groups, 1, 3), Ok(()));
        assert_eq!(put(&mut groups, 1, 1), Err(DropCause::HeadroomFull));
        let state = groups.states()[1];
        assert_eq!((state.held, state.headroom, state.refused), (10, 5, 1));
        // Headroom leaves first; the pause ends at 2 cells of the rest.
        let left = |cells: &[u32], groups: &mut Groups| {
            cells.iter().for_each(|cells| groups.remove(1, 1, *cells));
            assert!(groups.is_sound());
            (groups.used(0), groups.headroom().0, groups.next_call().map(|call| call.on))
        };
        assert_eq!(left(&[3], &mut groups), (Some(6), 2, None));
        assert_eq!(left(&[4, 5], &mut groups), (Some(0), 0, None));
        assert_eq!(left(&[1], &mut groups), (Some(0), 0, Some(false)));
        assert_eq!(groups.headroom(), (0, 5));
    }

    #[test]
    fn a_pause_ends_at_the_larger_of_two_limits() {
        let resume = Resume { below: 2, offset: Some(3) };
        let lossless = GroupConfig { resume, ..group(4, PauseAt::Cells(6), 5) };
        let mut groups = groups(lossless, None);
        for cells in [10, 5] {
            put(&mut groups, 1, cells).unwrap();
        }
        groups.next_call();
        groups.remove(1, 1, 7);
        assert_eq!(groups.next_call(), None, "8 of 10 that it may hold");
        groups.remove(1, 1, 1);
        assert!(groups.next_call().is_some_and(|call| !call.on), "3 below");
    }

    #[test]
    fn a_lossy_group_is_refused_by_its_threshold_and_pauses_nobody() {
        let mut groups = groups(group(0, PauseAt::Cells(30), 5), None);
        assert_eq!(put(&mut groups, 0, 10), Ok(()), "half of what is free");
        assert_eq!(put(&mut groups, 0, 1), Err(DropCause::Threshold));
        assert_eq!(put(&mut groups, 1, 10), Ok(()));
        assert_eq!((put(&mut groups, 1, 4), groups.used(0)), (Ok(()), Some(20)), "headroom");
        assert_eq!(groups.next_call().map(|call| call.class), Some(3));
        assert_eq!((groups.ask(0, 0, 1000), groups.ask(9, 0, 1000)), (Ok(()), Ok(())), "uncounted");
        groups.remove(0, 0, 1000);
        assert!(groups.is_sound() && groups.next_call().is_none());
    }

    #[test]
    fn shared_headroom_ends_before_the_groups_own_limit() {
        let mut groups = groups(group(0, PauseAt::Cells(0), 5), Some(3));
        assert_eq!(put(&mut groups, 1, 3), Ok(()));
        assert_eq!(put(&mut groups, 1, 1), Err(DropCause::HeadroomFull));
    }

    #[test]
    fn a_group_without_headroom_still_pauses_once_it_holds_something() {
        let lossless = GroupConfig { pauses: Some(3), ..group(4, PauseAt::Cells(0), 0) };
        let mut groups = groups(lossless, None);
        assert_eq!(put(&mut groups, 1, 5), Err(DropCause::HeadroomFull));
        assert_eq!(groups.next_call(), None, "nothing would ever end the pause");
        assert_eq!(put(&mut groups, 1, 4), Ok(()));
        assert_eq!(put(&mut groups, 1, 1), Err(DropCause::HeadroomFull));
        assert!(groups.next_call().is_some_and(|call| call.on));
    }

    #[test]
    fn what_leads_nowhere_is_refused() {
        let sound = GroupsConfig {
            pools: alloc::vec![InputPool { shared: 20, headroom: None }],
            groups: alloc::vec![group(0, PauseAt::Cells(0), 5)],
            charged: alloc::vec![Some(0)],
        };
        assert_eq!(sound.validate(), Ok(()));
        let charged = GroupsConfig { charged: alloc::vec![Some(1)], ..sound.clone() };
        let pools = GroupsConfig { pools: Vec::new(), ..sound.clone() };
        let mut pauses = sound;
        pauses.groups[0].pauses = Some(8);
        for wrong in [charged, pools, pauses] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}
