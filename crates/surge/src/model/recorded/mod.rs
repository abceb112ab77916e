//! Traffic whose job sizes were measured once: read from a CSV file, and replayed without a clock.
//!
//! Source: the trace-driven workloads of thesis §3.6.2; the format is ours. The first line is
//! `class,flow,bytes,estimate_ns,work_ns`; class is `innocent` or `attack`. Innocent rows are
//! packets in the order of their capture. Attack rows are one flow of the attack, each packet
//! dearer than the one before where the attack is on a list; an attack that is to cost less takes
//! the first few of them (§3.6.1: N).
//!
//! An attack packet that is dropped never joins its flow's list, so that those behind it walk a
//! shorter one. With [`Lists`] a replay shows that: the n-th packet of an attack flow that is
//! *served* takes the n-th job. Without, a job's size stays what was measured, which overstates the
//! attack where many of its packets are dropped. Innocent jobs always keep theirs.
//!
//! Complexity: O(1) per packet. Memory: 32 bytes a row; at most [`MAX_ROWS`] rows.

mod file;
mod lists;

use forebay_units::{Bytes, Duration, Rate, Time};

use super::attack::{Attack, Shot};
use super::joint::{Atom, Joint};
use super::optimal::Means;
use super::traffic::{Class, Offer};
use crate::error::SurgeError;
use crate::job::FlowKey;
use crate::policies::ServiceOrder;
pub use file::{HEADER, MAX_ROWS, RecordedError};
pub use lists::Lists;

/// A packet with its job, as measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedJob {
    /// Its flow, counted from 0 within its class.
    pub flow: u32,
    /// Its size and job sizes.
    pub shot: Shot,
}

/// A recording: what the innocent and what an attack cost.
///
/// ```
/// use forebay_surge::model::Recorded;
///
/// let file = "class,flow,bytes,estimate_ns,work_ns\ninnocent,0,1500,200,210\nattack,0,64,9000,8000\n";
/// let recorded = Recorded::read(file.as_bytes())?;
/// assert_eq!((recorded.innocent.len(), recorded.attack.len()), (1, 1));
/// assert_eq!(recorded.to_csv(), file);
/// # Ok::<(), forebay_surge::model::RecordedError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Class I, in order.
    pub innocent: Vec<RecordedJob>,
    /// One flow of class A, in order.
    pub attack: Vec<RecordedJob>,
}

impl Recorded {
    /// The innocent packets as a joint distribution, each row as likely.
    ///
    /// # Errors
    /// If there are none.
    pub fn joint(&self) -> Result<Joint, SurgeError> {
        let atom = |row: &RecordedJob| {
            let Shot { size, work, estimate } = row.shot;
            Atom { size, work, estimate, weight: 1.0 }
        };
        Joint::new(self.innocent.iter().map(atom).collect())
    }

    /// Makes every job and estimate `factor` times as long; none becomes shorter than a picosecond.
    pub fn scale(&mut self, factor: f64) {
        let scaled =
            |span: Duration| Duration::from_ps(((span.as_ps() as f64 * factor) as u64).max(1));
        for row in self.innocent.iter_mut().chain(&mut self.attack) {
            row.shot.work = scaled(row.shot.work);
            row.shot.estimate = scaled(row.shot.estimate);
        }
    }

    /// Makes the attack's jobs and estimates as much longer or shorter as makes the last of a flow
    /// `longest`: the one that walks the longest list. (The longest that was measured may be one
    /// that was interrupted.) Innocent packets that are estimated at no less per byte than that one
    /// are so because of what the attack has taught the estimator (§3.5.2, Full Matching): their
    /// estimates change alike.
    pub fn scale_attack(&mut self, longest: Duration) {
        let Some(last) = self.attack.last().map(|row| row.shot) else { return };
        let factor = longest.as_secs_f64() / last.work.as_secs_f64();
        let per_byte = |shot: &Shot| shot.estimate.as_secs_f64() / shot.size.get().max(1) as f64;
        let scaled =
            |span: Duration| Duration::from_ps(((span.as_ps() as f64 * factor) as u64).max(1));
        for row in &mut self.attack {
            row.shot.work = scaled(row.shot.work);
            row.shot.estimate = scaled(row.shot.estimate);
        }
        let taught = |row: &&mut RecordedJob| per_byte(&row.shot) >= per_byte(&last);
        for row in self.innocent.iter_mut().filter(taught) {
            row.shot.estimate = scaled(row.shot.estimate);
        }
    }

    /// What the adversary can craft, by the attack's rows; P_max is that of all rows.
    #[must_use]
    pub fn means(&self) -> Means {
        let sizes = |rows: &[RecordedJob]| rows.iter().map(|row| row.shot.size).collect::<Vec<_>>();
        let attack = sizes(&self.attack);
        let longest = self.attack.iter().map(|row| row.shot.work).max();
        Means {
            smallest: attack.iter().min().copied().unwrap_or(Bytes::new(64)),
            largest: attack
                .into_iter()
                .chain(sizes(&self.innocent))
                .max()
                .unwrap_or(Bytes::new(64)),
            longest: longest.unwrap_or(Duration::from_ps(1)),
        }
    }

