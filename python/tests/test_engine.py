"""Schedulers, buffers, caches and memory from Python, and rules of the user's."""

import gzip
import os
import random
import threading
from collections import OrderedDict

import numpy as np
import pytest

import forebay as fb

GBPS = 1_000_000_000
NEVER = 2**64 - 1


#: As they are when tests are collected: other tests register rank functions of their own.
SCHEDULERS = fb.Scheduler.names()


def test_every_scheduler_by_name():
    names = [name for name, about in SCHEDULERS if about]
    assert {"drr", "pifo-wfq", "gearbox", "fifo", "sff"} <= set(names)
    for name in names:
        scheduler = fb.Scheduler(name)
        assert scheduler.enqueue(0, 1500, flow=3, tag=9, flow_size=1500) is None
        assert (len(scheduler), scheduler.bytes) == (1, 1500)
        assert scheduler.dequeue(scheduler.ready_at(0))[4] == 9
        assert scheduler.dequeue(0) is None and len(scheduler) == 0


TREE = """
rate = "10 Gb/s"
node = [
    { name = "port", scheduler = "sp" },
    { name = "late", parent = "port", priority = 1, match = [{ class = 0 }] },
    { name = "soon", parent = "port", match = [{}] },
]
"""


def test_a_tree_of_ones_own():
    scheduler = fb.Scheduler("tree", tree=TREE)
    for tag, class_ in enumerate([0, 1, 0, 1]):
        assert scheduler.enqueue(0, 1500, class_=class_, tag=tag) is None
    assert [scheduler.dequeue(0)[4] for _ in range(4)] == [1, 3, 0, 2]
    with pytest.raises(fb.ShapeError, match='node "soon": there is no node "prot"'):
        fb.Scheduler("tree", tree=TREE.replace('parent = "port", match', 'parent = "prot", match'))
    with pytest.raises(fb.ShapeError, match='scheduler "drr": there is no parameter `tree`'):
        fb.Scheduler("drr", tree=TREE)


def serve_by_hand(arrivals, gap, key):
    """The departures of a link that serves the smallest key first, packet by packet."""
    waiting, left, free, at = [], {}, 0, 0
    while waiting or at < len(arrivals):
        while at < len(arrivals) and (arrivals[at][0] <= free or not waiting):
            free = max(free, arrivals[at][0]) if not waiting else free
            waiting.append((key(arrivals[at]), at))
            at += 1
        waiting.sort()
        _, index = waiting.pop(0)
        free += gap(arrivals[index])
        left[index] = free
    return [left[index] for index in range(len(arrivals))]


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        ("flow_size", lambda a: a[2]),
        ("flow_size % 7 * 100 - now", lambda a: max(a[2] % 7 * 100 - a[0], 0)),
        (lambda p: p.flow_size, lambda a: a[2]),
        (lambda p: p.class_ * 1000 + p.size, lambda a: a[1]),
        ("0", lambda a: 0),
    ],
)
def test_a_rank_of_ones_own(rule, key):
    draw = random.Random(1)
    times = sorted(draw.randrange(300_000) for _ in range(200))
    arrivals = [(time, draw.randrange(64, 1500), draw.randrange(10_000)) for time in times]
    columns = [np.array(column, dtype=np.uint64) for column in zip(*arrivals)]
    scheduler = fb.Scheduler(rank=rule)
    left = scheduler.serve(columns[0], columns[1], flow_sizes=columns[2], rate=1000 * GBPS)
    assert left.tolist() == serve_by_hand(arrivals, lambda a: 8 * a[1], key)
    assert len(scheduler) == 0


def test_shares_by_weight():
    count = 4000
    times = np.zeros(count, np.uint64)
    flows = np.arange(count, dtype=np.uint64) % 2
    left = fb.Scheduler("drr", weights=[3, 1]).serve(times, times + 1500, flows=flows, rate=10 * GBPS)
    half = left < np.median(left)
    assert 2.8 < (half & (flows == 0)).sum() / (half & (flows == 1)).sum() < 3.2


def test_dropped_packets_never_leave():
    left = fb.Scheduler("drop-tail", packets=2).serve([0, 0, 0], [100] * 3, rate=GBPS)
    assert left.tolist() == [800_000, 1_600_000, NEVER]


