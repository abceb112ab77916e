"""The traffic manager in lockstep with the Rust types: the verdict of every packet and what leaves the buffer with
`forebay.Buffer`, the order with the scheduler's own type, whole runs with `forebay.Switch`, the switch on chip;
every byte of every packet, every counter, and the free cells whenever nothing is under way. Settings: OPS (cycles), RESETS,
SEED.

A removal is told a cycle after it was carried out, when the verdict of that cycle has been decided without it: verdicts
first, then removals.
"""

import os
from collections import Counter, deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from driver import COUNTERS, OFFSETS, Input, Outputs, Packet, Registers, Shape, counter
from flow import bench
from flow.bench import seeded, value
from forebay import Buffer, Switch
from order import BBQ, CLUBHEAP, GEARBOX, Order

VERDICTS = {0: None, 1: "threshold", 2: "sram-full"}
CAUSES = {"threshold": "threshold", "sram-full": "full"}
OKAY, SLVERR = 0, 2
IDLE = 40  # cycles without an event after which nothing is under way


class Traffic:
    """Phases of packets, of pauses at the input, and of how willing each port is."""

    def __init__(self, shape, rng):
        self.shape, self.rng, self.left = shape, rng, 0
        self.load, self.willing = 0.0, [1.0] * shape.ports

    def _phase(self):
        rng, shape = self.rng, self.shape
        self.left = rng.randint(20, 400)
        self.load = rng.choice([0.05, 0.5, 0.9, 1.0, 1.0])
        self.willing = [rng.choice([0.0, 0.05, 0.3, 1.0, 1.0]) for _ in range(shape.ports)]
        self.into = rng.sample(range(shape.ports), rng.randint(1, shape.ports))
        self.most = rng.choice([1, shape.lanes, shape.cell, shape.largest, shape.largest])
        self.ranks = rng.choice(["class", "any", "same"])
        self.wrong, self.ends = rng.choice([0.0, 0.0, 0.05, 0.3]), 0
        if rng.random() < 0.3:
            # Every queue fills up, then falls behind its threshold.
            self.into, self.willing, self.wrong = range(shape.ports), [0.0] * shape.ports, 0.0
            self.load, self.left, self.most = 1.0, rng.randint(200, 800), shape.largest
            self.ends = 2

    def cycle(self):
        if self.left == 0:
            self._phase()
        self.left -= 1

    def _size(self):
        rng, shape = self.rng, self.shape
        if rng.randrange(3) < self.ends:
            return rng.choice([1, shape.largest])
        edge = rng.choice([shape.lanes, shape.cell, 2 * shape.cell, shape.largest])
        size = rng.choice([self.most, rng.randint(1, self.most), min(self.most, edge + rng.randint(-1, 1))])
        return max(1, min(size, shape.largest))

    def packet(self):
        rng, shape = self.rng, self.shape
        class_ = rng.randrange(shape.classes)
        any_ = rng.getrandbits(shape.field_w) >> rng.choice([0, 0, rng.randrange(shape.field_w)])
        field = {"class": class_ % (1 << shape.field_w), "any": any_, "same": 0}[self.ranks]
        wrong, size = None, self._size()
        if rng.random() < self.wrong:
            wrong = rng.choice(["long", "hole", "short", "port"])
            if wrong == "long":
                size = shape.largest + rng.choice([1, shape.lanes, 5 * shape.lanes])
            elif wrong == "short":
                size = max(size, shape.lanes + 1)
            elif wrong == "port" and shape.ports == 1 << shape.port_w:
                wrong = None
            if shape.largest < size and wrong == "short":
                wrong = "long"
        packet = Packet(rng.choice(self.into), class_, field, rng.getrandbits(shape.port_w), rng.randbytes(size), wrong)
        return packet.cut(shape, rng)


