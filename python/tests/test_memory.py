"""The memory model from Python: stacks, channels, patterns of the paper, SRAM ports."""

import numpy as np
import pytest

import forebay as fb

NEVER = 2**64 - 1


def test_one_request():
    hbm = fb.Hbm(scheduling="in-order", lookahead=0)
    hbm.submit(0, 7, row=0, columns=4)
    assert hbm.has_room()
    assert hbm.advance(hbm.next_event()) == [(7, 58 * 625)]  # the example of the crate
    assert hbm.next_event() is None
    assert hbm.stats["bytes_read"] == 2048 and hbm.stats["activations"] == 16
    assert hbm.peak == 3_276_800_000_000 and hbm.capacity == 16 << 30 and hbm.columns_for(2000) == 4


def test_conflicts_cost_and_hits_do_not():
    count = 512
    same, rows = np.zeros(count, np.uint64), np.arange(count, dtype=np.uint64)
    conflicts = fb.Hbm().run(same, rows, same + 1)
    hits = fb.Hbm().run(same, same, same + 1)
    spread = fb.Hbm().run(rows % 16, rows // 16, same + 1)
    assert conflicts.max() > 5 * hits.max() and hits.max() < spread.max() < conflicts.max()


def test_reads_and_writes_mixed():
    count = 64
    zeros, ones = np.zeros(count, np.uint64), np.ones(count, np.uint64)
    hbm = fb.Hbm(scheduling="in-order")
    first = np.arange(count, dtype=np.uint64) % 32
    reads = hbm.run(zeros, zeros, ones, first=first).max()
    assert hbm.run_stats["turnarounds"] == 0
    mixed = hbm.run(zeros, zeros, ones, first=first, write=np.arange(count) % 2 == 1)
    assert mixed.max() > 3 * reads and hbm.run_stats["turnarounds"] == 16 * (count - 1)
    assert hbm.run_stats["bytes_written"] == hbm.run_stats["bytes_read"] == 512 * count // 2
    assert (hbm.run(zeros, zeros, ones, first=first, write=[0, 1] * 32) == mixed).all()
    assert hbm.stats["requests"] == 0, "the batch had a memory of its own"


def test_channels():
    zeros, ones = np.zeros(32, np.uint64), np.ones(32, np.uint64)
    striped = fb.Hbm().run(zeros, zeros, ones)
    one = fb.Hbm(channels="one")
    assert (one.run(zeros, zeros, ones) == striped).all() and one.columns_for(2000) == 63
    assert one.run_stats["bytes_read"] == 32 * 32
    each = fb.Hbm(channels="each")
    spread = each.run(zeros, zeros, ones, channel=np.arange(32) % 16)
    assert spread.max() < striped.max() and each.run_stats["activations"] == 16
    each.submit(0, 1, 0, 1, channel=15)
    each.submit(0, 2, 0, 1, channel=3)
    assert sorted(id for id, _ in each.advance(10**9)) == [1, 2]
    with pytest.raises(IndexError, match="channel 16: there are 16"):
        each.submit(0, 1, 0, 1, channel=16)
    with pytest.raises(IndexError, match='only Hbm\\(channels="each"\\)'):
        one.submit(0, 1, 0, 1, channel=1)


def test_another_memory():
    slow = fb.Hbm(t_rp=44, t_rc=97).run([0, 0], [0, 1], [1, 1])
    fast = fb.Hbm().run([0, 0], [0, 1], [1, 1])
    assert slow[0] == fast[0] and slow[1] > fast[1]
    small = fb.Hbm(pseudo_channels=4, row_bytes=2048)
    assert small.columns_for(2048) == 16
    refreshed = fb.Hbm(refresh="all-bank")
    refreshed.advance(10**8)
    assert refreshed.stats["refreshes"] > 0


def test_patterns_of_the_paper():
    hbm = fb.Hbm()
    best, packet, worst = (hbm.table2(name)["total"] for name in ("best", "packet-worst", "worst"))
    assert 2_500_000 < best < 2_800_000 and 20_000_000 < packet < 28_000_000
    assert 1_400_000_000 < worst < 1_700_000_000
    full, small = hbm.row_cells(1024, 500, groups=4), hbm.row_cells(32, 500)
    assert small["device_rate"] < full["device_rate"] <= hbm.peak and full["activations"] == 500
    assert hbm.ping_pong(200)["total"] > 4 * hbm.continuous(200)["total"]
    assert hbm.continuous(200, write=True)["bytes_written"] == 200 * 32
    with pytest.raises(fb.ShapeError, match="columns"):
        hbm.row_cells(2048, 1)
    with pytest.raises(ValueError, match='"middle" is none of'):
        hbm.table2("middle")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (dict(banks=[300], rows=[0], columns=[1]), "banks: element 0 is 300; there are 16 banks"),
        (dict(banks=[0], rows=[2**31], columns=[1]), "rows: element 0 is 2147483648; there are 65536 rows"),
        (dict(banks=[0], rows=[0], columns=[33]), "columns: element 0 is 33; a row has 32"),
        (dict(banks=[0], rows=[0], columns=[0]), "at least one must move"),
        (dict(banks=[0], rows=[0], columns=[2], first=[31]), "element 0 asks for 2 from column 31 on"),
        (dict(banks=[0], rows=[0], columns=[1], channel=[1]), "channel: element 0 is 1; there are 1 channels"),
        (dict(banks=[0], rows=[0], columns=[1], write=[True, False]), "banks has 1 elements and write 2"),
    ],
)
def test_bad_batches(arguments, text):
    with pytest.raises(ValueError, match=text):
        fb.Hbm().run(**arguments)


def test_a_port_of_sram():
    port = fb.SramPort(1000)
    assert port.foreground(0, 3) == 3000 and port.foreground_start(1000) == 3000
    port.begin_background(0, 4)
    assert port.background_due() == 7000
    with pytest.raises(fb.ForebayError, match="under way"):
        port.begin_background(0, 1)
    assert port.foreground(4500, 2) == 7000  # after the cell that was begun
    assert port.background_due() == 9000 and not port.finish_background(8999)
    assert port.finish_background(9000) and port.background_due() is None
    assert port.counters(9000) == {"foreground_cells": 5, "background_cells": 4, "busy": 9000}
    many = fb.SramPort(1000).foreground_many([0, 0, 9000], [2, 1, 1])
    assert many.tolist() == [2000, 3000, 10_000]
    with pytest.raises(fb.ShapeError, match="cell_time"):
        fb.SramPort(0)
