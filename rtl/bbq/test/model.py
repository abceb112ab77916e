"""The queue as the hardware promises it: the golden model, and when slots come back.

Ranks, emptiness and partitions are those of `forebay.queues.PartitionedBuckets`, the Rust queue. Within a rank that
queue serves the earliest at the lower end and the latest at the upper; the hardware the earliest at both, so items
wait in one more queue per rank here.
"""

from collections import defaultdict, deque

from forebay.queues import PartitionedBuckets

ENQUEUE, MIN, MAX = 0, 2, 3
DONE, FULL, EMPTY = 0, 1, 2


class Model:
    """What the hardware answers to each operation, in order of acceptance."""

    def __init__(self, slots, partitions, ranks, width, latency):
        self.queue = PartitionedBuckets(partitions, partitions * ranks, slots, width=width)
        self.items = defaultdict(deque)
        self.free = slots
        self.returning = deque()
        self.latency = latency

    def apply(self, cycle, op, partition, rank, data):
        """The answer `(dequeue, status, partition, rank, data)` to what is accepted in `cycle`."""
        while self.returning and self.returning[0] <= cycle:
            self.returning.popleft()
            self.free += 1
        if op == ENQUEUE:
            if self.free == 0:
                return (0, FULL, partition, None, None)
            self.free -= 1
            self.queue.push(partition, rank)
            self.items[partition, rank].append(data)
            return (0, DONE, partition, rank, None)
        found = self.queue.pop_max(partition) if op == MAX else self.queue.pop(partition)
        if found is None:
            return (1, EMPTY, partition, None, None)
        self.returning.append(cycle + self.latency + 2)
        return (1, DONE, partition, found[0], self.items[partition, found[0]].popleft())