@pytest.mark.parametrize(
    ("build", "kind", "text"),
    [
        (lambda: fb.Scheduler("sjf"), fb.ShapeError, "there is no scheduler `sjf`; "),
        (lambda: fb.Scheduler(), ValueError, "give either the name of a scheduler or a rank"),
        (lambda: fb.Scheduler("drr", rank="size"), ValueError, "give either"),
        (lambda: fb.Scheduler("drr", packets=0), fb.ShapeError, "packets"),
        (lambda: fb.Scheduler("drr", weights=[0]), fb.ShapeError, "weight"),
        (lambda: fb.Scheduler(rank=3), TypeError, "rank: expected the name of a rank function, an expression or a function"),
        (lambda: fb.Scheduler("drr").serve([2, 1], [1, 1], rate=1), ValueError, "times: element 1 is 1, before"),
        (lambda: fb.Scheduler("drr").serve([1], [1, 1], rate=1), ValueError, "times has 1 elements and sizes 2"),
        (lambda: fb.Scheduler("drr").serve([1], [2**40], rate=1), ValueError, "sizes: element 0 is 1099511627776"),
        (lambda: fb.Scheduler("drr").serve([1], [1], rate=0), ValueError, "rate: 0 bits"),
        (lambda: fb.Buffer("dtt"), fb.ShapeError, 'there is no buffer policy `dtt`; did you mean `dt`'),
        (lambda: fb.Buffer("dt", ports=0), fb.ShapeError, "ports"),
        (lambda: fb.Buffer("dt", cell=0), fb.ShapeError, "cell"),
        (lambda: fb.Buffer("dt", alpha=0.0), ValueError, "alpha: 0 is not a number between"),
        (lambda: fb.OccamyPipeline(queues=1), fb.ShapeError, "queues: 1"),
        (lambda: fb.OccamyPipeline(largest=100), fb.ShapeError, "burst: 2 cycles would never drop the largest packet; give at least 25"),
        (lambda: fb.OccamyPipeline().cycle((64, 1)), ValueError, "there is no queue 64"),
        (lambda: fb.OccamyPipeline().cycle((0, 9)), ValueError, "a packet of 9 cells"),
        (lambda: fb.OccamyPipeline().length(64), IndexError, "there is no queue 64"),
        (lambda: fb.AdmissionPipeline("dtt"), fb.ShapeError, "there is no scheme `dtt`; give `dt`, `abm` or `pushout`"),
        (lambda: fb.AdmissionPipeline("pushout", alpha_log2=1), fb.ShapeError, "alpha_log2: the scheme `pushout` does not read it"),
        (lambda: fb.AdmissionPipeline("abm", cells=100), fb.ShapeError, "no queue holds 140 cells; give at most 100"),
        (lambda: fb.AdmissionPipeline("pushout").cycle((0, 1), (0, 1)), ValueError, "more leaves queue 0"),
        (lambda: fb.AdmissionPipeline("dt").length(64), IndexError, "there is no queue 64"),
        (lambda: fb.GearboxCore(levels=5), fb.ShapeError, "levels: 5"),
        (lambda: fb.ThemisManager(high=1024), fb.ShapeError, "high.*it is 1024, and 1024 fit"),
        (lambda: fb.ThemisManager(levels=8, width=8), fb.ShapeError, "levels.*cannot have 16777216 buckets"),
        (lambda: fb.WsjfCore(bits=15), fb.ShapeError, "bits is 15; give it at most 14"),
        (lambda: fb.WsjfCore(capacity=0), fb.ShapeError, "capacity is 0"),
        (lambda: fb.Buffer(), ValueError, "give either a policy or an admission"),
        (lambda: fb.Buffer("dt").enqueue(0, 8, 1), IndexError, "port 8 and class 0: there are 8 ports of 1"),
        (lambda: fb.Cache("lru-x", 1, fetch=1), fb.ShapeError, 'there is no cache policy `lru-x`'),
        (lambda: fb.Cache("lru", 0, fetch=1), fb.ShapeError, "capacity is 0"),
        (lambda: fb.Cache("lru", 1, fetch=2**63), ValueError, "fetch: .* steps; at most"),
        (lambda: fb.Cache("lru", 1, fetch=[]), ValueError, "fetch: give the steps"),
        (lambda: fb.Cache("lru", 1, fetch=1, ways=1, sets=1), ValueError, "not both"),
        (lambda: fb.Cache("lru", 1, fetch=1, unit="kg"), ValueError, "unit"),
        (lambda: fb.Cache("lru", 1, fetch=1).simulate([2, 1], [1, 1]), ValueError, "times: element 1 is 1, before"),
        (lambda: fb.Cache("belady", 1, fetch=1).offer(0, 1), fb.ShapeError, "must know the future.*simulate"),
        (lambda: fb.Cache("lru", 1, fetch=1).offer(2**63, 1), ValueError, "at most"),
        (lambda: fb.Hbm(scheduling="best"), ValueError, "best is not one of in-order, fr-fcfs"),
        (lambda: fb.Hbm().submit(0, 1, 0, 0), fb.ShapeError, "columns"),
    ],
)
def test_wrong_parameters(build, kind, text):
    with pytest.raises(kind, match=text):
        build()


