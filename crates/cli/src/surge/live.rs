//! `forebay surge live`: packets as they arrive, behind a scheduler, in real time.
//!
//! Source: ours. One thread reads the capture, another schedules and processes. Whatever has
//! arrived is put into the buffer before each job, so that the policy rather than the pipe decides
//! what is dropped. If the capture is written faster than it can be scheduled, the reader waits,
//! and the program that writes it drops.
//!
//! There are two clocks: packets arrive and wait by the wall clock; a job takes the CPU time of the
//! processing thread, so that an interruption by the machine does not teach an estimator that a
//! rule is slow. On a loaded machine "busy" is therefore less than the wall clock would say.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration as Span, Instant};

use clap::{Args, ValueEnum};
use forebay_files::Input;
use forebay_lab::results::number::{self, plural};
use forebay_surge::model::Class;
use forebay_surge_processors::driver::{
    Clock, Flood, MatchingStation, ReassemblyCosts, ReassemblyStation, RuleRatios, Station,
    Suspect, Tagged,
};
use forebay_surge_processors::rules::Matcher;
use forebay_surge_processors::tcp::{ListStore, ReassemblyConfig};
use forebay_surge_processors::{Packet, read_live_packets};
use forebay_units::{Duration, Time};
use forebay_workload::{CaptureError, CaptureWarning, open_capture};

use super::buffer::{BufferArguments, Jobs, failed};
use super::processors::READ_BESIDE;
use super::{RatioArguments, RuleArguments, cpu_clock, matcher};
use crate::arguments::seconds;
use crate::damage::Damage;
use crate::given::Given;
use crate::terminal::{self, columns};
use crate::{Failure, experiment};

/// How many packets fit between the two threads, and at most enter the buffer before a job.
const BETWEEN: usize = 4096;

/// How long the processor waits before it checks whether to stop.
const PATIENCE: Span = Span::from_millis(100);

/// The assumed cost of a rule that has not been seen, in seconds per byte.
const FIRST: f64 = 10e-9;

#[derive(Args)]
pub(crate) struct LiveArguments {
    #[command(flatten)]
    given: Given,
    /// The capture: - for standard input, or a file or pipe.
    #[arg(default_value = "-")]
    capture: PathBuf,
    /// The processor behind the scheduler.
    #[arg(long, value_enum, default_value = "match")]
    processor: Processor,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    ratios: RatioArguments,
    /// The policy that orders the packets and chooses which to drop.
    #[arg(long, default_value = "wsjf-inorder")]
    policy: String,
    #[command(flatten)]
    buffer: BufferArguments,
    /// How often to report progress: seconds, or "500 ms"; 0 for never.
    #[arg(long, value_name = "SPAN", default_value = "1 s", value_parser = seconds)]
    every: Duration,
}

#[derive(Clone, Copy, ValueEnum)]
enum Processor {
    Reassemble,
    Match,
}

type Ending = Result<Vec<CaptureWarning>, CaptureError>;

pub(super) fn live(arguments: &LiveArguments, jobs: &Jobs) -> Result<(), Failure> {
    let processor = match arguments.processor {
        Processor::Reassemble => "reassemble",
        Processor::Match => "match",
    };
    arguments.given.beside("--processor ", processor, READ_BESIDE)?;
    let protect = arguments.buffer.protect(("policy", &arguments.policy), jobs)?;
    let start = Instant::now();
    let clock = cpu_clock();
    let live = Live {
        every: Span::from_nanos(arguments.every.as_ps() / 1000),
        start,
        passed: 0,
        unreadable: 0,
        rules: None,
    };
    let stop = experiment::stop_flag_saying("only the packets so far are counted");
    let incoming = Incoming::begin(&arguments.capture, &stop)?;
    match arguments.processor {
        Processor::Reassemble => {
            let station = reassembler(&protect, &clock)?;
            let keep = |packet: Packet| packet.segment().is_some().then_some(packet);
            live.drive(station, keep, incoming, &stop)
        }
        Processor::Match => {
            let matcher = Rc::new(matcher(&arguments.rules)?);
            let ratios = RuleRatios::new(matcher.rules().len(), FIRST, arguments.ratios.half_life);
            let station = MatchingStation::build(&protect, Rc::clone(&matcher), ratios, &clock);
            let station = station.map_err(|error| failed(&error))?;
            let filter = Rc::clone(&matcher);
            let keep = move |packet: Packet| Suspect::of(&filter, &packet);
            Live { rules: Some(matcher), ..live }.drive(station, keep, incoming, &stop)
        }
    }
}

