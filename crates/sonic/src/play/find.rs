//! Which queues, groups and priorities belong together, and which of them are played.

use std::collections::BTreeMap;

use super::{Unplayable, Wanted, place, refuse};
use crate::config::{Config, Direction, Kind, Member, Port};

/// The members of a configuration by what and where they are.
pub(super) struct Members<'a> {
    config: &'a Config,
    by: BTreeMap<(Kind, usize, u8), &'a Member>,
}

impl<'a> Members<'a> {
    pub(super) fn of(config: &'a Config) -> Self {
        let key = |member: &'a Member| ((member.kind, member.port, member.index), member);
        Members { config, by: config.members.iter().map(key).collect() }
    }

    /// The member of a kind with this index at a port.
    pub(super) fn get(&self, kind: Kind, port: usize, index: u8) -> Option<&'a Member> {
        self.by.get(&(kind, port, index)).copied()
    }

    fn queues_of(&self, port: usize) -> impl Iterator<Item = &'a Member> {
        let all = (Kind::Queue, port, 0)..=(Kind::Queue, port, u8::MAX);
        self.by.range(all).map(|(_, member)| *member)
    }

    /// The priority group of a traffic class at a port.
    pub(super) fn group(&self, port: usize, class: u8) -> u8 {
        let mapped = self.config.ports[port].classes.group.get(&class).copied();
        let own = || self.get(Kind::PriorityGroup, port, class).map(|member| member.index);
        mapped.or_else(own).unwrap_or(0)
    }
}

/// The queues that are played, at the port that receives the burst.
pub(super) struct Places {
    pub(super) output: usize,
    pub(super) lossy: Option<u8>,
    pub(super) lossless: Option<u8>,
}

/// Finds the burst's port and its queues.
pub(super) fn places(members: &Members<'_>, wanted: &Wanted<'_>) -> Result<Places, Unplayable> {
    let config = members.config;
    let named = |port: &usize| wanted.port.is_none_or(|name| name == config.ports[*port].name);
    let ports: Vec<usize> = (0..config.ports.len()).filter(named).collect();
    if let (Some(name), true) = (wanted.port, ports.is_empty()) {
        let fix = "name one that `forebay buffer explain` lists";
        return Err(refuse("PORT", format!("there is no port `{name}`"), fix));
    }
    let first = |port: usize, lossless: bool| {
        let asked = if lossless { wanted.lossless } else { wanted.lossy };
        let fits = |member: &&Member| {
            config.pool_of(member).direction != Direction::Ingress
                && is_lossless(config, port, member.index) == lossless
                && asked.is_none_or(|index| index == member.index)
        };
        members.queues_of(port).find(fits).map(|member| member.index)
    };
    let found = ports.iter().find_map(|port| {
        let (lossy, lossless) = (first(*port, false), first(*port, true));
        let enough = (!wanted.burst.lossy() || lossy.is_some())
            && (!wanted.burst.lossless() || lossless.is_some());
        let lossless = lossless.filter(|_| wanted.burst.lossless());
        enough.then_some(Places { output: *port, lossy, lossless })
    });
    found.ok_or_else(|| missing(config, wanted))
}

/// Why there are no queues to play.
fn missing(config: &Config, wanted: &Wanted<'_>) -> Unplayable {
    let at = wanted.port.unwrap_or("any port");
    let asked = [(wanted.lossy, false), (wanted.lossless, true)];
    for (queue, lossless) in asked {
        let burst = if lossless { wanted.burst.lossless() } else { wanted.burst.lossy() };
        let Some(queue) = queue.filter(|_| burst) else { continue };
        let member = config.members.iter().find(|member| {
            member.kind == Kind::Queue
                && member.index == queue
                && wanted.port.is_none_or(|name| name == config.ports[member.port].name)
        });
        let Some(member) = member else {
            let problem = format!("there is no queue {queue} at {at}");
            return refuse("BUFFER_QUEUE", problem, "`forebay buffer explain` lists the queues");
        };
        if is_lossless(config, member.port, queue) != lossless {
            let (is, fix) = match lossless {
                true => (
                    "may lose packets: pfc_enable leaves its priority out",
                    "add the priority to PORT_QOS_MAP, or name another queue",
                ),
                false => ("is lossless: pfc_enable has its priority", "name another queue"),
            };
            return refuse(place(config, member), format!("queue {queue} {is}"), fix);
        }
    }
    if wanted.burst.lossless() {
        let problem = format!("no queue of {at} has a priority with flow control");
        let fix = "add pfc_enable for the priorities that must not lose packets, with their \
                   BUFFER_PG and BUFFER_QUEUE entries";
        return refuse("PORT_QOS_MAP", problem, fix);
    }
    let problem = format!("{at} has no queue that may lose packets");
    refuse("BUFFER_QUEUE", problem, "name another port, or send a lossless burst")
}

/// The traffic class of a queue.
pub(super) fn traffic_class(port: &Port, queue: u8) -> u8 {
    let mapped = port.classes.queue.iter().find(|(_, own)| **own == queue);
    mapped.map_or(queue.min(7), |(class, _)| *class)
}

/// The priority whose pauses speak of a priority group: of several the first with flow control.
pub(super) fn priority(port: &Port, group: u8) -> u8 {
    let all = || port.classes.group_of_priority.iter().filter(|(_, own)| **own == group);
    let on = all().find(|(priority, _)| is_flow_controlled(port, **priority));
    on.or_else(|| all().next()).map_or(group, |(priority, _)| *priority)
}

/// Whether flow control is on for a priority.
pub(super) fn is_flow_controlled(port: &Port, priority: u8) -> bool {
    priority < 8 && port.pfc.is_some_and(|mask| mask & (1 << priority) != 0)
}

/// Whether the packets of a queue must not be lost: flow control is on for the priority of its
/// traffic class, as the queue's own port has it.
pub(super) fn is_lossless(config: &Config, port: usize, queue: u8) -> bool {
    let class = traffic_class(&config.ports[port], queue);
    let own = &config.ports[port];
    let group = own.classes.group.get(&class).copied().unwrap_or(class);
    is_flow_controlled(own, priority(own, group))
}
