//! Whatever happens in whatever order, the tables agree.

use super::flights::waiters_at;
use super::*;
use crate::body::Body;
use crate::disk::Meta;
use crate::fetches::Fetch;
use crate::flight::FlightId;
use crate::share::{Arriving, Share};
use forebay_cache::order::OrderConfig;
use forebay_cache::policies::{PolicyConfig, SetConfig, policies};
use pingora_cache::lock::{LockCore, LockStatus};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration as Span, UNIX_EPOCH};

const CAPACITY: u64 = 10_000;

#[derive(Clone, Debug)]
enum Step {
    Ask(u128),
    /// The oldest leader begins to write, fails, or gives up.
    Write,
    Fail,
    GiveUp,
    /// The oldest leader is gone without a word.
    Vanish,
    /// The oldest body ends: whole with this length, or broken.
    Land(u64),
    Break,
    Remove(u128),
    Clear,
    Change(u128, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..8_u128).prop_map(Step::Ask),
        4 => Just(Step::Write),
        1 => Just(Step::Fail),
        1 => Just(Step::GiveUp),
        1 => Just(Step::Vanish),
        1 => Just(Step::Clear),
        4 => (0..9_000_u64).prop_map(Step::Land),
        1 => Just(Step::Break),
        1 => (0..8_u128).prop_map(Step::Remove),
        1 => (0..8_u128, 0..2_000_usize).prop_map(|(key, length)| Step::Change(key, length)),
    ]
}

/// Odd keys are variants of the even ones before them.
fn primary(key: u128) -> u128 {
    key & !1
}

struct Leader {
    key: u128,
    id: FlightId,
    fetch: Arc<Fetch>,
    core: Arc<LockCore>,
}

fn meta(length: usize) -> Arc<Meta> {
    Arc::new(Meta { internal: Vec::new(), header: vec![0; length] })
}

fn check(state: &State) -> Result<(), TestCaseError> {
    prop_assert!(state.used() <= CAPACITY);
    let entries: Vec<&Entry> = state.entries().collect();
    prop_assert_eq!(entries.len(), state.len());
    prop_assert_eq!(entries.len(), state.slots.len());
    for entry in &entries {
        prop_assert!(state.get(entry.key).is_some_and(|found| found.key == entry.key));
        let same = entries.iter().filter(|other| other.primary == entry.primary).count();
        prop_assert_eq!(state.variants(entry.primary) as usize, same);
    }
    let waiting: u64 = state.flights.values().map(waiters_at).sum();
    prop_assert_eq!(state.stats.waiting, waiting);
    Ok(())
}

/// A state, and who has to do with it.
struct Run {
    state: State,
    arriving: Arc<Arriving>,
    leaders: VecDeque<Leader>,
    bodies: VecDeque<(u128, u64)>,
    now: Nanos,
}

impl Run {
    fn ask(&mut self, key: u128) -> Result<(), TestCaseError> {
        let (state, now) = (&mut self.state, self.now);
        if state.get(key).is_some() {
            prop_assert!(state.found(key, now.0.is_multiple_of(2000), now));
            return Ok(());
        }
        if let Some(write) = state.latest_write(key).map(|write| write.id) {
            state.joined(key, write, now);
            return Ok(());
        }
        let core = LockCore::new_arc(Span::from_secs(60), false, http::Extensions::new());
        let turn = state.lead_or_wait((key, primary(key)), core.clone(), now, 50);
        if let Turn::Lead(id, fetch) = turn {
            self.leaders.push_back(Leader { key, id, fetch, core });
        }
        Ok(())
    }

    fn lead(&mut self, step: &Step) {
        let (state, now) = (&mut self.state, self.now);
        let Some(Leader { key, id, fetch, core }) = self.leaders.pop_front() else { return };
        match step {
            Step::Write => {
                let body = Body::new(Share::new(&self.arriving));
                // Some do not say which fetch they are of.
                let fetch = (!key.is_multiple_of(3)).then(|| fetch.clone());
                let begun = Begun { key, primary: primary(key), meta: meta(10), body, fetch };
                self.bodies.push_back((key, state.begin_write(begun, now).0));
                state.answered(key, id, now);
            }
            Step::Fail => state.failed(key, id, now),
            Step::GiveUp => state.given_up(key, id),
            Step::Vanish
            | Step::Ask(_)
            | Step::Land(_)
            | Step::Break
            | Step::Remove(_)
            | Step::Clear
            | Step::Change(..) => {
                if key.is_multiple_of(2) {
                    core.unlock(LockStatus::Dangling);
                }
                drop(core);
                state.sweep(now);
            }
        }
    }

