"""Job schedulers from Python: against a naive one, with estimators and admissions of the user's."""

import heapq
import random

import numpy as np
import pytest

import forebay as fb

NEVER = 2**64 - 1
US = 1_000_000


def jobs(seed, count=400):
    draw = random.Random(seed)
    times = sorted(draw.randrange(2_000 * US) for _ in range(count))
    sizes = [draw.choice([64, 256, 1500]) for _ in range(count)]
    works = [draw.randrange(1, 10 * US) for _ in range(count)]
    return times, sizes, works


def naive(times, sizes, works, key):
    """One processor that takes the job with the smallest key, unbounded."""
    done, waiting, free = [NEVER] * len(times), [], 0

    def process(until):
        nonlocal free
        while waiting and free < until:
            _, tag = heapq.heappop(waiting)
            free += works[tag]
            done[tag] = free

    for tag, at in enumerate(times):
        process(at)
        free = max(free, at)
        heapq.heappush(waiting, (key(tag), tag))
    process(NEVER)
    return done


def test_every_policy_by_name():
    names = [name for name, about in fb.JobScheduler.names() if about]
    assert {"fcfs", "sjf", "wsjf"} <= set(names)
    for name in names:
        scheduler = fb.JobScheduler(name, capacity=4)
        assert scheduler.offer(0, 1500, US, flow=3, tag=9) is None and len(scheduler) == 1
        assert scheduler.poll() == (9, 1500, 3, US)
        assert scheduler.poll() is None and scheduler.counts["served"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_served_as_a_naive_processor_would(seed):
    times, sizes, works = jobs(seed)
    columns = [np.array(column, dtype=np.uint64) for column in (times, sizes, works)]
    served = fb.JobScheduler("fcfs", capacity=1000).serve(*columns)
    assert served.tolist() == naive(times, sizes, works, lambda tag: tag)
    shortest = fb.JobScheduler("sjf", capacity=1000, exact=True).serve(*columns)
    assert shortest.tolist() == naive(times, sizes, works, lambda tag: works[tag])


@pytest.mark.parametrize("rule", ["size * 1_000", lambda job: job.size * 1_000])
def test_an_estimator_orders_by_what_it_says(rule):
    times, sizes, works = jobs(7)
    scheduler = fb.JobScheduler("sjf", capacity=1000, exact=True, size=rule)
    assert scheduler.serve(times, sizes, works).tolist() == naive(times, sizes, works, lambda tag: sizes[tag])


@pytest.mark.parametrize("rule", ["estimate < 5_000_000", lambda job: job.estimate < 5 * US])
def test_an_admission_turns_away_what_it_says(rule):
    times, sizes, works = jobs(8)
    scheduler = fb.JobScheduler(admission=rule)
    done = scheduler.serve(times, sizes, works)
    assert [end == NEVER for end in done.tolist()] == [work >= 5 * US for work in works]
    counts = scheduler.counts
    assert counts["offered"] == 400 == counts["turned_away"] + counts["served"]


def test_a_full_buffer_drops_what_costs_most_per_byte():
    scheduler = fb.JobScheduler("wsjf", capacity=2)
    assert scheduler.offer(0, 64, 30 * US, tag=1) is None
    assert scheduler.offer(0, 1500, 2 * US, tag=2) is None
    assert scheduler.offer(0, 1500, 3 * US, tag=3) == 1
    tail = fb.JobScheduler("wsjf", capacity=1, drop="tail")
    assert tail.offer(0, 64, 30 * US, tag=1) is None and tail.offer(0, 1500, 1, tag=2) == 2


def test_what_is_wrong_is_said():
    with pytest.raises(fb.ShapeError, match="there is no job policy `wsfj`"):
        fb.JobScheduler("wsfj")
    with pytest.raises(fb.ShapeError, match="capacity is 0"):
        fb.JobScheduler(capacity=0)
    with pytest.raises(ValueError, match="is not a rule"):
        fb.JobScheduler(drop="all")
    with pytest.raises(fb.ExpressionError, match="no field `bytes`"):
        fb.JobScheduler(size="bytes")
    with pytest.raises(TypeError, match="size: expected an expression or a function"):
        fb.JobScheduler(size=3)
    scheduler = fb.JobScheduler()
    with pytest.raises(ValueError, match="times: element 1 is 2, before the one ahead"):
        scheduler.serve([3, 2], [1, 1], [1, 1])
    with pytest.raises(ValueError, match="must have as many"):
        scheduler.serve([3, 4], [1, 1], [1])

    def fails(job):
        raise RuntimeError("no estimate")

    scheduler = fb.JobScheduler(size=fails)
    with pytest.raises(RuntimeError, match="no estimate"):
        scheduler.offer(0, 1, 1)
    scheduler = fb.JobScheduler(size=fails)
    with pytest.raises(RuntimeError, match="no estimate"):
        scheduler.serve([0, 1], [1, 1], [1, 1])
    assert len(scheduler) == 0


def test_the_hardwares_model_is_the_policy_wsjf_under_the_softwares_ranks():
    draw = random.Random(1)
    core, software = fb.WsjfCore(capacity=8, bits=9, fraction=16), fb.JobScheduler("wsjf", capacity=8)
    outcomes = set()
    for tag in range(2_000):
        if draw.random() < 0.6:
            work, size = draw.randrange(10 * US), draw.choice([0, 64, 256, 1500])
            dropped = core.offer(work, size, tag)
            assert (dropped and dropped[2]) == software.offer(0, size, work, tag=tag)
            if dropped:
                newcomer, rank, out = dropped
                assert newcomer == (out == tag) and rank >= core.rank(work, size)
                outcomes.add(newcomer)
        else:
            polled, expected = core.poll(), software.poll()
            assert (polled and polled[1]) == (expected and expected[0])
        assert len(core) == len(software)
    assert outcomes == {True, False}
