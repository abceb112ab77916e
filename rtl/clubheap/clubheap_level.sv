// The processor of one level: READ, CMP and WRITE of up to three operations at once.
//
// Source: clubheap §4.1 to §4.4 (Figs 5 to 8). Stage C of an operation is one cycle after that of the
// level above, so it sees the operation, the child and the pair of addresses that the level above
// decided on in the cycle before. In the same cycle the level above is in stage W, waiting for the new
// smallest element of this cluster (`min_o`), and this level has the same wish to the level below.
//
// A node is {pointer, right - left, right child's smallest, left child's smallest, slots}; a leaf has
// only slots. The pointer is there if the level below is dynamic. It holds while there is a child, so it
// is never cleared. A node whose cluster is empty is never read: the first element is kept by the parent,
// and brings OpInit, which writes an empty node over whatever the memory holds.

module clubheap_level #(
  parameter int unsigned RankW = 16,
  parameter int unsigned IdW   = 12,
  /// Elements stored in a node: K - 1.
  parameter int unsigned Slots = 1,
  /// Bits of the difference field.
  parameter int unsigned DiffW = 12,
  /// Addresses of sibling pairs here (roots on level 1), and below.
  parameter int unsigned Pairs = 16,
  parameter int unsigned PairsBelow = 32,
  /// Nodes at an address.
  parameter int unsigned Siblings = 2,
  /// There is no level below.
  parameter bit Leaf = 1'b0,
  /// The level below is dynamic.
  parameter bit Pointer = 1'b0,
  /// See clubheap_fetch.
  parameter clubheap_pkg::read_e Read = clubheap_pkg::ReadEarly,
  parameter bit Quads = 1'b1,
  localparam int unsigned ElemW = 1 + RankW + IdW,
  localparam int unsigned PairW = parameter_pkg::index_width(Pairs),
  localparam int unsigned RowW = parameter_pkg::index_width(Quads ? (Pairs + 1) / 2 : Pairs),
  localparam int unsigned BelowW = parameter_pkg::index_width(PairsBelow)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  /// From the level above, in its stage C.
  input  clubheap_pkg::op_e op_i,
  input  logic [ElemW-1:0]  elem_i,
  input  logic              sel_i,
  input  logic [PairW-1:0]  pair_i,
  /// ReadEarly: the row, one cycle before that.
  input  logic [RowW-1:0]   row_i,
  /// To the level above, in its stage W: the smallest element of the cluster, which is [0] or, if
  /// `pick_o`, [1].
  output logic [1:0][ElemW-1:0] min_o,
  output logic              pick_o,
  /// To the level below, in stage C.
  output clubheap_pkg::op_e op_o,
  output logic [ElemW-1:0]  elem_o,
  output logic              sel_o,
  output logic [BelowW-1:0] pair_o,
  /// From the level below, in stage W.
  input  logic [1:0][ElemW-1:0] min_i,
  input  logic              pick_i,
  /// The free list of the level below.
  input  logic [BelowW-1:0] free_id_i,
  output logic              take_o,
  output logic              give_o,
  output logic [BelowW-1:0] give_id_o
);
  import clubheap_pkg::*;

  typedef logic [ElemW-1:0] elem_t;
  typedef logic [Slots-1:0][ElemW-1:0] slots_t;
  localparam int unsigned PtrW = Pointer ? BelowW : 0;
  localparam int unsigned SlotsW = Slots * ElemW;
  localparam int unsigned RestW = 2 * ElemW + DiffW + PtrW;
  localparam int unsigned NodeW = Leaf ? SlotsW : SlotsW + RestW;

  // Stage C.
  op_e              c_op_q;
  elem_t            c_elem_q, c_elem;
  logic             c_sel_q;
  logic [PairW-1:0] c_pair_q;

  always_ff @(posedge clk_i) begin
    c_op_q   <= rst_i ? OpNone : op_i;
    c_elem_q <= elem_i;
    c_sel_q  <= sel_i;
    c_pair_q <= pair_i;
  end

  assign c_elem = {1'b0, c_elem_q[ElemW-2:0]};

  // Stage W.
  logic             w_we_q, w_sel_q;
  logic [PairW-1:0] w_pair_q;
  slots_t           w_slots_q;

`ifndef SYNTHESIS
  // It would take from or give to a free list that has just been emptied, which shows only when that list comes round.
  assert property (@(posedge clk_i) rst_i |=> c_op_q == OpNone && !w_we_q)
  else $error("clubheap_level: an operation has survived a reset");
`endif

  // The newest node. Slots are not what the level below sends, so they are there first.
  logic             forward, forward_next;
  logic [NodeW-1:0] read, c_node, w_node, w_kept;
  slots_t           slots, slots_next;

  assign slots = read[SlotsW-1:0];

  clubheap_fetch #(
    .NodeW(NodeW),
    .Pairs(Pairs),
    .Siblings(Siblings),
    .Read(Read),
    .Quads(Quads)
  ) u_fetch (
    .clk_i,
    .rst_i,
    .row_i,
    .pair_i,
    .c_we_i   (c_op_q != OpNone),
    .c_pair_i (c_pair_q),
    .valid_i  (c_op_q != OpNone && c_op_q != OpInit),
    .c_sel_i  (c_sel_q),
    .c_node_i (c_node),
    .sel_i,
    .w_we_i   (w_we_q),
    .w_pair_i (w_pair_q),
    .w_sel_i  (w_sel_q),
    .w_node_i (w_node),
    .w_kept_i (w_kept),
    .node_o   (read),
    .forward_o(forward),
    .forward_next_o(forward_next)
  );

  // In `wait_below` the child whose smallest is being decided below.
  logic [1:0][ElemW-1:0] child, child_next, kept;
  logic [1:0] wait_below;
  logic lighter, taken, gain, lose, first;

  clubheap_cmp #(
    .RankW(RankW),
    .IdW(IdW),
    .Slots(Slots)
  ) u_cmp (
    .op_i     (c_op_q),
    .elem_i   (c_elem),
    .slots_i  (slots),
    .child_i    (child),
    .wait_i     (wait_below),
    .kept_i     (kept),
    .candidate_i(min_i),
    .pick_i,
    .lighter_i(lighter),
    .slots_o  (slots_next),
    .child_o  (child_next),
    .sel_o,
    .op_o,
    .elem_o,
    .lt_first_o(pick_o),
    .taken_o  (taken),
    .gain_o   (gain),
    .lose_o   (lose),
    .first_o  (first)
  );

  assign min_o = {c_elem, slots[0]};

  always_ff @(posedge clk_i) begin
    w_we_q    <= c_op_q != OpNone && !rst_i;
    w_sel_q   <= c_sel_q;
    w_pair_q  <= c_pair_q;
    w_slots_q <= slots_next;
  end

  if (Leaf) begin : gen_leaf
    assign child      = '1;
    assign kept       = '1;
    assign wait_below = '0;
    assign lighter   = 1'b0;
    assign c_node    = slots_next;
    assign w_node    = w_slots_q;
    assign w_kept    = w_slots_q;
    assign pair_o    = '0;
    assign take_o    = 1'b0;
    assign give_o    = 1'b0;
    assign give_id_o = '0;
    logic unused_leaf;
    assign unused_leaf = ^{forward, forward_next, child_next, taken, gain, lose, first, min_i, pick_i, free_id_i};
  end else begin : gen_inner
    // What a node has besides its slots: as it is in stage C but for `min_i`, after it, in W, and with `min_i`.
    logic [RestW-1:0] rest, rest_next, w_rest_q, w_rest;
    // The difference is kept as right - left, so its sign says where a push goes. The sign is decided with the
    // child in stage C; the other bits are counted a cycle later, so that no addition follows a comparison: in
    // stage W, and in stage C of the next operation if it is on the same node.
    localparam int unsigned LowW = DiffW - 1;
    logic [LowW-1:0] low, w_low;
    logic            up, down, up_q, down_q, pops, some, sign_next;
    elem_t            min;
    logic [1:0]       c_taken, w_taken_q, wait_q;

    assign rest       = read[NodeW-1:SlotsW];
    assign kept       = rest[2*ElemW-1:0];
    assign wait_below = wait_q;
    assign child[0]   = wait_below[0] ? min : kept[0];
    assign child[1]   = wait_below[1] ? min : kept[1];
    assign low        = counted(rest[2*ElemW+:LowW], forward && up_q, forward && down_q);
    assign lighter    = rest[2*ElemW+LowW];
    // A replace changes no counts.
    assign up   = (gain && sel_o) || (lose && !c_op_q[0] && !sel_o);
    assign down = (gain && !sel_o) || (lose && !c_op_q[0] && sel_o);

    function automatic logic [LowW-1:0] counted(logic [LowW-1:0] word, logic up_i, logic down_i);
      return word + {{(LowW-1){down_i}}, up_i || down_i};
    endfunction
    // -1 and one more is no longer negative, 0 and one less is. What a pop takes is known later than from which child,
    // but at -1 the left one has elements, and at 0 both have or none: one that is not waited for tells.
    assign pops      = c_op_q == OpPop;
    assign some      = !kept[wait_below[0]][ElemW-1];
    assign sign_next = c_op_q != OpInit && (lighter ? !(&low && (gain || pops && !sel_o))
                                                    : low == '0 && (gain || pops && some && sel_o));

    assign c_taken = {taken && sel_o, taken && !sel_o};
    assign rest_next[2*ElemW+DiffW-1:0] = {sign_next, c_op_q == OpInit ? '0 : low, child_next};

    always_ff @(posedge clk_i) begin
      w_taken_q <= rst_i ? '0 : c_taken;
      wait_q    <= rst_i || !forward_next ? '0 : c_taken;
      w_rest_q  <= rest_next;
      up_q      <= up;
      down_q    <= down;
    end

    assign w_low = counted(w_rest_q[2*ElemW+:LowW], up_q, down_q);

    elem_t left, right;
    assign min    = pick_i ? min_i[1] : min_i[0];
    assign left   = w_taken_q[0] ? min : w_rest_q[ElemW-1:0];
    assign right  = w_taken_q[1] ? min : w_rest_q[ElemW+:ElemW];
    assign w_rest = {w_rest_q[RestW-1:2*ElemW+LowW], w_low, right, left};
    assign c_node = {rest_next, slots_next};
    assign w_node = {w_rest, w_slots_q};
    assign w_kept = {w_rest_q, w_slots_q};

`ifndef SYNTHESIS
    // The smallest of a child is decided below in this cycle, and needed here.
    for (genvar o = 1; o < 4; o++) begin : gen_cover_op
      cover_wait_slot : cover property (@(posedge clk_i) |wait_below && !pick_i && c_op_q == op_e'(o));
      cover_wait_elem : cover property (@(posedge clk_i) |wait_below && pick_i && c_op_q == op_e'(o));
    end
    // A push to a child of which it is being decided that it has become empty.
    cover_push_emptied : cover property (@(posedge clk_i) gain && wait_below[sel_o] && child[sel_o][ElemW-1]);
`endif

    if (Pointer) begin : gen_pointer
      // The first child takes a pair of the level below; the last to go gives it back.
      assign pair_o                   = first ? free_id_i : rest[RestW-1-:BelowW];
      assign rest_next[RestW-1-:PtrW] = pair_o;
      assign take_o                   = first;
      assign give_o                   = |w_taken_q && left[ElemW-1] && right[ElemW-1];
      assign give_id_o                = w_rest_q[RestW-1-:BelowW];
`ifndef SYNTHESIS
      cover_take : cover property (@(posedge clk_i) take_o);
      cover_give : cover property (@(posedge clk_i) give_o);
      cover_give_and_take : cover property (@(posedge clk_i) give_o && take_o);
      cover_give_from_here : cover property (@(posedge clk_i) give_o && take_o && forward);
`endif
    end else begin : gen_address
      if (Siblings == 1) begin : gen_root
        assign pair_o = BelowW'(c_pair_q);
      end else begin : gen_node
        assign pair_o = BelowW'({c_pair_q, c_sel_q});
      end
      assign take_o    = 1'b0;
      assign give_o    = 1'b0;
      assign give_id_o = '0;
      logic unused_free;
      assign unused_free = ^{free_id_i, first};
    end
  end

endmodule
