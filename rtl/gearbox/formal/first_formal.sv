// The first set bit: it is set, none before it is, and zero is said of a word without one.
module first_formal #(
  parameter int unsigned Width = 16,
  localparam int unsigned Bits = parameter_pkg::index_width(Width)
) (
  input logic             clk_i,
  input logic [Width-1:0] word_i
);
  logic any;
  logic [Bits-1:0] index;
  gearbox_first #(
    .Width(Width)
  ) u_first (
    .word_i,
    .any_o  (any),
    .index_o(index)
  );

  always_ff @(posedge clk_i) begin
    some : assert (any == (word_i != '0));
    if (any) is_set : assert (word_i[index]);
    for (int unsigned i = 0; i < Width; i++) if (i < 32'(index)) assert (!word_i[i]);
    if (!any) zero : assert (index == '0);
  end
endmodule
