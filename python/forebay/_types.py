"""The types that the stubs of the classes written in Rust name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._forebay import CacheArrival

#: A time or a span in picoseconds, a size in bytes, a rate in bits a second; or a text with its unit.
Time = SupportsIndex | float | str
Size = SupportsIndex | float | str
Rate = SupportsIndex | float | str

#: Ranks and items that were popped; the items are a list if any is no whole number.
Columns = tuple[NDArray[np.uint64], NDArray[np.uint64] | list[Any]]
#: Ranks and ids.
Ids = tuple[NDArray[np.uint64], NDArray[np.uint64]]
#: Flows, ranks, times and items.
PieoColumns = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64] | list[Any]]
#: Three arrays of whole numbers.
Three = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]

Tier = Literal["sram", "hbm"]
#: A rank, an id, and where it waits.
Entry = tuple[int, int, Tier]
Below = Literal["first", "reject"]
Beyond = Literal["last", "reject"]
Advance = Literal["when-empty", "by-caller"]

#: The text of an expression, or a function of a named tuple.
Rule = str | Callable[[Any], int | bool]
#: The name of a rank function, the text of an expression, or a function of a named tuple.
Rank = str | Callable[[Any], int]
#: Whether progress is shown; or a function of runs done, runs in all, and a label.
Progress = Callable[[int, int, str], object] | bool | None


class CachePolicy(Protocol):
    """A cache policy of one's own: an object for each set of the cache, told of what happens in order.

    Two more methods are called where they exist: `absent(object, time)` for a request that misses or waits, and
    `arrive(arrival)` before anything is evicted, which answers whether the data may be admitted at all.
    """

    def hit(self, object: int, time: int, /) -> Any:
        """A cached object was asked for."""

    def admit(self, arrival: "CacheArrival", /) -> Any:
        """The object is cached now."""

    def evict(self, arrival: "CacheArrival", /) -> int | None:
        """Which cached object makes room for it, asked until there is enough; None lets it pass."""


class Gearbox(TypedDict, total=False):
    """What Gearbox and its relatives take beside limits, weights and units."""

    levels: Sequence[tuple[SupportsIndex, SupportsIndex]]
    placement: Literal["ping-pong", "algorithm-1"]
    level_memory: bool
    step_down: bool
    rounding: Literal["carried", "per-unit"]
    fifo_packets: SupportsIndex
    fifos: SupportsIndex
    largest_packet: Size
    backlog: SupportsIndex


class SchedulerParameters(Gearbox, total=False):
    """Of which each scheduler takes its own: `Scheduler.parameters(name)`."""

    packets: SupportsIndex
    bytes: Size
    weights: Sequence[SupportsIndex]
    default_weight: SupportsIndex
    flows: SupportsIndex
    unit_bytes: Size
    total_weight: SupportsIndex
    calendar_queues: SupportsIndex
    calendar_granularity: SupportsIndex
    sketch_rows: SupportsIndex
    sketch_columns: SupportsIndex
    bucket_ranks: SupportsIndex
    quantum: Size
    hashed_queues: SupportsIndex
    hash_seed: SupportsIndex
    codel_target: Time
    codel_interval: Time
    codel_mtu: Size
    link_rate: Rate
    tree: str
    budgets: Sequence[Time]
    job_costs: Sequence[tuple[SupportsIndex, SupportsIndex]]
    shaper_rate: Rate
    shaper_burst: Size
    quantizer: Literal["identity"] | tuple[Literal["linear", "log-linear"], SupportsIndex]


class PortSchedulerParameters(TypedDict, total=False):
    """Of which each port scheduler takes its own."""

    weights: Sequence[SupportsIndex]
    quantum: Size


class JobParameters(TypedDict, total=False):
    """Of which each policy takes its own."""

    secret: SupportsIndex
    fq_bytes_step: Size
    fq_time_step: Time
    overrun: SupportsIndex
    fair_below: SupportsIndex


class OwnQueue(TypedDict, total=False):
    """What a queue has of its own."""

    #: Of `fb.Buffer` with `pools`.
    pool: SupportsIndex
    reserved: Size
    alpha: float
    limit: Size


class OnChipPolicy(TypedDict, total=False):
    """Of which each policy takes its own: `Buffer.parameters(policy)`."""

    alpha: float
    interval: Time
    congested: Size
    limit: Size
    threshold: Size
    push_out: Literal["head", "tail"]


class Memories(TypedDict, total=False):
    """The clock and widths of an on-chip buffer's memories."""

    cycle: Time
    sublists: SupportsIndex
    descriptor_cycles: SupportsIndex
    data_cells: SupportsIndex
    burst_cycles: SupportsIndex