def test_every_buffer_policy_by_name():
    for name, about in fb.Buffer.names():
        assert about
        buffer = fb.Buffer(name)
        assert buffer.enqueue(0, 3, 1500, tag=7) is None
        assert buffer.length(3) == 1600 and buffer.occupancy == (1600, 410_000)
        assert buffer.dequeue(5, 3) == (1500, 7, 0) and buffer.dequeue(5, 3) is None
        counters = buffer.counters
        assert (counters["arrived"], counters["departed"]) == (1, 1)


def test_a_dynamic_threshold_and_the_same_rule_of_ones_own():
    count = 400
    draw = np.random.default_rng(1)
    ports, sizes = draw.integers(0, 3, count), draw.integers(64, 1500, count)
    times = np.arange(count) * 100
    expected = fb.Buffer("dt", alpha=0.5).enqueue_many(times, ports, sizes)
    assert 0 < (expected == 0).sum() < count
    causes = fb.Buffer.causes()
    assert {causes[cause - 1] for cause in set(expected.tolist()) - {0}} == {"threshold"}
    for rule in ("2 * (queue + cells) <= capacity - used", lambda p: 2 * (p.queue + p.cells) <= p.capacity - p.used):
        admitted = fb.Buffer(admission=rule).enqueue_many(times, ports, sizes)
        # The policy's own rule differs in whether the arriving cells count; the totals are close.
        assert abs(int((admitted == 0).sum()) - int((expected == 0).sum())) < count // 20


def test_an_admission_that_raises():
    def broken(packet):
        raise ZeroDivisionError("in the rule")

    buffer = fb.Buffer(admission=broken)
    with pytest.raises(ZeroDivisionError, match="in the rule"):
        buffer.enqueue(0, 0, 100)
    with pytest.raises(ZeroDivisionError, match="in the rule"):
        buffer.enqueue_many([0], [0], [100])


def test_batches_of_a_buffer_are_checked_as_single_packets_are():
    buffer = fb.Buffer("dt", ports=4, classes=2)
    for columns, text in [
        (([0, 0], [0, 2**40], [100, 100]), "ports: element 1 is 1099511627776; there are 4 ports of 2 classes"),
        (([0, 0], [0, 4], [100, 100]), "ports: element 1 is 4"),
        (([0, 0], [0, 0], [100, 2**50]), "sizes: element 1 is 1125899906842624"),
        (([5, 4], [0, 0], [100, 100]), "times: element 1 is 4, before the one ahead"),
    ]:
        with pytest.raises(ValueError, match=text):
            buffer.enqueue_many(*columns)
    with pytest.raises(ValueError, match="classes: element 0 is 2"):
        buffer.enqueue_many([0], [0], [1], classes=[2])
    assert buffer.counters["arrived"] == 0


