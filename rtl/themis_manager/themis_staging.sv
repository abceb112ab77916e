// The staging buffer: slots of elements that are bound for far, in groups of a batch.
//
// Source: Themis §4.1: what is designated for DRAM is first placed into a temporary buffer that accumulates up to a
// batch, and is then written to contiguous addresses; writes are triggered on arrival, so a batch need not be complete.
// Elements are staged in the order in which the queue answers. One that leaves or comes back before it was written is
// struck out, since its slot may soon be another element's.
module themis_staging #(
  /// Bits of a slot's number.
  parameter int unsigned SlotW = 11,
  /// Elements of a batch, a power of two.
  parameter int unsigned Batch = 8,
  /// Batches that are staged, a power of two, at least 2.
  parameter int unsigned Groups = 2,
  localparam int unsigned Places = Batch * Groups,
  localparam int unsigned PlaceW = $clog2(Places),
  localparam int unsigned CountW = $clog2(Batch)
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  /// An element is bound for far. There is a place.
  input  logic                        put_i,
  /// An element is bound for far no longer.
  input  logic                        strike_i,
  input  logic [   SlotW-1:0]         slot_i,
  /// Places that are taken.
  output logic [    PlaceW:0]         used_o,
  /// The oldest batch: how many have come, their slots, and which are still bound for far. It is taken with `ready_i`.
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [    CountW:0]         count_o,
  output logic [   Batch-1:0]         bound_o,
  output logic [   Batch-1:0][SlotW-1:0] slots_o
);
  logic [Places-1:0] bound_q;
  logic [SlotW-1:0] slots_q[Places];
  logic [PlaceW-1:0] write_q, read_q;
  logic [PlaceW:0] oldest;
  logic take;

  assign valid_o = used_o != '0;
  assign take    = valid_o & ready_i;
  // Places of the oldest group: all, or what has come of it so far.
  assign count_o = oldest[CountW:0];
  assign oldest  = used_o > (PlaceW + 1)'(Batch) ? (PlaceW + 1)'(Batch) : used_o;

  always_comb begin
    for (int unsigned i = 0; i < Batch; i++) begin
      slots_o[i] = slots_q[read_q+PlaceW'(i)];
      bound_o[i] = bound_q[read_q+PlaceW'(i)];
    end
  end

  // What comes while the group that it would fill is taken begins the next.
  logic partial;
  logic [PlaceW-1:0] place;
  assign partial = take & used_o < (PlaceW + 1)'(Batch);
  assign place   = partial ? PlaceW'((write_q | PlaceW'(Batch - 1)) + 1'b1) : write_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bound_q <= '0;
      write_q <= '0;
      read_q  <= '0;
      used_o  <= '0;
    end else begin
      for (int unsigned i = 0; i < Places; i++) begin
        if (strike_i && slots_q[i] == slot_i) bound_q[i] <= 1'b0;
      end
      if (take) begin
        read_q <= read_q + PlaceW'(Batch);
        for (int unsigned i = 0; i < Batch; i++) bound_q[read_q+PlaceW'(i)] <= 1'b0;
      end
      if (put_i) bound_q[place] <= 1'b1;
      write_q <= place + PlaceW'(put_i);
      used_o  <= used_o + (PlaceW + 1)'(put_i) - (take ? oldest : '0);
    end
    if (put_i) slots_q[place] <= slot_i;
  end

`ifndef SYNTHESIS
  cover_partial : cover property (@(posedge clk_i) partial);
  cover_partial_and_put : cover property (@(posedge clk_i) partial && put_i);
  cover_full : cover property (@(posedge clk_i) used_o == (PlaceW + 1)'(Places));
  cover_strike : cover property (@(posedge clk_i) strike_i);
  assert property (@(posedge clk_i) disable iff (rst_i) put_i |-> used_o < (PlaceW + 1)'(Places))
  else $error("themis_staging: an element is staged and there is no place");
`endif
endmodule
