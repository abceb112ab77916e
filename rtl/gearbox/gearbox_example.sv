// Gearbox for 1024 flows: a packet's transmission time at its flow's rate comes with it.
module gearbox_example (
  input  logic        clk_i,
  input  logic        rst_i,
  /// High in every second cycle.
  output logic        ready_o,
  input  logic        packet_valid_i,
  input  logic [14:0] packet_pointer_i,
  input  logic [10:0] packet_length_i,
  input  logic [19:0] packet_time_i,
  input  logic [ 9:0] packet_flow_i,
  /// Six cycles after it was taken: it was dropped, free it.
  output logic        drop_o,
  input  logic        next_i,
  output logic        answered_o,
  output logic        found_o,
  output logic [14:0] pointer_o
);
  logic told, waits, unused_horizon;
  logic [1:0][1:0] unused_level;
  logic [1:0][5:0] unused_fifo;
  logic [10:0] unused_length;
  logic [9:0] unused_flow;
  logic [63:0] unused_time;
  assign drop_o = told && !waits;

  gearbox #(
    .Levels  (4),
    .StepDown(1)
  ) u_gearbox (
    .clk_i,
    .rst_i,
    .ready_o,
    .enq_valid_i  (packet_valid_i),
    .enq_pointer_i(packet_pointer_i),
    .enq_length_i (packet_length_i),
    .enq_time_i   (packet_time_i),
    .enq_flow_i   (packet_flow_i),
    .enq_valid_o  (told),
    .enq_waits_o  (waits),
    .enq_horizon_o(unused_horizon),
    .enq_level_o  (unused_level[0]),
    .enq_fifo_o   (unused_fifo[0]),
    .deq_valid_i  (next_i),
    .deq_valid_o  (answered_o),
    .deq_found_o  (found_o),
    .deq_pointer_o(pointer_o),
    .deq_length_o (unused_length),
    .deq_flow_o   (unused_flow),
    .deq_level_o  (unused_level[1]),
    .deq_fifo_o   (unused_fifo[1]),
    .system_time_o(unused_time)
  );
endmodule
