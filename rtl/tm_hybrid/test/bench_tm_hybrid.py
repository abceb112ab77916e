"""The hybrid traffic manager in lockstep with `forebay.ThemisManager`, cycle by cycle: whether an arrival is taken or lost,
what is asked of the queue, every answer with its rank and tier; of packets each verdict, each departure and drop, every byte
at the outputs; whenever nothing is under way, what is near and far, free cells and regions; at the end every counter.
Settings: OPS (cycles), RESETS, SEED.
"""

import os
from collections import Counter, deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from driver_hybrid import COUNTERS, OFFSETS, Input, Outputs, Packet, counter
from flow import bench
from flow.bench import seeded, value
from forebay import ThemisManager

OPERATIONS = ["enqueue", "enqueue-near", "enqueue-far", None, "dequeue", "drop-largest", "swap-out", "swap-in"]
NEAR, FAR, STAGING, FULL = range(4)
SENT_NEAR, SENT_FAR, DROPPED = range(3)
LEFT = ["sent_near", "sent_far", "dropped"]


class Traffic:
    """Phases of packets, of how willing each port is, and of an HBM that stalls."""

    def __init__(self, dut, rng):
        self.rng, self.left, self.story = rng, 0, []
        self.ports, self.lanes, self.largest = value(dut.Ports), value(dut.Lanes), value(dut.LargestBytes)
        self.ranks = value(dut.Width) ** value(dut.Levels)

    def _phase(self):
        rng = self.rng
        self.left = rng.randint(20, 600)
        self.load = rng.choice([0.0, 0.1, 0.3, 0.9, 1.0])
        share = rng.choice([0.0, 0.0, 0.2, 1.0, 1.0])
        self.willing = [share * rng.choice([1.0, 1.0, 0.3]) for _ in range(self.ports)]
        self.most = rng.choice([1, self.lanes, self.largest, self.largest])
        self.spread = rng.choice([1, 2, self.ranks // 2, self.ranks, self.ranks])
        self.low = rng.randrange(self.ranks - self.spread + 1)
        self.stalls = [rng.choice([0.0, 0.0, 0.5, 0.95, 1.0]) for _ in range(3)]
        self.wrong = rng.choice([0.0, 0.0, 0.1])
        if not self.story and rng.random() < 0.4:
            self.story = [self._fill, self._drain, self._pause, self._burst]
        if self.story:
            self.story.pop(0)()

    def _fill(self):
        self.load, self.willing, self.stalls, self.left = 1.0, [0.0] * self.ports, [0.0] * 3, self.rng.randint(200, 600)
        self.low, self.spread, self.most = 2, self.ranks - 2, self.largest

    def _drain(self):
        self.load, self.willing, self.left = 0.0, [1.0] * self.ports, self.rng.randint(20, 150)

    def _pause(self):
        """What is swapped in does not come."""
        self.willing, self.stalls, self.left = [0.0] * self.ports, [0.0, 0.0, 1.0], self.rng.randint(30, 80)

    def _burst(self):
        """Urgent packets push out what is still to come."""
        self.load, self.low, self.spread, self.left = 0.6, 0, 2, self.rng.randint(50, 200)

    def cycle(self):
        if self.left == 0:
            self._phase()
        self.left -= 1

    def packet(self):
        rng = self.rng
        size = rng.choice([self.most, rng.randint(1, self.most)])
        wrong = rng.choice(["long", "hole", "port"]) if rng.random() < self.wrong else None
        if wrong == "long":
            size = self.largest + 1
        if wrong == "port" and self.ports in (2, 4, 8, 16):
            wrong = None
        packet = Packet(self.low + rng.randrange(self.spread), rng.randrange(self.ports), rng.randrange(min(self.ports, 2)),
                        rng.randbytes(size), wrong)
        return packet.cut(self.lanes, self.ports, rng)


class Bench:
    """The core with its model, from the cycle after a reset; `cycle()` compares one cycle."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.now = dut, rng, 0
        self.latency = 2 + 4 * value(dut.Levels)
        self.batch, self.regions = value(dut.Batch), value(dut.Regions)
        self.golden = ThemisManager(levels=value(dut.Levels), width=value(dut.Width), slot_bits=value(dut.SlotBits),
                                    near=value(dut.Near), high=value(dut.High), low=value(dut.Low), batch=self.batch,
                                    groups=value(dut.Groups))
        self.traffic, self.input, self.outputs = Traffic(dut, rng), Input(dut, rng), Outputs(dut, rng)
        self.packets = []
        self.asking, self.verdicts = deque(), deque()
        self.tier = {}
        self.waiting = [deque() for _ in range(value(dut.Ports))]
        self.counts, self.bytes, self.told = Counter(), Counter(), Counter()
        self.malformed, self.length, self.rests = 0, value(dut.LargestBytes), 0

    def _count(self, port, name, size):
        self.counts[port, name] += 1
        self.bytes[port, name] += size

    def _came(self, packet):
        if packet.wrong:
            self.malformed += 1
            return
        size = len(packet.data)
        self._count(packet.port, "received", size)
        if size > self.length:
            self._count(packet.port, "refused", size)
            return
        self.asking.append(len(self.packets))
        self.packets.append(packet)

    def _decide(self):
        """What the manager is asked in this cycle, and what it says, is the model's."""
        dut = self.dut
        arrival = None
        if dut.arrive_valid_o.value == 1:
            packet = self.packets[self.asking[0]]
            assert value(dut.arrive_rank_o) == packet.rank, self.now
            arrival = packet.rank, self.asking[0]
        arrived, lost, left, answer, _ = self.golden.cycle(
            arrival, bool(value(dut.depart_valid_o)), bool(value(dut.batch_ready_o)), bool(value(dut.swap_in_ready_o)))
        shown = tuple(value(getattr(dut, name)) for name in ("arrived_o", "lost_o", "departs_o", "answer_o"))
        assert shown == (arrived, lost, left, answer is not None), (self.now, shown, arrived, lost, left, answer)
        if arrived:
            self.verdicts.append((self.now + self.latency, self.asking.popleft(), lost))
        return answer

    def _verdict(self, answer):
        dut = self.dut
        due = bool(self.verdicts) and self.verdicts[0][0] == self.now
        assert (dut.verdict_o.value == 1) == due, self.now
        if not due:
            return
        _, number, lost = self.verdicts.popleft()
        packet = self.packets[number]
        size = len(packet.data)
        if lost:
            assert answer is None or not answer[0].startswith("enqueue")
            wanted = STAGING
            self._count(packet.port, "staging", size)
        elif answer[1] is None:
            wanted = FULL
            self._count(packet.port, "full", size)
        else:
            assert answer[1][1] == number
            wanted = FAR if answer[1][2] == "hbm" else NEAR
        assert (value(dut.verdict_what_o), value(dut.verdict_port_o)) == (wanted, packet.port), self.now
        assert value(dut.verdict_bytes_o) == size, self.now
        self.told[wanted] += 1

    def _answer(self, answer):
        """An answer of the queue, and the packet that leaves with it."""
        dut = self.dut
        leaves = None
        if answer is not None:
            operation, element = answer
            assert OPERATIONS[value(dut.answer_op_o)] == operation, self.now
            status = value(dut.answer_status_o)
            if element is None:
                assert status == (1 if operation.startswith("enqueue") else 2), (self.now, answer)
            else:
                rank, number, tier = element
                assert (status, value(dut.answer_rank_o), value(dut.answer_far_o)) == (0, rank, tier == "hbm"), self.now
                self.told[operation] += 1
                if operation.startswith("enqueue"):
                    self.tier[number] = tier
                elif operation.startswith("swap"):
                    self.tier[number] = "hbm" if tier == "sram" else "sram"
                else:
                    del self.tier[number]
                    leaves = number, operation, tier
        assert (dut.left_o.value == 1) == (leaves is not None), self.now
        if leaves is None:
            return
        number, operation, tier = leaves
        packet, how = self.packets[number], value(dut.left_how_o)
        # What is bound for far may not have been written yet; what is near is never far.
        assert how in ([DROPPED] if operation == "drop-largest" else [SENT_NEAR] if tier == "sram" else [SENT_NEAR, SENT_FAR])
        assert (value(dut.left_port_o), value(dut.left_bytes_o)) == (packet.port, len(packet.data)), self.now
        self._count(packet.port, LEFT[how], len(packet.data))
        if how != DROPPED:
            self.waiting[packet.port].append(packet)

    def _rest(self):
        """Nothing is under way: every packet is near or far, and nothing else is taken."""
        dut = self.dut
        if dut.rests_o.value != 1 or self.verdicts or self.asking:
            return
        near = sum(tier == "sram" for tier in self.tier.values())
        far = len(self.tier) - near
        assert (value(dut.near_o), value(dut.far_o)) == (near, far), self.now
        assert value(dut.free_cells_o) == value(dut.cells_o) - near, (self.now, near)
        used = self.regions - value(dut.free_regions_o)
        assert far <= used * self.batch and used <= far, (self.now, used, far)
        self.rests += 1

    async def cycle(self, load=None, willing=None, stalls=(0, 0, 0)):
        """One cycle; without `load` the traffic's own, else the packet at hand with that load."""
        dut, rng = self.dut, self.rng
        if load is None:
            self.traffic.cycle()
            load, willing, stalls = self.traffic.load, self.traffic.willing, self.traffic.stalls
            if self.input.packet is None:
                self.input.packet = self.traffic.packet()
        self.input.drive(load)
        self.outputs.drive(willing)
        dut.hbm_stall_i.value = sum((rng.random() < share) << bit for bit, share in enumerate(stalls))
        await ReadOnly()
        self._rest()
        answer = self._decide()
        self._verdict(answer)
        self._answer(answer)
        for port, data, source in self.outputs.packets():
            packet = self.waiting[port].popleft()
            assert data == packet.data, f"cycle {self.now}: port {port} sends other bytes"
            assert source == packet.source, self.now
        came = self.input.taken()
        if came is not None:
            self._came(came)
        self.now += 1
        await FallingEdge(dut.clk_i)

    async def read(self, offset, load=0.0):
        dut, open_ = self.dut, [1.0] * len(self.waiting)
        dut.csr_addr_i.value, dut.csr_read_i.value = offset, 1
        await self.cycle(load, open_)
        dut.csr_read_i.value = 0
        await ReadOnly()
        assert dut.csr_rvalid_o.value == 1 and dut.csr_rresp_o.value == 0
        word = value(dut.csr_rdata_o)
        await FallingEdge(dut.clk_i)
        # That cycle was the model's as well.
        self.golden.cycle(None, False, False, bool(value(dut.swap_in_ready_o)))
        self.now += 1
        return word

    async def drain(self):
        """Everything leaves; the counters are those of what was told."""
        dut, open_, began = self.dut, [1.0] * len(self.waiting), self.now
        while self.tier or any(self.waiting) or self.input.packet or self.asking or self.verdicts or dut.rests_o.value != 1:
            await self.cycle(1.0, open_)
            assert self.now < began + 100_000, "packets stay where they are"
        for _ in range(2 * self.latency):
            await self.cycle(0.0, open_)
        assert value(dut.free_regions_o) == self.regions and value(dut.free_cells_o) == value(dut.cells_o)

    async def counters(self):
        for port in range(len(self.waiting)):
            for name in COUNTERS:
                at = counter(port, name)
                packets, low, high = [await self.read(at + 4 * word) for word in range(3)]
                assert (packets, high << 32 | low) == (self.counts[port, name], self.bytes[port, name]), (port, name)
        wanted = {"malformed": self.malformed, "swapped_out": self.told["swap-out"], "swapped_in": self.told["swap-in"],
                  "near": 0, "far": 0, "errors": 0, "free_regions": self.regions, "ports": len(self.waiting),
                  "reads": await self.read(OFFSETS["writes"])}
        for name, number in wanted.items():
            shown = await self.read(OFFSETS[name])
            assert shown <= number if name == "reads" else shown == number, (name, shown, number)


async def begin(dut, rng):
    """From the end of a reset until packets are taken; nothing is before that."""
    for name in ("csr_write_i", "csr_read_i", "s_tvalid_i"):
        getattr(dut, name).value = 0
    it = Bench(dut, rng)
    while dut.ready_o.value != 1:
        await it.cycle(0.0, [1.0] * len(it.waiting))
        assert it.now < 200
    return it


@cocotb.test()
async def every_packet_is_the_models(dut):
    rng = seeded()
    await bench.start(dut)
    it = await begin(dut, rng)
    while it.now < int(os.environ["OPS"]):
        for _ in range(rng.randint(500, 4000)):
            await it.cycle()
        await it.drain()
    await it.counters()
    totals = Counter()
    for (_, name), number in it.counts.items():
        totals[name] += number
    dut._log.info("lockstep: %d cycles, %s, %d malformed, queue %s, compared at rest %d times, rows hit %d of %d", it.now,
                  dict(totals), it.malformed, dict(it.told), it.rests, value(dut.row_hits_o),
                  value(dut.row_hits_o) + value(dut.row_misses_o))
    assert all(totals[name] for name in COUNTERS if name != "refused") and it.rests and it.malformed, totals


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        it = await begin(dut, rng)
        for _ in range(rng.randint(1, 600)):
            await it.cycle()
        await bench.interrupt(dut, rng, ["s_tvalid_i", "s_tlast_i", "csr_write_i", "csr_read_i"])
    it = await begin(dut, rng)
    for _ in range(400):
        await it.cycle()
    await it.drain()


@cocotb.test()
async def what_is_swapped_in_may_be_wanted_elsewhere_before_it_comes(dut):
    """An HBM that does not answer, and urgent packets that push out what it owes: swapped out again, or dropped."""
    rng = seeded(3)
    await bench.start(dut)
    it = await begin(dut, rng)
    closed, open_, stalled = [0.0] * len(it.waiting), [1.0] * len(it.waiting), (0.0, 0.0, 1.0)

    def offer(rank):
        if it.input.packet is None:
            it.input.packet = Packet(rank, 0, 0, rng.randbytes(1)).cut(it.traffic.lanes, len(it.waiting), rng)

    for drops in [False, True] * 4:
        while value(dut.far_o) - value(dut.staged_o) < 4:
            offer(rng.randint(8, it.traffic.ranks - 1))
            await it.cycle(0.2, closed)
        while value(dut.near_o) >= value(dut.Low):
            await it.cycle(0.0, open_, stalled)
        for _ in range(40):
            await it.cycle(0.0, closed, stalled)
        for _ in range(4 * value(dut.Near)):
            offer(0)
            await it.cycle(1.0 if drops else 0.3, closed, stalled)
        await it.drain()


@cocotb.test()
async def nothing_takes_longer_than_it_is_said_to(dut):
    """A packet through an empty core, of one beat to the most."""
    rng = seeded(4)
    await bench.start(dut)
    it = await begin(dut, rng)
    open_, latency, lanes = [1.0] * len(it.waiting), it.latency, it.traffic.lanes
    for size in range(1, it.traffic.largest + 1, lanes):
        it.input.packet = Packet(rng.randrange(it.traffic.ranks), 0, 0, rng.randbytes(size)).cut(lanes, len(it.waiting), rng)
        while it.input.packet is not None:
            await it.cycle(1.0, open_)
        beats, seen = -(-size // lanes), {}
        for cycle in range(1, 12 + beats + 2 * latency):
            for name in ("arrive_valid_o", "verdict_o", "left_o", "m_tvalid_o"):
                if value(getattr(dut, name)):
                    seen.setdefault(name, cycle)
            await it.cycle(0.0, open_)
        asks = 2 + beats
        assert seen == {"arrive_valid_o": asks, "verdict_o": asks + latency, "left_o": asks + 1 + 2 * latency,
                        "m_tvalid_o": asks + 6 + 2 * latency}, (size, seen)
        await it.drain()


@cocotb.test()
async def registers_open_and_close_what_they_say(dut):
    rng = seeded(2)
    await bench.start(dut)
    it = await begin(dut, rng)
    lanes, most = it.traffic.lanes, 60
    dut.csr_addr_i.value, dut.csr_wdata_i.value, dut.csr_write_i.value = OFFSETS["length"], most, 1
    await it.cycle(0.0, [1.0] * len(it.waiting))
    dut.csr_write_i.value, it.length = 0, most
    for size in (most, most + 1, most - 1, it.traffic.largest):
        it.input.packet = Packet(3, 0, 0, rng.randbytes(size)).cut(lanes, len(it.waiting), rng)
        while it.input.packet is not None:
            await it.cycle(1.0, [1.0] * len(it.waiting))
    await it.drain()
    assert it.counts[0, "refused"] == 2
    assert await it.read(OFFSETS["id"]) == 0x46485442 and await it.read(OFFSETS["length"]) == most
    await it.counters()
