//! A rank function as a scheduler: over an exact queue, or over buckets of ranks.
//!
//! Complexity and memory: those of the queue and the function.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use forebay_parameters::{Choice, Configure, Entry, Kind, ParameterError, Setting, Value};
use forebay_pifo::{BucketQueue, ExactQueue};
use forebay_units::{Time, printable};

use super::PacketScheduler;
use super::choice::{BUCKET_RANKS, SchedulerShape};
use crate::fair::Limits;
use crate::functions::{RankFunction, RankShape};
use crate::rank_queue::{RankQueue, Ranked, TailDrop};
use crate::{Quantizer, Rank};

/// A scheduler that serves the smallest rank of this function, exactly or by buckets: with a
/// caller's own, its own scheduler. It has the parameters of the function, and limits.
#[must_use]
pub fn by_rank(rank: Choice<dyn RankFunction>) -> Choice<dyn PacketScheduler> {
    let (name, about) = (rank.name().to_owned(), rank.about().to_owned());
    let label = rank.label().to_owned();
    let (limits, quantizer, bucket_ranks) = (Limits::default(), None, 1 << 16);
    let config = ByRank { rank, limits, quantizer, bucket_ranks };
    Choice::new(name, about, config, ByRank::build).labelled(label)
}

#[derive(Clone, Configure)]
struct ByRank {
    #[parameter(part)]
    limits: Limits,
    #[parameter(part)]
    rank: Choice<dyn RankFunction>,
    /// Order of ranks: exact, or by buckets: identity, linear N (ranks in one), log-linear N (bits
    /// kept).
    #[parameter(assumed = "the order that the function means", kind = Kind::Text, with = Order)]
    #[parameter(only = !delays(&self.rank))]
    quantizer: Option<Quantizer>,
    #[parameter(declared = BUCKET_RANKS, when = self.quantizer.is_some())]
    bucket_ranks: u32,
}

/// Whether a function says when a packet may leave, and not only in which order; one that cannot be
/// built may not.
fn delays(rank: &Choice<dyn RankFunction>) -> bool {
    let built = rank.build(&RankShape::default());
    built.is_ok_and(|function| function.may_leave_at(Rank::new(u64::MAX)) > Time::ZERO)
}

impl ByRank {
    fn build(&self, shape: &SchedulerShape) -> Result<Box<dyn PacketScheduler>, ParameterError> {
        let limits = self.limits.within(shape.buffer)?;
        let ranks = RankShape { rate: shape.link_rate, pairs: shape.pairs };
        let (function, places) = (self.rank.build(&ranks)?, limits.packets as usize);
        let Some(quantizer) = self.quantizer else {
            let queue = RankQueue::new(function, ExactQueue::new(places));
            return Ok(Box::new(queue.with_byte_limit(limits.bytes)));
        };
        // A packet that may leave would wait behind one of its bucket that may not.
        if function.may_leave_at(Rank::new(u64::MAX)) > Time::ZERO {
            return Err(ByRank::QUANTIZER.refuse(format_args!(
                "\"{}\" delays packets, which buckets cannot; give none",
                self.rank.name()
            )));
        }
        let buckets: BucketQueue<Ranked> = BucketQueue::new(self.bucket_ranks as usize, places)
            .map_err(|error| BUCKET_RANKS.refuse(error))?;
        let queue = RankQueue::with_overflow(function, buckets, quantizer, TailDrop);
        Ok(Box::new(queue.with_byte_limit(limits.bytes)))
    }
}

/// How ranks are ordered: `exact`, or by buckets `identity`, `linear 100` or `log-linear 8`.
struct Order<'a>(&'a mut Option<Quantizer>);

impl Setting for Order<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let text = format!("{value}");
        let mut words = text.split_whitespace();
        let (kind, number) = (words.next().unwrap_or_default(), words.next());
        let number: Option<Option<u32>> = number.map(|number| number.parse().ok());
        *self.0 = match (kind, number, words.next()) {
            ("exact", None, None) => None,
            ("identity", None, None) => Some(Quantizer::Identity),
            ("linear", Some(Some(step)), None) if step > 0 => {
                Some(Quantizer::Linear { step: step.into() })
            }
            ("log-linear", Some(Some(bits)), None) if bits <= 31 => {
                Some(Quantizer::log_linear(bits))
            }
            _ => {
                return Err(format!(
                    "\"{}\" is not an order of ranks: give exact, identity, linear N (N ranks \
                     share a bucket, as linear 100), or log-linear N (N bits are kept, at most 31, \
                     as log-linear 8)",
                    printable(&text)
                ));
            }
        };
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Text(match *self.0 {
            None => "exact".to_owned(),
            Some(Quantizer::Identity) => "identity".to_owned(),
            Some(Quantizer::Linear { step }) => format!("linear {step}"),
            Some(Quantizer::LogLinear { bits }) => format!("log-linear {bits}"),
        })
    }
}
