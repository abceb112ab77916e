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
  localparam int unsigned Last = Slots - 1;
  logic [Slots-1:0] lt_slot;  // the element goes before this slot
  logic [1:0]       lt_kept, lt_candidate, last_lt_candidate, right_lt_candidate;
  logic             last_lt_kept, right_lt_kept;
  logic [RankW:0]   other;  // of the child that is not waited for

  for (genvar j = 0; j < Slots; j++) begin : gen_compare
    assign lt_slot[j] = bring && less(elem, slots_i[j]);
  end
  assign lt_kept[0]    = less(elem, kept_i[0]);
  assign lt_kept[1]    = less(elem, kept_i[1]);
  assign right_lt_kept = less(kept_i[1], kept_i[0]);
  assign last_lt_kept  = less(slots_i[Last], kept_i[lighter_i]);
  assign other         = wait_i[0] ? kept_i[1][ElemW-1:IdW] : kept_i[0][ElemW-1:IdW];

  for (genvar c = 0; c < 2; c++) begin : gen_candidate
    assign lt_candidate[c]       = less(elem, candidate_i[c]);
    assign last_lt_candidate[c]  = less(slots_i[Last], candidate_i[c]);
    // One comparator for both directions: right < candidate is not candidate <= right.
    assign right_lt_candidate[c] =
        wait_i[0] ^ ({candidate_i[c][ElemW-1:IdW], 1'b0} < {other, wait_i[0]});
  end

  // From here on a word is chosen by one bit for each of its sources, so that no choice waits for another.
  // The sources of a child's smallest: kept left, kept right, and the candidates.
  logic [3:0]            lt_source, none_source;
  logic [3:0][ElemW-1:0] source;
  assign source    = {candidate_i, kept_i};
  assign lt_source = {lt_candidate, lt_kept};
  for (genvar i = 0; i < 4; i++) begin : gen_none
    assign none_source[i] = source[i][ElemW-1];
  end

  function automatic logic [ElemW-1:0] if_set(logic bit_i, logic [ElemW-1:0] word_i);
    return {ElemW{bit_i}} & word_i;
  endfunction

  // Pop and replace: the smaller child's, and whether it goes up. If not, the element is smaller, and stays.
  logic       right_first, stays;
  logic [3:0] smaller, goes;
  assign right_first = |wait_i ? right_lt_candidate[pick_i] : right_lt_kept;
  assign smaller[0]  = !wait_i[0] && !right_first;
  assign smaller[1]  = !wait_i[1] && right_first;
  for (genvar c = 0; c < 2; c++) begin : gen_smaller
    assign smaller[2+c] = |wait_i && pick_i == 1'(c) && wait_i[1] == right_lt_candidate[c];
  end
  assign goes       = smaller & ~({4{bring}} & lt_source);
  assign stays      = bring && |(smaller & lt_source);
  assign lose_o     = take && |(goes & ~none_source);
  assign taken_o    = lose_o;
  assign lt_first_o = lt_slot[0];
  assign sel_o      = take ? right_first : lighter_i;

  // Push: whether what overflows is smaller than the lighter child's smallest.
  logic             full, light_waits, light_none, ahead_kept, ahead;
  logic [1:0]       ahead_candidate, put;
  assign full        = !slots_i[Last][ElemW-1];
  assign light_waits = wait_i[lighter_i];
  assign light_none  = light_waits ? none_source[{1'b1, pick_i}] : none_source[{1'b0, lighter_i}];
  assign ahead_kept  = lt_slot[Last] ? last_lt_kept : lt_kept[lighter_i];
  assign ahead       = light_waits ? ahead_candidate[pick_i] : ahead_kept;
  assign gain_o      = bring && !take && full;
  assign first_o     = gain_o && child_i[0][ElemW-1] && child_i[1][ElemW-1];
  for (genvar c = 0; c < 2; c++) begin : gen_ahead
    assign ahead_candidate[c] = lt_slot[Last] ? last_lt_candidate[c] : lt_candidate[c];
    assign put[c]             = gain_o && ahead && lighter_i == 1'(c);
  end

  for (genvar j = 0; j < Slots; j++) begin : gen_slot
    // Push: the slots behind the element move on. Otherwise those before it do, and the last gets the smaller child's.
    logic [ElemW-1:0] word;
    logic             shifts;
    logic [ElemW-1:0] previous;
    if (j == 0) begin : gen_first
      assign shifts   = 1'b0;
      assign previous = '0;
    end else begin : gen_next
      assign shifts   = lt_slot[j-1];
      assign previous = slots_i[j-1];
    end
    if (j == Last) begin : gen_last
      always_comb begin
        word = if_set(take == lt_slot[j], slots_i[j]) | if_set(!take && shifts, previous);
        word |= if_set(take ? !lt_slot[j] && stays : lt_slot[j] && !shifts, elem);
        for (int i = 0; i < 4; i++) word |= if_set(take && !lt_slot[j] && goes[i], source[i]);
      end
    end else begin : gen_inner
      always_comb begin
        word = if_set(take == lt_slot[j], slots_i[j]) | if_set(!take && shifts, previous);
        word |= if_set(take ? !lt_slot[j] && lt_slot[j+1] : lt_slot[j] && !shifts, elem);
        word |= if_set(take && !lt_slot[j+1], slots_i[j+1]);
      end
    end
    assign slots_o[j] = {word[ElemW-1] || init, word[ElemW-2:0]};
  end

  for (genvar c = 0; c < 2; c++) begin : gen_child
    logic [ElemW-1:0] word;
    always_comb begin
      word = if_set(!put[c] && !wait_i[c], kept_i[c]);
      word |= if_set(put[c] && lt_slot[Last], slots_i[Last]) | if_set(put[c] && !lt_slot[Last], elem);
      for (int i = 0; i < 2; i++) word |= if_set(!put[c] && wait_i[c] && pick_i == 1'(i), candidate_i[i]);
    end
    assign child_o[c] = {word[ElemW-1] || init, word[ElemW-2:0]};
  end

  always_comb begin
    elem_o = if_set(take || (!ahead && !lt_slot[Last]), elem);
    elem_o |= if_set(!take && !ahead && lt_slot[Last], slots_i[Last]);
    elem_o |= if_set(!take && !light_waits && ahead_kept, kept_i[lighter_i]);
    for (int i = 0; i < 2; i++) begin
      elem_o |= if_set(!take && light_waits && pick_i == 1'(i) && ahead_candidate[i], candidate_i[i]);
    end
  end

  always_comb begin
    op_o = OpNone;
    if (gain_o) op_o = light_none ? OpInit : OpPush;
    if (lose_o) op_o = bring ? OpReplace : OpPop;
  end

endmodule
