"""The free list against a set: no number is given out twice, none is lost, and order is that of return."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge


@cocotb.test()
async def numbers_are_neither_lost_nor_doubled(dut):
    rng = random.Random(1)
    total = 2 ** len(dut.number_o) - 1
    dut.rst_i.value, dut.pop_i.value, dut.push_i.value = 1, 0, 0
    cocotb.start_soon(Clock(dut.clk_i, 2, "step").start())
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    await RisingEdge(dut.ready_o)
    free, taken = deque(range(total)), []
    for cycle in range(int(os.environ.get("CYCLES", "3000"))):
        await FallingEdge(dut.clk_i)
        bias = 0.9 if cycle // 100 % 2 else 0.3
        pop = not dut.empty_o.value and rng.random() < bias
        push = bool(taken) and rng.random() < 1.2 - bias
        dut.pop_i.value, dut.push_i.value = pop, push
        if push:
            number = taken.pop(rng.randrange(len(taken)))
            dut.number_i.value = number
            free.append(number)
        if pop:
            number = int(dut.number_o.value)
            assert number == free.popleft(), cycle
            taken.append(number)
    assert len(free) + len(taken) == total
