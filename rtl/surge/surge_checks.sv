// What `surge` promises, asserted while it is simulated. Ranks are checked by the BBQ's own `queue_checks`.
//
//   latency       a request is answered exactly `Latency` cycles after it was taken, nothing else is; a drop comes a
//                 cycle later than that after an arrival, and only after one
//   conservation  what arrives is served, dropped or waits: never more than `Capacity`, none dropped while there is
//                 room, none said to wait while none does, and none found where none waits
//   order         of two requests without an arrival between them the second finds no smaller rank; what is served
//                 after a drop has no larger rank than what was dropped
module surge_checks #(
  parameter int unsigned Latency = 24,
  parameter int unsigned Capacity = 1024,
  parameter int unsigned RankW = 9,
  parameter int unsigned CountW = 11
) (
  input logic              clk_i,
  input logic              rst_i,
  // Taken.
  input logic              arrives_i,
  input logic              serves_i,
  input logic [CountW-1:0] count_i,
  // Answered.
  input logic              srv_valid_i,
  input logic              srv_found_i,
  input logic [ RankW-1:0] srv_rank_i,
  input logic              drop_valid_i,
  input logic [ RankW-1:0] drop_rank_i
);
`ifndef SYNTHESIS
  logic [Latency:0] arrives_q, serves_q;
  logic [CountW-1:0] count_q[Latency+1];
  // Those that wait, as the answers have it, before what this cycle answers.
  int unsigned waiting_q;
  logic arrives, serves, may_drop, found, served_before_q, dropped_before_q;
  logic [RankW-1:0] served_rank_q, dropped_rank_q;
  assign arrives  = arrives_q[Latency-1];
  assign serves   = serves_q[Latency-1];
  assign may_drop = arrives_q[Latency];
  assign found    = srv_valid_i && srv_found_i;

  always_ff @(posedge clk_i) begin
    arrives_q  <= rst_i ? '0 : {arrives_q[Latency-1:0], arrives_i};
    serves_q   <= rst_i ? '0 : {serves_q[Latency-1:0], serves_i};
    count_q[0] <= count_i;
    for (int unsigned i = 1; i <= Latency; i++) count_q[i] <= count_q[i-1];
    waiting_q        <= waiting_q + 32'(arrives) - 32'(found) - 32'(drop_valid_i);
    // Whether a request was answered in the cycle before, with nothing in between.
    served_before_q  <= found && !arrives;
    served_rank_q    <= srv_rank_i;
    dropped_before_q <= drop_valid_i;
    dropped_rank_q   <= drop_rank_i;
    if (rst_i) begin
      waiting_q        <= 0;
      served_before_q  <= 1'b0;
      dropped_before_q <= 1'b0;
    end
  end

  assert property (@(posedge clk_i) disable iff (rst_i) srv_valid_i == serves)
  else $error("%m: an answer that does not come %0d cycles after its request", Latency);
  assert property (@(posedge clk_i) disable iff (rst_i) drop_valid_i |-> may_drop && !serves_q[Latency])
  else $error("%m: a drop that does not come %0d cycles after an arrival", Latency + 1);
  assert property (@(posedge clk_i) disable iff (rst_i) waiting_q <= Capacity || drop_valid_i)
  else $error("%m: more jobs wait than may");
  assert property (@(posedge clk_i) disable iff (rst_i) drop_valid_i |-> waiting_q == Capacity + 1)
  else $error("%m: a job is dropped and there is room");
  assert property (@(posedge clk_i) disable iff (rst_i) srv_valid_i |-> srv_found_i == (waiting_q != 0))
  else $error("%m: a job waits and none is found, or none waits and one is");
  assert property (@(posedge clk_i) disable iff (rst_i) serves |-> 32'(count_q[Latency-1]) == waiting_q)
  else $error("%m: another number of jobs was said to wait");
  assert property (@(posedge clk_i) disable iff (rst_i) found && served_before_q |-> srv_rank_i >= served_rank_q)
  else $error("%m: the second of two requests finds a smaller rank");
  assert property (@(posedge clk_i) disable iff (rst_i) found && dropped_before_q |-> srv_rank_i <= dropped_rank_q)
  else $error("%m: a larger rank is found than the one that was dropped");
`else
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_i, arrives_i, serves_i, count_i, srv_valid_i, srv_found_i, srv_rank_i,
                           drop_valid_i, drop_rank_i};
`endif
endmodule
