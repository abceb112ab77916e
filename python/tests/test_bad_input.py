"""What is wrong is said, with its name and the fix; nothing else changes."""

import gc
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import forebay as fb
from forebay import queues

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.parametrize(
    ("ranks", "kind", "text"),
    [
        (np.array([1.0]), TypeError, r"ranks: expected whole numbers, got dtype float64.*astype"),
        (np.array(["a"]), TypeError, "ranks: expected whole numbers"),
        (np.array([object()]), TypeError, "ranks: expected whole numbers, got dtype object"),
        (np.array([True]), TypeError, "ranks: expected whole numbers, got dtype bool"),
        (np.array([1], dtype=">u8"), TypeError, "ranks: expected whole numbers"),
        (np.array([3, -1]), ValueError, "ranks: element 1 is -1; none may be below 0"),
        (np.zeros((2, 3), np.uint64), ValueError, r"ranks: expected one dimension, got shape \[2, 3\]"),
        (np.uint64(3), ValueError, "ranks: expected one dimension"),
        (np.arange(10, dtype=np.uint64)[::2], ValueError, "16 bytes apart.*ascontiguousarray"),
        (np.arange(10, dtype=np.uint64)[::-1], ValueError, "-8 bytes apart"),
    ],
)
def test_wrong_arrays(ranks, kind, text):
    queue = queues.ExactQueue(10)
    with pytest.raises(kind, match=text):
        queue.push_many(ranks)
    assert len(queue) == 0


def test_arrays_of_other_integers_are_converted():
    for kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"):
        queue = queues.ExactQueue(10)
        queue.push_many(np.array([2, 1], dtype=kind), np.array([5, 6], dtype=kind))
        assert queue.pop() == (1, 6)
    queue.push_many([])
    queue.push_many(np.zeros(0, np.uint64))


def test_columns_of_different_length():
    with pytest.raises(ValueError, match="ranks has 2 elements and items 1"):
        queues.ExactQueue(10).push_many([1, 2], [1])


@pytest.mark.parametrize("value", [-1, 2**64, 10**30])
def test_numbers_out_of_range(value):
    queue = queues.ExactQueue(10)
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        queue.push(value)
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        queue.pop_many(value)
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        queues.ExactQueue(value)


@pytest.mark.parametrize("value", [1.5, "3", None, [1]])
def test_no_numbers(value):
    with pytest.raises(TypeError, match="expected a whole number of at least 0, got"):
        queues.ExactQueue(10).push(value)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: queues.BucketQueue(0, 1), "cannot have 0 buckets"),
        (lambda: queues.BucketQueue(2**63, 1), "buckets"),
        (lambda: queues.BucketQueue(8, 1, width=5), "width is 5; the package is built for"),
        (lambda: queues.ClubHeap(1, 10), "cluster"),
        (lambda: queues.ClubHeap(2, 2**40), "elements"),
        (lambda: queues.ClubHeap(2, 10, ways=5), "ways is 5; the package is built for"),
        (lambda: queues.IntervalClubHeap(4, 2**40, ways=3), "elements"),
        (lambda: queues.PartitionedClubHeap(2, 10, 0), "PIFO"),
        (lambda: queues.PartitionedBuckets(3, 64, 10), "3 partitions"),
        (lambda: queues.ShiftRegister(0), "ask for 1 to"),
        (lambda: queues.ShiftRegister(2**62), "ask for 1 to"),
        (lambda: queues.PHeap(2**62), "ask for 1 to"),
        (lambda: queues.PipelinedHeap(2**62), "ask for 1 to"),
        (lambda: queues.BmwTree(1, 10), "1-way"),
        (lambda: queues.BmwTree(2, 2**62), "ask for 1 to"),
        (lambda: queues.PieoQueue(2**62), "ask for 1 to"),
        (lambda: queues.Pieo(10, 2**62), "flows"),
        (lambda: queues.PartitionedPipelinedHeap(2**40, 2**40), "partitions"),
        (lambda: queues.PartitionedShiftRegister(0, 1), "partitions"),
        (lambda: queues.TieredBuckets(0), "buckets"),
        (lambda: queues.HandleQueue(1, ranks=2**40), "buckets"),
        (lambda: queues.LatencyFree(0, 1), "buckets"),
        (lambda: queues.SpPifo(0, 1), "queues"),
        (lambda: queues.SpPifo(2, 0), "place"),
        (lambda: queues.Aifo(4, burst=1.5), "burst"),
        (lambda: queues.Aifo(4, window=0), "window"),
        (lambda: queues.CalendarQueue(2**40, 1, 1), "queues"),
        (lambda: queues.CalendarQueue(4, 0, 1), "granularity"),
        (lambda: queues.ProgrammableCalendar(1, 1, 1), "ask for 2"),
        (lambda: queues.DropTailQueue(0), "place"),
    ],
)
def test_impossible_shapes(build, text):
    with pytest.raises(fb.ShapeError, match=text) as error:
        build()
    assert isinstance(error.value, ValueError) and isinstance(error.value, fb.ForebayError)


