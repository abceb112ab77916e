// The numbers 0 to Entries - 1 that are free, as a first-in first-out queue: one can be taken and one given back in every
// cycle.
//
// Source: clubheap §4.4. The paper's list is a stack linked through the pointers of the free nodes, of which the top must
// be read before the next can be taken. Here it is a queue in a memory of its own, read ahead. In its first round the
// queue would hold its own places, so a place's number is what it gives: nothing is written at reset, and numbers can be
// taken in the first cycle after it.
//
// Take: while `empty_o` is low, `number_o` is the next free number; it is taken at a clock edge with `take_i` high.
// Give back: `number_i` at an edge with `give_i` high; it may be taken two cycles later at the earliest. A user that
// always keeps two numbers more than can be in use never meets an empty list.
module free_list #(
  /// Numbers, at least 2.
  parameter int unsigned Entries = 2047,
  /// Whether the user may take all numbers, and looks at `empty_o`; if not, it is asserted that some are left.
  parameter bit Drains = 1'b1,
  /// Derived: bits of a number.
  localparam int unsigned Bits = parameter_pkg::index_width(Entries)
) (
  input  logic            clk_i,
  /// Synchronous; all numbers are free.
  input  logic            rst_i,
  input  logic            take_i,
  output logic [Bits-1:0] number_o,
  output logic            empty_o,
  input  logic            give_i,
  input  logic [Bits-1:0] number_i
);
  if (!parameter_pkg::at_least("free_list: Entries", Entries, 2)) begin : gen_check_entries
    $error("free_list: Entries is out of range");
  end

  // Places of the queue. With one number fewer than places, equal ends mean that nothing is free (BBQ, thesis §4.3.3,
  // argues the same for its occupancy counters); otherwise a bit that says which round it is tells empty from full.
  localparam bit Spare = Entries == 2 ** Bits - 1;
  localparam int unsigned Places = Spare ? Entries + 1 : Entries;
  typedef struct packed {
    logic            odd;
    logic [Bits-1:0] place;
  } end_t;

  function automatic end_t next(end_t at);
    next = at;
    next.place = at.place + 1'b1;
    if (at.place == Bits'(Places - 1)) begin
      next.place = '0;
      next.odd = ~Spare & ~at.odd;
    end
  endfunction

  localparam end_t First = '0;
  localparam end_t Filled = Spare ? end_t'(Entries) : end_t'(2 ** Bits);

  end_t write_q, read_q, read_d;
  logic first_q;  // every number comes for the first time
  logic [Bits-1:0] returned;

  assign read_d   = take_i ? next(read_q) : read_q;
  assign number_o = first_q ? read_q.place : returned;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= Filled;
      read_q  <= First;
      first_q <= 1'b1;
      empty_o <= 1'b0;
    end else begin
      if (give_i) write_q <= next(write_q);
      read_q  <= read_d;
      // The word at `write_q` is not yet written, and one written now cannot be read before the next cycle.
      empty_o <= read_d == write_q;
      if (take_i && read_q.place == Bits'(Entries - 1)) first_q <= 1'b0;
    end
  end

  // The read runs ahead: the word after the one that is taken now is there in the next cycle.
  ram_1r1w #(
    .Width(Bits),
    .Depth(Places)
  ) u_numbers (
    .clk_i,
    .we_i   (give_i),
    .waddr_i(write_q.place),
    .wdata_i(number_i),
    .re_i   (1'b1),
    .raddr_i(read_d.place),
    .rdata_o(returned)
  );

`ifndef SYNTHESIS
  if (Drains) begin : gen_drains
    cover_empty : cover property (@(posedge clk_i) empty_o);
    cover_last : cover property (@(posedge clk_i) take_i && read_d == write_q);
    cover_returned_to_empty : cover property (@(posedge clk_i) give_i && empty_o);
  end else begin : gen_never_empty
    assert property (@(posedge clk_i) disable iff (rst_i) !empty_o)
    else $error("free_list: empty, although its user never takes all");
  end
  cover_both : cover property (@(posedge clk_i) give_i && take_i);
  cover_second_round : cover property (@(posedge clk_i) take_i && !first_q);
  assert property (@(posedge clk_i) disable iff (rst_i) take_i |-> !empty_o)
  else $error("free_list: a number is taken and there is none");
  assert property (@(posedge clk_i) disable iff (rst_i) give_i |-> 32'(number_i) < Entries)
  else $error("free_list: what is given back is no number of this list");
`endif
endmodule
