"""Sizes, rates and times: a number in the unit that is documented, or a text with its unit, at
every door."""

import numpy as np
import pytest

import forebay as fb


@pytest.mark.parametrize(
    ("make", "number", "text"),
    [
        (lambda rate: fb.Switch("drop-tail", [rate]).serve([0, 0], [0, 0], [1500, 1500])[0], 10_000_000_000, "10G"),
        (lambda buffer: fb.Switch("drop-tail", [10**9], buffer=buffer).enqueue(0, 0, 1500), 1000, "1 KB"),
        (lambda mark: fb.Switch("drop-tail", [10**9], mark=mark).enqueue(0, 0, 1500), 3000, "3 KB"),
        (lambda rate: fb.Scheduler("drr").serve([0, 0], [1500, 1500], rate=rate), 50_000_000, "50 Mb/s"),
        (lambda quantum: fb.Scheduler("drr", quantum=quantum).enqueue(0, 1500), 9000, "9 KB"),
        (lambda target: fb.Scheduler("fq-codel", codel_target=target).enqueue(0, 1500), 5_000_000_000, "5ms"),
        (lambda quantum: fb.PortScheduler("drr", 2, quantum=quantum).select([None, "1500 B"]), 1500, "1.5 KB"),
        (lambda capacity: fb.Buffer("dt", capacity=capacity).occupancy, 410_000, "410 KB"),
        (lambda rate: fb.Buffer("occamy", port_rate=rate).threshold(0), 10**11, "100 Gb/s"),
        (lambda pool: fb.Buffer("dt", pools=[pool]).threshold(0), 100_000, "100KB"),
        (lambda cell: fb.Buffer("dt", cell=cell).occupancy, 256, "256 B"),
        (lambda size: fb.Buffer("dt").enqueue(0, 0, size), 1500, "1.5KB"),
        (lambda now: fb.Hbm().advance(now), 2_000_000, "2us"),
        (lambda row: fb.Hbm(row_bytes=row).capacity, 1024, "1 KiB"),
        (lambda cell: fb.Hbm().row_cells(cell, 4)["total"], 1024, "1 KiB"),
        (lambda span: fb.SramPort(span).foreground(0, 3), 1000, "1 ns"),
        (lambda work: fb.JobScheduler().offer(0, 100, work), 1_000_000, "1 us"),
        (lambda step: fb.JobScheduler("fq-time", fq_time_step=step).offer(0, 1, 1), 1000, "1 ns"),
        (lambda fetch: fb.Cache("lru", 8, fetch=fetch).offer(0, 1), 2000, "2 us"),
        (lambda capacity: repr(fb.Cache("lru", capacity, fetch=1, unit="bytes")), 64 << 20, "64 MiB"),
        (lambda rate: fb.net.poisson(hosts=8, load=0.5, rate=rate, span="20 ms").to_csv(), 10**10, "10G"),
        (lambda span: fb.net.poisson(hosts=8, load=0.5, rate="10G", span=span).to_csv(), 2 * 10**10, "20 ms"),
        (lambda size: fb.net.permutation(hosts=8, bytes=size).to_csv(), 410_000, "410 KB"),
    ],
)
def test_numbers_and_texts(make, number, text):
    expected = make(number)
    for given in (text, float(number), np.uint64(number)):
        assert np.array_equal(make(given), expected), given
    with pytest.raises(Exception, match="unit|is not a "):
        make("12 parsecs")


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (1.5, TypeError, r"whole number of at least 0 \(bits a second\), or a text such as '10G', got 1.5"),
        (True, TypeError, "got True"),
        (None, TypeError, "got NoneType"),
        (-1, ValueError, r"from 0 to 2\^64 - 1, got -1"),
        ("10", ValueError, "it has no unit"),
        ("10 GB", ValueError, '"GB" is not one of its units'),
        ("99999999T", ValueError, "does not fit in 64 bits"),
    ],
)
def test_what_is_none(wrong, kind, text):
    with pytest.raises(kind, match=text):
        fb.Switch("drop-tail", [wrong])


def test_a_packet_that_no_counter_holds():
    with pytest.raises(ValueError, match='"9 GB" is too large: it must fit in 32 bits'):
        fb.Buffer("dt").enqueue(0, 0, "9 GB")
