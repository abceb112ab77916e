"""Every queue against a sorted list, and what its class alone offers."""

import random

import numpy as np
import pytest

import forebay as fb
from forebay import queues

CAPACITY = 60
RANKS = 64

EXACT = {
    "exact": lambda: queues.ExactQueue(CAPACITY),
    "sample": lambda: queues.SampleQueue(CAPACITY),
    "reference": lambda: queues.ReferenceQueue(CAPACITY),
    **{f"buckets-{w}": lambda w=w: queues.BucketQueue(RANKS, CAPACITY, width=w) for w in (2, 4, 8, 16, 32, 64)},
    "circular": lambda: queues.CircularWindow(RANKS, CAPACITY),
    "rolling": lambda: queues.RollingWindow(RANKS, CAPACITY),
    **{f"club-{w}": lambda w=w: queues.ClubHeap(2, CAPACITY, ways=w) for w in (2, 3, 4)},
    **{f"club-fifo-{w}": lambda w=w: queues.ClubHeap(4, CAPACITY, ways=w, fifo_ties=True) for w in (2, 3, 4)},
    **{f"interval-{w}": lambda w=w: queues.IntervalClubHeap(4, CAPACITY, ways=w) for w in (2, 3, 4)},
    "interval-fifo": lambda: queues.IntervalClubHeap(4, CAPACITY, fifo_ties=True),
    "register": lambda: queues.ShiftRegister(CAPACITY),
    "pieo": lambda: queues.PieoQueue(CAPACITY),
    "bmw-2": lambda: queues.BmwTree(2, CAPACITY),
    "bmw-4-fifo": lambda: queues.BmwTree(4, CAPACITY, fifo_ties=True),
    "p-heap": lambda: queues.PHeap(CAPACITY),
    "p-heap-fifo": lambda: queues.PHeap(CAPACITY, fifo_ties=True),
    "pipelined": lambda: queues.PipelinedHeap(CAPACITY),
    "pipelined-fifo": lambda: queues.PipelinedHeap(CAPACITY, fifo_ties=True),
    "handles": lambda: queues.HandleQueue(CAPACITY),
    "handles-buckets": lambda: queues.HandleQueue(CAPACITY, ranks=RANKS),
}

LOGICAL = {
    "buckets": lambda: queues.PartitionedBuckets(4, 4 * RANKS, CAPACITY),
    "buckets-4": lambda: queues.PartitionedBuckets(4, 4 * RANKS, CAPACITY, width=4),
    "club": lambda: queues.PartitionedClubHeap(2, CAPACITY, 4),
    "club-3": lambda: queues.PartitionedClubHeap(2, CAPACITY, 4, ways=3),
    "club-fifo": lambda: queues.PartitionedClubHeap(2, CAPACITY, 4, fifo_ties=True),
    "register": lambda: queues.PartitionedShiftRegister(4, CAPACITY),
    "heaps": lambda: queues.PartitionedPipelinedHeap(4, CAPACITY),
}


class Model:
    """A list in order of arrival. Where ties are open, it takes the element that the queue took."""

    def __init__(self, fifo):
        self.fifo, self.waiting = fifo, []

    def push(self, rank, item):
        self.waiting.append((rank, item))

    def agrees(self, shown, largest=False):
        if not self.waiting:
            return shown is None
        ranks = [rank for rank, _ in self.waiting]
        rank = max(ranks) if largest else min(ranks)
        ties = [element for element in self.waiting if element[0] == rank]
        if self.fifo:
            return shown == (ties[-1] if largest else ties[0])
        return shown in ties

    def took(self, element):
        if element is not None:
            self.waiting.remove(element)


