// A memory with one write port and one read port, both on one clock; infers block RAM on Xilinx and ECP5.
//
// The word at `raddr_i` is on `rdata_o` in the next cycle and stays there while `re_i` is low. A read of the word
// that is being written in the same cycle returns anything: whoever needs that value forwards it. In simulation it
// returns the inverse of what was there, in proofs any word, so that a forgotten forward is seen. Contents are not reset.
module ram_1r1w #(
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Words.
  parameter int unsigned Depth = 1024,
  /// Derived: bits of an address.
  localparam int unsigned AddrW = parameter_pkg::index_width(Depth)
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);
  (* no_rw_check *)
  logic [Width-1:0] mem[Depth];

`ifdef FORMAL
  (* anyseq *)
  logic [Width-1:0] anything;
`endif

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) begin
`ifdef FORMAL
      rdata_o <= (we_i && waddr_i == raddr_i) ? anything : mem[raddr_i];
`elsif SYNTHESIS
      rdata_o <= mem[raddr_i];
`else
      rdata_o <= (we_i && waddr_i == raddr_i) ? ~mem[raddr_i] : mem[raddr_i];
`endif
    end
  end
endmodule
