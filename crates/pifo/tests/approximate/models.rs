//! Each structure against a naive model of its paper's rule, element by element.

use std::collections::VecDeque;

use forebay_pifo::approximate::{
    Advance, Aifo, AifoConfig, ApproximateQueue, CalendarQueue, DropTailQueue,
    ProgrammableCalendar, PushOut, SpPifo,
};
use forebay_pifo::{BucketQueue, ExactQueue, Reason};
use proptest::prelude::*;

/// Arrivals (a rank) and pops. Ranks wander upwards, with stragglers and extremes.
fn ops() -> impl Strategy<Value = Vec<Option<u64>>> {
    let rank = prop_oneof![8 => 0u64..60, 1 => 50u64..400, 1 => any::<u64>(), 1 => Just(u64::MAX)];
    prop::collection::vec(prop::option::weighted(0.6, rank), 1..200)
}

/// What a queue let in and let out: for an arrival whether it was taken, for a pop what it gave.
fn play<Q: ApproximateQueue<Item = usize>>(
    mut queue: Q,
    ops: &[Option<u64>],
) -> Vec<(bool, Option<(u64, usize)>)> {
    ops.iter()
        .enumerate()
        .map(|(number, op)| match *op {
            Some(rank) => match queue.push(rank, number) {
                Ok(out) => (true, out),
                Err(_) => (false, None),
            },
            None => (true, queue.pop()),
        })
        .collect()
}

/// SP-PIFO as its rules read: the last queue first, one bound after the other.
struct NaiveSpPifo {
    queues: Vec<(u64, VecDeque<(u64, usize)>)>,
    places: usize,
}

impl ApproximateQueue for NaiveSpPifo {
    type Item = usize;

    fn push(&mut self, rank: u64, item: usize) -> forebay_pifo::approximate::Pushed<usize> {
        let mut chosen = None;
        for number in (0..self.queues.len()).rev() {
            if rank >= self.queues[number].0 {
                self.queues[number].0 = rank;
                chosen = Some(number);
                break;
            }
        }
        let number = chosen.unwrap_or_else(|| {
            let cost = self.queues[0].0 - rank;
            self.queues.iter_mut().for_each(|(bound, _)| *bound -= cost);
            0
        });
        let queue = &mut self.queues[number].1;
        if queue.len() == self.places {
            let reason = Reason::Full { capacity: self.places };
            return Err(forebay_pifo::Rejected { rank, item, reason });
        }
        queue.push_back((rank, item));
        Ok(None)
    }

    fn pop(&mut self) -> Option<(u64, usize)> {
        self.queues.iter_mut().find_map(|(_, queue)| queue.pop_front())
    }

    fn len(&self) -> usize {
        self.queues.iter().map(|(_, queue)| queue.len()).sum()
    }

    fn capacity(&self) -> usize {
        self.queues.len() * self.places
    }
}

/// AIFO with the window counted afresh and the condition with its divisions, over hundredths.
struct NaiveAifo {
    queue: VecDeque<(u64, usize)>,
    seen: Vec<u64>,
    places: usize,
    window: usize,
    hundredths: usize,
}

impl ApproximateQueue for NaiveAifo {
    type Item = usize;

    fn push(&mut self, rank: u64, item: usize) -> forebay_pifo::approximate::Pushed<usize> {
        self.seen.push(rank);
        let recent = &self.seen[self.seen.len().saturating_sub(self.window)..];
        let smaller = recent.iter().filter(|&&other| other < rank).count();
        let free = self.places - self.queue.len();
        // smaller / window <= 1 / (1 - k) * free / places
        let admitted = smaller * self.places * (100 - self.hundredths) <= 100 * free * recent.len();
        if admitted && free > 0 {
            self.queue.push_back((rank, item));
            return Ok(None);
        }
        let reason = Reason::Full { capacity: self.places };
        Err(forebay_pifo::Rejected { rank, item, reason })
    }

    fn pop(&mut self) -> Option<(u64, usize)> {
        self.queue.pop_front()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.places
    }
}

/// A calendar as one list, each element with its round.
struct NaiveCalendar {
    list: Vec<(u64, u64, usize)>,
    round: u64,
    queues: u64,
    granularity: u64,
    places: usize,
}

impl ApproximateQueue for NaiveCalendar {
    type Item = usize;

    fn push(&mut self, rank: u64, item: usize) -> forebay_pifo::approximate::Pushed<usize> {
        let round = (rank / self.granularity).max(self.round);
        let reason = if self.list.len() == self.places {
            Reason::Full { capacity: self.places }
        } else if round - self.round >= self.queues && !self.list.is_empty() {
            Reason::BeyondHorizon { last: (self.round + self.queues) * self.granularity - 1 }
        } else {
            self.round = self.round.max(round.saturating_sub(self.queues - 1));
            self.list.push((round, rank, item));
            return Ok(None);
        };
        Err(forebay_pifo::Rejected { rank, item, reason })
    }

