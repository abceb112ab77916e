# Written by `make python-stubs` from the sources in `src`.
"""
The parts of the package that are written in Rust.
"""

from typing import Any
from numpy.typing import ArrayLike
from collections.abc import Callable
from typing import Literal
from numpy.typing import NDArray
from collections.abc import Sequence
from typing import SupportsIndex
from typing_extensions import Unpack
import numpy as np
from ._parameters import BufferParameters, HbmParameters, JobParameters, PortSchedulerParameters, SchedulerParameters, SwitchParameters
from ._types import Advance, Below, Beyond, CachePolicy, Columns, Entry, Ids, PieoColumns, Progress, Rank, Rate, Rule, Size, Tier, Time
from _typeshed import SupportsGetItem
from os import PathLike
from pathlib import Path
from typing import Any, Final, SupportsFloat, SupportsIndex, final
from typing_extensions import disjoint_base

__all__ = ["__version__", "AdmissionPipeline", "Aifo", "ApproximateQueue", "BmwTree", "BucketQueue", "Buffer", "Cache", "CacheArrival", "CalendarQueue", "CircularWindow", "Claim", "ClubHeap", "ClubLevel", "DoubleEndedPartitionedQueue", "DoubleEndedQueue", "DropTailQueue", "ExactQueue", "Experiment", "Expression", "Figure", "GearboxCore", "Handle", "HandleQueue", "Hbm", "IndexedBuckets", "IndexedExact", "IndexedQueue", "IntervalClubHeap", "JobScheduler", "LatencyFree", "OccamyPipeline", "PHeap", "PartitionedBuckets", "PartitionedClubHeap", "PartitionedPipelinedHeap", "PartitionedQueue", "PartitionedShiftRegister", "Pieo", "PieoQueue", "Pipelined", "PipelinedHeap", "PortScheduler", "ProgrammableCalendar", "PushOut", "Queue", "ReferenceQueue", "RefuseWhenFull", "Results", "RollingWindow", "SampleQueue", "Scheduler", "ShiftRegister", "SpPifo", "SramPort", "Switch", "Table", "ThemisCore", "ThemisManager", "TieredBuckets", "TieredExact", "TieredQueue", "TieredReference", "WsjfCore", "add_rank", "incast_table", "net_run", "parameter_types", "permutation_table", "poisson_table", "read_trace", "replay_file"]

__version__: Final[str]

@final
class AdmissionPipeline:
    """
    Admission in hardware, cycle by cycle: by Dynamic Threshold, ABM or Pushout.
    """
    def __new__(cls, /, scheme: str, *, queues: SupportsIndex = 64, cells: SupportsIndex = 2050, largest: SupportsIndex = 8, alpha_log2: SupportsIndex | None = None, classes_log2: SupportsIndex | None = None, congested: SupportsIndex | None = None, interval_log2: SupportsIndex | None = None, port_cells: SupportsIndex | None = None) -> AdmissionPipeline:
        """
        Of an empty buffer, under the scheme `dt`, `abm` or `pushout`; the parameters are the
        core's, powers of two by their logarithms.
        """
    def __repr__(self, /) -> str: ...
    def cycle(self, /, arrival: tuple[SupportsIndex, SupportsIndex] | None = None, gone: tuple[SupportsIndex, SupportsIndex] | None = None) -> tuple[bool, int | None] | None:
        """
        One cycle: a packet of so many cells that arrives for a queue, and one that has left.

        Returns what becomes of the packet that arrived `latency` cycles before (None if none did):
        whether it is accepted, and the queue whose youngest packet is to be pushed out for it.
        """
    @property
    def free(self, /) -> int:
        """
        Free cells.
        """
    @property
    def latency(self, /) -> int:
        """
        Cycles from an arrival to its verdict.
        """
    def length(self, /, queue: SupportsIndex) -> int:
        """
        The cells of a queue.
        """

@final
class Aifo(ApproximateQueue):
    """
    AIFO: one queue that admits by the quantile of the rank.
    """
    def __new__(cls, /, capacity: SupportsIndex, *, window: SupportsIndex = 128, burst: SupportsFloat | SupportsIndex = 0.1, sample_every: SupportsIndex = 1) -> Aifo: ...

@disjoint_base
class ApproximateQueue:
    """
    A bounded queue that tries to serve small ranks first, and promises no order.
    """
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def capacity(self, /) -> int:
        """
        The largest number of elements that may wait at once.
        """
    def pop(self, /) -> tuple[int, Any] | None:
        """
        Takes the element that the queue serves next; None if none waits or none is due.
        """
    def pop_many(self, /, count: SupportsIndex) -> Columns:
        """
        Pops up to so many elements: arrays of their ranks and items.
        """
    def push(self, /, rank: SupportsIndex, item: Any | None = None) -> tuple[int, Any] | None:
        """
        Adds an element. The pair of rank and item that left to make room for it, where the queue
        pushes out; raises Refused if the element is not admitted.
        """
    def push_many(self, /, ranks: ArrayLike, items: ArrayLike | None = None) -> tuple[NDArray[np.bool_], Columns]:
        """
        Pushes a batch to the end. An array that says which were admitted, and the ranks and items
        of what left to make room.
        """

@final
class BmwTree(Queue):
    """
    BMW-Tree: a balanced tree of `ways`-way nodes (R-BMW, RPU-BMW).
    """
    def __new__(cls, /, ways: SupportsIndex, capacity: SupportsIndex, *, fifo_ties: bool = False) -> BmwTree: ...
    @property
    def levels(self, /) -> int:
        """
        The levels of the tree.
        """

@final
class BucketQueue(DoubleEndedQueue):
    """
    A bucket per rank, found by bitmaps of `width` bits (BBQ): both ends in constant time.
    """
    def __new__(cls, /, ranks: SupportsIndex, capacity: SupportsIndex, *, width: SupportsIndex = 64) -> BucketQueue: ...
    @property
    def levels(self, /) -> int:
        """
        The levels of bitmaps, which is the number of words that a search reads.
        """
    @property
    def max_rank(self, /) -> int:
        """
        The largest rank that the queue accepts.
        """

@final
class Buffer:
    """
    A shared buffer of `capacity` bytes in front of `ports` outputs with `classes` queues each,
    under a policy by name, or under a rule: an expression or a function that is not 0 where a
    packet may enter. `Buffer.parameters(policy)` lists what else it takes.
    """
    def __new__(cls, /, policy: str | None = None, *, admission: Rule | None = None, **parameters: Unpack[BufferParameters]) -> Buffer: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def causes() -> list[str]:
        """
        The causes of drops, in the order of their numbers.
        """
    @property
    def counters(self, /) -> dict[str, int]:
        """
        Packets arrived, departed, and dropped by cause.
        """
    def dequeue(self, /, now: Time, port: SupportsIndex, *, class_: SupportsIndex = 0) -> tuple[int, int, int] | None:
        """
        Takes the next packet of a queue, as size, tag and time of arrival; None if none waits.
        """
    def dequeue_many(self, /, times: ArrayLike, ports: ArrayLike, *, classes: ArrayLike | None = None) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
        """
        Takes the next packet of a queue at each of these times, in order: arrays of their sizes,
        tags and times of arrival, all three the largest `uint64` where none waited.
        """
    def enqueue(self, /, now: Time, port: SupportsIndex, size: Size, *, class_: SupportsIndex = 0, rank: SupportsIndex = 0, tag: SupportsIndex = 0) -> str | None:
        """
        A packet arrives at `now`. Why it was dropped, or None if it waits.
        """
    def enqueue_many(self, /, times: ArrayLike, ports: ArrayLike, sizes: ArrayLike, *, classes: ArrayLike | None = None, ranks: ArrayLike | None = None, tags: ArrayLike | None = None) -> NDArray[np.uint8]:
        """
        Packets arrive in order, each tagged with its place or its entry in `tags`: an array of the
        causes' numbers, 0 for those that wait and 1 + the place in `causes()` for those that were
        dropped. `losses()` has those that were dropped later on.

        What a rule raises, or Ctrl-C, leaves in the buffer what came before; the exception's
        `index` is the packet's, its `done` the numbers so far.
        """
    def length(self, /, port: SupportsIndex, *, class_: SupportsIndex = 0) -> int:
        """
        The bytes of cells that a queue holds.
        """
    def losses(self, /) -> list[tuple[int, str]]:
        """
        Packets that the last call dropped after they had been accepted: tag and cause.
        """
    @staticmethod
    def names() -> list[tuple[str, str]]:
        """
        Every policy's name, with what it does.
        """
    @property
    def occupancy(self, /) -> tuple[int, int]:
        """
        The bytes of cells in use, and in all.
        """
    @staticmethod
    def parameters(policy: str) -> list[str]:
        """
        The names of the parameters that a policy takes.
        """
    def threshold(self, /, port: SupportsIndex, *, class_: SupportsIndex = 0) -> int | None:
        """
        The bytes that a queue may hold now, if the policy has such a number.
        """

