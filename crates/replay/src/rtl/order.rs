//! The golden models of the core's schedulers: an element for each queue that holds packets.

use forebay_pifo::{PartitionedBuckets, PartitionedClubHeap, PartitionedQueue};
use forebay_sched::fair::gearbox::{GearboxCore, GearboxCoreConfig, GearboxDescriptor};
use forebay_surge::RatioQuantizer;

use super::config::{CoreConfig, CoreScheduler};

/// What is kept with a packet for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    bytes: u32,
    /// Its rank, or its time at its queue's share.
    number: u64,
}

/// What orders the queues of each port.
pub(super) struct Order {
    keys: Keys,
    queues: Queues,
}

enum Keys {
    /// The field is the rank.
    Field,
    /// The rank of a job size per packet size.
    Ratio(RatioQuantizer),
    /// The time of a packet under a weight of so many binary places, at most half of what Gearbox
    /// reaches.
    Time { fraction: u32, most: u64 },
}

enum Queues {
    Buckets(Box<PartitionedBuckets<u16, 64>>),
    Heap(Box<PartitionedClubHeap<u64, u16>>),
    Fair(Vec<GearboxCore>),
}

impl Order {
    /// An empty one for so many ports and queues of each; `config` has been checked.
    pub(super) fn new(config: &CoreConfig, ports: u16, classes: u16) -> Result<Self, String> {
        let partitions = usize::from(ports).next_power_of_two().max(2);
        let capacity = usize::from(ports) * usize::from(classes);
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let bits = config.levels * config.width.ilog2();
        let queues = match config.scheduler {
            CoreScheduler::Bbq | CoreScheduler::Wsjf => {
                let queue = PartitionedBuckets::new(partitions, 1 << bits, capacity);
                Queues::Buckets(Box::new(queue.map_err(|error| said(&error))?))
            }
            CoreScheduler::ClubHeap => {
                let heap = PartitionedClubHeap::new(2, capacity.max(2), partitions);
                Queues::Heap(Box::new(heap.map_err(|error| said(&error))?))
            }
            CoreScheduler::Gearbox => {
                let flows_log2 = u32::from(classes).ilog2().max(1);
                let config = GearboxCoreConfig {
                    levels: config.levels,
                    fifos_log2: config.width.ilog2(),
                    places_log2: flows_log2,
                    flows_log2,
                    step_down: false,
                };
                let boxes = (0..ports).map(|_| GearboxCore::new(&config));
                let boxes = boxes.collect::<Result<_, _>>().map_err(|error| said(&error))?;
                Queues::Fair(boxes)
            }
        };
        let keys = match config.scheduler {
            CoreScheduler::Bbq | CoreScheduler::ClubHeap => Keys::Field,
            CoreScheduler::Wsjf => {
                Keys::Ratio(RatioQuantizer::new(config.rank_bits, config.fraction))
            }
            CoreScheduler::Gearbox => {
                Keys::Time { fraction: config.fraction, most: 1 << (bits - 1) }
            }
        };
        Ok(Order { keys, queues })
    }

    /// What is kept with a packet of this field and so many bytes.
    pub(super) fn key(&self, field: u32, bytes: u32) -> Key {
        let number = match self.keys {
            Keys::Field => field.into(),
            Keys::Ratio(quantizer) => quantizer.bucket(field.into(), bytes.into()),
            Keys::Time { fraction, most } => {
                let product = u64::from(field) * u64::from(bytes);
                product.div_ceil(1 << fraction).min(most)
            }
        };
        Key { bytes, number }
    }

    /// A queue has an element; false if there is no place for it, which must not be.
    pub(super) fn push(&mut self, port: u16, class: u16, key: Key) -> bool {
        let partition = usize::from(port);
        match &mut self.queues {
            Queues::Buckets(queue) => queue.push_in(partition, key.number, class).is_ok(),
            Queues::Heap(heap) => heap.push_in(partition, key.number, class).is_ok(),
            Queues::Fair(boxes) => {
                let descriptor = GearboxDescriptor {
                    pointer: 0,
                    length: key.bytes as u16,
                    time: key.number as u32,
                    flow: class,
                };
                boxes.get_mut(partition).is_some_and(|fair| fair.enqueue(descriptor).is_ok())
            }
        }
    }

    /// The queue of the port whose turn it is; `None` if none has an element.
    pub(super) fn pop(&mut self, port: u16) -> Option<u16> {
        let partition = usize::from(port);
        match &mut self.queues {
            Queues::Buckets(queue) => queue.pop_min_in(partition).map(|(_, class)| class),
            Queues::Heap(heap) => heap.pop_min_in(partition).map(|(_, class)| class),
            Queues::Fair(boxes) => {
                boxes.get_mut(partition)?.dequeue().map(|(descriptor, _)| descriptor.flow)
            }
        }
    }
}
