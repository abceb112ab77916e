# The classes written in Rust (`src/`), kept by hand; `tests/test_stubs.py` compares names and signatures.

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

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

class _Gearbox(TypedDict, total=False):
    """What Gearbox and its relatives take beside limits, weights and units."""

    levels: Sequence[tuple[int, int]]
    placement: Literal["ping-pong", "algorithm-1"]
    level_memory: bool
    step_down: bool
    rounding: Literal["carried", "per-unit"]
    fifo_packets: int
    fifos: int
    largest_packet: int
    backlog: int

class _SchedulerParameters(_Gearbox, total=False):
    """Of which each scheduler takes its own: `Scheduler.parameters(name)`."""

    packets: int
    bytes: int
    weights: Sequence[int]
    default_weight: int
    flows: int
    unit_bytes: int
    total_weight: int
    calendar_queues: int
    calendar_granularity: int
    sketch_rows: int
    sketch_columns: int
    bucket_ranks: int
    quantum: int
    hashed_queues: int
    hash_seed: int
    codel_target: int
    codel_interval: int
    codel_mtu: int
    link_rate: int
    tree: str
    budgets: Sequence[int]
    job_costs: Sequence[tuple[int, int]]
    shaper_rate: int
    shaper_burst: int
    quantizer: Literal["identity"] | tuple[Literal["linear", "log-linear"], int]

@final
class Scheduler:
    """A scheduler of one port, by name or by a rank of your own. Times are in picoseconds.

    A packet is a tuple of size, flow, class, flow size and tag. `tree` is the TOML text of a scheduling tree, for
    the scheduler "tree"; the link's rate takes the place of its own.
    """

    def __new__(
        cls, name: str | None = None, *, rank: _Rule | None = None, **parameters: Unpack[_SchedulerParameters]
    ) -> Scheduler: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    @staticmethod
    def parameters(name: str) -> list[str]:
        """The names of the parameters that a scheduler takes."""
    def enqueue(
        self, now: int, size: int, *, flow: int = 0, class_: int = 0, flow_size: int = 0, tag: int = 0
    ) -> str | None:
        """A packet arrives. Why it was refused, or None."""
    def dequeue(self, now: int) -> tuple[int, int, int, int, int] | None: ...
    def ready_at(self, now: int) -> int | None: ...
    def take_dropped(self) -> list[tuple[tuple[int, int, int, int, int], str]]: ...
    def clear(self) -> None:
        """Makes the scheduler as it was at first: empty, and at time 0."""
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

        The largest `uint64` stands for a packet that was dropped, one less for one that leaves later than can be
        counted. What a rule raises, or Ctrl-C, clears the scheduler; the exception's `index` is the packet's, its
        `done` the times so far.
        """
    def __len__(self) -> int: ...

@final
class PortScheduler:
    """Chooses among the queues of a port, by name. It holds no packets: it is shown the sizes of their heads."""

    def __new__(
        cls, name: str, classes: int, *, weights: Sequence[int] | None = None, quantum: int | None = None
    ) -> PortScheduler: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    def select(self, heads: Sequence[int | None]) -> int | None:
        """The class that sends now; the scheduler counts its head as sent."""
    def drain(self, classes: ArrayLike, sizes: ArrayLike) -> NDArray[np.uint64]:
        """Sends packets that all wait at once: their places in the order in which they leave."""

class _JobParameters(TypedDict, total=False):
    """Of which each policy takes its own."""

    secret: int
    fq_bytes_step: int
    fq_time_step: int
    overrun: int
    fair_below: int

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
        **parameters: Unpack[_JobParameters],
    ) -> JobScheduler: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    def offer(self, now: int, size: int, work: int, *, flow: int = 0, tag: int = 0) -> int | None:
        """A job arrives. The tag of the one that is dropped, which may be its own, or None."""
    def poll(self) -> tuple[int, int, int, int] | None:
        """The job to process next: tag, size, flow, estimated work."""
    def clear(self) -> None:
        """Makes the scheduler as it was at first, its counts included."""
    def serve(
        self, times: ArrayLike, sizes: ArrayLike, works: ArrayLike, *, flows: ArrayLike | None = None
    ) -> NDArray[np.uint64]:
        """Plays jobs through one processor: when each is done; the largest `uint64` where it was dropped.

        What a rule raises, or Ctrl-C, leaves no job waiting; the exception's `index` is the job's, its `done` the
        times so far.
        """
    @property
    def counts(self) -> dict[str, int]:
        """Jobs offered, turned away by the admission, refused, displaced, served."""
    def __len__(self) -> int: ...

class _OwnQueue(TypedDict, total=False):
    """What a queue has of its own."""

    pool: int
    reserved: int
    alpha: float
    limit: int

class _OnChipPolicy(TypedDict, total=False):
    """Of which each policy takes its own: `Buffer.parameters(policy)`."""

    alpha: float
    interval: int
    congested: int
    limit: int
    threshold: int
    push_out: Literal["head", "tail"]

class _Memories(TypedDict, total=False):
    """The clock and widths of an on-chip buffer's memories."""

    cycle: int
    sublists: int
    descriptor_cycles: int
    data_cells: int
    burst_cycles: int

