//! Everything that a network device decides about waiting packets: which goes next, which is
//! dropped, which memory it waits in.
//!
//! This crate only gathers the parts: each is a feature, a module, and a crate of its own.
//!
//! | feature | module | what it has |
//! |---|---|---|
//! | `pifo`, default | `pifo` | ranked queues, without dependencies |
//! | `testing` | `pifo::testing` | the suite that every ranked queue passes, for the tests of one's own |
//! | `sched`, default | `sched` | rank functions, fair queueing, scheduling trees |
//! | `buffer`, default | `buffer` | buffer managers, on chip and hybrid |
//! | `mem`, default | `mem` | memory timing: SRAM ports, HBM2E |
//! | `switch`, default | `switch` | every switch, and the `Catalogue` of what one can be made of |
//! | `net` | `net`, `net_run`, `replay`, `workload` | networks, and captures through a switch |
//! | `cache` | `cache` | caches whose misses take time |
//! | `surge` | `surge` | schedulers of jobs under attack |
//! | `lab` | `lab`, `scenarios` | experiments |
//! | `cli` | `cli` | the `forebay` command |
//! | `proxy` | `cli` | the same with `forebay proxy`, on Pingora |
//!
#![cfg_attr(
    feature = "switch",
    doc = r##"
A switch with a buffer policy of one's own:

```
use forebay::buffer::Descriptor;
use forebay::buffer::onchip::{Admission, PoolView};
use forebay::prelude::*;

/// A queue may hold half of the buffer, and no more.
struct Half;

impl OnChipPolicy for Half {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        if 2 * (pool.length(arriving.queue) + cells) <= pool.capacity() {
            Admission::Accept
        } else {
            Admission::Drop
        }
    }
}

// By value it goes into any switch; in a catalogue it has a name, as the built-in ones do.
let about = "a queue may hold half";
let half = Choice::<dyn OnChipPolicy>::new("half", about, (), |(), _| Ok(Box::new(Half)));
let catalogue = Catalogue::default().with_on_chip(half)?;
let config = catalogue.switch("half")?.with_buffer(Bytes::new(300_000));
let mut switch = config.build(&SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 8] })?;

let mut lost = Losses::default();
for _ in 0..200 {
    switch.arrive(Time::ZERO, 3, Handle::new(1, 1500), &mut lost);
}
// A packet of 1500 bytes takes 8 cells of 200: 93 of them are half of the buffer.
assert_eq!(switch.backlog(), Bytes::new(93 * 1500));
assert_eq!(std::iter::from_fn(|| lost.pop()).count(), 107);
# Ok::<(), Box<dyn std::error::Error>>(())
```

`examples/own-policy` of the repository is a crate with a policy of each kind and a scenario of its
own, which it has in the `forebay` command, in experiments, on captures and in Python.
"##
)]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "buffer")]
pub use forebay_buffer as buffer;
#[cfg(feature = "cache")]
pub use forebay_cache as cache;
#[cfg(feature = "cli")]
pub use forebay_cli as cli;
#[cfg(feature = "lab")]
pub use forebay_lab as lab;
#[cfg(feature = "mem")]
pub use forebay_mem as mem;
#[cfg(feature = "net")]
pub use forebay_net as net;
#[cfg(feature = "net")]
pub use forebay_net_run as net_run;
#[cfg(any(feature = "sched", feature = "mem", feature = "cache", feature = "surge"))]
pub use forebay_parameters as parameters;
#[cfg(feature = "pifo")]
pub use forebay_pifo as pifo;
#[cfg(feature = "net")]
pub use forebay_replay as replay;
#[cfg(feature = "lab")]
pub use forebay_scenarios as scenarios;
#[cfg(feature = "sched")]
pub use forebay_sched as sched;
#[cfg(feature = "surge")]
pub use forebay_surge as surge;
#[cfg(feature = "switch")]
pub use forebay_switch as switch;
#[cfg(any(feature = "sched", feature = "mem", feature = "cache", feature = "surge"))]
pub use forebay_units as units;
#[cfg(feature = "net")]
pub use forebay_workload as workload;

/// What most programs that embed a part of it use, and every trait that a policy of one's own
/// implements.
pub mod prelude {
    #[cfg(feature = "buffer")]
    pub use forebay_buffer::HybridPolicy;
    #[cfg(feature = "buffer")]
    pub use forebay_buffer::onchip::OnChipPolicy;
    #[cfg(feature = "cache")]
    pub use forebay_cache::policies::CachePolicy;
    #[cfg(feature = "lab")]
    pub use forebay_lab::Scenario;
    #[cfg(feature = "net")]
    pub use forebay_net::transport::CongestionControl;
    // The crate by its name, too, for what `#[derive(Configure)]` writes.
    #[cfg(any(feature = "sched", feature = "mem"))]
    #[doc(no_inline)]
    pub use forebay_parameters::Parameters;
    #[cfg(any(feature = "sched", feature = "mem", feature = "cache", feature = "surge"))]
    #[doc(no_inline)]
    pub use forebay_parameters::{
        self, Choice, Configure, Entry, Kind, Parameter, ParameterError, Source, Walk, Word, set,
    };
    #[cfg(feature = "pifo")]
    pub use forebay_pifo::{ExactQueue, RankedQueue, TieredQueue};
    #[cfg(feature = "sched")]
    pub use forebay_sched::port::PortScheduler;
    #[cfg(feature = "sched")]
    pub use forebay_sched::scheduler::PacketScheduler;
    #[cfg(feature = "sched")]
    pub use forebay_sched::tree::Discipline;
    #[cfg(feature = "sched")]
    pub use forebay_sched::{Packet, Rank, RankFunction};
    #[cfg(feature = "surge")]
    pub use forebay_surge::policies::JobPolicy;
    #[cfg(feature = "switch")]
    pub use forebay_switch::{
        Catalogue, DropCause, Handle, Losses, SwitchConfig, SwitchModel, SwitchShape,
    };
    #[cfg(any(feature = "sched", feature = "mem", feature = "cache", feature = "surge"))]
    pub use forebay_units::{Bytes, Duration, Rate, Time};
}

#[cfg(all(doctest, feature = "switch"))]
#[doc = include_str!("../README.md")]
mod readme {}
