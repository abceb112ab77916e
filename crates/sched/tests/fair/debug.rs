//! `{:?}` of a scheduler says what it is and what waits, on one line, however many flows and queues
//! it has.

use std::fmt::Debug;

use forebay_pifo::ExactQueue;
use forebay_sched::fair::gearbox::{Gearbox, GearboxConfig};
use forebay_sched::fair::{
    Afq, Cake, CakeConfig, CalendarConfig, Cq, DropTailScheduler, Drr, DrrConfig, FqCodel,
    FqCodelConfig, Limits, Pcq, PifoConfig, PifoWfq, SketchConfig,
};
use forebay_sched::rank_queue::RankQueue;
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, Weights, schedulers};
use forebay_sched::{Packet, rank_function};
use forebay_units::{Rate, Time};

fn short(mut scheduler: impl PacketScheduler + Debug) {
    let packet = Packet { flow: 60_000, size: 1500, ..Packet::default() };
    scheduler.enqueue(Time::ZERO, packet).unwrap();
    let text = format!("{scheduler:?}");
    assert!(text.len() < 200 && !text.contains('\n'), "{} bytes: {text}", text.len());
    assert!(text.contains("len: 1, bytes: "), "{text}");
}

#[test]
fn by_name() {
    for choice in &schedulers() {
        short(choice.build(&SchedulerShape::of_link(Rate::from_gbps(10))).unwrap());
    }
}

#[test]
fn by_type() {
    let (weights, calendar) = (Weights::default(), CalendarConfig::default());
    short(DropTailScheduler::new(Limits::default()));
    short(Drr::new(&DrrConfig::default(), weights.clone()));
    short(FqCodel::new(&FqCodelConfig::default()));
    short(Cake::new(&CakeConfig::default(), Rate::from_gbps(10)).unwrap());
    short(PifoWfq::exact(&PifoConfig::default(), weights.clone()));
    short(Gearbox::new(&GearboxConfig::default(), weights.clone()).unwrap());
    short(Cq::new(&calendar, weights.clone()).unwrap());
    short(Pcq::new(&calendar, weights.clone()).unwrap());
    short(Afq::new(&calendar, SketchConfig::default(), weights).unwrap());
    short(RankQueue::<_>::new(rank_function("stfq").unwrap(), ExactQueue::new(100_000)));
}
