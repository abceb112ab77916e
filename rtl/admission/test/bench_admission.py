"""Admission in lockstep with its golden model: every output of every cycle. Settings: OPS (cycles),
RESETS, SEED.

The packets are the bench's own: a list per queue, that grows by the core's verdicts. Nothing of the
golden model reaches the core.
"""

import os
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay import AdmissionPipeline

SCHEMES = ["dt", "abm", "pushout"]
DROP, ACCEPT, PUSH_OUT = range(3)
INPUTS = ["arr_valid_i", "arr_queue_i", "arr_cells_i", "gone_valid_i", "gone_queue_i", "gone_cells_i"]
# What each scheme's model has beside queues, cells and the largest packet.
PARAMETERS = {
    "dt": {"alpha_log2": "AlphaLog2"},
    "abm": {"alpha_log2": "AlphaLog2", "classes_log2": "ClassesLog2", "congested": "Congested",
            "interval_log2": "IntervalLog2", "port_cells": "PortCells"},
    "pushout": {},
}


def number(handle):
    return int(handle.value)


def model(dut):
    """The Rust type of the same parameters."""
    scheme = SCHEMES[value(dut.Scheme)]
    names = {"queues": "Queues", "cells": "Cells", "largest": "Largest"} | PARAMETERS[scheme]
    return AdmissionPipeline(scheme, **{name: value(getattr(dut, parameter)) for name, parameter in names.items()})


class Traffic:
    """Phases of arrivals (queue, cells), and of queues that send."""

    def __init__(self, rng, queues, largest):
        self.rng, self.queues, self.largest = rng, queues, largest
        self.left = 0

    def _phase(self):
        rng = self.rng
        self.left = rng.randint(1, 200)
        self.load, self.drain = rng.choice([0.05, 0.5, 1.0]), rng.choice([0.0, 0.05, 0.2, 0.5, 1.0])
        self.obeys = rng.choice([0.0, 0.5, 1.0])  # how often a victim is dropped at once
        self.most = rng.choice([1, self.largest, self.largest, rng.randint(1, self.largest)])
        few = rng.sample(range(self.queues), min(self.queues, rng.choice([1, 2, 2, 4])))
        self.into = rng.choice([few, few, range(self.queues)])
        self.out_of = rng.choice([few, few, range(self.queues)])

    def cycle(self):
        """An arrival or None, a queue to send or None."""
        if self.left == 0:
            self._phase()
        self.left -= 1
        rng, arrival, sends = self.rng, None, None
        if rng.random() < self.load:
            arrival = (rng.choice(self.into), rng.choice([self.most, rng.randint(1, self.most)]))
        if rng.random() < self.drain:
            sends = rng.choice(self.out_of)
        return arrival, sends


async def ready(dut, rng):
    """From the end of a reset to the first operation; nothing is taken meanwhile."""
    queues = value(dut.Queues)
    pushout = SCHEMES[value(dut.Scheme)] == "pushout"
    for _ in range(1 << (queues - 1).bit_length() if pushout else queues):
        bench.garbage(dut, rng, INPUTS)
        await ReadOnly()
        assert dut.ready_o.value == 0 and dut.arr_ready_o.value == 0
        assert dut.adm_valid_o.value == 0
        await FallingEdge(dut.clk_i)


async def drive(dut, cycles, rng):
    """From an empty buffer."""
    golden = model(dut)
    pushout = SCHEMES[value(dut.Scheme)] == "pushout"
    queues = value(dut.Queues)
    traffic = Traffic(rng, queues, value(dut.Largest))
    lists = [deque() for _ in range(queues)]
    due = deque([None] * golden.latency)
    victims = deque()
    counts = {"accepted": 0, "dropped": 0, "left": 0} | ({"pushed out": 0} if pushout else {})
    for cycle in range(cycles):
        arrival, sends = traffic.cycle()
        gone = None
        if victims and rng.random() < traffic.obeys:
            victim = victims.popleft()
            if lists[victim]:
                gone = (victim, lists[victim].pop())
        elif sends is not None and lists[sends]:
            gone = (sends, lists[sends].popleft())
        bench.garbage(dut, rng, INPUTS)
        dut.arr_valid_i.value, dut.gone_valid_i.value = arrival is not None, gone is not None
        if arrival is not None:
            dut.arr_queue_i.value, dut.arr_cells_i.value = arrival
        if gone is not None:
            dut.gone_queue_i.value, dut.gone_cells_i.value = gone
            counts["left"] += 1
        await ReadOnly()
        assert dut.ready_o.value == 1
        takes = not (pushout and gone is not None)
        assert (dut.arr_ready_o.value == 1) == takes, cycle
        taken = arrival if takes else None
        assert number(dut.free_o) == golden.free, cycle
        expected = golden.cycle(taken, gone)
        due.append(taken)
        packet = due.popleft()
        assert (dut.adm_valid_o.value == 1) == (expected is not None) == (packet is not None), cycle
        if expected is not None:
            accepted, victim = expected
            verdict = ACCEPT if accepted else DROP if victim is None else PUSH_OUT
            assert number(dut.adm_verdict_o) == verdict, cycle
            if verdict == ACCEPT:
                lists[packet[0]].append(packet[1])
                counts["accepted"] += 1
            elif verdict == DROP:
                counts["dropped"] += 1
            else:
                assert number(dut.adm_victim_o) == victim, cycle
                victims.append(victim)
                counts["pushed out"] += 1
        await FallingEdge(dut.clk_i)
    dut._log.info("lockstep with AdmissionPipeline: %d cycles, %s", cycles, counts)
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
        await bench.interrupt(dut, rng, ["arr_queue_i", "arr_valid_i"])
        await ready(dut, rng)
    await drive(dut, 300, rng)
