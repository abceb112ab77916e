// The head-drop executor: gives the cell pointers of a dropped packet back, a row of the parallel lists per cycle.
//
// Source: occamy §3.2, §4.3, Fig. 9 (operations 3 and 4 without 5). The descriptor has been unlinked when a packet comes
// here. While departures have overdrawn the tokens, they are reading, and it waits.
module occamy_executor #(
  parameter int unsigned SublistsLog2 = 2,
  parameter int unsigned PacketW = 4,
  localparam int unsigned RowW = SublistsLog2 + 1
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               valid_i,
  input  logic [PacketW-1:0] cells_i,
  input  logic               idle_i,
  /// It will have finished in two cycles that it may use.
  output logic               room_o,
  output logic               valid_o,
  /// Pointers of this row: one of each of the first lists.
  output logic [   RowW-1:0] count_o,
  output logic               last_o
);
  localparam int unsigned LeftW = PacketW > RowW + 1 ? PacketW : RowW + 1;
  localparam logic [LeftW-1:0] Row = LeftW'(1 << SublistsLog2);
  logic [LeftW-1:0] left_q, left;
  logic single;
  assign single  = left_q <= Row;
  assign valid_o = left_q != '0 && idle_i;
  assign count_o = single ? RowW'(left_q) : RowW'(Row);
  assign last_o  = single;
  assign room_o  = left_q <= (Row << 1);
  assign left    = single ? '0 : left_q - Row;

  always_ff @(posedge clk_i) begin
    if (valid_o) left_q <= left;
    if (valid_i) left_q <= LeftW'(cells_i);
    if (rst_i) left_q <= '0;
  end

`ifndef SYNTHESIS
  cover_several : cover property (@(posedge clk_i) valid_o && !last_o);
  cover_row_waits : cover property (@(posedge clk_i) left_q != '0 && !idle_i);
  cover_back_to_back : cover property (@(posedge clk_i) valid_i && valid_o && last_o);
  assert property (@(posedge clk_i) disable iff (rst_i) valid_i |-> left_q == '0 || (valid_o && last_o))
  else $error("occamy_executor: a packet comes before the last one is done");
`endif
endmodule
