// For every bit of a word whether one before it is set: what subtracting one leaves as it is, by a carry chain.
module occamy_prefix #(
  /// Bits of the word, at least 2.
  parameter int unsigned Width = 64
) (
  input  logic [Width-1:0] word_i,
  output logic [Width-1:0] behind_o
);
  assign behind_o = ~(word_i ^ (word_i - 1'b1));
endmodule
