// One node with `Ways` children and one operation, whatever they are: the order of the heap and its elements are kept,
// and the child is the right one.
//
// This is the step of an induction over operations and levels. Assumed of the node: its slots are in order
// and filled from the first, it has children only if it is full, and they are not smaller. Assumed of an
// operation is what the level above asserts of the one it sends. Asserted of the node that comes out, with
// any smallest element from below that the assertions allow: the same; and that nothing is lost or doubled.

module plain_cmp_formal #(
  parameter int unsigned Ways = 3,
  parameter int unsigned Slots = 1,
  localparam int unsigned RankW = 3,
  localparam int unsigned IdW = 3,
  localparam int unsigned DiffW = 4,
  localparam int unsigned ElemW = 1 + RankW + IdW
) (
  input logic [1:0]                     op_i,
  input logic [ElemW-1:0]               elem_i,
  input logic [Slots-1:0][ElemW-1:0]    slots_i,
  input logic [Ways-1:0][ElemW-1:0]     child_i,
  input logic [Ways-2:0][DiffW-1:0]     diff_i,
  /// The smallest element that the parent keeps or has taken.
  input logic [RankW-1:0]               bound_i,
  /// What the level below sends for the child that was taken.
  input logic [ElemW-1:0]               below_i,
  /// An element to follow.
  input logic [IdW-1:0]                 id_i
);
  import clubheap_pkg::*;

  typedef logic [ElemW-1:0] elem_t;
  typedef logic [RankW:0] key_t;

  function automatic key_t key(elem_t e);
    return e[ElemW-1:IdW];
  endfunction
  function automatic logic none(elem_t e);
    return e[ElemW-1];
  endfunction
  function automatic logic [3:0] is(elem_t e);
    return 4'(!e[ElemW-1] && e[IdW-1:0] == id_i);
  endfunction

  logic [Slots-1:0][ElemW-1:0] slots;
  logic [Ways-1:0][ElemW-1:0] child, after;
  logic [Ways-1:0] sel;
  logic pick, taken, gain, lose, bring, take;
  elem_t elem, min, old, kept;
  op_e op;

  assign {take, bring} = op_i;

  clubheap_plain_cmp #(
    .RankW(RankW),
    .IdW  (IdW),
    .Slots(Slots),
    .Ways (Ways),
    .DiffW(DiffW)
  ) u_cmp (
    .op_i      (op_e'({1'b0, op_i})),
    .elem_i,
    .slots_i,
    .child_i,
    .diff_i,
    .slots_o   (slots),
    .child_o   (child),
    .sel_o     (sel),
    .op_o      (op),
    .elem_o    (elem),
    .lt_first_o(pick),
    .taken_o   (taken),
    .gain_o    (gain),
    .lose_o    (lose)
  );

  assign min = pick ? {1'b0, elem_i[ElemW-2:0]} : slots_i[0];

  // The chosen child's smallest, before and after; the children when the level below has answered.
  always_comb begin
    old  = '0;
    kept   = '0;
    for (int c = 0; c < Ways; c++) begin
      after[c] = taken && sel[c] ? below_i : child[c];
      if (sel[c]) old = child_i[c];
      if (sel[c]) kept = child[c];
    end
  end

  // Elements below a child, less those below the first.
  logic signed [Ways-1:0][DiffW-1:0] count;
  assign count = {diff_i, DiffW'(0)};

  logic [3:0] had, has;
  always_comb begin
    had = bring ? is(elem_i) : '0;
    has = (take ? is(min) : '0) + (op[0] ? is(elem) : '0);
    for (int j = 0; j < Slots; j++) begin
      had += is(slots_i[j]);
      has += is(slots[j]);
    end
    for (int c = 0; c < Ways; c++) begin
      had += is(child_i[c]);
      if (!(taken && sel[c])) has += is(child[c]);
    end
  end

  always_comb begin
    // The node.
    for (int j = 1; j < Slots; j++) begin
      assume (key(slots_i[j-1]) <= key(slots_i[j]));
      assume (!none(slots_i[j-1]) || none(slots_i[j]));
    end
    for (int c = 0; c < Ways; c++) begin
      assume (none(child_i[c]) || !none(slots_i[Slots-1]));
      assume (none(child_i[c]) || key(slots_i[Slots-1]) <= key(child_i[c]));
    end
    assume (none(slots_i[0]) || {1'b0, bound_i} <= key(slots_i[0]));
    // The operation.
    assume (op_i != '0);
    assume (!none(elem_i));
    assume (!bring || bound_i <= elem_i[ElemW-2:IdW]);
    // The answer from below, as it is asserted of `min` here.
    assume (none(below_i) || key(below_i) >= key(kept));

    // The child: one, the first of the smallest or of the lightest.
    assert ($onehot(sel));
    for (int c = 0; c < Ways; c++) begin
      for (int o = 0; o < Ways; o++) begin
        if (sel[c] && o != c && take && !none(child_i[o])) begin
          assert (key(child_i[c]) < key(child_i[o]) || (c < o && key(child_i[c]) == key(child_i[o])));
        end
        if (sel[c] && o != c && !take) begin
          assert ($signed(count[c]) < $signed(count[o]) || (c < o && count[c] == count[o]));
        end
      end
    end
    assert (gain == (op_i == 2'b01 && !none(slots_i[Slots-1])));
    assert (lose == (taken && !bring));
    // Order in the node, and towards its children.
    for (int j = 1; j < Slots; j++) begin
      assert (none(slots[j]) || (!none(slots[j-1]) && key(slots[j-1]) <= key(slots[j])));
    end
    for (int c = 0; c < Ways; c++) begin
      assert (none(after[c]) || !none(slots[Slots-1]));
      assert (none(after[c]) || key(slots[Slots-1]) <= key(after[c]));
    end
    // Towards the parent: what it gets is the smallest of what is here, and not below its bound.
    if (take) begin
      assert (none(min) || key(min) >= {1'b0, bound_i});
      assert (none(slots[0]) || (!none(min) && key(min) <= key(slots[0])));
    end
    // The operation for the child: the element is not below what the child keeps here, or had here.
    if (op[0]) begin
      assert (!none(elem));
      assert (!none(op[1] ? old : kept));
      assert (key(elem) >= key(op[1] ? old : kept));
    end
    // Nothing is lost or doubled.
    assert (had == has);
  end

endmodule
