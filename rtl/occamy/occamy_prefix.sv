// For every bit of a word whether one before it is set.
//
// What subtracting one leaves as it is, by a carry chain; of a long word by one for each chunk, behind the chunks in which
// a bit is set.
module occamy_prefix #(
  /// Bits of the word, at least 2.
  parameter int unsigned Width = 64,
  /// Bits of a chain.
  parameter int unsigned Chunk = Width > 64 ? 32 : Width
) (
  input  logic [Width-1:0] word_i,
  output logic [Width-1:0] behind_o
);
  localparam int unsigned Chunks = (Width + Chunk - 1) / Chunk;
  logic [Chunks-1:0][Chunk-1:0] words, chained;
  logic [Chunks-1:0] before_it;
  assign words = (Chunks * Chunk)'(word_i);
  assign before_it[0] = 1'b0;
  if (Chunks > 1) begin : gen_chunks
    logic [Chunks-2:0] any;
    for (genvar c = 1; c < Chunks; c++) begin : gen_before
      assign any[c-1]     = words[c-1] != '0;
      assign before_it[c] = any[c-1:0] != '0;
    end
  end
  for (genvar c = 0; c < Chunks; c++) begin : gen_chain
    assign chained[c] = ~(words[c] ^ (words[c] - 1'b1)) | {Chunk{before_it[c]}};
  end
  assign behind_o = Width'(chained);
endmodule
