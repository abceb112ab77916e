//! Races the event-driven HBM model against clock-by-clock ones.
//!
//! The unit is nanoseconds per 32 B column access simulated, one core. The striped device simulates
//! one pseudo channel that stands for sixteen; here each of its columns counts once. The whole
//! device simulates sixteen channels; each column of each channel counts. The peers step every
//! clock of one channel: ours, the twin of the in-order controller, always; DRAMsim3, a
//! conventional simulator with the same geometry and timing, with `--features dramsim3` (which
//! builds C++ and needs cmake).

use std::hint::black_box;
use std::time::Instant;

use forebay_mem::stepped::SteppedChannel;
use forebay_mem::{
    BankAddress, ControllerConfig, Device, Direction, HbmConfig, PagePolicy, Request,
    StripedDevice, SubmitError,
};
use forebay_units::{Bytes, Time};

use crate::race::{Options, Report, Subject};

/// Simulated column accesses of one measurement: a few milliseconds, so that on a busy machine some
/// rounds are not interrupted.
const COLUMNS: u64 = 1 << 15;

/// The access patterns that race.
const CASES: [&str; 4] = ["streaming", "random packets", "worst case", "batches"];

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for case in CASES.into_iter().filter(|case| options.wants(case)) {
        let requests = requests(case);
        let ns = |measure: fn(&[Request]) -> u64| {
            let requests = &requests;
            move || {
                let start = Instant::now();
                let columns = measure(black_box(requests));
                start.elapsed().as_secs_f64() * 1e9 / columns as f64
            }
        };
        #[cfg_attr(not(feature = "dramsim3"), allow(unused_mut))]
        let mut subjects = vec![
            Subject::ours("striped, in order", ns(striped_in_order)),
            Subject::ours("striped, FR-FCFS", ns(striped_fr_fcfs)),
            Subject::ours("16 channels, in order", ns(device_in_order)),
            Subject::ours("16 channels, FR-FCFS", ns(device_fr_fcfs)),
            Subject::peer("clock by clock, in order", ns(clock_by_clock)),
        ];
        #[cfg(feature = "dramsim3")]
        subjects.push(Subject::peer("DRAMsim3", ns(crate::dramsim3::accesses)));
        report.race((case, COLUMNS, "ns per column access"), options, subjects);
    }
    report
}

/// The requests of a case: `COLUMNS` column accesses, all reads.
fn requests(case: &str) -> Vec<Request> {
    let columns = match case {
        "worst case" => 1,
        "random packets" => 3,
        _ => 32,
    };
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let one = |turn: u64| {
        let (bank, row) = match case {
            // Rows follow each other in every bank of every group.
            "streaming" => (turn % 16, turn / 16),
            "random packets" => {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                (random % 16, random >> 48)
            }
            "worst case" => (0, turn),
            // Two rows that alternate between two bank groups.
            _ => (turn % 2, turn / 2),
        };
        let bank = BankAddress { group: (bank % 4) as u8, bank: (bank / 4) as u8 };
        let row = (row % 65_536) as u32;
        Request::new(turn, Direction::Read, bank, row, columns, Bytes::new(512))
    };
    (0..COLUMNS.div_ceil(u64::from(columns))).map(one).collect()
}

fn striped_in_order(requests: &[Request]) -> u64 {
    striped(requests, &ControllerConfig::in_order(1))
}

fn striped_fr_fcfs(requests: &[Request]) -> u64 {
    striped(requests, &ControllerConfig::fr_fcfs())
}

/// Keeps the queue full; returns the columns simulated in one pseudo channel.
fn striped(requests: &[Request], controller: &ControllerConfig) -> u64 {
    let Ok(mut hbm) = StripedDevice::new(&HbmConfig::samsung_hbm2e(), controller) else { return 0 };
    let mut now = Time::ZERO;
    let mut last = Time::ZERO;
    for &request in requests {
        while let Err(SubmitError::QueueFull { .. }) = hbm.submit(now, request) {
            now = hbm.next_event().unwrap_or(now);
            hbm.advance(now, &mut |done| last = done.at);
        }
    }
    while let Some(next) = hbm.next_event() {
        hbm.advance(next, &mut |done| last = done.at);
    }
    black_box(last);
    hbm.channel_stats().bytes_read.get() / 32
}

fn device_in_order(requests: &[Request]) -> u64 {
    device(requests, &ControllerConfig::in_order(1))
}

fn device_fr_fcfs(requests: &[Request]) -> u64 {
    device(requests, &ControllerConfig::fr_fcfs())
}

/// Gives each pseudo channel a sixteenth of the requests; returns the columns of all.
fn device(requests: &[Request], controller: &ControllerConfig) -> u64 {
    let Ok(mut hbm) = Device::new(&HbmConfig::samsung_hbm2e(), controller) else { return 0 };
    let channels = hbm.channels();
    let mut now = Time::ZERO;
    let mut last = Time::ZERO;
    for (index, &request) in requests.iter().enumerate() {
        // In blocks of sixteen, so that every channel sees the pattern.
        let channel = index / 16 % channels;
        while let Err(SubmitError::QueueFull { .. }) = hbm.submit(now, channel, request) {
            now = hbm.next_event().unwrap_or(now);
            hbm.advance(now, &mut |_, done| last = done.at);
        }
    }
    while let Some(next) = hbm.next_event() {
        hbm.advance(next, &mut |_, done| last = done.at);
    }
    black_box(last);
    hbm.stats().bytes_read.get() / 32
}

/// The peer: looks at every clock whether a command may go out.
fn clock_by_clock(requests: &[Request]) -> u64 {
    let hbm = HbmConfig::samsung_hbm2e();
    let Ok(mut channel) = SteppedChannel::new(&hbm, 1, 32, PagePolicy::Open) else { return 0 };
    // It is slow: a sixteenth of the requests tells its speed.
    let requests = &requests[..requests.len() / 16];
    let mut now = Time::ZERO;
    let mut last = Time::ZERO;
    for &request in requests {
        while let Err(SubmitError::QueueFull { .. }) = channel.submit(now, request) {
            now += hbm.timing.t_ck;
            channel.advance(now, &mut |done| last = done.at);
        }
    }
    while channel.is_busy() {
        now += hbm.timing.t_ck;
        channel.advance(now, &mut |done| last = done.at);
    }
    black_box(last);
    requests.iter().map(|request| u64::from(request.columns)).sum()
}
