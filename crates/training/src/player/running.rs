//! A collective under way.

use std::rc::Rc;

use super::{Due, PlayError, Player};
use crate::exchange::Exchange;
use crate::plan::NONE;

/// How far a collective is.
pub(super) struct Running {
    exchange: Rc<Exchange>,
    /// How much each gate still waits for.
    needs: Vec<u32>,
    /// Which members take part already. Their messages may come first.
    is_there: Vec<bool>,
    /// Gates that opened before their member took part.
    opened: Vec<Vec<u32>>,
    /// How many messages of each member have not arrived.
    left: Vec<u32>,
    /// How many members are not done.
    members: u32,
}

impl Running {
    fn of(exchange: Rc<Exchange>) -> Self {
        let members = exchange.left.len();
        Running {
            needs: exchange.gates.iter().map(|gate| gate.needs).collect(),
            is_there: vec![false; members],
            opened: vec![Vec::new(); members],
            left: exchange.left.clone(),
            members: members as u32,
            exchange,
        }
    }

    /// A message has arrived: what its receiver sends next.
    fn arrive(&mut self, message: u32) -> Vec<u32> {
        let message = self.exchange.messages[message as usize];
        let mut sends = Vec::new();
        let mut gate = message.gate;
        while gate != NONE {
            self.needs[gate as usize] -= 1;
            if self.needs[gate as usize] > 0 {
                break;
            }
            if self.is_there[message.to as usize] {
                sends.extend(self.exchange.behind(gate));
            } else {
                self.opened[message.to as usize].push(gate);
            }
            gate = self.exchange.gates[gate as usize].then;
        }
        sends
    }

    /// A member takes part: what it sends.
    fn join(&mut self, member: u32) -> Vec<u32> {
        self.is_there[member as usize] = true;
        let mut sends = self.exchange.first(member).to_vec();
        for gate in std::mem::take(&mut self.opened[member as usize]) {
            sends.extend(self.exchange.behind(gate));
        }
        sends
    }
}

impl Player {
    /// A rank takes part in a collective.
    pub(super) fn join(&mut self, node: u32) -> Result<(), PlayError> {
        let together = self.plan.partner[node as usize];
        let members = &self.plan.together[together as usize].members;
        if members.len() == 1 {
            self.end(node);
            return Ok(());
        }
        let member = self.plan.member[node as usize];
        if !self.running.contains_key(&together) {
            let exchange = self.exchange(node, together)?;
            self.running.insert(together, Running::of(exchange));
        }
        let Some(running) = self.running.get_mut(&together) else { return Ok(()) };
        let sends = running.join(member);
        self.send_parts(together, &sends)
    }

    /// A message of a collective has arrived.
    pub(super) fn part(&mut self, together: u32, message: u32) -> Result<(), PlayError> {
        let Some(running) = self.running.get_mut(&together) else { return Ok(()) };
        let sends = running.arrive(message);
        let of = running.exchange.messages[message as usize];
        let mut done = Vec::new();
        for member in [of.from, of.to] {
            running.left[member as usize] -= 1;
            if running.left[member as usize] == 0 {
                running.members -= 1;
                done.push(member);
            }
        }
        let is_over = running.members == 0;
        self.send_parts(together, &sends)?;
        for member in done {
            self.end(self.plan.together[together as usize].members[member as usize]);
        }
        if is_over {
            self.running.remove(&together);
        }
        Ok(())
    }

    fn send_parts(&mut self, together: u32, messages: &[u32]) -> Result<(), PlayError> {
        for &message in messages {
            let Some(running) = self.running.get(&together) else { return Ok(()) };
            let of = running.exchange.messages[message as usize];
            let members = &self.plan.together[together as usize].members;
            let nodes = [of.from, of.to].map(|member| members[member as usize]);
            let ranks = nodes.map(|node| self.plan.rank[node as usize]);
            self.send(ranks, of.bytes, nodes[0], Due::Part { together, message })?;
        }
        Ok(())
    }
}
