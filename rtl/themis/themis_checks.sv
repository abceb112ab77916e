// What the two-tier queue promises, asserted while it is simulated; outside synthesis.
//
//   latency       an operation is answered exactly `Latency` cycles after it was taken, and nothing else is answered;
//   conservation  no element leaves an empty tier, nothing is found empty that holds something, there are never more
//                 than `Capacity`, and an enqueue is refused only when at least `FullFrom` are held; a swap adds to
//                 one tier what it takes from the other;
//   equal ranks   elements of a rank that leave at the front leave in the order in which they came, until an enqueue is
//                 answered `Ahead`; and the queue's own choice of a tier never is.
module themis_checks #(
  parameter int unsigned Latency = 10,
  parameter int unsigned Capacity = 16,
  parameter int unsigned FullFrom = Capacity,
  parameter int unsigned RankW = 6,
  parameter int unsigned SlotW = 5
) (
  input logic                             clk_i,
  input logic                             rst_i,
  // An operation is taken; an enqueue has this slot.
  input logic                             valid_i,
  input themis_pkg::op_e                  op_i,
  input logic                             store_i,
  input logic                [ SlotW-1:0] store_slot_i,
  // It is answered.
  input logic                             rsp_valid_i,
  input themis_pkg::status_e              rsp_status_i,
  input logic                             rsp_far_i,
  input logic                [ RankW-1:0] rsp_rank_i,
  input logic                [ SlotW-1:0] rsp_slot_i
);
`ifndef SYNTHESIS
  typedef struct packed {
    logic valid;
    themis_pkg::op_e op;
  } op_t;

  op_t [Latency-1:0] ops_q;
  op_t op;
  assign op = ops_q[Latency-1];
  always_ff @(posedge clk_i) begin
    ops_q[0] <= '{valid_i && !rst_i, op_i};
    for (int unsigned i = 1; i < Latency; i++) ops_q[i] <= rst_i ? '0 : ops_q[i-1];
  end

  logic enqueue, drop, swap, done, wants_far, wants_both;
  assign enqueue    = op.op inside {themis_pkg::Enqueue, themis_pkg::EnqueueNear, themis_pkg::EnqueueFar};
  assign drop       = op.op inside {themis_pkg::Dequeue, themis_pkg::DropLargest};
  assign swap       = op.op inside {themis_pkg::SwapOut, themis_pkg::SwapIn};
  assign done       = op.valid && rsp_status_i inside {themis_pkg::Done, themis_pkg::Ahead};
  assign wants_far  = op.op == themis_pkg::SwapIn;
  assign wants_both = op.op == themis_pkg::Dequeue;

  // Elements of each tier; when each slot was filled, and when the last that left a rank's front was.
  int unsigned held_q[2];
  longint unsigned now_q;
  longint unsigned came_q[2**SlotW];
  longint unsigned left_q[2**RankW];
  logic overtaken_q;

  always_ff @(posedge clk_i) begin
    now_q <= rst_i ? 1 : now_q + 1;
    if (store_i) came_q[store_slot_i] <= now_q;
    if (rst_i) begin
      held_q[0]   <= 0;
      held_q[1]   <= 0;
      overtaken_q <= 1'b0;
      for (int unsigned r = 0; r < 2 ** RankW; r++) left_q[r] <= 0;
    end else if (done) begin
      if (enqueue) held_q[rsp_far_i] <= held_q[rsp_far_i] + 1;
      else held_q[rsp_far_i] <= held_q[rsp_far_i] - 1;
      if (swap) held_q[~rsp_far_i] <= held_q[~rsp_far_i] + 1;
      if (rsp_status_i == themis_pkg::Ahead) overtaken_q <= 1'b1;
      if (op.op == themis_pkg::Dequeue) left_q[rsp_rank_i] <= came_q[rsp_slot_i];
    end
  end

  assert property (@(posedge clk_i) disable iff (rst_i) rsp_valid_i == op.valid)
  else $error("%m: an answer that does not come %0d cycles after its operation", Latency);
  assert property (@(posedge clk_i) disable iff (rst_i) done |-> enqueue || drop || swap)
  else $error("%m: what is no operation did something");
  assert property (@(posedge clk_i) disable iff (rst_i) done && !enqueue |-> held_q[rsp_far_i] != 0)
  else $error("%m: an element leaves a tier and none was there");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && rsp_status_i == themis_pkg::Empty && wants_both |-> held_q[0] + held_q[1] == 0)
  else $error("%m: elements wait and none leaves");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && rsp_status_i == themis_pkg::Empty && !wants_both |-> held_q[wants_far] == 0)
  else $error("%m: elements wait in the tier and none is found");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   done && !enqueue && !wants_both |-> rsp_far_i == wants_far)
  else $error("%m: an element of the other tier is taken");
  assert property (@(posedge clk_i) disable iff (rst_i) done && enqueue |-> held_q[0] + held_q[1] < Capacity)
  else $error("%m: more elements than there are places");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && enqueue && !done |-> held_q[0] + held_q[1] >= FullFrom)
  else $error("%m: an enqueue is refused and there is a place");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   op.valid && rsp_status_i == themis_pkg::Ahead |-> op.op == themis_pkg::EnqueueNear && !rsp_far_i)
  else $error("%m: what should not overtake did");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   done && op.op == themis_pkg::Dequeue && !overtaken_q |-> came_q[rsp_slot_i] > left_q[rsp_rank_i])
  else $error("%m: equal ranks leave in another order than they came in");
`else
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_i, valid_i, op_i, store_i, store_slot_i, rsp_valid_i, rsp_status_i, rsp_far_i,
                           rsp_rank_i, rsp_slot_i};
`endif
endmodule
