//! `forebay sched check`: a tree's nodes, one per line, children below their parents.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use forebay_files::Input;
use forebay_lab::config::MAX_FILE;
use forebay_lab::results::number::{self, plural};
use forebay_sched::tree::{NodeConfig, Rule, TreeConfig};
use forebay_switch::Catalogue;
use forebay_units::Rate;

use crate::Failure;
use crate::terminal::{columns, print};

/// How many rules of a leaf are shown; the others are counted.
const RULES: usize = 3;

pub(super) fn check(path: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    let tree =
        read(path, catalogue).map_err(|problem| Failure::input(format!("error: {problem}")))?;
    let name = Input::of(path).name();
    let bad = |error: &dyn Display| Failure::input(format!("error: {name}: {error}"));
    let rates = tree.allocation(&vec![tree.rate; tree.nodes.len()]).map_err(|error| bad(&error))?;
    let leaves = tree.nodes.iter().filter(|node| !node.rules.is_empty()).count();
    let mut text = format!(
        "{name}: {}, {leaves} of them {}; {}, packets of at most {}, {} of them\n\n",
        plural(tree.nodes.len(), "node", "nodes"),
        if leaves == 1 { "a leaf" } else { "leaves" },
        tree.rate,
        tree.mtu,
        number::count(tree.capacity as u64),
    );
    let heads = ["node", "by", "among its siblings", "shaped to", "takes", "all busy"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (node, depth) in in_order(&tree) {
        rows.push(row(&tree, node, depth, rates[node]));
    }
    text += &columns(&rows, 5);
    print(&text)
}

/// The checked tree in the file at `path`, over what `catalogue` has, or what is wrong with it;
/// other commands use it, too.
pub(crate) fn read(path: &Path, catalogue: &Catalogue) -> Result<TreeConfig, String> {
    let input = Input::of(path);
    let name = input.name();
    let text =
        input.read_text(MAX_FILE as u64).map_err(|error| {
            format!("cannot read {name}: {error}\n  fix: give the path of a tree's file, or make one: forebay new tree NAME")
        })?;
    TreeConfig::from_toml_over(&text, &catalogue.tree()).map_err(|error| error.render(&name))
}

/// Every node with its depth, each before its children, siblings in the file's order.
fn in_order(tree: &TreeConfig) -> Vec<(usize, usize)> {
    let mut children = std::collections::HashMap::<Option<&str>, Vec<usize>>::new();
    for (number, node) in tree.nodes.iter().enumerate() {
        children.entry(node.parent.as_deref()).or_default().push(number);
    }
    let mut stack: Vec<(usize, usize)> =
        children.get(&None).into_iter().flatten().map(|root| (*root, 0)).collect();
    let mut order = Vec::new();
    while let Some((number, depth)) = stack.pop() {
        order.push((number, depth));
        let below = children.get(&Some(tree.nodes[number].name.as_str()));
        stack.extend(below.into_iter().flatten().rev().map(|child| (*child, depth + 1)));
    }
    order
}

fn row(tree: &TreeConfig, number: usize, depth: usize, rate: Rate) -> Vec<String> {
    let node = &tree.nodes[number];
    let is_leaf = !node.rules.is_empty();
    let by = if is_leaf { node.order.as_deref().unwrap_or("fifo") } else { by(node) };
    let shaper = node.shaper.map(|shaper| format!("{}, {}", shaper.rate, shaper.burst));
    vec![
        format!("{}{}", "  ".repeat(depth), node.name),
        by.to_owned(),
        share(tree, node),
        shaper.unwrap_or_default(),
        takes(&node.rules),
        rounded(rate),
    ]
}

/// A rate with at most four digits: "2 Gb/s", "3.067 Gb/s".
fn rounded(rate: Rate) -> String {
    let text = number::rate(rate);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

fn by(node: &NodeConfig) -> &str {
    node.scheduler.as_deref().unwrap_or("wfq")
}

/// What decides between a node and its siblings.
fn share(tree: &TreeConfig, node: &NodeConfig) -> String {
    let Some(parent) = &node.parent else { return String::new() };
    let by_priority =
        tree.nodes.iter().find(|other| other.name == *parent).is_some_and(|it| by(it) == "sp");
    let weight = node.weight.unwrap_or(1);
    match (node.guaranteed, by_priority) {
        (Some(rate), _) => format!("guaranteed {rate}"),
        (None, true) if node.weight.is_some() => {
            format!("priority {}, weight {weight}", node.priority)
        }
        (None, true) => format!("priority {}", node.priority),
        (None, false) => format!("weight {weight}"),
    }
}

/// The rules of a leaf in words.
fn takes(rules: &[Rule]) -> String {
    let mut text: Vec<String> = rules.iter().take(RULES).map(rule).collect();
    if rules.len() > RULES {
        text.push(format!("{} more", rules.len() - RULES));
    }
    text.join("; ")
}

fn rule(rule: &Rule) -> String {
    let Rule { flow, class, input } = rule;
    let parts: Vec<String> = [
        range("flow", flow.as_ref()),
        range("class", class.as_ref()),
        range("input", input.as_ref()),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "everything else".to_owned() } else { parts.join(", ") }
}

fn range<T: Display + PartialEq>(name: &str, range: Option<&RangeInclusive<T>>) -> Option<String> {
    let range = range?;
    Some(match range.start() == range.end() {
        true => format!("{name} {}", range.start()),
        false => {
            format!("{name}s {} to {}", range.start(), range.end()).replace("classs", "classes")
        }
    })
}
