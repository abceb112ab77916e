"""Occamy in lockstep with its golden model: every output of every cycle. Settings: OPS (cycles), RESETS, SEED.

The memories of descriptors are the bench's own: a list per queue, linked by verdicts and unlinked by removals, as the core's
interface has it. Nothing of the golden model reaches the core.
"""

import os
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay import OccamyPipeline

LATENCY = 4  # of a verdict
INPUTS = ["arr_valid_i", "arr_queue_i", "arr_cells_i", "deq_valid_i", "deq_queue_i", "pd_there_i", "pd_cells_i"]


class Traffic:
    """Phases of arrivals and departures: (queue, cells) or None, queue or None."""

    def __init__(self, rng, queues, largest):
        self.rng, self.queues, self.largest = rng, queues, largest
        self.left = 0
        self.recent = deque([None] * 2, maxlen=2)  # queues told to send in the two cycles before

    def _phase(self):
        rng = self.rng
        self.left = rng.randint(1, 150)
        self.load, self.drain = rng.choice([0.05, 0.5, 1.0]), rng.choice([0.0, 0.05, 0.1, 0.2, 0.3, 1.0])
        self.most = rng.choice([1, self.largest, self.largest, rng.randint(1, self.largest)])
        few = rng.sample(range(self.queues), min(self.queues, rng.choice([1, 2, 2, 4])))
        self.into = rng.choice([few, few, range(self.queues)])
        self.out_of = rng.choice([few, few, range(self.queues)])

    def cycle(self):
        if self.left == 0:
            self._phase()
        self.left -= 1
        rng, arrival, departure = self.rng, None, None
        if rng.random() < self.load:
            arrival = (rng.choice(self.into), rng.choice([self.most, rng.randint(1, self.most)]))
        if rng.random() < self.drain:
            departure = rng.choice(self.out_of)
            departure = None if departure in self.recent else departure
        self.recent.append(departure)
        return arrival, departure


def model(dut):
    """The Rust type of the same parameters."""
    names = {"queues": "Queues", "cells": "Cells", "alpha_log2": "AlphaLog2", "sublists_log2": "SublistsLog2",
             "largest": "Largest", "burst": "Burst"}
    return OccamyPipeline(**{name: value(getattr(dut, parameter)) for name, parameter in names.items()})


async def ready(dut, rng):
    """From the end of a reset to the first operation: a cycle per queue, in which nothing is taken."""
    for _ in range(value(dut.Queues)):
        bench.garbage(dut, rng, INPUTS)
        await ReadOnly()
        assert dut.ready_o.value == 0
        assert dut.adm_valid_o.value == 0 and dut.out_valid_o.value == 0 and dut.row_valid_o.value == 0
        assert dut.pd_valid_o.value == 0
        await FallingEdge(dut.clk_i)


def number(handle):
    return int(handle.value)


async def drive(dut, cycles, rng):
    """From an empty buffer."""
    golden = model(dut)
    queues = value(dut.Queues)
    traffic = Traffic(rng, queues, value(dut.Largest))
    lists = [deque() for _ in range(queues)]
    due = deque([None] * LATENCY)
    asked = None
    counts = {"admitted": 0, "refused": 0, "sent": 0, "dropped": 0}
    for cycle in range(cycles):
        arrival, departure = traffic.cycle()
        bench.garbage(dut, rng, INPUTS)
        dut.arr_valid_i.value, dut.deq_valid_i.value = arrival is not None, departure is not None
        if arrival is not None:
            dut.arr_queue_i.value, dut.arr_cells_i.value = arrival
        if departure is not None:
            dut.deq_queue_i.value = departure
        if asked is not None:
            dut.pd_there_i.value = asked > 0
            if asked:
                dut.pd_cells_i.value = asked
        await ReadOnly()
        assert dut.ready_o.value == 1
        assert number(dut.free_o) == golden.free, cycle
        admitted, removed, pointers = golden.cycle(arrival, departure)
        due.append(arrival)
        wanted = due.popleft()
        assert (dut.adm_valid_o.value == 1) == (admitted is not None) == (wanted is not None), cycle
        if admitted is not None:
            assert bool(dut.adm_admitted_o.value) == admitted, cycle
        # What the descriptor memory says in the next cycle: as it stands before this one's changes.
        asked = None
        if dut.pd_valid_o.value == 1:
            head = lists[number(dut.pd_queue_o)]
            asked = head[0] if head else 0
        shown = None
        if dut.out_valid_o.value == 1:
            shown = (number(dut.out_queue_o), number(dut.out_cells_o), bool(dut.out_drop_o.value))
            assert lists[shown[0]].popleft() == shown[1], cycle
            counts["dropped" if shown[2] else "sent"] += 1
        assert shown == removed, cycle
        if admitted is not None:
            counts["admitted" if admitted else "refused"] += 1
            if admitted:
                lists[wanted[0]].append(wanted[1])
        assert (number(dut.row_count_o) if dut.row_valid_o.value == 1 else 0) == pointers, cycle
        await FallingEdge(dut.clk_i)
    dut._log.info("lockstep with OccamyPipeline: %d cycles, %s", cycles, counts)
    return counts


@cocotb.test()
async def every_cycle_is_the_models(dut):
    rng = seeded()
    await bench.start(dut)
    await ready(dut, rng)
    counts = await drive(dut, int(os.environ["OPS"]), rng)
    assert all(counts.values()), counts


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    await ready(dut, rng)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 200), rng)
        await bench.interrupt(dut, rng, ["pd_there_i", "pd_cells_i", "arr_queue_i", "deq_queue_i"])
        await ready(dut, rng)
    await drive(dut, 300, rng)
