"""The queue as the hardware promises it: the golden model, and when slots come back.

`forebay.queues.PartitionedBuckets`, the Rust queue, holds the data itself, so which element of a rank leaves is its
decision: the earliest of the smallest rank, the latest of the largest.
"""

from collections import deque

from forebay.queues import PartitionedBuckets

ENQUEUE, NOTHING, MIN, MAX = 0, 1, 2, 3
DONE, FULL, EMPTY = 0, 1, 2


class Model:
    """What the hardware answers to each operation, in order of acceptance."""

    def __init__(self, slots, partitions, ranks, width, latency):
        self.queue = PartitionedBuckets(partitions, partitions * ranks, slots, width=width)
        self.free = slots
        self.returning = deque()
        self.latency = latency

    def apply(self, cycle, op, partition, rank, data):
        """The answer `(dequeue, status, partition, rank, data)` to what is accepted in `cycle`."""
        while self.returning and self.returning[0] <= cycle:
            self.returning.popleft()
            self.free += 1
        if op == NOTHING:
            return (0, FULL, partition, None, None)
        if op == ENQUEUE:
            if self.free == 0:
                return (0, FULL, partition, None, None)
            self.free -= 1
            self.queue.push(partition, rank, data)
            return (0, DONE, partition, rank, None)
        found = self.queue.pop_max(partition) if op == MAX else self.queue.pop(partition)
        if found is None:
            return (1, EMPTY, partition, None, None)
        self.returning.append(cycle + self.latency + 2)
        return (1, DONE, partition, *found)
