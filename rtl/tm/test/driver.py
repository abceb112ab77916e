"""What stands around the traffic manager in its benches: packets as beats, a user of the outputs, a master of the registers."""

import dataclasses
import re
from collections import deque
from dataclasses import dataclass

from flow.bench import value
from flow.cores import RTL

HEADER = (RTL / "tm" / "tm_csr.h").read_text()
OFFSETS = {name.lower(): int(offset, 16) for name, offset in re.findall(r"#define TM_(\w+) (0x\w+)u", HEADER)}
COUNTERS = {name.lower(): int(number) for name, number in re.findall(r"#define TM_COUNT_(\w+) (\d+)u", HEADER)}


def counter(port: int, name: str) -> int:
    """The offset of a counter of packets."""
    base, stride, step = (int(number, 16) for number in re.search(
        r"TM_COUNTER\(.*?\) \((0x\w+)u \+ (0x\w+)u \* \(port\) \+ (0x\w+)u", HEADER).groups())
    return base + stride * port + step * COUNTERS[name]


@dataclass(frozen=True)
class Shape:
    """Parameters of the core, and what follows from them."""

    ports: int
    classes: int
    lanes: int
    cell: int
    cells: int
    largest: int
    alpha: int
    port_w: int
    class_w: int
    field_w: int
    key_w: int
    scheduler: int
    levels: int
    width: int
    fraction: int
    rank_bits: int

    @classmethod
    def of(cls, dut):
        return cls(ports=value(dut.Ports), classes=value(dut.Classes), lanes=value(dut.DataW) // 8,
                   cell=value(dut.DataW) // 8 << value(dut.CellBeatsLog2), cells=value(dut.Cells),
                   largest=value(dut.LargestBytes), alpha=value(dut.AlphaLog2), port_w=value(dut.PortW),
                   class_w=value(dut.ClassW), field_w=value(dut.FieldW), key_w=value(dut.KeyW),
                   scheduler=value(dut.Scheduler), levels=value(dut.Levels), width=value(dut.Width),
                   fraction=value(dut.Fraction), rank_bits=value(dut.RankBits))

    def user(self, port, class_, field, source):
        """`s_tuser_i`."""
        return ((field << self.class_w | class_) << self.port_w | port) << self.port_w | source

    def cells_of(self, size):
        return -(-size // self.cell)


@dataclass
class Packet:
    """A packet: its bytes, and where it goes. `wrong` makes it malformed."""

    port: int
    class_: int
    field: int
    source: int
    data: bytes
    wrong: str | None = None
    beats: deque = dataclasses.field(default_factory=deque)

    def cut(self, shape: Shape, rng):
        """Its beats: data, keep, last, user. What nobody is to look at may be anything."""
        lanes, whole = shape.lanes, (1 << shape.lanes) - 1
        pieces = [self.data[at:at + lanes] for at in range(0, len(self.data), lanes)]
        port = shape.ports if self.wrong == "port" else self.port
        user = shape.user(port, self.class_, self.field, self.source)
        hole = rng.randrange(len(pieces))
        self.beats = deque()
        for index, piece in enumerate(pieces):
            last = index == len(pieces) - 1
            keep = (1 << len(piece)) - 1
            if self.wrong == "hole" and index == hole:
                keep = rng.choice([0, 2, keep & ~1])
            if self.wrong == "short" and not last and index == min(hole, len(pieces) - 2):
                keep = whole >> rng.randint(1, lanes - 1)
            padding = rng.getrandbits(8 * (lanes - len(piece))) if len(piece) < lanes else 0
            word = int.from_bytes(piece, "little") | padding << 8 * len(piece)
            self.beats.append((word, keep, last, user if index == 0 else rng.getrandbits(shape.field_w)))
        return self


class Input:
    """Offers a packet's beats, one after the other, with pauses; a beat that is offered stays until it is taken."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.packet, self.offered = dut, rng, None, False
        self.widths = {name: len(getattr(dut, name)) for name in ("s_tdata_i", "s_tkeep_i", "s_tuser_i")}

    def drive(self, load):
        dut, rng = self.dut, self.rng
        self.offered = bool(self.packet) and (self.offered or rng.random() < load)
        dut.s_tvalid_i.value = self.offered
        if self.offered:
            word, keep, last, user = self.packet.beats[0]
            dut.s_tdata_i.value, dut.s_tkeep_i.value = word, keep
            dut.s_tlast_i.value, dut.s_tuser_i.value = last, user
        else:
            for name, width in self.widths.items():
                getattr(dut, name).value = rng.getrandbits(width)
            dut.s_tlast_i.value = rng.getrandbits(1)

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

    def __init__(self, dut, shape, rng):
        self.dut, self.shape, self.rng = dut, shape, rng
        self.ready = 0
        self.data = [b""] * shape.ports

    def drive(self, willing):
        bits = [self.rng.random() < share for share in willing]
        self.ready = sum(bit << port for port, bit in enumerate(bits))
        self.dut.m_tready_i.value = self.ready

    def packets(self):
        """Port, bytes, class and source."""
        dut, shape = self.dut, self.shape
        moves = int(dut.m_tvalid_o.value) & self.ready
        if not moves:
            return
        words, keeps = int(dut.m_tdata_o.value), int(dut.m_tkeep_o.value)
        lasts, users = int(dut.m_tlast_o.value), int(dut.m_tuser_o.value)
        width = shape.class_w + shape.port_w
        for port in range(shape.ports):
            if not moves >> port & 1:
                continue
            keep = keeps >> port * shape.lanes & (1 << shape.lanes) - 1
            count = keep.bit_count()
            assert keep == (1 << count) - 1 and count, f"tkeep of port {port}: {keep:b}"
            word = words >> port * 8 * shape.lanes & (1 << 8 * shape.lanes) - 1
            self.data[port] += word.to_bytes(shape.lanes, "little")[:count]
            if lasts >> port & 1:
                user = users >> port * width & (1 << width) - 1
                yield port, self.data[port], user >> shape.port_w, user & (1 << shape.port_w) - 1
                self.data[port] = b""
            else:
                assert count == shape.lanes, "a beat before the last that is not full"


class Registers:
    """One access at a time; an access is (offset, None) to read or (offset, word) to write."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.queue, self.read = dut, rng, deque(), []
        self.waits = None  # for the answer to: "read" or "write"

    @property
    def idle(self):
        return not self.queue and self.waits is None

    def drive(self):
        dut, rng = self.dut, self.rng
        access = self.queue[0] if self.queue and self.waits is None else None
        writes = access is not None and access[1] is not None
        dut.csr_awvalid_i.value = dut.csr_wvalid_i.value = writes
        dut.csr_arvalid_i.value = access is not None and not writes
        dut.csr_awaddr_i.value = access[0] if writes else rng.getrandbits(12)
        dut.csr_araddr_i.value = access[0] if access is not None and not writes else rng.getrandbits(12)
        dut.csr_wdata_i.value = access[1] if writes else rng.getrandbits(32)
        dut.csr_wstrb_i.value = 15
        self.takes = rng.random() < 0.7
        dut.csr_bready_i.value = dut.csr_rready_i.value = self.takes

    def step(self):
        """What is written at the end of this cycle, as (offset, word)."""
        dut = self.dut
        if self.waits == "write" and self.takes and dut.csr_bvalid_o.value == 1:
            self.read.append((None, int(dut.csr_bresp_o.value)))
            self.waits = None
        elif self.waits == "read" and self.takes and dut.csr_rvalid_o.value == 1:
            self.read.append((int(dut.csr_rdata_o.value), int(dut.csr_rresp_o.value)))
            self.waits = None
        elif self.waits is None and self.queue:
            offset, word = self.queue[0]
            if word is None and dut.csr_arready_o.value == 1:
                self.waits = "read"
                self.queue.popleft()
            elif word is not None and dut.csr_awready_o.value == 1:
                self.waits = "write"
                return self.queue.popleft()
        return None
