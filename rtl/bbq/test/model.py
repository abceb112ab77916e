"""The queue as the hardware promises it: the golden model, and when slots come back.

The golden model is `forebay`'s queue of one partition, from the Rust crate; `Buckets` is a plain one in its place
where that package is not installed, and the second opinion on order within a rank, which the Rust queue serves
latest first at the upper end and the hardware earliest first at both.
"""

from bisect import insort
from collections import deque

ENQUEUE, MIN, MAX = 0, 2, 3
DONE, FULL, EMPTY = 0, 1, 2


class Buckets:
    """One partition: a first-in first-out queue for each rank."""

    def __init__(self):
        self.buckets = {}
        self.ranks = []

    def push(self, rank, item):
        if rank not in self.buckets:
            self.buckets[rank] = deque()
            insort(self.ranks, rank)
        self.buckets[rank].append(item)

    def pop(self, last):
        """The earliest of the smallest or of the largest rank, or None."""
        if not self.ranks:
            return None
        rank = self.ranks[-1 if last else 0]
        bucket = self.buckets[rank]
        item = bucket.popleft()
        if not bucket:
            del self.buckets[rank]
            self.ranks.pop(-1 if last else 0)
        return rank, item


class Model:
    """What the hardware answers to each operation, in order of acceptance."""

    def __init__(self, slots, partitions, latency):
        self.partitions = [Buckets() for _ in range(partitions)]
        self.free = slots
        self.returning = deque()
        self.latency = latency

    def apply(self, cycle, op, partition, rank, data):
        """The answer `(dequeue, status, partition, rank, data)` to what is accepted in `cycle`."""
        while self.returning and self.returning[0] <= cycle:
            self.returning.popleft()
            self.free += 1
        queue = self.partitions[partition]
        if op == ENQUEUE:
            if self.free == 0:
                return (0, FULL, partition, None, None)
            self.free -= 1
            queue.push(rank, data)
            return (0, DONE, partition, rank, None)
        found = queue.pop(op == MAX)
        if found is None:
            return (1, EMPTY, partition, None, None)
        self.returning.append(cycle + self.latency + 2)
        return (1, DONE, partition, *found)
