"""The time of each packet at its queue's share is bytes times weight, rounded up and at most half of what Gearbox reaches."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

FIELD, BYTES, FRACTION, TIME = (int(os.environ[name]) for name in ("FIELD", "BYTES", "FRACTION", "TIME"))


def wanted(weight: int, length: int) -> int:
    return min(-(-weight * length >> FRACTION), 1 << TIME - 1)


@cocotb.test()
async def a_time_is_rounded_up_and_never_beyond_the_largest(dut):
    rng = random.Random(int(os.environ["SEED"]))
    lengths = [length for length in (1, 64, 1518, 8192, 9000) if length < 1 << BYTES]
    powers = [1 << bit for bit in range(FIELD)]
    pairs = [(weight, length) for weight in (0, *powers, (1 << FIELD) - 1) for length in lengths]
    pairs += [(rng.randrange(1 << FIELD), rng.randrange(1, 1 << BYTES)) for _ in range(200)]
    cocotb.start_soon(Clock(dut.clk_i, 10).start())
    for weight, length in pairs:
        await FallingEdge(dut.clk_i)
        dut.weight_i.value, dut.bytes_i.value = weight, length
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        told = (int(dut.time_o.value), int(dut.bytes_o.value))
        assert told == (wanted(weight, length), length), f"weight {weight}, {length} B"