@pytest.mark.parametrize("name", EXACT)
def test_against_a_list(name):
    queue = EXACT[name]()
    both = isinstance(queue, queues.DoubleEndedQueue)
    model, draw, item = Model(queue.first_in_first_out), random.Random(name), 0
    for _ in range(2_000):
        # A window refuses what is far ahead, which is not this test's concern: ranks stay near.
        choice, rank = draw.randrange(6), draw.randrange(RANKS)
        if choice < 3 and len(queue) < queue.capacity:
            if not isinstance(queue, queues.CircularWindow | queues.RollingWindow):
                queue.push(rank, item)
                model.push(rank, item)
            elif not len(queue) and choice < 2:
                queue.push(rank, item)
                model.push(rank, item)
            elif len(queue):
                # Behind the largest that waits, or with it: inside the window whatever it did
                # before.
                rank = queue.peek_max()[0]
                queue.push(rank, item)
                model.push(rank, item)
            item += 1
        elif choice == 3 and both:
            shown = queue.peek_max()
            assert model.agrees(shown, largest=True)
            assert queue.pop_max() == shown
            model.took(shown)
        elif choice == 4 and queue.capacity > len(queue) > 0:
            rank = queue.peek()[0]
            shown = queue.replace(rank, item)
            assert model.agrees(shown)
            model.took(shown)
            model.push(rank, item)
            item += 1
        else:
            shown = queue.peek()
            assert model.agrees(shown)
            assert queue.pop() == shown
            model.took(shown)
        assert len(queue) == len(model.waiting)
        assert bool(queue) == bool(model.waiting)
    assert sorted(queue.elements()) == sorted(model.waiting)


@pytest.mark.parametrize("name", EXACT)
def test_full_and_batches(name):
    queue = EXACT[name]()
    draw = np.random.default_rng(1)
    ranks = draw.integers(0, RANKS, queue.capacity, dtype=np.uint64)
    items = draw.permutation(np.arange(queue.capacity, dtype=np.uint64))
    if isinstance(queue, queues.CircularWindow | queues.RollingWindow):
        ranks = np.sort(ranks)
    queue.push_many(ranks, items)
    with pytest.raises(fb.Refused, match="pop one end first") as refused:
        queue.push(int(ranks[0]), "one too many")
    assert (refused.value.reason, refused.value.item, refused.value.index) == ("full", "one too many", None)

    first, order = queue.pop_many(5), np.sort(ranks)
    rest = queue.pop_many(10**9)
    assert first[0].tolist() == order[:5].tolist()
    assert rest[0].tolist() == order[5:].tolist()
    pairs = sorted(zip(ranks.tolist(), items.tolist()))
    popped = [*zip(first[0].tolist(), first[1].tolist()), *zip(rest[0].tolist(), rest[1].tolist())]
    assert sorted(popped) == pairs
    assert queue.pop() is None and queue.peek() is None and len(queue) == 0


def test_the_largest_in_batches():
    queue = queues.ExactQueue(10)
    queue.push_many([5, 1, 5, 3])
    ranks, items = queue.pop_max_many(3)
    assert (ranks.tolist(), items.tolist()) == ([5, 5, 3], [2, 0, 3])


def test_a_batch_stops_at_the_first_refused():
    queue = queues.BucketQueue(16, 100)
    with pytest.raises(fb.Refused, match="element 2: rank 16 refused: the largest is 15") as refused:
        queue.push_many([3, 4, 16, 5], [10, 11, 12, 13])
    assert (refused.value.index, refused.value.rank, refused.value.item) == (2, 16, 12)
    assert sorted(queue.elements()) == [(3, 10), (4, 11)]


def test_items_are_any_object():
    queue, thing = queues.ClubHeap(2, 10, fifo_ties=True), object()
    for item in ("text", thing, None, True, 2**70, -1, 2**64 - 1, np.uint64(7)):
        queue.push(1, item)
    assert queue.pop()[1] == "text"
    assert queue.pop()[1] is thing
    ranks, items = queue.pop_many(100)
    assert ranks.tolist() == [1] * 6
    assert items == [None, True, 2**70, -1, 2**64 - 1, np.uint64(7)]
    assert items[1] is True


def test_a_replace_that_is_refused_says_what_it_popped():
    queue = queues.BucketQueue(16, 4)
    queue.push(3, "popped")
    with pytest.raises(fb.Refused) as refused:
        queue.replace(99, "refused")
    assert refused.value.popped == (3, "popped")
    assert (refused.value.rank, refused.value.item) == (99, "refused")
    assert len(queue) == 0


