//! Deadlocks: transmitters that are paused in a circle, each for packets that only the next could
//! take away.
//!
//! A paused transmitter waits for the switch that paused it to send on what came from it. If these
//! packets wait for a port that is paused itself, the first waits for that port, too. A circle of
//! such waits never ends, unless a watchdog breaks it; so it is there to be found whenever somebody
//! looks, and costs nothing before.
//!
//! A transmitter without credit waits for the room that its receiver has, not for the frame that
//! grants it: what is on its way, or not granted yet, makes no circle.
//!
//! O(paused transmitters · ports of a switch), and the packets that wait at them.

use alloc::vec::Vec;

use forebay_switch::SwitchModel;

use super::{CLASSES, bit};
use crate::network::Network;
use crate::network::channel::Channel;
use crate::route::ChannelId;
use crate::topology::Node;

/// A transmitter and a class that it must not send.
type Paused = (ChannelId, u8);

impl<S: SwitchModel> Network<S> {
    /// The nodes of a deadlock in the order in which each waits for the next, and its class; `None`
    /// if there is none now. The first of the nodes has the smallest number.
    #[must_use]
    pub fn deadlock(&self) -> Option<(Vec<Node>, u8)> {
        let all: Vec<Paused> = self.all_paused().collect();
        // 0: not seen, 1: on the way, 2: leads into no circle.
        let mut state = alloc::vec![0u8; all.len()];
        let place = |paused: &Paused| all.binary_search(paused).ok();
        for start in 0..all.len() {
            let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
            let mut enter = Some(start).filter(|start| state[*start] == 0);
            while enter.is_some() || !way.is_empty() {
                if let Some(one) = enter.take() {
                    state[one] = 1;
                    way.push((one, self.waits_for(all[one]).filter_map(|p| place(&p)).collect()));
                }
                let Some((last, next)) = way.last_mut() else { break };
                match next.pop() {
                    Some(one) if state[one] == 1 => {
                        let circle = way.iter().map(|(at, _)| *at).skip_while(|at| *at != one);
                        return Some(self.named(&circle.map(|at| all[at]).collect::<Vec<_>>()));
                    }
                    Some(one) if state[one] == 0 => enter = Some(one),
                    Some(_) => {}
                    None => {
                        state[*last] = 2;
                        way.pop();
                    }
                }
            }
        }
        None
    }

    /// Every transmitter with a class that it must not send, in order.
    fn all_paused(&self) -> impl Iterator<Item = Paused> + '_ {
        let channels = 0..self.parts[0].channels.len() as ChannelId;
        channels.flat_map(move |channel| {
            (0..CLASSES as u8)
                .map(move |class| (channel, class))
                .filter(move |one| self.is_paused(*one))
        })
    }

    fn is_paused(&self, (channel, class): Paused) -> bool {
        let Channel { from, to, .. } = self.parts[0].channels[channel as usize];
        let Some(pauses) = self.part(from).pauses.as_ref() else { return false };
        let is_paused = pauses.ends[channel as usize].paused & bit(class) != 0;
        let other_end = self.part(to).pauses.as_ref().and_then(|pauses| pauses.ledger.as_ref());
        match (&pauses.ledger, other_end) {
            (Some(ledger), Some(other)) => is_paused && ledger.is_full(channel, class, other),
            (None, _) | (_, None) => is_paused,
        }
    }

    /// The transmitters that must send before a paused one may.
    fn waits_for(&self, (channel, class): Paused) -> impl Iterator<Item = Paused> + '_ {
        let link = &self.parts[0].channels[channel as usize];
        let (to, input) = (link.to, link.input());
        let part = self.part(to);
        let model = match to {
            Node::Switch(switch) => {
                part.switches[switch as usize].as_ref().map(|one| (switch, one))
            }
            Node::Host(_) => None,
        };
        let ports = model.and_then(|(switch, model)| {
            Some((model, part.pauses.as_ref()?.ports[switch as usize].iter()))
        });
        ports.into_iter().flat_map(move |(model, ports)| {
            ports.filter_map(move |&next| {
                let port = part.channels[next as usize].port;
                let waits = self.is_paused((next, class)) && model.waits(input, class, port);
                waits.then_some((next, class))
            })
        })
    }

    fn named(&self, circle: &[Paused]) -> (Vec<Node>, u8) {
        let from = |(channel, _): &Paused| self.parts[0].channels[*channel as usize].from;
        let mut nodes: Vec<Node> = circle.iter().map(from).collect();
        let first = nodes.iter().enumerate().min_by_key(|(_, node)| **node);
        let first = first.map_or(0, |(place, _)| place);
        nodes.rotate_left(first);
        (nodes, circle.first().map_or(0, |(_, class)| *class))
    }
}
