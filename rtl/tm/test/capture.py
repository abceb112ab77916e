"""Packets of a capture for the traffic manager: the classic format of libpcap, of either byte order and either resolution."""

import struct
import zlib
from pathlib import Path

MAGICS = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\x3c\x4d": ">"}
ETHERNET, RAW = 1, 101


def records(path: Path):
    """The bytes of each packet, those that were not captured as zeros; raises ValueError at what is no such file."""
    data = path.read_bytes()
    order = MAGICS.get(data[:4])
    if order is None or len(data) < 24:
        raise ValueError(f"{path}: no capture in the classic pcap format; convert it: editcap -F pcap IN OUT")
    link = struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF
    if link not in (ETHERNET, RAW):
        raise ValueError(f"{path}: link type {link}, but must be Ethernet (1) or raw IP (101)")
    at = 24
    while at < len(data):
        if at + 16 > len(data):
            raise ValueError(f"{path}: cut off at byte {at}; capture it again, or cut it there")
        captured, length = struct.unpack_from(f"{order}II", data, at + 8)
        at += 16
        if at + captured > len(data):
            raise ValueError(f"{path}: cut off at byte {at}; capture it again, or cut it there")
        packet = data[at:at + captured]
        at += captured
        yield (packet if link == ETHERNET else bytes(12) + b"\x08\x00" + packet).ljust(length, b"\0")


def fields(packet: bytes) -> tuple[int, int]:
    """A hash of its IPv4 addresses and ports, 0 if it has none; and its precedence, the first three bits of its class."""
    if len(packet) < 38 or packet[12:14] != b"\x08\x00" or packet[14] >> 4 != 4:
        return 0, 0
    ports = 14 + 4 * (packet[14] & 15)
    return zlib.crc32(packet[26:34] + packet[ports:ports + 4]), packet[15] >> 5