@final
class Cache:
    """
    A cache of `capacity` objects (or bytes) in front of a store whose fetch takes `fetch` steps, or
    as many as its entry for the request's origin says. Times are in steps; in a text with a unit,
    as "2 us", a step is a nanosecond.

    `policy` is a name, or a class of your own (see `CachePolicy`), called with the capacity of each
    set. After an exception of such a policy's the cache cannot be used any more.
    """
    def __len__(self, /) -> int:
        """
        The objects that are cached.
        """
    def __new__(cls, /, policy: str | Callable[[int], CachePolicy], capacity: Size, *, fetch: Time | ArrayLike, unit: Literal['objects', 'bytes'] = "objects", ways: SupportsIndex | None = None, sets: SupportsIndex | None = None, sampled: bool = False, samples: SupportsIndex | None = None, seed: SupportsIndex = 0) -> Cache: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def bound(times: ArrayLike, objects: ArrayLike, capacity: SupportsIndex, *, fetch: Time, gap: SupportsFloat | SupportsIndex = 0.001, rounds: SupportsIndex = 1000, threads: SupportsIndex = 2, seed: SupportsIndex = 1) -> dict[str, int | float]:
        """
        Between which mean latencies that of the best schedule of a trace lies, which knows the
        future, in a cache of `capacity` objects (Belatedly, thesis §2.4): `lower` is proven, a
        schedule with `upper` was found, and `rounded` is that of the paper's randomized rounding.
        It ends at a `gap` of (upper - lower) / lower, after so many `rounds`, or when further
        rounds gain nothing; the number of threads does not change the result.

        After Ctrl-C, the exception's `done` has the bounds found by then.
        """
    @staticmethod
    def names() -> list[tuple[str, str]]:
        """
        Every base policy's name, with what it evicts; each also with `-mad`, `-mad-all` or `-ad`
        behind it.
        """
    def offer(self, /, time: Time, object: SupportsIndex, size: Size | None = None, *, origin: SupportsIndex = 0) -> tuple[str, int]:
        """
        Serves a request: hit, "delayed hit" or "miss", and the steps it takes. A cache of bytes
        needs the object's `size`.
        """
    @property
    def report(self, /) -> dict[str, int | float]:
        """
        What happened so far: counts, and the mean latency of a request in steps (nan before the
        first).
        """
    def simulate(self, /, times: ArrayLike, objects: ArrayLike, sizes: ArrayLike | None = None, *, origins: ArrayLike | None = None) -> NDArray[np.uint64]:
        """
        Serves a whole trace: the steps that each request takes, 0 for a hit. A cache of bytes needs
        the `sizes` of the objects.

        After Ctrl-C, the exception's `index` is the first request that was not served, its `done`
        the steps of those before.
        """

@final
class CacheArrival:
    """
    Data that has arrived, as a cache policy of one's own is told of it. Times and spans are in
    steps.
    """
    def __repr__(self, /) -> str: ...
    @property
    def aggregate_delay(self, /) -> int:
        """
        What they waited together.
        """
    @property
    def object(self, /) -> int:
        """
        Which object.
        """
    @property
    def requested(self, /) -> int:
        """
        When the fetch began.
        """
    @property
    def size(self, /) -> int:
        """
        The object's size, in bytes.
        """
    @property
    def space(self, /) -> int:
        """
        What it takes of the capacity: 1 where objects are counted, its size where bytes are.
        """
    @property
    def time(self, /) -> int:
        """
        When it arrived.
        """
    @property
    def waiters(self, /) -> int:
        """
        How many requests waited, at least 1: the miss and its delayed hits.
        """

@final
class CalendarQueue(ApproximateQueue):
    """
    AFQ's calendar: `queues` rounds of `granularity` ranks each.
    """
    def __new__(cls, /, queues: SupportsIndex, granularity: SupportsIndex, capacity: SupportsIndex) -> CalendarQueue: ...
    @property
    def horizon(self, /) -> int:
        """
        The largest rank that has a round now.
        """
    @property
    def round(self, /) -> int:
        """
        The round being served.
        """

@final
class CircularWindow(DoubleEndedQueue):
    """
    A window of `span` ranks that turns with the smallest that waits.
    """
    def __new__(cls, /, span: SupportsIndex, capacity: SupportsIndex, *, below: Below = "first", beyond: Beyond = "reject") -> CircularWindow: ...
    @property
    def window(self, /) -> tuple[int, int]:
        """
        The smallest and the largest rank that the window holds now.
        """

@final
class Claim:
    """
    A claim of a paper, judged by what was measured.
    """
    def __repr__(self, /) -> str: ...
    @property
    def line(self, /) -> str:
        """
        The whole in one line, as the command prints it.
        """
    @property
    def measured(self, /) -> float | None:
        """
        Its measured value, in the claim's own measure; None if nothing was measured.
        """
    @property
    def source(self, /) -> str:
        """
        Where it states it.
        """
    @property
    def text(self, /) -> str:
        """
        What the paper states.
        """
    @property
    def verdict(self, /) -> str:
        """
        "reproduced", "same direction", "same direction, other size", "differs" or "not measured".
        """

@final
class ClubHeap(Queue):
    """
    ClubHeap: a clustered heap with one replace per cycle. `ways` is 2, 3 or 4.
    """
    def __new__(cls, /, cluster: SupportsIndex, capacity: SupportsIndex, *, ways: SupportsIndex = 2, fifo_ties: bool = False) -> ClubHeap: ...
    @property
    def levels(self, /) -> list[ClubLevel]:
        """
        The size of every level, from the root down.
        """

@final
class ClubLevel:
    """
    The size of one level of a ClubHeap.
    """
    def __repr__(self, /) -> str: ...
    @property
    def b1(self, /) -> int:
        """
        The most nodes that can hold something at once (Corollary 2).
        """
    @property
    def b2(self, /) -> int:
        """
        The nodes of complete trees.
        """
    @property
    def dynamic(self, /) -> bool:
        """
        Whether groups are given out from a free list.
        """
    @property
    def groups(self, /) -> int:
        """
        The sibling groups that the level has room for.
        """
    @property
    def level(self, /) -> int:
        """
        The level's number; that of the roots is 1.
        """
    @property
    def siblings(self, /) -> int:
        """
        The nodes of a group.
        """

class DoubleEndedPartitionedQueue(PartitionedQueue):
    """
    Logical queues that can also give up their largest rank.
    """
    def peek_max(self, /, partition: SupportsIndex) -> tuple[int, Any] | None:
        """
        Shows what pop_max would take.
        """
    def pop_max(self, /, partition: SupportsIndex) -> tuple[int, Any] | None:
        """
        Takes an element of the largest rank of a partition.
        """

class DoubleEndedQueue(Queue):
    """
    A queue that can also give up its largest rank.
    """
    def peek_max(self, /) -> tuple[int, Any] | None:
        """
        Shows what `pop_max` would take.
        """
    def pop_max(self, /) -> tuple[int, Any] | None:
        """
        Takes an element of the largest rank (the latest, where ties are first-in first-out).
        """
    def pop_max_many(self, /, count: SupportsIndex) -> Columns:
        """
        Pops up to so many elements from the large end.
        """

