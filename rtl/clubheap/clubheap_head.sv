// What is above the roots: the smallest element of every logical PIFO, and whether an operation is done.
//
// Source: clubheap §4.2 (1), which keeps the smallest of a cluster in the parent; a root has no parent,
// so it is kept here. Popping is therefore one look, and the same two rules as between levels apply: a
// push leaves the smaller element here, and what was taken is sent by level 1 in the next cycle.
//
// A push to a full heap and a pop of an empty logical PIFO change nothing and say so. A replace of an
// empty PIFO is a push. An operation on a PIFO that does not exist is answered in the same way, as one that did nothing.
// After reset the memory is emptied, M cycles in which no operation is taken.

module clubheap_head #(
  parameter int unsigned RankW      = 16,
  parameter int unsigned IdW        = 12,
  /// N.
  parameter int unsigned Capacity   = 4094,
  /// M.
  parameter int unsigned Partitions = 1,
  /// Memories of so many words are made of LUTs.
  parameter int unsigned LutRamPairs = 32,
  localparam int unsigned ElemW = 1 + RankW + IdW,
  localparam int unsigned PartW = parameter_pkg::index_width(Partitions),
  localparam int unsigned CountW = $clog2(Capacity + 1)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  /// The operation; taken when both are high.
  input  logic              valid_i,
  output logic              ready_o,
  input  logic              push_i,
  input  logic              pop_i,
  input  logic [PartW-1:0]  part_i,
  input  logic [RankW-1:0]  rank_i,
  /// One cycle later, stage C: the number that the element gets, and whether it is used.
  input  logic [IdW-1:0]    free_id_i,
  output logic              brings_o,
  output logic              pushed_o,
  output logic              popped_o,
  output logic              valid_o,
  output logic [ElemW-1:0]  popped_elem_o,
  /// To level 1, in stage C.
  output clubheap_pkg::op_e op_o,
  output logic [ElemW-1:0]  elem_o,
  output logic [PartW-1:0]  part_o,
  /// From level 1, in stage W.
  input  logic [1:0][ElemW-1:0] min_i,
  input  logic              pick_i,
  /// Elements in all PIFOs, after the operations up to stage C.
  output logic [CountW-1:0] count_o,
  output logic              full_o,
  output logic              empty_o
);
  import clubheap_pkg::*;

  // Emptying after reset.
  logic             sweep_q;
  logic [PartW-1:0] sweep_at_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      sweep_q    <= 1'b1;
      sweep_at_q <= '0;
    end else if (sweep_q) begin
      sweep_q    <= sweep_at_q != PartW'(Partitions - 1);
      sweep_at_q <= sweep_at_q + 1'b1;
    end
  end
  assign ready_o = !sweep_q;

  // Stage C.
  logic             legal, c_valid_q, c_act_q, c_push_q, c_pop_q;
  logic [PartW-1:0] c_part_q;
  logic [RankW-1:0] c_rank_q;

  assign legal = 32'(part_i) < Partitions;
  always_ff @(posedge clk_i) begin
    c_valid_q <= valid_i && ready_o && !rst_i;
    c_act_q   <= valid_i && ready_o && !rst_i && legal;
    c_push_q  <= push_i && valid_i && ready_o && !rst_i && legal;
    c_pop_q   <= pop_i && valid_i && ready_o && !rst_i && legal;
    c_part_q  <= part_i;
    c_rank_q  <= rank_i;
  end

  // Stage W.
  logic             w_we_q, w_taken_q;
  logic [PartW-1:0] w_part_q;
  logic [ElemW-1:0] w_head_q, w_head, read, head, head_next;
  logic             forward, forward_next;

  assign w_head = !w_taken_q ? w_head_q : pick_i ? min_i[1] : min_i[0];

  clubheap_fetch #(
    .NodeW   (ElemW),
    .Pairs   (Partitions),
    .Siblings(1),
    .Read    (Partitions <= LutRamPairs ? ReadLutRam : ReadPaper),
    .Quads   (1'b0)
  ) u_fetch (
    .clk_i,
    .rst_i,
    .row_i    ('0),
    .pair_i   (part_i),
    .c_we_i   (c_act_q),
    .c_pair_i (c_part_q),
    .valid_i  (c_act_q),
    .c_sel_i  (1'b0),
    .c_node_i (head_next),
    .sel_i    (1'b0),
    .w_we_i   (w_we_q),
    .w_pair_i (w_part_q),
    .w_sel_i  (1'b0),
    .w_node_i (w_head),
    .w_kept_i (w_head_q),
    .node_o   (read),
    .forward_o(forward),
    .forward_next_o(forward_next)
  );
  logic unused_forward;
  assign unused_forward = forward_next;
  assign head = forward && w_taken_q ? w_head : read;

  logic [ElemW-1:0] elem;
  logic some, pushed, popped, ahead, gains, loses;
  assign elem   = {1'b0, c_rank_q, free_id_i};
  assign some   = !head[ElemW-1];

  // Both candidates for the smallest are compared while level 1 decides, as in clubheap_cmp.
  function automatic logic less(logic [ElemW-1:0] a, logic [ElemW-1:0] b);
    return a[ElemW-1:IdW] < b[ElemW-1:IdW];
  endfunction
  logic lt_kept;
  assign lt_kept = less(elem, read);
  always_comb begin
    ahead = lt_kept;
    if (forward && w_taken_q) ahead = pick_i ? less(elem, min_i[1]) : less(elem, min_i[0]);
  end

  assign popped = c_pop_q && some;
  assign pushed = c_push_q && (popped || !full_o);
  assign gains  = pushed && !popped;
  assign loses  = popped && !c_push_q;

  assign head_next = gains && ahead ? elem : head;

  always_comb begin
    op_o = OpNone;
    if (gains) op_o = some ? OpPush : OpInit;
    if (popped) op_o = pushed ? OpReplace : OpPop;
  end
  assign elem_o = gains && ahead ? head : elem;
  assign part_o = c_part_q;

  always_ff @(posedge clk_i) begin
    w_we_q    <= (c_act_q || sweep_q) && !rst_i;
    w_taken_q <= popped && !rst_i;
    w_part_q  <= sweep_q ? sweep_at_q : c_part_q;
    w_head_q  <= head_next;
    if (sweep_q) w_head_q[ElemW-1] <= 1'b1;
  end

  // Elements in all. Whether that is the capacity is known a cycle ahead.
  logic [CountW-1:0] count_q;
  logic              full_q, almost_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q  <= '0;
      full_q   <= 1'b0;
      almost_q <= Capacity == 1;
    end else begin
      if (gains) count_q <= count_q + 1'b1;
      if (loses) count_q <= count_q - 1'b1;
      if (gains) begin
        full_q   <= almost_q;
        almost_q <= count_q == CountW'(Capacity - 2);
      end else if (loses) begin
        full_q   <= 1'b0;
        almost_q <= full_q;
      end
    end
  end

`ifndef SYNTHESIS
  cover_full : cover property (@(posedge clk_i) c_push_q && !c_pop_q && full_q);
  cover_full_replace : cover property (@(posedge clk_i) c_push_q && popped && full_q);
  cover_full_replace_empty : cover property (@(posedge clk_i) c_push_q && c_pop_q && !popped && full_q);
  cover_empty : cover property (@(posedge clk_i) c_pop_q && !popped);
  if (Partitions < 2 ** PartW) begin : gen_illegal
    cover_no_such_part : cover property (@(posedge clk_i) c_valid_q && !c_act_q);
  end
  assert property (@(posedge clk_i) disable iff (rst_i) c_valid_q && !c_act_q |-> !pushed && !popped && op_o == OpNone)
  else $error("clubheap: an operation on a PIFO that does not exist");
  cover_replace_empty : cover property (@(posedge clk_i) pushed && c_pop_q && !popped);
`endif

  assign count_o       = count_q;
  assign full_o        = full_q;
  assign empty_o       = count_q == '0;
  assign valid_o       = c_valid_q;
  assign brings_o      = c_push_q;
  assign pushed_o      = pushed;
  assign popped_o      = popped;
  assign popped_elem_o = head;

endmodule