def test_batches_of_a_buffer():
    draw = np.random.default_rng(3)
    count = 500
    times = np.sort(draw.integers(0, 10**8, count))
    ports, classes = draw.integers(0, 4, count), draw.integers(0, 2, count)
    sizes, ranks = draw.integers(64, 1500, count), draw.integers(0, 99, count)
    one, many = (fb.Buffer("occamy-rank", ports=4, classes=2, capacity=60_000) for _ in range(2))
    verdicts = many.enqueue_many(times, ports, sizes, classes=classes, ranks=ranks, tags=np.arange(count) + 7)
    words, lost = [], []
    for row in zip(*(column.tolist() for column in (times, ports, sizes, classes, ranks, np.arange(count) + 7))):
        now, port, size, class_, rank, tag = row
        words.append(one.enqueue(now, port, size, class_=class_, rank=rank, tag=tag))
        lost += one.losses()
    causes = fb.Buffer.causes()
    assert [None if v == 0 else causes[v - 1] for v in verdicts.tolist()] == words
    assert many.losses() == lost and len(lost) > 0 and one.counters == many.counters
    later = np.full(200, 10**9)
    columns = many.dequeue_many(later, ports[:200], classes=classes[:200])
    gone = [one.dequeue(10**9, int(p), class_=int(c)) for p, c in zip(ports[:200], classes[:200])]
    assert [row for row in zip(*(column.tolist() for column in columns))] == [g or (NEVER,) * 3 for g in gone]
    assert None in gone and any(gone)


def test_departures_beyond_the_clock_are_no_drops():
    left = fb.Scheduler("drr", bytes=2**40).serve([0] * 3, [2**32 - 1] * 3, rate=1)
    assert left.tolist() == [NEVER - 1] * 3
    scheduler = fb.Scheduler("fifo", bytes=2**40)
    assert scheduler.serve([0], [2**32 - 1], rate=1).tolist() == [NEVER - 1] and len(scheduler) == 0


def test_origins_of_a_cache():
    cache = fb.Cache("lru", 8, fetch=[5, 6])
    assert cache.offer(0, 1, origin=1) == ("miss", 6)
    with pytest.raises(ValueError, match="origin: 9; `fetch` has 2 origins, numbered from 0"):
        cache.offer(0, 2, origin=9)
    with pytest.raises(ValueError, match="origins: element 1 is 2; `fetch` has 2 origins"):
        cache.simulate([0, 0], [1, 2], origins=[1, 2])
    for fetch, kind, text in [(-1, ValueError, "from 0 to"), (1.5, TypeError, "at least 0"), ("5", Exception, "fetch")]:
        with pytest.raises(kind, match=f"fetch: .*{text}" if text != "fetch" else "fetch"):
            fb.Cache("lru", 8, fetch=fetch)
    with pytest.raises(fb.ShapeError, match="request 1 is at 2, before the one at 3: sort"):
        cache = fb.Cache("lru", 8, fetch=1)
        cache.offer(3, 1)
        cache.offer(2, 1)
    with pytest.raises(ValueError, match="samples: only a sampled eviction"):
        fb.Cache("lru", 8, fetch=1, samples=3)


def test_signatures_show_their_defaults():
    import inspect

    for owner in (fb.Scheduler, fb.Buffer, fb.Cache, fb.Hbm, fb.Switch, fb.JobScheduler, *vars(fb.queues).values()):
        if not inspect.isclass(owner):
            continue
        for member in [owner, *(value for name, value in vars(owner).items() if not name.startswith("_"))]:
            try:
                parameters = inspect.signature(member).parameters.values()
            except (TypeError, ValueError):
                continue
            assert all(parameter.default is not ... for parameter in parameters), member


def test_the_example_of_delayed_hits():
    cache = fb.Cache("lru", 1, fetch=10)
    seen = [cache.offer(time, 1) for time in (3, 5, 11, 13)]
    assert seen == [("miss", 10), ("delayed hit", 8), ("delayed hit", 2), ("hit", 0)]
    assert cache.report["mean_latency"] == 5.0 and len(cache) == 1
    batch = fb.Cache("lru", 1, fetch=10).simulate([3, 5, 11, 13], [1] * 4)
    assert batch.tolist() == [10, 8, 2, 0]


