// The number of the first set bit, by a tree: of two halves the first that has one.
module gearbox_first #(
  /// Bits of the word, a power of two.
  parameter int unsigned Width = 16,
  localparam int unsigned Bits = parameter_pkg::index_width(Width)
) (
  input  logic [Width-1:0] word_i,
  output logic             any_o,
  /// Zero if none is set.
  output logic [ Bits-1:0] index_o
);
  always_comb begin
    // A heap: node n has the halves 2n and 2n + 1, the bits are its leaves.
    automatic logic [2*Width-1:0] any = '0;
    automatic logic [2*Width-1:0][Bits-1:0] index = '0;
    any[Width+:Width] = word_i;
    for (int unsigned half = 0; half < Bits; half++) begin
      for (int unsigned k = 0; k < Width >> (half + 1); k++) begin
        automatic int unsigned n = (Width >> (half + 1)) + k;
        any[n]   = any[2*n] | any[2*n+1];
        index[n] = any[2*n] ? index[2*n] : index[2*n+1];
        index[n][half] = ~any[2*n];
      end
    end
    any_o   = any[1];
    index_o = any[1] ? index[1] : '0;
  end
endmodule
