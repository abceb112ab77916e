# The classes written in Rust (`src/`), kept by hand; `tests/test_stubs.py` compares names and signatures.

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

_Element = tuple[int, Any]
_Columns = tuple[NDArray[np.uint64], NDArray[np.uint64] | list[Any]]
_Ids = tuple[NDArray[np.uint64], NDArray[np.uint64]]
_Tier = Literal["near", "far"]
_Entry = tuple[int, int, _Tier]
_PieoElement = tuple[int, int, int, Any]

_Path = str | PathLike[str]

def replay_file(
    path: str, *, settings: dict[str, Any]
) -> tuple[str, tuple[int, str] | None, list[str], Any, Any]:
    """What `forebay.replay` calls: the report as JSON, where the capture is cut, warnings, which file is not whole,
    what interrupted it."""

def net_run(
    topology: str,
    flows: str | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike],
    *,
    settings: dict[str, Any],
) -> tuple[str, Table, str | None, Any, Any]:
    """What `forebay.net.run` calls: the report as JSON, the flows, why some did not finish, why the trace is not
    whole, what interrupted it."""

def poisson_table(
    hosts: int, load_fraction: float, rate: str, sizes_name: str, span: str, seed: int
) -> Table: ...
def incast_table(
    hosts: int, degree: int, query: str, per_second: float, span: str, seed: int
) -> Table: ...
def permutation_table(hosts: int, bytes: str, seed: int) -> Table: ...
@final
class Experiment:
    """An experiment file, checked, with what is changed in it. `len` is its number of runs."""

    @staticmethod
    def load(path: _Path) -> Experiment:
        """Reads and checks the file at `path`."""
    @staticmethod
    def parse(text: str, *, name: str = "experiment.toml", folder: _Path = ".") -> Experiment:
        """Checks the text of an experiment file whose paths are relative to `folder`."""
    def set(self, values: dict[str, Any] | None = None, /, **named: Any) -> Experiment:
        """The same with parameters changed, by name or path; a list makes or replaces an axis."""
    def with_seeds(self, seeds: Sequence[int]) -> Experiment:
        """The same with other seeds."""
    def run(
        self,
        *,
        out: _Path | None = None,
        jobs: int = 0,
        progress: Callable[[int, int, str], object] | bool | None = None,
    ) -> Results:
        """Runs what is not stored yet and writes tables and report; `jobs` threads, or one per core."""
    def run_share(self, runs: Sequence[int], *, out: _Path | None = None, jobs: int = 1) -> int:
        """Computes some of the runs into a folder that others share; how many were not stored yet."""
    def trace(
        self, path: _Path, *, policy: str | None = None, window: str = "..", sample: int = 1
    ) -> dict[str, float]:
        """Runs the one run that is left, writes its trace, and answers its metrics; stores nothing else."""
    def missing(self, *, out: _Path | None = None) -> list[int]:
        """The places of the runs that are not stored yet."""
    @property
    def folder(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def scenario(self) -> str: ...
    @property
    def policies(self) -> list[str]: ...
    @property
    def seeds(self) -> list[int]: ...
    @property
    def metrics(self) -> list[str]: ...
    @property
    def axes(self) -> dict[str, list[str]]: ...
    @property
    def parameters(self) -> dict[str, tuple[str, str, str]]:
        """Every parameter by path: the text of its value, where it comes from, what it means."""
    def __len__(self) -> int: ...

@final
class Results:
    """The finished results of an experiment. `len` is the number of runs."""

    @staticmethod
    def load(folder: _Path) -> Results:
        """Reads the finished results in a folder."""
    @property
    def table(self) -> Table: ...
    @property
    def timelines(self) -> Table | None: ...
    @property
    def folder(self) -> Path: ...
    @property
    def manifest(self) -> dict[str, Any]: ...
    @property
    def figures(self) -> dict[str, Figure]: ...
    @property
    def claims(self) -> list[Claim]: ...
    def report(self) -> str:
        """The report, as one self-contained HTML page."""
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Table:
    """A table of named columns, which any Arrow library reads without a copy."""

    @property
    def columns(self) -> list[str]: ...
    def to_csv(self) -> str: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Figure:
    """A figure of an experiment."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> Literal["line", "bars", "timeline"]: ...
    @property
    def svg(self) -> str | None: ...
    def _repr_html_(self) -> str: ...

@final
class Claim:
    """A claim of a paper, judged by what was measured."""

    @property
    def text(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def measured(self) -> float | None: ...
    @property
    def verdict(self) -> str: ...
    @property
    def line(self) -> str: ...

_Rule = str | Callable[[Any], int | bool]

@final
class Expression:
    """A small expression over columns of whole numbers."""

    def __new__(cls, text: str, fields: Sequence[str]) -> Expression: ...
    def __call__(self, **columns: ArrayLike) -> NDArray[np.int64]:
        """Its value for each row of the columns, one for each field by name."""

@final
class Scheduler:
    """A scheduler of one port, by name or by a rank of your own. Times are in picoseconds.

    A packet is a tuple of size, flow, class, flow size and tag. `tree` is the TOML text of a scheduling tree, for
    the scheduler "tree"; the link's rate takes the place of its own.
    """

    def __new__(
        cls,
        name: str | None = None,
        *,
        rank: _Rule | None = None,
        weights: Sequence[int] | None = None,
        default_weight: int = 1,
        link_rate: int | None = None,
        packets: int = 65536,
        bytes: int = 100663296,
        flows: int | None = None,
        quantum: int | None = None,
        tree: str | None = None,
    ) -> Scheduler: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    def enqueue(
        self, now: int, size: int, *, flow: int = 0, class_: int = 0, flow_size: int = 0, tag: int = 0
    ) -> str | None:
        """A packet arrives. Why it was refused, or None."""
    def dequeue(self, now: int) -> tuple[int, int, int, int, int] | None: ...
    def ready_at(self, now: int) -> int | None: ...
    def take_dropped(self) -> list[tuple[tuple[int, int, int, int, int], str]]: ...
    @property
    def bytes(self) -> int: ...
    def serve(
        self,
        times: ArrayLike,
        sizes: ArrayLike,
        *,
        rate: int,
        flows: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        flow_sizes: ArrayLike | None = None,
    ) -> NDArray[np.uint64]:
        """Plays a trace through a link of `rate` bits a second: when each packet has left.

        The largest `uint64` stands for a packet that was dropped.
        """
    def __len__(self) -> int: ...

@final
class JobScheduler:
    """A bounded buffer of jobs under a SurgeProtector policy by name. Times and works are picoseconds.

    `size` estimates a job's work from `now`, `size`, `flow`, `work` (by default it is the stated work); a job for
    which `admission` is 0 is dropped: it may also read `estimate`, `waiting`, `capacity`. Both are an expression or
    a function. `drop` says which job goes when the buffer is full: the `largest` by the policy, or the newcomer (`tail`).
    """

    def __new__(
        cls,
        policy: str = "wsjf",
        *,
        capacity: int = 1024,
        drop: str = "largest",
        exact: bool = False,
        size: _Rule | None = None,
        admission: _Rule | None = None,
    ) -> JobScheduler: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    def offer(self, now: int, size: int, work: int, *, flow: int = 0, tag: int = 0) -> int | None:
        """A job arrives. The tag of the one that is dropped, which may be its own, or None."""
    def poll(self) -> tuple[int, int, int, int] | None:
        """The job to process next: tag, size, flow, estimated work."""
    def serve(
        self, times: ArrayLike, sizes: ArrayLike, works: ArrayLike, *, flows: ArrayLike | None = None
    ) -> NDArray[np.uint64]:
        """Plays jobs through one processor: when each is done; the largest `uint64` where it was dropped."""
    @property
    def counts(self) -> dict[str, int]:
        """Jobs offered, turned away by the admission, refused, displaced, served."""
    def __len__(self) -> int: ...

@final
class Buffer:
    """An on-chip shared buffer under a policy by name or an admission of your own. Times in picoseconds."""

    def __new__(
        cls,
        policy: str | None = None,
        *,
        admission: _Rule | None = None,
        ports: int = 8,
        classes: int = 1,
        capacity: int = 410000,
        cell: int = 200,
        port_rate: int = 10000000000,
        alpha: float | None = None,
        largest_packet: int = 1500,
    ) -> Buffer: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    @staticmethod
    def causes() -> list[str]: ...
    def enqueue(
        self, now: int, port: int, size: int, *, class_: int = 0, rank: int = 0, tag: int = 0
    ) -> str | None:
        """A packet arrives. Why it was dropped, or None if it waits."""
    def enqueue_many(self, times: ArrayLike, ports: ArrayLike, sizes: ArrayLike) -> NDArray[np.uint8]:
        """Packets arrive in order: 0 for those that wait, else 1 + the place of the cause in `causes()`."""
    def dequeue(self, now: int, port: int, *, class_: int = 0) -> tuple[int, int, int] | None:
        """Takes the next packet of a queue, as size, tag and time of arrival."""
    def losses(self) -> list[tuple[int, str]]: ...
    def threshold(self, port: int, *, class_: int = 0) -> int | None: ...
    def length(self, port: int, *, class_: int = 0) -> int: ...
    @property
    def occupancy(self) -> tuple[int, int]: ...
    @property
    def counters(self) -> dict[str, int]: ...

@final
class Cache:
    """A cache in front of a store whose fetches take time. Times are in steps."""

    def __new__(
        cls,
        policy: str,
        capacity: int,
        *,
        fetch: int | ArrayLike,
        unit: Literal["objects", "bytes"] = "objects",
        ways: int | None = None,
        sets: int | None = None,
        sampled: bool = False,
        seed: int = 0,
    ) -> Cache: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    def offer(
        self, time: int, object: int, size: int = 1, *, origin: int = 0
    ) -> tuple[Literal["hit", "delayed hit", "miss"], int]: ...
    def simulate(
        self,
        times: ArrayLike,
        objects: ArrayLike,
        sizes: ArrayLike | None = None,
        *,
        origins: ArrayLike | None = None,
    ) -> NDArray[np.uint64]:
        """Serves a trace: the steps that each request takes, 0 for a hit."""
    @property
    def report(self) -> dict[str, int | float]: ...
    def __len__(self) -> int: ...

@final
class Hbm:
    """The memory model: requests in, completions out, bank by bank. Times are in picoseconds."""

    def __new__(
        cls, *, scheduling: Literal["fr-fcfs", "in-order"] = "fr-fcfs", lookahead: int = 0
    ) -> Hbm: ...
    def submit(
        self,
        now: int,
        id: int,
        row: int,
        columns: int,
        *,
        write: bool = False,
        group: int = 0,
        bank: int = 0,
        column: int = 0,
    ) -> None: ...
    def advance(self, now: int) -> list[tuple[int, int]]: ...
    def next_event(self) -> int | None: ...
    def has_room(self) -> bool: ...
    def run(
        self, banks: ArrayLike, rows: ArrayLike, columns: ArrayLike, *, write: bool = False
    ) -> NDArray[np.uint64]:
        """Runs requests as fast as the queue takes them, from time 0: when each is done."""

class Queue:
    """A bounded queue that serves the smallest rank."""

    def push(self, rank: int, item: Any = None) -> None:
        """Adds an element; raises `Refused` if the queue is full or cannot represent the rank."""
    def pop(self) -> _Element | None:
        """Takes an element of the smallest rank, as a pair of rank and item; None if nothing waits."""
    def peek(self) -> _Element | None:
        """Shows what `pop` would take."""
    def replace(self, rank: int, item: Any = None) -> _Element | None:
        """Pops and then pushes, in one pass where the structure allows it; what was popped."""
    def push_many(self, ranks: ArrayLike, items: ArrayLike | None = None) -> None:
        """Pushes a batch; without items, each is its position. Stops at the first refused element."""
    def pop_many(self, count: int) -> _Columns:
        """Pops up to `count` elements: their ranks and items (a list if any is no whole number)."""
    def elements(self) -> list[_Element]:
        """Every element once, in an order that the structure chooses."""
    @property
    def capacity(self) -> int:
        """The largest number of elements that may wait at once."""
    @property
    def first_in_first_out(self) -> bool:
        """Whether elements of equal rank leave in order of arrival."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

class DoubleEndedQueue(Queue):
    """A queue that can also give up its largest rank."""

    def pop_max(self) -> _Element | None:
        """Takes an element of the largest rank (the latest, where ties are first-in first-out)."""
    def peek_max(self) -> _Element | None:
        """Shows what `pop_max` would take."""
    def pop_max_many(self, count: int) -> _Columns:
        """Pops up to `count` elements from the large end."""

@final
class ExactQueue(DoubleEndedQueue):
    """An interval heap: both ends, any rank, logarithmic time."""

    def __new__(cls, capacity: int) -> ExactQueue: ...

@final
class SampleQueue(Queue):
    """Lazily sorted by samples: the smallest end only, the fastest for a large backlog."""

    def __new__(cls, capacity: int) -> SampleQueue: ...

@final
class ReferenceQueue(DoubleEndedQueue):
    """A sorted list, searched end to end: what the others are tested against."""

    def __new__(cls, capacity: int) -> ReferenceQueue: ...

@final
class BucketQueue(DoubleEndedQueue):
    """A bucket per rank, found by bitmaps of `width` bits (BBQ): both ends in constant time."""

    def __new__(cls, ranks: int, capacity: int, *, width: int = 64) -> BucketQueue: ...
    @property
    def max_rank(self) -> int: ...
    @property
    def levels(self) -> int: ...

@final
class CircularWindow(DoubleEndedQueue):
    """A window of `span` ranks that turns with the smallest that waits."""

    def __new__(
        cls,
        span: int,
        capacity: int,
        *,
        below: Literal["first", "reject"] = "first",
        beyond: Literal["last", "reject"] = "reject",
    ) -> CircularWindow: ...
    @property
    def window(self) -> tuple[int, int]: ...

@final
class RollingWindow(DoubleEndedQueue):
    """A window of two halves of `span` ranks; when the first is empty it rolls ahead of the second."""

    def __new__(
        cls,
        span: int,
        capacity: int,
        *,
        below: Literal["first", "reject"] = "first",
        beyond: Literal["last", "reject"] = "reject",
    ) -> RollingWindow: ...
    @property
    def window(self) -> tuple[int, int]: ...

@final
class ClubLevel:
    """The size of one level of a ClubHeap."""

    @property
    def level(self) -> int: ...
    @property
    def b1(self) -> int: ...
    @property
    def b2(self) -> int: ...
    @property
    def groups(self) -> int: ...
    @property
    def siblings(self) -> int: ...
    @property
    def dynamic(self) -> bool: ...

@final
class ClubHeap(Queue):
    """ClubHeap: a clustered heap with one replace per cycle. `ways` is 2, 3 or 4."""

    def __new__(
        cls, cluster: int, capacity: int, *, ways: int = 2, fifo_ties: bool = False
    ) -> ClubHeap: ...
    @property
    def levels(self) -> Sequence[ClubLevel]: ...

@final
class IntervalClubHeap(DoubleEndedQueue):
    """A ClubHeap of intervals: both ends in one pass."""

    def __new__(
        cls, cluster: int, capacity: int, *, ways: int = 2, fifo_ties: bool = False
    ) -> IntervalClubHeap: ...
    @property
    def levels(self) -> Sequence[ClubLevel]: ...

@final
class ShiftRegister(DoubleEndedQueue):
    """SR-PIFO: a sorted shift register."""

    def __new__(cls, capacity: int) -> ShiftRegister: ...

@final
class PieoQueue(DoubleEndedQueue):
    """PIEO's sublists, used as a ranked queue."""

    def __new__(cls, capacity: int) -> PieoQueue: ...

@final
class BmwTree(Queue):
    """BMW-Tree: a balanced tree of `ways`-way nodes (R-BMW, RPU-BMW)."""

    def __new__(cls, ways: int, capacity: int, *, fifo_ties: bool = False) -> BmwTree: ...
    @property
    def levels(self) -> int: ...

@final
class PHeap(Queue):
    """P-Heap: a pipelined binary heap with counts of free places."""

    def __new__(cls, capacity: int, *, fifo_ties: bool = False) -> PHeap: ...
    @property
    def levels(self) -> int: ...

@final
class PipelinedHeap(Queue):
    """A binary heap in pipeline stages, one level each."""

    def __new__(cls, capacity: int, *, fifo_ties: bool = False) -> PipelinedHeap: ...
    @property
    def levels(self) -> int: ...

@final
class Handle:
    """The name of an element in a `HandleQueue`, valid until the element leaves."""

    def __hash__(self) -> int: ...

@final
class HandleQueue(DoubleEndedQueue):
    """Both ends, and any element by the handle that its insertion gave.

    With `ranks`, over buckets for ranks below that; without, for any rank.
    """

    def __new__(cls, capacity: int, *, ranks: int | None = None) -> HandleQueue: ...
    def insert(self, rank: int, item: Any = None) -> Handle: ...
    def remove(self, handle: Handle) -> _Element | None: ...
    def get(self, handle: Handle) -> _Element | None: ...
    def change_rank(self, handle: Handle, rank: int) -> bool: ...

class PartitionedQueue:
    """Several logical queues in one physical queue."""

    def push(self, partition: int, rank: int, item: Any = None) -> None: ...
    def pop(self, partition: int) -> _Element | None: ...
    def peek(self, partition: int) -> _Element | None: ...
    def replace(self, partition: int, rank: int, item: Any = None) -> _Element | None: ...
    def push_many(
        self, partitions: ArrayLike, ranks: ArrayLike, items: ArrayLike | None = None
    ) -> None: ...
    def pop_many(self, partition: int, count: int) -> _Columns: ...
    def len_in(self, partition: int) -> int: ...
    @property
    def partitions(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    @property
    def first_in_first_out(self) -> bool: ...
    def __len__(self) -> int: ...

class DoubleEndedPartitionedQueue(PartitionedQueue):
    """Logical queues that can also give up their largest rank."""

    def pop_max(self, partition: int) -> _Element | None: ...
    def peek_max(self, partition: int) -> _Element | None: ...

@final
class PartitionedBuckets(DoubleEndedPartitionedQueue):
    """Logical BBQs: `buckets` ranks shared evenly among `partitions`."""

    def __new__(
        cls, partitions: int, buckets: int, capacity: int, *, width: int = 64
    ) -> PartitionedBuckets: ...
    @property
    def max_rank(self) -> int: ...

@final
class PartitionedClubHeap(PartitionedQueue):
    """Logical PIFOs over the levels of one ClubHeap; any of them may hold all elements."""

    def __new__(
        cls,
        cluster: int,
        capacity: int,
        partitions: int,
        *,
        ways: int = 2,
        fifo_ties: bool = False,
    ) -> PartitionedClubHeap: ...
    @property
    def levels(self) -> Sequence[ClubLevel]: ...

@final
class PartitionedShiftRegister(DoubleEndedPartitionedQueue):
    """Logical SR-PIFOs: one sorted shift register, searched by partition."""

    def __new__(cls, partitions: int, capacity: int) -> PartitionedShiftRegister: ...

@final
class PartitionedPipelinedHeap(PartitionedQueue):
    """Logical pipelined heaps, each with a fixed share of the memory."""

    def __new__(cls, partitions: int, share: int) -> PartitionedPipelinedHeap: ...
    @property
    def share(self) -> int: ...
    @property
    def levels(self) -> int: ...

@final
class Pieo:
    """PIEO: a list by rank that gives up its smallest eligible element, or that of a given flow.

    An element is a tuple of flow, rank, the time from which it may leave, and its item.
    """

    def __new__(cls, capacity: int, flows: int) -> Pieo: ...
    def enqueue(self, flow: int, rank: int, send_time: int = 0, item: Any = None) -> None: ...
    def dequeue(self, now: int, flows: tuple[int, int] | None = None) -> _PieoElement | None: ...
    def peek(self, now: int, flows: tuple[int, int] | None = None) -> _PieoElement | None: ...
    def dequeue_flow(self, flow: int) -> _PieoElement | None: ...
    def dequeue_last(self) -> _PieoElement | None: ...
    def elements(self) -> list[_PieoElement]: ...
    @property
    def capacity(self) -> int: ...
    def __len__(self) -> int: ...

class TieredQueue:
    """A queue of ids ordered by rank and, within a rank, by arrival, each in one of two memories.

    An entry is a tuple of rank, id and tier.
    """

    def push(self, rank: int, id: int, tier: _Tier = "near") -> None: ...
    def push_many(
        self, ranks: ArrayLike, ids: ArrayLike | None = None, tier: _Tier = "near"
    ) -> None: ...
    def pop(self, tier: _Tier | None = None) -> _Entry | None: ...
    def pop_many(self, count: int) -> _Ids: ...
    def pop_max(self, tier: _Tier) -> _Entry | None: ...
    def peek(self, tier: _Tier | None = None) -> _Entry | None: ...
    def peek_max(self, tier: _Tier) -> _Entry | None: ...
    def remove(self, id: int) -> _Entry | None: ...
    def relocate(self, id: int, tier: _Tier) -> bool: ...
    def get(self, id: int) -> _Entry | None: ...
    def len_in(self, tier: _Tier) -> int: ...
    @property
    def max_rank(self) -> int: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: int, /) -> bool: ...

@final
class TieredBuckets(TieredQueue):
    """Two tiers over buckets, in constant time, for ranks below `ranks`."""

    def __new__(cls, ranks: int) -> TieredBuckets: ...

@final
class TieredExact(TieredQueue):
    """Two tiers over interval heaps, for any rank."""

    def __new__(cls) -> TieredExact: ...

@final
class TieredReference(TieredQueue):
    """Two tiers as a list, searched end to end: what the others are tested against."""

    def __new__(cls, max_rank: int) -> TieredReference: ...

class IndexedQueue:
    """A queue of ids ordered by rank and, within a rank, by arrival."""

    def push(self, rank: int, id: int) -> None: ...
    def push_many(self, ranks: ArrayLike, ids: ArrayLike | None = None) -> None: ...
    def pop(self) -> tuple[int, int] | None: ...
    def pop_many(self, count: int) -> _Ids: ...
    def pop_max(self) -> tuple[int, int] | None: ...
    def peek(self) -> tuple[int, int] | None: ...
    def peek_max(self) -> tuple[int, int] | None: ...
    def remove(self, id: int) -> int | None: ...
    def rank_of(self, id: int) -> int | None: ...
    def change_rank(self, id: int, rank: int) -> bool: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: int, /) -> bool: ...