    fn pop(&mut self) -> Option<(u64, usize)> {
        self.round = self.list.iter().map(|&(round, ..)| round).min()?;
        let at = self.list.iter().position(|&(round, ..)| round == self.round)?;
        let (_, rank, item) = self.list.remove(at);
        Some((rank, item))
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn capacity(&self) -> usize {
        self.places
    }
}

proptest! {
    #[test]
    fn sp_pifo_is_its_rules(queues in 1usize..6, places in 1usize..6, ops in ops()) {
        let naive = NaiveSpPifo { queues: vec![(0, VecDeque::new()); queues], places };
        let queue = SpPifo::new(queues, places).unwrap();
        prop_assert_eq!(play(queue, &ops), play(naive, &ops));
    }

    #[test]
    fn sp_pifo_keeps_its_bounds_in_order(queues in 1usize..6, ops in ops()) {
        let mut queue = SpPifo::new(queues, 3).unwrap();
        for rank in ops.iter().flatten() {
            let _ = queue.push(*rank, ());
            prop_assert!(queue.bounds().is_sorted());
            prop_assert!(queue.bounds().contains(rank), "the rank seen last is a bound");
            prop_assert!((0..queues).all(|number| queue.len_in(number) <= 3));
            prop_assert_eq!((0..=queues).map(|number| queue.len_in(number)).sum::<usize>(), queue.len());
        }
    }

    #[test]
    fn one_strict_priority_is_drop_tail(places in 1usize..9, ops in ops()) {
        let one = SpPifo::new(1, places).unwrap();
        prop_assert_eq!(play(one, &ops), play(DropTailQueue::new(places).unwrap(), &ops));
    }

    #[test]
    fn aifo_is_its_condition(
        places in 1usize..12, window in 1usize..9, quarters in 0usize..4, ops in ops(),
    ) {
        let hundredths = 25 * quarters;
        let naive = NaiveAifo { queue: VecDeque::new(), seen: Vec::new(), places, window, hundredths };
        let config = AifoConfig { window, burst: 0.25 * quarters as f64, sample_every: 1 };
        prop_assert_eq!(play(Aifo::new(places, config).unwrap(), &ops), play(naive, &ops));
    }

    #[test]
    fn a_calendar_is_its_rounds(
        queues in 1usize..6, granularity in 1u64..12, places in 1usize..20, ops in ops(),
    ) {
        let round = 0;
        // The extremes would overflow the naive horizon.
        let ops: Vec<_> = ops.iter().map(|op| op.map(|rank| rank % (1 << 40))).collect();
        let naive = NaiveCalendar { list: Vec::new(), round, queues: queues as u64, granularity, places };
        let calendar = CalendarQueue::new(queues, granularity, places).unwrap();
        prop_assert_eq!(play(calendar, &ops), play(naive, &ops));
    }

    #[test]
    fn a_calendar_that_turns_when_empty_is_afq(
        queues in 2usize..6, granularity in 1u64..12, places in 1usize..20, ops in ops(),
    ) {
        let advance = Advance::WhenEmpty;
        let pcq = ProgrammableCalendar::new(queues, granularity, places, advance).unwrap();
        let afq = CalendarQueue::new(queues, granularity, places).unwrap();
        prop_assert_eq!(play(pcq, &ops), play(afq, &ops));
    }

    #[test]
    fn push_out_keeps_the_smallest(places in 1usize..9, ranks in prop::collection::vec(0u64..30, 1..60)) {
        let mut queue = PushOut::new(ExactQueue::new(usize::MAX), places);
        for (number, &rank) in ranks.iter().enumerate() {
            let _ = queue.push(rank, number);
        }
        let mut kept: Vec<(u64, usize)> =
            ranks.iter().enumerate().map(|(number, &rank)| (rank, number)).collect();
        kept.sort_unstable(); // by rank, then by arrival
        kept.truncate(places);
        let served: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        prop_assert_eq!(served, kept);
    }
}

#[test]
fn aifo_samples() {
    let config = AifoConfig { window: 4, burst: 0.0, sample_every: 2 };
    let mut queue = Aifo::new(3, config).unwrap();
    assert_eq!(queue.push(10, 0), Ok(None)); // sampled: 10
    assert_eq!(queue.push(5, 1), Ok(None)); // not sampled: smaller than all
    let refused = queue.push(20, 2).unwrap_err(); // sampled: 10, 20; a third is free
    assert!(refused.to_string().contains("1 of the last 2"), "{refused}");
}

#[test]
fn push_out_asks_no_more_of_its_queue_than_it_has() {
    let mut queue = PushOut::new(BucketQueue::<u32>::new(10, 3).unwrap(), 5);
    assert_eq!(queue.capacity(), 2);
    let refused = queue.push(10, 0).unwrap_err();
    assert_eq!(refused.reason, Reason::RankTooLarge { max_rank: 9 });
    assert_eq!((queue.push(4, 1), queue.push(3, 2)), (Ok(None), Ok(None)));
    assert_eq!(queue.push(4, 3).unwrap_err().reason, Reason::Full { capacity: 2 });
    assert_eq!(queue.push(0, 4), Ok(Some((4, 1))));
}
