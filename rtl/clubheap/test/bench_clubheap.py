"""ClubHeap in lockstep with its model: every response of every operation, in exactly its cycle.

Settings (environment): OPS, RESETS, SEED and the heap's shape.
"""

import os
from collections import deque
from itertools import islice

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded
from model import golden
from streams import Streams

LATENCY = 4


def shape():
    """Cluster, capacity, logical PIFOs and ways."""
    return tuple(int(os.environ[name]) for name in ("CLUSTER", "CAPACITY", "PARTITIONS", "WAYS"))


async def ready(dut):
    """From the end of a reset to the first operation: as many cycles as there are heads to empty."""
    dut.valid_i.value = 0
    for _ in range(shape()[2]):
        assert dut.ready_o.value == 0
        assert dut.rsp_valid_o.value == 0, "a response from before the reset"
        await FallingEdge(dut.clk_i)


def response(dut):
    """(pushed, rank and data popped) of this cycle."""
    popped = None
    if dut.rsp_popped_o.value == 1:
        popped = (int(dut.rsp_rank_o.value), int(dut.rsp_data_o.value))
    return bool(dut.rsp_pushed_o.value), popped


async def drive(dut, operations, rng, drain=True):
    """The stream from an empty heap: an operation a cycle, besides the idle ones it asks for.

    `drain`: waits for the last answer.
    """
    capacity = shape()[1]
    mask = (1 << len(dut.data_i)) - 1
    inputs = ["push_i", "pop_i", "part_i", "rank_i", "data_i"]
    model = golden(*shape())
    # What is still to be seen, one entry a cycle; the first operation is seen in the cycle after it.
    due = deque([None] * (LATENCY - 1))
    lengths = deque([0])
    total = answered = cycles = idle = 0

    async def cycle(expected):
        nonlocal answered
        due.append(expected)
        lengths.append(model.len)
        await FallingEdge(dut.clk_i)
        length = lengths.popleft()
        assert dut.count_o.value == length, f"count after {answered} operations"
        assert dut.full_o.value == (length == capacity), f"full_o after {answered} operations"
        assert dut.empty_o.value == (length == 0), f"empty_o after {answered} operations"
        wanted = due.popleft()
        if dut.rsp_valid_o.value == 1:
            assert wanted is not None, f"a response too many after {answered} operations"
            got = response(dut)
            assert got == wanted, f"operation {answered}: {got} instead of {wanted}"
            answered += 1
        else:
            assert wanted is None, f"no response to operation {answered}"

    for number, operation in enumerate(operations):
        cycles += 1
        if operation is None:
            dut.valid_i.value = 0
            bench.garbage(dut, rng, inputs)
            idle += 1
            await cycle(None)
            continue
        total += 1
        push, pop, part, rank = operation
        assert dut.ready_o.value == 1, "ready_o is low"
        dut.valid_i.value, dut.push_i.value, dut.pop_i.value = 1, push, pop
        dut.rank_i.value, dut.data_i.value = rank, number & mask
        dut.part_i.value = part
        # A logical PIFO that does not exist: nothing is done, and it is answered so.
        exists = part < shape()[2]
        await cycle(model.operate(bool(push), bool(pop), part, (rank, number & mask)) if exists else (False, None))
    if not drain:
        return
    dut.valid_i.value = 0
    for _ in range(LATENCY):
        await cycle(None)
    assert answered == total and cycles - idle == total
    dut._log.info("lockstep with %s", type(model).__name__)
    dut._log.info("%d operations in %d cycles, %d idle, and %d of latency", total, cycles, idle, LATENCY)


def stream(dut, rng):
    _, capacity, partitions, _ = shape()
    return Streams(rng, capacity, partitions, 1 << len(dut.rank_i), 1 << len(dut.part_i))


@cocotb.test()
async def lockstep(dut):
    """OPS operations take OPS cycles, besides the idle ones that the stream asks for."""
    await bench.start(dut)
    await ready(dut)
    rng = seeded()
    await drive(dut, stream(dut, rng).operations(int(os.environ["OPS"])), rng)


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    await ready(dut)
    for _ in range(int(os.environ["RESETS"])):
        # Some long enough for numbers to be given out again.
        cycles = rng.choice([rng.randint(1, 100)] * 3 + [rng.randint(300, 600)])
        await drive(dut, islice(stream(dut, rng).operations(10 * cycles), cycles), rng, drain=False)
        await bench.interrupt(dut, rng, ["valid_i", "push_i", "pop_i", "rank_i"])
        await ready(dut)
    await drive(dut, stream(dut, rng).operations(300), rng)
