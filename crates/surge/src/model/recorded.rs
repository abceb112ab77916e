//! Traffic whose job sizes were measured once: read from a CSV file, and replayed without a clock.
//!
//! Source: the trace-driven workloads of thesis §3.6.2; the format is ours. The first line is
//! `class,flow,bytes,estimate_ns,work_ns`; class is `innocent` or `attack`. Innocent rows are packets in the order of
//! their capture. Attack rows are one flow of the attack, each packet dearer than the one before where the attack is
//! on a list; an attack that is to cost less takes the first few of them (§3.6.1: N).
//!
//! An attack packet that is dropped never joins its flow's list, so that those behind it walk a shorter one. With
//! [`Lists`] a replay shows that: the n-th packet of an attack flow that is *served* takes the n-th job. Without, a
//! job's size stays what was measured, which overstates the attack where many of its packets are dropped. Innocent
//! jobs always keep theirs.
//!
//! Complexity: O(1) per packet. Memory: 32 bytes a row; at most [`MAX_ROWS`] rows.

use std::collections::HashMap;
use std::io::BufRead;

use forebay_units::{Bytes, Duration, Rate, Time};

use super::attack::{Attack, Shot};
use super::joint::{Atom, Joint};
use super::optimal::Means;
use super::simulation::JobSizes;
use super::traffic::{Class, Offer};
use crate::error::SurgeError;
use crate::job::FlowId;

/// The most rows that are read.
pub const MAX_ROWS: usize = 1 << 22;

/// The longest job or estimate of a row, an hour: sums of [`MAX_ROWS`] of them stay finite.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// The largest packet of a row.
const LARGEST: u64 = 1 << 30;

/// The first line of a recording: its columns.
pub const HEADER: &str = "class,flow,bytes,estimate_ns,work_ns";

/// A packet with its job, as measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedJob {
    /// Its flow, counted from 0 within its class.
    pub flow: u32,
    /// Its size and job sizes.
    pub shot: Shot,
}