def test_a_cache_reads_traces(tmp_path):
    text = "# time, object, size, next_access_vtime\n0, 7, 512, 2\n1, 8, 100, -1\n1, 7, 512, -1\n"
    plain = tmp_path / "trace.txt"
    plain.write_text(text)
    packed = tmp_path / "trace"
    packed.write_bytes(gzip.compress(text.encode()))
    for path in (plain, str(packed)):
        trace = fb.read_trace(path, size_column="size")
        assert {name: column.tolist() for name, column in trace.items()} == {
            "times": [0, 1, 2],
            "objects": [7, 8, 7],
            "sizes": [512, 100, 512],
            "origins": [0, 0, 0],
        }
        cache = fb.Cache("lru", 10, fetch=1)
        assert cache.simulate(**trace).tolist() == [1, 1, 0]
    assert fb.read_trace(plain, clock="time", time_unit="1 us")["times"].tolist() == [0, 1000, 1000]
    assert len(fb.read_trace(plain, requests=2)["times"]) == 2
    # Sizes that nobody told are not made up.
    assert "sizes" not in fb.read_trace(plain)
    numbered = fb.read_trace(plain, object_column=2, size_column=3)
    assert numbered["sizes"].tolist() == [512, 100, 512]
    # A pipe can be read once.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(packed.read_bytes()))
    writer.start()
    assert fb.read_trace(pipe)["objects"].tolist() == [7, 8, 7]
    writer.join()


def test_a_cache_of_bytes_asks_for_sizes():
    cache = fb.Cache("lru", "1 KiB", fetch=5, unit="bytes")
    with pytest.raises(fb.ShapeError, match="^sizes: give the bytes of each request's object, as the cache's cap"):
        cache.simulate([0, 1], [7, 8])
    with pytest.raises(fb.ShapeError, match="^size: give the bytes of the object, as the cache's capacity is in"):
        cache.offer(0, 7)
    assert cache.offer(0, 7, "100 B") == ("miss", 5) and len(fb.Cache("lru", 2, fetch=5)) == 0


def test_what_is_no_trace_is_refused(tmp_path):
    path = tmp_path / "trace.csv"
    for content, settings, words in (
        (bytes(range(256)) * 9, {}, "none of the formats of a trace"),
        (b"PAR1\x15\x04", {}, "a Parquet table"),
        (b"time,obj_id\n1,2\n", {}, 'object_column: .* there is "time", "obj_id"'),
        (b"time,object\n1,2\n", {"clock": "time", "time_column": "when"}, 'time_column: .*"when"'),
        (b"time,object\n1,2\n1\n", {}, "line 3: the line has 1, the first 2"),
        (b"7\n", {"kind": "capture"}, "kind: .* not a packet capture"),
        (b"7\n", {"requests": 0}, "requests: "),
        (b"0;7\n", {"size_column": "size"}, "^size_column: it has no effect, since `kind` is steps; leave it out$"),
        (b"0;7\n", {"clock": "time"}, "^clock: it has no effect, since `kind` is steps; leave it out$"),
        (b"time,object\n1,2\n", {"time_unit": "1 ms"}, 'since `clock` is index; .*, or give clock="time"$'),
        (b"time,object\n1,2\n", {"clock": "soon"}, '^clock: "soon" is not one of index, time$'),
        (b"time,object\n1,2\n", {"kind": "cdn"}, '^kind: "cdn" is not one of csv, steps, oracle-general, capture$'),
        (b"time,object\n1,2\n", {"header": "maybe"}, "^header: "),
        (b"time,object\n1,2\n", {"delimiter": ";;"}, "^delimiter: "),
        (b"time,object\n1,2\n", {"object_column": "\x1b[31m"}, r'^object_column: .*"\\u\{1b\}\[31m"'),
        (b"time,object\n", {}, "line 1: it is a header, and no rows follow"),
        (b"", {}, "trace.csv: the trace has no requests"),
    ):
        path.write_bytes(content)
        with pytest.raises(fb.ShapeError, match=words):
            fb.read_trace(path, **settings)
    with pytest.raises(FileNotFoundError, match="absent"):
        fb.read_trace(tmp_path / "absent")


def test_every_cache_policy_by_name():
    draw = np.random.default_rng(2)
    objects = draw.zipf(1.3, 5000).astype(np.uint64)
    times = np.arange(5000, dtype=np.uint64)
    latencies = {}
    for base, about in fb.Cache.names():
        assert about
        for name in (base, f"{base}-mad", f"{base}-mad-all", f"{base}-ad"):
            cache = fb.Cache(name, 64, fetch=100)
            latencies[name] = cache.simulate(times, objects).sum()
            report = cache.report
            assert report["hits"] + report["delayed_hits"] + report["misses"] == 5000
    assert latencies["belady-ad"] < latencies["lru"]
    sized = fb.Cache("gdsf", 1000, fetch=[100, 10], unit="bytes", sampled=True, seed=3)
    seen = sized.simulate(times, objects, objects % 50 + 1, origins=objects % 2)
    assert seen.max() == 100


