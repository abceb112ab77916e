// The free list, for ever: an inductive proof. Each number is in exactly one place: given out, in the list, or not yet
// filled in. So none is given out twice and none is lost.
//
// Assumed: only numbers that are out are given back, and nothing is taken from an empty list.
module free_list_formal #(
  parameter int unsigned Bits = 3,
  localparam int unsigned Numbers = 2 ** Bits - 1
) (
  input logic            clk_i,
  input logic            pop_i,
  input logic            push_i,
  input logic [Bits-1:0] number_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, empty;
  logic [Bits-1:0] number, read, write;
  logic [Numbers:0] out_q;

  free_list #(
    .Bits(Bits)
  ) u_list (
    .clk_i,
    .rst_i   (rst),
    .ready_o (ready),
    .pop_i,
    .number_o(number),
    .empty_o (empty),
    .push_i,
    .number_i
  );
  assign read  = u_list.read_q;
  assign write = u_list.write_q;

  always_ff @(posedge clk_i) begin
    if (rst) out_q <= '0;
    else begin
      if (push_i) out_q[number_i] <= 1'b0;
      if (pop_i) out_q[number] <= 1'b1;
    end
  end

  // The place `i` of the memory holds a number that waits.
  function automatic logic waits(logic [Bits-1:0] i);
    return Bits'(i - read) < Bits'(write - read);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      may_pop : assume (!pop_i || !empty);
      may_push : assume (!push_i || (ready && out_q[number_i]));
      assert (!out_q[Numbers]);
      assert (ready || write < Bits'(Numbers));
      for (int unsigned v = 0; v < Numbers; v++) begin
        automatic logic [Bits:0] places = (Bits + 1)'(out_q[v]) + (Bits + 1)'(!ready && v >= 32'(write));
        for (int unsigned i = 0; i <= Numbers; i++) begin
          places += (Bits + 1)'(waits(Bits'(i)) && u_list.u_numbers.mem[i] == Bits'(v));
        end
        assert (places == 1);
      end
      for (int unsigned i = 0; i <= Numbers; i++) begin
        assert (!waits(Bits'(i)) || u_list.u_numbers.mem[i] != Bits'(Numbers));
      end
      if (!empty) begin
        assert (waits(read) && number == u_list.u_numbers.mem[read]);
        not_out : assert (!out_q[number]);
      end
    end
  end
endmodule
