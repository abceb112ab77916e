"""Every answer, and the cycle in which it comes, against `forebay.queues.BmwTree` and an exact queue.

Without replaces the tree is followed element by element, equal ranks included. With replaces the rank popped must be the
smallest of all and the data that of an element which waits with it. Settings (environment): OPS, RESETS, SEED, WAYS.
"""

import os
from collections import Counter
from itertools import islice

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded, value
from forebay.queues import BmwTree, ExactQueue

NOTHING, PUSH, POP, REPLACE = (0, 0), (1, 0), (0, 1), (1, 1)


def capacity_of(ways, count_bits):
    """The tree whose count needs so many bits."""
    capacity = ways
    while capacity.bit_length() < count_bits:
        capacity = (capacity + 1) * ways
    return capacity


class Golden:
    """Both models; `exact` says whether equal ranks are told apart."""

    def __init__(self, ways, capacity, exact):
        self.tree, self.order = BmwTree(ways, capacity), ExactQueue(capacity)
        self.capacity, self.exact, self.waiting = capacity, exact, Counter()

    def operate(self, push, pop, rank, data):
        """What the hardware answers: (pushed, popped or None)."""
        popped = None
        if pop and len(self.order):
            popped = self.tree.pop() if self.exact else self.order.pop()
            if self.exact:
                assert self.order.pop()[0] == popped[0], "the tree's smallest is not the smallest"
        pushed = bool(push) and len(self.order) < self.capacity
        if pushed:
            self.order.push(rank, data)
            if self.exact:
                self.tree.push(rank, data)
        return pushed, popped

    def check(self, rank, data, popped):
        """The element that left: the model's own, or one that waited with this rank."""
        assert rank == popped[0], f"rank {rank} and not {popped[0]}"
        if self.exact:
            assert data == popped[1], f"data {data} and not {popped[1]}"
        assert self.waiting[rank, data] > 0, f"no element of rank {rank} has data {data}"
        self.waiting[rank, data] -= 1


def operations(rng, count, capacity, ranks, kinds):
    """Phases that fill, drain and hold, with many and with few ranks; None is an idle cycle."""
    issued = 0
    while issued < count:
        weights = rng.choice([(8, 1, 1), (1, 8, 1), (1, 1, 1), (3, 3, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
        weights = weights[:len(kinds)]
        if not any(weights):
            continue
        idle, spread = rng.choice([0, 0, 0.3]), rng.choice([1, 3, ranks, ranks])
        low = rng.randrange(ranks - spread + 1)
        for _ in range(min(capacity + capacity // 4 + 8, 2_000)):
            while rng.random() < idle:
                yield None
            if rng.random() < 0.03:
                yield NOTHING, low
            yield rng.choices(kinds, weights)[0], low + rng.randrange(spread)
            issued += 1


async def drive(dut, kinds, count, rng, stop_after=None):
    """From an empty tree; `stop_after` so many entries of the stream, if given."""
    ways, ranks = int(os.environ["WAYS"]), 1 << len(dut.rank_i)
    capacity = capacity_of(ways, len(dut.count_o))
    golden = Golden(ways, capacity, REPLACE not in kinds)
    number = 0
    for operation in islice(operations(rng, count, capacity, ranks, kinds), stop_after):
        if operation is None:
            dut.valid_i.value = 0
            bench.garbage(dut, rng, ["push_i", "pop_i", "rank_i", "data_i"])
            await FallingEdge(dut.clk_i)
            continue
        (push, pop), rank = operation
        data, number = number & ((1 << len(dut.data_i)) - 1), number + 1
        assert dut.ready_o.value == 1, f"operation {number}: the one before took too long"
        assert value(dut.count_o) == len(golden.order)
        assert value(dut.empty_o) == (len(golden.order) == 0) and value(dut.full_o) == (len(golden.order) == capacity)
        dut.valid_i.value, dut.push_i.value, dut.pop_i.value = 1, push, pop
        dut.rank_i.value, dut.data_i.value = rank, data
        pushed, popped = golden.operate(push, pop, rank, data)
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert dut.rsp_valid_o.value == 1, f"operation {number}: no response"
        got = value(dut.rsp_pushed_o), value(dut.rsp_popped_o)
        assert got == (pushed, popped is not None), f"operation {number}: {got}"
        if popped is not None:
            golden.check(value(dut.rsp_rank_o), value(dut.rsp_data_o), popped)
        if pushed:
            golden.waiting[rank, data] += 1
        if pop:
            assert dut.ready_o.value == 0
            await FallingEdge(dut.clk_i)
            assert dut.rsp_valid_o.value == 0


@cocotb.test()
async def pushes_and_pops_are_the_tree_s(dut):
    dut.valid_i.value = 0
    await bench.start(dut)
    await drive(dut, [PUSH, POP], int(os.environ["OPS"]) // 2, seeded())


@cocotb.test()
async def every_operation_is_exact(dut):
    dut.valid_i.value = 0
    await bench.start(dut)
    await drive(dut, [PUSH, POP, REPLACE], int(os.environ["OPS"]) // 2, seeded(1))


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(2)
    dut.valid_i.value = 0
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, [PUSH, POP, REPLACE], 500, rng, stop_after=rng.randint(1, 300))
        # One more operation, which the reset meets in any of its cycles.
        dut.valid_i.value = 1
        dut.push_i.value, dut.pop_i.value = rng.choice([PUSH, POP, REPLACE])
        for _ in range(rng.randrange(4)):
            await FallingEdge(dut.clk_i)
            dut.valid_i.value = 0
        await bench.interrupt(dut, rng, ["valid_i", "push_i", "pop_i"])
        assert not dut.rsp_valid_o.value, "an answer from before the reset"
        await FallingEdge(dut.clk_i)
        assert not dut.rsp_valid_o.value, "an answer from before the reset"
    await drive(dut, [PUSH, POP, REPLACE], 300, rng)
