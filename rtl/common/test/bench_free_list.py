"""The free list against a set: no number is given out twice, none is lost, and order is that of return.

Settings (environment): OPS (cycles), RESETS, SEED.
"""

import os
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded, value


async def ready(dut):
    """From the end of a reset until the list has filled itself."""
    dut.pop_i.value, dut.push_i.value = 0, 0
    for _ in range(2 ** len(dut.number_o) - 1):
        assert not dut.ready_o.value
        await FallingEdge(dut.clk_i)
    assert dut.ready_o.value


async def drive(dut, cycles, rng):
    """So many cycles, from a full list."""
    total = 2 ** len(dut.number_o) - 1
    free, taken = deque(range(total)), []
    for cycle in range(cycles):
        bias = 0.9 if cycle // 100 % 2 else 0.3
        pop = not dut.empty_o.value and rng.random() < bias
        push = bool(taken) and rng.random() < 1.2 - bias
        dut.pop_i.value, dut.push_i.value = pop, push
        if push:
            number = taken.pop(rng.randrange(len(taken)))
            dut.number_i.value = number
            free.append(number)
        if pop:
            number = value(dut.number_o)
            assert number == free.popleft(), cycle
            taken.append(number)
        await FallingEdge(dut.clk_i)
    assert len(free) + len(taken) == total


@cocotb.test()
async def numbers_are_neither_lost_nor_doubled(dut):
    await bench.start(dut)
    await ready(dut)
    await drive(dut, int(os.environ["OPS"]), seeded())


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    await ready(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 120), rng)
        # Whatever the user does; nothing may be given back while the list fills.
        await bench.interrupt(dut, rng, ["number_i"])
        await ready(dut)
    await drive(dut, 200, rng)
