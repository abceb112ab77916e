// RPU-BMW: a priority queue that is a balanced multi-way tree, one memory and one processing unit to a level.
//
// What the sources say: BMW-Tree is "an insertion-balanced multi-way heap" (clubheap §2.2), R-BMW its form in
// registers, RPU-BMW the scalable one with SRAM; RPU-BMW takes a push every 2 cycles, a pop and a replace every 3
// (clubheap §1, Table 1), and computes the address of a child from its parent's (§4.4). The 4-way tree is the one that
// clubheap §6 measures. A node's places each have an element, a counter and a subtree (thesis Fig. 4.8); no logical
// partitions (thesis §4.4.1). Thesis §4.6.2 counts 1 cycle for an enqueue and 2 for a dequeue, without saying of which
// form. The paper of BMW-Tree itself is not followed further: the pipeline is chosen here so that it takes exactly
// these cycles (see bmw_level). All nodes of a level share its unit; the root is in registers.
//
// What is chosen: a replace takes the smallest and lets the new element sink in its subtree, so no counter changes;
// a count leaves out the place's own element, so its width is that of what is below, and none on the last level.
//
// Golden model: `forebay_pifo::BmwTree`, equal ranks included, as long as there is no replace; with replaces, the same
// ranks leave (the Rust type pops and pushes, so the new element may wait elsewhere).
//
// Timing: an operation is taken at an edge with `valid_i` and `ready_o`; `ready_o` is then low for one cycle after a
// push, two after a pop or a replace. The response is there 2 cycles after the operation.
//
//   push 1, pop 0: `rsp_pushed_o` unless all places are in use.
//   push 0, pop 1: `rsp_popped_o` with rank and data unless the tree is empty.
//   push 1, pop 1: replace: the smallest leaves, then the new element comes; on an empty tree, a push.

