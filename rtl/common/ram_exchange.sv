// A memory with one port that writes a word and returns the one that was there; infers block RAM on Xilinx and ECP5.
//
// The word at `addr_i`, as it was before this cycle's write, is on `rdata_o` in the next cycle. Contents are not
// reset.
module ram_exchange #(
  /// Bits of a word.
  parameter int unsigned Width = 11,
  /// Words.
  parameter int unsigned Depth = 128,
  /// Derived: bits of an address.
  localparam int unsigned AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] addr_i,
  input  logic [Width-1:0] wdata_i,
  output logic [Width-1:0] rdata_o
);
  // Left to itself, yosys 0.70 also tries to make large ones of LUTs, and fails.
  if (Depth > 64) begin : gen_block
    (* ram_style = "block" *)
    logic [Width-1:0] mem[Depth];
    always_ff @(posedge clk_i) begin
      if (we_i) mem[addr_i] <= wdata_i;
      rdata_o <= mem[addr_i];
    end
  end else begin : gen_any
    logic [Width-1:0] mem[Depth];
    always_ff @(posedge clk_i) begin
      if (we_i) mem[addr_i] <= wdata_i;
      rdata_o <= mem[addr_i];
    end
  end
endmodule
