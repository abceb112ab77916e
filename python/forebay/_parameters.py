# Written by `make python-stubs` from the sources in `src`.
"""What keyword arguments may be."""

from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import SupportsIndex
from typing import TypedDict

from ._types import Rank, Rate, Size, Time


class SchedulerParameters(TypedDict, total=False):
    """Parameters of schedulers; each takes its own."""

    backlog: SupportsIndex
    bucket_ranks: SupportsIndex
    budgets: Sequence[Time]
    bytes: Size
    calendar_granularity: SupportsIndex
    calendar_queues: SupportsIndex
    codel_ecn: bool
    codel_interval: Time
    codel_mtu: Size
    codel_target: Time
    default_weight: SupportsIndex
    fifo_packets: SupportsIndex
    fifos: SupportsIndex
    flows: SupportsIndex
    hash_seed: SupportsIndex
    hash_ways: SupportsIndex
    hashed_queues: SupportsIndex
    job_costs: Sequence[str | tuple[Any, Any]] | str
    largest_packet: Size
    level_memory: bool
    levels: Sequence[str | tuple[Any, Any]] | str
    link_rate: Rate
    packets: SupportsIndex
    placement: Literal["ping-pong", "algorithm-1"]
    quantizer: str | tuple[Any, Any]
    quantum: Size
    rounding: Literal["carried", "per-unit"]
    shaper_burst: Size
    shaper_rate: Rate
    sketch_columns: SupportsIndex
    sketch_rows: SupportsIndex
    step_down: bool
    tins: Literal["besteffort", "diffserv3", "diffserv4"]
    total_weight: SupportsIndex
    tree: str
    unit_bytes: Size
    weights: Sequence[SupportsIndex]


class PortSchedulerParameters(TypedDict, total=False):
    """Parameters of port schedulers; each takes its own."""

    quantum: Size
    weights: Sequence[SupportsIndex]


class JobParameters(TypedDict, total=False):
    """Parameters of job policies; each takes its own."""

    fair_below: SupportsIndex
    fq_bytes_step: Size
    fq_time_step: Time
    overrun: SupportsIndex
    secret: SupportsIndex


class OwnQueue(TypedDict, total=False):
    """What a queue has of its own."""

    alpha: float
    limit: Size
    pool: SupportsIndex
    reserved: Size


class Memories(TypedDict, total=False):
    """The clock and widths of an on-chip buffer's memories."""

    burst_cycles: SupportsIndex
    cycle: Time
    data_cells: SupportsIndex
    descriptor_cycles: SupportsIndex
    sublists: SupportsIndex


class BufferParameters(TypedDict, total=False):
    """Parameters of the chip and of its policy."""

    alpha: float
    burst_cycles: SupportsIndex
    capacity: Size
    cell: Size
    classes: SupportsIndex
    congested: Size
    cycle: Time
    data_cells: SupportsIndex
    descriptor_cycles: SupportsIndex
    descriptors: SupportsIndex
    egress_speedup: SupportsIndex
    interval: Time
    largest_packet: Size
    limit: Size
    pools: Sequence[Size]
    port_rate: Rate
    ports: SupportsIndex
    push_out: Literal["head", "tail"]
    queues: Sequence[OwnQueue]
    sublists: SupportsIndex
    sync_delay: Time
    sync_interval: Time
    threshold: Size
    victims: Literal["any", "lower", "lower-or-equal"]


class Stack(TypedDict, total=False):
    """An HBM stack and its controllers."""

    access_bytes: Size
    bank_groups: SupportsIndex
    banks_per_group: SupportsIndex
    burst: SupportsIndex
    cl: SupportsIndex
    cwl: SupportsIndex
    group_limit: SupportsIndex
    hit_limit: SupportsIndex
    lookahead: SupportsIndex
    page: Literal["open", "closed"]
    pseudo_channels: SupportsIndex
    queue_depth: SupportsIndex
    refresh: Literal["off", "all-bank", "per-bank"]
    row_bytes: Size
    rows: SupportsIndex
    scheduling: Literal["in-order", "fr-fcfs"]
    t_ccd_l: SupportsIndex
    t_ccd_s: SupportsIndex
    t_ck: Time
    t_faw: SupportsIndex
    t_ras: SupportsIndex
    t_rc: SupportsIndex
    t_rcd_rd: SupportsIndex
    t_rcd_wr: SupportsIndex
    t_refi: SupportsIndex
    t_rfc: SupportsIndex
    t_rfc_sb: SupportsIndex
    t_rp: SupportsIndex
    t_rrd_l: SupportsIndex
    t_rrd_s: SupportsIndex
    t_rtp: SupportsIndex
    t_rtw: SupportsIndex
    t_wr: SupportsIndex
    t_wtr: SupportsIndex
    write_to_read: Literal["command", "jedec"]


