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
// slot with the child that a push goes to (it may equal that child's smallest). No comparison waits for
// another. The one case where that takes care is the operation right behind one that took a child's
// smallest: the new one is being decided by a comparison in the level below in this very cycle, between the
// element that went down and a slot there. Both candidates are compared here meanwhile, and the verdict
// from below (`pick_i`) chooses among results. So the path is one comparison and a few gates.

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
  /// The child of which it is being decided below, if any; there, `child_i` comes late and `kept_i` is
  /// not to be used. For the other, they are the same.
  input  logic [1:0]                     wait_i,
  input  logic [1:0][ElemW-1:0]          kept_i,
  /// The candidates, and whether it is the second.
  input  logic [1:0][ElemW-1:0]          candidate_i,
  input  logic                           pick_i,
  /// The right subtree has fewer elements than the left.
  input  logic                           lighter_i,
  output logic [Slots-1:0][ElemW-1:0]    slots_o,
  output logic [1:0][ElemW-1:0]          child_o,
  /// The child that the operation goes on to.
  output logic                           sel_o,
  output clubheap_pkg::op_e              op_o,
  output logic [ElemW-1:0]               elem_o,
  /// The smallest of what the cluster has now is the element and not the first slot (pop and replace).
  output logic                           lt_first_o,
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

  // All comparisons. `kept`: nothing is waited for; `candidate`: one of the two is it.
  logic [Slots-1:0] lt_slot;  // the element goes before this slot
  logic [1:0]       lt_candidate, last_lt_candidate, right_lt_candidate;
  logic             lt_kept_left, lt_kept_right, last_lt_kept, right_lt_kept;
  logic [ElemW-1:0] light;
  logic [RankW:0]   other;  // of the child that is not waited for
  logic             lt_left, lt_right, right_first, last_lt_light, right_first_or_light;

  for (genvar j = 0; j < Slots; j++) begin : gen_compare
    assign lt_slot[j] = bring && less(elem, slots_i[j]);
  end
  assign other         = wait_i[0] ? kept_i[1][ElemW-1:IdW] : kept_i[0][ElemW-1:IdW];
  assign lt_kept_left  = less(elem, kept_i[0]);
  assign lt_kept_right = less(elem, kept_i[1]);
  assign right_lt_kept = less(kept_i[1], kept_i[0]);
  assign last_lt_kept  = less(slots_i[Slots-1], lighter_i ? kept_i[1] : kept_i[0]);

  for (genvar c = 0; c < 2; c++) begin : gen_candidate
    assign lt_candidate[c]       = less(elem, candidate_i[c]);
    assign last_lt_candidate[c]  = less(slots_i[Slots-1], candidate_i[c]);
    // One comparator for both directions: right < candidate is not candidate <= right.
    assign right_lt_candidate[c] =
        wait_i[0] ^ ({candidate_i[c][ElemW-1:IdW], 1'b0} < {other, wait_i[0]});
  end

  assign lt_left       = wait_i[0] ? lt_candidate[pick_i] : lt_kept_left;
  assign lt_right      = wait_i[1] ? lt_candidate[pick_i] : lt_kept_right;
  assign right_first   = |wait_i ? right_lt_candidate[pick_i] : right_lt_kept;
  assign last_lt_light = wait_i[lighter_i] ? last_lt_candidate[pick_i] : last_lt_kept;
  assign light         = lighter_i ? child_i[1] : child_i[0];

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
  assign lt_first_o = lt_slot[0];

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
