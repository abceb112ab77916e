//! The conformance suite that every exact structure passes: a naive model, and four ways to compare
//! a queue with it. A structure's own test file calls them with its constructor; with the feature
//! `testing`, which needs `std`, that of a queue in another crate does, too. What a queue does
//! wrong is a panic.
//!
//! - [`conform`]: short random sequences, everything compared after every operation.
//! - [`endure`]: a million operations around the brim, half full and nearly empty.
//! - [`conform_partitions`], [`endure_partitions`]: the same over interleaved logical queues.
//! - [`drops_once`]: every item is dropped exactly once.

#![allow(clippy::expect_used, clippy::panic)] // a failed test is a panic

mod model;
mod partitions;
mod ranks;
mod subject;

use std::rc::Rc;
use std::string::ToString;
use std::vec::Vec;

use crate::RankedQueue;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use model::Model;
pub use partitions::{conform_partitions, endure_partitions};
pub use ranks::{Random, TestRank};
pub use subject::{Both, Smallest, Subject};

/// Operations of a long run.
pub const LONG: u32 = 1_000_000;

/// What is done to a queue.
#[derive(Clone, Copy, Debug)]
pub enum Op<R> {
    /// A push of an element of this rank.
    Push(R),
    /// A pop of the smallest.
    PopMin,
    /// Where the queue has two ends; else a pop of the smallest.
    PopMax,
    /// A pop of the smallest, and then a push.
    Replace(R),
}

fn ops<R: TestRank>() -> impl Strategy<Value = Vec<Op<R>>> {
    let op = prop_oneof![
        5 => R::strategy().prop_map(Op::Push),
        2 => Just(Op::PopMin),
        1 => Just(Op::PopMax),
        2 => R::strategy().prop_map(Op::Replace),
    ];
    prop::collection::vec(op, 1..200)
}

/// Compares queues of capacities 1, 2, 3 and more, built by `build`, with the model after every
/// operation of random sequences. A structure may round a capacity up.
pub fn conform<S: Subject>(cases: u32, build: impl Fn(usize) -> S)
where
    S::Rank: TestRank,
{
    let capacity = prop_oneof![1 => 1usize..4, 2 => 4usize..80];
    let mut runner = TestRunner::new(Config { cases, ..Config::default() });
    let result = runner.run(&(capacity, ops::<S::Rank>()), |(capacity, ops)| {
        let mut subject = build(capacity);
        assert!(subject.queue().capacity() >= capacity);
        let mut model = Model::new(subject.queue().capacity(), subject.queue().ties());
        for (&op, item) in ops.iter().zip(0..) {
            model.apply(&mut subject, op, item);
            model.compare_all(&subject);
        }
        model.drain(&mut subject);
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.err().map(|e| e.to_string()).unwrap_or_default());
}

/// A million operations in phases: fill to the brim, hold there, drain, hold nearly empty; only the
/// ends are compared after each, and everything now and then.
pub fn endure<S: Subject>(mut subject: S)
where
    S::Rank: TestRank,
{
    let mut random = Random::new(7);
    let mut model = Model::new(subject.queue().capacity(), subject.queue().ties());
    let everything = (LONG / 50).max(1);
    for item in 0..LONG {
        // Each phase pulls the fill level towards its own mark: brim, half, empty.
        let phase = item / (LONG / 10) % 3;
        let target = model.capacity() * [100, 50, 2][phase as usize] / 100;
        let rank = S::Rank::random(&mut random);
        let rising = model.len() <= target;
        let op = match random.below(8) {
            0..=3 if rising => Op::Push(rank),
            0..=1 => Op::Push(rank),
            2..=4 => Op::Replace(rank),
            5 => Op::PopMax,
            _ => Op::PopMin,
        };
        model.apply(&mut subject, op, item);
        if item % everything == 0 {
            model.compare_all(&subject);
        }
    }
    model.drain(&mut subject);
}

/// Plays pushes (some refused) and pops, keeping one count per item; then drops the queue with what
/// is left in it.
pub fn drops_once<Q>(build: impl Fn(usize) -> Q)
where
    Q: RankedQueue<Item = Rc<usize>>,
    Q::Rank: TestRank,
{
    let strategy = prop::collection::vec((0u8..6, Q::Rank::strategy()), 1..150);
    let mut runner = TestRunner::new(Config { cases: 64, ..Config::default() });
    let result = runner.run(&strategy, |ops| {
        let mut queue = build(20);
        let items: Vec<Rc<usize>> = (0..ops.len()).map(Rc::new).collect();
        for (&(op, rank), item) in ops.iter().zip(&items) {
            match op {
                0 => drop(queue.pop_min()),
                1 => {
                    let _ = queue.replace(rank, Rc::clone(item));
                }
                _ => drop(queue.push(rank, Rc::clone(item))),
            }
            let held: usize = items.iter().map(|item| Rc::strong_count(item) - 1).sum();
            assert_eq!(held, queue.len());
            assert!(items.iter().all(|item| Rc::strong_count(item) <= 2));
        }
        drop(queue);
        assert!(items.iter().all(|item| Rc::strong_count(item) == 1));
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.err().map(|e| e.to_string()).unwrap_or_default());
}