def test_sizes_that_no_machine_has_take_no_memory():
    for build in (queues.ExactQueue, queues.SampleQueue, queues.ReferenceQueue):
        queue = build(2**63)
        queue.push(2**64 - 1)
        assert queue.pop() == (2**64 - 1, None)
    assert queues.PushOut(2**60).pop() is None


CAPACITIES = {
    "BucketQueue": lambda n: queues.BucketQueue(2, n),
    "CircularWindow": lambda n: queues.CircularWindow(64, n),
    "RollingWindow": lambda n: queues.RollingWindow(64, n),
    "HandleQueue": lambda n: queues.HandleQueue(n),
    "HandleQueue over buckets": lambda n: queues.HandleQueue(n, ranks=8),
    "PartitionedBuckets": lambda n: queues.PartitionedBuckets(2, 128, n),
    "PartitionedShiftRegister": lambda n: queues.PartitionedShiftRegister(2, n),
    "PartitionedPipelinedHeap": lambda n: queues.PartitionedPipelinedHeap(1, n),
    "Pipelined": lambda n: queues.Pipelined(2, n),
    "LatencyFree": lambda n: queues.LatencyFree(2, n),
    "DropTailQueue": lambda n: queues.DropTailQueue(n),
    "PushOut": lambda n: queues.PushOut(n),
    "RefuseWhenFull": lambda n: queues.RefuseWhenFull(n),
    "SpPifo": lambda n: queues.SpPifo(1, n),
    "Aifo": lambda n: queues.Aifo(n),
    "CalendarQueue": lambda n: queues.CalendarQueue(2, 1, n),
    "ProgrammableCalendar": lambda n: queues.ProgrammableCalendar(2, 1, n),
    "ExactQueue": lambda n: queues.ExactQueue(n),
    "SampleQueue": lambda n: queues.SampleQueue(n),
    "ReferenceQueue": lambda n: queues.ReferenceQueue(n),
    "ShiftRegister": lambda n: queues.ShiftRegister(n),
    "PieoQueue": lambda n: queues.PieoQueue(n),
    "Pieo": lambda n: queues.Pieo(n, 8),
    "PHeap": lambda n: queues.PHeap(n),
    "PipelinedHeap": lambda n: queues.PipelinedHeap(n),
    "BmwTree": lambda n: queues.BmwTree(2, n),
    "ClubHeap": lambda n: queues.ClubHeap(2, n),
    "IntervalClubHeap": lambda n: queues.IntervalClubHeap(4, n),
}


@pytest.mark.parametrize("name", CAPACITIES)
def test_a_capacity_is_that_asked_for_or_refused(name):
    for capacity in (5, 10**12):
        try:
            queue = CAPACITIES[name](capacity)
        except fb.ShapeError as error:
            assert capacity == 10**12 and "1000000000000" in str(error)
        else:
            assert getattr(queue, "capacity", capacity) >= capacity


def test_masked_elements_are_no_numbers():
    queue = queues.ExactQueue(10)
    masked = np.ma.array([1, 2, 3], mask=[False, True, False], dtype=np.uint64)
    with pytest.raises(ValueError, match=r"ranks: some of its elements are masked; pass ranks.compressed\(\)"):
        queue.push_many(masked)
    queue.push_many(np.ma.array([1, 2], dtype=np.uint64))
    assert len(queue) == 2


def test_misaligned_elements():
    bytes = np.zeros(33, np.uint8)
    with pytest.raises(ValueError, match=r"ranks: its elements do not lie at multiples of 8 bytes.*copy\(\)"):
        queues.ExactQueue(10).push_many(bytes[1:].view(np.uint64))
    with pytest.raises(ValueError, match="items: its elements do not lie at multiples of 4"):
        queues.ExactQueue(10).push_many([1] * 8, bytes[1:].view(np.uint32))