@final
class DropTailQueue(ApproximateQueue):
    """
    Arrival order; when full, the arriving element is dropped.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> DropTailQueue: ...

@final
class ExactQueue(DoubleEndedQueue):
    """
    An interval heap: both ends, any rank, logarithmic time.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> ExactQueue: ...

@final
class Experiment:
    """
    An experiment file, checked, with what is changed in it.
    """
    def __len__(self, /) -> int: ...
    def __reduce__(self, /) -> tuple[Any, tuple[tuple[str, str], Path, tuple[list[tuple[str, str]], list[int]]]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(source: tuple[str, str], folder: str | PathLike[str], changes: tuple[SupportsGetItem[int, tuple[str, str]], SupportsGetItem[int, SupportsIndex]]) -> Experiment:
        """
        What pickling kept.
        """
    @property
    def axes(self, /) -> dict[str, list[str]]:
        """
        The swept parameters, each with the texts of its values.
        """
    @property
    def description(self, /) -> str:
        """
        What it is about, as the file says in a paragraph.
        """
    @property
    def folder(self, /) -> Path:
        """
        The folder that results go to unless another is given.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> Experiment:
        """
        Reads and checks the file at `path`.
        """
    @property
    def metrics(self, /) -> list[str]:
        """
        The metrics that every run yields.
        """
    def missing(self, /, *, out: str | PathLike[str] | None = None) -> list[int]:
        """
        The places of the runs that are not stored yet.
        """
    @property
    def name(self, /) -> str:
        """
        The experiment file, as it was named.
        """
    @property
    def parameters(self, /) -> dict[str, tuple[str, str, str]]:
        """
        Every parameter that a run reads, by path: the text of its value, where it comes from, what
        it means.
        """
    @staticmethod
    def parse(text: str, *, name: str = "experiment.toml", folder: str | PathLike[str] = ...) -> Experiment:
        """
        Checks the text of an experiment file whose paths are relative to `folder`.
        """
    @property
    def policies(self, /) -> list[str]:
        """
        The policies, in order.
        """
    def run(self, /, *, out: str | PathLike[str] | None = None, jobs: SupportsIndex = 0, progress: Progress = None) -> Results:
        """
        Runs what is not stored yet and writes tables and report. `progress` is True, False, or a
        function of runs done, runs in all and the label of the run begun last; by default a bar,
        where one is seen.
        """
    def run_share(self, /, runs: SupportsGetItem[int, SupportsIndex], *, out: str | PathLike[str] | None = None, jobs: SupportsIndex = 1) -> int:
        """
        Computes some of the runs, by their places from 0, into a folder that other workers write to
        as well; no tables. How many were computed, not counting those that were stored.
        """
    @property
    def scenario(self, /) -> str:
        """
        The scenario that it runs.
        """
    @property
    def seeds(self, /) -> list[int]:
        """
        The seeds, in order.
        """
    def set(self, values: dict[str, Any] | None = None, /, **named: Any) -> Experiment:
        """
        The same with parameters changed, by name or path; on a swept one a value or a list replaces
        the sweep, a list on another one makes it an axis.
        """
    @property
    def title(self, /) -> str:
        """
        The title that the file gives it.
        """
    def trace(self, /, path: str | PathLike[str], *, policy: str | None = None, window: str = "..", sample: SupportsIndex = 1) -> dict[str, float]:
        """
        Runs the one run that is left and traces it; its metrics. Nothing is stored but the trace.
        """
    def with_seeds(self, /, seeds: SupportsGetItem[int, SupportsIndex]) -> Experiment:
        """
        The same with other seeds.
        """

@final
class Expression:
    """
    A small expression over columns of whole numbers.
    """
    def __call__(self, /, **columns: ArrayLike) -> NDArray[np.int64]:
        """
        Its value for each row of the columns, one for each field by name.
        """
    def __new__(cls, /, text: str, fields: SupportsGetItem[int, str]) -> Expression: ...
    def __repr__(self, /) -> str: ...

@final
class Figure:
    """
    A figure of an experiment.
    """
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @property
    def id(self, /) -> str:
        """
        Its name in the experiment file.
        """
    @property
    def kind(self, /) -> str:
        """
        What it draws: `line`, `bars` or `timeline`.
        """
    @property
    def svg(self, /) -> str | None:
        """
        The picture as an SVG element; None if no run yielded a value for it.
        """
    @property
    def title(self, /) -> str:
        """
        The heading above it in reports.
        """

@final
class GearboxCore:
    """
    Gearbox's hardware, operation by operation: weighted fair queueing from levels of FIFOs.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, *, levels: SupportsIndex = 4, fifos_log2: SupportsIndex = 4, places_log2: SupportsIndex = 8, flows_log2: SupportsIndex = 10, step_down: bool = False) -> GearboxCore:
        """
        An empty one; the parameters are the core's, powers of two by their logarithms.
        """
    def __repr__(self, /) -> str: ...
    def dequeue(self, /) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """
        Gives up the next descriptor: its pointer, length and flow, and where it was: the system
        time, its level and its FIFO in the level. None if none waits.
        """
    def enqueue(self, /, pointer: SupportsIndex, length: SupportsIndex, time: SupportsIndex, flow: SupportsIndex) -> tuple[str | None, tuple[int, int, int] | None]:
        """
        Takes a descriptor: why it is dropped or None, and where it waits: its departure time, its
        level and its FIFO in the level, or None.
        """
    @property
    def system_time(self, /) -> int:
        """
        The system time, in units.
        """

@final
class Handle:
    """
    The name of an element in a `HandleQueue`, valid until the element leaves.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...

@final
class HandleQueue(DoubleEndedQueue):
    """
    Both ends, and any element by the handle that its insertion gave. With `ranks`, over buckets for
    ranks below that; without, for any rank.
    """
    def __new__(cls, /, capacity: SupportsIndex, *, ranks: SupportsIndex | None = None) -> HandleQueue: ...
    def change_rank(self, /, handle: Handle, rank: SupportsIndex) -> bool:
        """
        Gives the element another rank, behind all that have it; False if it has left or the rank is
        out of range.
        """
    def get(self, /, handle: Handle) -> tuple[int, Any] | None:
        """
        Shows the element; None if it has left.
        """
    def insert(self, /, rank: SupportsIndex, item: Any | None = None) -> Handle:
        """
        Adds an element and names it.
        """
    def remove(self, /, handle: Handle) -> tuple[int, Any] | None:
        """
        Takes the element out, wherever it stands; None if it has left.
        """

@final
class Hbm:
    """
    The memory model: requests in, completions out, bank by bank. By default the pseudo channels of
    a Samsung HBM2E work in lockstep, as hybrid buffers use them; `channels="one"` is a pseudo
    channel, `channels="each"` a stack whose channels work on their own. `Hbm.parameters()` lists
    what else it takes.
    """
    def __new__(cls, /, **parameters: Unpack[HbmParameters]) -> Hbm: ...
    def __repr__(self, /) -> str: ...
    def advance(self, /, now: Time) -> list[tuple[int, int]]:
        """
        Lets time pass until `now`: the id and the time of every request that is done.
        """
    @property
    def capacity(self, /) -> int:
        """
        The bytes of the whole stack.
        """
    def columns_for(self, /, size: Size) -> int:
        """
        The columns that so many bytes take.
        """
    def continuous(self, /, accesses: SupportsIndex, *, write: bool = False) -> dict[str, int]:
        """
        One-access reads or writes in an open row, strictly in order: what ping-pong is compared
        with.
        """
    def has_room(self, /, channel: SupportsIndex = 0) -> bool:
        """
        Whether a controller's queue takes another request.
        """
    def next_event(self, /) -> int | None:
        """
        When something inside is due next; None if nothing is.
        """
    @staticmethod
    def parameters() -> list[str]:
        """
        The names of all parameters.
        """
    @property
    def peak(self, /) -> int:
        """
        The rate in bits a second at which all data buses are full.
        """
    def ping_pong(self, /, accesses: SupportsIndex) -> dict[str, int]:
        """
        One-access reads and writes in turn in an open row, strictly in order (themis, App. A:
        ping-pong).
        """
    def row_cells(self, /, cell: Size, rows: SupportsIndex, *, groups: SupportsIndex = 1, banks_per_group: SupportsIndex = 1, write: bool = False) -> dict[str, int]:
        """
        Rows in turn over some banks of one pseudo channel, `cell` bytes of each (themis, Figures 15
        to 17).
        """
    def run(self, /, banks: ArrayLike, rows: ArrayLike, columns: ArrayLike, *, write: bool | ArrayLike | None = None, first: ArrayLike | None = None, channel: ArrayLike | None = None) -> NDArray[np.uint64]:
        """
        Runs requests as fast as the queue takes them in a memory of their own, from time 0: banks
        (bank + banks per group · group), rows and the number of columns of each; which are writes
        (all or none, or one by one), their first columns, and their channels where these work on
        their own. The time at which each is done.

        After Ctrl-C, the exception's `index` is the first request that was not submitted, its
        `done` the times so far, the largest `uint64` where a request was not done.
        """
    @property
    def run_stats(self, /) -> dict[str, int]:
        """
        The same of the last `run`.
        """
    @property
    def stats(self, /) -> dict[str, int]:
        """
        What the memory has done: bytes moved, useful bytes, row hits, activations, turnarounds,
        busy time.
        """
    def submit(self, /, now: Time, id: SupportsIndex, row: SupportsIndex, columns: SupportsIndex, *, write: bool = False, group: SupportsIndex = 0, bank: SupportsIndex = 0, column: SupportsIndex = 0, channel: SupportsIndex = 0) -> None:
        """
        Asks at `now` for `columns` accesses of a row (stripes over all channels, if they work in
        lockstep), from `column` on.
        """
    def table2(self, /, layout: Literal['best', 'worst', 'packet-worst']) -> dict[str, int]:
        """
        Reads 1 MB that lies in the memory in the "best", the "worst" or the "packet-worst" way
        (themis, Table 2).
        """

@final
class IndexedBuckets(IndexedQueue):
    """
    Ids over buckets, in constant time, for ranks below `ranks`.
    """
    def __new__(cls, /, ranks: SupportsIndex) -> IndexedBuckets: ...

@final
class IndexedExact(IndexedQueue):
    """
    Ids over an interval heap, for any rank.
    """
    def __new__(cls, /) -> IndexedExact: ...

@disjoint_base
class IndexedQueue:
    """
    A queue of ids ordered by rank and, within a rank, by arrival.
    """
    def __contains__(self, id: SupportsIndex, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def change_rank(self, /, id: SupportsIndex, rank: SupportsIndex) -> bool:
        """
        Gives an id another rank, behind all that have it; False if it is not queued or the rank is
        out of range.
        """
    def peek(self, /) -> tuple[int, int] | None:
        """
        Shows what pop would take.
        """
    def peek_max(self, /) -> tuple[int, int] | None:
        """
        Shows what pop_max would take.
        """
    def pop(self, /) -> tuple[int, int] | None:
        """
        Takes the earliest id of the smallest rank, as a pair of rank and id.
        """
    def pop_many(self, /, count: SupportsIndex) -> Ids:
        """
        Pops up to so many: arrays of their ranks and ids.
        """
    def pop_max(self, /) -> tuple[int, int] | None:
        """
        Takes the latest id of the largest rank.
        """
    def push(self, /, rank: SupportsIndex, id: SupportsIndex) -> None:
        """
        Adds an id behind all of its rank.
        """
    def push_many(self, /, ranks: ArrayLike, ids: ArrayLike | None = None) -> None:
        """
        Pushes a batch: arrays of ranks and ids, or positions as ids.
        """
    def rank_of(self, /, id: SupportsIndex) -> int | None:
        """
        The rank of an id; None if it is not queued.
        """
    def remove(self, /, id: SupportsIndex) -> int | None:
        """
        Takes an id out, wherever it stands; its rank, or None if it is not queued.
        """

@final
class IntervalClubHeap(DoubleEndedQueue):
    """
    A ClubHeap of intervals: both ends in one pass. `ways` is 2, 3 or 4.
    """
    def __new__(cls, /, cluster: SupportsIndex, capacity: SupportsIndex, *, ways: SupportsIndex = 2, fifo_ties: bool = False) -> IntervalClubHeap: ...
    @property
    def levels(self, /) -> list[ClubLevel]:
        """
        The size of every level, from the root down.
        """

@final
class JobScheduler:
    """
    A bounded buffer of jobs under a policy by name; job sizes are as stated, or what an expression
    or a function estimates.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, policy: str = "wsjf", *, capacity: SupportsIndex = 1024, drop: Literal['largest', 'tail'] = "largest", exact: bool = False, size: Rule | None = None, admission: Rule | None = None, **parameters: Unpack[JobParameters]) -> JobScheduler: ...
    def __repr__(self, /) -> str: ...
    def clear(self, /) -> None:
        """
        Makes the scheduler as it was at first, its counts included.
        """
    @property
    def counts(self, /) -> dict[str, int]:
        """
        What has become of jobs: offered, refused, displaced, served, and those that the admission
        turned away.
        """
    @staticmethod
    def names() -> list[tuple[str, str]]:
        """
        Every policy, with what it does.
        """
    def offer(self, /, now: Time, size: Size, work: Time, *, flow: SupportsIndex = 0, tag: SupportsIndex = 0) -> int | None:
        """
        A job of `size` bytes and `work` picoseconds arrives. The tag of the job that is dropped for
        want of room, which may be its own; None if none is.
        """
    def poll(self, /) -> tuple[int, int, int, int] | None:
        """
        The job to process next, as tag, size, flow and estimated work; None if none waits.
        """
    def serve(self, /, times: ArrayLike, sizes: ArrayLike, works: ArrayLike, *, flows: ArrayLike | None = None) -> NDArray[np.uint64]:
        """
        Plays jobs of these times, sizes, works and flows through one processor, from empty to
        empty, each to its end. The time at which each is done; the largest `uint64` where it was
        dropped, and one less where that is later than can be counted.

        What a rule raises, or Ctrl-C, leaves no job waiting; the exception's `index` is the job's,
        its `done` the times so far.
        """

