// The PIFO as a stream: the smallest element stands at the output.
module pifo_example (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [ 7:0] rank_i,
  input  logic [31:0] data_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [ 7:0] rank_o,
  output logic [31:0] data_o
);
  logic full;
  // A full one takes a push together with a pop.
  assign ready_o = !full || ready_i;

  pifo #(
    .Depth(16),
    .RankW(8),
    .DataW(32)
  ) u_queue (
    .clk_i,
    .rst_i,
    .push_i          (valid_i),
    .push_partition_i(1'b0),
    .push_rank_i     (rank_i),
    .push_data_i     (data_i),
    .full_o          (full),
    .pop_i           (ready_i),
    .pop_partition_i (1'b0),
    .pop_last_i      (1'b0),
    .valid_o,
    .rank_o,
    .data_o
  );
endmodule