def test_lists_are_read_as_they_are():
    queue = queues.ExactQueue(10)
    queue.push_many([1, 2**64 - 1], (np.uint64(7), 8))
    assert queue.pop_max() == (2**64 - 1, 8) and queue.pop() == (1, 7)
    for ranks, kind, text in [
        ([1, 2.0], TypeError, "ranks: expected whole numbers, but element 1 is of type float"),
        ([True], TypeError, "element 0 is of type bool"),
        ([[1, 2]], ValueError, "ranks: expected one dimension, but element 0"),
        ([0, 2**64], ValueError, r"element 1 is 18446744073709551616; it must be from 0 to 2\^64 - 1"),
        ([-1], ValueError, "element 0 is -1"),
    ]:
        with pytest.raises(kind, match=text):
            queue.push_many(ranks)
    assert len(queue) == 0


def test_a_queue_that_holds_itself_is_collected():
    class Marker:
        pass

    queue, marker = queues.ExactQueue(4), Marker()
    queue.push(1, queue)
    queue.push(2, marker)
    gone = weakref.ref(marker)
    del queue, marker
    gc.collect()
    assert gone() is None


def test_two_threads_at_one_queue():
    queue, failures = queues.ExactQueue(10**7), []
    ranks = np.arange(200_000, dtype=np.uint64)

    def push():
        for _ in range(5):
            try:
                queue.push_many(ranks)
            except RuntimeError as error:  # the other thread is in the middle of a batch
                failures.append(str(error))

    threads = [threading.Thread(target=push) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(queue) == (10 - len(failures)) * len(ranks)
    assert all("borrowed" in text for text in failures)


def test_base_classes_cannot_be_made():
    with pytest.raises(TypeError):
        queues.Queue()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fb.Expression("size", "size"), "expected a list, got str"),
        (lambda: fb.Expression("size", 3), "expected a list, got int"),
        (lambda: fb.PortScheduler("drr", 2).select(None), "expected a list, got NoneType"),
        (lambda: fb.Buffer("dt", pools=5), "pools: expected a list, got int"),
    ],
)
def test_what_is_no_list(call, message):
    with pytest.raises(TypeError, match=message) as error:
        call()
    assert "Vec" not in str(error.value)


def test_what_has_no_effect_is_refused(tmp_path):
    flows = {"src": [0], "dst": [1], "bytes": [500], "start_ps": [0]}
    for wrong in ({"trace_window": "1 ms.."}, {"trace_sample": 10}):
        name = next(iter(wrong))
        with pytest.raises(fb.NetError, match=f"^{name}: without trace it has no effect"):
            fb.net.run("star:2,10G,1us", flows, **wrong)
    with pytest.raises(fb.NetError, match="^warm_up: no flow begins after it"):
        fb.net.run("star:2,10G,1us", flows, warm_up="1 s")


def test_a_share_has_only_runs_that_there_are(tmp_path):
    experiment = fb.Experiment.load(EXPERIMENTS / "delayed-hits/fig2.04-pairs.toml")
    with pytest.raises(ValueError, match=r"^runs: there is no run 99999: the experiment has \d+ runs, counted from 0"):
        experiment.run_share([99999], out=tmp_path)


def test_errors_name_the_argument(tmp_path):
    experiment = fb.Experiment.load(EXPERIMENTS / "delayed-hits/fig2.04-pairs.toml")
    for wrong, name in (
        (lambda: experiment.run(out=tmp_path, jobs=-1), "jobs"),
        (lambda: experiment.run_share([-1], out=tmp_path), "runs"),
        (lambda: experiment.run_share([0], out=tmp_path, jobs=-1), "jobs"),
        (lambda: experiment.with_seeds([-1]), "seeds"),
        (lambda: fb.SramPort("x"), "cell_time"),
    ):
        with pytest.raises(ValueError, match=f"^{name}: "):
            wrong()
    with pytest.raises(TypeError, match="^results: expected Results"):
        fb.chart(3, "x")
    with pytest.raises(TypeError, match="^experiment: expected an Experiment, got int"):
        fb.sweep(3)
    with pytest.raises(fb.ShapeError, match="^ways is 0: give at least 1"):
        fb.Cache("lru", 10, fetch=5, ways=0)
    with pytest.raises(fb.ConfigError, match="fix: give the path of an experiment file"):
        fb.Experiment.load("absent.toml")


def test_paths_may_be_bytes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("time,object\n0,1\n1,1\n")
    assert list(fb.read_trace(bytes(path))["objects"]) == list(fb.read_trace(path)["objects"])
    with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object, not int"):
        fb.read_trace(3)


def test_nothing_has_no_mean():
    cache = fb.Cache("lru", 10, fetch=5)
    assert np.isnan(cache.report["mean_latency"])
    cache.offer(0, 1)
    assert cache.report["mean_latency"] == 5.0
    with pytest.raises(fb.ShapeError, match="^times: without requests there is no latency"):
        fb.Cache.bound([], [], 5, fetch=3)
