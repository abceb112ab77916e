"""A capture through the traffic manager in lockstep with the models: its packets back to back, and ports that together are
slower than the input, so that the buffer fills. A flow's packets go to one port; the precedence decides the class, and the
highest goes first. Settings: CAPTURE (a file), PACKETS (at most so many), SEED."""

import os
from collections import Counter
from itertools import islice
from pathlib import Path

import cocotb
from bench_tm import begin
from capture import fields, records
from driver import COUNTERS, Packet
from flow import bench
from flow.bench import seeded


def packets(path, shape, rng):
    """The capture's packets as the core gets them."""
    for data in records(path):
        flow, precedence = fields(data)
        class_ = (7 - precedence) * shape.classes // 8
        wrong = "long" if len(data) > shape.largest else None
        yield Packet(flow % shape.ports, class_, class_, rng.getrandbits(shape.port_w), data, wrong).cut(shape, rng)


@cocotb.test()
async def a_capture_goes_through_in_lockstep(dut):
    rng = seeded()
    await bench.start(dut)
    it = await begin(dut, rng)
    shape = it.shape
    slow = [0.9 / shape.ports] * shape.ports
    offered = 0
    for packet in islice(packets(Path(os.environ["CAPTURE"]), shape, rng), int(os.environ["PACKETS"])):
        it.input.packet = packet
        offered += 1
        while it.input.packet is not None:
            await it.cycle(1.0, slow)
    assert offered, "the capture is empty"
    came = sum(it.counts[port, "received"] for port in range(shape.ports)) + it.malformed
    await it.drain()
    totals = Counter()
    for (_, name), number in it.counts.items():
        totals[name] += number
    assert came <= offered == totals["received"] + it.malformed
    dut._log.info("capture: %d packets in %d cycles: %s, %d too long", offered, it.now,
                  ", ".join(f"{totals[name]} {name}" for name in COUNTERS), it.malformed)
