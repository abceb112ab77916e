// Themis's queue: one BBQ over two memories, in a pipeline that starts an operation every cycle.
//
// Source: Themis §5.3 and App. F (Fig. 21). Golden model: `forebay_pifo::ThemisCore`.
//
// Elements wait near (SRAM) or far (HBM), ordered by rank and, within a rank, by arrival. One tree of `Levels`
// levels of bitmaps of `Width` bits serves both tiers: every node has a bitmap of each, every child a counter of
// each. Whatever the operations are (`themis_pkg::op_e`), one is accepted in every cycle in which `ready_o` is
// high, and it is answered, in order, exactly `Latency` cycles later. There is no back-pressure; `ready_o` is low
// only during reset and in the cycle after it.
//
// A swap keeps the element's rank, so its path is the same in both tiers, and it keeps its slot, so only links
// change. The data is whatever names the element to the user; where its bytes lie is the user's to note, at the
// address `slot_o` or in what the data names.
//
// What one pass cannot do is to decide late: where a child holds elements of both tiers, a dequeue does not know whose
// counter to lower before it is at the leaf. So the root decides (`themis_pkg::Dequeue`, `Enqueue`), by a rank's
// first digit, the one of Width digits that it looks at. If the near tier holds nothing above the far tier's
// smallest rank, this is exact. Equal ranks leave in the order in which they came, whatever is swapped when
// (docs/rtl-themis.md).
//
// An enqueue without a free slot is answered `Full`, an operation that finds nothing to take `Empty`; neither changes
// anything. A slot is free again `Latency` + 2 cycles after the operation that emptied it was accepted.
module themis #(
  /// Levels of the tree; Width^Levels is at most 2^15.
  parameter int unsigned Levels = 2,
  /// Bits of a bitmap: 2, 4, 8 or 16.
  parameter int unsigned Width = 8,
  /// Bits of a slot's number: the queue holds 2^SlotBits - 1 elements, at most 2^17 - 1, in any proportion.
  parameter int unsigned SlotBits = 11,
  /// Bits of the data, at least 1.
  parameter int unsigned DataW = 32,
  /// The largest memory that is built of logic and read without a clock; larger ones are block RAM.
  parameter int unsigned AsyncDepth = 64,
  /// Derived: bits of an index into a bitmap, and of a rank.
  localparam int unsigned IndexW = parameter_pkg::index_width(Width),
  localparam int unsigned RankW = Levels * IndexW,
  /// Derived: cycles from an operation to its answer.
  localparam int unsigned Latency = themis_pkg::latency(Levels)
) (
  input  logic                               clk_i,
  /// Synchronous.
  input  logic                               rst_i,
  input  logic                               valid_i,
  output logic                               ready_o,
  input  themis_pkg::op_e                    op_i,
  /// Enqueue: the rank.
  input  logic                [   RankW-1:0] rank_i,
  /// Enqueue: the data.
  input  logic                [   DataW-1:0] data_i,
  output logic                               valid_o,
  /// What was asked: to take an element (dequeue, drop, swap); to move it to the other tier (swap).
  output logic                               take_o,
  output logic                               swap_o,
  output themis_pkg::status_e                status_o,
  /// The tier it was taken from, or, of an enqueue, in which it waits; 1 is far.
  output logic                               far_o,
  output logic                [   RankW-1:0] rank_o,
  /// The element's slot, its own from the enqueue on.
  output logic                [SlotBits-1:0] slot_o,
  /// The data of what was taken.
  output logic                [   DataW-1:0] data_o
);
  if (!parameter_pkg::power_of_two("themis: Width", Width, 2, 16)) begin : gen_check_width
    $error("themis: Width is out of range");
  end
  if (!parameter_pkg::in_range("themis: Levels", Levels, 2, 15 / IndexW)) begin : gen_check_levels
    $error("themis: Levels is out of range");
  end
  if (!parameter_pkg::in_range("themis: SlotBits", SlotBits, 2, 17)) begin : gen_check_slotbits
    $error("themis: SlotBits is out of range");
  end
  if (!parameter_pkg::at_least("themis: DataW", DataW, 1)) begin : gen_check_dataw
    $error("themis: DataW is out of range");
  end

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [RankW-1:0] rank_t;

  // ---- Accept: take a slot, store the data -------------------------------------------------------------------
  logic list_empty, take, free, ready_q;
  slot_t slot;
  themis_pkg::ctl_t ctl_in;

  always_ff @(posedge clk_i) ready_q <= ~rst_i;
  assign ready_o = ready_q;
  assign take    = valid_i & ready_o & ~op_i[2] & op_i[1:0] != 2'd3 & ~list_empty;

  always_comb begin
    ctl_in.valid = valid_i & ready_o;
    ctl_in.pop   = ctl_in.valid & op_i[2];
    ctl_in.push  = take | (ctl_in.pop & op_i[1]);
    ctl_in.alive = ctl_in.pop | take;
    ctl_in.last  = op_i == themis_pkg::DropLargest | op_i == themis_pkg::SwapOut;
    ctl_in.open  = op_i == themis_pkg::Enqueue | op_i == themis_pkg::Dequeue;
    ctl_in.is_far   = op_i == themis_pkg::EnqueueFar | op_i == themis_pkg::SwapIn;
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
    .number_i(slot_o)
  );

  // ---- The tree ----------------------------------------------------------------------------------------------
  // Element l is what level l gets: the operation and the path above l; below l, what an enqueue asked for.
  themis_pkg::ctl_t ctl[Levels+1];
  rank_t path[Levels+1];
  slot_t slots[Levels+1];
  logic [4:1] same[Levels+1];
  logic fresh[Levels+1];
  logic [1:0] several[Levels], two[Levels], list[Levels];
  logic ahead[Levels];

  assign ctl[0]   = ctl_in;
  assign path[0]  = rank_i;
  assign slots[0] = slot;
  assign same[0]  = '0;
  assign fresh[0] = 1'b0;

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam bit Root = l == 0;
    localparam int unsigned NodeW = Root ? 1 : l * IndexW;
    // Where this level's index stands in a rank.
    localparam int unsigned Low = (Levels - 1 - l) * IndexW;
    localparam int unsigned Stages = Root ? 3 : 4;

    logic [NodeW-1:0] node, node_out;
    logic [IndexW-1:0] index_out;
    if (Root) begin : gen_root
      assign node = '0;
    end else begin : gen_node
      assign node = path[l][RankW-1-:NodeW];
    end

    themis_level #(
      .Root      (Root),
      .Width     (Width),
      .NodeW     (NodeW),
      .CountW    (SlotBits),
      .Leaf      (l == Levels - 1),
      .AsyncDepth(AsyncDepth)
    ) u_level (
      .clk_i,
      .rst_i,
      .ctl_i    (ctl[l]),
      .node_i   (node),
      .index_i  (path[l][Low+:IndexW]),
      .fresh_i  (fresh[l]),
      .same_i   (same[l]),
      .ctl_o    (ctl[l+1]),
      .node_o   (node_out),
      .index_o  (index_out),
      .fresh_o  (fresh[l+1]),
      .same_o   (same[l+1]),
      .several_o(several[l]),
      .two_o    (two[l]),
      .list_o   (list[l]),
      .ahead_o  (ahead[l])
    );

    // What this level does not touch: the indices below it, and the slot.
    slot_t [Stages-1:0] slots_q;
    always_ff @(posedge clk_i) slots_q <= {slots_q[Stages-2:0], slots[l]};
    assign slots[l+1] = slots_q[Stages-1];

    if (!Root) begin : gen_above
      assign path[l+1][RankW-1-:NodeW] = node_out;
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
  themis_pkg::ctl_t ctl_out;
  logic [3:1] ahead_q;

  themis_buckets #(
    .BucketW   (RankW),
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
    .several_i   (several[Levels-1]),
    .two_i       (two[Levels-1]),
    .slot_i      (slots[Levels]),
    .ctl_o       (ctl_out),
    .bucket_o    (rank_o),
    .data_o,
    .slot_o,
    .free_o      (free)
  );

  always_ff @(posedge clk_i) ahead_q <= {ahead_q[2:1], ahead[Levels-1]};

  assign valid_o = ctl_out.valid;
  assign take_o  = ctl_out.pop;
  assign swap_o  = ctl_out.pop & ctl_out.push;
  assign far_o   = ctl_out.is_far;
  always_comb begin
    status_o = ahead_q[3] ? themis_pkg::Ahead : themis_pkg::Done;
    if (!ctl_out.alive) status_o = ctl_out.pop ? themis_pkg::Empty : themis_pkg::Full;
  end

  logic unused_outputs;
  assign unused_outputs = ^{ctl_out.last, ctl_out.open, fresh[Levels]};

`ifndef SYNTHESIS
  // A slot is on its way back for Latency + 2 cycles, so that many may be neither held nor free.
  localparam int unsigned Slots = 2 ** SlotBits - 1;
  themis_checks #(
    .Latency (Latency),
    .Capacity(Slots),
    .FullFrom((Slots > Latency + 2) ? Slots - Latency - 2 : 0),
    .RankW   (RankW),
    .SlotW   (SlotBits)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (ctl_in.valid),
    .op_i,
    .store_i     (take),
    .store_slot_i(slot),
    .rsp_valid_i (valid_o),
    .rsp_status_i(status_o),
    .rsp_far_i   (far_o),
    .rsp_rank_i  (rank_o),
    .rsp_slot_i  (slot_o)
  );
`endif
endmodule
