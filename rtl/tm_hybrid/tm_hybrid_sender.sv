// Packets out: what departs is sent in its order, a beat per cycle out of the cells, one packet after the other, as soon as
// its bytes are in SRAM and its port has room for all of it. Then its cell is given back.
module tm_hybrid_sender #(
  parameter int unsigned Ports = 4,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 5,
  parameter int unsigned Memory = 512,
  parameter int unsigned BytesW = 11,
  parameter int unsigned LargestBeats = 24,
  /// Departures that may wait, a power of two.
  parameter int unsigned Departures = 16,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned LaneW = $clog2(Lanes),
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned AddressW = CellW + CellBeatsLog2,
  // Two packets, so that one is put in while another goes out.
  localparam int unsigned OutBeats = 1 << $clog2(2 * LargestBeats + 1)
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  // A packet departs; there is a place for it.
  input  logic                         send_i,
  input  logic [CellW-1:0]             send_cell_i,
  input  logic [BytesW-1:0]            send_bytes_i,
  input  logic [PortW-1:0]             send_port_i,
  input  logic [PortW-1:0]             send_source_i,
  // The next one's cell, and whether its bytes are still to come.
  output logic [CellW-1:0]             next_cell_o,
  input  logic                         next_pending_i,
  // The cells: a beat is there in the cycle after it is read.
  output logic                         read_o,
  output logic [AddressW-1:0]          read_address_o,
  input  logic [DataW-1:0]             read_data_i,
  // A cell has been sent.
  output logic                         sent_o,
  output logic [CellW-1:0]             sent_cell_o,
  input  logic                         sent_ready_i,
  output logic [Ports-1:0]             m_tvalid_o,
  input  logic [Ports-1:0]             m_tready_i,
  output logic [Ports-1:0][DataW-1:0]  m_tdata_o,
  output logic [Ports-1:0][Lanes-1:0]  m_tkeep_o,
  output logic [Ports-1:0]             m_tlast_o,
  output logic [Ports-1:0][PortW-1:0]  m_tuser_o
);
  localparam int unsigned DepartW = $clog2(Departures);
  localparam int unsigned RoomW = $clog2(OutBeats + 1);
  localparam int unsigned BeatW = BytesW + 1;

  // ---- What waits to be sent ---------------------------------------------------------------------------------------
  logic [DepartW:0] written_q, taken_q;
  logic waits, loads, active_q, moves, last, room;
  logic [CellW-1:0] cell_q;
  logic [BytesW-1:0] bytes, bytes_q;
  logic [PortW-1:0] port, port_q, source, source_q;
  logic [BeatW-1:0] at_q;
  logic [RoomW-1:0] used_q[Ports];

  ram_async #(
    .Width(CellW + BytesW + 2 * PortW),
    .Depth(Departures)
  ) u_waiting (
    .clk_i,
    .we_i   (send_i),
    .waddr_i(written_q[DepartW-1:0]),
    .wdata_i({send_cell_i, send_bytes_i, send_port_i, send_source_i}),
    .raddr_i(taken_q[DepartW-1:0]),
    .rdata_o({next_cell_o, bytes, port, source})
  );
  assign waits = written_q != taken_q;
  always_comb begin
    room = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (port == PortW'(p)) room = 32'(used_q[p]) + LargestBeats < OutBeats;
    end
  end
  assign loads = waits && room && !next_pending_i && (!active_q || (moves && last));

  // ---- The packet that is sent -------------------------------------------------------------------------------------
  logic beat_q, beat_last_q;
  logic [PortW-1:0] beat_port_q, beat_source_q;
  logic [LaneW-1:0] beat_lanes_q;
  assign last           = (32'(at_q) + 1) << LaneW >= 32'(bytes_q);
  // The last beat waits until the cell of the packet before it is given back.
  assign moves          = active_q && !(last && sent_o && !sent_ready_i);
  assign read_o         = moves;
  assign read_address_o = (AddressW'(cell_q) << CellBeatsLog2) | AddressW'(at_q);

  always_ff @(posedge clk_i) begin
    written_q <= written_q + (DepartW + 1)'(send_i);
    taken_q   <= taken_q + (DepartW + 1)'(loads);
    if (sent_ready_i) sent_o <= 1'b0;
    beat_q        <= moves;
    beat_last_q   <= last;
    beat_port_q   <= port_q;
    beat_source_q <= source_q;
    beat_lanes_q  <= last ? LaneW'(bytes_q - 1'b1) : '1;
    if (moves) begin
      at_q <= at_q + 1'b1;
      if (last) begin
        active_q    <= 1'b0;
        sent_o      <= 1'b1;
        sent_cell_o <= cell_q;
      end
    end
    if (loads) begin
      active_q <= 1'b1;
      at_q     <= '0;
      cell_q   <= next_cell_o;
      bytes_q  <= bytes;
      port_q   <= port;
      source_q <= source;
    end
    for (int unsigned p = 0; p < Ports; p++) begin
      used_q[p] <= used_q[p] + RoomW'(moves && port_q == PortW'(p)) - RoomW'(m_tvalid_o[p] && m_tready_i[p]);
      if (rst_i) used_q[p] <= '0;
    end
    if (rst_i) begin
      written_q <= '0;
      taken_q   <= '0;
      active_q  <= 1'b0;
      sent_o    <= 1'b0;
      beat_q    <= 1'b0;
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    tm_output #(
      .DataW (DataW),
      .Places(OutBeats),
      .UserW (PortW)
    ) u_output (
      .clk_i,
      .rst_i,
      .beat_i    (beat_q && beat_port_q == PortW'(p)),
      .data_i    (read_data_i),
      .lanes_i   (beat_lanes_q),
      .last_i    (beat_last_q),
      .user_i    (beat_source_q),
      .m_tvalid_o(m_tvalid_o[p]),
      .m_tready_i(m_tready_i[p]),
      .m_tdata_o (m_tdata_o[p]),
      .m_tkeep_o (m_tkeep_o[p]),
      .m_tlast_o (m_tlast_o[p]),
      .m_tuser_o (m_tuser_o[p])
    );
  end

`ifndef SYNTHESIS
  cover_back_to_back : cover property (@(posedge clk_i) active_q && loads);
  cover_waits_for_bytes : cover property (@(posedge clk_i) waits && next_pending_i);
  cover_waits_for_room : cover property (@(posedge clk_i) waits && !room);
  assert property (@(posedge clk_i) disable iff (rst_i)
                   send_i |-> written_q - taken_q != (DepartW + 1)'(Departures))
  else $error("%m: more packets depart than may wait");
`endif
endmodule
