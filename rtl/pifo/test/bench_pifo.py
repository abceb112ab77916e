"""Every cycle's answer and the order behind it against the golden model."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from forebay.queues import PartitionedShiftRegister


def value(handle):
    return int(handle.value)


class Golden:
    """The Rust queue; its equal ranks are in order of arrival at the lower end, latest first at the upper."""

    def __init__(self, partitions, depth):
        self.queue, self.depth, self.size = PartitionedShiftRegister(partitions, depth), depth, 0

    def show(self, partition, last):
        return (self.queue.peek_max if last else self.queue.peek)(partition)

    def step(self, pop, push):
        """`pop` is `(partition, last)`, `push` is `(partition, rank, data)`; either may be None."""
        if pop is not None and (self.queue.pop_max if pop[1] else self.queue.pop)(pop[0]) is not None:
            self.size -= 1
        if push is not None and self.size < self.depth:
            self.queue.push(*push)
            self.size += 1


@cocotb.test()
async def every_cycle_is_right(dut):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    depth, partitions = value(dut.Depth), value(dut.Partitions)
    ranks = 2 ** value(dut.RankW)
    golden = Golden(partitions, depth)
    dut.rst_i.value, dut.push_i.value, dut.pop_i.value = 1, 0, 0
    cocotb.start_soon(Clock(dut.clk_i, 2, "step").start())
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    cycles, bias, spread = int(os.environ.get("OPS", "5000")), 0.5, ranks
    for cycle in range(cycles):
        if cycle % 100 == 0:
            bias, spread = rng.choice([0.1, 0.5, 0.9]), rng.choice([1, 3, ranks])
        pop = (rng.randrange(partitions), rng.random() < 0.5)
        push = (rng.randrange(partitions), rng.randrange(spread), rng.getrandbits(value(dut.DataW)))
        pops, pushes = rng.random() > bias, rng.random() < bias
        dut.pop_i.value, (dut.pop_partition_i.value, dut.pop_last_i.value) = pops, pop
        dut.push_i.value = pushes
        dut.push_partition_i.value, dut.push_rank_i.value, dut.push_data_i.value = push
        await ReadOnly()
        shown = golden.show(*pop)
        assert bool(dut.valid_o.value) == (shown is not None), cycle
        if shown is not None:
            assert (value(dut.rank_o), value(dut.data_o)) == shown, cycle
        assert bool(dut.full_o.value) == (golden.size == depth), cycle
        golden.step(pop if pops else None, push if pushes else None)
        await FallingEdge(dut.clk_i)
