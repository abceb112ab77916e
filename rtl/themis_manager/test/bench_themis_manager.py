"""Themis's manager in lockstep with its golden model: in every cycle what is taken and lost, every answer, and what is
staged. Settings: OPS (cycles), RESETS, SEED.
"""

import os

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from flow import bench
from flow.bench import seeded, value
from forebay import ThemisManager

OPERATIONS = ["enqueue", "enqueue-near", "enqueue-far", None, "dequeue", "drop-largest", "swap-out", "swap-in"]
ARRIVAL = ["arrive_rank_i", "arrive_data_i"]
INPUTS = ["arrive_valid_i", "depart_valid_i", "batch_ready_i", "swap_in_ready_i", *ARRIVAL]


def model(dut):
    """The Rust type of the same parameters."""
    return ThemisManager(levels=value(dut.Levels), width=value(dut.Width), slot_bits=value(dut.SlotBits),
                         near=value(dut.Near), high=value(dut.High), low=value(dut.Low), batch=value(dut.Batch),
                         groups=value(dut.Groups))


class Traffic:
    """Phases of arrivals, departures and a far memory that takes batches, each at its own pace."""

    def __init__(self, dut, rng):
        self.rng, self.left = rng, 0
        self.ranks = value(dut.Width) ** value(dut.Levels)

    def _phase(self):
        rng = self.rng
        self.left = rng.choice([5, 20, 60, 150])
        self.load, self.drain = rng.choice([0, 0.3, 0.7, 1.0, 1.0]), rng.choice([0, 0.3, 0.7, 1.0])
        self.writes = rng.choice([0, 0.02, 0.1, 0.5, 1.0])
        self.swaps = rng.choice([0, 0.3, 1.0, 1.0])
        self.spread = rng.choice([1, 2, 4, self.ranks])
        self.low = rng.randrange(self.ranks - self.spread + 1)

    def cycle(self):
        if self.left == 0:
            self._phase()
        self.left -= 1
        rng = self.rng
        rank = self.low + rng.randrange(self.spread) if rng.random() < self.load else None
        return rank, rng.random() < self.drain, rng.random() < self.writes, rng.random() < self.swaps


class Elements:
    """The number, the slot and the data of every element that waits."""

    def __init__(self):
        self.words, self.slot_of, self.number_of = [], {}, {}

    def answered(self, dut, answer):
        """Checks what the core answers with the model's answer."""
        operation, element = answer
        assert OPERATIONS[value(dut.op_o)] == operation
        status = value(dut.status_o)
        if element is None:
            assert status == (1 if operation.startswith("enqueue") else 2), (operation, status)
            return
        rank, number, tier = element
        slot = value(dut.slot_o)
        assert (status, value(dut.rank_o), value(dut.far_o)) == (0, rank, int(tier == "hbm")), (operation, element)
        if operation.startswith("enqueue"):
            assert slot not in self.number_of
            self.slot_of[number], self.number_of[slot] = slot, number
            return
        assert self.slot_of[number] == slot and value(dut.data_o) == self.words[number]
        if not operation.startswith("swap"):
            del self.number_of[self.slot_of.pop(number)]

    def staged(self, dut, batch):
        """Checks the oldest staged batch."""
        assert value(dut.batch_valid_o) == (len(batch) > 0) and value(dut.batch_count_o) == len(batch)
        slot_bits, slots, bound = value(dut.SlotBits), value(dut.batch_slots_o), value(dut.batch_bound_o)
        for place in range(value(dut.Batch)):
            number = batch[place] if place < len(batch) else None
            assert (bound >> place) & 1 == (number is not None), (place, batch)
            if number is not None:
                assert (slots >> place * slot_bits) & ((1 << slot_bits) - 1) == self.slot_of[number]


async def drive(dut, cycles, rng):
    """From the cycle after a reset."""
    latency = 2 + 4 * value(dut.Levels)
    golden, traffic, elements = model(dut), Traffic(dut, rng), Elements()
    pending, asked = None, []
    counts = dict.fromkeys([*OPERATIONS, "lost"], 0)
    for cycle in range(cycles):
        rank, departs, writes, swaps = traffic.cycle()
        if pending is None and rank is not None:
            elements.words.append(rng.getrandbits(value(dut.DataW)))
            pending = (rank, len(elements.words) - 1)
        bench.garbage(dut, rng, ARRIVAL)
        dut.arrive_valid_i.value, dut.depart_valid_i.value = pending is not None, departs
        dut.batch_ready_i.value, dut.swap_in_ready_i.value = writes, swaps
        if pending is not None:
            dut.arrive_rank_i.value, dut.arrive_data_i.value = pending[0], elements.words[pending[1]]
        arrived, lost, left, answer, batch = golden.cycle(pending, departs, writes, swaps)
        await ReadOnly()
        shown = tuple(value(getattr(dut, name)) for name in ["arrive_ready_o", "lost_o", "depart_ready_o", "valid_o"])
        assert shown == (arrived, lost, left, answer is not None), (cycle, shown, arrived, lost, left, answer)
        elements.staged(dut, batch)
        # It is asked for in this cycle, and answered a latency later.
        asked.append(value(dut.swap_in_o))
        assert swaps or not asked[-1]
        assert (answer is not None and answer[0] == "swap-in") == (cycle >= latency and asked[cycle - latency])
        if answer is not None:
            elements.answered(dut, answer)
            counts[answer[0]] += 1
        counts["lost"] += lost
        if arrived:
            pending = None
        await FallingEdge(dut.clk_i)
    dut._log.info("lockstep with ThemisManager: %d cycles, %s", cycles, counts)
    return counts


@cocotb.test()
async def every_cycle_is_the_models(dut):
    rng = seeded()
    await bench.start(dut)
    counts = await drive(dut, int(os.environ["OPS"]), rng)
    assert all(number for name, number in counts.items() if name is not None), counts


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        await drive(dut, rng.randint(1, 150), rng)
        await bench.interrupt(dut, rng, INPUTS)
    await drive(dut, 300, rng)
