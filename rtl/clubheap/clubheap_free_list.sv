// A pool of numbers 0 to Entries - 1: one can be taken and one given back in every cycle.
//
// Source: clubheap §4.4. The paper's list is a stack linked through the pointers of the free nodes, of
// which the top must be read before the next can be taken. Here it is a queue in a memory of its own:
// the next number is read ahead, so taking is a register or a memory's output. Numbers that were never
// used come from a counter, so nothing has to be written at reset.
//
// A number given back in cycle c can be taken in c + 2. The user keeps FreeSlack = 2 more entries than
// can be in use, so there is always one to take: what was given back in the last cycle is at most one.

module clubheap_free_list #(
  /// Numbers in the pool.
  parameter int unsigned Entries = 16,
  localparam int unsigned IdW = clubheap_pkg::addr_width(Entries)
) (
  input  logic           clk_i,
  input  logic           rst_i,
  /// The number that would be taken.
  output logic [IdW-1:0] id_o,
  input  logic           take_i,
  input  logic           give_i,
  input  logic [IdW-1:0] give_id_i
);

  localparam logic [IdW-1:0] Last = IdW'(Entries - 1);

  function automatic logic [IdW-1:0] next(logic [IdW-1:0] at);
    return at == Last ? '0 : at + 1'b1;
  endfunction

  logic [IdW-1:0] fresh_q, head_q, tail_q, head_d, reused;
  logic           used_q;  // every number has been taken once

  assign id_o   = used_q ? reused : fresh_q;
  assign head_d = take_i && used_q ? next(head_q) : head_q;

  ram_1r1w #(
    .Width(IdW),
    .Depth(Entries)
  ) u_ram (
    .clk_i,
    .we_i   (give_i),
    .waddr_i(tail_q),
    .wdata_i(give_id_i),
    .re_i   (1'b1),
    .raddr_i(head_d),
    .rdata_o(reused)
  );

`ifndef SYNTHESIS
  cover_reuse : cover property (@(posedge clk_i) take_i && used_q);
`endif

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fresh_q <= '0;
      used_q  <= 1'b0;
      head_q  <= '0;
      tail_q  <= '0;
    end else begin
      head_q <= head_d;
      if (give_i) tail_q <= next(tail_q);
      if (take_i && !used_q) begin
        fresh_q <= fresh_q + 1'b1;
        used_q  <= fresh_q == Last;
      end
    end
  end

endmodule
