// A hybrid traffic manager: packets in, a buffer of SRAM and HBM under Themis, packets out in the order of their ranks.
//
// Source: Themis §4.1 (admission, swap-out, swap-in), §4.3 (priorities, loss), §5 and Fig. 8 (one queue for buffer and
// scheduler). Golden model: `forebay_buffer::ThemisManager`, cycle by cycle, for every decision; what the bytes do follows
// from it.
//
//   s_*     AXI4-Stream in; `s_tuser_i` is {rank, port, source}, read at a packet's first beat;
//   m_*     AXI4-Stream out of each port, with back pressure; `m_tuser_o` is the source;
//   m_axi_* AXI4 to the HBM; a burst is a packet;
//   csr_*   AXI4-Lite: registers and counters (docs/rtl-tm-hybrid-registers.md);
//   ver_*   a packet's verdict;
//   left_*  a packet leaves the queue: it is sent, or it is dropped.
//
// `tm_ingress` keeps a packet until it is complete, `tm_store` puts it into a cell of SRAM, and `themis_manager` decides. Of
// its answers `tm_hybrid_place` keeps where the bytes are; `tm_hybrid_writer` and `tm_hybrid_reader` move them,
// `tm_hybrid_sender` sends them. All ports share one queue, as in the paper: a port that is held back holds back what is
// behind its packet. A departure or a swap-in is asked for only while there is room for what becomes of it (credits), so no
// answer of the queue ever waits.
//
// `ready_o` is low after reset until all counters are clear, and `s_tready_o` with it.
module tm_hybrid #(
  /// Ports, 1 to 16.
  parameter int unsigned Ports = 4,
  /// Bits of a beat: a power of two, 16 to 1024.
  parameter int unsigned DataW = 512,
  /// A cell holds a packet: 2^CellBeatsLog2 beats, at most 4 KiB; 0 to 7.
  parameter int unsigned CellBeatsLog2 = 5,
  /// Bytes of the largest packet: 64 to a cell.
  parameter int unsigned LargestBytes = 1536,
  /// The queue: levels of its tree, bits of a bitmap, and bits of a slot's number, as `themis`.
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 8,
  parameter int unsigned SlotBits = 11,
  /// Packets that fit near, in SRAM, and the watermarks: Low < High < Near < 2^SlotBits.
  parameter int unsigned Near = 1024,
  parameter int unsigned High = 819,
  parameter int unsigned Low = 512,
  /// Packets of a batch, 2 to 64, and batches that are staged, 2 to 16: powers of two.
  parameter int unsigned Batch = 8,
  parameter int unsigned Groups = 2,
  /// Batches that fit in HBM, 2 to 65535.
  parameter int unsigned Regions = 256,
  /// Reads of HBM at a time, and departures under way: powers of two, 4 to 64.
  parameter int unsigned Reads = 16,
  parameter int unsigned Departures = 16,
  /// Derived.
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned CellBytes = Lanes << CellBeatsLog2,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned RankW = Levels * parameter_pkg::index_width(Width),
  localparam int unsigned BytesW = $clog2(LargestBytes + 1),
  localparam int unsigned InUserW = RankW + 2 * PortW,
  localparam int unsigned WriteIdW = $clog2(Batch),
  localparam int unsigned ReadIdW = $clog2(Reads),
  localparam int unsigned FarW = parameter_pkg::index_width(Regions * Batch),
  localparam int unsigned AddrW = FarW + CellBeatsLog2 + $clog2(Lanes)
) (
  input  logic                            clk_i,
  /// Synchronous.
  input  logic                            rst_i,
  output logic                            ready_o,
  input  logic                            s_tvalid_i,
  output logic                            s_tready_o,
  input  logic [     DataW-1:0]           s_tdata_i,
  input  logic [     Lanes-1:0]           s_tkeep_i,
  input  logic                            s_tlast_i,
  input  logic [   InUserW-1:0]           s_tuser_i,
  output logic [     Ports-1:0]           m_tvalid_o,
  input  logic [     Ports-1:0]           m_tready_i,
  output logic [     Ports-1:0][DataW-1:0] m_tdata_o,
  output logic [     Ports-1:0][Lanes-1:0] m_tkeep_o,
  output logic [     Ports-1:0]           m_tlast_o,
  output logic [     Ports-1:0][PortW-1:0] m_tuser_o,
  output logic                            m_axi_awvalid_o,
  input  logic                            m_axi_awready_i,
  output logic [  WriteIdW-1:0]           m_axi_awid_o,
  output logic [     AddrW-1:0]           m_axi_awaddr_o,
  output logic [           7:0]           m_axi_awlen_o,
  output logic [           2:0]           m_axi_awsize_o,
  output logic [           1:0]           m_axi_awburst_o,
  output logic                            m_axi_wvalid_o,
  input  logic                            m_axi_wready_i,
  output logic [     DataW-1:0]           m_axi_wdata_o,
  output logic [     Lanes-1:0]           m_axi_wstrb_o,
  output logic                            m_axi_wlast_o,
  input  logic                            m_axi_bvalid_i,
  output logic                            m_axi_bready_o,
  input  logic [  WriteIdW-1:0]           m_axi_bid_i,
  input  logic [           1:0]           m_axi_bresp_i,
  output logic                            m_axi_arvalid_o,
  input  logic                            m_axi_arready_i,
  output logic [   ReadIdW-1:0]           m_axi_arid_o,
  output logic [     AddrW-1:0]           m_axi_araddr_o,
  output logic [           7:0]           m_axi_arlen_o,
  output logic [           2:0]           m_axi_arsize_o,
  output logic [           1:0]           m_axi_arburst_o,
  input  logic                            m_axi_rvalid_i,
  output logic                            m_axi_rready_o,
  input  logic [   ReadIdW-1:0]           m_axi_rid_i,
  input  logic [     DataW-1:0]           m_axi_rdata_i,
  input  logic [           1:0]           m_axi_rresp_i,
  input  logic                            m_axi_rlast_i,
  input  logic [          11:0]           csr_awaddr_i,
  input  logic                            csr_awvalid_i,
  output logic                            csr_awready_o,
  input  logic [          31:0]           csr_wdata_i,
  input  logic [           3:0]           csr_wstrb_i,
  input  logic                            csr_wvalid_i,
  output logic                            csr_wready_o,
  output logic [           1:0]           csr_bresp_o,
  output logic                            csr_bvalid_o,
  input  logic                            csr_bready_i,
  input  logic [          11:0]           csr_araddr_i,
  input  logic                            csr_arvalid_i,
  output logic                            csr_arready_o,
  output logic [          31:0]           csr_rdata_o,
  output logic [           1:0]           csr_rresp_o,
  output logic                            csr_rvalid_o,
  input  logic                            csr_rready_i,
  output logic                            ver_valid_o,
  output tm_hybrid_pkg::verdict_e         ver_verdict_o,
  output logic [     PortW-1:0]           ver_port_o,
  output logic [    BytesW-1:0]           ver_bytes_o,
  output logic                            left_valid_o,
  output tm_hybrid_pkg::leave_e           left_how_o,
  output logic [     PortW-1:0]           left_port_o,
  output logic [    BytesW-1:0]           left_bytes_o
);
  if (!parameter_pkg::in_range("tm_hybrid: Ports", Ports, 1, 16)) begin : gen_check_ports
    $error("tm_hybrid: Ports is out of range");
  end
  if (!parameter_pkg::power_of_two("tm_hybrid: DataW", DataW, 16, 1024)) begin : gen_check_dataw
    $error("tm_hybrid: DataW is out of range");
  end
  if (!parameter_pkg::in_range("tm_hybrid: CellBeatsLog2", CellBeatsLog2, 0, 12 - $clog2(DataW / 8) < 7
                               ? 12 - $clog2(DataW / 8) : 7)) begin : gen_check_cellbeatslog2
    $error("tm_hybrid: CellBeatsLog2 is out of range");
  end
  if (!parameter_pkg::in_range("tm_hybrid: LargestBytes", LargestBytes, 64, CellBytes)) begin : gen_check_largestbytes
    $error("tm_hybrid: LargestBytes is out of range");
  end
  if (!parameter_pkg::in_range("tm_hybrid: Near", Near, 3, 2 ** SlotBits - 1)) begin : gen_check_near
    $error("tm_hybrid: Near is out of range");
  end
  if (!parameter_pkg::in_range("tm_hybrid: High", High, 2, Near - 1)) begin : gen_check_high
    $error("tm_hybrid: High is out of range");
  end
  if (!parameter_pkg::in_range("tm_hybrid: Low", Low, 1, High - 1)) begin : gen_check_low
    $error("tm_hybrid: Low is out of range");
  end
  if (!parameter_pkg::power_of_two("tm_hybrid: Batch", Batch, 2, 64)) begin : gen_check_batch
    $error("tm_hybrid: Batch is out of range");
  end
  if (!parameter_pkg::power_of_two("tm_hybrid: Groups", Groups, 2, 16)) begin : gen_check_groups
    $error("tm_hybrid: Groups is out of range");
  end
  if (!parameter_pkg::in_range("tm_hybrid: Regions", Regions, 2, 65535)) begin : gen_check_regions
    $error("tm_hybrid: Regions is out of range");
  end
  if (!parameter_pkg::power_of_two("tm_hybrid: Reads", Reads, 4, 64)) begin : gen_check_reads
    $error("tm_hybrid: Reads is out of range");
  end
  if (!parameter_pkg::power_of_two("tm_hybrid: Departures", Departures, 4, 64)) begin : gen_check_departures
    $error("tm_hybrid: Departures is out of range");
  end

  localparam int unsigned Latency = themis_pkg::latency(Levels);
  localparam int unsigned Memory = tm_hybrid_pkg::cells(Near, Batch * Groups, Latency, Departures, Reads);
  localparam int unsigned CellW = parameter_pkg::index_width(Memory);
  localparam int unsigned AddressW = CellW + CellBeatsLog2;
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned LargestBeats = (LargestBytes + Lanes - 1) / Lanes;
  localparam int unsigned BeatsW = $clog2(LargestBeats + 1);
  localparam int unsigned BatchW = $clog2(Batch);
  localparam int unsigned SlotW = SlotBits;
  localparam int unsigned KeepW = BytesW + 2 * PortW;
  localparam int unsigned HeaderW = PortW + RankW + PortW;
  localparam int unsigned FlightW = $clog2(Latency + 1);
  localparam int unsigned DepartW = $clog2(Departures + 1);
  localparam int unsigned ReadsW = $clog2(Reads + 1);

  function automatic logic [BeatsW-1:0] beats_of(logic [BytesW-1:0] bytes);
    return BeatsW'((32'(bytes) + Lanes - 1) >> LaneW);
  endfunction

  logic [Ports-1:0] enable;
  logic [BytesW-1:0] length_most;

  // ---- In: a packet is complete, then it is in a cell --------------------------------------------------------------
  logic come, refused, malformed, head, head_admitted, store_read, store_last, store_skip, key_valid;
  logic [PortW-1:0] come_port, head_port, head_source;
  logic [BytesW-1:0] come_bytes, head_bytes, unused_key_bytes;
  logic [RankW-1:0] head_key, key_field;
  logic [2:0] unused_class;
  logic come_cells, head_cells;
  logic [DataW-1:0] store_data;

  tm_ingress #(
    .Ports        (Ports),
    .Classes      (1),
    .FieldW       (RankW),
    .KeyW         (RankW),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .LargestBytes (LargestBytes)
  ) u_ingress (
    .clk_i,
    .rst_i,
    .ready_i        (ready_o),
    .enable_i       (enable),
    .length_i       (length_most),
    .s_tvalid_i,
    .s_tready_o,
    .s_tdata_i,
    .s_tkeep_i,
    .s_tlast_i,
    .s_tuser_i      ({s_tuser_i[InUserW-1-:RankW], 1'b0, s_tuser_i[2*PortW-1:0]}),
    .come_o         (come),
    .refused_o      (refused),
    .malformed_o    (malformed),
    .port_o         (come_port),
    .class_o        (unused_class[0]),
    .bytes_o        (come_bytes),
    .cells_o        (come_cells),
    // Every packet gets a cell; what becomes of it is decided then.
    .verdict_i      (come && !refused),
    .admitted_i     (1'b1),
    .key_valid_o    (key_valid),
    .key_field_o    (key_field),
    .key_bytes_o    (unused_key_bytes),
    .key_valid_i    (key_valid),
    .key_i          (key_field),
    .head_o         (head),
    .head_admitted_o(head_admitted),
    .head_port_o    (head_port),
    .head_class_o   (unused_class[1]),
    .head_key_o     (head_key),
    .head_source_o  (head_source),
    .head_bytes_o   (head_bytes),
    .head_cells_o   (head_cells),
    .read_i         (store_read),
    .last_i         (store_last),
    .skip_i         (store_skip),
    .data_o         (store_data)
  );

  logic take, busy, store_write, done, arrives, lost, yields, unused_chain;
  logic [1:0][CellW-1:0] unused_chained;
  logic [CellW-1:0] cell_number, done_first;
  logic [AddressW-1:0] store_address;
  logic [DataW-1:0] store_beat;
  logic [PortW-1:0] done_port, done_source;
  logic [RankW-1:0] done_rank;
  logic [BytesW-1:0] done_bytes;
  logic done_cells;

  tm_store #(
    .BytesW       (BytesW),
    .CellsW       (1),
    .HeaderW      (HeaderW),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory)
  ) u_store (
    .clk_i,
    .rst_i,
    .head_i         (head && !busy && !yields),
    .head_admitted_i(head_admitted),
    .head_header_i  ({head_port, head_key, head_source}),
    .head_bytes_i   (head_bytes),
    .head_cells_i   (head_cells),
    .read_o         (store_read),
    .last_o         (store_last),
    .skip_o         (store_skip),
    .data_i         (store_data),
    .take_o         (take),
    .number_i       (cell_number),
    .empty_i        (1'b0),
    .write_o        (store_write),
    .write_address_o(store_address),
    .write_data_o   (store_beat),
    .chain_o        (unused_chain),
    .chain_from_o   (unused_chained[0]),
    .chain_to_o     (unused_chained[1]),
    .done_o         (done),
    .done_header_o  ({done_port, done_rank, done_source}),
    .done_first_o   (done_first),
    .done_bytes_o   (done_bytes),
    .done_cells_o   (done_cells),
    .linked_i       (done && arrives)
  );

  // ---- Decisions ---------------------------------------------------------------------------------------------------
  logic departs, depart_ready, swap_in_ready, swaps_in, answered, answer_far, batch_valid, batch_ready;
  themis_pkg::op_e op;
  themis_pkg::status_e status;
  logic [RankW-1:0] answer_rank;
  logic [SlotW-1:0] slot;
  logic [KeepW-1:0] keep;
  logic [BatchW:0] batch_count;
  logic [Batch-1:0] batch_bound;
  logic [Batch-1:0][SlotW-1:0] batch_slots;
  logic [SlotW:0] near, far;

  themis_manager #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(SlotBits),
    .DataW   (KeepW),
    .Near    (Near),
    .High    (High),
    .Low     (Low),
    .Batch   (Batch),
    .Groups  (Groups)
  ) u_manager (
    .clk_i,
    .rst_i,
    .arrive_valid_i (done),
    .arrive_ready_o (arrives),
    .arrive_rank_i  (done_rank),
    .arrive_data_i  ({done_bytes, done_port, done_source}),
    .lost_o         (lost),
    .depart_valid_i (departs),
    .depart_ready_o (depart_ready),
    .swap_in_ready_i(swap_in_ready),
    .swap_in_o      (swaps_in),
    .valid_o        (answered),
    .op_o           (op),
    .status_o       (status),
    .far_o          (answer_far),
    .rank_o         (answer_rank),
    .slot_o         (slot),
    .data_o         (keep),
    .batch_valid_o  (batch_valid),
    .batch_ready_i  (batch_ready),
    .batch_count_o  (batch_count),
    .batch_bound_o  (batch_bound),
    .batch_slots_o  (batch_slots),
    .waiting_near_o (near),
    .waiting_far_o  (far)
  );

  // What arrived, as long ago as an answer takes.
  typedef struct packed {
    logic              valid;
    logic              lost;
    logic [CellW-1:0]  number;
    logic [BytesW-1:0] bytes;
    logic [PortW-1:0]  port;
  } arrival_t;
  arrival_t arrivals_q[Latency];
  arrival_t came;
  assign came = arrivals_q[Latency-1];
  always_ff @(posedge clk_i) begin
    arrivals_q[0] <= '{done && arrives, lost, done_first, done_bytes, done_port};
    for (int unsigned i = 1; i < Latency; i++) arrivals_q[i] <= arrivals_q[i-1];
    if (rst_i) for (int unsigned i = 0; i < Latency; i++) arrivals_q[i].valid <= 1'b0;
  end

  // ---- Where the bytes are -----------------------------------------------------------------------------------------
  logic [BytesW-1:0] keep_bytes;
  logic [PortW-1:0] keep_port, keep_source;
  logic send, send_far, fetch, brought, read_done, read_done_ready, read_done_swap, settle, settle_ready, sent;
  logic sent_ready, next_pending;
  logic look_pending;
  logic [CellW-1:0] send_cell, fetch_cell, read_done_cell, look_cell, next_cell, sent_cell;
  logic [FarW-1:0] fetch_place, read_done_place, settle_place;
  logic [SlotW-1:0] look_slot;
  logic [BeatsW-1:0] look_beats;
  logic [CellW:0] free_cells;
  assign {keep_bytes, keep_port, keep_source} = keep;

  tm_hybrid_place #(
    .SlotW    (SlotW),
    .Memory   (Memory),
    .FarPlaces(Regions * Batch),
    .BeatsW   (BeatsW)
  ) u_place (
    .clk_i,
    .rst_i,
    .take_i        (take),
    .busy_o        (busy),
    .cell_o        (cell_number),
    .valid_i       (answered),
    .op_i          (op),
    .status_i      (status),
    .slot_i        (slot),
    .beats_i       (beats_of(keep_bytes)),
    .came_i        (came.valid),
    .came_lost_i   (came.lost),
    .came_cell_i   (came.number),
    .came_beats_i  (beats_of(came.bytes)),
    .send_o        (send),
    .send_far_o    (send_far),
    .send_cell_o   (send_cell),
    .fetch_o       (fetch),
    .fetch_place_o (fetch_place),
    .fetch_cell_o  (fetch_cell),
    .read_i        (read_done),
    .read_cell_i   (read_done_cell),
    .read_ready_o  (read_done_ready),
    .look_slot_i   (look_slot),
    .look_cell_o   (look_cell),
    .look_beats_o  (look_beats),
    .look_pending_o(look_pending),
    .settle_i      (settle),
    .settle_place_i(settle_place),
    .settle_ready_o(settle_ready),
    .next_cell_i   (next_cell),
    .next_pending_o(next_pending),
    .sent_i        (sent),
    .sent_cell_i   (sent_cell),
    .sent_ready_o  (sent_ready),
    .free_o        (free_cells)
  );

  // ---- The cells: arriving beats and those that are read from HBM, in turn where both are there; departures first ---
  logic fetched_write, write_read, send_read;
  logic [AddressW-1:0] fetched_address, write_address, send_address;
  logic [DataW-1:0] fetched_beat, read_beat;
  assign yields = m_axi_rvalid_i && store_write;

  ram_1r1w #(
    .Width(DataW),
    .Depth(Memory << CellBeatsLog2)
  ) u_cells (
    .clk_i,
    .we_i   (store_write || fetched_write),
    .waddr_i(store_write ? store_address : fetched_address),
    .wdata_i(store_write ? store_beat : fetched_beat),
    .re_i   (send_read || write_read),
    .raddr_i(send_read ? send_address : write_address),
    .rdata_o(read_beat)
  );

  // ---- HBM ---------------------------------------------------------------------------------------------------------
  logic write_error, read_error, written;
  logic [FarW-BatchW:0] free_regions;

  tm_hybrid_writer #(
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .SlotW        (SlotW),
    .Memory       (Memory),
    .BeatsW       (BeatsW),
    .Batch        (Batch),
    .Regions      (Regions)
  ) u_writer (
    .clk_i,
    .rst_i,
    .batch_count_i (batch_count),
    .batch_bound_i (batch_bound),
    .batch_slots_i (batch_slots),
    .batch_ready_o (batch_ready),
    .look_slot_o   (look_slot),
    .look_cell_i   (look_cell),
    .look_beats_i  (look_beats),
    .look_pending_i(look_pending),
    .settle_o      (settle),
    .settle_place_o(settle_place),
    .settle_ready_i(settle_ready),
    .gone_i        (read_done && read_done_ready),
    .gone_place_i  (read_done_place),
    .read_o        (write_read),
    .read_address_o(write_address),
    .read_ready_i  (!send_read),
    .read_data_i   (read_beat),
    .error_o       (write_error),
    .answered_o    (written),
    .free_o        (free_regions),
    .awvalid_o     (m_axi_awvalid_o),
    .awready_i     (m_axi_awready_i),
    .awid_o        (m_axi_awid_o),
    .awaddr_o      (m_axi_awaddr_o),
    .awlen_o       (m_axi_awlen_o),
    .wvalid_o      (m_axi_wvalid_o),
    .wready_i      (m_axi_wready_i),
    .wdata_o       (m_axi_wdata_o),
    .wlast_o       (m_axi_wlast_o),
    .bvalid_i      (m_axi_bvalid_i),
    .bready_o      (m_axi_bready_o),
    .bid_i         (m_axi_bid_i),
    .bresp_i       (m_axi_bresp_i)
  );
  assign m_axi_awsize_o  = 3'(LaneW);
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_wstrb_o   = '1;
  assign m_axi_arsize_o  = 3'(LaneW);
  assign m_axi_arburst_o = 2'b01;

  tm_hybrid_reader #(
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory),
    .FarPlaces    (Regions * Batch),
    .BeatsW       (BeatsW),
    .Reads        (Reads)
  ) u_reader (
    .clk_i,
    .rst_i,
    .fetch_i        (fetch),
    .fetch_place_i  (fetch_place),
    .fetch_cell_i   (fetch_cell),
    .fetch_beats_i  (beats_of(keep_bytes)),
    .fetch_swap_i   (brought),
    .store_i        (store_write),
    .write_o        (fetched_write),
    .write_address_o(fetched_address),
    .write_data_o   (fetched_beat),
    .done_o         (read_done),
    .done_cell_o    (read_done_cell),
    .done_place_o   (read_done_place),
    .done_swap_o    (read_done_swap),
    .done_ready_i   (read_done_ready),
    .error_o        (read_error),
    .arvalid_o      (m_axi_arvalid_o),
    .arready_i      (m_axi_arready_i),
    .arid_o         (m_axi_arid_o),
    .araddr_o       (m_axi_araddr_o),
    .arlen_o        (m_axi_arlen_o),
    .rvalid_i       (m_axi_rvalid_i),
    .rready_o       (m_axi_rready_o),
    .rid_i          (m_axi_rid_i),
    .rdata_i        (m_axi_rdata_i),
    .rresp_i        (m_axi_rresp_i),
    .rlast_i        (m_axi_rlast_i)
  );

  // ---- Out ---------------------------------------------------------------------------------------------------------
  tm_hybrid_sender #(
    .Ports        (Ports),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory),
    .BytesW       (BytesW),
    .LargestBeats (LargestBeats),
    .Departures   (Departures)
  ) u_sender (
    .clk_i,
    .rst_i,
    .send_i        (send),
    .send_cell_i   (send_cell),
    .send_bytes_i  (keep_bytes),
    .send_port_i   (keep_port),
    .send_source_i (keep_source),
    .next_cell_o   (next_cell),
    .next_pending_i(next_pending),
    .read_o        (send_read),
    .read_address_o(send_address),
    .read_data_i   (read_beat),
    .sent_o        (sent),
    .sent_cell_o   (sent_cell),
    .sent_ready_i  (sent_ready),
    .m_tvalid_o,
    .m_tready_i,
    .m_tdata_o,
    .m_tkeep_o,
    .m_tlast_o,
    .m_tuser_o
  );

  // ---- Credits -----------------------------------------------------------------------------------------------------
  // Of departures: a place each, from the request until the cell is given back. Of reads: an ID each, from the request until
  // the bytes are there, or until it turns out that they were there. Swap-ins get half of these at most.
  logic [FlightW-1:0] flight_q;
  logic [DepartW-1:0] departing_q;
  logic [ReadsW-1:0] reading_q, swapping_q;
  logic asked, dequeued, given;
  assign asked         = departs && depart_ready;
  assign dequeued      = answered && op == themis_pkg::Dequeue;
  assign brought       = answered && op == themis_pkg::SwapIn;
  assign given         = sent && sent_ready;
  assign departs       = 32'(near) + 32'(far) > 32'(flight_q) && departing_q != DepartW'(Departures)
                         && reading_q != ReadsW'(Reads);
  assign swap_in_ready = reading_q != ReadsW'(Reads) && 32'(swapping_q) < Reads / 2;

  always_ff @(posedge clk_i) begin
    flight_q    <= flight_q + FlightW'(asked) - FlightW'(dequeued);
    departing_q <= departing_q + DepartW'(asked) - DepartW'(dequeued && !send) - DepartW'(given);
    reading_q   <= reading_q + ReadsW'(asked || swaps_in) - ReadsW'((dequeued || brought) && !fetch)
                   - ReadsW'(read_done && read_done_ready);
    swapping_q  <= swapping_q + ReadsW'(swaps_in) - ReadsW'(brought && !fetch)
                   - ReadsW'(read_done && read_done_ready && read_done_swap);
    if (rst_i) begin
      flight_q    <= '0;
      departing_q <= '0;
      reading_q   <= '0;
      swapping_q  <= '0;
    end
  end

  // ---- What is told ------------------------------------------------------------------------------------------------
  logic stored, dropped;
  assign stored        = answered && (status == themis_pkg::Done || status == themis_pkg::Ahead);
  assign dropped       = stored && op == themis_pkg::DropLargest;
  assign ver_valid_o   = came.valid;
  assign ver_port_o    = came.port;
  assign ver_bytes_o   = came.bytes;
  assign ver_verdict_o = came.lost ? tm_hybrid_pkg::Staging
                       : !stored ? tm_hybrid_pkg::Full
                       : answer_far ? tm_hybrid_pkg::Far : tm_hybrid_pkg::Near;
  assign left_valid_o  = send || dropped;
  assign left_port_o   = keep_port;
  assign left_bytes_o  = keep_bytes;
  assign left_how_o    = dropped ? tm_hybrid_pkg::Dropped : send_far ? tm_hybrid_pkg::SentFar : tm_hybrid_pkg::SentNear;

  tm_hybrid_bank #(
    .Ports       (Ports),
    .LargestBytes(LargestBytes),
    .Near        (Near),
    .High        (High),
    .Low         (Low),
    .CellBytes   (CellBytes),
    .Batch       (Batch),
    .Regions     (Regions)
  ) u_bank (
    .clk_i,
    .rst_i,
    .ready_o,
    .malformed_i   (malformed),
    .come_i        (come),
    .refused_i     (refused),
    .come_port_i   (come_port),
    .come_bytes_i  (come_bytes),
    .ver_valid_i   (ver_valid_o),
    .ver_verdict_i (ver_verdict_o),
    .ver_port_i    (ver_port_o),
    .ver_bytes_i   (ver_bytes_o),
    .left_valid_i  (left_valid_o),
    .left_how_i    (left_how_o),
    .left_port_i   (left_port_o),
    .left_bytes_i  (left_bytes_o),
    .swapped_out_i (stored && op == themis_pkg::SwapOut),
    .swapped_in_i  (stored && op == themis_pkg::SwapIn),
    .written_i     (written),
    .fetched_i     (read_done && read_done_ready),
    .errors_i      ({write_error, read_error}),
    .near_i        (32'(near)),
    .far_i         (32'(far)),
    .free_cells_i  (32'(free_cells)),
    .free_regions_i(32'(free_regions)),
    .enable_o      (enable),
    .length_o      (length_most),
    .csr_awaddr_i,
    .csr_awvalid_i,
    .csr_awready_o,
    .csr_wdata_i,
    .csr_wstrb_i,
    .csr_wvalid_i,
    .csr_wready_o,
    .csr_bresp_o,
    .csr_bvalid_o,
    .csr_bready_i,
    .csr_araddr_i,
    .csr_arvalid_i,
    .csr_arready_o,
    .csr_rdata_o,
    .csr_rresp_o,
    .csr_rvalid_o,
    .csr_rready_i
  );

  logic unused;
  assign unused_class[2] = 1'b0;
  assign unused = ^{unused_class, unused_key_bytes, come_cells, unused_chain, unused_chained, done_cells, answer_rank,
                    batch_valid};

  tm_hybrid_checks #(
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .AddrW        (AddrW),
    .IdW          (WriteIdW),
    .TagW         (ReadIdW),
    .Bytes        (64'(Regions) * Batch * CellBytes)
  ) u_checks (
    .clk_i,
    .rst_i,
    .awvalid_i(m_axi_awvalid_o),
    .awready_i(m_axi_awready_i),
    .awid_i   (m_axi_awid_o),
    .awaddr_i (m_axi_awaddr_o),
    .awlen_i  (m_axi_awlen_o),
    .wvalid_i (m_axi_wvalid_o),
    .wready_i (m_axi_wready_i),
    .wdata_i  (m_axi_wdata_o),
    .wlast_i  (m_axi_wlast_o),
    .arvalid_i(m_axi_arvalid_o),
    .arready_i(m_axi_arready_i),
    .arid_i   (m_axi_arid_o),
    .araddr_i (m_axi_araddr_o),
    .arlen_i  (m_axi_arlen_o)
  );

`ifndef SYNTHESIS
  cover_no_departure : cover property (@(posedge clk_i) departing_q == DepartW'(Departures));
  cover_no_read : cover property (@(posedge clk_i) reading_q == ReadsW'(Reads));
  cover_swap_in_waits : cover property (@(posedge clk_i) !swap_in_ready);
  cover_yields : cover property (@(posedge clk_i) yields);
  cover_refused : cover property (@(posedge clk_i) come && refused);
`endif
endmodule