class _BufferParameters(_OnChipPolicy, _Memories, total=False):
    """The chip, and what the policy takes."""

    ports: int
    classes: int
    capacity: int
    cell: int
    port_rate: int
    largest_packet: int
    descriptors: int
    pools: Sequence[int]
    queues: Sequence[_OwnQueue]

@final
class Buffer:
    """An on-chip shared buffer under a policy by name or an admission of your own. Times in picoseconds.

    By default: 8 ports of 10 Gb/s with one class, 410,000 bytes in cells of 200, packets up to 1500 bytes.
    """

    def __new__(
        cls, policy: str | None = None, *, admission: _Rule | None = None, **parameters: Unpack[_BufferParameters]
    ) -> Buffer: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    @staticmethod
    def parameters(policy: str) -> list[str]:
        """The names of the parameters that a policy takes."""
    @staticmethod
    def causes() -> list[str]: ...
    def enqueue(
        self, now: int, port: int, size: int, *, class_: int = 0, rank: int = 0, tag: int = 0
    ) -> str | None:
        """A packet arrives. Why it was dropped, or None if it waits."""
    def enqueue_many(
        self,
        times: ArrayLike,
        ports: ArrayLike,
        sizes: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        ranks: ArrayLike | None = None,
        tags: ArrayLike | None = None,
    ) -> NDArray[np.uint8]:
        """Packets arrive in order: 0 for those that wait, else 1 + the place of the cause in `causes()`.

        Their tags are their places, if there are none. `losses()` has those that were dropped later on. What a rule
        raises, or Ctrl-C, leaves in the buffer what came before; the exception's `index` is the packet's, its `done`
        the numbers so far.
        """
    def dequeue(self, now: int, port: int, *, class_: int = 0) -> tuple[int, int, int] | None:
        """Takes the next packet of a queue, as size, tag and time of arrival."""
    def dequeue_many(
        self, times: ArrayLike, ports: ArrayLike, *, classes: ArrayLike | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Takes the next packet of a queue at each time: sizes, tags, times of arrival.

        All three are the largest `uint64` where none waited.
        """
    def losses(self) -> list[tuple[int, str]]: ...
    def threshold(self, port: int, *, class_: int = 0) -> int | None: ...
    def length(self, port: int, *, class_: int = 0) -> int: ...
    @property
    def occupancy(self) -> tuple[int, int]: ...
    @property
    def counters(self) -> dict[str, int]: ...

class _Stack(TypedDict, total=False):
    """An HBM stack: geometry, timing (clocks but for the clock itself, in ps), refresh; and its controllers."""

    pseudo_channels: int
    bank_groups: int
    banks_per_group: int
    rows: int
    row_bytes: int
    access_bytes: int
    t_ck: int
    t_rc: int
    t_ras: int
    t_rp: int
    t_rcd_rd: int
    t_rcd_wr: int
    t_rtp: int
    t_wr: int
    t_ccd_s: int
    t_ccd_l: int
    t_rrd_s: int
    t_rrd_l: int
    t_faw: int
    t_rtw: int
    t_wtr: int
    cl: int
    cwl: int
    burst: int
    t_refi: int
    t_rfc: int
    t_rfc_sb: int
    write_to_read: Literal["command-to-command", "from-data-end"]
    refresh: Literal["off", "all-bank", "per-bank"]
    scheduling: Literal["fr-fcfs", "in-order"]
    lookahead: int
    group_limit: int
    hit_limit: int
    queue_depth: int
    page: Literal["open", "closed"]

class _HbmParameters(_Stack, total=False):
    """What `Hbm` takes."""

    channels: Literal["striped", "one", "each"]

class _Hybrid(TypedDict, total=False):
    """What hybrid switches take beside what others do."""

    staging: int
    accounting_queues: int
    cell_time: int
    queue_by: Literal["flow", "input", "class", "port"]
    far_order: Literal["fcfs", "reads-first"]
    slot_order: Literal["scattered", "sequential"]
    read_window: int
    move_bytes: int
    write_forwarding: bool
    fetch_batches: bool
    fetch_reserve: float
    rank_bits: int
    swap_in_watermark: float
    swap_out_watermark: float
    strict_drop_order: bool
    hbm: _Stack

class _SwitchParameters(_SchedulerParameters, _OnChipPolicy, _Hybrid, total=False):
    """Of which each switch takes its own: `Switch.parameters(name)`."""

    mark: int
    buffer: int
    rank: str
    ports_per_pool: int
    cell: int
    scheduler: str
    classes: int
    memory: _Memories
    queues: Sequence[_OwnQueue]
    descriptors: int

@final
class Switch:
    """A switch by name, with a port for each of `rates` in bits a second. Times are in picoseconds.

    Drop-tail, a scheduler at every port, on-chip shared buffers, and hybrid buffers of SRAM and HBM.
    """

    def __new__(cls, name: str, rates: Sequence[int], **parameters: Unpack[_SwitchParameters]) -> Switch: ...
    @staticmethod
    def names() -> list[tuple[str, str]]: ...
    @staticmethod
    def ranks() -> list[tuple[str, str]]:
        """The rank functions by name, for switches with a parameter `rank`."""
    @staticmethod
    def parameters(name: str) -> list[str]:
        """The names of the parameters that a switch takes."""
    @staticmethod
    def causes() -> list[str]: ...
    def enqueue(
        self,
        now: int,
        port: int,
        size: int,
        *,
        flow: int = 0,
        class_: int = 0,
        input: int = 0,
        flow_size: int | None = None,
        tag: int = 0,
        markable: bool = False,
    ) -> str | None:
        """A packet arrives. Why it was dropped, or None if it waits; `losses()` has what else was dropped."""
    def dequeue(self, now: int, port: int) -> tuple[int, int, int, int, bool] | None:
        """The packet that a port sends: size, tag, flow, class, whether it is marked.

        None if nothing waits, or if what waits cannot leave before `next_event()`.
        """
    def advance(self, now: int) -> None:
        """Lets everything happen that is due until `now`."""
    def next_event(self) -> int | None: ...
    def losses(self) -> list[tuple[int, int, str]]:
        """Packets that the last call dropped after they had been accepted: tag, port and cause."""
    def is_empty(self, port: int) -> bool: ...
    @property
    def backlog(self) -> int: ...
    def gauges(self) -> dict[str, int]:
        """Bytes that wait, thresholds, and bytes moved so far, by name and place."""
    def clear(self) -> None:
        """Makes the switch as it was at first: empty, and at time 0."""
    def serve(
        self,
        times: ArrayLike,
        ports: ArrayLike,
        sizes: ArrayLike,
        *,
        flows: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
        flow_sizes: ArrayLike | None = None,
        markable: bool = False,
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.bool_]]:
        """Plays a trace through the switch and its links: departures, causes, marks.

        The largest `uint64` where a packet was lost, and 1 + the place of the cause in `causes()`; else when it had
        left, and 0. Ctrl-C clears the switch; the exception's `done` has the three arrays so far.
        """

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
        samples: int | None = None,
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
    """The memory model: requests in, completions out, bank by bank. Times are in picoseconds.

    By default the pseudo channels of a Samsung HBM2E in lockstep; `channels` is "one" for a pseudo channel and
    "each" for a stack whose channels work on their own.
    """

    def __new__(cls, **parameters: Unpack[_HbmParameters]) -> Hbm: ...
    @staticmethod
    def parameters() -> list[str]: ...
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
        channel: int = 0,
    ) -> None: ...
    def advance(self, now: int) -> list[tuple[int, int]]: ...
    def next_event(self) -> int | None: ...
    def has_room(self, channel: int = 0) -> bool: ...
    def columns_for(self, size: int) -> int: ...
    @property
    def stats(self) -> dict[str, int]:
        """Bytes moved and of use, requests, row hits, activations, turnarounds, refreshes, time busy and idle."""
    @property
    def run_stats(self) -> dict[str, int]:
        """The same of the last `run`."""
    @property
    def peak(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    def run(
        self,
        banks: ArrayLike,
        rows: ArrayLike,
        columns: ArrayLike,
        *,
        write: bool | ArrayLike | None = None,
        first: ArrayLike | None = None,
        channel: ArrayLike | None = None,
    ) -> NDArray[np.uint64]:
        """Runs requests as fast as the queue takes them, from time 0: when each is done."""
    def row_cells(
        self, cell: int, rows: int, *, groups: int = 1, banks_per_group: int = 1, write: bool = False
    ) -> dict[str, int]:
        """Rows in turn over some banks of a pseudo channel, `cell` bytes of each: rates and counters."""
    def ping_pong(self, accesses: int) -> dict[str, int]: ...
    def continuous(self, accesses: int, *, write: bool = False) -> dict[str, int]: ...
    def table2(self, layout: Literal["best", "worst", "packet-worst"]) -> dict[str, int]: ...

@final
class SramPort:
    """A port of on-chip memory: its own traffic first, a background transfer in the gaps. Times in picoseconds."""

    def __new__(cls, cell_time: int) -> SramPort: ...
    def foreground(self, now: int, cells: int) -> int:
        """Moves cells of arrivals or departures; when the last is through."""
    def foreground_many(self, times: ArrayLike, cells: ArrayLike) -> NDArray[np.uint64]: ...
    def foreground_start(self, now: int) -> int: ...
    def begin_background(self, now: int, cells: int) -> None: ...
    def background_due(self) -> int | None: ...
    def finish_background(self, now: int) -> bool: ...
    def abort_background(self, now: int) -> int: ...
    def counters(self, now: int) -> dict[str, int]: ...

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
    def enqueue_many(
        self,
        flows: ArrayLike,
        ranks: ArrayLike,
        send_times: ArrayLike | None = None,
        items: ArrayLike | None = None,
    ) -> None:
        """Adds a batch of flows; without items, each is its position. Stops at the first refused one."""
    def dequeue_many(
        self, now: int, count: int, flows: tuple[int, int] | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64] | list[Any]]:
        """Takes up to so many of those whose time has come: flows, ranks, times, items."""
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

_Cycles = tuple[NDArray[np.bool_], _Columns, NDArray[np.bool_]]

@final
class Pipelined:
    """BBQ behind its pipeline: what a pop finds is known `latency` cycles later."""

    def __new__(
        cls, ranks: int, capacity: int, *, latency: int | None = None, width: int = 64
    ) -> Pipelined: ...
    def answer(self) -> tuple[bool, _Element | None]:
        """Begins a cycle: whether an answer is due, and what the pop found."""
    def request(self) -> bool:
        """Asks for the smallest element; False if this cycle has asked already."""
    def push(self, rank: int, item: Any = None) -> None: ...
    def step_many(
        self, pops: ArrayLike, ranks: ArrayLike, items: ArrayLike | None = None, *, pushes: ArrayLike | None = None
    ) -> _Cycles:
        """A cycle for each row: which had an answer; what the answers found; which pushes were refused."""
    @property
    def latency(self) -> int: ...
    def __len__(self) -> int: ...

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
    def step_many(
        self, pops: ArrayLike, ranks: ArrayLike, items: ArrayLike | None = None, *, pushes: ArrayLike | None = None
    ) -> _Cycles:
        """A cycle for each row: which popped something; what they popped; which pushes were refused."""
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