class Bench:
    """The core with its models; `cycle()` compares one cycle."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.shape = dut, rng, Shape.of(dut)
        shape = self.shape
        self.buffer = Buffer("dt", ports=shape.ports, classes=shape.classes, cell=shape.cell,
                             capacity=shape.cell * shape.cells, largest_packet=shape.largest, descriptors=shape.cells + 1,
                             alpha=2.0**shape.alpha)
        self.order = Order(dut, shape)
        self.traffic = Traffic(shape, rng)
        self.input, self.outputs, self.registers = Input(dut, rng), Outputs(dut, shape, rng), Registers(dut, rng)
        self.asked, self.let_in = deque(), deque()
        self.packets = {}
        self.queued = [deque() for _ in range(shape.ports)]
        self.waiting = [deque() for _ in range(shape.ports)]  # left the buffer, not all of it out of the port
        self.counts, self.bytes = Counter(), Counter()
        self.malformed, self.tag, self.now, self.quiet = 0, 0, 0, 0
        self.enable, self.length, self.expel = 0xFFFF, 0xFFFF, 1
        self.log = []  # of events, for a switch to be compared with

    def _count(self, port, name, size):
        self.counts[port, name] += 1
        self.bytes[port, name] += size

    def _came(self, packet):
        """Its last beat is taken."""
        if packet.wrong:
            self.malformed += 1
            return
        size = len(packet.data)
        self._count(packet.port, "received", size)
        if not self.enable >> packet.port & 1 or size > self.length:
            self._count(packet.port, "refused", size)
        else:
            self.asked.append((self.now + 5, packet))

    def _verdict(self):
        dut, shape = self.dut, self.shape
        due = bool(self.asked) and self.asked[0][0] == self.now
        assert (dut.ver_valid_o.value == 1) == due, self.now
        if not due:
            return
        _, packet = self.asked.popleft()
        size = len(packet.data)
        cause = self.buffer.enqueue(self.now, packet.port, size, class_=packet.class_, tag=self.tag)
        assert VERDICTS[value(dut.ver_verdict_o)] == cause, self.now
        assert value(dut.ver_queue_o) == packet.port * shape.classes + packet.class_, self.now
        assert value(dut.ver_bytes_o) == size, self.now
        self.log.append(("came", packet, cause, self.tag))
        if cause is None:
            self.packets[self.tag] = packet
            self.tag += 1
            self.let_in.append(packet)
        else:
            self._count(packet.port, CAUSES[cause], size)

    def _left(self):
        dut, shape = self.dut, self.shape
        if dut.left_valid_o.value != 1:
            return None
        queue, expelled = value(dut.left_queue_o), dut.left_expelled_o.value == 1
        port, class_ = divmod(queue, shape.classes)
        size, tag, _ = self.buffer.dequeue(self.now, port, class_=class_)
        packet = self.packets.pop(tag)
        assert size == len(packet.data) == value(dut.left_bytes_o), self.now
        self._count(port, "expelled" if expelled else "sent", size)
        self.log.append(("expelled" if expelled else "left", packet, None, tag))
        if not expelled:
            self.waiting[port].append(packet)
        return queue, not expelled

    async def cycle(self, load=None, willing=None):
        """One cycle; without `load` the traffic's own, else the packet at hand with that load."""
        dut = self.dut
        if load is None:
            self.traffic.cycle()
            load, willing = self.traffic.load, self.traffic.willing
            if self.input.packet is None:
                self.input.packet = self.traffic.packet()
        self.input.drive(load)
        self.outputs.drive(willing)
        self.registers.drive()
        await ReadOnly()
        before = self.tag, len(self.log)
        self._verdict()
        linked = self.order.step(self.let_in, self._left(), self.now)
        moved = False
        for port, data, class_, source in self.outputs.packets():
            packet = self.waiting[port].popleft()
            assert data == packet.data, f"cycle {self.now}: port {port} sends other bytes"
            assert class_ == (packet.class_ if self.shape.classes > 1 else 0) and source == packet.source, self.now
            moved = True
        came = self.input.taken()
        if came is not None:
            self._came(came)
        written = self.registers.step()
        if written is not None:
            offset, word = written
            if offset == OFFSETS["enable"]:
                self.enable = word & 0xFFFF
            elif offset == OFFSETS["length"]:
                self.length = word & 0xFFFF
            elif offset == OFFSETS["expel"]:
                self.expel = word & 1
        busy = came or linked or moved or before != (self.tag, len(self.log))
        self.quiet = 0 if busy else self.quiet + 1
        self.now += 1
        await FallingEdge(dut.clk_i)

    async def settle(self, willing):
        """Until nothing is under way any more; a packet that is coming in comes in."""
        self.quiet, began = 0, self.now
        while self.quiet < IDLE or self.input.packet is not None:
            await self.cycle(1.0, willing)
            assert self.now < began + 20_000, "it never comes to rest"

    async def access(self, accesses, willing):
        """The answers to accesses of registers."""
        self.registers.read = []
        self.registers.queue.extend(accesses)
        while not self.registers.idle:
            await self.cycle(1.0, willing)
        return self.registers.read

    async def drain(self):
        """Everything leaves; nothing is lost; the counters are the models'."""
        open_ = [1.0] * self.shape.ports
        await self.settle(open_)
        while any(self.waiting) or self.packets:
            before = len(self.packets), sum(map(len, self.waiting))
            await self.settle(open_)
            assert before != (len(self.packets), sum(map(len, self.waiting))), "packets stay where they are"
        assert self.buffer.occupancy[0] == 0 and not self.let_in and not self.asked
        (free, okay), (malformed, _) = await self.access([(OFFSETS["free"], None), (OFFSETS["malformed"], None)], open_)
        assert (free, okay) == (self.shape.cells, OKAY), free
        assert malformed == self.malformed
        await self.counters(open_)

    async def counters(self, willing):
        for port in range(self.shape.ports):
            for name in COUNTERS:
                at = counter(port, name)
                answers = await self.access([(at, None), (at + 4, None), (at + 8, None)], willing)
                assert all(okay == OKAY for _, okay in answers)
                (packets, _), (low, _), (high, _) = answers
                assert packets == self.counts[port, name], (port, name)
                assert high << 32 | low == self.bytes[port, name], (port, name)

    async def free_cells(self):
        """Whenever nothing is under way, the free cells are the model's."""
        before = None
        while before != len(self.log):  # with many queues, an expulsion may come after a long pause
            before = len(self.log)
            (free, _), = await self.access([(OFFSETS["free"], None)], [0.0] * self.shape.ports)
        used, all_ = self.buffer.occupancy
        assert free * self.shape.cell == all_ - used