/// Why a recording cannot be read; each names the line and the fix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedError {
    /// The file cannot be read.
    #[error("line {line}: {source}")]
    Read {
        /// Where.
        line: u64,
        /// Why.
        source: std::io::Error,
    },
    /// A line is wrong.
    #[error("line {line}: {problem}")]
    Line {
        /// Where.
        line: u64,
        /// What is wrong and how to mend it.
        problem: String,
    },
    /// There are no rows of a class.
    #[error("there are no {0} rows; record again with `forebay surge measure`")]
    None(&'static str),
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
    /// Reads a file; blank lines are skipped.
    ///
    /// # Errors
    /// [`RecordedError`], also if one of the classes has no row.
    pub fn read(reader: impl BufRead) -> Result<Self, RecordedError> {
        let mut recorded = Recorded::default();
        for (line, text) in (1..).zip(reader.lines()) {
            let text = text.map_err(|source| RecordedError::Read { line, source })?;
            let text = text.trim();
            let bad = |problem: String| RecordedError::Line { line, problem };
            if line == 1 {
                if text != HEADER {
                    return Err(bad(format!("the first line has to be `{HEADER}`")));
                }
            } else if !text.is_empty() {
                recorded.add(text).map_err(bad)?;
            }
        }
        for (class, rows) in [("innocent", &recorded.innocent), ("attack", &recorded.attack)] {
            if rows.is_empty() {
                return Err(RecordedError::None(class));
            }
        }
        Ok(recorded)
    }

    fn add(&mut self, text: &str) -> Result<(), String> {
        let mut fields = text.split(',').map(str::trim);
        let class = fields.next().unwrap_or_default();
        let mut number = |name: &str, most: u64| {
            let field = fields.next().ok_or_else(|| format!("{name} is missing"))?;
            let value: u64 =
                field.parse().map_err(|_| format!("{name} is `{field}`; give a whole number"))?;
            if value > most {
                Err(format!("{name} is {value}; give at most {most}"))
            } else {
                Ok(value)
            }
        };
        let flow = number("flow", u64::from(u32::MAX >> 1))? as u32;
        let size = Bytes::new(number("bytes", LARGEST)?);
        let estimate = Duration::from_ns(number("estimate_ns", LONGEST_NS)?);
        let work = Duration::from_ns(number("work_ns", LONGEST_NS)?);
        if fields.next().is_some() {
            return Err("there are more than five fields; remove the others".to_owned());
        }
        if size == Bytes::ZERO || work == Duration::ZERO {
            return Err("bytes or work_ns is 0; give at least 1".to_owned());
        }
        let rows = match class {
            "innocent" => &mut self.innocent,
            "attack" => &mut self.attack,
            other => return Err(format!("class is `{other}`; write innocent or attack")),
        };
        if rows.len() >= MAX_ROWS {
            return Err(format!("there are more than {MAX_ROWS} rows of this class; remove some"));
        }
        rows.push(RecordedJob { flow, shot: Shot { size, work, estimate } });
        Ok(())
    }

    /// It as a file.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (class, rows) in [("innocent", &self.innocent), ("attack", &self.attack)] {
            for RecordedJob { flow, shot: Shot { size, work, estimate } } in rows {
                let [estimate, work] = [estimate, work].map(|span| span.as_ps().div_ceil(1000));
                text += &format!("{class},{flow},{},{estimate},{work}\n", size.get());
            }
        }
        text
    }

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

    /// Makes the attack's jobs and estimates as much longer or shorter as makes the last of a flow `longest`: the one
    /// that walks the longest list. (The longest that was measured may be one that was interrupted.) Innocent packets
    /// that are estimated at no less per byte than that one are so because of what the attack has taught the
    /// estimator (§3.5.2, Full Matching): their estimates change alike.
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

    /// The innocent packets again and again, evenly spaced at `rate` (§3.3.1); each repetition has flows of its own.
    pub fn innocent_at(&self, rate: Rate) -> impl Iterator<Item = Offer> + '_ {
        let total: f64 = self.innocent.iter().map(|row| row.shot.size.get() as f64).sum();
        let gap_ps = total / self.innocent.len().max(1) as f64 * 8e12 / rate.as_bps().max(1) as f64;
        passes(&self.innocent).zip(1u64..).map(move |((flow, shot), number)| {
            let at = Time::from_ps((number as f64 * gap_ps) as u64);
            offer(at, Class::Innocent, flow, shot)
        })
    }

    /// The first `segments` attack packets again and again, each repetition a flow of its own, each packet sent when
    /// it is paid for at `rate` (§3.3.2).
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

    /// How many attack packets of a flow an optimal attack on `policy` has (§3.6.1): all, or as many as make their
    /// mean job size that of the attack's packets where Eq. 3.8 or 3.9 chose it.
    #[must_use]
    pub fn segments_against(&self, policy: &str, attack: &Attack) -> usize {
        let by_job_size = policy == "sjf" || policy.starts_with("wsjf");
        match attack.shots.first() {
            Some((shot, _)) if by_job_size => self.segments_for(shot.work),
            _ => self.attack.len(),
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

/// The lists of attack flows as they are: a packet's job goes by how many of its flow have been served.
///
/// ```
/// use forebay_surge::FlowId;
/// use forebay_surge::model::{Class, JobSizes, Lists, Recorded};
/// use forebay_units::Duration;
///
/// let file = "class,flow,bytes,estimate_ns,work_ns\ninnocent,0,1500,9,9\nattack,0,64,5,5\nattack,0,64,7,7\n";
/// let recorded = Recorded::read(file.as_bytes())?;
/// let mut lists = Lists::new(&recorded);
/// // The third packet of a flow that is served first of all finds no list.
/// let mut begun = |flow| lists.begun(Class::Attack, FlowId(flow), Duration::from_ns(99));
/// assert_eq!([1, 1, 1, 2].map(|flow| begun(flow).as_ps()), [5000, 7000, 7000, 5000]);
/// # Ok::<(), forebay_surge::model::RecordedError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lists<'a> {
    rows: &'a [RecordedJob],
    /// Packets served, by flow.
    served: HashMap<FlowId, usize>,
}

impl<'a> Lists<'a> {
    /// All empty.
    #[must_use]
    pub fn new(recorded: &'a Recorded) -> Self {
        Lists { rows: &recorded.attack, served: HashMap::new() }
    }

    /// The job of a packet before which so many of its flow were served; the last, if there are no more.
    fn row(&self, served: usize) -> Option<Shot> {
        self.rows.get(served).or(self.rows.last()).map(|row| row.shot)
    }
}

impl JobSizes for Lists<'_> {
    fn told(&mut self, offer: &Offer) -> Duration {
        if offer.class == Class::Innocent {
            return offer.estimate;
        }
        let served = self.served.get(&offer.flow).copied().unwrap_or(0);
        self.row(served).map_or(offer.estimate, |shot| shot.estimate)
    }

    fn begun(&mut self, class: Class, flow: FlowId, work: Duration) -> Duration {
        if class == Class::Innocent {
            return work;
        }
        let served = self.served.entry(flow).or_insert(0);
        let before = *served;
        *served += 1;
        self.row(before).map_or(work, |shot| shot.work)
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
    Offer { at, class, flow: FlowId(flow), size, work, estimate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!((packets[0].flow, packets[2].flow), (FlowId(0), FlowId(0)));
        assert_eq!((packets[3].flow, packets[4].flow), (FlowId(2), FlowId(3)));
        let shots: Vec<_> = recorded.attack_at(rate, 10).take(25).collect();
        assert_eq!(shots[9].work, Duration::from_ns(28));
        assert_eq!(
            (shots[10].work, shots[10].flow),
            (Duration::from_ns(10), FlowId((1 << 63) | 1))
        );
        assert!(recorded.attack_at(rate, 1 << 40).take(101).last().is_some());
        // The mean of 10, 12, …: N jobs take 9 + N on average.
        assert_eq!(recorded.segments_for(Duration::from_ns(59)), 50);
        assert_eq!(recorded.segments_for(Duration::MAX), 100);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (rows, words) in [
            ("innocent,0,1500,200,x", "line 2: work_ns is `x`"),
            ("innocent,0,1500,200", "line 2: work_ns is missing"),
            ("evil,0,1500,200,9", "class is `evil`"),
            ("attack,0,0,200,9", "bytes or work_ns is 0"),
            ("attack,0,64,200,9,9", "more than five"),
            ("attack,0,64,200,9", "no innocent rows"),
            ("attack,0,64,200,99999999999999999", "give at most"),
        ] {
            let error = Recorded::read(format!("{HEADER}\n{rows}\n").as_bytes()).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
        assert!(
            Recorded::read(&b"flow,bytes\n"[..]).unwrap_err().to_string().contains("first line")
        );
        assert!(Recorded::read(&b""[..]).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(innocent|attack|[0-9]{0,4}|,|\n|class){0,40}") {
            if let Ok(recorded) = Recorded::read(format!("{HEADER}\n{text}").as_bytes()) {
                prop_assert_eq!(Recorded::read(recorded.to_csv().as_bytes()).unwrap(), recorded);
            }
        }
    }
}
