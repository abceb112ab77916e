"""Lockstep: every operation's answer, and the cycle in which it comes, against the model.

Settings (environment): OPS, SEED.
"""

import os
import random
from collections import deque
from itertools import chain, repeat

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from model import Model
from streams import stream


def value(handle):
    return int(handle.value)


def shape_of(dut):
    """What the parameters mean for a stream."""
    steered = int(os.environ["STEERED"])
    levels = value(dut.Levels)
    return {
        "slots": 2 ** value(dut.SlotBits) - 1,
        "partitions": value(dut.Partitions),
        "width": value(dut.Width),
        "ranks": value(dut.Width) ** levels // value(dut.Partitions),
        "data": value(dut.DataW),
        # Three stages for a root, or one that steers; four for every level below; three for the buckets.
        "latency": 6 + 4 * (levels - 1) if steered == 0 else 1 + 4 * (levels - steered) + 3,
    }


async def start(dut):
    dut.rst_i.value, dut.valid_i.value = 1, 0
    cocotb.start_soon(Clock(dut.clk_i, 2, "step").start())
    for _ in range(4):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    if not dut.ready_o.value:
        await RisingEdge(dut.ready_o)
    await FallingEdge(dut.clk_i)


def check(dut, expected, cycle):
    due, answer = expected
    assert due == cycle, f"cycle {cycle}: an answer that was due in cycle {due}"
    dequeue, status, partition, rank, data = answer
    got = (value(dut.dequeue_o), value(dut.status_o), value(dut.partition_o))
    assert got == (dequeue, status, partition), f"cycle {cycle}: got {got}, expected {answer}"
    if rank is not None:
        assert value(dut.rank_o) == rank, f"cycle {cycle}: got rank {value(dut.rank_o)}, expected {answer}"
    if data is not None:
        assert value(dut.data_o) == data, f"cycle {cycle}: got {value(dut.data_o):#x}, expected {answer}"


async def drive(dut, shape, operations, rng):
    """Issues `operations`, one in every cycle that is not idle, and checks every answer and its cycle.

    Returns the operations and the cycles from the first one to the last answer.
    """
    model = Model(shape["slots"], shape["partitions"], shape["ranks"], shape["width"], shape["latency"])
    pending = deque()
    count, busy = 0, False
    for cycle, operation in enumerate(chain(operations, repeat(None, shape["latency"] + 1))):
        # Between edges: what was answered by the last edge, and what the next one accepts.
        assert dut.ready_o.value
        if dut.valid_o.value:
            assert pending, f"cycle {cycle}: an answer to nothing"
            check(dut, pending.popleft(), cycle)
        else:
            assert not pending or pending[0][0] > cycle, f"cycle {cycle}: an answer is missing"
        valid = operation is not None
        if valid != busy:
            dut.valid_i.value = busy = valid
        if valid:
            count += 1
            op, partition, rank = operation
            data = rng.getrandbits(shape["data"])
            dut.op_i.value, dut.partition_i.value = op, partition
            dut.rank_i.value, dut.data_i.value = rank, data
            pending.append((cycle + shape["latency"], model.apply(cycle, op, partition, rank, data)))
        await FallingEdge(dut.clk_i)
    assert not pending
    return count


@cocotb.test()
async def every_answer_is_right_and_on_time(dut):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    await start(dut)
    shape = shape_of(dut)
    await drive(dut, shape, stream(rng, shape, int(os.environ.get("OPS", "5000"))), rng)