@final
class LatencyFree:
    """
    A pipelined BBQ behind a sorted register (thesis §4.5.1), so that its latency cannot be seen. By
    default the latency is the stages of the BBQ pipeline, and the register holds one element more,
    the least that hides it (Theorem 4).
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, ranks: SupportsIndex, capacity: SupportsIndex, *, latency: SupportsIndex | None = None, front: SupportsIndex | None = None, width: SupportsIndex = 64) -> LatencyFree: ...
    def __repr__(self, /) -> str: ...
    @property
    def capacity(self, /) -> int:
        """
        The largest number of elements that may wait at once.
        """
    @property
    def front(self, /) -> int:
        """
        Elements that the front queue holds.
        """
    @property
    def latency(self, /) -> int:
        """
        Cycles from a request to the back queue to its answer.
        """
    def step(self, /, pop: bool, push: tuple[SupportsIndex, Any] | None = None) -> tuple[tuple[int, Any] | None, tuple[int, Any] | None, int, int]:
        """
        One cycle: a pop if `pop`, then a push of `push`, a pair of rank and item. What was popped
        and what was refused, as pairs, and the operations on the front and on the back queue.
        """
    def step_many(self, /, pops: ArrayLike, ranks: ArrayLike, items: ArrayLike | None = None, *, pushes: ArrayLike | None = None) -> tuple[NDArray[np.bool_], Columns, NDArray[np.bool_]]:
        """
        A cycle for each row: a pop where `pops` says so, then a push of `ranks` (where `pushes`
        says so, or in all). Which cycles popped something; the ranks and items of what they popped;
        which pushes were refused.
        """

@final
class OccamyPipeline:
    """
    Occamy's hardware, cycle by cycle: admission by Dynamic Threshold and head drop from the queues
    that are over it.
    """
    def __new__(cls, /, *, queues: SupportsIndex = 64, cells: SupportsIndex = 2050, alpha_log2: SupportsIndex = 3, sublists_log2: SupportsIndex = 2, largest: SupportsIndex = 8, burst: SupportsIndex = 2) -> OccamyPipeline:
        """
        Of an empty buffer; the parameters are the core's, powers of two by their logarithms.
        """
    def __repr__(self, /) -> str: ...
    def cycle(self, /, arrival: tuple[SupportsIndex, SupportsIndex] | None = None, departure: SupportsIndex | None = None) -> tuple[bool | None, tuple[int, int, bool] | None, int]:
        """
        One cycle: a packet of so many cells that arrives for a queue, and a queue that is to send.

        Returns whether the packet that arrived four cycles before is admitted (None if none did),
        the queue whose head packet is taken out with its cells and whether it is dropped, and how
        many cell pointers are given back.
        """
    @property
    def free(self, /) -> int:
        """
        Free cells.
        """
    def length(self, /, queue: SupportsIndex) -> int:
        """
        The cells of a queue.
        """

@final
class PHeap(Queue):
    """
    P-Heap: a pipelined binary heap with counts of free places.
    """
    def __new__(cls, /, capacity: SupportsIndex, *, fifo_ties: bool = False) -> PHeap: ...
    @property
    def levels(self, /) -> int:
        """
        The levels of the tree.
        """

@final
class PartitionedBuckets(DoubleEndedPartitionedQueue):
    """
    Logical BBQs: `buckets` ranks shared evenly among `partitions`, under bitmaps of `width` bits.
    """
    def __new__(cls, /, partitions: SupportsIndex, buckets: SupportsIndex, capacity: SupportsIndex, *, width: SupportsIndex = 64) -> PartitionedBuckets: ...
    @property
    def max_rank(self, /) -> int:
        """
        The largest rank that a partition accepts.
        """

@final
class PartitionedClubHeap(PartitionedQueue):
    """
    Logical PIFOs over the levels of one ClubHeap; any of them may hold all elements.
    """
    def __new__(cls, /, cluster: SupportsIndex, capacity: SupportsIndex, partitions: SupportsIndex, *, ways: SupportsIndex = 2, fifo_ties: bool = False) -> PartitionedClubHeap: ...
    @property
    def levels(self, /) -> list[ClubLevel]:
        """
        The size of every level, from the roots down.
        """

@final
class PartitionedPipelinedHeap(PartitionedQueue):
    """
    Logical pipelined heaps, each with a fixed share of the memory.
    """
    def __new__(cls, /, partitions: SupportsIndex, share: SupportsIndex) -> PartitionedPipelinedHeap: ...
    @property
    def levels(self, /) -> int:
        """
        The levels of each tree.
        """
    @property
    def share(self, /) -> int:
        """
        The elements that one partition holds.
        """

@disjoint_base
class PartitionedQueue:
    """
    Several logical queues in one physical queue.
    """
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def capacity(self, /) -> int:
        """
        The largest number of elements that may wait at once, over all partitions.
        """
    @property
    def first_in_first_out(self, /) -> bool:
        """
        Whether elements of equal rank leave a partition in order of arrival.
        """
    def len_in(self, /, partition: SupportsIndex) -> int:
        """
        The number of elements that wait in a partition.
        """
    @property
    def partitions(self, /) -> int:
        """
        The number of partitions.
        """
    def peek(self, /, partition: SupportsIndex) -> tuple[int, Any] | None:
        """
        Shows what pop would take.
        """
    def pop(self, /, partition: SupportsIndex) -> tuple[int, Any] | None:
        """
        Takes an element of the smallest rank of a partition; None if nothing waits there.
        """
    def pop_many(self, /, partition: SupportsIndex, count: SupportsIndex) -> Columns:
        """
        Pops up to so many elements of a partition: arrays of their ranks and items.
        """
    def push(self, /, partition: SupportsIndex, rank: SupportsIndex, item: Any | None = None) -> None:
        """
        Adds an element to a partition.
        """
    def push_many(self, /, partitions: ArrayLike, ranks: ArrayLike, items: ArrayLike | None = None) -> None:
        """
        Pushes a batch: arrays of partitions, ranks and items, or positions as items.
        """
    def replace(self, /, partition: SupportsIndex, rank: SupportsIndex, item: Any | None = None) -> tuple[int, Any] | None:
        """
        Pops from a partition and then pushes to it; what was popped.
        """

@final
class PartitionedShiftRegister(DoubleEndedPartitionedQueue):
    """
    Logical SR-PIFOs: one sorted shift register, searched by partition.
    """
    def __new__(cls, /, partitions: SupportsIndex, capacity: SupportsIndex) -> PartitionedShiftRegister: ...

@final
class Pieo:
    """
    PIEO: a list by rank that gives up its smallest eligible element, or that of a given flow.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, capacity: SupportsIndex, flows: SupportsIndex) -> Pieo: ...
    def __repr__(self, /) -> str: ...
    @property
    def capacity(self, /) -> int:
        """
        The largest number of elements that may wait at once.
        """
    def dequeue(self, /, now: SupportsIndex, flows: tuple[SupportsIndex, SupportsIndex] | None = None) -> tuple[int, int, int, Any] | None:
        """
        Takes the smallest element whose time has come at `now`, of the flows from `flows[0]` up to
        but not including `flows[1]`.
        """
    def dequeue_flow(self, /, flow: SupportsIndex) -> tuple[int, int, int, Any] | None:
        """
        Takes the element of a flow, whatever its time.
        """
    def dequeue_last(self, /) -> tuple[int, int, int, Any] | None:
        """
        Takes the element of the largest rank, whatever its time.
        """
    def dequeue_many(self, /, now: SupportsIndex, count: SupportsIndex, flows: tuple[SupportsIndex, SupportsIndex] | None = None) -> PieoColumns:
        """
        Takes up to so many of those whose time has come at `now`, the smallest first: arrays of
        their flows, ranks, times and items (a list if any is no whole number).
        """
    def elements(self, /) -> list[tuple[int, int, int, Any]]:
        """
        Every element in order of rank.
        """
    def enqueue(self, /, flow: SupportsIndex, rank: SupportsIndex, send_time: SupportsIndex = 0, item: Any | None = None) -> None:
        """
        Adds a flow that does not wait yet.
        """
    def enqueue_many(self, /, flows: ArrayLike, ranks: ArrayLike, send_times: ArrayLike | None = None, items: ArrayLike | None = None) -> None:
        """
        Adds a batch of flows: arrays of flows, ranks, times from which each may leave (at once, if
        there are none), and items, or positions as items. Stops at the first refused one.
        """
    def peek(self, /, now: SupportsIndex, flows: tuple[SupportsIndex, SupportsIndex] | None = None) -> tuple[int, int, int, Any] | None:
        """
        Shows what dequeue would take.
        """

