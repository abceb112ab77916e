"""Streams of operations: (push, pop, logical PIFO, rank), or None for an idle cycle.

Each phase aims at one hazard; a stream is phases in random order. The data of an element is its number in
the stream, so every element is told apart and ties show.
"""

from __future__ import annotations

import random
from itertools import chain

NOTHING, PUSH, POP, REPLACE = (0, 0), (1, 0), (0, 1), (1, 1)


class Streams:
    """Phases for a heap of `capacity` elements, `partitions` logical PIFOs and ranks below `ranks`.

    `parts` numbers of a logical PIFO fit on the port; those from `partitions` on do not exist.
    """

    def __init__(self, rng: random.Random, capacity: int, partitions: int, ranks: int, parts: int = 1):
        self.rng, self.parts = rng, parts
        self.capacity, self.partitions, self.ranks = capacity, partitions, ranks
        self.next_rank = 0

    def _rank_rule(self):
        """How ranks are drawn: uniform, few values, equal, rising, falling, extremes."""
        rng, top = self.rng, self.ranks - 1

        def rising():
            self.next_rank = (self.next_rank + 1) % self.ranks
            return self.next_rank

        few = rng.randrange(1, 5)
        return rng.choice([
            lambda: rng.randint(0, top),
            lambda: rng.randint(0, top),
            lambda: rng.randint(0, min(few, top)),
            lambda: top // 2,
            rising,
            lambda: top - rising(),
            lambda: rng.choice((0, top)),
        ])

    def _part_rule(self):
        """Which logical PIFO: any, always one, two in turn, few."""
        rng, count = self.rng, self.partitions
        one, other, turn = rng.randrange(count), rng.randrange(count), [0]

        def in_turn():
            turn[0] ^= 1
            return other if turn[0] else one

        few = min(count, 4)
        return rng.choice([lambda: rng.randrange(count), lambda: one, in_turn, lambda: rng.randrange(few)])

    def _mix(self, length, push, pop, replace, idle=0.0):
        rank, part = self._rank_rule(), self._part_rule()
        weights = (push, pop, replace)
        for _ in range(length):
            if idle and self.rng.random() < idle:
                yield None
            kind = self.rng.choices((PUSH, POP, REPLACE), weights)[0]
            if self.rng.random() < 0.03:
                yield (*NOTHING, part(), rank())
            if self.parts > self.partitions and self.rng.random() < 0.05:
                yield (*kind, self.rng.randrange(self.partitions, self.parts), rank())
            yield (*kind, part(), rank())

    def _cycle(self, length, kinds):
        """The same few operations over and over: push and pop in turn, pairs of each, and so on."""
        rank, part = self._rank_rule(), self._part_rule()
        for at in range(length):
            yield (*kinds[at % len(kinds)], part(), rank())

    def _overflow(self):
        """Beyond full in one logical PIFO, then all operations on all of them while the heap is full."""
        part = self.rng.randrange(self.partitions)
        for _ in range(self.capacity + 4):
            yield (*PUSH, part, self.rng.randrange(self.ranks))
        for _ in range(8):
            for other in range(self.partitions):
                yield (*REPLACE, other, self.rng.randrange(self.ranks))
            yield (*POP, part, 0)
            yield (*PUSH, part, self.rng.randrange(self.ranks))
            yield (*PUSH, part, self.rng.randrange(self.ranks))

    def phases(self):
        """Phases without end."""
        short, long = min(64, 2 * self.capacity), self.capacity + 8
        patterns = ([PUSH, POP], [PUSH, PUSH, POP, POP], [PUSH] * 3 + [POP] * 3, [REPLACE], [REPLACE, POP, PUSH],
                    [PUSH, POP, REPLACE], [PUSH] * 7 + [POP] * 7, [POP, POP, REPLACE, REPLACE, PUSH, PUSH])
        while True:
            yield self.rng.choice([
                lambda: self._mix(short, 1, 1, 1),
                lambda: self._mix(short, 1, 1, 1, idle=0.5),
                lambda: self._mix(short, 1, 1, 1, idle=0.1),
                lambda: self._mix(long, 3, 1, 1),
                lambda: self._mix(long, 1, 3, 1),
                lambda: self._mix(long, 1, 0, 0),
                lambda: self._mix(long, 0, 1, 0),
                lambda: self._mix(short, 0, 0, 1),
                lambda: self._cycle(short, self.rng.choice(patterns)),
                lambda: self._cycle(short, self.rng.choice(patterns)),
            ])()

    def operations(self, count: int):
        """`count` operations and the idle cycles between them."""
        left = count
        # Full once for certain, if most of the stream is not spent on it.
        first = [self._overflow()] if 4 * self.capacity <= count else []
        for phase in chain(first, self.phases()):
            for operation in phase:
                yield operation
                left -= operation is not None
                if left == 0:
                    return