class BufferParameters(OnChipPolicy, Memories, total=False):
    """The chip, and what the policy takes."""

    ports: SupportsIndex
    classes: SupportsIndex
    capacity: Size
    cell: Size
    port_rate: Rate
    largest_packet: Size
    descriptors: SupportsIndex
    pools: Sequence[Size]
    queues: Sequence[OwnQueue]


class Stack(TypedDict, total=False):
    """An HBM stack: geometry, timing (clocks but for the clock itself, in ps), refresh; and its controllers."""

    pseudo_channels: SupportsIndex
    bank_groups: SupportsIndex
    banks_per_group: SupportsIndex
    rows: SupportsIndex
    row_bytes: Size
    access_bytes: Size
    t_ck: Time
    t_rc: SupportsIndex
    t_ras: SupportsIndex
    t_rp: SupportsIndex
    t_rcd_rd: SupportsIndex
    t_rcd_wr: SupportsIndex
    t_rtp: SupportsIndex
    t_wr: SupportsIndex
    t_ccd_s: SupportsIndex
    t_ccd_l: SupportsIndex
    t_rrd_s: SupportsIndex
    t_rrd_l: SupportsIndex
    t_faw: SupportsIndex
    t_rtw: SupportsIndex
    t_wtr: SupportsIndex
    cl: SupportsIndex
    cwl: SupportsIndex
    burst: SupportsIndex
    t_refi: SupportsIndex
    t_rfc: SupportsIndex
    t_rfc_sb: SupportsIndex
    write_to_read: Literal["command", "jedec"]
    refresh: Literal["off", "all-bank", "per-bank"]
    scheduling: Literal["fr-fcfs", "in-order"]
    lookahead: SupportsIndex
    group_limit: SupportsIndex
    hit_limit: SupportsIndex
    queue_depth: SupportsIndex
    page: Literal["open", "closed"]


class HbmParameters(Stack, total=False):
    """What `Hbm` takes."""

    channels: Literal["striped", "one", "each"]


class Hybrid(TypedDict, total=False):
    """What hybrid switches take beside what others do."""

    staging: Size
    accounting_queues: SupportsIndex
    port_rate: Rate
    queue_by: Literal["flow", "input", "class", "port"]
    hbm_order: Literal["fcfs", "reads-first"]
    slot_order: Literal["scattered", "sequential"]
    read_window: SupportsIndex
    move_bytes: Size
    write_forwarding: bool
    staging_writes: Literal["merged", "closed", "whole"]
    fetch_batches: bool
    fetch_reserve: float
    rank_bits: SupportsIndex
    swap_in_watermark: float
    swap_out_watermark: float
    strict_drop_order: bool
    equal_ranks: Literal["sram", "hbm"]
    swap_in_urgent: bool
    hbm: Stack


class SwitchParameters(SchedulerParameters, OnChipPolicy, Hybrid, total=False):
    """Of which each switch takes its own: `Switch.parameters(name)`."""

    mark: Size
    buffer: Size
    rank: Rank
    ports_per_pool: SupportsIndex
    cell: Size
    scheduler: str
    classes: SupportsIndex
    memory: Memories
    queues: Sequence[OwnQueue]
    descriptors: SupportsIndex
