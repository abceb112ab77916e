// The traffic manager as `forebay replay --rtl` drives it: what its inner parts decide is told as well, so that the switch of
// the library can follow, event by event. Not for synthesis.
module tm_replay #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 2,
  parameter int unsigned Cells = 512,
  parameter int unsigned LargestBytes = 1536,
  parameter int unsigned AlphaLog2 = 3,
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 16,
  parameter int unsigned Scheduler = 0,
  parameter int unsigned FieldBits = 12,
  parameter int unsigned Fraction = 5,
  parameter int unsigned RankBits = 2,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned QueueW = parameter_pkg::index_width(Ports * Classes),
  localparam int unsigned FieldW = tm_pkg::field_width(Scheduler, Ports, Levels, Width, FieldBits)
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  output logic                         ready_o,
  output logic             [     31:0] ports_o,
  output logic             [     31:0] lanes_o,
  // In, with the parts of `tuser` one by one.
  input  logic                         s_tvalid_i,
  output logic                         s_tready_o,
  input  logic             [DataW-1:0] s_tdata_i,
  input  logic             [Lanes-1:0] s_tkeep_i,
  input  logic                         s_tlast_i,
  input  logic             [     31:0] s_field_i,
  input  logic             [     31:0] s_class_i,
  input  logic             [     31:0] s_port_i,
  input  logic             [     31:0] s_source_i,
  // Out.
  output logic             [Ports-1:0] m_tvalid_o,
  input  logic             [Ports-1:0] m_tready_i,
  output logic [Ports-1:0] [DataW-1:0] m_tdata_o,
  output logic [Ports-1:0] [Lanes-1:0] m_tkeep_o,
  output logic             [Ports-1:0] m_tlast_o,
  output logic [Ports-1:0] [      7:0] m_class_o,
  output logic [Ports-1:0] [      7:0] m_source_o,
  // Registers.
  input  logic             [     11:0] csr_addr_i,
  input  logic                         csr_write_i,
  input  logic                         csr_read_i,
  input  logic             [     31:0] csr_wdata_i,
  output logic                         csr_rvalid_o,
  output logic             [     31:0] csr_rdata_o,
  // What happens in a cycle.
  output logic                         malformed_o,
  output logic                         verdict_o,
  output logic             [      7:0] verdict_what_o,
  output logic             [     15:0] verdict_queue_o,
  output logic             [     31:0] verdict_bytes_o,
  output logic                         linked_o,
  output logic             [     15:0] linked_queue_o,
  output logic                         request_o,
  output logic             [      7:0] request_port_o,
  output logic                         none_o,
  output logic             [     15:0] none_queue_o,
  output logic                         left_o,
  output logic                         left_expelled_o,
  output logic             [     15:0] left_queue_o,
  output logic             [     31:0] left_bytes_o,
  output logic             [     31:0] free_o
);
  localparam int unsigned BytesW = $clog2(LargestBytes + 1);
  localparam int unsigned OutUserW = ClassW + PortW;
  tm_pkg::verdict_e verdict;
  logic [QueueW-1:0] verdict_queue, left_queue;
  logic [BytesW-1:0] verdict_bytes, left_bytes;
  logic [Ports-1:0][OutUserW-1:0] user;
  logic [1:0][1:0] unused_resp;
  logic [3:0] unused_handshakes;

  tm #(
    .Ports        (Ports),
    .Classes      (Classes),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Cells        (Cells),
    .LargestBytes (LargestBytes),
    .AlphaLog2    (AlphaLog2),
    .Levels       (Levels),
    .Width        (Width),
    .Scheduler    (Scheduler),
    .FieldBits    (FieldBits),
    .Fraction     (Fraction),
    .RankBits     (RankBits)
  ) u_tm (
    .clk_i,
    .rst_i,
    .ready_o,
    .s_tvalid_i,
    .s_tready_o,
    .s_tdata_i,
    .s_tkeep_i,
    .s_tlast_i,
    .s_tuser_i      ({FieldW'(s_field_i), ClassW'(s_class_i), PortW'(s_port_i), PortW'(s_source_i)}),
    .m_tvalid_o,
    .m_tready_i,
    .m_tdata_o,
    .m_tkeep_o,
    .m_tlast_o,
    .m_tuser_o      (user),
    .csr_awaddr_i   (csr_addr_i),
    .csr_awvalid_i  (csr_write_i),
    .csr_awready_o  (unused_handshakes[0]),
    .csr_wdata_i,
    .csr_wstrb_i    ('1),
    .csr_wvalid_i   (csr_write_i),
    .csr_wready_o   (unused_handshakes[1]),
    .csr_bresp_o    (unused_resp[0]),
    .csr_bvalid_o   (unused_handshakes[2]),
    .csr_bready_i   (1'b1),
    .csr_araddr_i   (csr_addr_i),
    .csr_arvalid_i  (csr_read_i),
    .csr_arready_o  (unused_handshakes[3]),
    .csr_rdata_o,
    .csr_rresp_o    (unused_resp[1]),
    .csr_rvalid_o,
    .csr_rready_i   (1'b1),
    .ver_valid_o    (verdict_o),
    .ver_verdict_o  (verdict),
    .ver_queue_o    (verdict_queue),
    .ver_bytes_o    (verdict_bytes),
    .left_valid_o   (left_o),
    .left_expelled_o,
    .left_queue_o   (left_queue),
    .left_bytes_o   (left_bytes)
  );

  assign ports_o         = Ports;
  assign lanes_o         = Lanes;
  assign verdict_what_o  = 8'(verdict);
  assign verdict_queue_o = 16'(verdict_queue);
  assign verdict_bytes_o = 32'(verdict_bytes);
  assign left_queue_o    = 16'(left_queue);
  assign left_bytes_o    = 32'(left_bytes);
  assign malformed_o     = u_tm.malformed;
  assign linked_o        = u_tm.u_ports.linked_o;
  assign linked_queue_o  = 16'(u_tm.u_ports.done_queue_i);
  assign request_o       = u_tm.u_ports.requests;
  assign request_port_o  = 8'(u_tm.u_ports.chosen);
  assign none_o          = u_tm.u_ports.none_i;
  assign none_queue_o    = 16'(u_tm.u_ports.none_queue_i);
  assign free_o          = 32'(u_tm.free);
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign m_class_o[p]  = 8'(user[p][OutUserW-1-:ClassW]);
    assign m_source_o[p] = 8'(user[p][PortW-1:0]);
  end

  logic unused;
  assign unused = ^{unused_resp, unused_handshakes, s_field_i, s_class_i, s_port_i, s_source_i};
endmodule