@pytest.mark.parametrize("name", LOGICAL)
def test_logical_queues_against_lists(name):
    queue = LOGICAL[name]()
    assert queue.partitions == 4
    both = isinstance(queue, queues.DoubleEndedPartitionedQueue)
    models = [Model(queue.first_in_first_out) for _ in range(4)]
    draw = random.Random(name)
    for item in range(3_000):
        choice, partition, rank = draw.randrange(5), draw.randrange(4), draw.randrange(RANKS)
        model = models[partition]
        if choice < 2 and len(queue) < CAPACITY:
            queue.push(partition, rank, item)
            model.push(rank, item)
        elif choice == 2 and both:
            shown = queue.peek_max(partition)
            assert model.agrees(shown, largest=True)
            assert queue.pop_max(partition) == shown
            model.took(shown)
        elif choice == 3 and queue.len_in(partition):
            shown = queue.replace(partition, rank, item)
            assert model.agrees(shown)
            model.took(shown)
            model.push(rank, item)
        else:
            shown = queue.peek(partition)
            assert model.agrees(shown)
            assert queue.pop(partition) == shown
            model.took(shown)
        assert [queue.len_in(p) for p in range(4)] == [len(m.waiting) for m in models]
    assert len(queue) == sum(len(model.waiting) for model in models)


def test_logical_queues_in_batches():
    queue = queues.PartitionedBuckets(2, 64, 10)
    queue.push_many([0, 1, 0, 1], [9, 8, 7, 6], [100, 101, 102, 103])
    ranks, items = queue.pop_many(1, 10)
    assert (ranks.tolist(), items.tolist()) == ([6, 8], [103, 101])
    with pytest.raises(fb.Refused, match="element 1: rank 1 refused: there are 2 partitions"):
        queue.push_many([0, 2], [1, 1])
    with pytest.raises(ValueError, match="partitions has 1 elements and ranks 2"):
        queue.push_many([0], [1, 2])
    with pytest.raises(IndexError, match="partition 2: there are 2"):
        queue.pop(2)


def test_club_heap_says_how_large_its_levels_are():
    levels = queues.PartitionedClubHeap(2, 2**16 - 2, 16).levels
    assert len(levels) == 15
    assert (levels[14].b1, levels[14].b2) == (21_845, 16 << 14)  # Fig. 3
    assert "level=15" in repr(levels[14])
    assert len(queues.ClubHeap(2, 2**16 - 2).levels) == 15


def test_bucket_queue_says_its_shape():
    queue = queues.BucketQueue(2**15, 10, width=32)
    assert (queue.max_rank, queue.levels) == (2**15 - 1, 3)
    assert queues.PartitionedBuckets(8, 64, 10).max_rank == 7


def test_windows():
    window = queues.CircularWindow(8, 10, below="reject", beyond="last")
    window.push(100, "a")
    first, last = window.window
    assert first <= 100 <= last and last - first == 7
    with pytest.raises(fb.Refused) as refused:
        window.push(1)
    assert refused.value.reason == "below-window"
    window.push(10_000, "hbm")
    assert window.pop_max() == (last, "hbm")
    assert queues.RollingWindow(8, 10).window == (0, 15)
    with pytest.raises(ValueError, match="below"):
        queues.CircularWindow(8, 10, below="last")


def test_handles():
    queue = queues.HandleQueue(4)
    job = queue.insert(7, "compile")
    other = queue.insert(3, "test")
    assert queue.change_rank(job, 1)
    assert queue.get(job) == (1, "compile")
    assert queue.peek() == (1, "compile")
    assert queue.remove(job) == (1, "compile")
    assert queue.remove(job) is None and queue.get(job) is None
    assert not queue.change_rank(job, 5)
    assert job != other and {job: 1}[job] == 1
    bounded = queues.HandleQueue(4, ranks=8)
    assert not bounded.change_rank(bounded.insert(1), 8)
    with pytest.raises(fb.Refused):
        bounded.insert(8)


def test_pieo():
    pieo = queues.Pieo(16, 16)
    pieo.enqueue(3, 10, send_time=500, item="shaped")
    pieo.enqueue(9, 20, item="ready")
    assert pieo.dequeue(100) == (9, 20, 0, "ready")
    assert pieo.dequeue(100) is None
    assert pieo.peek(500, (0, 3)) is None
    assert pieo.peek(500, (3, 4)) == (3, 10, 500, "shaped")
    with pytest.raises(fb.Refused) as refused:
        pieo.enqueue(3, 1)
    assert refused.value.reason == "already-queued"
    assert pieo.dequeue_flow(3) == (3, 10, 500, "shaped")
    assert pieo.dequeue_last() is None and len(pieo) == 0