async def begin(dut, rng):
    """From the end of a reset to the first packet: a fixed time, in which nothing is taken and nothing comes out."""
    for name in ("csr_awvalid_i", "csr_wvalid_i", "csr_arvalid_i"):
        getattr(dut, name).value = 0
    for _ in range(value(dut.ReadyAfter)):
        dut.s_tvalid_i.value, dut.s_tlast_i.value = rng.getrandbits(1), rng.getrandbits(1)
        dut.m_tready_i.value = rng.getrandbits(len(dut.m_tready_i))
        await ReadOnly()
        assert dut.ready_o.value == 0 and dut.s_tready_o.value == 0
        assert dut.m_tvalid_o.value == 0 and dut.ver_valid_o.value == 0 and dut.left_valid_o.value == 0
        await FallingEdge(dut.clk_i)
    dut.s_tvalid_i.value = 0
    await ReadOnly()
    assert dut.ready_o.value == 1
    await FallingEdge(dut.clk_i)
    return Bench(dut, rng)


@cocotb.test()
async def every_packet_is_the_models(dut):
    rng = seeded()
    await bench.start(dut)
    it = await begin(dut, rng)
    shape = it.shape
    cycles = int(os.environ["OPS"])
    while it.now < cycles:
        for _ in range(rng.randint(200, 1500)):
            await it.cycle()
            if it.registers.idle and rng.random() < 0.01:
                it.registers.queue.append(rng.choice([
                    (OFFSETS["enable"], rng.choice([0xFFFF, 0xFFFF, rng.getrandbits(32)])),
                    (OFFSETS["length"], rng.choice([0xFFFF, 0xFFFF, rng.randint(0, 2 * shape.largest)])),
                    (OFFSETS["expel"], rng.choice([1, 1, 0])), (OFFSETS["free"], None)]))
        while not it.registers.idle:
            await it.cycle()
        if rng.random() < 0.5:
            await it.settle([0.0] * shape.ports)
            await it.free_cells()
        else:
            await it.drain()
    await it.drain()
    totals = Counter()
    for (_, name), number in it.counts.items():
        totals[name] += number
    dut._log.info("lockstep: %d cycles, %s, %d malformed, elements %s", it.now, dict(totals), it.malformed,
                  dict(it.order.met))
    assert all(totals[name] for name in COUNTERS) and it.malformed, totals


