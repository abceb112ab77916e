"""What every cocotb bench begins with: the seed, the clock, and a reset that no clock edge
precedes."""

from __future__ import annotations

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, Timer


def value(handle) -> int:
    """A signal or parameter as a number."""
    return int(handle.value)


def seeded(offset: int = 0) -> random.Random:
    """The stream's randomness; tests of one bench take different offsets."""
    return random.Random(f"{os.environ['SEED']} {offset}")


async def start(dut, cycles: int = 4) -> None:
    """Starts the clock under reset, and ends the reset at a falling edge after so many cycles.

    Registers and inputs begin with random values; an edge before `rst_i` is high would run the design, and its assertions,
    on those. A random 1 of the clock is such an edge, so both are written at once, before the simulator first evaluates
    the design: a test must not wait for anything before this.
    """
    dut.clk_i.value, dut.rst_i.value = Immediate(0), Immediate(1)
    await Timer(1, "step")
    cocotb.start_soon(Clock(dut.clk_i, 2, "step").start(start_high=False))
    for _ in range(cycles):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0


def garbage(dut, rng: random.Random, inputs: list[str]) -> None:
    """Anything on `inputs`, which nobody is to look at in an idle cycle."""
    for name in inputs:
        port = getattr(dut, name)
        port.value = rng.getrandbits(len(port))


async def interrupt(dut, rng: random.Random, inputs: list[str]) -> None:
    """A reset of one to five cycles, mostly one, at a falling edge in the middle of traffic: `inputs` stay busy."""
    dut.rst_i.value = 1
    for _ in range(rng.choice([1, 1, 1, 2, 3, 4, 5])):
        for name in inputs:
            getattr(dut, name).value = rng.getrandbits(1)
        await FallingEdge(dut.clk_i)
    for name in inputs:
        getattr(dut, name).value = 0
    dut.rst_i.value = 0
