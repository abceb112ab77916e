"""Ctrl-C in long calls: it comes through before their end, and what was done is not lost. Rules
that raise."""

import _thread
import threading

import numpy as np
import pytest

import forebay as fb
from conftest import EXPERIMENTS
from forebay import queues

GBPS = 1_000_000_000
NEVER = 2**64 - 1
COUNT = 60_000_000
pytestmark = pytest.mark.usefixtures("interruptible")


def interrupted(call, attribute=None):
    """The KeyboardInterrupt that a call of some seconds gets after its beginning: once there is
    something to lose."""
    for delay in (0.2, 0.4, 0.8, 1.6, 3.2):
        timer = threading.Timer(delay, _thread.interrupt_main)
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt) as caught:
                call()
                timer.join()
                pytest.fail("it ended before it could be interrupted")
        finally:
            timer.join()
        if attribute is None or hasattr(caught.value, attribute):
            return caught.value
    pytest.fail("its arguments alone take seconds to check")


@pytest.fixture(scope="module")
def zeros():
    return np.zeros(COUNT, np.uint64)


def test_slow_operations_are_looked_at_as_often():
    queue = queues.ReferenceQueue(400_000)
    ranks = np.random.default_rng(1).integers(0, 2**60, 400_000, dtype=np.uint64)
    error = interrupted(lambda: queue.push_many(ranks), "index")
    assert 0 < len(queue) == error.index < 400_000


def test_what_was_popped_comes_with_the_exception():
    queue = queues.BucketQueue(1 << 16, 30_000_000)
    queue.push_many(np.random.default_rng(1).integers(0, 1 << 16, 30_000_000, dtype=np.uint64))
    error = interrupted(lambda: queue.pop_many(30_000_000), "popped")
    ranks, items = error.popped
    assert len(ranks) == len(items) == 30_000_000 - len(queue) > 0
    assert (np.diff(ranks.astype(np.int64)) >= 0).all()


def test_an_expression(zeros):
    rule = fb.Expression("a * a % 7 + a / 3 + min(a, 5)", ["a"])
    interrupted(lambda: rule(a=zeros))


def test_a_link_that_drains(zeros):
    scheduler = fb.Scheduler("drop-tail", packets=2**31, bytes=2**60)
    ones = np.ones(30_000_000, np.uint64)
    error = interrupted(lambda: scheduler.serve(zeros[:30_000_000], ones, rate=GBPS), "done")
    assert len(error.done) == 30_000_000 and (error.done == NEVER).any() and len(scheduler) == 0
    assert scheduler.serve([0], [125], rate=GBPS).tolist() == [1_000_000]


def test_memory(zeros):
    few = zeros[:10_000_000]
    rows, ones = np.arange(10_000_000, dtype=np.uint64) % 65_536, few + 1
    error = interrupted(lambda: fb.Hbm().run(few, rows, ones), "done")
    assert error.index < 10_000_000 and 0 < (error.done != NEVER).sum() <= error.index
    interrupted(lambda: fb.Hbm().row_cells(32, 100_000_000))


def test_a_cache_that_looks_ahead():
    objects = np.random.default_rng(1).integers(0, 1 << 40, 20_000_000, dtype=np.uint64)
    times = np.arange(20_000_000, dtype=np.uint64)
    interrupted(lambda: fb.Cache("belady-ad", 1000, fetch=10).simulate(times, objects))
    cache = fb.Cache("lru", 1000, fetch=10)
    error = interrupted(lambda: cache.simulate(times, objects), "done")
    assert 0 < len(error.done) == error.index == cache.report["requests"] < 20_000_000


def test_the_bound_of_a_cache_keeps_what_is_proven():
    objects = np.random.default_rng(1).zipf(1.1, 400_000).astype(np.uint64)
    times = np.arange(len(objects), dtype=np.uint64)
    error = interrupted(lambda: fb.Cache.bound(times, objects, 100, fetch=1000, gap=0, rounds=10**9), "done")
    assert 0 < error.done["lower"] <= error.done["upper"] <= error.done["rounded"]


def test_a_cache_policy_of_ones_own_is_interrupted():
    class Unbounded:
        def __init__(self, capacity):
            self.hit = self.admit = self.evict = lambda *told: None

    times = np.arange(20_000_000, dtype=np.uint64)
    error = interrupted(lambda: fb.Cache(Unbounded, 1000, fetch=10).simulate(times, times % 5000), "done")
    assert 0 < len(error.done) == error.index


def test_a_switch(zeros):
    count = 20_000_000
    times = np.arange(count, dtype=np.uint64) * 1000
    ports, sizes = times % 4, zeros[:count] + 100
    switch = fb.Switch("dt", [GBPS] * 4)
    error = interrupted(lambda: switch.serve(times, ports, sizes), "done")
    left, causes, marked = error.done
    assert 0 < error.index < count == len(left) == len(causes) == len(marked)
    assert switch.backlog == 0 and switch.serve([0], [0], [125])[0].tolist() == [1_000_000]


def test_a_network_keeps_what_is_measured():
    flows = fb.net.permutation(hosts=16, bytes="100 GB")
    error = interrupted(lambda: fb.net.run("star:16,100G,1us", flows), "run")
    assert error.run.report["ended"] == "stopped" and len(error.run.flows) == 16


def test_a_buffer(zeros):
    buffer = fb.Buffer("dt")
    error = interrupted(lambda: buffer.enqueue_many(zeros, zeros, zeros), "done")
    assert 0 < len(error.done) == error.index == buffer.counters["arrived"] < COUNT


