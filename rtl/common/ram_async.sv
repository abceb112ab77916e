// A small memory with one write port and one read port without a clock; infers LUT RAM on Xilinx and ECP5.
//
// `rdata_o` is the word at `raddr_i`, in the same cycle; a write shows in the next. For a few dozen words; larger
// ones belong in `ram_1r1w`. Contents are not reset.
module ram_async #(
  /// Bits of a word.
  parameter int unsigned Width = 8,
  /// Words.
  parameter int unsigned Depth = 16,
  /// Derived: bits of an address.
  localparam int unsigned AddrW = parameter_pkg::index_width(Depth)
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);
  logic [Width-1:0] mem[Depth];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = mem[raddr_i];
endmodule
