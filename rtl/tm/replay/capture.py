"""Makes a capture for `make rtl-capture`: `python capture.py FILE [PACKETS] [SEED]`.

Flows of heavy-tailed lengths between 64 hosts come in bursts, with the precedences and packet sizes that programs have; only
headers are stored, as with `tcpdump -s 42`. The same numbers make the same file.
"""

import random
import struct
import sys
from pathlib import Path

HOSTS = 64
SIZES = [60, 60, 60, 128, 256, 576, 1024, 1514, 1514, 1514]


def header(flow: tuple[int, int, int, int], size: int) -> bytes:
    """Ethernet, IPv4 and UDP of a packet of `size` bytes; checksums are left out."""
    source, destination, port, precedence = flow
    ethernet = bytes(12) + b"\x08\x00"
    ip = struct.pack(">BBHHHBBHII", 0x45, precedence << 5, size - 14, 0, 0, 64, 17, 0, 0x0A000000 + source,
                     0x0A000000 + destination)
    return ethernet + ip + struct.pack(">HHHH", port, 4791, size - 34, 0)


def packets(count: int, rng: random.Random):
    """Microseconds and bytes of each packet, and its header."""
    now, flow, left = 0.0, (0, 1, 1024, 0), 0
    for _ in range(count):
        if left == 0:
            source = rng.randrange(HOSTS)
            flow = (source, (source + rng.randrange(1, HOSTS)) % HOSTS, rng.randrange(1024, 65536), rng.choice([0, 0, 0, 3, 5, 7]))
            left = min(int(rng.paretovariate(1.2)), 200)
            now += rng.expovariate(1 / 4)
        left -= 1
        size = rng.choice(SIZES)
        now += rng.choice([0.1, 0.2, rng.expovariate(2)])
        yield now, size, header(flow, size)


def write(path: Path, count: int, seed: int) -> None:
    """Writes the capture, with nanoseconds."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for at, size, data in packets(count, random.Random(seed)):
            seconds, nanoseconds = divmod(int(at * 1000), 10**9)
            file.write(struct.pack("<IIII", seconds, nanoseconds, len(data), size) + data)


if __name__ == "__main__":
    write(Path(sys.argv[1]), *(int(text) for text in [*sys.argv[2:], *["100000", "1"][len(sys.argv) - 2:]]))