@final
class IndexedBuckets(IndexedQueue):
    """Ids over buckets, in constant time, for ranks below `ranks`."""

    def __new__(cls, ranks: int) -> IndexedBuckets: ...

@final
class IndexedExact(IndexedQueue):
    """Ids over an interval heap, for any rank."""

    def __new__(cls) -> IndexedExact: ...

@final
class LatencyFree:
    """A pipelined BBQ behind a sorted register, so that its latency cannot be seen."""

    def __new__(
        cls,
        ranks: int,
        capacity: int,
        *,
        latency: int | None = None,
        front: int | None = None,
        width: int = 64,
    ) -> LatencyFree: ...
    def step(
        self, pop: bool, push: _Element | None = None
    ) -> tuple[_Element | None, _Element | None, int, int]:
        """One cycle: what was popped, what was refused, operations on the front and the back queue."""
    @property
    def latency(self) -> int: ...
    @property
    def front(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    def __len__(self) -> int: ...

class ApproximateQueue:
    """A bounded queue that tries to serve small ranks first, and promises no order."""

    def push(self, rank: int, item: Any = None) -> _Element | None:
        """Adds an element; what left to make room. Raises `Refused` if it is not admitted."""
    def pop(self) -> _Element | None: ...
    def push_many(
        self, ranks: ArrayLike, items: ArrayLike | None = None
    ) -> tuple[NDArray[np.bool_], _Columns]:
        """Pushes a batch to the end: which were admitted, and what left to make room."""
    def pop_many(self, count: int) -> _Columns: ...
    @property
    def capacity(self) -> int: ...
    def __len__(self) -> int: ...

@final
class SpPifo(ApproximateQueue):
    """SP-PIFO: `queues` strict-priority queues of `places` each, whose bounds follow the ranks."""

    def __new__(cls, queues: int, places: int) -> SpPifo: ...
    @property
    def bounds(self) -> list[int]: ...

@final
class Aifo(ApproximateQueue):
    """AIFO: one queue that admits by the quantile of the rank."""

    def __new__(
        cls, capacity: int, *, window: int = 128, burst: float = 0.1, sample_every: int = 1
    ) -> Aifo: ...

@final
class CalendarQueue(ApproximateQueue):
    """AFQ's calendar: `queues` rounds of `granularity` ranks each."""

    def __new__(cls, queues: int, granularity: int, capacity: int) -> CalendarQueue: ...
    @property
    def round(self) -> int: ...
    @property
    def horizon(self) -> int: ...

@final
class ProgrammableCalendar(ApproximateQueue):
    """PCQ: a calendar whose periods end when empty, or when its caller says so."""

    def __new__(
        cls,
        queues: int,
        granularity: int,
        capacity: int,
        *,
        advance: Literal["when-empty", "by-caller"] = "when-empty",
    ) -> ProgrammableCalendar: ...
    def push_ahead(self, ahead: int, rank: int, item: Any = None) -> None: ...
    def rotate(self) -> None: ...
    def set_granularity(self, granularity: int) -> None: ...
    @property
    def periods(self) -> int: ...
    @property
    def horizon(self) -> int: ...

@final
class DropTail(ApproximateQueue):
    """Arrival order; when full, the arriving element is dropped."""

    def __new__(cls, capacity: int) -> DropTail: ...

@final
class PushOut(ApproximateQueue):
    """Exact order; when full, the largest rank is pushed out."""

    def __new__(cls, capacity: int) -> PushOut: ...

@final
class RefuseWhenFull(ApproximateQueue):
    """Exact order; when full, the arriving element is dropped."""

    def __new__(cls, capacity: int) -> RefuseWhenFull: ...
