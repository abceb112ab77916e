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


def shape_of(dut):
    """What the parameters mean for a stream."""
    levels, index_bits = value(dut.Levels), value(dut.Width).bit_length() - 1
    part_bits = value(dut.Partitions).bit_length() - 1
    steered = max(part_bits - 1, 0) // index_bits
    slots = 2 ** value(dut.SlotBits) - 1
    return {
        "slots": slots,
        "partitions": value(dut.Partitions),
        "width": value(dut.Width),
        "ranks": value(dut.Width) ** levels // value(dut.Partitions),
        "data": value(dut.DataW),
        # Three stages for a root, or one that steers; four for every level below; three for the buckets.
        "latency": 6 + 4 * (levels - 1) if steered == 0 else 1 + 4 * (levels - steered) + 3,
        # A steered first level is cleared, a node a cycle.
        "ready after": 2 ** (steered * index_bits),
    }


async def ready(dut, shape):
    """From the end of a reset to the first cycle that takes an operation; none is answered meanwhile."""
    dut.valid_i.value = 0
    for cycle in range(shape["ready after"]):
        assert not dut.ready_o.value, f"ready {cycle} cycles after reset and not {shape['ready after']}"
        assert not dut.valid_o.value, "an answer from before the reset"
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


async def drive(dut, shape, operations, rng, drain=True):
    """Issues `operations`, one in every cycle that is not idle, and checks every answer and its cycle.

    `drain`: waits for the last answer.
    """
    model = Model(shape["slots"], shape["partitions"], shape["ranks"], shape["width"], shape["latency"])
    pending = deque()
    busy = False
    for cycle, operation in enumerate(chain(operations, repeat(None, shape["latency"] + 1 if drain else 0))):
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
        if not valid and rng.random() < 0.5:
            # Idle inputs are not looked at, and hold anything.
            bench.garbage(dut, rng, ["op_i", "partition_i", "rank_i", "data_i"])
        if valid:
            op, partition, rank = operation
            data = rng.getrandbits(shape["data"])
            dut.op_i.value, dut.partition_i.value = op, partition
            dut.rank_i.value, dut.data_i.value = rank, data
            pending.append((cycle + shape["latency"], model.apply(cycle, op, partition, rank, data)))
        await FallingEdge(dut.clk_i)
    assert not (drain and pending)


@cocotb.test()
async def every_answer_is_right_and_on_time(dut):
    rng, shape = seeded(), shape_of(dut)
    assert value(dut.Latency) == shape["latency"]
    await bench.start(dut)
    await ready(dut, shape)
    await drive(dut, shape, stream(rng, shape, int(os.environ["OPS"])), rng)


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng, shape = seeded(1), shape_of(dut)
    await bench.start(dut)
    await ready(dut, shape)
    for _ in range(int(os.environ["RESETS"])):
        cycles = rng.randint(1, 6 * shape["latency"])
        await drive(dut, shape, islice(stream(rng, shape, 10 * cycles), cycles), rng, drain=False)
        await bench.interrupt(dut, rng, ["valid_i", "op_i", "rank_i"])
        await ready(dut, shape)
    await drive(dut, shape, stream(rng, shape, 300), rng)
