"""Lockstep: every operation's answer, and the cycle in which it comes, against the model.

Settings (environment): OPS, RESETS, SEED.
"""

import os
from collections import deque
from itertools import chain, islice, repeat

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded, value
from model import Model
from streams import stream

OUTPUTS = ["take_o", "swap_o", "status_o", "far_o", "rank_o", "data_o"]
INPUTS = ["op_i", "rank_i", "data_i"]


def shape_of(dut):
    """What the parameters mean for a stream."""
    levels, width = value(dut.Levels), value(dut.Width)
    return {"levels": levels, "width": width, "ranks": width**levels, "slots": 2 ** value(dut.SlotBits) - 1,
            "data": value(dut.DataW), "latency": 6 + 4 * (levels - 1)}


async def ready(dut):
    """From the end of a reset to the first cycle that takes an operation; none is answered meanwhile."""
    dut.valid_i.value = 0
    assert not dut.ready_o.value
    assert not dut.valid_o.value, "an answer from before the reset"
    await FallingEdge(dut.clk_i)


class Slots:
    """The slot of every waiting element, by its number."""

    def __init__(self):
        self.of, self.used = {}, set()

    def check(self, answer, slot):
        take, swap, _, _, _, number = answer
        if not take:
            assert slot not in self.used, f"slot {slot} is given twice"
            self.of[number] = slot
            self.used.add(slot)
            return
        assert self.of[number] == slot, f"element {number} was in slot {self.of[number]} and is in {slot}"
        if not swap:
            self.used.remove(self.of.pop(number))


def check(dut, expected, cycle, slots, words):
    due, answer = expected
    assert due == cycle, f"cycle {cycle}: an answer that was due in cycle {due}"
    take, swap, status, far, rank, number = answer
    data = words[number] if take and number is not None else None
    for name, wanted in zip(OUTPUTS, (take, swap, status, far, rank, data), strict=True):
        got = value(getattr(dut, name))
        assert wanted is None or got == wanted, f"cycle {cycle}: {name} is {got}, expected {answer}"
    if number is not None:
        slots.check(answer, value(dut.slot_o))


async def drive(dut, shape, operations, rng, drain=True):
    """Issues `operations`, one in every cycle that is not idle, and checks every answer and its cycle.

    `drain`: waits for the last answer.
    """
    model, slots, words = Model(shape), Slots(), []
    pending = deque()
    busy = False
    for cycle, operation in enumerate(chain(operations, repeat(None, shape["latency"] + 1 if drain else 0))):
        # Between edges: what was answered by the last edge, and what the next one accepts.
        assert dut.ready_o.value
        if dut.valid_o.value:
            assert pending, f"cycle {cycle}: an answer to nothing"
            check(dut, pending.popleft(), cycle, slots, words)
        else:
            assert not pending or pending[0][0] > cycle, f"cycle {cycle}: an answer is missing"
        valid = operation is not None
        if valid != busy:
            dut.valid_i.value = busy = valid
        if not valid and rng.random() < 0.5:
            # Idle inputs are not looked at, and hold anything.
            bench.garbage(dut, rng, INPUTS)
        if valid:
            op, rank = operation
            words.append(rng.getrandbits(shape["data"]))
            dut.op_i.value, dut.rank_i.value, dut.data_i.value = op, rank, words[-1]
            pending.append((cycle + shape["latency"], model.apply(cycle, op, rank, len(words) - 1)))
        await FallingEdge(dut.clk_i)
    assert not (drain and pending)


@cocotb.test()
async def every_answer_is_right_and_on_time(dut):
    rng, shape = seeded(), shape_of(dut)
    assert value(dut.Latency) == shape["latency"]
    await bench.start(dut)
    await ready(dut)
    await drive(dut, shape, stream(rng, shape, int(os.environ["OPS"])), rng)


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng, shape = seeded(1), shape_of(dut)
    await bench.start(dut)
    await ready(dut)
    for _ in range(int(os.environ["RESETS"])):
        cycles = rng.randint(1, 6 * shape["latency"])
        await drive(dut, shape, islice(stream(rng, shape, 10 * cycles), cycles), rng, drain=False)
        await bench.interrupt(dut, rng, ["valid_i", "op_i", "rank_i"])
        await ready(dut)
    await drive(dut, shape, stream(rng, shape, 300), rng)