class FlowControl(TypedDict, total=False):
    """Flow control of lossless classes."""

    form: Literal["pauses", "credits"]
    headroom: Size
    headroom_pool: Size
    lossless: Sequence[SupportsIndex]
    pause_above: Size
    pause_alpha: float
    response: Time
    restore: Time
    resume_below: Size
    smallest_packet: Size
    watchdog: Time


class Credits(TypedDict, total=False):
    """What senders of lossless classes are granted."""

    buffer: Size
    return_after: Size
    return_within: Time


class HbmParameters(TypedDict, total=False):
    """What `Hbm` takes."""

    access_bytes: Size
    bank_groups: SupportsIndex
    banks_per_group: SupportsIndex
    burst: SupportsIndex
    channels: Literal["striped", "one", "each"]
    cl: SupportsIndex
    cwl: SupportsIndex
    group_limit: SupportsIndex
    hit_limit: SupportsIndex
    lookahead: SupportsIndex
    page: Literal["open", "closed"]
    pseudo_channels: SupportsIndex
    queue_depth: SupportsIndex
    refresh: Literal["off", "all-bank", "per-bank"]
    row_bytes: Size
    rows: SupportsIndex
    scheduling: Literal["in-order", "fr-fcfs"]
    t_ccd_l: SupportsIndex
    t_ccd_s: SupportsIndex
    t_ck: Time
    t_faw: SupportsIndex
    t_ras: SupportsIndex
    t_rc: SupportsIndex
    t_rcd_rd: SupportsIndex
    t_rcd_wr: SupportsIndex
    t_refi: SupportsIndex
    t_rfc: SupportsIndex
    t_rfc_sb: SupportsIndex
    t_rp: SupportsIndex
    t_rrd_l: SupportsIndex
    t_rrd_s: SupportsIndex
    t_rtp: SupportsIndex
    t_rtw: SupportsIndex
    t_wr: SupportsIndex
    t_wtr: SupportsIndex
    write_to_read: Literal["command", "jedec"]


class SwitchParameters(TypedDict, total=False):
    """Parameters of switches; each takes its own."""

    accounting_queues: SupportsIndex
    alpha: float
    backlog: SupportsIndex
    bucket_ranks: SupportsIndex
    budgets: Sequence[Time]
    buffer: Size
    burst_cells: SupportsIndex
    bytes: Size
    calendar_granularity: SupportsIndex
    calendar_queues: SupportsIndex
    cell: Size
    cells_per_second: SupportsIndex
    classes: SupportsIndex
    codel_ecn: bool
    codel_interval: Time
    codel_mtu: Size
    codel_target: Time
    congested: Size
    credits: Credits
    default_weight: SupportsIndex
    descriptors: SupportsIndex
    egress_speedup: SupportsIndex
    equal_ranks: Literal["sram", "hbm"]
    fetch_batches: bool
    fetch_reserve: float
    fifo_packets: SupportsIndex
    fifos: SupportsIndex
    flows: SupportsIndex
    hash_seed: SupportsIndex
    hash_ways: SupportsIndex
    hashed_queues: SupportsIndex
    hbm: Stack
    hbm_order: Literal["fcfs", "reads-first"]
    interval: Time
    job_costs: Sequence[str | tuple[Any, Any]] | str
    largest_packet: Size
    level_memory: bool
    levels: Sequence[str | tuple[Any, Any]] | str
    limit: Size
    mark: Size
    mark_all_above: Size
    mark_share: float
    memory: Memories
    move_bytes: Size
    packets: SupportsIndex
    pfc: FlowControl
    placement: Literal["ping-pong", "algorithm-1"]
    port_rate: Rate
    ports_per_pool: SupportsIndex
    push_out: Literal["head", "tail"]
    quantizer: str | tuple[Any, Any]
    quantum: Size
    queue_by: Literal["flow", "input", "class", "port"]
    queues: Sequence[OwnQueue]
    rank: Rank
    rank_bits: SupportsIndex
    read_window: SupportsIndex
    rounding: Literal["carried", "per-unit"]
    scheduler: str
    shaper_burst: Size
    shaper_rate: Rate
    sketch_columns: SupportsIndex
    sketch_rows: SupportsIndex
    slot_order: Literal["scattered", "sequential"]
    staging: Size
    staging_writes: Literal["merged", "closed", "whole"]
    step_down: bool
    strict_drop_order: bool
    swap_in_urgent: bool
    swap_in_watermark: float
    swap_out_watermark: float
    sync_delay: Time
    sync_interval: Time
    threshold: Size
    tins: Literal["besteffort", "diffserv3", "diffserv4"]
    total_weight: SupportsIndex
    tree: str
    trim: bool
    trim_header_limit: Size
    trim_header_weight: SupportsIndex
    trim_last: float
    trim_returns: bool
    trim_to: Size
    unit_bytes: Size
    victims: Literal["any", "lower", "lower-or-equal"]
    weights: Sequence[SupportsIndex]
    write_forwarding: bool