@pytest.mark.parametrize("make", [lambda: queues.TieredBuckets(64), queues.TieredExact, lambda: queues.TieredReference(63)])
def test_two_tiers(make):
    queue = make()
    queue.push(30, 0)
    queue.push(10, 1)
    queue.push(20, 2, "hbm")
    assert queue.peek_max("sram") == (30, 0, "sram")
    assert queue.peek("hbm") == (20, 2, "hbm")
    assert queue.relocate(0, "hbm") and queue.relocate(2, "sram")
    assert (queue.len_in("sram"), queue.len_in("hbm"), 1 in queue, 3 in queue) == (2, 1, True, False)
    assert [queue.pop()[1] for _ in range(3)] == [1, 2, 0]
    with pytest.raises(fb.Refused, match="element 2: id 1 is already queued"):
        queue.push_many([1, 2, 3], [0, 1, 1], "hbm")
    assert queue.remove(0) == (1, 0, "hbm") and queue.get(0) is None
    with pytest.raises(ValueError, match="middle"):
        queue.push(1, 9, "middle")


@pytest.mark.parametrize("make", [lambda: queues.IndexedBuckets(64), queues.IndexedExact])
def test_ids(make):
    queue = make()
    queue.push_many([30, 10, 20])
    assert (queue.peek(), queue.peek_max(), queue.rank_of(2)) == ((10, 1), (30, 0), 20)
    assert queue.change_rank(2, 40) and queue.pop_max() == (40, 2)
    assert queue.remove(0) == 30 and 0 not in queue
    ranks, ids = queue.pop_many(9)
    assert (ranks.tolist(), ids.tolist()) == ([10], [1])
    with pytest.raises(fb.Refused) as refused:
        queue.push_many([1], [2**40])
    assert (refused.value.reason, refused.value.item) == ("id-too-large", 2**40)


def test_themis_core_keeps_the_order_of_equals():
    queue = queues.ThemisCore(levels=2, width=8)
    assert queue.enqueue(9, 0) == ("sram", False) and queue.enqueue(9, 1) == ("sram", False)
    assert queue.swap_out() == (9, 1)
    assert queue.enqueue(9, 2) == ("hbm", False) and queue.enqueue(8, 3) == ("hbm", False)
    assert queue.enqueue(9, 4, "sram") == ("sram", True)
    assert queue.drop_largest() == (9, 4) and queue.swap_in() == (8, 3)
    assert [queue.dequeue() for _ in range(5)] == [(8, 3, "sram"), (9, 0, "sram"), (9, 1, "hbm"), (9, 2, "hbm"), None]
    with pytest.raises(ValueError, match="rank 64 is above 63"):
        queue.enqueue(64, 5)
    with pytest.raises(fb.ShapeError, match="bitmap tree cannot have 0 buckets"):
        queues.ThemisCore(levels=0)
    with pytest.raises(ValueError, match="neither"):
        queue.enqueue(1, 1, "dram")


def test_latency_free_pops_the_smallest_every_cycle():
    queue = queues.LatencyFree(64, 50, latency=3)
    assert (queue.latency, queue.front, queue.capacity) == (3, 4, 50)
    draw, waiting = random.Random(2), []
    for cycle in range(3_000):
        pop = bool(waiting) and draw.random() < 0.5
        rank = draw.randrange(64) if draw.random() < 0.5 else None
        popped, refused, front, back = queue.step(pop, None if rank is None else (rank, cycle))
        assert (popped is not None) == pop
        if pop:
            assert popped[0] == min(waiting)
            waiting.remove(popped[0])
        if rank is not None and refused is None:
            waiting.append(rank)
        assert front <= 4 and back <= 2
    assert queues.LatencyFree(2**15, 10).latency == 15
    with pytest.raises(fb.ShapeError):
        queues.LatencyFree(64, 50, latency=3, front=3)


def test_approximate_queues():
    queue = queues.PushOut(2)
    assert queue.push(5, "a") is None and queue.push(7, "b") is None
    assert queue.push(6, "c") == (7, "b")
    admitted, (ranks, items) = queue.push_many([1, 9], [10, 11])
    assert admitted.tolist() == [True, False]
    assert (ranks.tolist(), items) == ([6], ["c"])
    assert queue.pop() == (1, 10)

    queue = queues.SpPifo(2, 4)
    queue.push_many([5, 1, 9])
    assert len(queue.bounds) == 2 and len(queue) == 3
    queue = queues.Aifo(4, burst=0.0)
    admitted, _ = queue.push_many([10, 20, 30, 5])
    assert admitted.tolist() == [True, True, False, True]
    with pytest.raises(fb.Refused) as refused:
        queue.push(10**6)
    assert refused.value.reason == "not-admitted"

    queue = queues.CalendarQueue(4, 10, 100)
    assert (queue.round, queue.horizon) == (0, 39)
    queue = queues.ProgrammableCalendar(4, 10, 100, advance="by-caller")
    queue.push_ahead(1, 0, "tomorrow")
    assert queue.pop() is None
    queue.rotate()
    assert queue.pop() == (0, "tomorrow")
    queue.push(15, "now")
    queue.rotate()
    with pytest.raises(fb.ForebayError, match="1 elements of the period that ended"):
        queue.rotate()
    with pytest.raises(fb.ShapeError):
        queue.set_granularity(0)

    for queue in (queues.DropTailQueue(2), queues.RefuseWhenFull(2)):
        admitted, _ = queue.push_many([3, 2, 1])
        assert admitted.tolist() == [True, True, False]
    assert queue.pop_many(5)[0].tolist() == [2, 3]


