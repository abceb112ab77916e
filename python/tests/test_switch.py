"""Switches from Python: packet by packet, and a trace at once, against a naive one."""

import numpy as np
import pytest

import forebay as fb

GBPS = 1_000_000_000
NEVER = 2**64 - 1


def trace(seed, count=3000, ports=2, gap=300_000):
    draw = np.random.default_rng(seed)
    times = np.cumsum(draw.integers(0, 2 * gap, count)).astype(np.uint64)
    return times, draw.integers(0, ports, count), draw.integers(64, 1500, count)


def naive_drop_tail(times, ports, sizes, rates, limit):
    """A first-in first-out queue per port; what is being sent does not count."""
    left, waiting, free = [], [[] for _ in rates], [0] * len(rates)
    for now, port, size in zip(times.tolist(), ports.tolist(), sizes.tolist()):
        waiting[port] = [(start, bytes) for start, bytes in waiting[port] if start > now]
        if sum(bytes for _, bytes in waiting[port]) + size > limit:
            left.append(NEVER)
            continue
        start = max(now, free[port])
        free[port] = start + size * 8 * 10**12 // rates[port]
        waiting[port].append((start, size))
        left.append(free[port])
    return left


def test_drop_tail_as_a_naive_one():
    times, ports, sizes = trace(1)
    rates = [10 * GBPS, 20 * GBPS]
    switch = fb.Switch("drop-tail", rates, buffer=5000)
    left, causes, marked = switch.serve(times, ports, sizes)
    assert left.tolist() == naive_drop_tail(times, ports, sizes, rates, 5000)
    assert 100 < (left == NEVER).sum() < 2000 and not marked.any()
    lost = {switch.causes()[cause - 1] for cause in set(causes.tolist()) - {0}}
    assert lost == {"queue-full"} and ((causes == 0) == (left != NEVER)).all()
    again = switch.serve(times, ports, sizes)
    assert (again[0] == left).all() and switch.backlog == 0


def test_marks():
    times, ports, sizes = trace(2)
    switch = fb.Switch("drop-tail", [10 * GBPS] * 2, mark=2000)
    assert switch.serve(times, ports, sizes, markable=True)[2].any()
    assert not switch.serve(times, ports, sizes)[2].any()


def test_an_admission_of_ones_own():
    times, ports, sizes = trace(3, gap=30_000)
    rates = [10 * GBPS] * 2
    served = {}
    for rule in ("queue + cells <= 100", lambda p: p.queue + p.cells <= 100):
        switch = fb.Switch(rates=rates, admission=rule, buffer=500_000)
        left, causes, _ = switch.serve(times, ports, sizes)
        lost = {switch.causes()[cause - 1] for cause in set(causes.tolist()) - {0}}
        assert lost == {"threshold"} and switch.backlog == 0
        served[type(rule)] = left.tolist()
    text, function = served.values()
    assert text == function and 100 < text.count(NEVER) < len(text)
    assert repr(switch) == "<Switch of an admission of 2 ports: 0 B waiting>"

    def broken(packet):
        if packet.size == 99:
            raise ZeroDivisionError("in the rule")
        return True

    switch = fb.Switch(rates=rates, admission=broken)
    assert switch.enqueue(0, 0, 100, tag=1) is None
    with pytest.raises(ZeroDivisionError, match="in the rule"):
        switch.enqueue(0, 1, 99, tag=2)
    assert switch.backlog == 100 and switch.dequeue(0, 0)[1] == 1 and switch.is_empty(1)
    for wrong, error, text in [
        (lambda: fb.Switch("dt", rates, admission="1"), ValueError, "either a name or an admission"),
        (lambda: fb.Switch(admission="1"), TypeError, "rates: give that of each port"),
        (lambda: fb.Switch(rates=rates, admission="queu"), fb.ExpressionError, "there is no field `queu`"),
        (lambda: fb.Switch(rates=rates, admission="1", alpha=2), ValueError, "alpha"),
    ]:
        with pytest.raises(error, match=text):
            wrong()


@pytest.mark.parametrize("name", ["themis", "greedy-hybrid", "dt-hybrid", "occamy-hybrid"])
def test_a_hybrid_buffer_keeps_what_sram_cannot(name):
    count = 4000
    times = np.arange(count, dtype=np.uint64) * 100_000
    ports, sizes = np.zeros(count, np.uint64), np.full(count, 1500, np.uint64)
    flows = np.arange(count, dtype=np.uint64) % 100
    switch = fb.Switch(name, [10 * GBPS], buffer=500_000)
    left, causes, _ = switch.serve(times, ports, sizes, flows=flows, flow_sizes=flows * 1500)
    assert (causes == 0).all() and (left != NEVER).all()
    # 10 Gb/s, back to back or nearly: all bytes have left, none twice.
    assert len(set(left.tolist())) == count and left.max() >= count * 1_200_000
    moved = sum(bytes for gauge, bytes in switch.gauges().items() if "(" in gauge)
    assert moved > 0 or name == "greedy-hybrid"
    short = [left[flows == flow].mean() for flow in (0, 99)]
    assert short[0] < short[1], "the shortest flow first"