@cocotb.test()
async def a_reset_in_traffic_forgets_everything(dut):
    rng = seeded(1)
    await bench.start(dut)
    for _ in range(int(os.environ["RESETS"])):
        it = await begin(dut, rng)
        for _ in range(rng.randint(1, 250)):
            await it.cycle()
        await bench.interrupt(dut, rng, ["s_tvalid_i", "s_tlast_i", "csr_awvalid_i", "csr_wvalid_i", "csr_arvalid_i"])
    it = await begin(dut, rng)
    for _ in range(400):
        await it.cycle()
    await it.drain()


@cocotb.test()
async def a_packet_that_comes_as_another_leaves_is_not_forgotten(dut):
    """Two packets of a queue, so many cycles one behind the other: from the first in the input to the first gone."""
    rng = seeded(5)
    await bench.start(dut)
    it = await begin(dut, rng)
    shape, open_ = it.shape, [1.0] * it.shape.ports
    for gap in range(45):
        for pause in (gap, 0):
            it.input.packet = Packet(1, 0, 0, 0, rng.randbytes(1)).cut(shape, rng)
            while it.input.packet is not None:
                await it.cycle(1.0, open_)
            for _ in range(pause):
                await it.cycle(1.0, open_)
        await it.settle(open_)
        assert not it.packets and not any(it.waiting), f"a packet stays, {gap} cycles behind the one before it"


@cocotb.test()
async def registers_answer_as_they_are_described(dut):
    rng = seeded(2)
    await bench.start(dut)
    it = await begin(dut, rng)
    shape, closed = it.shape, [0.0] * it.shape.ports
    wanted = {"id": 0x464F544D, "ports": shape.ports, "classes": shape.classes, "cells": shape.cells,
              "cell_bytes": shape.cell, "alpha_log2": shape.alpha, "largest": shape.largest, "free": shape.cells,
              "malformed": 0, "expel": 1, "enable": 0xFFFF, "length": 0xFFFF}
    answers = await it.access([(OFFSETS[name], None) for name in wanted], closed)
    assert answers == [(word, OKAY) for word in wanted.values()]
    for name in ("expel", "enable", "length"):
        word = 0 if name == "expel" else 0x1234
        answers = await it.access([(OFFSETS[name], word | 0xABCD0000), (OFFSETS[name], None)], closed)
        assert answers == [(None, OKAY), (word, OKAY)]
    # What there is not, and what is only read.
    holes = [0x024, 0x3FC, counter(shape.ports, "received"), counter(0, "expelled") + 16, counter(0, "received") + 12]
    for offset in holes:
        if offset < 1 << 12:
            (_, okay), = await it.access([(offset, None)], closed)
            assert okay == SLVERR, hex(offset)
    for offset in [OFFSETS["id"], OFFSETS["free"], counter(0, "sent"), 0x024]:
        (_, okay), = await it.access([(offset, 0xFFFFFFFF)], closed)
        assert okay == SLVERR, hex(offset)
    answers = await it.access([(OFFSETS["id"], None), (OFFSETS["free"], None)], closed)
    assert answers == [(wanted["id"], OKAY), (wanted["free"], OKAY)]


