// The numbers 0 to 2^Bits - 2 that are free, as a first-in first-out queue in one block RAM.
//
// With one number fewer than a power of two the two pointers are equal only when nothing is free, so no counter is
// needed (BBQ, thesis §4.3.3, argues the same for its occupancy counters). After reset the list fills itself, one
// number a cycle; `ready_o` rises when that is done, 2^Bits - 1 cycles later, and nothing may be pushed before.
//
// Take: while `empty_o` is low, `number_o` is the next free number; it is taken at a clock edge with `pop_i` high.
// Give back: `number_i` at an edge with `push_i` high; it may be taken two cycles later at the earliest.
module free_list #(
  /// Bits of a number, at least 2.
  parameter int unsigned Bits = 11
) (
  input  logic            clk_i,
  /// Synchronous; begins the filling.
  input  logic            rst_i,
  output logic            ready_o,
  input  logic            pop_i,
  output logic [Bits-1:0] number_o,
  output logic            empty_o,
  input  logic            push_i,
  input  logic [Bits-1:0] number_i
);
  if (!parameter_pkg::at_least("free_list: Bits", Bits, 2)) begin : gen_check_bits
    $error("free_list: Bits is out of range");
  end

  logic [Bits-1:0] write_q, read_q, read_d;
  logic write;

  assign write  = push_i | ~ready_o;
  assign read_d = read_q + Bits'(pop_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q  <= '0;
      ready_o <= 1'b0;
      empty_o <= 1'b1;
    end else begin
      write_q <= write_q + Bits'(write);
      read_q  <= read_d;
      ready_o <= ready_o | (write_q == Bits'((2 ** Bits) - 2));
      // The word at `write_q` is not yet written, and one written now cannot be read before the next cycle.
      empty_o <= read_d == write_q;
    end
  end

  // The read runs ahead: the word after the one that is taken now is there in the next cycle.
  ram_1r1w #(
    .Width(Bits),
    .Depth(2 ** Bits)
  ) u_numbers (
    .clk_i,
    .we_i   (write),
    .waddr_i(write_q),
    .wdata_i(ready_o ? number_i : write_q),
    .re_i   (1'b1),
    .raddr_i(read_d),
    .rdata_o(number_o)
  );

`ifndef SYNTHESIS
  cover_empty : cover property (@(posedge clk_i) ready_o && empty_o);
  cover_last : cover property (@(posedge clk_i) pop_i && read_d == write_q);
  cover_returned_to_empty : cover property (@(posedge clk_i) push_i && empty_o);
  cover_both : cover property (@(posedge clk_i) push_i && pop_i);
  assert property (@(posedge clk_i) disable iff (rst_i) pop_i |-> !empty_o)
  else $error("free_list: pop of an empty list");
  assert property (@(posedge clk_i) disable iff (rst_i) push_i |-> ready_o)
  else $error("free_list: push before the list is ready");
`endif
endmodule
