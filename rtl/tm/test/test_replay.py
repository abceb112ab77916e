"""The driver behind `forebay replay --rtl`: it tells each packet's way, whole and in order, and stops where an assertion fails."""

import dataclasses
import random
import struct
import subprocess
import time
from collections import Counter

import pytest
from flow.cores import RTL, load
from flow.model import model, read_values

SHAPE = {"Ports": 3, "Classes": 2, "DataW": 32, "CellBeatsLog2": 1, "Cells": 60, "LargestBytes": 100, "Scheduler": 1}
MALFORMED, VERDICT, LINKED, REQUEST, LEFT, NONE, OUT, CELLS, COUNTER, END, REGISTER = range(11)


def stream(packets):
    """Packets as the driver reads them: earliest cycle, bytes, port, class."""
    return b"".join(struct.pack("<QIIHBB", earliest, len(data), class_, port, class_, 1) + data
                    for earliest, data, port, class_ in packets)


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
    packets = [(1000 * number, rng.randbytes(rng.randint(1, 103)), rng.randrange(3), rng.randrange(2)) for number in range(200)]
    share = ",".join([str(1 << 30)] * 3)
    done = subprocess.run([model(load()["tm"], SHAPE), share, "0"], input=stream(packets), capture_output=True, check=True)
    told = list(events(done.stdout))
    kinds = Counter(kind for _, kind, *_ in told)
    fitting = [(data, port, class_) for _, data, port, class_ in packets if len(data) <= 100]
    assert kinds[VERDICT] == kinds[LINKED] == kinds[LEFT] == kinds[OUT] == len(fitting)
    assert kinds[MALFORMED] == len(packets) - len(fitting) > 0
    # Each has left before the next comes, and the cycles between are skipped.
    out = [(data, small, queue & 0xFF) for _, kind, small, queue, _, data in told if kind == OUT]
    assert out == fitting
    assert all(value == SHAPE["Cells"] for *_, value, _ in [event for event in told if event[1] == CELLS][1::2])
    assert [kind for _, kind, *_ in told][-1] == END and kinds[COUNTER] == 18
    registers = [(small, value) for _, kind, small, _, value, _ in told if kind == REGISTER]
    assert registers == [(0, kinds[MALFORMED]), (1, SHAPE["Cells"])]
    assert told[-1][0] > 1000 * 199


def test_who_is_asked_to_end_tells_what_there_was(tmp_path):
    wave = tmp_path / "signals.fst"
    program = model(load()["tm"], SHAPE, wave=True)
    share = ",".join([str(1 << 30)] * 3)
    with subprocess.Popen([program, share, "0", wave, "0", "500"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        running.stdin.write(stream([(0, bytes(64), 0, 0), (5000, bytes(64), 1, 0)]))
        running.stdin.flush()
        # It waits for a third packet when it has taken the second.
        time.sleep(1)
        running.terminate()
        told = running.stdout.read()
    assert running.returncode == 143
    kinds = Counter(kind for _, kind, *_ in events(told))
    assert kinds[VERDICT] >= 1 and kinds[END] == 0
    assert wave.stat().st_size > 0 and not list(tmp_path.glob("*.hier"))


def test_a_wave_that_cannot_be_written_ends_with_a_code_of_its_own(tmp_path):
    program = model(load()["tm"], SHAPE, wave=True)
    packets = stream([(0, bytes(64), 0, 0)])
    for wave in [tmp_path / "nowhere" / "x", tmp_path, "/dev/full"]:
        # The ports take the packet, so that it ends.
        call = [program, ",".join([str(1 << 30)] * 3), "0", wave, "0", "100"]
        done = subprocess.run(call, input=packets, capture_output=True, check=False, timeout=60)
        assert done.returncode == 4, (wave, done.stderr)


def test_a_core_that_takes_no_more_is_given_up(tmp_path):
    core = load()["tm"]
    ingress = "tm/tm_ingress.sv"
    text = (RTL / ingress).read_text()
    right = "s_tready_o      = ready_i &&"
    assert right in text
    (tmp_path / "tm_ingress.sv").write_text(text.replace(right, "s_tready_o      = 1'b0 && ready_i &&"))
    sources = [str(tmp_path / "tm_ingress.sv") if source == ingress else source for source in core.sources]
    # A cell more, so that it is a model of its own.
    program = model(dataclasses.replace(core, sources=sources), {**SHAPE, "Cells": 61})
    packets = stream([(0, bytes(64), 0, 0)])
    done = subprocess.run([program, "1,1,1", "0"], input=packets, capture_output=True, check=False, timeout=60)
    assert done.returncode == 3
    assert b"Stuck: the input has taken nothing since cycle" in done.stderr


def test_what_is_wrong_with_the_call_is_said():
    program = model(load()["tm"], SHAPE)
    done = subprocess.run([program, "1,1", "1"], input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "2 shares for 3 ports" in done.stderr
    done = subprocess.run([program], input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "usage" in done.stderr


@pytest.mark.parametrize("text", ["Cells", "Cells=", "Cells=x", "=5", "a b=5"])
def test_what_is_no_parameter_is_refused(text):
    with pytest.raises(ValueError, match="write it as Name=number"):
        read_values([text])


def test_a_core_without_a_driver_says_so():
    with pytest.raises(ValueError, match="bbq has no driver"):
        model(load()["bbq"], {})
