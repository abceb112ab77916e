"""Gearbox in lockstep with its golden model: every answer of every slot, and the system time. Settings: OPS (slots), RESETS,
SEED.

A slot is two cycles; an enqueue and a dequeue may be taken in the second of them. The bench calls the Rust type when it
offers an operation and compares its answers when the core's are due.
"""

import os
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay import GearboxCore

LATENCY = 6
PACKET = ["enq_pointer_i", "enq_length_i", "enq_time_i", "enq_flow_i"]
INPUTS = ["enq_valid_i", "deq_valid_i", *PACKET]


class Traffic:
    """Phases of packets and requests: (pointer, length, time, flow) or None, and whether one is to leave."""

    def __init__(self, dut, rng):
        self.rng, self.left = rng, 0
        self.flows = 1 << value(dut.FlowsLog2)
        self.widths = [len(getattr(dut, name)) for name in PACKET]
        self.set = 1 << value(dut.FifosLog2)
        self.levels, self.places = value(dut.Levels), value(dut.PlacesLog2)

    def _phase(self):
        rng = self.rng
        self.left = rng.choice([1, 10, 60, 150, 400])
        self.load, self.drain = rng.choice([0.1, 0.5, 1.0, 1.0]), rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])
        self.among = rng.sample(range(self.flows), min(self.flows, rng.choice([1, 1, 2, 3, 8, 1000])))
        self.least = rng.choice([0, 1, 1, 64])
        self.most = rng.choice([1, 2, 64, (1 << self.widths[1]) - 1])
        # Times about the ends of an interval, of a set and of two of some level, or any below that.
        span = self.set ** rng.randint(0, self.levels)
        self.spans = [rng.choice([1, 2, span, span, self.set * span, 2 * self.set * span]) for _ in range(2)]
        self.near = rng.random() < 0.5
        if rng.random() < 0.1:  # fill a FIFO, or a few
            self.left, self.load, self.drain = (3 << self.places) // 2, 1.0, rng.choice([0.0, 0.1])
            self.among, self.spans, self.near = self.among[:2], [0], False

    def slot(self):
        if self.left == 0:
            self._phase()
        self.left -= 1
        rng, packet = self.rng, None
        if rng.random() < self.load:
            span = rng.choice(self.spans)
            time = max(0, span + rng.randint(-2, 1)) if self.near else rng.randint(0, span)
            length = min(rng.randint(min(self.least, self.most), self.most), (1 << self.widths[1]) - 1)
            packet = (rng.getrandbits(self.widths[0]), length, min(time, (1 << self.widths[2]) - 1), rng.choice(self.among))
        return packet, rng.random() < self.drain


def model(dut):
    """The Rust type of the same parameters."""
    return GearboxCore(levels=value(dut.Levels), fifos_log2=value(dut.FifosLog2), places_log2=value(dut.PlacesLog2),
                       flows_log2=value(dut.FlowsLog2), step_down=bool(value(dut.StepDown)))


def ready_after(dut):
    """Cycles after a reset in which nothing is taken."""
    return max(1 << value(dut.FlowsLog2), 4 << value(dut.FifosLog2)) + 1


async def ready(dut, rng):
    """From the end of a reset to the first operation."""
    for _ in range(ready_after(dut)):
        bench.garbage(dut, rng, INPUTS)
        await ReadOnly()
        assert dut.ready_o.value == 0
        assert dut.enq_valid_o.value == 0 and dut.deq_valid_o.value == 0
        assert value(dut.system_time_o) == 0
        await FallingEdge(dut.clk_i)


def answers(golden, packet, asks):
    """What the golden model says to a slot: of the enqueue, of the dequeue, and the system time."""
    waits = left = None
    if packet is not None:
        cause, place = golden.enqueue(*packet)
        waits = ("waits", *place[1:]) if cause is None else (cause,)
    if asks:
        found = golden.dequeue()
        left = ("none",) if found is None else (*found[0], *found[1][1:])
    return waits, left, golden.system_time


def shown(dut):
    """What the core says in this cycle."""
    waits = left = None
    if dut.enq_valid_o.value == 1:
        if dut.enq_waits_o.value == 1:
            waits = ("waits", value(dut.enq_level_o), value(dut.enq_fifo_o))
        else:
            waits = ("horizon" if dut.enq_horizon_o.value == 1 else "queue-full",)
    if dut.deq_valid_o.value == 1:
        left = ("none",)
        if dut.deq_found_o.value == 1:
            left = tuple(value(getattr(dut, f"deq_{name}_o")) for name in ["pointer", "length", "flow", "level", "fifo"])
    return waits, left, value(dut.system_time_o)


async def drive(dut, slots, rng):
    """From an empty core, in a cycle in which operations are taken."""
    golden, traffic = model(dut), Traffic(dut, rng)
    due = deque([None] * LATENCY)
    counts = {"waits": 0, "horizon": 0, "queue-full": 0, "left": 0, "none": 0}
    for cycle in range(2 * slots):
        takes = cycle % 2 == 0
        bench.garbage(dut, rng, INPUTS)
        said = None
        if takes:
            packet, asks = traffic.slot()
            dut.enq_valid_i.value, dut.deq_valid_i.value = packet is not None, asks
            if packet is not None:
                for name, field in zip(PACKET, packet, strict=True):
                    getattr(dut, name).value = field
            said = answers(golden, packet, asks)
        await ReadOnly()
        assert (dut.ready_o.value == 1) == takes
        due.append(said)
        expected, found = due.popleft(), shown(dut)
        if expected is None:
            assert found[:2] == (None, None), cycle
        else:
            assert found == expected, (cycle, found, expected)
            if expected[0] is not None:
                counts[expected[0][0]] += 1
            if expected[1] is not None:
                counts["none" if expected[1] == ("none",) else "left"] += 1
        await FallingEdge(dut.clk_i)
    dut._log.info("lockstep with GearboxCore: %d slots, %s", slots, counts)
    return counts


@cocotb.test()
async def every_answer_is_the_models(dut):
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
        await drive(dut, rng.randint(1, 150), rng)
        await bench.interrupt(dut, rng, INPUTS)
        await ready(dut, rng)
    await drive(dut, 300, rng)