@pytest.mark.parametrize("call", ["simulate", "serve"])
def test_other_threads_go_on(call, zeros):
    count = 8_000_000
    times = np.arange(count, dtype=np.uint64)
    ticks, ended = [0], threading.Event()

    def tick():
        while not ended.wait(0.001):
            ticks[0] += 1

    calls = {
        "simulate": lambda: fb.Cache("lru", 1000, fetch=10).simulate(times, times % 5000),
        "serve": lambda: fb.Scheduler("fifo").serve(times * 10_000, zeros[:count] + 1, rate=1000 * GBPS),
    }
    ticker = threading.Thread(target=tick)
    ticker.start()
    calls[call]()
    ended.set()
    ticker.join()
    assert ticks[0] > 20


def fails_at(nth, value=0):
    """A rule that raises at its nth call."""
    calls = []

    def rule(fields):
        calls.append(fields)
        if len(calls) == nth:
            raise LookupError("of my own")
        return value

    return rule


def test_a_rank_that_raises_leaves_nothing():
    scheduler = fb.Scheduler(rank=fails_at(2, 100))
    assert scheduler.enqueue(0, 1, tag=1) is None
    with pytest.raises(LookupError, match="of my own"):
        scheduler.enqueue(0, 1, tag=2)
    assert len(scheduler) == 1 and scheduler.dequeue(0)[4] == 1


def test_a_rank_that_raises_in_a_batch():
    scheduler = fb.Scheduler(rank=fails_at(3))
    with pytest.raises(LookupError) as error:
        scheduler.serve([0, 10**9, 2 * 10**9, 3 * 10**9], [125] * 4, rate=GBPS)
    assert error.value.index == 2 and error.value.done.tolist()[:2] == [1_000_000, 1_001_000_000]
    assert error.value.done.tolist()[2:] == [NEVER, NEVER]
    assert len(scheduler) == 0 and scheduler.serve([0], [125], rate=GBPS).tolist() == [1_000_000]
    assert scheduler.enqueue(0, 1) is None
    scheduler.clear()
    assert len(scheduler) == 0


@pytest.mark.parametrize("name", ["pifo", "themis", "occamy-rank"])
def test_a_packet_whose_rank_raises_has_not_arrived(name):
    switch = fb.Switch(name, [GBPS] * 2, rank=fails_at(2, 100))
    assert switch.enqueue(0, 1, 1000, tag=1) is None
    with pytest.raises(LookupError, match="of my own"):
        switch.enqueue(0, 1, 1000, tag=2)
    assert switch.backlog == 1000 and switch.losses() == []
    assert switch.enqueue(0, 1, 1000, tag=3) is None and switch.backlog == 2000
    left = []
    while switch.backlog:
        now = switch.next_event() or 10**6
        packet = switch.dequeue(now, 1)
        left += [packet[1]] if packet else []
    assert left == [1, 3]


def test_a_trace_whose_rank_raises():
    switch = fb.Switch("pifo", [GBPS], rank=fails_at(3))
    with pytest.raises(LookupError) as error:
        switch.serve([0, 10**9, 2 * 10**9, 3 * 10**9], [0] * 4, [125] * 4)
    left, causes, marked = error.value.done
    assert error.value.index == 2 and left.tolist() == [1_000_000, 1_001_000_000, NEVER, NEVER]
    assert switch.backlog == 0 and switch.serve([0], [0], [125])[0].tolist() == [1_000_000]


def test_a_run_and_a_replay_whose_ranks_are_slow():
    flows = fb.net.incast(hosts=16, degree=15, query="2 MB", per_second=5000, span="20 ms")
    slow = {"switch": "pifo", "rank": lambda packet: sum(range(2000)) + packet.size}
    error = interrupted(lambda: fb.net.run("star:16,10G,1us", flows, **slow), "run")
    assert error.run.report["ended"] == "stopped"
    capture = EXPERIMENTS / "themis/captures/mixed-programs.pcap"
    very = {"switch": "pifo", "rank": lambda packet: sum(range(100_000)) + packet.size}
    error = interrupted(lambda: fb.replay(capture, rate="1G", **very), "report")
    assert error.report["finished"] is False


def test_a_job_that_cannot_be_estimated_does_not_wait():
    scheduler = fb.JobScheduler(size=fails_at(2, 5))
    assert scheduler.offer(0, 1, 1, tag=1) is None
    with pytest.raises(LookupError):
        scheduler.offer(0, 1, 1, tag=2)
    assert len(scheduler) == 1 and scheduler.poll()[0] == 1
    scheduler = fb.JobScheduler(admission=fails_at(2, 1))
    with pytest.raises(LookupError) as error:
        scheduler.serve([0, 10, 20], [1] * 3, [5] * 3)
    assert error.value.index == 1 and error.value.done.tolist() == [5, NEVER, NEVER]
    assert scheduler.counts == {"offered": 1, "turned_away": 0, "refused": 0, "displaced": 0, "served": 1}


def test_an_admission_that_raises_counts_nothing():
    buffer = fb.Buffer(admission=fails_at(3, 1))
    with pytest.raises(LookupError) as error:
        buffer.enqueue_many([0, 1, 2, 3], [0] * 4, [100] * 4)
    assert error.value.index == 2 and error.value.done.tolist() == [0, 0]
    counters = buffer.counters
    assert counters["arrived"] == 2 and counters["threshold"] == 0
    assert buffer.enqueue(4, 0, 100, tag=9) is None and buffer.dequeue(5, 0) == (100, 0, 0)
