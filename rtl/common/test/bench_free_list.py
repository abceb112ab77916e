"""The free list against a set: no number is given out twice, none is lost, and order is that of return.

Settings (environment): OPS (cycles), RESETS, SEED.
"""

import os
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded, value


async def drive(dut, cycles, rng):
    """So many cycles, from a list that has just been reset: numbers can be taken at once."""
    total = value(dut.Entries)
    free, taken, given = deque(range(total)), [], 0
    for cycle in range(cycles):
        bias = 0.9 if cycle // 100 % 2 else 0.3
        # What was given back in the last cycle cannot be taken in this one.
        assert bool(dut.empty_o.value) == (len(free) == given), cycle
        take = len(free) > given and rng.random() < bias
        give = bool(taken) and rng.random() < 1.2 - bias
        dut.take_i.value, dut.give_i.value = take, give
        dut.number_i.value = rng.getrandbits(len(dut.number_i))  # not looked at unless it is given back
        if take:
            number = value(dut.number_o)
            assert number == free.popleft(), cycle
        if give:
            back = taken.pop(rng.randrange(len(taken)))
            dut.number_i.value = back
            free.append(back)
        if take:
            taken.append(number)
        given = int(give)
        await FallingEdge(dut.clk_i)
    assert len(free) + len(taken) == total
    dut.take_i.value, dut.give_i.value = 0, 0


@cocotb.test()
async def numbers_are_neither_lost_nor_doubled(dut):
    await bench.start(dut)
    await drive(dut, int(os.environ["OPS"]), seeded())


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 120), rng)
        await bench.interrupt(dut, rng, ["number_i"])
    await drive(dut, 200, rng)