class Lru:
    """Least recently used, as a user would write it."""

    def __init__(self, capacity):
        self.capacity, self.objects = capacity, OrderedDict()

    def hit(self, object, time):
        self.objects.move_to_end(object)

    def admit(self, arrival):
        self.objects[arrival.object] = arrival.space
        assert sum(self.objects.values()) <= self.capacity

    def evict(self, arrival):
        return self.objects.popitem(last=False)[0]


@pytest.mark.parametrize("shape", [{}, {"ways": 4}, {"sets": 3}, {"unit": "bytes"}], ids=str)
def test_a_cache_policy_of_ones_own(shape):
    draw = np.random.default_rng(5)
    objects = draw.zipf(1.2, 4000).astype(np.uint64) % 500
    times = np.cumsum(draw.integers(0, 3, 4000)).astype(np.uint64)
    own, built_in = (fb.Cache(policy, 64, fetch=20, **shape) for policy in (Lru, "lru"))
    seen = [cache.simulate(times, objects, objects % 9 + 1) for cache in (own, built_in)]
    assert (seen[0] == seen[1]).all() and own.report == built_in.report and own.report["evictions"] > 1000
    assert repr(own) == repr(built_in).replace('"lru"', "Lru")
    assert own.offer(times[-1], 1000, 1) == built_in.offer(times[-1], 1000, 1) == ("miss", 20)


def test_what_a_cache_policy_of_ones_own_is_told():
    told = []

    class Told:
        def __init__(self, capacity):
            told.append(("new", capacity))
            self.hit = lambda *known: told.append(("hit", *known))
            self.absent = lambda *known: told.append(("absent", *known))

        def admit(self, arrival):
            told.append(("admit", arrival.object))

        def arrive(self, arrival):
            told.append(arrival)
            return arrival.object != 3

        def evict(self, arrival):
            told.append(("evict", arrival.object))
            return None if arrival.object == 2 else 1

    cache = fb.Cache(Told, 10, fetch=5, unit="bytes")
    for time, object, size in ((0, 1, 8), (2, 1, 8), (6, 1, 8), (10, 2, 4), (11, 3, 1), (20, 4, 5), (30, 9, 1)):
        cache.offer(time, object, size)
    first, *others = [known for known in told if isinstance(known, fb.CacheArrival)]
    assert (first.time, first.object, first.size, first.space, first.requested) == (5, 1, 8, 8, 0)
    assert (first.waiters, first.aggregate_delay) == (2, 8) and [other.object for other in others] == [2, 3, 4]
    assert [known for known in told if isinstance(known, tuple)] == [
        *[("new", 10), ("absent", 1, 0), ("absent", 1, 2), ("admit", 1), ("hit", 1, 6)],
        *[("absent", 2, 10), ("absent", 3, 11), ("evict", 2), ("absent", 4, 20), ("evict", 4), ("admit", 4)],
        ("absent", 9, 30),
    ]
    assert cache.report["bypasses"] == 2 and cache.report["evictions"] == 1
    assert repr(first).startswith("<CacheArrival: object 1 at 5, size 8,")


