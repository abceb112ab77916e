// RPU-BMW: an operation every two or three cycles, answered two cycles later.
module bmw_example (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        ready_o,
  input  logic        push_i,
  input  logic [15:0] rank_i,
  input  logic [31:0] data_i,
  input  logic        pop_i,
  output logic        answered_o,
  output logic        found_o,
  output logic [15:0] rank_o,
  output logic [31:0] data_o,
  /// All places are taken: a push without a pop is answered and not stored.
  output logic        full_o
);
  logic unused_pushed, unused_empty;
  logic [12:0] unused_count;

  bmw #(
    .Ways  (4),
    .Levels(6),
    .RankW (16),
    .DataW (32)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i     (push_i || pop_i),
    .ready_o,
    .push_i,
    .pop_i,
    .rank_i,
    .data_i,
    .rsp_valid_o (answered_o),
    .rsp_pushed_o(unused_pushed),
    .rsp_popped_o(found_o),
    .rsp_rank_o  (rank_o),
    .rsp_data_o  (data_o),
    .count_o     (unused_count),
    .full_o,
    .empty_o     (unused_empty)
  );
endmodule