class ReplayParameters(TypedDict, total=False):
    """Parameters of switches in a replay; each takes its own."""

    accounting_queues: SupportsIndex
    alpha: float
    backlog: SupportsIndex
    bucket_ranks: SupportsIndex
    budgets: Sequence[Time]
    burst_cells: SupportsIndex
    bytes: Size
    calendar_granularity: SupportsIndex
    calendar_queues: SupportsIndex
    cell: Size
    cells_per_second: SupportsIndex
    codel_ecn: bool
    codel_interval: Time
    codel_mtu: Size
    codel_target: Time
    congested: Size
    credits: Credits
    default_weight: SupportsIndex
    descriptors: SupportsIndex
    egress_speedup: SupportsIndex
    equal_ranks: Literal["sram", "hbm"]
    fetch_batches: bool
    fetch_reserve: float
    fifo_packets: SupportsIndex
    fifos: SupportsIndex
    flows: SupportsIndex
    hash_seed: SupportsIndex
    hash_ways: SupportsIndex
    hashed_queues: SupportsIndex
    hbm: Stack
    hbm_order: Literal["fcfs", "reads-first"]
    interval: Time
    job_costs: Sequence[str | tuple[Any, Any]] | str
    level_memory: bool
    levels: Sequence[str | tuple[Any, Any]] | str
    limit: Size
    mark_all_above: Size
    mark_share: float
    move_bytes: Size
    packets: SupportsIndex
    pfc: FlowControl
    placement: Literal["ping-pong", "algorithm-1"]
    port_rate: Rate
    ports_per_pool: SupportsIndex
    push_out: Literal["head", "tail"]
    quantizer: str | tuple[Any, Any]
    quantum: Size
    queue_by: Literal["flow", "input", "class", "port"]
    rank_bits: SupportsIndex
    ranked_queue: Literal["buckets", "exact"]
    read_window: SupportsIndex
    rounding: Literal["carried", "per-unit"]
    scheduler: str
    shaper_burst: Size
    shaper_rate: Rate
    sketch_columns: SupportsIndex
    sketch_rows: SupportsIndex
    slot_order: Literal["scattered", "sequential"]
    staging: Size
    staging_writes: Literal["merged", "closed", "whole"]
    step_down: bool
    strict_drop_order: bool
    swap_in_urgent: bool
    swap_in_watermark: float
    swap_out_watermark: float
    sync_delay: Time
    sync_interval: Time
    threshold: Size
    tins: Literal["besteffort", "diffserv3", "diffserv4"]
    total_weight: SupportsIndex
    trim: bool
    trim_header_limit: Size
    trim_header_weight: SupportsIndex
    trim_last: float
    trim_returns: bool
    trim_to: Size
    unit_bytes: Size
    victims: Literal["any", "lower", "lower-or-equal"]
    weights: Sequence[SupportsIndex]
    write_forwarding: bool


