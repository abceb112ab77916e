// The rolling window: an enqueue is refused at once or it stays; the answers to dequeues come a fixed time later.
module bbq_rolling_example (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        ready_o,
  input  logic        push_i,
  input  logic [47:0] rank_i,
  input  logic [31:0] data_i,
  output logic        refused_o,
  /// Goes before a push of the same cycle, which has to be offered again.
  input  logic        pop_i,
  output logic        answered_o,
  output logic        found_o,
  output logic [47:0] rank_o,
  output logic [31:0] data_o
);
  logic refused, valid, dequeue;
  bbq_pkg::status_e status;
  assign refused_o  = push_i && (pop_i || refused);
  assign answered_o = valid && dequeue;
  assign found_o    = status == bbq_pkg::Done;

  bbq_rolling #(
    .Levels  (3),
    .Width   (8),
    .SlotBits(12),
    .RankW   (48),
    .DataW   (32)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i  (push_i || pop_i),
    .ready_o,
    .op_i     (pop_i ? bbq_pkg::DequeueMin : bbq_pkg::Enqueue),
    .rank_i,
    .data_i,
    .refused_o(refused),
    .valid_o  (valid),
    .dequeue_o(dequeue),
    .status_o (status),
    .rank_o,
    .data_o
  );
endmodule