def test_a_cache_policy_of_ones_own_that_fails():
    class Wrong(Lru):
        def evict(self, arrival):
            return self.answer

    for answer in (77, -1, "one", 2.5):
        Wrong.answer = answer
        cache = fb.Cache(Wrong, 1, fetch=1)
        with pytest.raises(ValueError, match="evict answered .*, which is not cached") as error:
            cache.simulate([0, 5, 10], [1, 2, 3])
        assert error.value.index == 2 and error.value.done.tolist() == [1, 1]
        for again in (lambda: cache.offer(20, 1), lambda: cache.simulate([20], [1])):
            with pytest.raises(fb.ForebayError, match="make a new one"):
                again()
        assert cache.report["requests"] == 2 and "Wrong" in repr(cache)

    class Raising(Lru):
        def __init__(self, capacity):
            raise LookupError(capacity)

    cache = None

    class Inside(Lru):
        def hit(self, object, time):
            cache.offer(time, object)

    cache = fb.Cache(Inside, 1, fetch=1)
    cache.offer(0, 1)
    with pytest.raises(RuntimeError, match="borrowed"):
        cache.offer(5, 1)
    for call, kind, text in [
        (lambda: fb.Cache(Raising, 3, fetch=1), LookupError, "3"),
        (lambda: fb.Cache(Lru(3), 3, fetch=1), TypeError, "policy: .* got Lru: give the class itself"),
        (lambda: fb.Cache(7, 3, fetch=1), TypeError, "policy: expected a name or a class, got int"),
        (lambda: fb.Cache(lambda capacity: object(), 3, fetch=1), TypeError, "has no method `hit`; hit, admit and"),
        (lambda: fb.Cache(Lru, 3, fetch=1, sampled=True), ValueError, "sampled: a policy of your own"),
        (lambda: fb.Cache(Lru, 3, fetch=1, samples=3), ValueError, "samples: a policy of your own"),
        (lambda: fb.Cache(Lru, 3, fetch=1, seed=3), ValueError, "seed: a policy of your own"),
    ]:
        with pytest.raises(kind, match=text):
            call()


def test_the_bound_of_a_cache():
    # The example of thesis 2.3.1 with Z = 5, a thousand times over; X is never asked for.
    pattern = "BAAAAABXXBXXBXXBXX"
    trace = [(time, ord(object)) for time, object in enumerate(pattern * 1000) if object != "X"]
    times, objects = zip(*trace)
    bounds = fb.Cache.bound(times, objects, 1, fetch=5)
    assert bounds["lower"] <= bounds["upper"] <= bounds["rounded"] and bounds["gap"] <= 0.001
    for name, _ in fb.Cache.names():
        for policy in (name, f"{name}-mad", f"{name}-ad"):
            cache = fb.Cache(policy, 1, fetch=5)
            cache.simulate(times, objects)
            assert cache.report["mean_latency"] >= bounds["lower"], policy
    assert fb.Cache.bound(times, objects, 1, fetch="5 ns", threads=1) == bounds
    for change, text in [
        ({"fetch": 0}, "fetch: every schedule costs nothing"),
        ({"fetch": 2**63}, "fetch: .* steps; at most"),
        ({"capacity": 0}, "capacity is 0"),
        ({"gap": float("nan")}, "gap: give a share from 0 to 1"),
        ({"threads": 0}, "threads: give at least 1"),
        ({"times": [5, 4], "objects": [1, 1]}, "times: element 1 is 4, before"),
        ({"objects": [1]}, "must have as many"),
        ({"times": [], "objects": []}, "times: without requests there is no latency"),
        ({"fetch": 10**14, "times": range(10**5), "objects": range(10**5)}, "100000 requests of 10{14} steps each"),
    ]:
        arguments = {"times": times, "objects": objects, "capacity": 1, "fetch": 5, **change}
        with pytest.raises(ValueError, match=text):
            fb.Cache.bound(**arguments)


def test_expressions():
    rule = fb.Expression("min(size, 100) * 2 + (flow == 1 ? 1_000 : 0)", ["size", "flow"])
    assert rule(size=[50, 500], flow=[0, 1]).tolist() == [100, 1200]
    with pytest.raises(fb.ExpressionError, match="column 5: there is no field `siz`; did you mean `size`") as error:
        fb.Expression("2 * siz", ["size", "flow"])
    assert error.value.column == 5 and isinstance(error.value, ValueError)
    with pytest.raises(fb.ExpressionError, match="rank: column 1: there is no field `weight`") as error:
        fb.Scheduler(rank="weight + 1")
    assert error.value.column == 1
    with pytest.raises(fb.ShapeError, match="rank: there is no rank function or field `weight`"):
        fb.Scheduler(rank="weight")
    with pytest.raises(fb.ExpressionError, match="rank: column 5: there is no field `length`; write `size`"):
        fb.Scheduler(rank="2 * length")
    with pytest.raises(fb.ExpressionError, match="column 14: expected `\\)`"):
        fb.Buffer(admission="queue < (used")
    with pytest.raises(TypeError, match="flow: there is no such column"):
        rule(size=[1])
    with pytest.raises(ValueError, match="size has 1 elements and flow 2"):
        rule(size=[1], flow=[1, 2])
