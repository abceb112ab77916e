// Assertions on the hybrid traffic manager's AXI4 port, in every simulation: what is offered stays until it is taken; bursts
// are no longer than a cell and stay within 4 KiB; a write has the beats of its address, and never begins before it; what is
// written and read lies in the memory.
module tm_hybrid_checks #(
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 5,
  parameter int unsigned AddrW = 20,
  parameter int unsigned IdW = 4,
  parameter int unsigned TagW = 4,
  /// Bytes of the memory.
  parameter longint unsigned Bytes = 1 << 20
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             awvalid_i,
  input logic             awready_i,
  input logic [  IdW-1:0] awid_i,
  input logic [AddrW-1:0] awaddr_i,
  input logic [      7:0] awlen_i,
  input logic             wvalid_i,
  input logic             wready_i,
  input logic [DataW-1:0] wdata_i,
  input logic             wlast_i,
  input logic             arvalid_i,
  input logic             arready_i,
  input logic [ TagW-1:0] arid_i,
  input logic [AddrW-1:0] araddr_i,
  input logic [      7:0] arlen_i
);
`ifndef SYNTHESIS
  localparam int unsigned Lanes = DataW / 8;

  function automatic logic fits(logic [AddrW-1:0] address, logic [7:0] length);
    longint unsigned last = 64'(address) + (64'(length) + 1) * Lanes - 1;
    return 32'(length) < 1 << CellBeatsLog2 && 64'(address) >> 12 == last >> 12 && last < Bytes;
  endfunction

  // Lengths of writes whose beats have not all come.
  logic [7:0] lengths_q[8], beat_q;
  logic [3:0] told_q, ended_q;
  logic waits_q;
  always_ff @(posedge clk_i) begin
    waits_q <= awvalid_i && !awready_i && !rst_i;
    // It counts from the cycle in which it is offered: its beats may be taken before it is.
    if (awvalid_i && !waits_q) begin
      lengths_q[told_q[2:0]] <= awlen_i;
      told_q                 <= told_q + 1'b1;
    end
    if (wvalid_i && wready_i) begin
      beat_q <= wlast_i ? '0 : beat_q + 1'b1;
      if (wlast_i) ended_q <= ended_q + 1'b1;
    end
    if (rst_i) begin
      told_q  <= '0;
      ended_q <= '0;
      beat_q  <= '0;
    end
  end
  assert property (@(posedge clk_i) disable iff (rst_i) awvalid_i && !awready_i |=>
                   rst_i || (awvalid_i && $stable(awid_i) && $stable(awaddr_i) && $stable(awlen_i)))
  else $error("%m: the address of a write changes while it waits");
  assert property (@(posedge clk_i) disable iff (rst_i) wvalid_i && !wready_i |=>
                   rst_i || (wvalid_i && $stable(wdata_i) && $stable(wlast_i)))
  else $error("%m: a beat changes while it waits");
  assert property (@(posedge clk_i) disable iff (rst_i) arvalid_i && !arready_i |=>
                   rst_i || (arvalid_i && $stable(arid_i) && $stable(araddr_i) && $stable(arlen_i)))
  else $error("%m: the address of a read changes while it waits");
  assert property (@(posedge clk_i) disable iff (rst_i) awvalid_i |-> fits(awaddr_i, awlen_i))
  else $error("%m: a write is longer than a cell, crosses 4 KiB, or leaves the memory");
  assert property (@(posedge clk_i) disable iff (rst_i) arvalid_i |-> fits(araddr_i, arlen_i))
  else $error("%m: a read is longer than a cell, crosses 4 KiB, or leaves the memory");
  assert property (@(posedge clk_i) disable iff (rst_i) wvalid_i && wready_i |->
                   told_q != ended_q && wlast_i == (beat_q == lengths_q[ended_q[2:0]]))
  else $error("%m: a write has another number of beats than its address says");
`endif
endmodule