@final
class PieoQueue(DoubleEndedQueue):
    """
    PIEO's sublists, used as a ranked queue.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> PieoQueue: ...

@final
class Pipelined:
    """
    BBQ behind its pipeline: what a pop finds is known `latency` cycles later, by default after the
    stages of the pipeline. In each cycle: `answer` once, then pushes and one `request`.
    """
    def __len__(self, /) -> int:
        """
        The number of elements that wait or are on their way out.
        """
    def __new__(cls, /, ranks: SupportsIndex, capacity: SupportsIndex, *, latency: SupportsIndex | None = None, width: SupportsIndex = 64) -> Pipelined: ...
    def __repr__(self, /) -> str: ...
    def answer(self, /) -> tuple[bool, tuple[int, Any] | None]:
        """
        Begins a cycle: whether an answer is due, and the element that the pop found, None if
        nothing waited.
        """
    @property
    def latency(self, /) -> int:
        """
        Cycles from a request to its answer.
        """
    def push(self, /, rank: SupportsIndex, item: Any | None = None) -> None:
        """
        Adds an element, which requests from now on see.
        """
    def request(self, /) -> bool:
        """
        Asks for the smallest element; False if this cycle has asked already.
        """
    def step_many(self, /, pops: ArrayLike, ranks: ArrayLike, items: ArrayLike | None = None, *, pushes: ArrayLike | None = None) -> tuple[NDArray[np.bool_], Columns, NDArray[np.bool_]]:
        """
        A cycle for each row: its answer, then a push of `ranks` (where `pushes` says so, or in
        all), then a request where `pops` says so. Which cycles had an answer; the ranks and items
        of the answers that were not empty; which pushes were refused.
        """

@final
class PipelinedHeap(Queue):
    """
    A binary heap in pipeline stages, one level each.
    """
    def __new__(cls, /, capacity: SupportsIndex, *, fifo_ties: bool = False) -> PipelinedHeap: ...
    @property
    def levels(self, /) -> int:
        """
        The levels of the tree.
        """

@final
class PortScheduler:
    """
    Chooses among the queues of a port by strict priority or by weights. It holds no packets: it is
    shown the sizes of the queues' heads.
    """
    def __new__(cls, /, name: str, classes: SupportsIndex, **parameters: Unpack[PortSchedulerParameters]) -> PortScheduler: ...
    def __repr__(self, /) -> str: ...
    def drain(self, /, classes: ArrayLike, sizes: ArrayLike) -> NDArray[np.uint64]:
        """
        Sends packets that all wait at once, each behind those of its class that stand before it:
        their places in the order in which they leave.
        """
    @staticmethod
    def names() -> list[tuple[str, str]]:
        """
        Every name, with what it does.
        """
    def select(self, /, heads: Sequence[Size | None]) -> int | None:
        """
        The class that sends now, where `heads` has the bytes of each queue's first packet, None if
        it is empty; None if all are. The scheduler counts that packet as sent.
        """

@final
class ProgrammableCalendar(ApproximateQueue):
    """
    PCQ: a calendar whose periods end when empty, or when its caller says so.
    """
    def __new__(cls, /, queues: SupportsIndex, granularity: SupportsIndex, capacity: SupportsIndex, *, advance: Advance = "when-empty") -> ProgrammableCalendar: ...
    @property
    def horizon(self, /) -> int:
        """
        The largest rank that has a period now.
        """
    @property
    def periods(self, /) -> int:
        """
        The number of periods that an element can be for now.
        """
    def push_ahead(self, /, ahead: SupportsIndex, rank: SupportsIndex, item: Any | None = None) -> None:
        """
        Adds an element `ahead` periods after the current one.
        """
    def rotate(self, /) -> None:
        """
        Ends the current period.
        """
    def set_granularity(self, /, granularity: SupportsIndex) -> None:
        """
        Periods opened from now on hold so many ranks.
        """

@final
class PushOut(ApproximateQueue):
    """
    Exact order; when full, the largest rank is pushed out.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> PushOut: ...

