// The first or the last set bit of a word, as a one-hot word.
//
// A bit is taken if it is set and none before it is, seen from the wanted end; the two prefixes share their
// terms, so both directions cost little more than one. Combinational; log2(Width) levels of logic.
module find_first #(
  /// Bits of the word.
  parameter int unsigned Width = 8
) (
  input  logic [Width-1:0] word_i,
  /// Take the highest set bit and not the lowest.
  input  logic             last_i,
  /// The bit taken; zero if none is set.
  output logic [Width-1:0] one_hot_o
);
  always_comb begin
    for (int unsigned i = 0; i < Width; i++) begin
      automatic logic below = 1'b0;
      automatic logic above = 1'b0;
      for (int unsigned j = 0; j < Width; j++) begin
        if (j < i) below |= word_i[j];
        if (j > i) above |= word_i[j];
      end
      one_hot_o[i] = word_i[i] & ~(last_i ? above : below);
    end
  end
endmodule
