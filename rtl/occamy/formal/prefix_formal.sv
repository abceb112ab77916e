// The prefixes of every word, bit by bit.
module prefix_formal #(
  parameter int unsigned Width = 70
) (
  input logic             clk_i,
  input logic [Width-1:0] word_i
);
  logic [Width-1:0] behind;
  occamy_prefix #(
    .Width(Width)
  ) u_prefix (
    .word_i,
    .behind_o(behind)
  );
  logic [Width-1:0] expected;
  always_comb begin
    expected[0] = 1'b0;
    for (int unsigned q = 1; q < Width; q++) expected[q] = expected[q-1] | word_i[q-1];
  end
  always_ff @(posedge clk_i) begin
    assert (behind == expected);
  end
endmodule
