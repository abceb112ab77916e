// Stores what was admitted: a beat per cycle from `tm_ingress` into the cells that it takes from the free list. When the
// last beat is there, the packet is told (`done_o`), and waits until it has been linked. What was refused is skipped.
module tm_store #(
  parameter int unsigned BytesW = 11,
  parameter int unsigned CellsW = 3,
  parameter int unsigned HeaderW = 8,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 2,
  parameter int unsigned Memory = 512,
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned AddressW = CellW + CellBeatsLog2
) (
  input  logic                clk_i,
  input  logic                rst_i,
  // The first packet that has a verdict.
  input  logic                head_i,
  input  logic                head_admitted_i,
  input  logic [ HeaderW-1:0] head_header_i,
  input  logic [  BytesW-1:0] head_bytes_i,
  input  logic [  CellsW-1:0] head_cells_i,
  output logic                read_o,
  output logic                last_o,
  output logic                skip_o,
  input  logic [   DataW-1:0] data_i,
  // The free list.
  output logic                take_o,
  input  logic [   CellW-1:0] number_i,
  input  logic                empty_i,
  // The cells' data, and the pointer from a cell to the next of its packet.
  output logic                write_o,
  output logic [AddressW-1:0] write_address_o,
  output logic [   DataW-1:0] write_data_o,
  output logic                chain_o,
  output logic [   CellW-1:0] chain_from_o,
  output logic [   CellW-1:0] chain_to_o,
  // A packet is complete.
  output logic                done_o,
  output logic [ HeaderW-1:0] done_header_o,
  output logic [   CellW-1:0] done_first_o,
  output logic [  BytesW-1:0] done_bytes_o,
  output logic [  CellsW-1:0] done_cells_o,
  input  logic                linked_i
);
  localparam int unsigned Lanes = DataW / 8;
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned BeatW = BytesW + 1;
  localparam int unsigned Mask = (1 << CellBeatsLog2) - 1;

  logic [BeatW-1:0] at_q, beats;
  logic [CellW-1:0] first_q, cell_q, first, current;
  logic begins, begins_cell, moves;

  assign beats       = BeatW'((32'(head_bytes_i) + Lanes - 1) >> LaneW);
  assign begins      = at_q == '0;
  assign begins_cell = (32'(at_q) & Mask) == 0;
  assign moves       = head_i && head_admitted_i && (!done_o || linked_i) && !(begins_cell && empty_i);
  assign read_o      = moves;
  assign last_o      = at_q + 1'b1 == beats;
  assign skip_o      = head_i && !head_admitted_i;
  assign take_o      = moves && begins_cell;
  assign current     = begins_cell ? number_i : cell_q;
  assign first       = begins ? number_i : first_q;
  assign chain_o      = take_o && !begins;
  assign chain_from_o = cell_q;
  assign chain_to_o   = number_i;

  logic [AddressW-1:0] address;
  if (CellBeatsLog2 == 0) begin : gen_beat
    assign address = current;
  end else begin : gen_beats
    assign address = {current, at_q[CellBeatsLog2-1:0]};
  end

  always_ff @(posedge clk_i) begin
    write_o         <= moves && !rst_i;
    write_address_o <= address;
    if (moves) begin
      at_q    <= last_o ? '0 : at_q + 1'b1;
      first_q <= first;
      cell_q  <= current;
    end
    if (linked_i) done_o <= 1'b0;
    if (moves && last_o) begin
      done_o        <= 1'b1;
      done_header_o <= head_header_i;
      done_first_o  <= first;
      done_bytes_o  <= head_bytes_i;
      done_cells_o  <= head_cells_i;
    end
    if (rst_i) begin
      at_q   <= '0;
      done_o <= 1'b0;
    end
  end
  assign write_data_o = data_i;

`ifndef SYNTHESIS
  cover_not_linked : cover property (@(posedge clk_i) done_o && !linked_i);
  assert property (@(posedge clk_i) disable iff (rst_i) linked_i |-> done_o)
  else $error("%m: a packet is linked that is not complete");
  assert property (@(posedge clk_i) disable iff (rst_i) head_i && head_admitted_i && begins_cell |-> !empty_i)
  else $error("%m: a packet was let in and finds no cell");
  assert property (@(posedge clk_i) disable iff (rst_i) moves && last_o |->
                   32'(head_cells_i) == (32'(at_q) >> CellBeatsLog2) + 1)
  else $error("%m: a packet does not take the cells that it asked for");
`endif
endmodule
