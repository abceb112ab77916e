"""A capture of the repository's through the traffic manager, in lockstep; `make rtl-capture` plays any, by another way."""

from pathlib import Path

import pytest
from capture import fields, records
from flow.cores import RTL, load
from flow.simulate import simulate

# As it is synthesized.
SHIPPED = RTL.parent / "experiments" / "themis" / "captures" / "mixed-programs.pcap"


def test_a_capture_goes_through_in_lockstep(full):
    settings = {"CAPTURE": str(SHIPPED), "PACKETS": str(10**5 if full else 500)}
    simulate(load()["tm"], {}, "bench_capture", Path(__file__).parent, settings)
    log = RTL / "build" / "sim" / "tm_default" / "bench_capture.log"
    print(next(line.split("cocotb.tm")[1].strip() for line in log.read_text().splitlines() if "capture: " in line))


@pytest.mark.parametrize(("data", "message"), [
    (b"", "no capture"), (b"\x0a\x0d\x0d\x0a" + bytes(24), "convert it"),
    (b"\xd4\xc3\xb2\xa1" + bytes(16) + b"\x71\0\0\0", "link type 113"),
    (b"\xd4\xc3\xb2\xa1" + bytes(16) + b"\1\0\0\0" + bytes(3), "cut off at byte 24"),
    (b"\xd4\xc3\xb2\xa1" + bytes(16) + b"\1\0\0\0" + bytes(8) + b"\x09\0\0\0\x09\0\0\0" + bytes(8), "cut off at byte 40"),
])
def test_what_is_no_capture_is_refused_with_its_place(tmp_path, data, message):
    path = tmp_path / "capture.pcap"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"capture.pcap: .*{message}"):
        list(records(path))


def test_fields_are_those_of_the_packet():
    header = bytes(12) + b"\x08\x00\x45\xa0" + bytes(10) + b"\x0a\0\0\1\x0a\0\0\2" + b"\0\1\0\2"
    flow, precedence = fields(header + bytes(20))
    assert flow and precedence == 5
    assert fields(header[:-1] + b"\3" + bytes(20))[0] != flow
    assert fields(bytes(60)) == (0, 0)
