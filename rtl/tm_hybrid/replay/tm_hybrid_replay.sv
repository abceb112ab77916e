// The hybrid traffic manager before a timing model of HBM, as its bench and `forebay replay --rtl` drive it: what
// is decided in each cycle is told as well, so that the golden model can follow. Not for synthesis.
module tm_hybrid_replay #(
  parameter int unsigned Ports = 4,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 5,
  parameter int unsigned LargestBytes = 1536,
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 8,
  parameter int unsigned SlotBits = 11,
  parameter int unsigned Near = 1024,
  parameter int unsigned High = 819,
  parameter int unsigned Low = 512,
  parameter int unsigned Batch = 8,
  parameter int unsigned Groups = 2,
  parameter int unsigned Regions = 256,
  parameter int unsigned Reads = 16,
  parameter int unsigned Departures = 16,
  /// The HBM's, as `tm_hybrid_hbm` has them.
  parameter int unsigned RowBytesLog2 = 14,
  parameter int unsigned Banks = 16,
  parameter int unsigned Rcd = 4,
  parameter int unsigned Rp = 4,
  parameter int unsigned Cl = 4,
  parameter int unsigned Cwl = 2,
  parameter int unsigned Rtw = 5,
  parameter int unsigned Wtr = 2,
  parameter int unsigned Refi = 975,
  parameter int unsigned Rfc = 88,
  parameter int unsigned BeatCycles = 1,
  parameter int unsigned Path = 20,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned RankW = Levels * parameter_pkg::index_width(Width),
  localparam int unsigned BytesW = $clog2(LargestBytes + 1)
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
  input  logic             [     31:0] s_rank_i,
  input  logic             [     31:0] s_port_i,
  input  logic             [     31:0] s_source_i,
  // Out.
  output logic             [Ports-1:0] m_tvalid_o,
  input  logic             [Ports-1:0] m_tready_i,
  output logic [Ports-1:0] [DataW-1:0] m_tdata_o,
  output logic [Ports-1:0] [Lanes-1:0] m_tkeep_o,
  output logic             [Ports-1:0] m_tlast_o,
  output logic [Ports-1:0] [      7:0] m_source_o,
  // Registers.
  input  logic             [     11:0] csr_addr_i,
  input  logic                         csr_write_i,
  input  logic                         csr_read_i,
  input  logic             [     31:0] csr_wdata_i,
  output logic                         csr_rvalid_o,
  output logic             [     31:0] csr_rdata_o,
  output logic             [      1:0] csr_rresp_o,
  /// As a bench likes: the HBM takes no address of a write, no beat, no address of a read.
  input  logic             [      2:0] hbm_stall_i,
  output logic             [     31:0] row_hits_o,
  output logic             [     31:0] row_misses_o,
  // What is decided in a cycle: of what,
  output logic                         malformed_o,
  output logic                         arrive_valid_o,
  output logic             [     31:0] arrive_rank_o,
  output logic                         depart_valid_o,
  output logic                         batch_ready_o,
  output logic                         swap_in_ready_o,
  // and what.
  output logic                         arrived_o,
  output logic                         lost_o,
  output logic                         departs_o,
  output logic                         answer_o,
  output logic             [      7:0] answer_op_o,
  output logic             [      7:0] answer_status_o,
  output logic                         answer_far_o,
  output logic             [     31:0] answer_rank_o,
  output logic             [     31:0] staged_o,
  output logic                         verdict_o,
  output logic             [      7:0] verdict_what_o,
  output logic             [      7:0] verdict_port_o,
  output logic             [     31:0] verdict_bytes_o,
  output logic                         left_o,
  output logic             [      7:0] left_how_o,
  output logic             [      7:0] left_port_o,
  output logic             [     31:0] left_bytes_o,
  // What there is.
  output logic             [     31:0] near_o,
  output logic             [     31:0] far_o,
  output logic             [     31:0] cells_o,
  output logic             [     31:0] free_cells_o,
  output logic             [     31:0] free_regions_o,
  /// Nothing is under way: no write, no read, no departure.
  output logic                         rests_o
);
  localparam int unsigned WriteIdW = $clog2(Batch);
  localparam int unsigned ReadIdW = $clog2(Reads);
  localparam int unsigned FarW = parameter_pkg::index_width(Regions * Batch);
  localparam int unsigned AddrW = FarW + CellBeatsLog2 + $clog2(Lanes);

  tm_hybrid_pkg::verdict_e verdict;
  tm_hybrid_pkg::leave_e how;
  logic [PortW-1:0] verdict_port, left_port;
  logic [BytesW-1:0] verdict_bytes, left_bytes;
  logic [Ports-1:0][PortW-1:0] user;
  logic [1:0] unused_resp;
  logic [3:0] unused_handshakes;

  logic awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready, rlast;
  logic [WriteIdW-1:0] awid, bid;
  logic [ReadIdW-1:0] arid, rid;
  logic [AddrW-1:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic [DataW-1:0] wdata, rdata;
  logic [Lanes-1:0] unused_strb;
  logic [1:0][2:0] unused_size;
  logic [1:0][1:0] unused_burst;

  tm_hybrid #(
    .Ports        (Ports),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .LargestBytes (LargestBytes),
    .Levels       (Levels),
    .Width        (Width),
    .SlotBits     (SlotBits),
    .Near         (Near),
    .High         (High),
    .Low          (Low),
    .Batch        (Batch),
    .Groups       (Groups),
    .Regions      (Regions),
    .Reads        (Reads),
    .Departures   (Departures)
  ) u_tm (
    .clk_i,
    .rst_i,
    .ready_o,
    .s_tvalid_i,
    .s_tready_o,
    .s_tdata_i,
    .s_tkeep_i,
    .s_tlast_i,
    .s_tuser_i      ({RankW'(s_rank_i), PortW'(s_port_i), PortW'(s_source_i)}),
    .m_tvalid_o,
    .m_tready_i,
    .m_tdata_o,
    .m_tkeep_o,
    .m_tlast_o,
    .m_tuser_o      (user),
    .m_axi_awvalid_o(awvalid),
    .m_axi_awready_i(awready),
    .m_axi_awid_o   (awid),
    .m_axi_awaddr_o (awaddr),
    .m_axi_awlen_o  (awlen),
    .m_axi_awsize_o (unused_size[0]),
    .m_axi_awburst_o(unused_burst[0]),
    .m_axi_wvalid_o (wvalid),
    .m_axi_wready_i (wready),
    .m_axi_wdata_o  (wdata),
    .m_axi_wstrb_o  (unused_strb),
    .m_axi_wlast_o  (wlast),
    .m_axi_bvalid_i (bvalid),
    .m_axi_bready_o (bready),
    .m_axi_bid_i    (bid),
    .m_axi_bresp_i  (2'b00),
    .m_axi_arvalid_o(arvalid),
    .m_axi_arready_i(arready),
    .m_axi_arid_o   (arid),
    .m_axi_araddr_o (araddr),
    .m_axi_arlen_o  (arlen),
    .m_axi_arsize_o (unused_size[1]),
    .m_axi_arburst_o(unused_burst[1]),
    .m_axi_rvalid_i (rvalid),
    .m_axi_rready_o (rready),
    .m_axi_rid_i    (rid),
    .m_axi_rdata_i  (rdata),
    .m_axi_rresp_i  (2'b00),
    .m_axi_rlast_i  (rlast),
    .csr_awaddr_i   (csr_addr_i),
    .csr_awvalid_i  (csr_write_i),
    .csr_awready_o  (unused_handshakes[0]),
    .csr_wdata_i,
    .csr_wstrb_i    ('1),
    .csr_wvalid_i   (csr_write_i),
    .csr_wready_o   (unused_handshakes[1]),
    .csr_bresp_o    (unused_resp),
    .csr_bvalid_o   (unused_handshakes[2]),
    .csr_bready_i   (1'b1),
    .csr_araddr_i   (csr_addr_i),
    .csr_arvalid_i  (csr_read_i),
    .csr_arready_o  (unused_handshakes[3]),
    .csr_rdata_o,
    .csr_rresp_o,
    .csr_rvalid_o,
    .csr_rready_i   (1'b1),
    .ver_valid_o    (verdict_o),
    .ver_verdict_o  (verdict),
    .ver_port_o     (verdict_port),
    .ver_bytes_o    (verdict_bytes),
    .left_valid_o   (left_o),
    .left_how_o     (how),
    .left_port_o    (left_port),
    .left_bytes_o   (left_bytes)
  );

  tm_hybrid_hbm #(
    .DataW       (DataW),
    .AddrW       (AddrW),
    .WriteIdW    (WriteIdW),
    .ReadIdW     (ReadIdW),
    .Words       (Regions * Batch << CellBeatsLog2),
    .Banks       (Banks),
    .RowBytesLog2(RowBytesLog2),
    .Rcd         (Rcd),
    .Rp          (Rp),
    .Cl          (Cl),
    .Cwl         (Cwl),
    .Rtw         (Rtw),
    .Wtr         (Wtr),
    .Refi        (Refi),
    .Rfc         (Rfc),
    .BeatCycles  (BeatCycles),
    .Path        (Path)
  ) u_hbm (
    .clk_i,
    .rst_i,
    .stall_i  (hbm_stall_i),
    .awvalid_i(awvalid),
    .awready_o(awready),
    .awid_i   (awid),
    .awaddr_i (awaddr),
    .awlen_i  (awlen),
    .wvalid_i (wvalid),
    .wready_o (wready),
    .wdata_i  (wdata),
    .wlast_i  (wlast),
    .bvalid_o (bvalid),
    .bready_i (bready),
    .bid_o    (bid),
    .arvalid_i(arvalid),
    .arready_o(arready),
    .arid_i   (arid),
    .araddr_i (araddr),
    .arlen_i  (arlen),
    .rvalid_o (rvalid),
    .rready_i (rready),
    .rid_o    (rid),
    .rdata_o  (rdata),
    .rlast_o  (rlast),
    .row_hits_o,
    .row_misses_o
  );

  assign ports_o         = Ports;
  assign lanes_o         = Lanes;
  assign malformed_o     = u_tm.malformed;
  assign arrive_valid_o  = u_tm.done;
  assign arrive_rank_o   = 32'(u_tm.done_rank);
  assign depart_valid_o  = u_tm.departs;
  assign batch_ready_o   = u_tm.batch_ready;
  assign swap_in_ready_o = u_tm.swap_in_ready;
  assign arrived_o       = u_tm.done && u_tm.arrives;
  assign lost_o          = u_tm.lost;
  assign departs_o       = u_tm.depart_ready;
  assign answer_o        = u_tm.answered;
  assign answer_op_o     = 8'(u_tm.op);
  assign answer_status_o = 8'(u_tm.status);
  assign answer_far_o    = u_tm.answer_far;
  assign answer_rank_o   = 32'(u_tm.answer_rank);
  assign staged_o        = 32'(u_tm.u_manager.staged);
  assign verdict_what_o  = 8'(verdict);
  assign verdict_port_o  = 8'(verdict_port);
  assign verdict_bytes_o = 32'(verdict_bytes);
  assign left_how_o      = 8'(how);
  assign left_port_o     = 8'(left_port);
  assign left_bytes_o    = 32'(left_bytes);
  assign near_o          = 32'(u_tm.near);
  assign far_o           = 32'(u_tm.far);
  assign cells_o         = u_tm.Memory;
  assign free_cells_o    = 32'(u_tm.free_cells);
  assign free_regions_o  = 32'(u_tm.free_regions);
  assign rests_o         = !u_tm.head && !u_tm.done && !u_tm.busy && u_tm.reading_q == '0 && u_tm.departing_q == '0
                           && u_tm.u_manager.staged == '0;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign m_source_o[p] = 8'(user[p]);
  end

  logic unused;
  assign unused = ^{unused_resp, unused_handshakes, unused_strb, unused_size, unused_burst, s_rank_i, s_port_i,
                    s_source_i};
endmodule