fn elapsed_ps(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos() * 1000).unwrap_or(u64::MAX)
}

/// A reassembler, to measure its steps on an ordered flow.
fn reassembler(
    protect: &forebay_surge::ProtectConfig,
    clock: &Clock,
) -> Result<Box<dyn Station<Packet>>, Failure> {
    let config = ReassemblyConfig::paper();
    let in_order: Vec<Packet> = Flood::new(1, 1).take(64).collect();
    ReassemblyCosts::measure::<ListStore>(&in_order, config, clock)
        .and_then(|costs| ReassemblyStation::build::<ListStore>(protect, config, &costs, clock))
        .map_err(|error| failed(&error))
}

/// The reading thread.
struct Incoming {
    packets: Receiver<Option<Packet>>,
    /// How many of them the capture has in part.
    cut: Arc<AtomicU64>,
    reader: std::thread::JoinHandle<Ending>,
}

impl Incoming {
    fn begin(capture: &Path, stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        let input = Input::of(capture);
        let name = input.name();
        let (send, packets) = sync_channel(BETWEEN);
        let stop = Arc::clone(stop);
        let cut = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&cut);
        let reader = if input.is_standard() {
            std::thread::spawn(move || forward(std::io::stdin(), &name, &send, &count, &stop))
        } else {
            let file = open_capture(capture).map_err(|error| failed(&error))?;
            std::thread::spawn(move || forward(file, &name, &send, &count, &stop))
        };
        Ok(Incoming { packets, cut, reader })
    }
}

/// Reads until the capture ends, nobody listens, or the stop flag is set.
fn forward(
    reader: impl Read + Send,
    name: &str,
    packets: &SyncSender<Option<Packet>>,
    cut: &AtomicU64,
    stop: &AtomicBool,
) -> Ending {
    read_live_packets(reader, name, |packet, is_cut| {
        cut.fetch_add(u64::from(is_cut), Ordering::Relaxed);
        if packets.send(packet).is_err() || stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })
}

/// What is reported while it runs.
struct Live {
    every: Span,
    start: Instant,
    /// Packets for which the processor has nothing to do.
    passed: u64,
    /// Packets that no processor can read.
    unreadable: u64,
    rules: Option<Rc<Matcher>>,
}

