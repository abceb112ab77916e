// What Gearbox promises, asserted while it is simulated.
//
//   latency       an operation is answered exactly `gearbox_pkg::Latency` cycles after it was taken, nothing else is;
//   conservation  what leaves is the oldest descriptor of the FIFO that it is said to leave, which is there; nothing is
//                 said not to be there while something waits;
//   order         descriptors of a flow leave in the order in which they came; the system time does not go back.
module gearbox_checks #(
  parameter int unsigned Levels = 4,
  parameter int unsigned FifosLog2 = 4,
  parameter int unsigned PlacesLog2 = 8,
  parameter int unsigned FlowsLog2 = 10,
  parameter int unsigned PointerW = 15,
  parameter int unsigned LengthW = 11,
  parameter int unsigned SystemW = 64,
  localparam int unsigned LevelW = parameter_pkg::index_width(Levels),
  localparam int unsigned IdW = FifosLog2 + 2
) (
  input logic                 clk_i,
  input logic                 rst_i,
  // Taken.
  input logic                 enq_valid_i,
  input logic [ PointerW-1:0] enq_pointer_i,
  input logic [  LengthW-1:0] enq_length_i,
  input logic [FlowsLog2-1:0] enq_flow_i,
  input logic                 deq_valid_i,
  // Answered.
  input logic                 enq_answer_i,
  input logic                 enq_waits_i,
  input logic [   LevelW-1:0] enq_level_i,
  input logic [      IdW-1:0] enq_fifo_i,
  input logic                 deq_answer_i,
  input logic                 deq_found_i,
  input logic [ PointerW-1:0] deq_pointer_i,
  input logic [  LengthW-1:0] deq_length_i,
  input logic [FlowsLog2-1:0] deq_flow_i,
  input logic [   LevelW-1:0] deq_level_i,
  input logic [      IdW-1:0] deq_fifo_i,
  input logic [  SystemW-1:0] time_i
);
`ifndef SYNTHESIS
  localparam int unsigned Fifos = Levels << IdW;
  typedef struct packed {
    logic                 enq, deq;
    logic [ PointerW-1:0] pointer;
    logic [  LengthW-1:0] length;
    logic [FlowsLog2-1:0] flow;
  } op_t;
  typedef struct packed {
    logic [ PointerW-1:0] pointer;
    logic [  LengthW-1:0] length;
    logic [FlowsLog2-1:0] flow;
    /// Its place among those of its flow.
    logic [         31:0] number;
  } held_t;

  op_t [gearbox_pkg::Latency-1:0] ops_q;
  op_t op;
  assign op = ops_q[gearbox_pkg::Latency-1];
  always_ff @(posedge clk_i) begin
    ops_q[0] <= '{enq_valid_i && !rst_i, deq_valid_i && !rst_i, enq_pointer_i, enq_length_i, enq_flow_i};
    for (int unsigned i = 1; i < gearbox_pkg::Latency; i++) ops_q[i] <= rst_i ? '0 : ops_q[i-1];
  end

  held_t places_q[Fifos<<PlacesLog2];
  logic [31:0] come_q[Fifos], gone_q[Fifos], flow_come_q[1<<FlowsLog2], flow_gone_q[1<<FlowsLog2], total_q;
  logic [31:0] into, out_of, join_at, leave_at, waiting;
  logic joins, leaves;
  held_t arrived, oldest;
  assign into     = (32'(enq_level_i) << IdW) | 32'(enq_fifo_i);
  assign out_of   = (32'(deq_level_i) << IdW) | 32'(deq_fifo_i);
  assign joins    = enq_answer_i && enq_waits_i;
  assign leaves   = deq_answer_i && deq_found_i;
  assign arrived  = '{op.pointer, op.length, op.flow, flow_come_q[op.flow]};
  assign join_at  = (into << PlacesLog2) | (come_q[into] & ((32'd1 << PlacesLog2) - 1));
  assign leave_at = (out_of << PlacesLog2) | (gone_q[out_of] & ((32'd1 << PlacesLog2) - 1));
  // What joins in this slot is there.
  assign oldest   = joins && join_at == leave_at && come_q[into] == gone_q[out_of] ? arrived : places_q[leave_at];
  assign waiting  = come_q[out_of] + 32'(joins && into == out_of) - gone_q[out_of];

  logic [SystemW-1:0] time_q;
  always_ff @(posedge clk_i) begin
    if (enq_answer_i || deq_answer_i) time_q <= time_i;
    if (rst_i) time_q <= '0;
    if (joins) begin
      places_q[join_at]    <= arrived;
      come_q[into]         <= come_q[into] + 1;
      flow_come_q[op.flow] <= flow_come_q[op.flow] + 1;
    end
    if (leaves) begin
      gone_q[out_of]          <= gone_q[out_of] + 1;
      flow_gone_q[deq_flow_i] <= flow_gone_q[deq_flow_i] + 1;
    end
    total_q <= total_q + 32'(joins) - 32'(leaves);
    if (rst_i) begin
      for (int unsigned i = 0; i < Fifos; i++) begin
        come_q[i] <= '0;
        gone_q[i] <= '0;
      end
      for (int unsigned i = 0; i < 1 << FlowsLog2; i++) begin
        flow_come_q[i] <= '0;
        flow_gone_q[i] <= '0;
      end
      total_q <= '0;
    end
  end

  assert property (
    @(posedge clk_i) disable iff (rst_i) enq_answer_i == op.enq && deq_answer_i == op.deq)
  else $error("%m: an answer that does not come %0d cycles after its operation", gearbox_pkg::Latency);
  assert property (
    @(posedge clk_i) disable iff (rst_i) joins |-> come_q[into] - gone_q[into] < 32'd1 << PlacesLog2)
  else $error("%m: more descriptors than places in a FIFO");
  assert property (@(posedge clk_i) disable iff (rst_i) leaves |-> waiting != '0)
  else $error("%m: a descriptor leaves an empty FIFO");
  assert property (@(posedge clk_i) disable iff (rst_i) leaves |->
                   deq_pointer_i == oldest.pointer && deq_length_i == oldest.length && deq_flow_i == oldest.flow)
  else $error("%m: what leaves is not the oldest descriptor of its FIFO");
  assert property (@(posedge clk_i) disable iff (rst_i) leaves |-> oldest.number == flow_gone_q[deq_flow_i])
  else $error("%m: descriptors of a flow leave in another order than they came");
  assert property (@(posedge clk_i) disable iff (rst_i) deq_answer_i && !deq_found_i |-> total_q == '0 && !joins)
  else $error("%m: a descriptor waits and none leaves");
  assert property (
    @(posedge clk_i) disable iff (rst_i) enq_answer_i || deq_answer_i |-> time_i >= time_q)
  else $error("%m: the system time goes back");
`else
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_i, enq_valid_i, enq_pointer_i, enq_length_i, enq_flow_i, deq_valid_i,
                           enq_answer_i, enq_waits_i, enq_level_i, enq_fifo_i, deq_answer_i, deq_found_i, deq_pointer_i,
                           deq_length_i, deq_flow_i, deq_level_i, deq_fifo_i, time_i};
`endif
endmodule