@cocotb.test()
async def with_strict_priorities_it_is_the_switch_on_chip(dut):
    """One packet at a time, until nothing is under way: ports fill and are drained; then every verdict and every departure is
    that of the switch, its free cells as well."""
    rng = seeded(3)
    await bench.start(dut)
    it = await begin(dut, rng)
    shape = it.shape
    if shape.scheduler not in (BBQ, CLUBHEAP):
        return  # they have no priorities
    closed = [0.0] * shape.ports
    await it.access([(OFFSETS["expel"], 0)], closed)
    extra = {"scheduler": "strict-priority"} if shape.classes > 1 else {}
    switch = Switch("dt", ["100 Gb/s"] * shape.ports, buffer=shape.cell * shape.cells, cell=shape.cell,
                    ports_per_pool=shape.ports, largest_packet=shape.largest, classes=shape.classes,
                    alpha=2.0**shape.alpha, **extra)
    lost = sent = 0
    for phase in range(int(os.environ["PHASES"])):
        few = rng.sample(range(shape.ports), rng.randint(1, shape.ports))
        most = rng.choice([shape.cell, shape.largest])
        if phase == 0:
            few, most = [1], shape.largest
        for _ in range(60 if phase == 0 else rng.randint(10, 60)):
            class_ = rng.randrange(shape.classes)
            it.input.packet = Packet(rng.choice(few), class_, class_, 0, rng.randbytes(rng.randint(1, most))).cut(shape, rng)
            await it.settle(closed)
        for port in rng.sample(range(shape.ports), rng.randint(1, shape.ports)):
            await it.settle([float(port == open_) for open_ in range(shape.ports)])
        for what, packet, cause, tag in it.log:
            if what == "came":
                answer = switch.enqueue(it.now, packet.port, len(packet.data), class_=packet.class_, tag=tag)
                # The switch has a descriptor for each cell, so both run out at once, and it looks at descriptors first.
                assert ("sram-full" if answer == "no-descriptor" else answer) == cause
                lost += cause is not None
            else:
                assert what == "left"
                size, sent_tag, *_ = switch.dequeue(it.now, packet.port)
                assert (size, sent_tag) == (len(packet.data), tag)
                sent += 1
        it.log = []
        assert switch.backlog == sum(len(packet.data) for packet in it.packets.values())
        await it.free_cells()
    dut._log.info("the switch on chip: %d lost, %d sent", lost, sent)
    assert lost and sent


@cocotb.test()
async def nothing_takes_longer_than_it_is_said_to(dut):
    """A packet through an empty core: cycles from its last beat in to its first beat out. And a port by itself: cycles from a
    packet to the next, of short ones and of the largest."""
    rng = seeded(4)
    await bench.start(dut)
    it = await begin(dut, rng)
    shape, open_ = it.shape, [1.0] * it.shape.ports
    await it.access([(OFFSETS["expel"], 0)], open_)
    order = value(dut.u_ports.u_scheduler.Latency)
    # A key that comes later than the verdict; an operation of Gearbox in every second cycle.
    late, slot = max(0, value(dut.u_ports.u_scheduler.KeyAfter) - 5), 2 if shape.scheduler == GEARBOX else 1

    async def put(size):
        it.input.packet = Packet(1, 0, 0, 0, rng.randbytes(size)).cut(shape, rng)
        while it.input.packet is not None:
            await it.cycle(1.0, open_)

    for size in [1, shape.lanes, shape.cell + 1, shape.largest]:
        await put(size)
        last, beats = it.now - 1, -(-size // shape.lanes)
        while not int(dut.m_tvalid_o.value):
            await it.cycle(1.0, open_)
            assert it.now < last + 200 + beats, "it never leaves"
        least = 5 + late + beats + order + 12
        assert least <= it.now - last <= least + 2 * (slot - 1), (size, it.now - last)
        dut._log.info("%d bytes: %d cycles", size, it.now - last)
        await it.settle(open_)
    for size in [1, shape.largest]:
        it.log, left = [], []
        beats = -(-size // shape.lanes)
        while len(left) < 6:
            it.input.packet = it.input.packet or Packet(1, 0, 0, 0, rng.randbytes(size)).cut(shape, rng)
            await it.cycle(1.0, open_)
            left += [it.now for what, *_ in it.log if what == "left"]
            it.log = []
        gaps = {after - before for before, after in zip(left[2:], left[3:], strict=False)}
        dut._log.info("%d bytes: a packet in %s cycles", size, gaps)
        least = max(beats, order + 7)
        assert min(gaps) >= least and max(gaps) < least + slot, (size, gaps)
        await it.drain()
