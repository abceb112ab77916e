// One level of BMW-Tree: the nodes in one memory and the processing unit that they share.
//
// In cycle c - 1 an operation and the address of its node arrive, combinationally from the level above, and the memory
// is read. In cycle c the unit finds the place. A push is written at once. What a pop or a replace takes goes up at
// once; the place that it leaves is written in c + 1, with what the level below sends up in that cycle. So the next
// operation may arrive in c + 1 after a push and in c + 2 after the others, and nothing is ever forwarded. The memory's
// output is held meanwhile.
//
// No memory is initialized: who brings the first element to a node says so (`fresh`), and it is taken as empty.

module bmw_level #(
  /// Places of a node; a power of two.
  parameter int unsigned Ways = 4,
  parameter int unsigned RankW = 16,
  parameter int unsigned DataW = 32,
  /// Bits of the count of what is below a place.
  parameter int unsigned BelowW = 8,
  parameter int unsigned Nodes = 4,
  /// The only node is in registers, and is emptied by reset.
  parameter bit Root = 1'b0,
  /// There is no level below.
  parameter bit Leaf = 1'b0,
  localparam int unsigned ElemW = RankW + DataW,
  localparam int unsigned AddrW = parameter_pkg::index_width(Nodes),
  localparam int unsigned ChildW = parameter_pkg::index_width(Nodes * Ways)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  /// In c - 1, from above.
  input  bmw_pkg::op_e      op_i,
  input  logic [ElemW-1:0]  elem_i,
  input  logic [AddrW-1:0]  addr_i,
  input  logic              fresh_i,
  /// In c, to above: what leaves this subtree.
  output logic [ElemW-1:0]  up_o,
  /// In c, to below.
  output bmw_pkg::op_e      op_o,
  output logic [ElemW-1:0]  elem_o,
  output logic [ChildW-1:0] addr_o,
  output logic              fresh_o,
  /// In c + 1, from below.
  input  logic [ElemW-1:0]  up_i
);
  import bmw_pkg::*;

  typedef struct packed {
    logic              some;   // there is an element
    logic [BelowW-1:0] below;  // elements in the subtree, without it
    logic [RankW-1:0]  rank;
    logic [DataW-1:0]  data;
  } place_t;
  // The last level has no counts.
  localparam int unsigned PlaceW = 1 + ElemW + (Leaf ? 0 : BelowW);

  op_e              op_q;
  logic [ElemW-1:0] elem_q;
  logic [AddrW-1:0] addr_q;
  logic             fresh_q;

  always_ff @(posedge clk_i) begin
    op_q <= rst_i ? OpNone : op_i;
    if (op_i != OpNone) begin
      elem_q  <= elem_i;
      addr_q  <= addr_i;
      fresh_q <= fresh_i;
    end
  end

  // The memory.
  logic                        write;
  logic [Ways-1:0][PlaceW-1:0] word, word_next;

  if (Root) begin : gen_registers
    logic [Ways-1:0][PlaceW-1:0] root_q;
    always_ff @(posedge clk_i) begin
      if (write) root_q <= word_next;
      if (rst_i) begin
        for (int unsigned i = 0; i < Ways; i++) root_q[i][PlaceW-1] <= 1'b0;
        if (!Leaf) for (int unsigned i = 0; i < Ways; i++) root_q[i][ElemW+:BelowW] <= '0;
      end
    end
    assign word = root_q;
  end else begin : gen_memory
    ram_1r1w #(
      .Width(Ways * PlaceW),
      .Depth(Nodes)
    ) u_ram (
      .clk_i,
      .we_i   (write),
      .waddr_i(addr_q),
      .wdata_i(word_next),
      .re_i   (op_i != OpNone),
      .raddr_i(addr_i),
      .rdata_o(word)
    );
  end

  place_t [Ways-1:0]             node, node_next;
  logic [Ways-1:0]               some;
  logic [Ways-1:0][BelowW-1:0]   below;
  logic [Ways-1:0][RankW-1:0]    rank;

  for (genvar i = 0; i < Ways; i++) begin : gen_place
    assign node[i].some  = word[i][PlaceW-1] && !fresh_q;
    assign node[i].rank  = word[i][ElemW-1-:RankW];
    assign node[i].data  = word[i][DataW-1:0];
    assign some[i]       = node[i].some;
    assign below[i]      = node[i].below;
    assign rank[i]       = node[i].rank;
    if (Leaf) begin : gen_leaf
      assign node[i].below = '0;
      assign word_next[i]  = {node_next[i].some, node_next[i].rank, node_next[i].data};
    end else begin : gen_inner
      assign node[i].below = fresh_q ? '0 : word[i][ElemW+:BelowW];
      assign word_next[i]  = node_next[i];
    end
  end

  // Cycle c.
  logic            take, bring, less, passes, has, second_q, has_q, bring_q;
  logic [Ways-1:0] at, at_q;
  place_t          found;

  assign {take, bring} = op_q;

  bmw_node #(
    .Ways(Ways),
    .RankW(RankW),
    .BelowW(BelowW)
  ) u_node (
    .some_i    (some),
    .below_i   (below),
    .rank_i    (rank),
    .new_rank_i(elem_q[ElemW-1-:RankW]),
    .take_i    (take),
    .place_o   (at),
    .less_o    (less)
  );

  always_comb begin
    found = '0;
    for (int unsigned i = 0; i < Ways; i++) if (at[i]) found |= node[i];
  end

  assign has    = found.below != '0;
  // A replace's new element is smaller than all of this subtree: it fills the place above, and all stays.
  assign passes = !Root && bring && less;
  assign up_o   = passes ? elem_q : {found.rank, found.data};

  always_comb begin
    op_o = OpNone;
    if (take && has && !passes) op_o = bring ? OpReplace : OpPop;
    if (op_q == OpPush && found.some) op_o = OpPush;
    elem_o  = !take && less ? {found.rank, found.data} : elem_q;
    fresh_o = !take && !has;
    addr_o  = ChildW'(addr_q) << $clog2(Ways);
    for (int unsigned i = 0; i < Ways; i++) if (at[i]) addr_o |= ChildW'(i);
  end

  // Cycle c + 1 of a pop or replace.
  always_ff @(posedge clk_i) begin
    second_q <= take && !passes && !rst_i;
    at_q     <= at;
    has_q    <= has;
    bring_q  <= bring;
  end

  assign write = op_q == OpPush || second_q;

  for (genvar i = 0; i < Ways; i++) begin : gen_next
    always_comb begin
      node_next[i] = node[i];
      if (second_q && at_q[i]) begin
        node_next[i].some  = has_q || bring_q;
        node_next[i].below = node[i].below - BelowW'(has_q && !bring_q);
        {node_next[i].rank, node_next[i].data} = has_q ? up_i : elem_q;
      end
      if (!second_q && at[i]) begin
        node_next[i].some  = 1'b1;
        node_next[i].below = node[i].below + BelowW'(node[i].some);
        if (!node[i].some || less) {node_next[i].rank, node_next[i].data} = elem_q;
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op_i != OpNone |-> op_q == OpNone && !second_q)
  else $error("bmw: an operation came before the one ahead was written");
  if (!Leaf) begin : gen_cover
    cover_swap : cover property (@(posedge clk_i) op_q == OpPush && found.some && less);
    cover_fresh : cover property (@(posedge clk_i) op_o == OpPush && fresh_o);
    cover_pop_alone : cover property (@(posedge clk_i) op_q == OpPop && !has);
    cover_replace_below : cover property (@(posedge clk_i) op_q == OpReplace && op_o == OpReplace);
    if (!Root) begin : gen_passes
      cover_passes : cover property (@(posedge clk_i) op_q == OpReplace && passes);
    end
  end
`endif

endmodule
