"""The driver behind `forebay replay --rtl --switch themis`: it tells each cycle and each packet's way, whole, through SRAM and
HBM; what its assertions say ends it."""

import random
import struct
import subprocess
from collections import Counter

from flow.cores import load
from flow.model import model

SHAPE = {"Ports": 2, "DataW": 64, "CellBeatsLog2": 4, "LargestBytes": 100, "Width": 4, "SlotBits": 6, "Near": 12, "High": 8,
         "Low": 4, "Batch": 4, "Regions": 16}
MALFORMED, VERDICT, LEFT, OUT, COUNTER, END, REGISTER, CYCLE, LEVEL = 0, 1, 4, 6, 8, 9, 10, 11, 12
SWAPPED_OUT, SWAPPED_IN, WRITES, READS = 5, 6, 7, 8


def stream(packets):
    """Packets as the driver reads them: earliest cycle, bytes, rank, port."""
    return b"".join(struct.pack("<QIIHBB", earliest, len(data), rank, port, 0, 1) + data
                    for earliest, data, rank, port in packets)


def events(told: bytes):
    """Cycle, kind, small, queue, value and bytes of each event."""
    at = 0
    while at < len(told):
        cycle, kind, small, queue, value = struct.unpack_from("<QBBHI", told, at)
        at += 16
        data = told[at:at + value] if kind == OUT else b""
        at += len(data)
        yield cycle, kind, small, queue, value, data


def test_every_packet_is_told_whole():
    rng = random.Random(1)
    packets = [(10 * number, rng.randbytes(rng.randint(1, 103)), rng.randrange(16), rng.randrange(2)) for number in range(600)]
    share = ",".join([str(1 << 29)] * 2)
    done = subprocess.run([model(load()["tm_hybrid"], SHAPE), share], input=stream(packets), capture_output=True, check=True)
    told = list(events(done.stdout))
    kinds = Counter(kind for _, kind, *_ in told)
    fitting = Counter(data for _, data, _, _ in packets if len(data) <= 100)
    assert kinds[MALFORMED] == len(packets) - fitting.total() > 0 and kinds[VERDICT] == fitting.total()
    lost = sum(kind == VERDICT and small > 1 for _, kind, small, *_ in told)
    ways = Counter(small for _, kind, small, *_ in told if kind == LEFT)
    assert lost + ways.total() == fitting.total() and ways[0] + ways[1] == kinds[OUT]
    out = Counter(data for *_, data in told if data)
    assert out.total() == kinds[OUT] and out <= fitting
    registers = {small: value for _, kind, small, _, value, _ in told if kind == REGISTER}
    assert all(registers[number] > 0 for number in (SWAPPED_OUT, SWAPPED_IN, WRITES, READS)), registers
    assert [kind for _, kind, *_ in told][-1] == END and kinds[COUNTER] == 14 and len(registers) == 10
    # At the end nothing was under way, and that was told: packets near and far, free cells and regions.
    rest = [(small, value) for _, kind, small, _, value, _ in told if kind == LEVEL and 2 <= small <= 5][-4:]
    assert rest[:2] == [(2, 0), (3, 0)] and rest[3] == (5, SHAPE["Regions"]) and kinds[CYCLE] > 6000


def test_what_is_wrong_with_the_call_is_said():
    program = model(load()["tm_hybrid"], SHAPE)
    done = subprocess.run([program, "1,1,1"], input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "3 shares for 2 ports" in done.stderr
    done = subprocess.run([program], input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "usage: tm_hybrid_replay SHARES" in done.stderr