def test_a_hybrid_buffer_by_hand():
    switch = fb.Switch("themis", [10 * GBPS])
    assert switch.enqueue(0, 0, 1500, flow=1, flow_size=90_000, tag=1) is None
    assert switch.enqueue(0, 0, 1500, flow=2, flow_size=3_000, tag=2) is None
    assert switch.dequeue(0, 0) == (1500, 2, 2, 0, False)
    with pytest.raises(ValueError, match="now: 1 is before 5"):
        switch.advance(5)
        switch.dequeue(1, 0)
    with pytest.raises(ValueError, match="holds packets already"):
        switch.serve([0], [0], [1])
    switch.clear()
    assert switch.backlog == 0 and switch.serve([0], [0], [1500])[0].tolist() == [1_200_000]


def test_what_is_pushed_out_is_told():
    switch = fb.Switch("pushout", [GBPS] * 2, buffer=2000, largest_packet=1000)
    assert [switch.enqueue(0, 0, 1000, tag=tag) for tag in (1, 2)] == [None, None]
    assert switch.enqueue(0, 1, 1000, tag=3) is None
    assert switch.losses() == [(2, 0, "pushed-out")]
    assert switch.enqueue(0, 1, 1001, tag=4) == "impossible" and switch.losses() == []


@pytest.mark.parametrize(
    ("columns", "error", "text"),
    [
        (([0, 1], [0, 2], [1, 1]), ValueError, "ports: element 1 is 2; there are 2 ports"),
        (([1, 0], [0, 0], [1, 1]), ValueError, "times: element 1 is 0, before"),
        (([0], [0], [2**32]), ValueError, r"sizes: element 0 is 4294967296; at most 2\^32 - 1"),
        (([0], [0, 1], [1]), ValueError, "times has 1 elements and ports 2"),
        (([0.5], [0], [1]), TypeError, "times: expected whole numbers, but element 0"),
    ],
)
def test_bad_columns(columns, error, text):
    switch = fb.Switch("drop-tail", [GBPS] * 2)
    with pytest.raises(error, match=text):
        switch.serve(*columns)
    assert switch.serve([0], [1], [125])[0].tolist() == [1_000_000]


def test_bad_packets():
    switch = fb.Switch("drop-tail", [GBPS])
    with pytest.raises(IndexError, match="port 1: there are 1"):
        switch.enqueue(0, 1, 1)
    with pytest.raises(ValueError, match="flow: 16777216; at most"):
        switch.enqueue(0, 0, 1, flow=1 << 24, flow_size=1)
    with pytest.raises(ValueError, match="flows: element 0"):
        switch.serve([0], [0], [1], flows=[1 << 28])


@pytest.mark.parametrize(
    ("name", "rate", "arguments", "text"),
    [
        ("dt", 10**6, {}, "^rates: 1 Mb/s in all is too slow .* at least 1.6 Mb/s$"),
        ("dt", 10**8, dict(cell=1 << 16), "^cell: 100 Mb/s in all is too slow"),
        ("occamy", GBPS, dict(memory=dict(cycle=0)), "^memory.cycle: a clock period"),
        ("dt", GBPS, dict(buffer=1500), "^buffer: a buffer of 1.5 KB .* at least 1.6 KB$"),
        ("dt", GBPS, dict(buffer=1 << 40), "^buffer: .* is more than 2.24 cells of 200 B"),
        ("dt", GBPS, dict(largest_packet=9_000_000), "^largest_packet: the largest packet is 9 MB"),
        ("dt", GBPS, dict(rank="sff"), "^rank: switch dt does not take a rank"),
        ("themis", GBPS, dict(largest_packet=60_000), "^largest_packet: the largest packet is 60 KB"),
        ("themis", GBPS, dict(staging=1000), "^staging: a staging buffer of 1 KB cannot hold a packet of 1.5 KB"),
        ("themis", GBPS, dict(buffer=1000), "^buffer: an SRAM of 1 KB beside"),
    ],
)
def test_a_switch_that_cannot_be_built_names_the_argument_that_made_it_so(name, rate, arguments, text):
    with pytest.raises(fb.ShapeError, match=text):
        fb.Switch(name, [rate], **arguments)


def test_one_of_anything_is_singular():
    assert "of 1 port:" in repr(fb.Switch("dt", ["10G"]))
    assert "of 2 ports:" in repr(fb.Switch("dt", ["10G"] * 2))
    assert "of 1 class>" in repr(fb.PortScheduler("drr", 1))
