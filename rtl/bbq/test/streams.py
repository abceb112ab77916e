"""Streams of operations: phases, each a generator of `(op, partition, rank)` or None for an idle cycle.

Random phases differ in how full they keep the queue and in how close their ranks lie; directed ones go for one
hazard each (thesis §4.3.2).
"""

from model import ENQUEUE, MAX, MIN, NOTHING


def random_phase(rng, shape, operations, filling, spread, idle, ends):
    """`filling` is the share of enqueues, `spread` the number of ranks, `idle` the share of idle cycles."""
    ranks = shape["ranks"]
    spread = min(spread, ranks)
    low = rng.randrange(ranks - spread + 1)
    partitions = range(shape["partitions"])
    if rng.random() < 0.5:
        partitions = rng.sample(partitions, min(2, len(partitions)))
    for _ in range(operations):
        while rng.random() < idle:
            yield None
        partition = rng.choice(partitions)
        if rng.random() < 0.03:
            yield NOTHING, partition, rng.randrange(ranks)
        if rng.random() < filling:
            yield ENQUEUE, partition, low + rng.randrange(spread)
        else:
            yield rng.choice(ends), partition, 0


def fill_and_drain(rng, shape, ends):
    """Beyond full without a pause, then beyond empty without a pause."""
    partition = rng.randrange(shape["partitions"])
    for _ in range(shape["slots"] + 5):
        yield ENQUEUE, partition, rng.randrange(shape["ranks"])
    for _ in range(shape["slots"] + 5):
        yield rng.choice(ends), partition, 0


def bursts(rng, shape, rounds):
    """A few elements in one or two neighbouring buckets, then as many dequeues or more at once, at any distance."""
    for _ in range(rounds):
        partition = rng.randrange(shape["partitions"])
        step = rng.choice([1, shape["width"], shape["width"] ** 2])
        low = rng.randrange(shape["ranks"])
        operations = []
        for _ in range(rng.randint(1, 6)):
            operations.append((ENQUEUE, partition, (low + step * rng.randrange(2)) % shape["ranks"]))
        for _ in range(rng.randint(1, 7)):
            operations.append((rng.choice([MIN, MAX]), partition, 0))
        if rng.random() < 0.5:
            rng.shuffle(operations)
        gap = rng.choice([0, 0, 0, 1, 2])
        for operation in operations:
            yield operation
            for _ in range(rng.randint(0, gap)):
                yield None
        if rng.random() < 0.3:
            for _ in range(14):
                yield MIN, partition, 0


def ping_pong(rng, shape, rounds):
    """Enqueue and dequeue in turn on one bucket at every small distance."""
    for _ in range(rounds):
        partition, rank = rng.randrange(shape["partitions"]), rng.randrange(shape["ranks"])
        distance = rng.randint(0, 5)
        end = rng.choice([MIN, MAX])
        for _ in range(8):
            yield ENQUEUE, partition, rank
            for _ in range(distance):
                yield rng.choice([None, (ENQUEUE, partition, rng.randrange(shape["ranks"]))])
            yield end, partition, 0


def stream(rng, shape, operations):
    """Phases of all kinds until `operations` have been issued; the first fills the queue, if most are not spent on it."""
    issued = 0
    if 4 * shape["slots"] <= operations:
        for operation in fill_and_drain(rng, shape, [MIN, MAX]):
            issued += 1
            yield operation
    while issued < operations:
        ends = rng.choice([[MIN], [MAX], [MIN, MAX]])
        kind = rng.randrange(10)
        if kind < 5:
            phase = random_phase(rng, shape, 400, rng.choice([0.2, 0.45, 0.5, 0.55, 0.8]),
                                 rng.choice([1, 2, 3, shape["width"], 4 * shape["width"], shape["ranks"]]),
                                 rng.choice([0, 0, 0.3, 0.8]), ends)
        elif kind < 6 and shape["slots"] <= operations // 20:
            phase = fill_and_drain(rng, shape, ends)
        elif kind < 9:
            phase = bursts(rng, shape, 40)
        else:
            phase = ping_pong(rng, shape, 12)
        for operation in phase:
            issued += operation is not None
            yield operation
