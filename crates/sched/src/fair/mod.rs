//! Fair queueing, from exact to none: schedulers that share a link among flows by weight.
//!
//! | scheduler | order | cost of a packet | source |
//! |---|---|---|---|
//! | [`PifoWfq`] | exact | that of its ranked queue | gearbox §2.1 |
//! | [`gearbox::Gearbox`] | within a share of the expected delay | constant | gearbox §3 |
//! | [`Cq`], [`Afq`] | within a fixed granularity | constant | gearbox §4.1.1 |
//! | [`Pcq`] | within a fixed granularity | up to that of its queues | gearbox §2.2 |
//! | [`Drr`] | a quantum a round | constant | Shreedhar and Varghese |
//! | [`FqCodel`] | a quantum a round, by hashed flow, short waits | constant | RFC 8290 |
//! | [`Cake`] | the same by tins of classes, flows that seldom collide | constant | Piece of CAKE |
//! | [`DropTailScheduler`] | none | constant | gearbox §4.1.1 |
//!
//! All are [`PacketScheduler`]s and choices of
//! [`schedulers`](crate::scheduler::schedulers). [`measure`] says how far from fair they are.

mod active_list;
mod afq;
mod cake;
mod calendar;
mod codel;
mod cq;
mod drop_tail;
mod drr;
mod fifos;
mod fq_codel;
pub mod gearbox;
mod hash;
mod ledger;
pub mod measure;
mod pcq;
mod pifo_wfq;
mod room;
mod rounds;
mod virtual_time;

use alloc::vec::Vec;

use forebay_parameters::Choice;

use crate::scheduler::PacketScheduler;

pub use afq::{Afq, SketchConfig, SketchedDepartures};
pub use cake::{Cake, CakeConfig, Tins};
pub use calendar::{Calendar, CalendarConfig, CalendarError, Departures, ExactDepartures};
pub use codel::CodelConfig;
pub use cq::Cq;
pub use drop_tail::DropTailScheduler;
pub use drr::{Drr, DrrConfig};
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use pcq::Pcq;
pub use pifo_wfq::{PifoConfig, PifoWfq};
pub use room::Limits;
pub use virtual_time::{VirtualTime, VirtualUnit};

/// All but drop-tail, the ideal first.
pub(crate) fn choices() -> Vec<Choice<dyn PacketScheduler>> {
    let [cq_1, cq_10, cq_100] = cq::choices();
    let [gearbox, auto, srpt] = gearbox::choices();
    Vec::from([
        pifo_wfq::choice(),
        pifo_wfq::drop_largest(),
        pifo_wfq::buckets(),
        gearbox,
        auto,
        srpt,
        cq_1,
        cq_10,
        cq_100,
        afq::choice(),
        pcq::choice(),
        drr::choice(),
        fq_codel::choice(),
        cake::choice(),
    ])
}

/// The choice `drop-tail`.
pub(crate) fn drop_tail() -> Choice<dyn PacketScheduler> {
    drop_tail::choice()
}
