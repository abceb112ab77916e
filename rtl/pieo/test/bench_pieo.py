"""Every answer, and that an operation takes four cycles, against the golden model. Settings: OPS, RESETS, SEED."""

import os

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded, value
from forebay.queues import Pieo


async def drive(dut, operations, rng):
    """From an empty list."""
    capacity = value(dut.Size) ** 2
    golden, waiting = Pieo(capacity, capacity), list(range(capacity))
    ranks, times = 2 ** value(dut.RankW), 2 ** value(dut.TimeW)
    bias, spread, late = 0.5, ranks, 1.0
    for operation in range(operations):
        if operation % 100 == 0:
            bias, spread = rng.choice([0.1, 0.5, 0.6, 0.9]), rng.choice([1, 3, ranks])
            late = rng.choice([0.2, 0.5, 1.0])
        while rng.random() < 0.1:
            dut.valid_i.value = 0
            bench.garbage(dut, rng, ["dequeue_i", "rank_i", "time_i", "data_i"])
            await FallingEdge(dut.clk_i)
        assert dut.ready_o.value, f"operation {operation}: more than four cycles"
        assert not dut.valid_o.value, f"operation {operation}: an answer to nothing"
        dequeue, rank, time = rng.random() > bias, rng.randrange(spread), rng.randrange(times)
        expected = None
        if dequeue:
            time = int(time * late) if rng.random() < 0.7 else times - 1
            expected = golden.dequeue(time)
            if expected is not None:
                waiting.append(expected[0])
        elif waiting:
            flow = waiting.pop(rng.randrange(len(waiting)))
            golden.enqueue(flow, rank, time)
            expected = (flow, rank, time)
        dut.valid_i.value, dut.dequeue_i.value = 1, dequeue
        dut.rank_i.value, dut.time_i.value = rank, time
        dut.data_i.value = expected[0] if expected and not dequeue else 0
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        assert dut.valid_o.value
        assert bool(dut.done_o.value) == (expected is not None), operation
        if dequeue and expected is not None:
            got = (value(dut.data_o), value(dut.rank_o), value(dut.time_o))
            assert got == expected[:3], f"operation {operation}: {got} and not {expected}"
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def every_answer_is_right(dut):
    dut.valid_i.value = 0
    await bench.start(dut)
    await drive(dut, int(os.environ["OPS"]), seeded())


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    dut.valid_i.value = 0
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 4 * value(dut.Size) ** 2), rng)
        # One more operation, which the reset meets in any of its cycles.
        dut.valid_i.value = 1
        for _ in range(rng.randrange(5)):
            await FallingEdge(dut.clk_i)
        await bench.interrupt(dut, rng, ["valid_i", "dequeue_i", "rank_i"])
    await drive(dut, 100, rng)