@disjoint_base
class Queue:
    """
    A bounded queue that serves the smallest rank.
    """
    def __bool__(self, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def capacity(self, /) -> int:
        """
        The largest number of elements that may wait at once.
        """
    def elements(self, /) -> list[tuple[int, Any]]:
        """
        Every element once, as pairs of rank and item, in an order that the structure chooses.
        """
    @property
    def first_in_first_out(self, /) -> bool:
        """
        Whether elements of equal rank leave in order of arrival.
        """
    def peek(self, /) -> tuple[int, Any] | None:
        """
        Shows what `pop` would take.
        """
    def pop(self, /) -> tuple[int, Any] | None:
        """
        Takes an element of the smallest rank, as a pair of rank and item; None if nothing waits.
        """
    def pop_many(self, /, count: SupportsIndex) -> Columns:
        """
        Pops up to so many elements: arrays of their ranks and items (a list if any is no whole
        number).
        """
    def push(self, /, rank: SupportsIndex, item: Any | None = None) -> None:
        """
        Adds an element; raises `Refused` if the queue is full or cannot represent the rank.
        """
    def push_many(self, /, ranks: ArrayLike, items: ArrayLike | None = None) -> None:
        """
        Pushes a batch; without items, each is its position. Stops at the first refused element.
        """
    def replace(self, /, rank: SupportsIndex, item: Any | None = None) -> tuple[int, Any] | None:
        """
        Pops and then pushes, in one pass where the structure allows it; what was popped.
        """

@final
class ReferenceQueue(DoubleEndedQueue):
    """
    A sorted list, searched end to end: what the others are tested against.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> ReferenceQueue: ...

@final
class RefuseWhenFull(ApproximateQueue):
    """
    Exact order; when full, the arriving element is dropped.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> RefuseWhenFull: ...

@final
class Results:
    """
    The finished results of an experiment.
    """
    def __arrow_c_stream__(self, /, requested_schema: object | None = None) -> object:
        """
        Arrow's PyCapsule interface, of the table of metrics.
        """
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str:
        """
        The report in a frame of its own, so that its style and the notebook's do not meet.
        """
    @property
    def claims(self, /) -> list[Claim]:
        """
        The paper's claims beside what was measured.
        """
    @property
    def figures(self, /) -> dict[str, Figure]:
        """
        The figures by name.
        """
    @property
    def folder(self, /) -> Path:
        """
        The folder of the results: tables, manifest, report.
        """
    @staticmethod
    def load(folder: str | PathLike[str]) -> Results:
        """
        Reads the finished results in a folder.
        """
    @property
    def manifest(self, /) -> dict[str, Any]:
        """
        What was run, by which version, on which machine, in what time.
        """
    def report(self, /) -> str:
        """
        The report, as one self-contained HTML page.
        """
    @property
    def table(self, /) -> Table:
        """
        The table of metrics: a row per policy, point, seed and metric.
        """
    @property
    def timelines(self, /) -> Table | None:
        """
        The table of recorded series: a row per sample; None if nothing was recorded.
        """

@final
class RollingWindow(DoubleEndedQueue):
    """
    A window of two halves of `span` ranks; when the first is empty it rolls ahead of the
    second.
    """
    def __new__(cls, /, span: SupportsIndex, capacity: SupportsIndex, *, below: Below = "first", beyond: Beyond = "reject") -> RollingWindow: ...
    @property
    def window(self, /) -> tuple[int, int]:
        """
        The smallest and the largest rank that the window holds now.
        """

@final
class SampleQueue(Queue):
    """
    Lazily sorted by samples: the smallest end only, the fastest for a large backlog.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> SampleQueue: ...

@final
class Scheduler:
    """
    A scheduler of one port: one of the registry by name, or one that serves the smallest rank,
    which a rank function by its name, an expression or a function gives.
    `Scheduler.parameters(name)` lists what else it takes.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, name: str | None = None, *, rank: Rank | None = None, **parameters: Unpack[SchedulerParameters]) -> Scheduler: ...
    def __repr__(self, /) -> str: ...
    @property
    def bytes(self, /) -> int:
        """
        The bytes that wait.
        """
    def clear(self, /) -> None:
        """
        Makes the scheduler as it was at first: empty, and at time 0.
        """
    def dequeue(self, /, now: Time) -> tuple[int, int, int, int, int] | None:
        """
        The packet that leaves at `now`, as size, flow, class, flow size and tag; None if none may.
        """
    def enqueue(self, /, now: Time, size: Size, *, flow: SupportsIndex = 0, class_: SupportsIndex = 0, flow_size: Size = 0, tag: SupportsIndex = 0) -> str | None:
        """
        A packet arrives at `now`. Why it was refused, or None.
        """
    @staticmethod
    def names() -> list[tuple[str, str]]:
        """
        Every name, with what it does.
        """
    @staticmethod
    def parameters(name: str) -> list[str]:
        """
        The names of the parameters that a scheduler takes.
        """
    def ready_at(self, /, now: Time) -> int | None:
        """
        When a packet may leave if nothing else happens; None if none waits.
        """
    def serve(self, /, times: ArrayLike, sizes: ArrayLike, *, rate: Rate, flows: ArrayLike | None = None, classes: ArrayLike | None = None, flow_sizes: ArrayLike | None = None) -> NDArray[np.uint64]:
        """
        Plays a whole trace through a link of `rate` bits a second, from empty to empty: packets of
        these times, sizes, flows, classes and flow sizes. The time at which each has left; the
        largest `uint64` where it was dropped, and one less where it leaves later than that can
        count.

        What a rule raises, or Ctrl-C, leaves the scheduler as `clear` does; the exception's `index`
        is the packet's, its `done` the times so far.
        """
    def take_dropped(self, /) -> list[tuple[tuple[int, int, int, int, int], str]]:
        """
        The packets that were dropped after they had been accepted, each with why.
        """

