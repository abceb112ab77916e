// CMP of one node: the node and an operation in, the node and the next operation out. No state.
//
// Source: clubheap §4.3. The Rust twin is crates/pifo/src/club_heap/stage.rs, ties included: an element
// goes behind those of its rank, of equal children the left one is smaller and lighter.
//
// An element is {none, rank, id}. With `none` above the rank, "no element" compares as the paper's
// +infinity, and one comparator does for both. The parent keeps the smallest element of this cluster and
// has taken it already, so a pop is a replace whose element is larger than everything.
//
// Comparisons: the element with every slot and both children, the children with each other, and the last
// slot with the child that a push goes to (it may equal that child's smallest). They all start from the
// inputs and none waits for another, so the path is one comparison and a few gates.

module clubheap_cmp #(
  parameter int unsigned RankW = 16,
  parameter int unsigned IdW   = 12,
  /// Elements stored here: K - 1.
  parameter int unsigned Slots = 1,
  localparam int unsigned ElemW = 1 + RankW + IdW
) (
  input  clubheap_pkg::op_e              op_i,
  /// The element that comes; its `none` is not looked at.
  input  logic [ElemW-1:0]               elem_i,
  input  logic [Slots-1:0][ElemW-1:0]    slots_i,
  /// The smallest elements of the children.
  input  logic [1:0][ElemW-1:0]          child_i,
  /// The right subtree has fewer elements than the left.
  input  logic                           lighter_i,
  output logic [Slots-1:0][ElemW-1:0]    slots_o,
  output logic [1:0][ElemW-1:0]          child_o,
  /// The child that the operation goes on to.
  output logic                           sel_o,
  output clubheap_pkg::op_e              op_o,
  output logic [ElemW-1:0]               elem_o,
  /// The smallest of what the cluster has now, for the parent (pop and replace).
  output logic [ElemW-1:0]               min_o,
  /// The child's smallest has been taken and will be sent by the level below.
  output logic                           taken_o,
  /// A push goes to a child / a child loses one.
  output logic                           gain_o,
  output logic                           lose_o,
  /// A push comes to a node without children.
  output logic                           first_o
);
  import clubheap_pkg::*;

  // Ranks are compared with `none` above them.
  function automatic logic less(logic [ElemW-1:0] a, logic [ElemW-1:0] b);
    return a[ElemW-1:IdW] < b[ElemW-1:IdW];
  endfunction

  logic bring, take, init;
  assign {init, take, bring} = op_i;

  logic [ElemW-1:0] elem;
  assign elem = {1'b0, elem_i[ElemW-2:0]};

  // All comparisons.
  logic [Slots-1:0] lt_slot;  // the element goes before this slot
  logic lt_left, lt_right, right_first, last_lt_light, right_first_or_light;
  logic [ElemW-1:0] light;  // of the child with fewer elements

  for (genvar j = 0; j < Slots; j++) begin : gen_compare
    assign lt_slot[j] = bring && less(elem, slots_i[j]);
  end
  assign light             = lighter_i ? child_i[1] : child_i[0];
  assign lt_left       = less(elem, child_i[0]);
  assign lt_right      = less(elem, child_i[1]);
  assign right_first       = less(child_i[1], child_i[0]);
  assign last_lt_light = less(slots_i[Slots-1], light);

  assign sel_o                = right_first_or_light;
  assign right_first_or_light = take ? right_first : lighter_i;

  logic lt_chosen;
  assign lt_chosen = right_first_or_light ? lt_right : lt_left;

  // Pop and replace.
  logic [ElemW-1:0] smaller;
  logic stays;  // the element is smaller than both children
  assign smaller = right_first ? child_i[1] : child_i[0];
  assign stays   = bring && lt_chosen;
  assign lose_o  = take && !stays && !smaller[ElemW-1];
  assign taken_o = lose_o;
  assign min_o   = lt_slot[0] ? elem : slots_i[0];

  // Push.
  logic full, ahead;  // what overflows is smaller than the child's smallest
  logic [ElemW-1:0] over;
  assign full  = !slots_i[Slots-1][ElemW-1];
  assign over  = lt_slot[Slots-1] ? slots_i[Slots-1] : elem;
  assign ahead = lt_slot[Slots-1] ? last_lt_light : lt_chosen;
  assign gain_o  = bring && !take && full;
  assign first_o = gain_o && child_i[0][ElemW-1] && child_i[1][ElemW-1];

  for (genvar j = 0; j < Slots; j++) begin : gen_slot
    logic [ElemW-1:0] pushed, refilled;
    if (j == 0) begin : gen_first
      assign pushed = lt_slot[j] ? elem : slots_i[j];
    end else begin : gen_next
      assign pushed = !lt_slot[j] ? slots_i[j] : lt_slot[j-1] ? slots_i[j-1] : elem;
    end
    if (j == Slots - 1) begin : gen_last
      assign refilled = lt_slot[j] ? slots_i[j] : stays ? elem : smaller;
    end else begin : gen_inner
      assign refilled = lt_slot[j] ? slots_i[j] : lt_slot[j+1] ? elem : slots_i[j+1];
    end
    always_comb begin
      slots_o[j] = take ? refilled : bring ? pushed : slots_i[j];
      if (init) slots_o[j][ElemW-1] = 1'b1;
    end
  end

  for (genvar c = 0; c < 2; c++) begin : gen_child
    always_comb begin
      child_o[c] = gain_o && ahead && lighter_i == 1'(c) ? over : child_i[c];
      if (init) child_o[c][ElemW-1] = 1'b1;
    end
  end

  assign elem_o = take ? elem : ahead ? light : over;

  always_comb begin
    op_o = OpNone;
    if (gain_o) op_o = light[ElemW-1] ? OpInit : OpPush;
    if (lose_o) op_o = bring ? OpReplace : OpPop;
  end

endmodule
