// The output of a port: a queue of beats that the user may hold back. A packet is put in only if all of it has room, so this
// is never full when a beat comes.
module tm_output #(
  parameter int unsigned DataW = 512,
  /// A power of two.
  parameter int unsigned Places = 64,
  /// Bits of `tuser`.
  parameter int unsigned UserW = 3,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned LaneW = $clog2(Lanes)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             beat_i,
  input  logic [DataW-1:0] data_i,
  input  logic [LaneW-1:0] lanes_i,
  input  logic             last_i,
  input  logic [UserW-1:0] user_i,
  output logic             m_tvalid_o,
  input  logic             m_tready_i,
  output logic [DataW-1:0] m_tdata_o,
  output logic [Lanes-1:0] m_tkeep_o,
  output logic             m_tlast_o,
  output logic [UserW-1:0] m_tuser_o
);
  localparam int unsigned PlaceW = $clog2(Places);
  logic [PlaceW:0] written_q, read_q;
  logic reads;
  logic [LaneW-1:0] lanes;

  // What is shown was read a cycle before; the memory keeps it while nothing is read.
  assign reads = written_q != read_q && (!m_tvalid_o || m_tready_i);
  always_ff @(posedge clk_i) begin
    written_q <= written_q + (PlaceW + 1)'(beat_i);
    read_q    <= read_q + (PlaceW + 1)'(reads);
    if (reads) m_tvalid_o <= 1'b1;
    else if (m_tready_i) m_tvalid_o <= 1'b0;
    if (rst_i) begin
      written_q  <= '0;
      read_q     <= '0;
      m_tvalid_o <= 1'b0;
    end
  end

  ram_1r1w #(
    .Width(DataW + LaneW + 1 + UserW),
    .Depth(Places)
  ) u_beats (
    .clk_i,
    .we_i   (beat_i),
    .waddr_i(written_q[PlaceW-1:0]),
    .wdata_i({data_i, lanes_i, last_i, user_i}),
    .re_i   (reads),
    .raddr_i(read_q[PlaceW-1:0]),
    .rdata_o({m_tdata_o, lanes, m_tlast_o, m_tuser_o})
  );
  assign m_tkeep_o = '1 >> ~lanes;

`ifndef SYNTHESIS
  cover_held : cover property (@(posedge clk_i) m_tvalid_o && !m_tready_i);
  assert property (@(posedge clk_i) disable iff (rst_i) beat_i |-> written_q - read_q != (PlaceW + 1)'(Places))
  else $error("%m: a beat comes and there is no place");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   m_tvalid_o && !m_tready_i |=> rst_i || (m_tvalid_o && $stable(m_tdata_o) && $stable(m_tlast_o)))
  else $error("%m: a beat changes while it is held back");
`endif
endmodule