@final
class ShiftRegister(DoubleEndedQueue):
    """
    SR-PIFO: a sorted shift register.
    """
    def __new__(cls, /, capacity: SupportsIndex) -> ShiftRegister: ...

@final
class SpPifo(ApproximateQueue):
    """
    SP-PIFO: `queues` strict-priority queues of `places` each, whose bounds follow the ranks.
    """
    def __new__(cls, /, queues: SupportsIndex, places: SupportsIndex) -> SpPifo: ...
    @property
    def bounds(self, /) -> list[int]:
        """
        The smallest rank that each queue takes now, the highest priority first.
        """

@final
class SramPort:
    """
    A port of on-chip memory that moves a cell in `cell_time` picoseconds. Arrivals or departures,
    the foreground, go first; a background transfer (a swap, an expulsion) takes the slots that they
    leave.
    """
    def __new__(cls, /, cell_time: Time) -> SramPort: ...
    def __repr__(self, /) -> str: ...
    def abort_background(self, /, now: Time) -> int:
        """
        Ends the background transfer early: how many of its cells were moved.
        """
    def background_due(self, /) -> int | None:
        """
        When the background transfer ends if no more foreground comes; None without one.
        """
    def begin_background(self, /, now: Time, cells: SupportsIndex) -> None:
        """
        Begins a transfer of so many cells in the gaps of the foreground.
        """
    def counters(self, /, now: Time) -> dict[str, int]:
        """
        The cells moved up to `now`, and the time that they took.
        """
    def finish_background(self, /, now: Time) -> bool:
        """
        Whether the background transfer has ended by `now`; then another may begin.
        """
    def foreground(self, /, now: Time, cells: SupportsIndex) -> int:
        """
        Moves so many cells of arrivals or departures; when the last is through.
        """
    def foreground_many(self, /, times: ArrayLike, cells: ArrayLike) -> NDArray[np.uint64]:
        """
        The same for a batch in order of time: when the last cell of each is through.
        """
    def foreground_start(self, /, now: Time) -> int:
        """
        When a foreground transfer offered at `now` would begin.
        """

@final
class Switch:
    """
    A switch by name, or one on chip under a rule of admission: an expression or a function that is
    not 0 where a packet may enter, whose `port` counts within its memory. It has a port for each of
    `rates` in bits a second; `Switch.parameters(name)` lists what else it takes.
    """
    def __new__(cls, /, name: str | None = None, rates: Sequence[Rate] | None = None, *, admission: Rule | None = None, **parameters: Unpack[SwitchParameters]) -> Switch: ...
    def __repr__(self, /) -> str: ...
    def advance(self, /, now: Time) -> None:
        """
        Lets everything happen that is due until `now`: transfers end, packets are moved or
        expelled.
        """
    @property
    def backlog(self, /) -> int:
        """
        The bytes that wait, over all ports.
        """
    @staticmethod
    def causes() -> list[str]:
        """
        The causes of losses, in the order of their numbers.
        """
    def clear(self, /) -> None:
        """
        Makes the switch as it was at first: empty, and at time 0.
        """
    def dequeue(self, /, now: Time, port: SupportsIndex) -> tuple[int, int, int, int, bool] | None:
        """
        The packet that `port` sends at `now`, as size, tag, flow, class and whether it is marked.
        None if nothing waits, or if what waits cannot leave before the switch's next event.
        """
    def enqueue(self, /, now: Time, port: SupportsIndex, size: Size, *, flow: SupportsIndex = 0, class_: SupportsIndex = 0, input: SupportsIndex = 0, flow_size: Size | None = None, tag: SupportsIndex = 0, markable: bool = False) -> str | None:
        """
        A packet arrives for a port at `now`. Why it was dropped, or None if it waits; `losses()`
        has what was dropped for it or expelled meanwhile. `flow_size` is what whoever ranks by the
        size of a flow reads.
        """
    def gauges(self, /) -> dict[str, int]:
        """
        What can be read off the switch, by name and place: bytes that wait, thresholds, bytes moved
        so far.
        """
    def is_empty(self, /, port: SupportsIndex) -> bool:
        """
        Whether nothing waits at a port.
        """
    def losses(self, /) -> list[tuple[int, int, str]]:
        """
        Packets that were dropped during the last call after they had been accepted: tag, port and
        cause.
        """
    @staticmethod
    def names() -> list[tuple[str, str]]:
        """
        Every name, with what it does.
        """
    def next_event(self, /) -> int | None:
        """
        When something will next happen inside; None if nothing will before the next call.
        """
    @staticmethod
    def parameters(name: str) -> list[str]:
        """
        The names of the parameters that a switch takes.
        """
    @staticmethod
    def ranks() -> list[tuple[str, str]]:
        """
        The rank functions by name, for switches with a parameter `rank`.
        """
    def serve(self, /, times: ArrayLike, ports: ArrayLike, sizes: ArrayLike, *, flows: ArrayLike | None = None, classes: ArrayLike | None = None, inputs: ArrayLike | None = None, flow_sizes: ArrayLike | None = None, markable: bool = False) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.bool_]]:
        """
        Plays a whole trace through the switch, as it was at first, and its links, until it is empty
        again: packets of these times, ports, sizes, flows, classes, inputs and flow sizes. When
        each has left, the largest `uint64` where it was lost; 0 or, where it was lost, 1 + the
        place of the cause in `causes()`; whether it was marked.

        Ctrl-C, or what a rank raises, leaves the switch as `clear` does; the exception's `index` is
        the first packet that had not arrived, its `done` the three arrays so far.
        """

@final
class Table:
    """
    A table of named columns: texts, numbers and whole numbers.
    """
    def __arrow_c_stream__(self, /, requested_schema: object | None = None) -> object:
        """
        Arrow's PyCapsule interface: what polars, pandas and pyarrow read without a copy.
        """
    def __getitem__(self, name: str, /) -> Any:
        """
        A column: a numpy array of numbers, or a list of texts.
        """
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def columns(self, /) -> list[str]:
        """
        The names of the columns, in order.
        """
    def to_csv(self, /) -> str:
        """
        The table as CSV, with a header.
        """

