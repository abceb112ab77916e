"""ClubHeap in lockstep with its model: every response of every operation, in exactly its cycle."""

import os
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from model import golden
from streams import Streams

LATENCY = 4


async def reset(dut):
    """Resets and waits until operations are taken."""
    dut.rst_i.value, dut.valid_i.value = 1, 0
    cocotb.start_soon(Clock(dut.clk_i, 2, "step").start())
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for _ in range(300):
        await FallingEdge(dut.clk_i)
        if dut.ready_o.value == 1:
            return
    raise AssertionError("ready_o stays low after reset")


def response(dut):
    """(pushed, rank and data popped) of this cycle."""
    popped = None
    if dut.rsp_popped_o.value == 1:
        popped = (int(dut.rsp_rank_o.value), int(dut.rsp_data_o.value))
    return bool(dut.rsp_pushed_o.value), popped


@cocotb.test()
async def lockstep(dut):
    """The stream of SEED; OPS operations take OPS cycles, besides the idle ones it asks for."""
    cluster, capacity, partitions = (int(os.environ[name]) for name in ("CLUSTER", "CAPACITY", "PARTITIONS"))
    total = int(os.environ["OPS"])
    mask = (1 << len(dut.data_i)) - 1
    model = golden(cluster, capacity, partitions, int(os.environ["WAYS"]))
    streams = Streams(int(os.environ["SEED"]), capacity, partitions, 1 << len(dut.rank_i))
    await reset(dut)
    # What is still to be seen, one entry a cycle; the first operation is seen in the cycle after it.
    due = deque([None] * (LATENCY - 1))
    lengths = deque([0])
    answered = cycles = idle = 0

    async def cycle(expected):
        nonlocal answered
        due.append(expected)
        lengths.append(model.len)
        await FallingEdge(dut.clk_i)
        assert dut.count_o.value == lengths.popleft(), f"count after {answered} operations"
        wanted = due.popleft()
        if dut.rsp_valid_o.value == 1:
            assert wanted is not None, f"a response too many after {answered} operations"
            got = response(dut)
            assert got == wanted, f"operation {answered}: {got} instead of {wanted}"
            answered += 1
        else:
            assert wanted is None, f"no response to operation {answered}"

    for number, operation in enumerate(streams.operations(total)):
        cycles += 1
        if operation is None:
            dut.valid_i.value = 0
            idle += 1
            await cycle(None)
            continue
        push, pop, part, rank = operation
        assert dut.ready_o.value == 1, "ready_o is low"
        dut.valid_i.value, dut.push_i.value, dut.pop_i.value = 1, push, pop
        dut.rank_i.value, dut.data_i.value = rank, number & mask
        if hasattr(dut, "part_i"):
            dut.part_i.value = part
        await cycle(model.operate(bool(push), bool(pop), part, (rank, number & mask)))
    dut.valid_i.value = 0
    for _ in range(LATENCY):
        await cycle(None)
    assert answered == total and cycles - idle == total
    dut._log.info("lockstep with %s", type(model).__name__)
    dut._log.info("%d operations in %d cycles, %d idle, and %d of latency", total, cycles, idle, LATENCY)
