"""Every answer and every refusal against the golden model, `forebay.queues.RollingWindow`.

Settings (environment): OPS, RESETS, SEED.
"""

import os
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay.errors import Refused
from forebay.queues import RollingWindow

ENQUEUE, NOTHING, MIN, MAX = 0, 1, 2, 3


class Golden:
    """The Rust window, which holds the data: the earliest of the smallest rank leaves, or the latest of the largest."""

    def __init__(self, span, capacity):
        self.queue = RollingWindow(span, capacity)

    def push(self, rank, data):
        """Whether the element was taken. One that is below the window gets the window's first rank."""
        try:
            self.queue.push(rank, data)
        except Refused:
            return False
        return True

    def pop(self, last):
        return self.queue.pop_max() if last else self.queue.pop()


def ranks(rng, golden, span):
    """Near the window, on its borders, below it and beyond it."""
    first = golden.queue.window[0]
    kind = rng.randrange(12)
    if kind < 6:
        return first + rng.randrange(2 * span)
    if kind < 8:
        return first + rng.choice([0, span - 1, span, 2 * span - 1, 2 * span, 3 * span - 1, 3 * span])
    if kind < 9:
        return max(0, first - 1 - rng.randrange(2 * span))
    return first + 2 * span + rng.randrange(span * rng.choice([1, 1, 20]))


async def ready(dut):
    """From the end of a reset to the first operation: one cycle."""
    dut.valid_i.value = 0
    assert not dut.ready_o.value
    assert not dut.valid_o.value, "an answer from before the reset"
    await FallingEdge(dut.clk_i)


async def drive(dut, cycles, rng):
    """So many cycles, from an empty window."""
    # What the head comment promises, from the public parameters.
    levels, ranks_of_both = value(dut.Levels), value(dut.Width) ** value(dut.Levels)
    span, latency = ranks_of_both // 2, 6 + 4 * (levels - 1)
    golden = Golden(span, 2 ** value(dut.SlotBits) - 1 - (latency + 1) - 1)
    pending = deque()
    bias, maxima = 0.5, 0.0
    for cycle in range(cycles):
        if cycle % 120 == 0:
            bias, maxima = rng.choice([0.1, 0.5, 0.55, 0.9]), rng.choice([0, 0, 0.5])
        if dut.valid_o.value:
            due, kind, expected = pending.popleft()
            assert due == cycle, f"cycle {cycle}: due in {due}"
            assert bool(dut.dequeue_o.value) == (kind != ENQUEUE)
            if kind != ENQUEUE:
                assert value(dut.status_o) == (0 if expected else 2), cycle
                if expected:
                    assert (value(dut.rank_o), value(dut.data_o)) == expected, f"cycle {cycle}: {expected}"
        else:
            assert not pending or pending[0][0] > cycle
        assert dut.ready_o.value, cycle
        valid = rng.random() < 0.9
        op = ENQUEUE if rng.random() < bias else MAX if rng.random() < maxima else MIN
        if rng.random() < 0.03:
            op = NOTHING
        rank, data = ranks(rng, golden, span) % 2 ** value(dut.RankW), rng.getrandbits(16)
        dut.valid_i.value, dut.op_i.value, dut.rank_i.value, dut.data_i.value = valid, op, rank, data
        await ReadOnly()
        if valid and op == ENQUEUE:
            taken = golden.push(rank, data)
            assert bool(dut.refused_o.value) != taken, f"cycle {cycle}: rank {rank}, window {golden.queue.window}"
            if taken:
                pending.append((cycle + latency, op, None))
        elif valid and op == NOTHING:
            assert dut.refused_o.value, f"cycle {cycle}: what is no operation is taken"
        elif valid:
            pending.append((cycle + latency, op, golden.pop(op == MAX)))
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def the_window_rolls_as_the_model(dut):
    await bench.start(dut)
    await ready(dut)
    await drive(dut, int(os.environ["OPS"]), seeded())


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    await ready(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 100), rng)
        # An enqueue or the largest: operations, whatever the reset does with them.
        dut.op_i.value = rng.choice([ENQUEUE, MIN, MAX])
        await bench.interrupt(dut, rng, ["valid_i", "rank_i"])
        await ready(dut)
    await drive(dut, 200, rng)