impl Live {
    fn drive<T>(
        mut self,
        mut station: Box<dyn Station<T>>,
        keep: impl Fn(Packet) -> Option<T>,
        incoming: Incoming,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let mut matches: BTreeMap<u32, u64> = BTreeMap::new();
        let (mut told, mut open) = (Instant::now(), true);
        let now = |start| Time::from_ps(elapsed_ps(start));
        while open || station.statistics().counts.offered > finished(station.as_ref()) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            open &= self.take_in(station.as_mut(), &keep, &incoming.packets);
            if let Some(served) = station.serve(now(self.start)) {
                served.matched.into_iter().for_each(|rule| *matches.entry(rule).or_default() += 1);
            }
            if !self.every.is_zero() && told.elapsed() >= self.every {
                told = Instant::now();
                terminal::warn(&self.line(station.as_ref()));
            }
        }
        drop(incoming.packets);
        let mut damage = Damage::default();
        // A reader that waits for packets cannot be told to stop; the program ends without it.
        if !stop.load(Ordering::Relaxed)
            && let Ok(ended) = incoming.reader.join()
        {
            let (warnings, error) =
                ended.map_or_else(|error| (Vec::new(), Some(error)), |all| (all, None));
            damage.note("the capture", &warnings, error);
        }
        super::warn_of_cut("the capture", incoming.cut.load(Ordering::Relaxed));
        let came = self.passed + self.unreadable + station.statistics().counts.offered;
        if came == 0 {
            // What was not understood has no results.
            damage.alone()?;
        }
        terminal::print(&self.summary(station.as_ref(), &matches))?;
        damage.result(2)?;
        self.processed(station.as_ref())
    }

    /// Says so if not a single packet could be processed.
    fn processed<T>(&self, station: &dyn Station<T>) -> Result<(), Failure> {
        if self.unreadable == 0 || self.passed + station.statistics().counts.offered > 0 {
            return Ok(());
        }
        Err(Failure::input(format!(
            "error: {}, of which none could be processed: give whole IP packets, as they are \
             before fragmentation or after reassembly",
            plural(self.unreadable, "fragment or damaged packet", "fragments or damaged packets")
        )))
    }

    /// Puts whatever has arrived into the buffer; waits if nothing has arrived and nothing is to be
    /// done. `false` once the capture has ended.
    fn take_in<T>(
        &mut self,
        station: &mut dyn Station<T>,
        keep: &impl Fn(Packet) -> Option<T>,
        packets: &Receiver<Option<Packet>>,
    ) -> bool {
        let idle = station.statistics().counts.offered == finished(station);
        let mut offer = |packet: Option<Packet>| match packet.map(keep) {
            Some(Some(item)) => {
                let now = Time::from_ps(elapsed_ps(self.start));
                // The scheduler counts what is dropped.
                let _ = station.offer(now, Tagged { class: Class::Innocent, item });
            }
            Some(None) => self.passed += 1,
            None => self.unreadable += 1,
        };
        if idle {
            match packets.recv_timeout(PATIENCE) {
                Ok(packet) => offer(packet),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        packets.try_iter().take(BETWEEN).for_each(offer);
        true
    }

    fn line<T>(&self, station: &dyn Station<T>) -> String {
        let statistics = station.statistics();
        let counts = statistics.counts;
        format!(
            "  {:>6.1} s  {} came, {} served, {} dropped, busy {}, mean wait {}",
            self.start.elapsed().as_secs_f64(),
            number::count(counts.offered + self.passed + self.unreadable),
            number::count(counts.served),
            number::count(counts.refused + counts.displaced),
            number::percent(statistics.busy.as_secs_f64() / self.start.elapsed().as_secs_f64(), 0),
            mean(statistics.waited, counts.served),
        )
    }

    fn summary<T>(&self, station: &dyn Station<T>, matches: &BTreeMap<u32, u64>) -> String {
        let statistics = station.statistics();
        let counts = statistics.counts;
        // Of nothing it is none.
        let bias = match counts.served {
            0 => "–".to_owned(),
            _ => number::change(statistics.calibration.bias(), 0),
        };
        let mut rows = vec![
            ("packets left out (fragments, damaged)", number::count(self.unreadable)),
            ("packets without work", number::count(self.passed)),
            ("packets offered", number::count(counts.offered)),
            ("packets served", number::count(counts.served)),
            ("packets dropped", number::count(counts.refused + counts.displaced)),
            ("bytes served", statistics.served.to_string()),
            ("bytes dropped", statistics.dropped.to_string()),
            ("time busy", number::time(statistics.busy)),
            ("mean job", mean(statistics.busy, counts.served)),
            ("mean wait", mean(statistics.waited, counts.served)),
            ("longest wait", number::time(statistics.longest_wait)),
            ("bias of estimates", bias),
        ];
        rows.extend(station.counts().iter().map(|(name, count)| (*name, number::count(*count))));
        let mut table: Vec<Vec<String>> =
            rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        for (rule, count) in matches {
            let rule = self.rules.as_ref().and_then(|all| all.rules().get(*rule as usize));
            let sid = rule.map_or(0, |rule| rule.sid);
            table.push(vec![format!("matched rule {sid}"), number::count(*count)]);
        }
        columns(&table, 1)
    }
}

/// Jobs that have left the buffer.
fn finished<T>(station: &dyn Station<T>) -> u64 {
    let counts = station.statistics().counts;
    counts.served + counts.refused + counts.displaced
}

/// The mean in the unit that suits it, or a dash of nothing.
fn mean(total: Duration, count: u64) -> String {
    match total.as_ps().checked_div(count) {
        Some(ps) => number::time(Duration::from_ps(ps)),
        None => "–".to_owned(),
    }
}
