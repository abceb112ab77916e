//! The parameters of the network experiments and where each comes from.

mod hosts;
mod switches;
mod workload;

use forebay_lab::DefaultSource::{self, Paper};
use forebay_lab::{Kind, ParamSpec, assumed, joined, param, shown};
use forebay_workload::SizeDistribution;

use crate::schedulers;
use hosts::HOSTS;
use switches::SWITCHES;
use workload::WORKLOAD;

const OCCAMY: DefaultSource = Paper("occamy §6.4");
const THEMIS: DefaultSource = Paper("themis §6.3.2");
const USUAL: DefaultSource = assumed(
    "8 ToR, 8 aggregation and 4 core switches (gearbox §4.1.1) in the usual shape; Fig. 6 is not in the text",
);
const COUNT: Kind = Kind::Int { min: 1, max: 4096 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 10.0 };
const ALPHA: Kind = Kind::Float { min: 0.0, max: 1024.0 };
const CONTROLS: Kind = Kind::Choice(&["new-reno", "cubic", "dctcp"]);
const NONE: DefaultSource = assumed("none: not part of every experiment");

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &ALL;

const NETWORK: [ParamSpec; HOSTS.len() + SWITCHES.len()] = joined(HOSTS, SWITCHES);
const OWN: [ParamSpec; NETWORK.len() + WORKLOAD.len()] = joined(&NETWORK, WORKLOAD);
const ALL: [ParamSpec; OWN.len() + schedulers::PARAMS.len()] = joined(&OWN, schedulers::PARAMS);
