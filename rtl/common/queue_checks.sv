// What every priority queue here promises, asserted while it is simulated: the cycle of each answer, that elements are
// neither lost nor invented, and order. It is instantiated by the cores, outside synthesis.
//
//   latency       an operation is answered exactly `Latency` cycles after it was taken, and nothing else is answered;
//   conservation  no element leaves an empty partition, none is refused by one that holds something, and there are
//                 never more than `Capacity`; a push is refused only when at least `FullFrom` are held;
//   order         nothing leaves below what had already left at the lower end, unless it came later, nor above what
//                 had left at the upper end. Two numbers for each partition say this, however many elements there are.
//
// An operation takes, then adds. A core whose answers come in the cycle of the operation has `Latency` = 0.
module queue_checks #(
  parameter int unsigned Latency = 4,
  parameter int unsigned Capacity = 16,
  parameter int unsigned FullFrom = Capacity,
  parameter int unsigned Partitions = 1,
  parameter int unsigned RankW = 8,
  /// The smallest element leaves, whatever it is; otherwise order and who may be refused are not looked at.
  parameter bit Ordered = 1'b1,
  localparam int unsigned PartW = parameter_pkg::index_width(Partitions)
) (
  input logic             clk_i,
  input logic             rst_i,
  // An operation is taken.
  input logic             valid_i,
  input logic             push_i,
  input logic             pop_i,
  /// Pop: at the upper end.
  input logic             last_i,
  input logic [PartW-1:0] pop_part_i,
  input logic [PartW-1:0] push_part_i,
  input logic [RankW-1:0] rank_i,
  // It is answered.
  input logic             rsp_valid_i,
  input logic             rsp_pushed_i,
  input logic             rsp_popped_i,
  input logic [RankW-1:0] rsp_rank_i
);
`ifndef SYNTHESIS
  typedef struct packed {
    logic             valid, push, pop, last;
    logic [PartW-1:0] from, to;
    logic [RankW-1:0] rank;
  } op_t;

  op_t now, op;
  assign now = '{valid_i && !rst_i, push_i, pop_i, last_i, pop_part_i, push_part_i, rank_i};
  if (Latency == 0) begin : gen_at_once
    assign op = now;
  end else begin : gen_later
    op_t [Latency-1:0] ops_q;
    always_ff @(posedge clk_i) begin
      ops_q[0] <= now;
      for (int unsigned i = 1; i < Latency; i++) ops_q[i] <= rst_i ? '0 : ops_q[i-1];
    end
    assign op = ops_q[Latency-1];
  end

  int unsigned total_q, held_q[Partitions];
  logic [RankW-1:0] floor_q[Partitions], ceiling_q[Partitions];
  logic pushed, popped, to_empty;
  logic [RankW-1:0] floor, ceiling;
  assign pushed = op.valid && rsp_pushed_i && 32'(op.to) < Partitions;
  assign popped = op.valid && rsp_popped_i && 32'(op.from) < Partitions;

  // Where the pushed element comes, after the removal.
  always_comb begin
    to_empty = held_q[op.to] == 32'(popped && op.from == op.to);
    floor    = floor_q[op.to];
    ceiling  = ceiling_q[op.to];
    if (popped && op.from == op.to) begin
      if (op.last) ceiling = rsp_rank_i;
      else floor = rsp_rank_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      total_q <= 0;
      for (int unsigned p = 0; p < Partitions; p++) held_q[p] <= 0;
    end else begin
      total_q <= total_q + 32'(pushed) - 32'(popped);
      if (popped) begin
        held_q[op.from] <= held_q[op.from] - 1;
        if (op.last) ceiling_q[op.from] <= rsp_rank_i;
        else floor_q[op.from] <= rsp_rank_i;
      end
      if (pushed) begin
        held_q[op.to]    <= held_q[op.to] + 32'(!(popped && op.from == op.to));
        floor_q[op.to]   <= to_empty || op.rank < floor ? op.rank : floor;
        ceiling_q[op.to] <= to_empty || op.rank > ceiling ? op.rank : ceiling;
      end
    end
  end

  assert property (@(posedge clk_i) disable iff (rst_i) rsp_valid_i == op.valid)
  else $error("%m: an answer that does not come %0d cycles after its operation", Latency);
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && rsp_pushed_i |-> op.push && 32'(op.to) < Partitions)
  else $error("%m: an element is added that nobody pushed");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && rsp_popped_i |-> op.pop && 32'(op.from) < Partitions)
  else $error("%m: an element leaves that nobody asked for");
  assert property (@(posedge clk_i) disable iff (rst_i) pushed && !popped |-> total_q < Capacity)
  else $error("%m: more elements than there are places");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && op.push && !pushed && 32'(op.to) < Partitions |-> total_q >= FullFrom)
  else $error("%m: a push is refused and there is a place");
  assert property (@(posedge clk_i) disable iff (rst_i) popped |-> held_q[op.from] != 0)
  else $error("%m: an element leaves and none was there");
  if (Ordered) begin : gen_ordered
    assert property (@(posedge clk_i) disable iff (rst_i)
                     op.valid && op.pop && 32'(op.from) < Partitions && held_q[op.from] != 0 |-> popped)
    else $error("%m: elements wait and none leaves");
    assert property (@(posedge clk_i) disable iff (rst_i) popped |-> rsp_rank_i >= floor_q[op.from])
    else $error("%m: a rank below one that has left, or below all that are here");
    assert property (@(posedge clk_i) disable iff (rst_i) popped |-> rsp_rank_i <= ceiling_q[op.from])
    else $error("%m: a rank above one that has left, or above all that are here");
  end
`else
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_i, valid_i, push_i, pop_i, last_i, pop_part_i, push_part_i, rank_i, rsp_valid_i,
                           rsp_pushed_i, rsp_popped_i, rsp_rank_i};
`endif
endmodule