class NetRunParameters(TypedDict, total=False):
    """Parameters of hosts, and of switches, of which each takes its own."""

    accounting_queues: SupportsIndex
    adaptive_memory: SupportsIndex
    adaptive_samples: SupportsIndex
    alpha: float
    backlog: SupportsIndex
    balance: Literal["ecmp", "flowlet", "spray", "permuted", "adaptive"]
    bucket_ranks: SupportsIndex
    budgets: Sequence[Time]
    burst_cells: SupportsIndex
    bytes: Size
    calendar_granularity: SupportsIndex
    calendar_queues: SupportsIndex
    cell: Size
    cells_per_second: SupportsIndex
    classes: SupportsIndex
    codel_ecn: bool
    codel_interval: Time
    codel_mtu: Size
    codel_target: Time
    congested: Size
    control: str
    credits: Credits
    cubic_beta: float
    cubic_c: float
    cubic_fast_convergence: bool
    cubic_slow_start_limit: SupportsIndex
    dcqcn_additive: Rate
    dcqcn_alpha_timer: Time
    dcqcn_byte_counter: Size
    dcqcn_fast_recovery: SupportsIndex
    dcqcn_floor: Rate
    dcqcn_gain_shift: SupportsIndex
    dcqcn_hyper: Rate
    dcqcn_increase_timer: Time
    dcqcn_notify_every: Time
    dctcp_gain_shift: SupportsIndex
    dctcp_initial_alpha: float
    dctcp_slow_start_limit: SupportsIndex
    default_weight: SupportsIndex
    delayed_ack: Time
    descriptors: SupportsIndex
    duplicate_threshold: SupportsIndex
    egress_speedup: SupportsIndex
    equal_ranks: Literal["sram", "hbm"]
    fetch_batches: bool
    fetch_reserve: float
    fifo_packets: SupportsIndex
    fifos: SupportsIndex
    flowlet_entries: SupportsIndex
    flowlet_gap: Time
    handshake: bool
    hash_seed: SupportsIndex
    hash_ways: SupportsIndex
    hashed_queues: SupportsIndex
    hbm: Stack
    hbm_order: Literal["fcfs", "reads-first"]
    hpcc_additive: Size
    hpcc_base_rtt: Time
    hpcc_max_stage: SupportsIndex
    hpcc_target: float
    initial_rto: Time
    initial_window: SupportsIndex
    interval: Time
    irn_cap: Size
    irn_few: SupportsIndex
    irn_rto_high: Time
    irn_rto_low: Time
    job_costs: Sequence[str | tuple[Any, Any]] | str
    level_memory: bool
    levels: Sequence[str | tuple[Any, Any]] | str
    limit: Size
    loss_by_time: bool
    mark_all_above: Size
    mark_share: float
    min_rto: Time
    move_bytes: Size
    mss: Size
    ndp_first_window: SupportsIndex
    ndp_timeout: Time
    new_reno_slow_start_limit: SupportsIndex
    nic: Literal["fifo", "fair"]
    packets: SupportsIndex
    pfc: FlowControl
    placement: Literal["ping-pong", "algorithm-1"]
    port_rate: Rate
    ports_per_pool: SupportsIndex
    powertcp_base_rtt: Time
    powertcp_flows: SupportsIndex
    powertcp_gamma: float
    push_out: Literal["head", "tail"]
    quantizer: str | tuple[Any, Any]
    quantum: Size
    queue_by: Literal["flow", "input", "class", "port"]
    rank_bits: SupportsIndex
    ranked_queue: Literal["buckets", "exact"]
    read_window: SupportsIndex
    receive_window: Size
    recovery: Literal["go-back-n", "selective"]
    reorder_window: Time
    rounding: Literal["carried", "per-unit"]
    rto_granularity: Time
    sack: bool
    scheduler: str
    shaper_burst: Size
    shaper_rate: Rate
    sketch_columns: SupportsIndex
    sketch_rows: SupportsIndex
    slot_order: Literal["scattered", "sequential"]
    staging: Size
    staging_writes: Literal["merged", "closed", "whole"]
    step_down: bool
    strict_drop_order: bool
    swap_in_urgent: bool
    swap_in_watermark: float
    swap_out_watermark: float
    swift_additive: float
    swift_base_target: Time
    swift_beta: float
    swift_least: float
    swift_max_decrease: float
    swift_most: float
    swift_per_hop: Time
    swift_reset_after: SupportsIndex
    swift_scaling: Time
    swift_scaling_from: float
    swift_scaling_to: float
    sync_delay: Time
    sync_interval: Time
    telemetry_bytes: Size
    threshold: Size
    timely_alpha: float
    timely_beta: float
    timely_floor: Rate
    timely_high: Time
    timely_hyper: SupportsIndex
    timely_least_rtt: Time
    timely_low: Time
    timely_segment: Size
    timely_step: Rate
    tins: Literal["besteffort", "diffserv3", "diffserv4"]
    total_weight: SupportsIndex
    trim: bool
    trim_header_limit: Size
    trim_header_weight: SupportsIndex
    trim_last: float
    trim_returns: bool
    trim_to: Size
    unit_bytes: Size
    victims: Literal["any", "lower", "lower-or-equal"]
    weights: Sequence[SupportsIndex]
    write_forwarding: bool
