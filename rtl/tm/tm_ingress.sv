// Packets in: a beat per cycle into a memory for whole packets. A complete one asks for buffer; one that is malformed, or
// for a port that is closed, is forgotten. What was admitted is read out by `tm_store`, what was not is skipped.
//
// The length is counted, so that no field has to be trusted. Malformed are: more bytes than `LargestBytes`, a last beat
// without bytes, holes in `tkeep`, a beat before the last that is not full, a port that there is not. `tuser` counts at the
// first beat. The input waits only while this memory is full, or as many packets as it has headers for are pending.
module tm_ingress #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  /// Bits of the scheduler's field, and of what it makes of that and the length.
  parameter int unsigned FieldW = 6,
  parameter int unsigned KeyW = 6,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 2,
  parameter int unsigned LargestBytes = 1536,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned LargestBeats = (LargestBytes + Lanes - 1) / Lanes,
  localparam int unsigned LargestCells = (LargestBeats + (1 << CellBeatsLog2) - 1) >> CellBeatsLog2,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned BytesW = $clog2(LargestBytes + 1),
  localparam int unsigned CellsW = $clog2(LargestCells + 1),
  localparam int unsigned UserW = FieldW + ClassW + 2 * PortW
) (
  input  logic              clk_i,
  input  logic              rst_i,
  /// The device is ready.
  input  logic              ready_i,
  /// Ports that are open, and the largest packet that is let in.
  input  logic [ Ports-1:0] enable_i,
  input  logic [BytesW-1:0] length_i,
  input  logic              s_tvalid_i,
  output logic              s_tready_o,
  input  logic [ DataW-1:0] s_tdata_i,
  input  logic [ Lanes-1:0] s_tkeep_i,
  input  logic              s_tlast_i,
  input  logic [ UserW-1:0] s_tuser_i,
  // A cycle after the last beat: a packet is well-formed, refused by a register, or asks; or it is malformed.
  output logic              come_o,
  output logic              refused_o,
  output logic              malformed_o,
  output logic [ PortW-1:0] port_o,
  output logic [ClassW-1:0] class_o,
  output logic [BytesW-1:0] bytes_o,
  output logic [CellsW-1:0] cells_o,
  // The verdict of the first packet that has none.
  input  logic              verdict_i,
  input  logic              admitted_i,
  // The last beat of a packet that asks: what its key is made of. It comes later, or at once.
  output logic              key_valid_o,
  output logic [FieldW-1:0] key_field_o,
  output logic [BytesW-1:0] key_bytes_o,
  input  logic              key_valid_i,
  input  logic [  KeyW-1:0] key_i,
  // The first packet that has both.
  output logic              head_o,
  output logic              head_admitted_o,
  output logic [ PortW-1:0] head_port_o,
  output logic [ClassW-1:0] head_class_o,
  output logic [  KeyW-1:0] head_key_o,
  output logic [ PortW-1:0] head_source_o,
  output logic [BytesW-1:0] head_bytes_o,
  output logic [CellsW-1:0] head_cells_o,
  /// Its next beat is read, and is there in the next cycle; with `last_i` it was the last.
  input  logic              read_i,
  input  logic              last_i,
  /// It is skipped.
  input  logic              skip_i,
  output logic [ DataW-1:0] data_o
);
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned BeatW = $clog2(LargestBeats + 1);
  localparam int unsigned PlaceW = $clog2(2 * LargestBeats);
  localparam int unsigned HeaderW = $clog2(tm_pkg::Pending);

  // ---- The packet that is coming in ----------------------------------------------------------------------------------
  logic takes, first_q, wrong_q, wrong, beyond, dense, good, ends, refused;
  logic [UserW-1:0] user, user_q;
  logic [BeatW-1:0] beats_q;
  logic [LaneW:0] lanes;
  logic [BeatW+LaneW:0] bytes;
  logic [PlaceW:0] write_q, start_q, read_q;
  logic [PortW-1:0] source, port;
  logic [ClassW-1:0] class_given, class_used;
  logic [FieldW-1:0] field;

  assign takes = s_tvalid_i && s_tready_o;
  assign user  = first_q ? s_tuser_i : user_q;
  assign {field, class_given, port, source} = user;
  assign class_used = Classes == 1 ? '0 : class_given;
  assign dense  = s_tkeep_i[0] && (s_tkeep_i & (s_tkeep_i + 1'b1)) == '0;
  assign beyond = 32'(beats_q) == LargestBeats;
  assign lanes  = (LaneW + 1)'($countones(s_tkeep_i));
  assign bytes  = {1'b0, beats_q, {LaneW{1'b0}}} + (BeatW + LaneW + 1)'(lanes);
  assign wrong  = wrong_q || beyond || !dense || (!s_tlast_i && !(&s_tkeep_i)) || 32'(bytes) > LargestBytes
                  || 32'(port) >= Ports;
  assign ends = takes && s_tlast_i;
  assign good = ends && !wrong;
  // A port that there is not is malformed, so what is read here for it does not count.
  assign refused = !enable_i[port] || BytesW'(bytes) > length_i;

  always_ff @(posedge clk_i) begin
    if (takes) begin
      first_q <= s_tlast_i;
      user_q  <= user;
      wrong_q <= wrong && !s_tlast_i;
      if (!beyond) beats_q <= beats_q + 1'b1;
      if (!beyond) write_q <= write_q + 1'b1;
      if (s_tlast_i) begin
        beats_q <= '0;
        if (wrong || refused) write_q <= start_q;
        else start_q <= write_q + 1'b1;
      end
    end
    if (rst_i) begin
      first_q <= 1'b1;
      wrong_q <= 1'b0;
      beats_q <= '0;
      write_q <= '0;
      start_q <= '0;
    end
  end

  ram_1r1w #(
    .Width(DataW),
    .Depth(1 << PlaceW)
  ) u_beats (
    .clk_i,
    .we_i   (takes && !beyond),
    .waddr_i(write_q[PlaceW-1:0]),
    .wdata_i(s_tdata_i),
    .re_i   (read_i),
    .raddr_i(read_q[PlaceW-1:0]),
    .rdata_o(data_o)
  );

  // ---- It asks -------------------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    come_o      <= good && !rst_i;
    refused_o   <= refused;
    malformed_o <= ends && wrong && !rst_i;
    port_o      <= port;
    class_o     <= class_used;
    bytes_o     <= BytesW'(bytes);
    cells_o     <= CellsW'((32'(beats_q) + (1 << CellBeatsLog2)) >> CellBeatsLog2);
  end

  // ---- Headers: of packets that have no verdict yet, then of those that have one -------------------------------------
  logic [HeaderW:0] written_q, decided_q, keyed_q, done_q;
  logic [tm_pkg::Pending-1:0] admitted_q;
  logic [BeatW-1:0] head_beats;
  logic writes, done;
  assign writes = good && !refused;
  assign done   = skip_i || (read_i && last_i);
  assign key_valid_o = writes && !rst_i;
  assign key_field_o = field;
  assign key_bytes_o = BytesW'(bytes);

  ram_async #(
    .Width(PortW + ClassW + PortW + BytesW + BeatW),
    .Depth(tm_pkg::Pending)
  ) u_headers (
    .clk_i,
    .we_i   (writes),
    .waddr_i(written_q[HeaderW-1:0]),
    .wdata_i({port, class_used, source, BytesW'(bytes), BeatW'(beats_q + 1'b1)}),
    .raddr_i(done_q[HeaderW-1:0]),
    .rdata_o({head_port_o, head_class_o, head_source_o, head_bytes_o, head_beats})
  );

  ram_async #(
    .Width(KeyW),
    .Depth(tm_pkg::Pending)
  ) u_keys (
    .clk_i,
    .we_i   (key_valid_i),
    .waddr_i(keyed_q[HeaderW-1:0]),
    .wdata_i(key_i),
    .raddr_i(done_q[HeaderW-1:0]),
    .rdata_o(head_key_o)
  );
  assign head_o          = done_q != decided_q && done_q != keyed_q;
  assign head_admitted_o = admitted_q[done_q[HeaderW-1:0]];
  assign head_cells_o    = CellsW'((32'(head_beats) + (1 << CellBeatsLog2) - 1) >> CellBeatsLog2);

  always_ff @(posedge clk_i) begin
    written_q <= written_q + (HeaderW + 1)'(writes);
    decided_q <= decided_q + (HeaderW + 1)'(verdict_i);
    keyed_q   <= keyed_q + (HeaderW + 1)'(key_valid_i);
    done_q    <= done_q + (HeaderW + 1)'(done);
    if (verdict_i) admitted_q[decided_q[HeaderW-1:0]] <= admitted_i;
    if (read_i) read_q <= read_q + 1'b1;
    if (skip_i) read_q <= read_q + (PlaceW + 1)'(head_beats);
    if (rst_i) begin
      written_q <= '0;
      decided_q <= '0;
      keyed_q   <= '0;
      done_q    <= '0;
      read_q    <= '0;
    end
  end

  logic room_for_beat, room_for_header;
  assign room_for_beat   = write_q - read_q != (PlaceW + 1)'(1 << PlaceW);
  assign room_for_header = written_q - done_q != (HeaderW + 1)'(tm_pkg::Pending);
  assign s_tready_o      = ready_i && room_for_beat && room_for_header;

`ifndef SYNTHESIS
  cover_beyond : cover property (@(posedge clk_i) takes && beyond);
  cover_hole : cover property (@(posedge clk_i) takes && !dense);
  cover_short_beat : cover property (@(posedge clk_i) takes && !s_tlast_i && dense && !(&s_tkeep_i));
  cover_malformed : cover property (@(posedge clk_i) malformed_o);
  cover_refused : cover property (@(posedge clk_i) come_o && refused_o);
  cover_waits : cover property (@(posedge clk_i) s_tvalid_i && ready_i && !s_tready_o);
  cover_skip : cover property (@(posedge clk_i) skip_i);
  assert property (@(posedge clk_i) disable iff (rst_i) verdict_i |-> decided_q != written_q)
  else $error("%m: a verdict and no packet has asked");
  assert property (@(posedge clk_i) disable iff (rst_i) key_valid_i |-> keyed_q != written_q || writes)
  else $error("%m: a key and no packet has come");
  assert property (@(posedge clk_i) disable iff (rst_i) read_i || skip_i |-> head_o && !(read_i && skip_i))
  else $error("%m: a packet is taken that has no verdict");
`endif
endmodule
