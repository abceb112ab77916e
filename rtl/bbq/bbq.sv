// BBQ: a priority queue of integer ranks in a pipeline that starts an operation every cycle.
//
// Source: thesis §4.2 to §4.4. Golden model: `forebay_pifo::BucketQueue` and `PartitionedBuckets`: a dequeue of the
// smallest rank takes its earliest element, one of the largest rank its latest.
//
// A tree of `Levels` levels of bitmaps of `Width` bits finds the bucket; buckets are lists over 2^SlotBits - 1 slots
// that any rank and any partition may use. Whatever the operations are, one is accepted in every cycle in which
// `ready_o` is high, and it is answered, in order, exactly `Latency` cycles later (`bbq_pkg::latency`): with up to
// `Width` partitions 7 + 4 (Levels - 1) stages, counting the one that accepts. There is no back-pressure: `ready_o` is
// low only during reset and for `bbq_pkg::ready_after` cycles after it: one, or as many as there are bitmaps to clear
// behind a steering stage.
//
// An enqueue without a free slot is answered `Full` and changes nothing; a dequeue of an empty partition is answered
// `Empty`. A slot is free again `Latency` + 2 cycles after the dequeue that emptied it was accepted, so while
// dequeues are under way that many elements fewer fit (as in the original: Table 4.2 takes a slot in cycle 0 and
// returns one in cycle 10). Order among operations is that of acceptance.
//
// Logical partitions: `Partitions` queues with Width^Levels / Partitions ranks each. Up to `Width` partitions, the
// root word is masked; with more, the levels that a partition's number decides alone are left out (steering).
module bbq #(
  /// Levels of the tree; Width^Levels is at most 2^15.
  parameter int unsigned Levels = 2,
  /// Bits of a bitmap: 2, 4, 8 or 16.
  parameter int unsigned Width = 8,
  /// Bits of a slot's number: the queue holds 2^SlotBits - 1 elements, at most 2^17 - 1.
  parameter int unsigned SlotBits = 11,
  /// Bits of the data, at least 1.
  parameter int unsigned DataW = 32,
  /// Logical queues: a power of two, less than Width^Levels.
  parameter int unsigned Partitions = 1,
  /// The largest memory that is built of logic and read without a clock; larger ones are block RAM.
  parameter int unsigned AsyncDepth = 64,
  /// Derived: bits of an index into a bitmap, of all levels together, of a partition's number, of a rank in one.
  localparam int unsigned IndexW = parameter_pkg::index_width(Width),
  localparam int unsigned BucketW = Levels * IndexW,
  localparam int unsigned PartBits = $clog2(Partitions),
  localparam int unsigned PartPortW = (PartBits > 0) ? PartBits : 1,
  localparam int unsigned RankW = (BucketW > PartBits) ? BucketW - PartBits : 1,
  /// Derived: cycles from an operation to its answer.
  localparam int unsigned Latency = bbq_pkg::latency(Levels, Width, Partitions)
) (
  input  logic                               clk_i,
  /// Synchronous.
  input  logic                               rst_i,
  input  logic                               valid_i,
  output logic                               ready_o,
  input  bbq_pkg::op_e                       op_i,
  input  logic             [  PartPortW-1:0] partition_i,
  /// Enqueue: the rank within the partition.
  input  logic             [      RankW-1:0] rank_i,
  /// Enqueue: the data.
  input  logic             [      DataW-1:0] data_i,
  output logic                               valid_o,
  /// What was asked: a dequeue.
  output logic                               dequeue_o,
  output bbq_pkg::status_e                   status_o,
  output logic             [  PartPortW-1:0] partition_o,
  /// The rank, where `status_o` is `Done`.
  output logic             [      RankW-1:0] rank_o,
  /// A dequeue's data, where `status_o` is `Done`.
  output logic             [      DataW-1:0] data_o
);
  if (!parameter_pkg::power_of_two("bbq: Width", Width, 2, 16)) begin : gen_check_width
    $error("bbq: Width is out of range");
  end
  if (!parameter_pkg::in_range("bbq: Levels", Levels, 2, 15 / IndexW)) begin : gen_check_levels
    $error("bbq: Levels is out of range");
  end
  if (!parameter_pkg::in_range("bbq: SlotBits", SlotBits, 2, 17)) begin : gen_check_slotbits
    $error("bbq: SlotBits is out of range");
  end
  if (!parameter_pkg::at_least("bbq: DataW", DataW, 1)) begin : gen_check_dataw
    $error("bbq: DataW is out of range");
  end
  if (!parameter_pkg::power_of_two("bbq: Partitions", Partitions, 1, 2 ** (BucketW - 1))) begin : gen_check_partitions
    $error("bbq: Partitions is out of range");
  end

  // Levels that the partition decides alone, and the bits of it that are left for a mask.
  localparam int unsigned Steered = bbq_pkg::steered(Width, Partitions);
  localparam int unsigned MaskBits = PartBits - Steered * IndexW;
  localparam int unsigned ClearW = (Steered > 0) ? Steered * IndexW : 1;

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [BucketW-1:0] bucket_t;

  // ---- Accept: take a slot, store the data -------------------------------------------------------------------
  logic list_empty, take, free, clearing, ready_q;
  slot_t slot, freed;
  bbq_pkg::ctl_t ctl_in;
  bucket_t bucket_in;

  always_ff @(posedge clk_i) ready_q <= ~rst_i;
  assign ready_o = ready_q & ~clearing;
  assign take    = valid_i & ready_o & (op_i == bbq_pkg::Enqueue) & ~list_empty;

  always_comb begin
    ctl_in.valid   = valid_i & ready_o;
    ctl_in.dequeue = ctl_in.valid & op_i[1];
    ctl_in.last    = op_i[0];
    ctl_in.alive   = ctl_in.dequeue | take;
  end

  if (PartBits > 0) begin : gen_partition
    assign bucket_in   = {partition_i, rank_i};
  end else begin : gen_whole
    assign bucket_in   = rank_i;
    logic unused_partition;
    assign unused_partition = ^partition_i;
  end

  free_list #(
    .Entries(2 ** SlotBits - 1)
  ) u_free (
    .clk_i,
    .rst_i,
    .take_i  (take),
    .number_o(slot),
    .empty_o (list_empty),
    .give_i  (free),
    .number_i(freed)
  );

  // ---- The tree ----------------------------------------------------------------------------------------------
  // Element l is what level l gets: the operation and the path above l; below l, what an enqueue asked for.
  bbq_pkg::ctl_t ctl[Levels+1];
  bucket_t path[Levels+1];
  slot_t slots[Levels+1];
  logic [4:1] same[Levels+1];
  logic fresh[Levels+1];
  logic several[Levels], two[Levels], list[Levels];
  logic clear;
  logic [ClearW-1:0] clear_node;

  if (Steered == 0) begin : gen_rooted
    assign ctl[0]     = ctl_in;
    assign path[0]    = bucket_in;
    assign slots[0]   = slot;
    assign same[0]    = '0;
    assign fresh[0]   = 1'b0;
    assign clearing   = 1'b0;
    assign clear      = 1'b0;
    assign clear_node = '0;
  end else begin : gen_steered
    // The partition's number is a node's: register it, and compare it with the four ahead.
    bbq_pkg::ctl_t ctl0_q;
    bucket_t path0_q;
    slot_t slot0_q;
    logic [4:1] ahead_alive_q;
    logic [4:1][Steered*IndexW-1:0] ahead_node_q;
    logic [Steered*IndexW:0] clear_q;
    always_ff @(posedge clk_i) begin
      ctl0_q        <= rst_i ? '0 : ctl_in;
      path0_q       <= bucket_in;
      slot0_q       <= slot;
      ahead_alive_q <= rst_i ? '0 : {ahead_alive_q[3:1], ctl0_q.alive};
      ahead_node_q  <= {ahead_node_q[3:1], path0_q[BucketW-1-:Steered*IndexW]};
      clear_q       <= rst_i ? '0 : clear_q + (Steered * IndexW + 1)'(clearing);
    end
    always_comb begin
      for (int unsigned d = 1; d <= 4; d++) begin
        same[Steered][d] = ahead_alive_q[d] & ahead_node_q[d] == path0_q[BucketW-1-:Steered*IndexW];
      end
    end
    assign ctl[Steered]   = ctl0_q;
    assign path[Steered]  = path0_q;
    assign slots[Steered] = slot0_q;
    assign fresh[Steered] = 1'b0;
    assign clearing       = ~clear_q[Steered*IndexW];
    assign clear          = clearing;
    assign clear_node     = clear_q[ClearW-1:0];
  end

  for (genvar l = Steered; l < Levels; l++) begin : gen_level
    localparam bit Root = l == 0;
    localparam int unsigned NodeW = Root ? 1 : l * IndexW;
    // Where this level's index stands in a bucket's number.
    localparam int unsigned Low = (Levels - 1 - l) * IndexW;
    localparam int unsigned Stages = Root ? 3 : 4;

    logic [NodeW-1:0] node, node_out;
    logic [IndexW-1:0] index_out;
    if (Root) begin : gen_root
      assign node = '0;
    end else begin : gen_node
      assign node = path[l][BucketW-1-:NodeW];
    end

    bbq_level #(
      .Root      (Root),
      .First     (l == Steered),
      .Width     (Width),
      .NodeW     (NodeW),
      .CountW    (SlotBits),
      .PartW     ((l == Steered) ? MaskBits : 0),
      .Leaf      (l == Levels - 1),
      .AsyncDepth(AsyncDepth)
    ) u_level (
      .clk_i,
      .rst_i,
      .clear_i     (clear),
      .clear_node_i(NodeW'(clear_node)),
      .ctl_i       (ctl[l]),
      .node_i      (node),
      .index_i     (path[l][Low+:IndexW]),
      .fresh_i     (fresh[l]),
      .same_i      (same[l]),
      .ctl_o       (ctl[l+1]),
      .node_o      (node_out),
      .index_o     (index_out),
      .fresh_o     (fresh[l+1]),
      .same_o      (same[l+1]),
      .several_o   (several[l]),
      .two_o       (two[l]),
      .list_o      (list[l])
    );

    // What this level does not touch: the indices below it, and the slot.
    slot_t [Stages-1:0] slots_q;
    always_ff @(posedge clk_i) slots_q <= {slots_q[Stages-2:0], slots[l]};
    assign slots[l+1] = slots_q[Stages-1];

    if (!Root) begin : gen_above
      assign path[l+1][BucketW-1-:NodeW] = node_out;
    end else begin : gen_no_node
      logic unused_node;
      assign unused_node = ^node_out;
    end
    assign path[l+1][Low+:IndexW] = index_out;
    if (Low > 0) begin : gen_below
      logic [Stages-1:0][Low-1:0] below_q;
      always_ff @(posedge clk_i) below_q <= {below_q[Stages-2:0], path[l][Low-1:0]};
      assign path[l+1][Low-1:0] = below_q[Stages-1];
    end
  end

  // ---- The buckets -------------------------------------------------------------------------------------------
  bbq_pkg::ctl_t ctl_out;
  bucket_t bucket_out;

  bbq_buckets #(
    .BucketW   (BucketW),
    .SlotW     (SlotBits),
    .DataW     (DataW),
    .AsyncDepth(AsyncDepth)
  ) u_buckets (
    .clk_i,
    .rst_i,
    .store_i     (take),
    .store_slot_i(slot),
    .store_data_i(data_i),
    .ctl_i       (ctl[Levels]),
    .bucket_i    (path[Levels]),
    .same_i      (same[Levels]),
    .list_i      (list[Levels-1]),
    .append_i    (several[Levels-1]),
    .two_i       (two[Levels-1]),
    .slot_i      (slots[Levels]),
    .ctl_o       (ctl_out),
    .bucket_o    (bucket_out),
    .data_o,
    .free_o      (free),
    .free_slot_o (freed)
  );

  assign valid_o   = ctl_out.valid;
  assign dequeue_o = ctl_out.dequeue;
  assign status_o  = ctl_out.alive ? bbq_pkg::Done : ctl_out.dequeue ? bbq_pkg::Empty : bbq_pkg::Full;
  assign rank_o    = bucket_out[RankW-1:0];
  if (PartBits > 0) begin : gen_partition_out
    assign partition_o = bucket_out[BucketW-1-:PartBits];
  end else begin : gen_whole_out
    assign partition_o = '0;
  end

  logic unused_outputs;
  assign unused_outputs = ^{ctl_out.last, fresh[Levels]};

`ifndef SYNTHESIS
  // A slot is on its way back for Latency + 2 cycles, so that many may be neither held nor free.
  localparam int unsigned Slots = 2 ** SlotBits - 1;
  queue_checks #(
    .Latency   (Latency),
    .Capacity  (Slots),
    .FullFrom  ((Slots > Latency + 2) ? Slots - Latency - 2 : 0),
    .Partitions(Partitions),
    .RankW     (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (ctl_in.valid),
    .push_i      (op_i == bbq_pkg::Enqueue),
    .pop_i       (op_i[1]),
    .last_i      (op_i[0]),
    .pop_part_i  ((PartBits > 0) ? partition_i : '0),
    .push_part_i ((PartBits > 0) ? partition_i : '0),
    .rank_i,
    .rsp_valid_i (valid_o),
    .rsp_pushed_i(~dequeue_o & status_o == bbq_pkg::Done),
    .rsp_popped_i(dequeue_o & status_o == bbq_pkg::Done),
    .rsp_rank_i  (rank_o)
  );
`endif
endmodule
