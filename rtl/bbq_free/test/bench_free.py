"""Every pop is the smallest of all elements, at once, however the operations come.

The specification is exactness itself (Theorem 4), so the golden model is the Rust sorted list: the rank popped is its
smallest, the item is one that waits with that rank.
"""

import os
import random
from collections import defaultdict

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from forebay.queues import ExactQueue


def value(handle):
    return int(handle.value)


@cocotb.test()
async def every_pop_is_exact(dut):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    ranks, capacity = 2 ** len(dut.rank_o), value(dut.Capacity)
    golden, items = ExactQueue(capacity), defaultdict(list)
    dut.rst_i.value, dut.push_i.value, dut.pop_i.value = 1, 0, 0
    cocotb.start_soon(Clock(dut.clk_i, 2, "step").start())
    for _ in range(4):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    await RisingEdge(dut.ready_o)
    await FallingEdge(dut.clk_i)
    if not dut.ready_o.value:
        await FallingEdge(dut.clk_i)
    bias, low, spread, popped = 0.5, 0, ranks, None
    for cycle in range(int(os.environ.get("OPS", "5000"))):
        if cycle % 150 == 0:
            bias = rng.choice([0.0, 0.3, 0.5, 0.5, 0.7, 1.0])
            spread = rng.choice([2, 8, ranks])
            low = rng.randrange(ranks - spread + 1)
        assert dut.ready_o.value, f"cycle {cycle}: a system cycle of more than two clock cycles"
        pops, pushes = rng.random() >= bias * 0.9, rng.random() < bias
        rank, data = low + rng.randrange(spread), rng.getrandbits(16)
        if popped is not None and rng.random() < 0.5:
            rank = popped  # it was served and comes back (Fig. 4.11)
        dut.pop_i.value, dut.push_i.value = pops, pushes
        dut.push_rank_i.value, dut.push_data_i.value = rank, data
        await ReadOnly()
        full = bool(dut.full_o.value)
        assert full == (len(golden) == capacity), cycle
        popped = None
        if pops:
            expected = golden.pop()
            assert bool(dut.valid_o.value) == (expected is not None), cycle
            if expected is not None:
                popped = expected[0]
                assert value(dut.rank_o) == popped, f"cycle {cycle}: {value(dut.rank_o)} and not {popped}"
                items[popped].remove(value(dut.data_o))
        if pushes and not full:
            golden.push(rank)
            items[rank].append(data)
        await FallingEdge(dut.clk_i)
        dut.pop_i.value, dut.push_i.value = 1, 1  # ignored in the second half
        await FallingEdge(dut.clk_i)
