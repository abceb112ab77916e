//! The network around the switch: a packet-level simulation of hosts, links, switches and
//! transports.
//!
//! [`Network`](network::Network) owns a topology and its flows and runs them; a switch is anything
//! that implements [`SwitchModel`](forebay_switch::SwitchModel). Its doc example is a complete
//! simulation.
//!
//! | module | what it holds |
//! |---|---|
//! | [`topology`] | hosts, switches, links: star, dumbbell, leaf-spine, fat-tree, or a file |
//! | [`flow`] | who sends how much to whom; flow files |
//! | [`workload`] | generators: Poisson flows, incast, collectives; flows that wait for others |
//! | [`transport`] | the hosts' protocols, as state machines that are told the time and own no socket |
//! | [`network`] | the event loop |
//! | [`measure`] | flow completion times, slowdowns, drops |
//! | [`route`] | shortest paths, and which of several a flow takes |
//! | [`event`], [`packet`] | the event queue and the packets' arena |
//!
//! The same graph, flows and seeds give the same results bit for bit.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod event;
mod fabrics;
pub mod flow;
pub mod measure;
pub mod network;
pub mod packet;
pub mod route;
pub mod topology;
pub mod transport;
pub mod workload;
