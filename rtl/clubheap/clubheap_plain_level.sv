// The processor of one level: READ, CMP and WRITE of up to three operations at once.
//
// Source: clubheap §4.1 to §4.3 (Figs 5 to 7), §6.4. Stage C of an operation is one cycle after that of the level above.
// In the same cycle the level above is in stage W and waits for the new smallest element of this cluster (`min_o`);
// this level has the same wish to the level below. An operation that follows on the same node takes the node from W
// with that element in it, as the paper draws it: its comparisons begin after one below.
//
// A node is {differences, smallest of each child, slots}; a leaf has only slots. A node whose cluster is empty is never
// read: the first element is kept by the parent, and brings OpInit, which writes an empty node over what is there.

module clubheap_plain_level #(
  parameter int unsigned RankW = 16,
  parameter int unsigned IdW   = 12,
  /// Elements stored in a node: K - 1.
  parameter int unsigned Slots = 1,
  parameter int unsigned Ways  = 2,
  /// Bits of a difference field.
  parameter int unsigned DiffW = 12,
  /// Groups of siblings here and below, and nodes of a group here (1 for the root).
  parameter int unsigned Groups = 16,
  parameter int unsigned GroupsBelow = 32,
  parameter int unsigned Siblings = 2,
  /// There is no level below.
  parameter bit Leaf = 1'b0,
  localparam int unsigned ElemW = 1 + RankW + IdW,
  localparam int unsigned GroupW = parameter_pkg::index_width(Groups),
  localparam int unsigned BelowW = parameter_pkg::index_width(GroupsBelow)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  /// From the level above, in its stage C.
  input  clubheap_pkg::op_e   op_i,
  input  logic [ElemW-1:0]    elem_i,
  input  logic [Siblings-1:0] sel_i,
  input  logic [GroupW-1:0]   group_i,
  /// To the level above, in its stage W: the smallest element of the cluster, which is [0] or, if `pick_o`, [1].
  output logic [1:0][ElemW-1:0] min_o,
  output logic                pick_o,
  /// To the level below, in stage C.
  output clubheap_pkg::op_e   op_o,
  output logic [ElemW-1:0]    elem_o,
  output logic [Ways-1:0]     sel_o,
  output logic [BelowW-1:0]   group_o,
  /// From the level below, in stage W.
  input  logic [1:0][ElemW-1:0] min_i,
  input  logic                pick_i
);
  import clubheap_pkg::*;

  typedef logic [Ways-1:0][ElemW-1:0] mins_t;
  typedef logic [Ways-2:0][DiffW-1:0] diffs_t;
  localparam int unsigned SlotsW = Slots * ElemW;
  localparam int unsigned MinsW = Ways * ElemW;
  localparam int unsigned NodeW = Leaf ? SlotsW : SlotsW + MinsW + (Ways - 1) * DiffW;

  // Stage C.
  op_e                 c_op_q;
  logic [ElemW-1:0]    c_elem_q;
  logic [Siblings-1:0] c_sel_q;
  logic [GroupW-1:0]   c_group_q;

  always_ff @(posedge clk_i) begin
    c_op_q    <= rst_i ? OpNone : op_i;
    c_elem_q  <= elem_i;
    c_sel_q   <= sel_i;
    c_group_q <= group_i;
  end

  // Stage W.
  logic                w_we_q;
  logic [Siblings-1:0] w_sel_q;
  logic [GroupW-1:0]   w_group_q;
  logic [Slots-1:0][ElemW-1:0] w_slots_q;

  // The slots are apart from the rest: they do not wait for the level below.
  logic             forward;
  logic [NodeW-1:0] read, w_node;

  clubheap_plain_store #(
    .NodeW   (NodeW),
    .Groups  (Groups),
    .Siblings(Siblings)
  ) u_store (
    .clk_i,
    .rst_i,
    .group_i,
    .valid_i  (c_op_q != OpNone && c_op_q != OpInit),
    .c_group_i(c_group_q),
    .c_sel_i  (c_sel_q),
    .w_we_i   (w_we_q),
    .w_group_i(w_group_q),
    .w_sel_i  (w_sel_q),
    .w_node_i (w_node),
    .forward_o(forward),
    .node_o   (read)
  );

  logic [Slots-1:0][ElemW-1:0] slots, slots_next;
  mins_t  child, child_next;
  diffs_t diff;
  logic   taken, gain, lose;

  assign slots = forward ? w_slots_q : read[SlotsW-1:0];

  clubheap_plain_cmp #(
    .RankW(RankW),
    .IdW  (IdW),
    .Slots(Slots),
    .Ways (Ways),
    .DiffW(DiffW)
  ) u_cmp (
    .op_i      (c_op_q),
    .elem_i    (c_elem_q),
    .slots_i   (slots),
    .child_i   (child),
    .diff_i    (diff),
    .slots_o   (slots_next),
    .child_o   (child_next),
    .sel_o,
    .op_o,
    .elem_o,
    .lt_first_o(pick_o),
    .taken_o   (taken),
    .gain_o    (gain),
    .lose_o    (lose)
  );

  assign min_o = {1'b0, c_elem_q[ElemW-2:0], slots[0]};

  always_ff @(posedge clk_i) begin
    w_we_q    <= c_op_q != OpNone && !rst_i;
    w_sel_q   <= c_sel_q;
    w_group_q <= c_group_q;
    w_slots_q <= slots_next;
  end

  if (Leaf) begin : gen_leaf
    assign child   = '1;
    assign diff    = '0;
    assign w_node  = w_slots_q;
    assign group_o = '0;
    logic unused_leaf;
    assign unused_leaf = ^{child_next, taken, gain, lose, min_i, pick_i};
  end else begin : gen_inner
    mins_t           w_child_q, w_child;
    diffs_t          w_diff_q, w_diff;
    logic [Ways-1:0] w_child_sel_q;
    logic            w_taken_q, w_gain_q, w_lose_q;

    assign {diff, child} = forward ? {w_diff, w_child} : read[NodeW-1:SlotsW];

    always_ff @(posedge clk_i) begin
      w_child_q     <= child_next;
      w_diff_q      <= c_op_q == OpInit ? '0 : diff;
      w_child_sel_q <= sel_o;
      w_taken_q     <= taken && !rst_i;
      w_gain_q      <= gain;
      w_lose_q      <= lose;
    end

    // The child that gave up its smallest has the next from below.
    for (genvar c = 0; c < Ways; c++) begin : gen_child
      assign w_child[c] = !(w_taken_q && w_child_sel_q[c]) ? w_child_q[c] : min_i[pick_i];
    end
    // One more below the first child is one less in every difference.
    for (genvar c = 1; c < Ways; c++) begin : gen_diff
      logic up, down;
      assign up   = (w_gain_q && w_child_sel_q[c]) || (w_lose_q && w_child_sel_q[0]);
      assign down = (w_lose_q && w_child_sel_q[c]) || (w_gain_q && w_child_sel_q[0]);
      assign w_diff[c-1] = w_diff_q[c-1] + {{(DiffW - 1) {down}}, up || down};
    end
    assign w_node = {w_diff, w_child, w_slots_q};

    // The group of this node's children, in the order of a complete tree.
    if (Siblings == 1) begin : gen_root
      assign group_o = '0;
    end else begin : gen_node
      always_comb begin
        group_o = BelowW'(c_group_q) * BelowW'(Ways);
        for (int unsigned s = 1; s < Ways; s++) if (c_sel_q[s]) group_o += BelowW'(s);
      end
    end

`ifndef SYNTHESIS
    // The smallest of a child is decided below in this cycle, and the next operation on the node is here.
    logic waits;
    assign waits = w_taken_q && forward;
    for (genvar o = 1; o < 4; o++) begin : gen_cover_op
      cover_wait_slot : cover property (@(posedge clk_i) waits && !pick_i && c_op_q == op_e'(o));
      cover_wait_elem : cover property (@(posedge clk_i) waits && pick_i && c_op_q == op_e'(o));
    end
    // A push to a child of which it is being decided that it has become empty.
    cover_push_emptied : cover property (
      @(posedge clk_i) waits && gain && sel_o == w_child_sel_q && op_o == OpInit);
    for (genvar c = 0; c < Ways; c++) begin : gen_cover_child
      cover_smallest : cover property (@(posedge clk_i) taken && sel_o[c]);
      cover_lightest : cover property (@(posedge clk_i) gain && sel_o[c]);
    end
    assert property (@(posedge clk_i) disable iff (rst_i) taken || gain |-> $onehot(sel_o));
`endif
  end

endmodule