module bmw #(
  /// Places of a node; a power of two from 2 to 16.
  parameter int unsigned Ways   = 4,
  /// At least 1, with Ways^Levels at most 2^20; the tree holds Ways + Ways^2 + ... + Ways^Levels elements.
  parameter int unsigned Levels = 6,
  /// Bits of a rank, at least 1. Smaller ranks leave first.
  parameter int unsigned RankW  = 16,
  /// Bits of the data of an element, at least 1.
  parameter int unsigned DataW  = 32,
  localparam int unsigned CountW = $clog2(bmw_pkg::capacity(Ways, Levels) + 1)
) (
  input  logic              clk_i,
  /// Synchronous, active high.
  input  logic              rst_i,

  input  logic              valid_i,
  output logic              ready_o,
  input  logic              push_i,
  input  logic              pop_i,
  input  logic [RankW-1:0]  rank_i,
  input  logic [DataW-1:0]  data_i,

  output logic              rsp_valid_o,
  output logic              rsp_pushed_o,
  output logic              rsp_popped_o,
  output logic [RankW-1:0]  rsp_rank_o,
  output logic [DataW-1:0]  rsp_data_o,

  /// Elements; an operation counts from the cycle after it is taken.
  output logic [CountW-1:0] count_o,
  output logic              full_o,
  output logic              empty_o
);
  import bmw_pkg::*;

  if (!parameter_pkg::power_of_two("bmw: Ways", Ways, 2, 16)) begin : gen_check_ways
    $error("bmw: Ways is out of range");
  end
  localparam int unsigned MostLevels = 20 / parameter_pkg::index_width(Ways);
  if (!parameter_pkg::in_range("bmw: Levels", Levels, 1, MostLevels)) begin : gen_check_levels
    $error("bmw: Levels is out of range");
  end
  if (!parameter_pkg::at_least("bmw: RankW", RankW, 1)) begin : gen_check_rankw
    $error("bmw: RankW is out of range");
  end
  if (!parameter_pkg::at_least("bmw: DataW", DataW, 1)) begin : gen_check_dataw
    $error("bmw: DataW is out of range");
  end

  localparam int unsigned ElemW = RankW + DataW;
  localparam int unsigned AddrW = parameter_pkg::index_width(nodes(Ways, Levels + 1));

  // What is taken, and the cycles until the next.
  logic       taken, pops, pushes;
  logic [1:0] wait_q;

  assign ready_o = wait_q == 2'd0;
  assign taken   = valid_i && ready_o;
  assign pops    = taken && pop_i && !empty_o;
  assign pushes  = taken && push_i && (pops || !full_o);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wait_q  <= 2'd0;
      count_o <= '0;
      full_o  <= 1'b0;
      empty_o <= 1'b1;
    end else begin
      if (taken) wait_q <= pop_i ? 2'd2 : 2'd1;
      else if (wait_q != 2'd0) wait_q <= wait_q - 2'd1;
      if (pushes && !pops) begin
        count_o <= count_o + 1'b1;
        full_o  <= count_o == CountW'(capacity(Ways, Levels) - 1);
        empty_o <= 1'b0;
      end
      if (pops && !pushes) begin
        count_o <= count_o - 1'b1;
        full_o  <= 1'b0;
        empty_o <= count_o == CountW'(1);
      end
    end
  end

  // Index l goes from level l to level l + 1; the outside is level 0.
  op_e              op   [Levels+1];
  logic [ElemW-1:0] elem [Levels+1];
  logic [AddrW-1:0] addr [Levels+1];
  logic             fresh[Levels+1];
  logic [ElemW-1:0] up   [Levels+2];

  assign op[0]        = op_e'({pops, pushes});
  assign elem[0]      = {rank_i, data_i};
  assign addr[0]      = '0;
  assign fresh[0]     = 1'b0;
  assign up[Levels+1] = '0;

  for (genvar l = 1; l <= Levels; l++) begin : gen_level
    localparam int unsigned Nodes = nodes(Ways, l);
    localparam int unsigned ChildW = parameter_pkg::index_width(Nodes * Ways);
    logic [ChildW-1:0] child;

    bmw_level #(
      .Ways  (Ways),
      .RankW (RankW),
      .DataW (DataW),
      .BelowW(below_width(Ways, Levels, l)),
      .Nodes (Nodes),
      .Root  (l == 1),
      .Leaf  (l == Levels)
    ) u_level (
      .clk_i,
      .rst_i,
      .op_i   (op[l-1]),
      .elem_i (elem[l-1]),
      .addr_i (addr[l-1][parameter_pkg::index_width(Nodes)-1:0]),
      .fresh_i(fresh[l-1]),
      .up_o   (up[l]),
      .op_o   (op[l]),
      .elem_o (elem[l]),
      .addr_o (child),
      .fresh_o(fresh[l]),
      .up_i   (up[l+1])
    );
    assign addr[l] = AddrW'(child);
  end

  // The response.
  logic c_valid_q, c_pushed_q, c_popped_q;

  always_ff @(posedge clk_i) begin
    c_valid_q    <= taken && !rst_i;
    c_pushed_q   <= pushes;
    c_popped_q   <= pops;
    rsp_valid_o  <= c_valid_q && !rst_i;
    rsp_pushed_o <= c_pushed_q;
    rsp_popped_o <= c_popped_q;
    {rsp_rank_o, rsp_data_o} <= up[1];
  end

`ifndef SYNTHESIS
  cover_full : cover property (@(posedge clk_i) taken && push_i && !pop_i && full_o);
  cover_full_replace : cover property (@(posedge clk_i) taken && push_i && pop_i && full_o);
  cover_empty : cover property (@(posedge clk_i) taken && pop_i && !push_i && empty_o);
  cover_empty_replace : cover property (@(posedge clk_i) taken && pop_i && push_i && empty_o);
  queue_checks #(
    .Latency (2),
    .Capacity(capacity(Ways, Levels)),
    .RankW   (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (taken),
    .push_i,
    .pop_i,
    .last_i      (1'b0),
    .pop_part_i  (1'b0),
    .push_part_i (1'b0),
    .rank_i,
    .rsp_valid_i (rsp_valid_o),
    .rsp_pushed_i(rsp_pushed_o),
    .rsp_popped_i(rsp_popped_o),
    .rsp_rank_i  (rsp_rank_o)
  );
`endif

endmodule
