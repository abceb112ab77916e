// CMP of one node with `Ways` children: the node and an operation in, the node and the next operation out. No state.
//
// Source: clubheap §4.3 and §6.4. The Rust twin is crates/pifo/src/club_heap/stage.rs, ties included: an element goes
// behind those of its rank, of equal children the first is smaller and lighter.
//
// An element is {none, rank, id}; "no element" compares as the paper's +infinity. The parent keeps the smallest element
// of this cluster and has taken it already, so a pop is a replace whose element is larger than everything.
//
// What more ways cost is here: the smallest of `Ways` children and the lightest of `Ways` subtrees are each the
// winner of a comparison of every pair, so one comparator where there are two ways, three for three and six for four.

module clubheap_plain_cmp #(
  parameter int unsigned RankW = 16,
  parameter int unsigned IdW   = 12,
  /// Elements stored here: K - 1.
  parameter int unsigned Slots = 1,
  parameter int unsigned Ways  = 2,
  /// Bits of a difference field.
  parameter int unsigned DiffW = 12,
  localparam int unsigned ElemW = 1 + RankW + IdW
) (
  input  clubheap_pkg::op_e              op_i,
  input  logic [ElemW-1:0]               elem_i,
  input  logic [Slots-1:0][ElemW-1:0]    slots_i,
  /// The smallest elements of the children.
  input  logic [Ways-1:0][ElemW-1:0]     child_i,
  /// Elements below each child but the first, less those below the first; two's complement.
  input  logic [Ways-2:0][DiffW-1:0]     diff_i,
  output logic [Slots-1:0][ElemW-1:0]    slots_o,
  output logic [Ways-1:0][ElemW-1:0]     child_o,
  /// The child that the operation goes on to, one bit for each.
  output logic [Ways-1:0]                sel_o,
  output clubheap_pkg::op_e              op_o,
  output logic [ElemW-1:0]               elem_o,
  /// The smallest of what the cluster has now is the element and not the first slot (pop and replace).
  output logic                           lt_first_o,
  /// That child's smallest has been taken and will be sent by the level below.
  output logic                           taken_o,
  /// Its subtree gains or loses one.
  output logic                           gain_o,
  output logic                           lose_o
);
  import clubheap_pkg::*;

  function automatic logic less(logic [ElemW-1:0] a, logic [ElemW-1:0] b);
    return a[ElemW-1:IdW] < b[ElemW-1:IdW];
  endfunction

  // The first of the smallest, from `below[j][i]`: j is smaller than i. Only j > i is looked at.
  function automatic logic [Ways-1:0] first_smallest(logic [Ways-1:0][Ways-1:0] below);
    first_smallest = '1;
    for (int unsigned j = 1; j < Ways; j++) begin
      for (int unsigned i = 0; i < j; i++) begin
        if (below[j][i]) first_smallest[i] = 1'b0;
        else first_smallest[j] = 1'b0;
      end
    end
  endfunction

  function automatic logic [ElemW-1:0] chosen(logic [Ways-1:0] which,
                                              logic [Ways-1:0][ElemW-1:0] words);
    chosen = '0;
    for (int unsigned i = 0; i < Ways; i++) chosen |= {ElemW{which[i]}} & words[i];
  endfunction

  logic bring, take, init;
  assign {init, take, bring} = op_i;

  logic [ElemW-1:0] elem;
  assign elem = {!bring, elem_i[ElemW-2:0]};

  // Which child is smallest, which is lightest.
  logic [Ways-1:0][Ways-1:0] smaller, fewer;
  logic [Ways-1:0] smallest, lightest;
  for (genvar j = 0; j < Ways; j++) begin : gen_pair
    for (genvar i = 0; i < Ways; i++) begin : gen_with
      if (i < j) begin : gen_compare
        assign smaller[j][i] = less(child_i[j], child_i[i]);
        if (i == 0) begin : gen_sign
          assign fewer[j][i] = diff_i[j-1][DiffW-1];
        end else begin : gen_difference
          assign fewer[j][i] = $signed(diff_i[j-1]) < $signed(diff_i[i-1]);
        end
      end else begin : gen_none
        assign smaller[j][i] = 1'b0;
        assign fewer[j][i]   = 1'b0;
      end
    end
  end
  assign smallest = first_smallest(smaller);
  assign lightest = first_smallest(fewer);

  // The element with every slot and every child.
  localparam int unsigned Last = Slots - 1;
  logic [Slots-1:0] lt_slot;
  logic [Ways-1:0]  lt_child;
  for (genvar j = 0; j < Slots; j++) begin : gen_slot_compare
    assign lt_slot[j] = bring && less(elem, slots_i[j]);
  end
  for (genvar c = 0; c < Ways; c++) begin : gen_child_compare
    assign lt_child[c] = bring && less(elem, child_i[c]);
  end

  // Pop and replace: the smallest child's goes up unless the element is smaller. It is never smaller than the slots.
  logic [ElemW-1:0] least, enters;
  logic stays;
  assign least   = chosen(smallest, child_i);
  assign stays   = |(lt_child & smallest);
  assign taken_o = take && !least[ElemW-1] && !stays;
  assign enters  = taken_o ? least : elem;
  assign lose_o  = taken_o && !bring;

  // Push: what overflows, and whether it is smaller than the lightest child's smallest.
  logic [ElemW-1:0] over, light;
  logic full, ahead;
  assign full   = !slots_i[Last][ElemW-1];
  assign light  = chosen(lightest, child_i);
  assign over   = lt_slot[Last] ? slots_i[Last] : elem;
  assign ahead  = lt_slot[Last] ? less(slots_i[Last], light) : |(lt_child & lightest);
  assign gain_o = bring && !take && full;

  // The slots. Push: those behind the element move on. Otherwise those before it do, and what enters comes behind.
  for (genvar j = 0; j < Slots; j++) begin : gen_slot
    logic [ElemW-1:0] pushed, kept, word;
    if (j == 0) begin : gen_first
      assign pushed = elem;
    end else begin : gen_next
      assign pushed = lt_slot[j-1] ? slots_i[j-1] : elem;
    end
    if (j == Last) begin : gen_last
      assign kept = enters;
    end else begin : gen_inner
      assign kept = lt_slot[j+1] ? elem : slots_i[j+1];
    end
    always_comb begin
      word = slots_i[j];
      if (take && !lt_slot[j]) word = kept;
      if (bring && !take && lt_slot[j]) word = pushed;
    end
    assign slots_o[j] = {word[ElemW-1] || init, word[ElemW-2:0]};
  end

  for (genvar c = 0; c < Ways; c++) begin : gen_child
    logic [ElemW-1:0] word;
    assign word       = gain_o && ahead && lightest[c] ? over : child_i[c];
    assign child_o[c] = {word[ElemW-1] || init, word[ElemW-2:0]};
  end

  assign lt_first_o = lt_slot[0];
  assign sel_o      = take ? smallest : lightest;
  assign elem_o     = take ? elem : ahead ? light : over;

  always_comb begin
    op_o = OpNone;
    if (gain_o) op_o = light[ElemW-1] ? OpInit : OpPush;
    if (taken_o) op_o = bring ? OpReplace : OpPop;
  end

endmodule
