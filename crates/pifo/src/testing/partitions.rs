//! The suite for several logical queues over one memory.

use std::string::ToString;
use std::vec::Vec;

use crate::{PartitionedQueue, Reason};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::model::End;
use super::{LONG, Model, Op, Random, TestRank, ops};

/// A model per partition; they share the capacity.
struct Models<R>(Vec<Model<R>>);

impl<R: TestRank> Models<R> {
    fn new<Q: PartitionedQueue<Rank = R>>(queue: &Q) -> Self {
        Models(
            (0..queue.partitions()).map(|_| Model::new(queue.capacity(), queue.ties())).collect(),
        )
    }

    fn len(&self) -> usize {
        self.0.iter().map(Model::len).sum()
    }

    fn apply<Q>(&mut self, queue: &mut Q, partition: usize, op: Op<R>, item: u32)
    where
        Q: PartitionedQueue<Rank = R, Item = u32>,
    {
        let others = self.len() - self.0[partition].len();
        let model = &mut self.0[partition];
        match op {
            Op::Push(rank) => {
                model.pushed(rank, item, queue.push_in(partition, rank, item), others);
            }
            Op::PopMin | Op::PopMax => model.take(End::Min, queue.pop_min_in(partition)),
            Op::Replace(rank) => {
                let answer = queue.replace_in(partition, rank, item);
                model.take(End::Min, answer.popped);
                model.pushed(rank, item, answer.pushed, others);
            }
        }
        assert_eq!(queue.len_in(partition), model.len());
        let shown = queue.peek_min_in(partition).map(|(rank, &item)| (rank, item));
        model.assert_end(End::Min, shown);
        assert_eq!(queue.len(), self.len());
    }

    fn drain<Q: PartitionedQueue<Rank = R, Item = u32>>(&mut self, queue: &mut Q) {
        for (partition, model) in self.0.iter_mut().enumerate() {
            while model.len() > 0 {
                model.take(End::Min, queue.pop_min_in(partition));
            }
            assert_eq!(queue.pop_min_in(partition), None);
        }
        assert!(queue.is_empty());
    }
}

/// Short random sequences over interleaved partitions; `build` takes partitions and capacity.
pub fn conform_partitions<Q>(cases: u32, build: impl Fn(usize, usize) -> Q)
where
    Q: PartitionedQueue<Item = u32>,
    Q::Rank: TestRank,
{
    let strategy = (1usize..9, 1usize..80, ops::<Q::Rank>(), any::<u64>());
    let mut runner = TestRunner::new(Config { cases, ..Config::default() });
    let result = runner.run(&strategy, |(partitions, capacity, ops, seed)| {
        let mut queue = build(partitions, capacity);
        assert_eq!(queue.partitions(), partitions);
        let mut models = Models::new(&queue);
        let mut random = Random::new(seed);
        for (&op, item) in ops.iter().zip(0..) {
            let partition = random.below(partitions as u64) as usize;
            models.apply(&mut queue, partition, op, item);
        }
        let beyond = queue.push_in(partitions, ops_rank(&ops), 0).map_err(|refused| refused.reason);
        assert_eq!(beyond, Err(Reason::NoSuchPartition { partitions }));
        assert_eq!(queue.pop_min_in(partitions), None);
        assert_eq!(queue.len_in(partitions), 0);
        models.drain(&mut queue);
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.err().map(|e| e.to_string()).unwrap_or_default());
}

/// Any rank at all, for a push that must be refused whatever its rank.
fn ops_rank<R: TestRank>(ops: &[Op<R>]) -> R {
    let drawn = ops.iter().find_map(|op| match *op {
        Op::Push(rank) | Op::Replace(rank) => Some(rank),
        Op::PopMin | Op::PopMax => None,
    });
    drawn.unwrap_or_else(|| R::random(&mut Random::new(0)))
}

/// A million operations; the load moves between partitions, so that one may hold nearly all.
pub fn endure_partitions<Q>(mut queue: Q)
where
    Q: PartitionedQueue<Item = u32>,
    Q::Rank: TestRank,
{
    let mut random = Random::new(11);
    let mut models = Models::new(&queue);
    let partitions = queue.partitions() as u64;
    for item in 0..LONG {
        let favourite = u64::from(item / (LONG / 20)) % partitions;
        let partition = match random.below(4) {
            0 => random.below(partitions),
            _ => favourite,
        };
        let rank = Q::Rank::random(&mut random);
        let brim =
            models.len() < queue.capacity() * [100, 50, 2][(item / (LONG / 10) % 3) as usize] / 100;
        let op = match random.below(8) {
            0..=3 if brim => Op::Push(rank),
            0..=1 => Op::Push(rank),
            2..=4 => Op::Replace(rank),
            _ => Op::PopMin,
        };
        models.apply(&mut queue, partition as usize, op, item);
    }
    models.drain(&mut queue);
}
