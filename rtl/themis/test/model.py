"""The queue as the hardware promises it: the golden model, and when slots come back.

`forebay.queues.ThemisCore`, the Rust type, holds the data itself, so which element of a rank leaves or moves is its
decision. An element's slot is learnt from the answer to its enqueue, and must be the same ever after.
"""

from collections import deque

from forebay.queues import ThemisCore

ENQUEUE, NEAR, FAR, NOTHING, DEQUEUE, DROP, OUT, IN = range(8)
DONE, FULL, EMPTY, AHEAD = range(4)
TIERS = {ENQUEUE: None, NEAR: "sram", FAR: "hbm"}


class Model:
    """What the hardware answers to each operation, in order of acceptance."""

    def __init__(self, shape):
        self.queue = ThemisCore(levels=shape["levels"], width=shape["width"])
        self.free = shape["slots"]
        self.returning = deque()
        self.latency = shape["latency"]

    def apply(self, cycle, op, rank, number):
        """The answer `(take, swap, status, far, rank, number)` to what is accepted in `cycle`; None is anything."""
        while self.returning and self.returning[0] <= cycle:
            self.returning.popleft()
            self.free += 1
        if op == NOTHING or (op in TIERS and self.free == 0):
            return (0, 0, FULL, None, None, None)
        if op in TIERS:
            self.free -= 1
            tier, ahead = self.queue.enqueue(rank, number, TIERS[op])
            return (0, 0, AHEAD if ahead else DONE, int(tier == "hbm"), rank, number)
        if op == DEQUEUE:
            found = self.queue.dequeue()
            far = found is not None and found[2] == "hbm"
        else:
            found = {DROP: self.queue.drop_largest, OUT: self.queue.swap_out, IN: self.queue.swap_in}[op]()
            far = op == IN
        swap = int(op in (OUT, IN))
        if found is None:
            return (1, swap, EMPTY, None, None, None)
        if not swap:
            self.returning.append(cycle + self.latency + 2)
        return (1, swap, DONE, int(far), *found[:2])
