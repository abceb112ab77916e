"""Every cycle's answer and the order behind it against the golden model. Settings: OPS, RESETS, SEED."""

import os

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay.queues import PartitionedShiftRegister


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


async def drive(dut, cycles, rng):
    """From an empty queue."""
    depth, partitions, ranks = value(dut.Depth), value(dut.Partitions), 2 ** value(dut.RankW)
    golden, bias, spread = Golden(partitions, depth), 0.5, ranks
    for cycle in range(cycles):
        if cycle % 100 == 0:
            bias, spread = rng.choice([0.1, 0.5, 0.9]), rng.choice([1, min(3, ranks), ranks])
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


@cocotb.test()
async def every_cycle_is_right(dut):
    dut.push_i.value, dut.pop_i.value = 0, 0
    await bench.start(dut)
    await drive(dut, int(os.environ["OPS"]), seeded())


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    dut.push_i.value, dut.pop_i.value = 0, 0
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 4 * value(dut.Depth)), rng)
        await bench.interrupt(dut, rng, ["push_i", "pop_i", "push_rank_i", "pop_last_i"])
    await drive(dut, 200, rng)