    fn land(&mut self, length: u64) -> Result<(), TestCaseError> {
        let (state, at) = (&mut self.state, self.now);
        let Some((key, write)) = self.bodies.pop_front() else { return Ok(()) };
        let (z, waits, last) = state.landed(key, write, at);
        prop_assert!(waits.delay >= z && waits.waiters >= 1);
        let meta = meta(10);
        let entry = Entry {
            key,
            primary: primary(key),
            meta: meta.clone(),
            created: UNIX_EPOCH + Span::from_nanos(at.0),
            stored: Stored::Disk { generation: write },
            length,
            z,
            waits,
            owed: (0, at),
        };
        let removed = state.write(key, write).is_some_and(|write| write.fetch.is_removed());
        let begins_anew = length.is_multiple_of(2);
        let (admitted, gone) = state.land(Landing { entry, begins_anew, write, last, at });
        prop_assert!(!(admitted && removed));
        let is_it = |entry: &Entry| Arc::ptr_eq(&entry.meta, &meta);
        prop_assert_eq!(admitted, state.get(key).is_some_and(is_it));
        prop_assert_eq!(admitted, !gone.iter().any(is_it));
        Ok(())
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        self.now = Nanos(self.now.0 + 1000);
        match *step {
            Step::Ask(key) => self.ask(key)?,
            Step::Write | Step::Fail | Step::GiveUp | Step::Vanish => self.lead(step),
            Step::Land(length) => self.land(length)?,
            Step::Break => {
                if let Some((key, write)) = self.bodies.pop_front() {
                    self.state.end_write(key, write, self.now);
                }
            }
            Step::Remove(key) => {
                self.state.purge(key, primary(key));
                let family = if key == primary(key) { [key, key + 1] } else { [key, key] };
                for key in family {
                    prop_assert!(self.state.get(key).is_none());
                    prop_assert!(self.state.latest_write(key).is_none());
                }
            }
            Step::Clear => {
                self.state.clear();
                prop_assert_eq!((self.state.len(), self.state.used()), (0, 0));
                prop_assert!(self.state.variants.is_empty());
            }
            Step::Change(key, length) => {
                let state = &mut self.state;
                let old = state.get(key).map(|entry| entry.meta.clone());
                prop_assert!(state.change(key, &meta(1), meta(length), self.now).is_none());
                let old = old.unwrap_or_else(|| meta(1));
                drop(state.change(key, &old, meta(length), self.now));
            }
        }
        check(&self.state)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn whatever_happens_the_tables_agree_and_nothing_stays_behind(
        steps in prop::collection::vec(step(), 0..120),
        policy in prop::sample::select(vec!["lru-mad", "lru", "lhd", "s3-fifo", "gdsf-mad"]),
    ) {
        let failed = |error: &dyn std::fmt::Display| TestCaseError::fail(error.to_string());
        let policy = policies().named(policy).map_err(|error| failed(&error))?.clone();
        let build = policy.build(&PolicyConfig::default()).map_err(|error| failed(&error))?;
        let config = SetConfig { index: 0, capacity: CAPACITY, order: OrderConfig::default() };
        let mut run = Run {
            state: State::new(CAPACITY, build(&config)),
            arriving: Arc::new(Arriving::new(u64::MAX)),
            leaders: VecDeque::new(),
            bodies: VecDeque::new(),
            now: Nanos(0),
        };
        for step in &steps {
            run.take(step)?;
        }
        // Half of the leaders end, half are gone without a word.
        let Run { mut state, leaders, bodies, now, .. } = run;
        for (number, leader) in leaders.into_iter().enumerate() {
            if number.is_multiple_of(2) {
                state.given_up(leader.key, leader.id);
            }
        }
        state.sweep(now);
        for (key, write) in bodies {
            state.end_write(key, write, now);
        }
        // Those who waited for a leader that failed never came back.
        state.sweep(Nanos(now.0 + 2 * REMEMBERED.0));
        prop_assert_eq!(state.flights(), 0);
        prop_assert_eq!(state.stats.waiting, 0);
        prop_assert!(state.writes.is_empty());
    }
}
