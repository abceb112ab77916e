//! A scheduling tree, structured: nodes below earlier ones, with disciplines, weights and limits. A
//! tree that builds, gives no more than it has and keeps every packet, or an error that says
//! something; never a panic.
#![no_main]

use forebay_fuzz::tree::check;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Tree {
    gigabits: u8,
    nodes: Vec<Node>,
}

#[derive(Arbitrary, Debug)]
struct Node {
    parent: u8,
    scheduler: Option<u8>,
    priority: Option<u8>,
    weight: Option<u8>,
    shaper: Option<(u16, u16)>,
    guaranteed: Option<u16>,
    flows: Option<(u8, u8)>,
    class: Option<u8>,
}

const SCHEDULERS: [&str; 6] = ["sp", "wfq", "drr", "fifo", "edf", "srpt"];

fn text(tree: &Tree) -> String {
    let rate = u32::from(tree.gigabits) + 1;
    let mut text = format!("rate = \"{rate} Gb/s\"\nmtu = \"1500 B\"\ncapacity = 64\n");
    for (number, node) in tree.nodes.iter().enumerate() {
        text += &format!("[[node]]\nname = \"n{number}\"\n");
        if number > 0 {
            text += &format!("parent = \"n{}\"\n", usize::from(node.parent) % number);
        }
        if let Some(scheduler) = node.scheduler {
            text += &format!("scheduler = \"{}\"\n", SCHEDULERS[usize::from(scheduler) % 6]);
        }
        if let Some(priority) = node.priority {
            text += &format!("priority = {}\n", priority % 8);
        }
        if let Some(weight) = node.weight {
            text += &format!("weight = {weight}\n");
        }
        if let Some((rate, burst)) = node.shaper {
            text += &format!("shaper = {{ rate = \"{rate} Mb/s\", burst = \"{burst} B\" }}\n");
        }
        if let Some(rate) = node.guaranteed {
            text += &format!("guaranteed = \"{rate} Mb/s\"\n");
        }
        match (node.flows, node.class) {
            (Some((first, more)), _) => {
                let last = u16::from(first) + u16::from(more % 8);
                text += &format!("match = [{{ flow = \"{first}-{last}\" }}]\n");
            }
            (None, Some(class)) => text += &format!("match = [{{ class = {class} }}]\n"),
            (None, None) => {}
        }
    }
    text
}

fuzz_target!(|tree: Tree| check(&text(&tree)));
