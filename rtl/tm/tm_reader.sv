// Packets out of the memory: those that leave are read, a beat per cycle, one packet after the other, and a cell is given
// back with its last beat; those that were dropped give theirs back in the cycles that this leaves, without being read.
module tm_reader #(
  parameter int unsigned Ports = 4,
  parameter int unsigned CellBeatsLog2 = 2,
  parameter int unsigned Memory = 512,
  parameter int unsigned LaneW = 6,
  parameter int unsigned BytesW = 11,
  parameter int unsigned CellsW = 3,
  /// Bits of what goes with a packet besides.
  parameter int unsigned KeepW = 3,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned AddressW = CellW + CellBeatsLog2
) (
  input  logic                clk_i,
  input  logic                rst_i,
  // A packet leaves; of each port one may wait.
  input  logic                leave_i,
  input  logic [   PortW-1:0] leave_port_i,
  input  logic [   CellW-1:0] leave_first_i,
  input  logic [  BytesW-1:0] leave_bytes_i,
  input  logic [   KeepW-1:0] leave_keep_i,
  /// It begins to be read.
  output logic                begun_o,
  output logic [   PortW-1:0] begun_port_o,
  // A packet was dropped; `tm_pkg::Dropped` may wait.
  input  logic                drop_i,
  input  logic [   CellW-1:0] drop_first_i,
  input  logic [  CellsW-1:0] drop_cells_i,
  /// Some wait.
  output logic                drops_o,
  // The cells' data, and the pointer from a cell to the next.
  output logic                read_o,
  output logic [AddressW-1:0] read_address_o,
  output logic                follow_o,
  output logic [   CellW-1:0] follow_from_o,
  input  logic [   CellW-1:0] follow_to_i,
  // The free list.
  output logic                give_o,
  output logic [   CellW-1:0] give_number_o,
  // In the cycle of the data: a beat for a port.
  output logic                beat_o,
  output logic [   PortW-1:0] beat_port_o,
  output logic                beat_last_o,
  /// Bytes of it, less one.
  output logic [   LaneW-1:0] beat_lanes_o,
  output logic [   KeepW-1:0] beat_keep_o
);
  localparam int unsigned BeatW = BytesW + 1;
  localparam int unsigned Mask = (1 << CellBeatsLog2) - 1;

  // ---- What waits to be read -----------------------------------------------------------------------------------------
  logic [PortW:0] written_q, taken_q;
  logic waits, loads, active_q, last;
  logic [PortW-1:0] port, port_q;
  logic [CellW-1:0] first, cell_q, current, next_q, next;
  logic [BytesW-1:0] bytes, bytes_q;
  logic [KeepW-1:0] keep, keep_q;
  logic [BeatW-1:0] at_q;

  ram_async #(
    .Width(PortW + CellW + BytesW + KeepW),
    .Depth(1 << PortW)
  ) u_waiting (
    .clk_i,
    .we_i   (leave_i),
    .waddr_i(written_q[PortW-1:0]),
    .wdata_i({leave_port_i, leave_first_i, leave_bytes_i, leave_keep_i}),
    .raddr_i(taken_q[PortW-1:0]),
    .rdata_o({port, first, bytes, keep})
  );
  assign waits        = written_q != taken_q;
  assign loads        = waits && (!active_q || last);
  assign begun_o      = loads;
  assign begun_port_o = port;

  // ---- The packet that is read ---------------------------------------------------------------------------------------
  logic begins_cell, follows, follows_q, gives;
  assign last        = (32'(at_q) + 1) << LaneW >= 32'(bytes_q);
  assign begins_cell = (32'(at_q) & Mask) == 0;
  assign next        = follows_q ? follow_to_i : next_q;
  assign current     = begins_cell && at_q != '0 ? next : cell_q;
  assign follows     = active_q && begins_cell;
  assign gives       = active_q && (last || (32'(at_q) & Mask) == Mask);
  assign read_o      = active_q;
  if (CellBeatsLog2 == 0) begin : gen_beat
    assign read_address_o = current;
  end else begin : gen_beats
    assign read_address_o = {current, at_q[CellBeatsLog2-1:0]};
  end

  always_ff @(posedge clk_i) begin
    written_q <= written_q + (PortW + 1)'(leave_i);
    taken_q   <= taken_q + (PortW + 1)'(loads);
    follows_q <= follows;
    next_q    <= next;
    beat_o    <= active_q && !rst_i;
    beat_port_o  <= port_q;
    beat_last_o  <= last;
    beat_lanes_o <= last ? LaneW'(bytes_q - 1'b1) : '1;
    beat_keep_o  <= keep_q;
    if (active_q) begin
      at_q   <= at_q + 1'b1;
      cell_q <= current;
      if (last) active_q <= 1'b0;
    end
    if (loads) begin
      active_q <= 1'b1;
      at_q     <= '0;
      cell_q   <= first;
      port_q   <= port;
      bytes_q  <= bytes;
      keep_q   <= keep;
    end
    if (rst_i) begin
      written_q <= '0;
      taken_q   <= '0;
      active_q  <= 1'b0;
    end
  end

  // ---- What was dropped ----------------------------------------------------------------------------------------------
  localparam int unsigned DropW = $clog2(tm_pkg::Dropped);
  logic [DropW:0] dropped_q, freed_q;
  logic walks, steps, steps_q, ends;
  logic [CellW-1:0] drop_first, walked_q, at_cell;
  logic [CellsW-1:0] drop_cells, done_q;
  ram_async #(
    .Width(CellW + CellsW),
    .Depth(tm_pkg::Dropped)
  ) u_dropped (
    .clk_i,
    .we_i   (drop_i),
    .waddr_i(dropped_q[DropW-1:0]),
    .wdata_i({drop_first_i, drop_cells_i}),
    .raddr_i(freed_q[DropW-1:0]),
    .rdata_o({drop_first, drop_cells})
  );
  assign walks   = dropped_q != freed_q;
  assign drops_o = walks;
  assign steps   = walks && !follows && !gives;
  assign at_cell = done_q == '0 ? drop_first : steps_q ? follow_to_i : walked_q;
  assign ends    = steps && done_q + 1'b1 == drop_cells;

  always_ff @(posedge clk_i) begin
    dropped_q <= dropped_q + (DropW + 1)'(drop_i);
    freed_q   <= freed_q + (DropW + 1)'(ends);
    steps_q   <= steps;
    walked_q  <= at_cell;
    if (steps) done_q <= ends ? '0 : done_q + 1'b1;
    if (rst_i) begin
      dropped_q <= '0;
      freed_q   <= '0;
      done_q    <= '0;
    end
  end

  assign follow_o      = follows || steps;
  assign follow_from_o = follows ? current : at_cell;
  assign give_o        = gives || steps;
  assign give_number_o = gives ? current : at_cell;

`ifndef SYNTHESIS
  cover_back_to_back : cover property (@(posedge clk_i) active_q && loads);
  cover_several_wait : cover property (@(posedge clk_i) written_q - taken_q > (PortW + 1)'(1));
  cover_step_waits : cover property (@(posedge clk_i) walks && !steps);
  cover_chain : cover property (@(posedge clk_i) steps && done_q != '0);
  assert property (@(posedge clk_i) disable iff (rst_i) leave_i |-> written_q - taken_q != (PortW + 1)'(1 << PortW))
  else $error("%m: more packets leave than ports ask for");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   drop_i |-> dropped_q - freed_q != (DropW + 1)'(tm_pkg::Dropped))
  else $error("%m: more packets are dropped than may wait");
`endif
endmodule
