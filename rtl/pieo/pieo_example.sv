// PIEO as a pacer: of the packets that may leave by now, the one of the smallest rank.
module pieo_example (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        ready_o,
  input  logic        push_i,
  input  logic [15:0] rank_i,
  input  logic [15:0] release_i,
  input  logic [31:0] data_i,
  /// Goes before a push of the same cycle, which has to be offered again.
  input  logic        pop_i,
  input  logic [15:0] now_i,
  /// To a push whether it is stored, to a pop whether something may leave.
  output logic        answered_o,
  output logic        done_o,
  output logic [31:0] data_o
);
  logic [1:0][15:0] unused;

  pieo #(
    .Size (8),
    .RankW(16),
    .TimeW(16),
    .DataW(32)
  ) u_list (
    .clk_i,
    .rst_i,
    .valid_i  (push_i || pop_i),
    .ready_o,
    .dequeue_i(pop_i),
    .rank_i,
    .time_i   (pop_i ? now_i : release_i),
    .data_i,
    .valid_o  (answered_o),
    .done_o,
    .rank_o   (unused[0]),
    .time_o   (unused[1]),
    .data_o
  );
endmodule
