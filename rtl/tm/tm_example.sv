// The traffic manager behind the port of a NIC's or a switch's datapath: four ports, a rank for each class, so that the
// first class goes first. A design's own table says which port a packet goes to; here it is in the stream's user field. The
// register bank is left at what it is after reset, and tells how many cells are free.
module tm_example #(
  localparam int unsigned DataW = 512,
  localparam int unsigned Lanes = DataW / 8
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,
  input  logic [     DataW-1:0] s_axis_tdata,
  input  logic [     Lanes-1:0] s_axis_tkeep,
  input  logic                  s_axis_tlast,
  /// The port that it came from, the port that it goes to, and its class.
  input  logic [           1:0] s_axis_tuser_source,
  input  logic [           1:0] s_axis_tuser_port,
  input  logic                  s_axis_tuser_class,
  output logic [3:0]            m_axis_tvalid,
  input  logic [3:0]            m_axis_tready,
  output logic [3:0][DataW-1:0] m_axis_tdata,
  output logic [3:0][Lanes-1:0] m_axis_tkeep,
  output logic [3:0]            m_axis_tlast,
  /// Its class, and the port that it came from.
  output logic [3:0][      2:0] m_axis_tuser,
  /// A packet was lost: it was not let in, or it was expelled.
  output logic                  lost_o,
  output logic [          15:0] free_o
);
  // A port has 64 ranks; a class's rank is its number.
  logic [5:0] rank;
  assign rank = 6'(s_axis_tuser_class);

  logic unused_ready, verdict, left, expelled;
  tm_pkg::verdict_e what;
  logic [1:0][2:0] unused_queue;
  logic [1:0][10:0] unused_bytes;
  logic [2:0] unused_csr;
  logic [1:0][1:0] unused_resp;
  logic [15:0] unused_high;
  logic unused_arready, unused_rvalid;
  assign lost_o = (verdict && what != tm_pkg::Admitted) || (left && expelled);

  tm u_tm (
    .clk_i,
    .rst_i,
    .ready_o        (unused_ready),
    .s_tvalid_i     (s_axis_tvalid),
    .s_tready_o     (s_axis_tready),
    .s_tdata_i      (s_axis_tdata),
    .s_tkeep_i      (s_axis_tkeep),
    .s_tlast_i      (s_axis_tlast),
    .s_tuser_i      ({rank, s_axis_tuser_class, s_axis_tuser_port, s_axis_tuser_source}),
    .m_tvalid_o     (m_axis_tvalid),
    .m_tready_i     (m_axis_tready),
    .m_tdata_o      (m_axis_tdata),
    .m_tkeep_o      (m_axis_tkeep),
    .m_tlast_o      (m_axis_tlast),
    .m_tuser_o      (m_axis_tuser),
    .csr_awaddr_i   ('0),
    .csr_awvalid_i  (1'b0),
    .csr_awready_o  (unused_csr[0]),
    .csr_wdata_i    ('0),
    .csr_wstrb_i    ('0),
    .csr_wvalid_i   (1'b0),
    .csr_wready_o   (unused_csr[1]),
    .csr_bresp_o    (unused_resp[0]),
    .csr_bvalid_o   (unused_csr[2]),
    .csr_bready_i   (1'b1),
    .csr_araddr_i   (12'(tm_csr_pkg::Free)),
    .csr_arvalid_i  (1'b1),
    .csr_arready_o  (unused_arready),
    .csr_rdata_o    ({unused_high, free_o}),
    .csr_rresp_o    (unused_resp[1]),
    .csr_rvalid_o   (unused_rvalid),
    .csr_rready_i   (1'b1),
    .ver_valid_o    (verdict),
    .ver_verdict_o  (what),
    .ver_queue_o    (unused_queue[0]),
    .ver_bytes_o    (unused_bytes[0]),
    .left_valid_o   (left),
    .left_expelled_o(expelled),
    .left_queue_o   (unused_queue[1]),
    .left_bytes_o   (unused_bytes[1])
  );
endmodule
