"""What stands around the hybrid traffic manager in its bench: packets as beats, a user of the outputs, the registers."""

import re
from collections import deque
from dataclasses import dataclass, field

from flow.bench import value
from flow.cores import RTL

HEADER = (RTL / "tm_hybrid" / "tm_hybrid_csr.h").read_text()
OFFSETS = {name.lower(): int(offset, 16) for name, offset in re.findall(r"#define TM_HYBRID_(\w+) (0x\w+)u", HEADER)}
COUNTERS = {name.lower(): int(number) for name, number in re.findall(r"#define TM_HYBRID_COUNT_(\w+) (\d+)u", HEADER)}


def counter(port: int, name: str) -> int:
    """The offset of a counter of packets."""
    base, stride, step = (int(number, 16) for number in re.search(
        r"TM_HYBRID_COUNTER\(.*?\) \((0x\w+)u \+ (0x\w+)u \* \(port\) \+ (0x\w+)u", HEADER).groups())
    return base + stride * port + step * COUNTERS[name]


@dataclass
class Packet:
    """A packet: its bytes, where it goes, its rank; `wrong` makes it malformed."""

    rank: int
    port: int
    source: int
    data: bytes
    wrong: str | None = None
    beats: deque = field(default_factory=deque)

    def cut(self, lanes, ports, rng):
        """Its beats: data, keep, last, port. What nobody is to look at may be anything."""
        pieces = [self.data[at:at + lanes] for at in range(0, len(self.data), lanes)]
        for index, piece in enumerate(pieces):
            last = index == len(pieces) - 1
            keep = (1 << len(piece)) - 1
            if self.wrong == "hole" and last:
                keep = rng.choice([0, keep & ~1])
            padding = rng.getrandbits(8 * (lanes - len(piece))) if len(piece) < lanes else 0
            word = int.from_bytes(piece, "little") | padding << 8 * len(piece)
            self.beats.append((word, keep, last, ports if self.wrong == "port" else self.port))
        return self


class Input:
    """Offers a packet's beats, one after the other, with pauses; a beat that is offered stays until it is taken."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.packet, self.offered = dut, rng, None, False
        self.words = len(dut.s_tdata_i), len(dut.s_tkeep_i)

    def drive(self, load):
        dut, rng = self.dut, self.rng
        self.offered = bool(self.packet) and (self.offered or rng.random() < load)
        dut.s_tvalid_i.value = self.offered
        word, keep, last = (rng.getrandbits(width) for width in (*self.words, 1))
        rank, port, source = (rng.getrandbits(4) for _ in range(3))
        if self.offered:
            word, keep, last, to = self.packet.beats[0]
            # They count at the first beat.
            if len(self.packet.beats) == -(-len(self.packet.data) * 8 // self.words[0]):
                rank, port, source = self.packet.rank, to, self.packet.source
        dut.s_tdata_i.value, dut.s_tkeep_i.value, dut.s_tlast_i.value = word, keep, last
        dut.s_rank_i.value, dut.s_port_i.value, dut.s_source_i.value = rank, port, source

    def taken(self):
        """The packet whose last beat is taken in this cycle, if there is one."""
        if not self.offered or self.dut.s_tready_o.value != 1:
            return None
        self.offered = False
        _, _, last, _ = self.packet.beats.popleft()
        if not last:
            return None
        packet, self.packet = self.packet, None
        return packet


class Outputs:
    """Takes beats as each port is ready; `packets()` are those whose last beat is taken in this cycle."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.ready = dut, rng, 0
        self.ports, self.lanes = value(dut.Ports), value(dut.Lanes)
        self.data = [b""] * self.ports

    def drive(self, willing):
        self.ready = sum((self.rng.random() < share) << port for port, share in enumerate(willing))
        self.dut.m_tready_i.value = self.ready

    def packets(self):
        """Port, bytes and source."""
        dut, lanes = self.dut, self.lanes
        moves = int(dut.m_tvalid_o.value) & self.ready
        if not moves:
            return
        words, keeps = int(dut.m_tdata_o.value), int(dut.m_tkeep_o.value)
        lasts, sources = int(dut.m_tlast_o.value), int(dut.m_source_o.value)
        for port in range(self.ports):
            if not moves >> port & 1:
                continue
            keep = keeps >> port * lanes & (1 << lanes) - 1
            count = keep.bit_count()
            assert keep == (1 << count) - 1 and count, f"tkeep of port {port}: {keep:b}"
            word = words >> port * 8 * lanes & (1 << 8 * lanes) - 1
            self.data[port] += word.to_bytes(lanes, "little")[:count]
            if lasts >> port & 1:
                yield port, self.data[port], sources >> 8 * port & 255
                self.data[port] = b""
            else:
                assert count == lanes, "a beat before the last that is not full"
