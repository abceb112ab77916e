// The free list, for ever: an inductive proof. Each number is in exactly one place: given out, or in the list, so none is
// given out twice and none is lost; and what was given back a cycle ago or earlier can be taken.
//
// Assumed: only numbers that are out are given back, and nothing is taken from an empty list.
module free_list_formal #(
  parameter int unsigned Entries = 7,
  localparam int unsigned Bits = parameter_pkg::index_width(Entries)
) (
  input logic            clk_i,
  input logic            take_i,
  input logic            give_i,
  input logic [Bits-1:0] number_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic empty, gave_q;
  logic [Bits-1:0] number;
  logic [2**Bits-1:0] out_q;

  free_list #(
    .Entries(Entries)
  ) u_list (
    .clk_i,
    .rst_i   (rst),
    .take_i,
    .number_o(number),
    .empty_o (empty),
    .give_i,
    .number_i
  );

  localparam bit Spare = Entries == 2 ** Bits - 1;
  localparam int unsigned Places = Spare ? Entries + 1 : Entries;
  logic [Bits-1:0] read, write;
  logic read_odd, write_odd, first;
  assign read      = u_list.read_q.place;
  assign write     = u_list.write_q.place;
  assign read_odd  = u_list.read_q.odd;
  assign write_odd = u_list.write_q.odd;
  assign first     = u_list.first_q;

  always_ff @(posedge clk_i) begin
    if (rst) begin
      out_q  <= '0;
      gave_q <= 1'b0;
    end else begin
      gave_q <= give_i;
      if (give_i) out_q[number_i] <= 1'b0;
      if (take_i) out_q[number] <= 1'b1;
    end
  end

  // How many places of the queue hold a number, and whether this one does.
  logic [Bits+1:0] count;
  always_comb begin
    count = (Bits + 2)'(write) - (Bits + 2)'(read);
    if (write < read || (write == read && write_odd != read_odd)) count += (Bits + 2)'(Places);
  end

  function automatic logic waits(int unsigned place);
    automatic int unsigned behind = place >= 32'(read) ? place - 32'(read) : place + Places - 32'(read);
    return place < Places && behind < 32'(count);
  endfunction

  // In the first round a place gives its own number.
  function automatic logic [Bits-1:0] held(int unsigned place);
    return first && place >= 32'(read) && place < Entries ? Bits'(place) : u_list.u_numbers.mem[place];
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      may_take : assume (!take_i || !empty);
      may_give : assume (!give_i || out_q[number_i]);
      assert (32'(read) < Places && 32'(write) < Places);
      assert (Spare ? !read_odd && !write_odd : (read == write || (read_odd == write_odd) == (write > read)));
      if (first) assert (32'(read) < Entries && (Spare ? write == '1 || write < read : write_odd && !read_odd));
      assert (32'(count) <= Entries);
      for (int unsigned v = 0; v < 2 ** Bits; v++) begin
        automatic logic [Bits:0] places = (Bits + 1)'(out_q[v]);
        for (int unsigned i = 0; i < Places; i++) begin
          places += (Bits + 1)'(waits(i) && held(i) == Bits'(v));
        end
        assert (places == (v < Entries ? 1 : 0));
      end
      two_cycles_later : assert (empty == (count == (Bits + 2)'(gave_q)));
      if (!empty) begin
        next : assert (number == held(32'(read)));
        not_out : assert (!out_q[number] && 32'(number) < Entries);
      end
      again : cover (take_i && !first);
      drained : cover (empty && !gave_q && !first);
    end
  end
endmodule
