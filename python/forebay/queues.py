"""Ranked queues: which waiting element is next, and which is last.

Every exact queue is a :class:`Queue` (``push``, ``pop``, ``peek``, ``replace``, ``len``), one that
can give up its largest rank too a :class:`DoubleEndedQueue`. A rank is a whole number below 2**64;
an item is any object. ``push_many`` and ``pop_many`` move numpy columns without the interpreter's
lock.

>>> import numpy as np
>>> from forebay.queues import BucketQueue
>>> queue = BucketQueue(ranks=1024, capacity=100)
>>> queue.push_many(np.array([30, 10, 20], dtype=np.uint64))
>>> ranks, items = queue.pop_many(2)
>>> ranks.tolist(), items.tolist()
([10, 20], [1, 2])
>>> queue.pop_max()
(30, 0)
"""

from ._forebay import (
    Aifo,
    ApproximateQueue,
    BmwTree,
    BucketQueue,
    CalendarQueue,
    CircularWindow,
    ClubHeap,
    ClubLevel,
    DoubleEndedPartitionedQueue,
    DoubleEndedQueue,
    DropTailQueue,
    ExactQueue,
    Handle,
    HandleQueue,
    IndexedBuckets,
    IndexedExact,
    IndexedQueue,
    IntervalClubHeap,
    LatencyFree,
    PartitionedBuckets,
    PartitionedClubHeap,
    PartitionedPipelinedHeap,
    PartitionedQueue,
    PartitionedShiftRegister,
    PHeap,
    Pieo,
    PieoQueue,
    Pipelined,
    PipelinedHeap,
    ProgrammableCalendar,
    PushOut,
    Queue,
    ReferenceQueue,
    RefuseWhenFull,
    RollingWindow,
    SampleQueue,
    ShiftRegister,
    SpPifo,
    ThemisCore,
    TieredBuckets,
    TieredExact,
    TieredQueue,
    TieredReference,
)

__all__ = [
    "Aifo",
    "ApproximateQueue",
    "BmwTree",
    "BucketQueue",
    "CalendarQueue",
    "CircularWindow",
    "ClubHeap",
    "ClubLevel",
    "DoubleEndedPartitionedQueue",
    "DoubleEndedQueue",
    "DropTailQueue",
    "ExactQueue",
    "Handle",
    "HandleQueue",
    "IndexedBuckets",
    "IndexedExact",
    "IndexedQueue",
    "IntervalClubHeap",
    "LatencyFree",
    "PHeap",
    "PartitionedBuckets",
    "PartitionedClubHeap",
    "PartitionedPipelinedHeap",
    "PartitionedQueue",
    "PartitionedShiftRegister",
    "Pieo",
    "PieoQueue",
    "Pipelined",
    "PipelinedHeap",
    "ProgrammableCalendar",
    "PushOut",
    "Queue",
    "ReferenceQueue",
    "RefuseWhenFull",
    "RollingWindow",
    "SampleQueue",
    "ShiftRegister",
    "SpPifo",
    "ThemisCore",
    "TieredBuckets",
    "TieredExact",
    "TieredQueue",
    "TieredReference",
]