@final
class ThemisCore:
    """
    Themis's hardware, operation by operation: one order over SRAM and HBM, whose first digit
    decides the tier.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, *, levels: SupportsIndex = 2, width: SupportsIndex = 8) -> ThemisCore:
        """
        An empty one, for ranks of `levels` digits below `width`, the shape of the core's tree.
        """
    def __repr__(self, /) -> str: ...
    def dequeue(self, /) -> tuple[int, int, str] | None:
        """
        Takes the oldest of the smallest rank of the tier with the smaller first digit: rank, number
        and tier.
        """
    def drop_largest(self, /) -> tuple[int, int] | None:
        """
        Takes the newest of the largest rank in SRAM: rank and number.
        """
    def enqueue(self, /, rank: SupportsIndex, item: SupportsIndex, tier: Tier | None = None) -> tuple[str, bool]:
        """
        Adds a number; without a tier, "sram" or "hbm", the first digit decides it. The tier, and
        whether it will leave before older elements of its rank, which are in HBM.
        """
    def swap_in(self, /) -> tuple[int, int] | None:
        """
        Moves the oldest of the smallest rank in HBM to SRAM: rank and number.
        """
    def swap_out(self, /) -> tuple[int, int] | None:
        """
        Moves the newest of the largest rank in SRAM to HBM: rank and number.
        """

@final
class ThemisManager:
    """
    Themis's hardware, cycle by cycle: admission, drops, swaps and staging around its queue.
    """
    def __new__(cls, /, *, levels: SupportsIndex = 2, width: SupportsIndex = 8, slot_bits: SupportsIndex = 11, near: SupportsIndex = 1024, high: SupportsIndex = 819, low: SupportsIndex = 512, batch: SupportsIndex = 8, groups: SupportsIndex = 2) -> ThemisManager:
        """
        Of an empty buffer; the parameters are the core's.
        """
    def __repr__(self, /) -> str: ...
    def cycle(self, /, arrival: tuple[SupportsIndex, SupportsIndex] | None = None, departs: bool = False, take: bool = False, swaps_in: bool = True) -> tuple[bool, bool, bool, tuple[str, tuple[int, int, str] | None] | None, list[int | None]]:
        """
        One cycle: an arrival, its rank and its number, whether the next is asked for, whether the
        oldest staged batch is taken, and whether the user has room for what is swapped in.

        Returns whether the arrival is taken, whether it is lost, whether the departure is taken,
        the answer to an earlier operation, and the oldest staged batch, with None for what has left
        since.
        """

@final
class TieredBuckets(TieredQueue):
    """
    Two tiers over buckets, in constant time (Themis §5.3), for ranks below `ranks`.
    """
    def __new__(cls, /, ranks: SupportsIndex) -> TieredBuckets: ...

@final
class TieredExact(TieredQueue):
    """
    Two tiers over interval heaps, for any rank.
    """
    def __new__(cls, /) -> TieredExact: ...

@disjoint_base
class TieredQueue:
    """
    A queue of ids ordered by rank and, within a rank, by arrival, each in one of two memories.
    """
    def __contains__(self, id: SupportsIndex, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def get(self, /, id: SupportsIndex) -> Entry | None:
        """
        The entry of an id; None if it is not queued.
        """
    def len_in(self, /, tier: Tier) -> int:
        """
        The number of elements in a tier.
        """
    @property
    def max_rank(self, /) -> int:
        """
        The largest rank that push accepts.
        """
    def peek(self, /, tier: Tier | None = None) -> Entry | None:
        """
        Shows what pop would take.
        """
    def peek_max(self, /, tier: Tier) -> Entry | None:
        """
        Shows what pop_max would take.
        """
    def pop(self, /, tier: Tier | None = None) -> Entry | None:
        """
        Takes the earliest of the smallest rank, of one tier or of both, as rank, id and tier.
        """
    def pop_many(self, /, count: SupportsIndex) -> Ids:
        """
        Pops up to so many of both tiers: arrays of their ranks and ids.
        """
    def pop_max(self, /, tier: Tier) -> Entry | None:
        """
        Takes the latest of the largest rank of a tier.
        """
    def push(self, /, rank: SupportsIndex, id: SupportsIndex, tier: Tier = "sram") -> None:
        """
        Adds an id to a tier, "sram" or "hbm".
        """
    def push_many(self, /, ranks: ArrayLike, ids: ArrayLike | None = None, tier: Tier = "sram") -> None:
        """
        Pushes a batch: arrays of ranks and ids, or positions as ids.
        """
    def relocate(self, /, id: SupportsIndex, tier: Tier) -> bool:
        """
        Moves an id to a tier, keeping its rank and its arrival order; False if it is not queued.
        """
    def remove(self, /, id: SupportsIndex) -> Entry | None:
        """
        Takes an id out, wherever it stands; None if it is not queued.
        """

@final
class TieredReference(TieredQueue):
    """
    Two tiers as a list, searched end to end: what the others are tested against.
    """
    def __new__(cls, /, max_rank: SupportsIndex) -> TieredReference: ...

@final
class WsjfCore:
    """
    SurgeProtector's hardware, operation by operation: the smallest job size per packet size is
    served, the largest dropped when too many jobs wait.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, *, capacity: SupportsIndex = 1024, bits: SupportsIndex = 4, fraction: SupportsIndex = 14) -> WsjfCore:
        """
        An empty one, for so many jobs, with 2^`bits` ranks an octave of ratios to `fraction` binary
        places.
        """
    def __repr__(self, /) -> str: ...
    def offer(self, /, work: SupportsIndex, size: SupportsIndex, tag: SupportsIndex = 0) -> tuple[bool, int, int] | None:
        """
        A job of this size arrives, in a packet of that. What is dropped for want of room: whether
        it is the job itself, its rank and its tag; None if nothing is.
        """
    def poll(self, /) -> tuple[int, int] | None:
        """
        The job to serve next: its rank and its tag; None if none waits.
        """
    def rank(self, /, work: SupportsIndex, size: SupportsIndex) -> int:
        """
        The rank of a job of this size in a packet of that.
        """

def add_rank(name: str, function: Any, about: str, version: str) -> None:
    """
    Puts a function among the rank functions; see `forebay.register_rank`.
    """

def incast_table(hosts: SupportsIndex, degree: SupportsIndex, query: str, per_second: SupportsFloat | SupportsIndex, span: str, seed: SupportsIndex) -> Table:
    """
    Queries to several hosts at once; see `forebay.net.incast`.
    """

def net_run(topology: str, flows: str | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], *, settings: dict[str, Any]) -> tuple[str, Table, str | None, Any, Any]:
    """
    Runs flows through a network; see `forebay.net.run`. `flows` is the path of a file, or four
    columns.
    """

def parameter_types() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """
    What each dictionary of keyword arguments may hold, in an order in which each is known before
    another names it: its name, a sentence, and its entries.
    """

def permutation_table(hosts: SupportsIndex, bytes: str, seed: SupportsIndex) -> Table:
    """
    A flow from each host to one other; see `forebay.net.permutation`.
    """

def poisson_table(hosts: SupportsIndex, load_fraction: SupportsFloat | SupportsIndex, rate: str, sizes_name: str, span: str, seed: SupportsIndex) -> Table:
    """
    Flows between random hosts; see `forebay.net.poisson`.
    """

def read_trace(path: str | PathLike[str], *, kind: str | None = None, requests: SupportsIndex | None = None, clock: str | None = None, object_column: str | SupportsIndex | None = None, time_column: str | SupportsIndex | None = None, size_column: str | SupportsIndex | None = None, origin_column: str | SupportsIndex | None = None, header: str | None = None, delimiter: str | None = None, time_unit: str | None = None) -> dict[str, NDArray[np.uint64]]:
    """
    Reads a trace: text with columns, a line for each time step (`id` or `time;id`), oracleGeneral,
    pcap or pcapng, also in gzip or zstd, from a file or a pipe. The content tells which, and what
    is none of these raises `ShapeError`, as do columns that are not there; a file that is not there
    raises `FileNotFoundError`. `kind` is one of "csv", "steps", "oracle-general", "capture".

    The result holds the arguments of `Cache.simulate`: `times`, `objects`, `origins`, and `sizes`
    if the trace tells them, as text does by `size_column`. Requests come one a step; with
    `clock="time"` when the trace says, a nanosecond a step. Columns are names, or numbers from 1;
    `header` is "yes", "no" or "auto", `delimiter` a character, "tab", "space" or "auto",
    `time_unit` what time stamps count, as "1 ms".
    """

def replay_file(path: str | PathLike[str], *, settings: dict[str, Any]) -> tuple[str, tuple[int, str] | None, list[str], Any, Any]:
    """
    Replays a capture; see `forebay.replay`.
    """
