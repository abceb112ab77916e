"""Every pop is the smallest of all elements, at once, however the operations come.

The specification is exactness itself (Theorem 4), so the golden model is the Rust sorted list: the rank popped is its
smallest, the item is one that waits with that rank. Settings (environment): OPS, RESETS, SEED.
"""

import os
from collections import defaultdict

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay.queues import ExactQueue


def capacity_of(dut):
    """What the head comment promises, from the public parameters: slots, less those on their way back, less one."""
    delay = 3 + 2 * (value(dut.Levels) - 1)
    return 2 ** value(dut.SlotBits) - 1 - (delay + 1) - 1


async def ready(dut):
    """From the end of a reset to the first system cycle: one clock cycle."""
    dut.push_i.value, dut.pop_i.value = 0, 0
    assert not dut.ready_o.value
    await FallingEdge(dut.clk_i)


async def drive(dut, cycles, rng):
    """So many system cycles, from an empty queue."""
    ranks, capacity = 2 ** len(dut.rank_o), capacity_of(dut)
    golden, items = ExactQueue(capacity), defaultdict(list)
    bias, low, spread, popped = 0.5, 0, ranks, None
    for cycle in range(cycles):
        if cycle % 150 == 0:
            bias = rng.choice([0.0, 0.3, 0.5, 0.5, 0.7, 1.0])
            spread = rng.choice([2, min(8, ranks), ranks])
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


@cocotb.test()
async def every_pop_is_exact(dut):
    await bench.start(dut)
    await ready(dut)
    await drive(dut, int(os.environ["OPS"]), seeded())


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    await ready(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 60), rng)
        await bench.interrupt(dut, rng, ["push_i", "pop_i", "push_rank_i"])
        await ready(dut)
    await drive(dut, 200, rng)
