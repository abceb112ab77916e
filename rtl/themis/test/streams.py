"""Streams of operations: phases, each a generator of `(op, rank)` or None for an idle cycle.

Random phases differ in how full they keep the queue, in how close its ranks lie and in what moves; directed ones go for
one hazard each.
"""

from model import DEQUEUE, DROP, ENQUEUE, FAR, IN, NEAR, NOTHING, OUT

TAKING = [DEQUEUE, DROP, OUT, IN]


def random_phase(rng, shape, operations, filling, spread, idle):
    """`filling` is the share of enqueues, `spread` the number of ranks, `idle` the share of idle cycles."""
    ranks = shape["ranks"]
    spread = min(spread, ranks)
    low = rng.randrange(ranks - spread + 1)
    adding = rng.choice([[ENQUEUE], [ENQUEUE], [NEAR, FAR], [ENQUEUE, NEAR, FAR], [FAR]])
    # Swaps leave the number as it is, so they are dealt apart.
    leaving = rng.choice([[DEQUEUE], [DEQUEUE], [DROP], [DEQUEUE, DROP]])
    swaps, swapping = rng.choice([0, 0.2, 0.5, 0.8]), rng.choice([[OUT], [IN], [OUT, IN]])
    for _ in range(operations):
        while rng.random() < idle:
            yield None
        if rng.random() < 0.03:
            yield NOTHING, rng.randrange(ranks)
        if rng.random() < swaps:
            yield rng.choice(swapping), rng.randrange(ranks)
        elif rng.random() < filling:
            yield rng.choice(adding), low + rng.randrange(spread)
        else:
            yield rng.choice(leaving), rng.randrange(ranks)


def fill_and_drain(rng, shape):
    """Beyond full without a pause, everything to the other tier and back, then beyond empty."""
    add = rng.choice([ENQUEUE, NEAR, FAR])
    for _ in range(shape["slots"] + 5):
        yield add, rng.randrange(shape["ranks"])
    for swap in rng.choice([[], [OUT], [IN], [IN, OUT], [OUT, IN]]):
        for _ in range(shape["slots"] + 5):
            yield swap, 0
    leave = rng.choice([DEQUEUE, DEQUEUE, DROP])
    for _ in range(shape["slots"] + 5):
        yield leave, 0
    if leave == DROP:
        for _ in range(shape["slots"] + 5):
            yield DEQUEUE, 0


def bursts(rng, shape, rounds):
    """A few elements in one or two neighbouring buckets, then as many operations or more at once, at any distance."""
    for _ in range(rounds):
        step = rng.choice([1, shape["width"], shape["ranks"] // shape["width"]])
        low = rng.randrange(shape["ranks"])
        operations = []
        for _ in range(rng.randint(1, 6)):
            operations.append((rng.choice([ENQUEUE, NEAR, FAR]), (low + step * rng.randrange(2)) % shape["ranks"]))
        among = rng.sample(TAKING, rng.randint(1, 4))
        for _ in range(rng.randint(1, 9)):
            operations.append((rng.choice(among), 0))
        if rng.random() < 0.5:
            rng.shuffle(operations)
        gap = rng.choice([0, 0, 0, 1, 2])
        for operation in operations:
            yield operation
            for _ in range(rng.randint(0, gap)):
                yield None
        if rng.random() < 0.3:
            for _ in range(14):
                yield DEQUEUE, 0


def ping_pong(rng, shape, rounds):
    """Two operations in turn about one bucket, at every small distance: out and in, add and take, add and swap."""
    for _ in range(rounds):
        rank = rng.randrange(shape["ranks"])
        first, second = rng.choice([(OUT, IN), (NEAR, DEQUEUE), (NEAR, DROP), (NEAR, OUT), (FAR, IN), (FAR, DEQUEUE),
                                    (ENQUEUE, OUT), (ENQUEUE, IN)])
        for _ in range(rng.randint(0, 4)):
            yield rng.choice([NEAR, FAR]), rank
        distance = rng.randint(0, 5)
        for _ in range(8):
            yield first, rank
            for _ in range(distance):
                yield rng.choice([None, (ENQUEUE, rng.randrange(shape["ranks"])), (rng.choice(TAKING), 0)])
            yield second, rank


def stream(rng, shape, operations):
    """Phases of all kinds until `operations` have been issued; the first fills the queue, if most are not spent on it."""
    issued = 0
    if 8 * shape["slots"] <= operations:
        for operation in fill_and_drain(rng, shape):
            issued += 1
            yield operation
    while issued < operations:
        kind = rng.randrange(10)
        if kind < 5:
            phase = random_phase(rng, shape, 400, rng.choice([0.2, 0.45, 0.5, 0.55, 0.8]),
                                 rng.choice([1, 2, 3, shape["width"], 4 * shape["width"], shape["ranks"]]),
                                 rng.choice([0, 0, 0.3, 0.8]))
        elif kind < 6 and shape["slots"] <= operations // 20:
            phase = fill_and_drain(rng, shape)
        elif kind < 9:
            phase = bursts(rng, shape, 40)
        else:
            phase = ping_pong(rng, shape, 12)
        for operation in phase:
            issued += operation is not None
            yield operation