    /// The same with estimates that are true.
    #[must_use]
    pub fn with_true_estimates(mut self) -> Self {
        for row in self.innocent.iter_mut().chain(&mut self.attack) {
            row.shot.estimate = row.shot.work;
        }
        self
    }

    /// The innocent packets again and again, evenly spaced at `rate` (§3.3.1); each repetition has
    /// flows of its own.
    pub fn innocent_at(&self, rate: Rate) -> impl Iterator<Item = Offer> + '_ {
        let total: f64 = self.innocent.iter().map(|row| row.shot.size.get() as f64).sum();
        let gap_ps = total / self.innocent.len().max(1) as f64 * 8e12 / rate.as_bps().max(1) as f64;
        passes(&self.innocent).zip(1u64..).map(move |((flow, shot), number)| {
            let at = Time::from_ps((number as f64 * gap_ps) as u64);
            offer(at, Class::Innocent, flow, shot)
        })
    }

    /// The first `segments` attack packets again and again, each repetition a flow of its own, each
    /// packet sent when it is paid for at `rate` (§3.3.2).
    pub fn attack_at(&self, rate: Rate, segments: usize) -> impl Iterator<Item = Offer> + '_ {
        let rows =
            &self.attack[..segments.clamp(1, self.attack.len().max(1)).min(self.attack.len())];
        let mut sent = Bytes::ZERO;
        passes(rows).map(move |(flow, shot)| {
            sent += shot.size;
            let at = Time::ZERO + rate.time_for(sent);
            offer(at, Class::Attack, (1 << 63) | flow, shot)
        })
    }

    /// How many attack packets of a flow an optimal attack on a policy of this order has (§3.6.1):
    /// all, or as many as make their mean job size that of the attack's packets where Eq. 3.8 or
    /// 3.9 chose it.
    #[must_use]
    pub fn segments_against(&self, order: Option<ServiceOrder>, attack: &Attack) -> usize {
        match order.and(attack.shots.first()) {
            Some((shot, _)) => self.segments_for(shot.work),
            None => self.attack.len(),
        }
    }

    /// How many attack packets of a flow make their mean job size nearest to `work` (§3.6.1: N).
    #[must_use]
    pub fn segments_for(&self, work: Duration) -> usize {
        let mut total = 0u128;
        let mean = |(count, row): (u128, &RecordedJob)| {
            total += u128::from(row.shot.work.as_ps());
            (total / count).abs_diff(u128::from(work.as_ps()))
        };
        let distances = (1u128..).zip(&self.attack).map(mean);
        (1..).zip(distances).min_by_key(|(_, distance)| *distance).map_or(1, |(count, _)| count)
    }
}

/// Rows without end, with the number of the flow; none if there are none.
fn passes(rows: &[RecordedJob]) -> impl Iterator<Item = (u64, Shot)> + '_ {
    let most = rows.iter().map(|row| u64::from(row.flow)).max().unwrap_or(0) + 1;
    let pass = move |number: u64| {
        rows.iter().map(move |row| (number * most + u64::from(row.flow), row.shot))
    };
    let numbers = if rows.is_empty() { 0..0 } else { 0..u64::MAX >> 33 };
    numbers.flat_map(pass)
}

fn offer(at: Time, class: Class, flow: u64, shot: Shot) -> Offer {
    let Shot { size, work, estimate } = shot;
    Offer { at, class, flow: FlowKey(flow), size, work, estimate }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Recorded {
        let row = |flow, bytes, ns| {
            let shot = Shot::new(Bytes::new(bytes), Duration::from_ns(ns));
            RecordedJob { flow, shot }
        };
        let innocent = vec![row(0, 1000, 100), row(1, 500, 300), row(0, 1500, 100)];
        Recorded { innocent, attack: (0..100).map(|n| row(0, 64, 10 + 2 * n)).collect() }
    }

    #[test]
    fn a_replay_keeps_its_rates_and_its_flows() {
        let recorded = small();
        let rate = Rate::from_gbps(1);
        let packets: Vec<_> = recorded.innocent_at(rate).take(300).collect();
        let bits: f64 = packets.iter().map(|offer| offer.size.get() as f64 * 8.0).sum();
        let seconds = packets[299].at.as_ps() as f64 / 1e12;
        assert!((bits / seconds / 1e9 - 1.0).abs() < 1e-9);
        assert_eq!((packets[0].flow, packets[2].flow), (FlowKey(0), FlowKey(0)));
        assert_eq!((packets[3].flow, packets[4].flow), (FlowKey(2), FlowKey(3)));
        let shots: Vec<_> = recorded.attack_at(rate, 10).take(25).collect();
        assert_eq!(shots[9].work, Duration::from_ns(28));
        assert_eq!(
            (shots[10].work, shots[10].flow),
            (Duration::from_ns(10), FlowKey((1 << 63) | 1))
        );
        assert!(recorded.attack_at(rate, 1 << 40).take(101).last().is_some());
        // The mean of 10, 12, …: N jobs take 9 + N on average.
        assert_eq!(recorded.segments_for(Duration::from_ns(59)), 50);
        assert_eq!(recorded.segments_for(Duration::MAX), 100);
    }
}
