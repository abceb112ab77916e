//! The conservation check: recounts every packet, cell and byte and compares with every counter.

use alloc::vec;

use super::buffer::SharedBuffer;
use super::groups::Groups;
use super::inputs::Inputs;
use crate::audit::AuditError;
use crate::descriptor::Descriptor;
use forebay_sched::Tally;

impl SharedBuffer {
    /// Recounts queues, pools and cells from the descriptors: the cells in use are those that
    /// packets hold, each packet stands once in its queue, each arrival is held, sent or dropped
    /// with a cause. O(descriptors + queues); for tests, after every operation.
    ///
    /// # Errors
    /// The first counter that disagrees.
    pub fn audit(&self) -> Result<(), AuditError> {
        self.audit_queues()?;
        self.audit_cells()?;
        self.audit_totals()
    }

    /// Lists against accounts, accounts against pools.
    fn audit_queues(&self) -> Result<(), AuditError> {
        let same = AuditError::unless_same;
        let mut used = vec![0u64; self.levels.len()];
        let mut live = 0;
        for (queue, account) in (0u32..).zip(&self.accounts) {
            let (mut packets, mut cells, mut bytes) = (0u64, 0u64, 0u64);
            let mut next = self.lists.head(queue);
            let mut last = None;
            while let Some(id) = next
                && packets <= u64::from(self.descriptors.live())
            {
                let descriptor = &self.descriptors[id];
                same("a packet is in the queue it names", queue.into(), descriptor.queue.into())?;
                packets += 1;
                cells += u64::from(descriptor.cells.cells());
                bytes += u64::from(descriptor.packet.size);
                last = next;
                next = self.descriptors.next(id);
            }
            same("the tail of a queue", (last == self.lists.tail(queue)).into(), 1)?;
            same("packets of a queue", packets, account.packets().into())?;
            same("cells of a queue", cells, account.cells().into())?;
            same("bytes of a queue", bytes, account.bytes())?;
            used[usize::from(account.pool())] += u64::from(account.shared());
            live += packets;
        }
        same("descriptors in use", live, self.descriptors.live().into())?;
        used[0] += self.audit_ingress()?;
        for (counted, level) in used.into_iter().zip(&self.levels) {
            same("cells of a pool", counted, level.used.into())?;
            same("a pool holds no more than it has", (level.used <= level.capacity).into(), 1)?;
        }
        Ok(())
    }

    /// Inputs against the packets that came through them; returns what they hold of the pool.
    fn audit_ingress(&self) -> Result<u64, AuditError> {
        let same = AuditError::unless_same;
        let ingress = match self.inputs.as_deref() {
            None => return Ok(0),
            Some(Inputs::Groups(groups)) => return self.audit_groups(groups).map(|()| 0),
            Some(Inputs::Lossless(ingress)) => ingress,
        };
        let (shared, headroom) = ingress.held();
        same("headroom in use", headroom, ingress.headroom().0.into())?;
        for input in 0..ingress.inputs() {
            for class in (0..self.classes).filter(|class| ingress.protects(*class)) {
                let came = |packet: &Descriptor| {
                    let own = packet.queue % u32::from(self.classes) == u32::from(class);
                    own && packet.packet.input == input
                };
                let packets = self.descriptors.iter().filter(|(_, packet)| came(packet));
                let cells: u64 = packets.map(|(_, packet)| u64::from(packet.cells.cells())).sum();
                same("cells of an input", cells, ingress.of(input, class))?;
            }
        }
        Ok(shared)
    }

    /// Priority groups against the packets that are charged to them.
    fn audit_groups(&self, groups: &Groups) -> Result<(), AuditError> {
        let same = AuditError::unless_same;
        let mut counted = vec![0u64; groups.states().len()];
        for (_, packet) in self.descriptors.iter() {
            let class = (packet.queue % u32::from(self.classes)) as u16;
            if let Some(group) = groups.charged(packet.packet.input, class) {
                counted[group] += u64::from(packet.cells.cells());
            }
        }
        for (state, counted) in groups.states().iter().zip(counted) {
            same("cells of a group", counted, u64::from(state.held + state.headroom))?;
        }
        same("ingress pools hold what their groups do", groups.is_sound().into(), 1)
    }

    /// The cells in use are those that packets hold.
    fn audit_cells(&self) -> Result<(), AuditError> {
        let held = self.descriptors.iter().map(|(_, packet)| u64::from(packet.cells.cells()));
        AuditError::unless_same("cells in use", held.sum(), self.cells.used().into())
    }

    /// Arrived = departed + dropped + held, over all and over the queues.
    fn audit_totals(&self) -> Result<(), AuditError> {
        let same = AuditError::unless_same;
        let counters = self.counters();
        let (mut held, mut departed) = (Tally::default(), Tally::default());
        for account in &self.accounts {
            held += Tally { packets: account.packets().into(), bytes: account.bytes() };
            departed += account.departed();
        }
        let mut accounted = held;
        accounted += departed;
        accounted += counters.dropped.total();
        same("packets accounted for", accounted.packets, counters.arrived.packets)?;
        same("bytes accounted for", accounted.bytes, counters.arrived.bytes)?;
        same("packets departed", departed.packets, counters.departed.packets)
    }
}
