// A memory with one read and one write port, both synchronous: a simple dual-port SRAM.
//
// What a read returns of a word that is written at the same edge is not relied on anywhere.

module clubheap_ram #(
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Words.
  parameter int unsigned Depth = 16,
  localparam int unsigned AddrW = clubheap_pkg::addr_width(Depth)
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic [AddrW-1:0] raddr_i,
  /// The word at `raddr_i` of the cycle before.
  output logic [Width-1:0] rdata_o
);

  logic [Width-1:0] mem[Depth];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    rdata_o <= mem[raddr_i];
  end

endmodule
