"""WSJF in lockstep with its golden model, `forebay.WsjfCore`, which is `forebay-surge`'s scheduler: every answer and every
drop, with its cycle, rank and data, and in every cycle how many wait and whether an operation is taken. Settings: OPS
(cycles), RESETS, SEED.

A request goes before the arrival that comes with it; the model is asked when an operation is taken.
"""

import os

import cocotb
from cocotb.triggers import FallingEdge
from flow import bench
from flow.bench import seeded, value
from forebay import WsjfCore

SIZES = ["arr_work_i", "arr_size_i", "arr_data_i"]
INPUTS = ["arr_valid_i", "srv_valid_i", *SIZES]


def latency(dut):
    """What the head comments promise, from the public parameters."""
    widest = max(value(dut.WorkW), value(dut.SizeW))
    steps = max(1, (widest - 1).bit_length())
    return (steps + 1) // 2 + value(dut.Bits) + 3 + 6 + 4 * (value(dut.Levels) - 1)


def model(dut):
    """The Rust type of the same parameters."""
    return WsjfCore(capacity=value(dut.Capacity), bits=value(dut.Bits), fraction=value(dut.Fraction))


class Traffic:
    """Phases of jobs (size, packet size, data) or None, and whether one is to be served."""

    def __init__(self, dut, rng):
        self.rng, self.left = rng, 0
        self.widths = [len(getattr(dut, name)) for name in SIZES]
        self.capacity = value(dut.Capacity)

    def _number(self, width):
        """Of any length, often of few bits that are set."""
        rng, bits = self.rng, self.rng.randint(0, width)
        if rng.random() < 0.3:
            return min((1 << bits) + rng.randint(-1, 1), (1 << width) - 1) if bits else 0
        return rng.getrandbits(bits) if bits else 0

    def _phase(self):
        rng = self.rng
        self.left = rng.choice([1, 10, 60, 150, 2 * self.capacity])
        self.load, self.drain = rng.choice([0.1, 0.5, 1.0, 1.0]), rng.choice([0.0, 0.0, 0.1, 0.5, 0.9, 1.0])
        few = rng.choice([1, 2, 5])
        self.jobs = [self._job() for _ in range(few)] if rng.random() < 0.4 else None

    def _job(self):
        return self._number(self.widths[0]), self._number(self.widths[1])

    def next(self):
        if self.left == 0:
            self._phase()
        self.left -= 1
        rng, job = self.rng, None
        if rng.random() < self.load:
            job = (*(rng.choice(self.jobs) if self.jobs else self._job()), rng.getrandbits(self.widths[2]))
        return job, rng.random() < self.drain


async def ready(dut, rng):
    """From the end of a reset to the first operation: one cycle, whatever is on the inputs."""
    bench.garbage(dut, rng, INPUTS)
    assert not dut.ready_o.value
    assert not dut.srv_valid_o.value and not dut.drop_valid_o.value, "an answer from before the reset"
    await FallingEdge(dut.clk_i)


def shown(dut):
    """What the core answers in this cycle: to a request, and of a drop."""
    served = dropped = None
    if dut.srv_valid_o.value:
        served = (value(dut.srv_rank_o), value(dut.srv_data_o)) if dut.srv_found_o.value else "none"
    if dut.drop_valid_o.value:
        dropped = (bool(dut.drop_newcomer_o.value), value(dut.drop_rank_o), value(dut.drop_data_o))
    return served, dropped


async def drive(dut, cycles, rng, drain=True):
    """From an empty core that is ready. `drain`: waits for the last answer."""
    golden, traffic, delay = model(dut), Traffic(dut, rng), latency(dut)
    assert value(dut.Latency) == delay
    served, dropped = {}, {}
    counts = {"arrived": 0, "displaced": 0, "refused": 0, "served": 0, "none": 0}
    second = False
    for cycle in range(cycles + (delay + 3 if drain else 0)):
        expected = served.pop(cycle, None), dropped.pop(cycle, None)
        assert shown(dut) == expected, f"cycle {cycle}: got {shown(dut)}, expected {expected}"
        assert bool(dut.ready_o.value) != second, cycle
        assert value(dut.count_o) == len(golden), cycle
        bench.garbage(dut, rng, INPUTS)
        if second:
            second = False
        else:
            job, asks = traffic.next() if cycle < cycles else (None, False)
            dut.arr_valid_i.value, dut.srv_valid_i.value = job is not None, asks
            full = len(golden) == traffic.capacity
            if asks:
                served[cycle + delay] = golden.poll() or "none"
                counts["none" if served[cycle + delay] == "none" else "served"] += 1
            if job is not None:
                for name, field in zip(SIZES, job, strict=True):
                    getattr(dut, name).value = field
                second = asks or full
                counts["arrived"] += 1
                out = golden.offer(*job)
                assert (out is not None) == (full and not asks)
                if out is not None:
                    dropped[cycle + delay + 1] = out
                    counts["refused" if out[0] else "displaced"] += 1
        await FallingEdge(dut.clk_i)
    assert not drain or not (served or dropped)
    dut._log.info("lockstep with WsjfCore: %d cycles, %s", cycles, counts)
    return counts


@cocotb.test()
async def every_answer_and_every_drop_is_the_models(dut):
    rng = seeded()
    await bench.start(dut)
    await ready(dut, rng)
    counts = await drive(dut, int(os.environ["OPS"]), rng)
    assert all(counts.values()), counts


@cocotb.test()
async def an_arrival_every_two_cycles_whatever_comes(dut):
    """Under arrivals without a pause, with and without requests: none waits longer than one cycle to be taken."""
    rng = seeded(2)
    await bench.start(dut)
    await ready(dut, rng)
    capacity = value(dut.Capacity)
    for drain in [0.0, 0.5, 1.0]:
        waited = 0
        for cycle in range(3 * capacity + 200):
            taken = bool(dut.ready_o.value)
            waited = 0 if taken else waited + 1
            assert waited <= 1, cycle
            bench.garbage(dut, rng, SIZES)
            dut.arr_valid_i.value, dut.srv_valid_i.value = 1, rng.random() < drain
            await FallingEdge(dut.clk_i)


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    await ready(dut, rng)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 150), rng, drain=False)
        await bench.interrupt(dut, rng, INPUTS)
        await ready(dut, rng)
    await drive(dut, 300, rng)