def test_batches_of_a_pieo():
    draw = np.random.default_rng(5)
    one, many = queues.Pieo(200, 300), queues.Pieo(200, 300)
    flows = draw.permutation(300)[:200]
    ranks, times = draw.integers(0, 50, 200), draw.integers(0, 9, 200)
    for item, (flow, rank, time) in enumerate(zip(flows.tolist(), ranks.tolist(), times.tolist())):
        one.enqueue(flow, rank, time, item)
    many.enqueue_many(flows, ranks, times)
    assert many.elements() == one.elements()
    columns = many.dequeue_many(4, 1000, (50, 250))
    taken = []
    while (element := one.dequeue(4, (50, 250))) is not None:
        taken.append(element)
    assert 20 < len(taken) < 200 and list(zip(*(column.tolist() for column in columns))) == taken
    with pytest.raises(fb.Refused, match="element 1: ") as error:
        queues.Pieo(9, 9).enqueue_many([1, 1], [5, 6])
    assert (error.value.reason, error.value.index, error.value.rank) == ("already-queued", 1, 6)
    with pytest.raises(fb.Refused, match="element 0: ") as error:
        queues.Pieo(9, 9).enqueue_many([2**40], [5])
    assert error.value.reason == "no-such-flow"
    kept = queues.Pieo(9, 9)
    kept.enqueue(1, 1, item="x")
    assert kept.dequeue_many(0, 5)[3] == ["x"]


def cycles(seed, count=400):
    draw = np.random.default_rng(seed)
    return draw.integers(0, 2, count).astype(bool), draw.integers(0, 64, count), draw.random(count) < 0.6


@pytest.mark.parametrize("seed", range(3))
def test_cycles_of_a_latency_free_queue(seed):
    pops, ranks, pushes = cycles(seed)
    one, many = queues.LatencyFree(64, 50), queues.LatencyFree(64, 50)
    expected = [one.step(bool(p), (int(r), i) if w else None) for i, (p, r, w) in enumerate(zip(pops, ranks, pushes))]
    popped, (left, items), refused = many.step_many(pops, ranks, pushes=pushes)
    assert popped.tolist() == [step[0] is not None for step in expected]
    assert refused.tolist() == [step[1] is not None for step in expected]
    assert list(zip(left.tolist(), items.tolist())) == [step[0] for step in expected if step[0] is not None]
    assert len(many) == len(one)


@pytest.mark.parametrize("seed", range(3))
def test_cycles_of_a_pipeline(seed):
    pops, ranks, pushes = cycles(seed)
    one, many = queues.Pipelined(64, 50, latency=4), queues.Pipelined(64, 50, latency=4)
    assert one.latency == 4 and queues.Pipelined(1 << 12, 9).latency == 11
    answered, found, refused = [], [], []
    for item, (pop, rank, push) in enumerate(zip(pops, ranks, pushes)):
        due, element = one.answer()
        answered.append(due)
        found += [element] if element else []
        try:
            one.push(int(rank), item) if push else None
            refused.append(False)
        except fb.Refused:
            refused.append(True)
        assert not pop or one.request() and not one.request()
    due, (left, items), lost = many.step_many(pops, ranks, pushes=pushes)
    assert (due.tolist(), lost.tolist()) == (answered, refused)
    assert list(zip(left.tolist(), items.tolist())) == found and len(many) == len(one)
    assert answered[4:] == pops.tolist()[:-4], "each pop is answered four cycles later"
    with pytest.raises(ValueError, match="ranks has 2 elements and pops 1; they must have as many"):
        many.step_many([True], [1, 2])
