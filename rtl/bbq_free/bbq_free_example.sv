// The latency-free BBQ as a stream: the smallest element stands at the output, with its rank.
module bbq_free_example (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [ 5:0] rank_i,
  input  logic [31:0] data_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [ 5:0] rank_o,
  output logic [31:0] data_o
);
  // Both sides act in every second cycle. An element shows while it is asked for, so `valid_o` follows `ready_i`.
  logic first, full, found;
  assign ready_o = first && !full;
  assign valid_o = first && found && ready_i;

  bbq_free #(
    .Levels  (2),
    .Width   (8),
    .SlotBits(11),
    .DataW   (32)
  ) u_queue (
    .clk_i,
    .rst_i,
    .ready_o    (first),
    .pop_i      (ready_i),
    .valid_o    (found),
    .rank_o,
    .data_o,
    .push_i     (valid_i),
    .push_rank_i(rank_i),
    .push_data_i(data_i),
    .full_o     (full)
  );
endmodule
