// A traffic manager: packets in, a shared buffer under Dynamic Threshold and Occamy, a PIFO for each port, packets out.
//
// Source: occamy §2.1, §4.2, §4.3 (buffer), thesis §4.2 to §4.4 (BBQ). Golden models: the switch on chip of `forebay_switch`
// under the policy `dt` (`forebay_switch::OnChip`), its buffer for what is let in, and `forebay_pifo::PartitionedBuckets`
// for the order.
//
//   s_*     AXI4-Stream in; `s_tuser_i` is {rank, class, port, source}, read at a packet's first beat;
//   m_*     AXI4-Stream out of each port, with back pressure; `m_tuser_o` is {class, source};
//   csr_*   AXI4-Lite: registers and counters (docs/rtl-tm-registers.md);
//   ver_*   a packet's verdict, `tm_pkg::VerdictAfter` cycles after its last beat;
//   left_*  a packet leaves the buffer: it is sent, or it is dropped.
//
// `tm_ingress` keeps a packet until it is let in, `tm_store` writes it into cells, `tm_lists` has the queues, `tm_ports` the
// PIFOs; `tm_reader` reads packets out and gives cells back, `tm_output` is where a port waits.
//
// `ready_o` is low for `tm_pkg::ready_after` cycles after reset, until all tables are clear, and `s_tready_o` with it.
module tm #(
  /// Ports, 2 to 16.
  parameter int unsigned Ports = 4,
  /// Queues of a port: 1, 2, 4 or 8.
  parameter int unsigned Classes = 2,
  /// Bits of a beat: a power of two, 16 to 1024.
  parameter int unsigned DataW = 512,
  /// A cell is 2^CellBeatsLog2 beats; 0 to 5.
  parameter int unsigned CellBeatsLog2 = 2,
  /// Cells that the queues share: at least the largest packet's and 2, at most 65535.
  parameter int unsigned Cells = 512,
  /// Bytes of the largest packet, 64 to 16383.
  parameter int unsigned LargestBytes = 1536,
  /// A queue may hold 2^AlphaLog2 times the free cells; 0 to 15.
  parameter int unsigned AlphaLog2 = 3,
  /// Levels of the BBQ, and bits of a bitmap. All ports together have Width^Levels ranks.
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 16,
  /// Derived.
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned LargestBeats = (LargestBytes + Lanes - 1) / Lanes,
  localparam int unsigned LargestCells = (LargestBeats + (1 << CellBeatsLog2) - 1) >> CellBeatsLog2,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned QueueW = parameter_pkg::index_width(Ports * Classes),
  localparam int unsigned RankW = Levels * $clog2(Width) > PortW ? Levels * $clog2(Width) - PortW : 1,
  localparam int unsigned BytesW = $clog2(LargestBytes + 1),
  localparam int unsigned CellsW = $clog2(LargestCells + 1),
  localparam int unsigned InUserW = RankW + ClassW + 2 * PortW,
  localparam int unsigned OutUserW = ClassW + PortW,
  localparam int unsigned ReadyAfter = tm_pkg::ready_after(Ports, Classes, Width)
) (
  input  logic                               clk_i,
  /// Synchronous.
  input  logic                               rst_i,
  output logic                               ready_o,
  input  logic                               s_tvalid_i,
  output logic                               s_tready_o,
  input  logic             [      DataW-1:0] s_tdata_i,
  input  logic             [      Lanes-1:0] s_tkeep_i,
  input  logic                               s_tlast_i,
  input  logic             [    InUserW-1:0] s_tuser_i,
  output logic             [      Ports-1:0] m_tvalid_o,
  input  logic             [      Ports-1:0] m_tready_i,
  output logic [Ports-1:0] [      DataW-1:0] m_tdata_o,
  output logic [Ports-1:0] [      Lanes-1:0] m_tkeep_o,
  output logic             [      Ports-1:0] m_tlast_o,
  output logic [Ports-1:0] [   OutUserW-1:0] m_tuser_o,
  input  logic             [           11:0] csr_awaddr_i,
  input  logic                               csr_awvalid_i,
  output logic                               csr_awready_o,
  input  logic             [           31:0] csr_wdata_i,
  input  logic             [            3:0] csr_wstrb_i,
  input  logic                               csr_wvalid_i,
  output logic                               csr_wready_o,
  output logic             [            1:0] csr_bresp_o,
  output logic                               csr_bvalid_o,
  input  logic                               csr_bready_i,
  input  logic             [           11:0] csr_araddr_i,
  input  logic                               csr_arvalid_i,
  output logic                               csr_arready_o,
  output logic             [           31:0] csr_rdata_o,
  output logic             [            1:0] csr_rresp_o,
  output logic                               csr_rvalid_o,
  input  logic                               csr_rready_i,
  output logic                               ver_valid_o,
  output tm_pkg::verdict_e                   ver_verdict_o,
  output logic             [     QueueW-1:0] ver_queue_o,
  output logic             [     BytesW-1:0] ver_bytes_o,
  output logic                               left_valid_o,
  output logic                               left_expelled_o,
  output logic             [     QueueW-1:0] left_queue_o,
  output logic             [     BytesW-1:0] left_bytes_o
);
  if (!parameter_pkg::in_range("tm: Ports", Ports, 2, 16)) begin : gen_check_ports
    $error("tm: Ports is out of range");
  end
  if (!parameter_pkg::power_of_two("tm: Classes", Classes, 1, 8)) begin : gen_check_classes
    $error("tm: Classes is out of range");
  end
  if (!parameter_pkg::power_of_two("tm: DataW", DataW, 16, 1024)) begin : gen_check_dataw
    $error("tm: DataW is out of range");
  end
  if (!parameter_pkg::in_range("tm: CellBeatsLog2", CellBeatsLog2, 0, 5)) begin : gen_check_cellbeatslog2
    $error("tm: CellBeatsLog2 is out of range");
  end
  if (!parameter_pkg::in_range("tm: LargestBytes", LargestBytes, 64, 16383)) begin : gen_check_largestbytes
    $error("tm: LargestBytes is out of range");
  end
  if (!parameter_pkg::in_range("tm: Cells", Cells, LargestCells > 2 ? LargestCells : 2, 65535)) begin : gen_check_cells
    $error("tm: Cells is out of range");
  end
  if (!parameter_pkg::in_range("tm: AlphaLog2", AlphaLog2, 0, 15)) begin : gen_check_alphalog2
    $error("tm: AlphaLog2 is out of range");
  end
  if (!parameter_pkg::power_of_two("tm: Width", Width, 2, 16)) begin : gen_check_width
    $error("tm: Width is out of range");
  end
  // At least two ranks a port.
  if (!parameter_pkg::in_range("tm: Levels", Levels, PortW / $clog2(Width) + 1 > 2 ? PortW / $clog2(Width) + 1 : 2,
                               15 / $clog2(Width))) begin : gen_check_levels
    $error("tm: Levels is out of range");
  end

  localparam int unsigned Queues = Ports * Classes;
  localparam int unsigned Memory = Cells + tm_pkg::spare(Ports, LargestCells);
  localparam int unsigned CellW = parameter_pkg::index_width(Memory);
  localparam int unsigned AddressW = CellW + CellBeatsLog2;
  localparam int unsigned CountW = $clog2(Cells + 1);
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned BeatW = $clog2(LargestBeats + 1);
  localparam int unsigned HeaderW = PortW + ClassW + RankW + PortW;
  localparam int unsigned KeepW = BytesW + PortW;
  // Two packets, and what is sent from a request to its packet, so that a port never waits for room that it will have.
  localparam int unsigned OutBeats = 1 << $clog2(2 * LargestBeats + tm_pkg::leave_after(Levels, Width, 1 << PortW) + 1);

  function automatic logic [QueueW-1:0] queue_of(logic [PortW-1:0] port, logic [ClassW-1:0] class_in);
    return QueueW'(32'(port) * Classes + (Classes == 1 ? '0 : 32'(class_in)));
  endfunction

  function automatic logic [PortW-1:0] port_of(logic [QueueW-1:0] queue);
    return PortW'(32'(queue) / Classes);
  endfunction

  // ---- Registers -----------------------------------------------------------------------------------------------------
  logic occamy_ready, pifos_ready;
  logic [3:0] counters_ready;
  logic expel;
  logic [15:0] enable, length_set;
  logic [BytesW-1:0] length_most;
  logic [31:0] malformed_q;
  assign ready_o     = occamy_ready && pifos_ready && (&counters_ready);
  assign length_most = 32'(length_set) > LargestBytes ? BytesW'(LargestBytes) : BytesW'(length_set);

  // ---- In ------------------------------------------------------------------------------------------------------------
  logic come, refused, malformed, admit_valid, admitted;
  logic [PortW-1:0] come_port;
  logic [ClassW-1:0] come_class;
  logic [BytesW-1:0] come_bytes;
  logic [CellsW-1:0] come_cells;
  logic head, head_admitted, store_read, store_last, store_skip;
  logic [PortW-1:0] head_port, head_source;
  logic [ClassW-1:0] head_class;
  logic [RankW-1:0] head_rank;
  logic [BytesW-1:0] head_bytes;
  logic [CellsW-1:0] head_cells;
  logic [DataW-1:0] store_data;

  tm_ingress #(
    .Ports        (Ports),
    .Classes      (Classes),
    .RankW        (RankW),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .LargestBytes (LargestBytes)
  ) u_ingress (
    .clk_i,
    .rst_i,
    .ready_i        (ready_o),
    .enable_i       (enable[Ports-1:0]),
    .length_i       (length_most),
    .s_tvalid_i,
    .s_tready_o,
    .s_tdata_i,
    .s_tkeep_i,
    .s_tlast_i,
    .s_tuser_i,
    .come_o         (come),
    .refused_o      (refused),
    .malformed_o    (malformed),
    .port_o         (come_port),
    .class_o        (come_class),
    .bytes_o        (come_bytes),
    .cells_o        (come_cells),
    .verdict_i      (admit_valid),
    .admitted_i     (admitted),
    .head_o         (head),
    .head_admitted_o(head_admitted),
    .head_port_o    (head_port),
    .head_class_o   (head_class),
    .head_rank_o    (head_rank),
    .head_source_o  (head_source),
    .head_bytes_o   (head_bytes),
    .head_cells_o   (head_cells),
    .read_i         (store_read),
    .last_i         (store_last),
    .skip_i         (store_skip),
    .data_o         (store_data)
  );

  // ---- Admission and expulsion ---------------------------------------------------------------------------------------
  typedef struct packed {
    logic [QueueW-1:0] into;
    logic [BytesW-1:0] bytes;
    logic [CellsW-1:0] cells;
  } asks_t;
  asks_t [occamy_pkg::Latency-1:0] asks_q;
  asks_t asked;
  logic [CountW-1:0] free, free_q;
  logic ask, looks, there_q, takes, drops;
  logic [1:0] asked_q;
  logic [QueueW-1:0] ask_queue, look_queue, take_queue;
  logic [CellsW-1:0] look_cells, take_cells;
  logic look_some, drops_wait;
  logic [2:0] unused_row;

  assign asked = asks_q[occamy_pkg::Latency-1];
  always_ff @(posedge clk_i) begin
    asks_q  <= {asks_q[occamy_pkg::Latency-2:0], asks_t'{queue_of(come_port, come_class), come_bytes, come_cells}};
    free_q  <= free;
    // A departure's descriptor is read two cycles after it was asked for; what is read in any other cycle is to be dropped.
    asked_q <= rst_i ? '0 : {asked_q[0], ask};
    there_q <= look_some && (asked_q[1] || (expel && !drops_wait));
  end
  assign ver_valid_o   = admit_valid;
  assign ver_verdict_o = admitted ? tm_pkg::Admitted
                       : CountW'(asked.cells) > free_q ? tm_pkg::Full : tm_pkg::Threshold;
  assign ver_queue_o   = asked.into;
  assign ver_bytes_o   = asked.bytes;

  occamy #(
    .Queues      (Queues),
    .Cells       (Cells),
    .AlphaLog2   (AlphaLog2),
    .SublistsLog2(0),
    .Largest     (LargestCells),
    .Burst       (LargestCells > 2 ? LargestCells : 2)
  ) u_occamy (
    .clk_i,
    .rst_i,
    .ready_o       (occamy_ready),
    .arr_valid_i   (come && !refused),
    .arr_queue_i   (queue_of(come_port, come_class)),
    .arr_cells_i   (come_cells),
    .adm_valid_o   (admit_valid),
    .adm_admitted_o(admitted),
    .deq_valid_i   (ask),
    .deq_queue_i   (ask_queue),
    .pd_valid_o    (looks),
    .pd_queue_o    (look_queue),
    .pd_there_i    (there_q),
    .pd_cells_i    (look_cells),
    .out_valid_o   (takes),
    .out_drop_o    (drops),
    .out_queue_o   (take_queue),
    .out_cells_o   (take_cells),
    // Cells are given back as `tm_reader` comes to them.
    .row_valid_o   (unused_row[0]),
    .row_count_o   (unused_row[1]),
    .row_last_o    (unused_row[2]),
    .free_o        (free)
  );

  // ---- Cells ---------------------------------------------------------------------------------------------------------
  logic cell_take, cell_empty, cell_give, write, chain, read, follow;
  logic [CellW-1:0] cell_number, cell_given, chain_from, chain_to, follow_from, follow_to;
  logic [AddressW-1:0] write_address, read_address;
  logic [DataW-1:0] write_data, read_data;

  free_list #(
    .Entries(Memory)
  ) u_free (
    .clk_i,
    .rst_i,
    .take_i  (cell_take),
    .number_o(cell_number),
    .empty_o (cell_empty),
    .give_i  (cell_give),
    .number_i(cell_given)
  );

  ram_1r1w #(
    .Width(DataW),
    .Depth(Memory << CellBeatsLog2)
  ) u_data (
    .clk_i,
    .we_i   (write),
    .waddr_i(write_address),
    .wdata_i(write_data),
    .re_i   (read),
    .raddr_i(read_address),
    .rdata_o(read_data)
  );

  ram_1r1w #(
    .Width(CellW),
    .Depth(Memory)
  ) u_chain (
    .clk_i,
    .we_i   (chain),
    .waddr_i(chain_from),
    .wdata_i(chain_to),
    .re_i   (follow),
    .raddr_i(follow_from),
    .rdata_o(follow_to)
  );

  logic done, linked;
  logic [PortW-1:0] done_port, done_source;
  logic [ClassW-1:0] done_class;
  logic [RankW-1:0] done_rank;
  logic [CellW-1:0] done_first;
  logic [BytesW-1:0] done_bytes;
  logic [CellsW-1:0] done_cells;
  logic [QueueW-1:0] done_queue;
  assign done_queue = queue_of(done_port, done_class);

  tm_store #(
    .BytesW       (BytesW),
    .CellsW       (CellsW),
    .HeaderW      (HeaderW),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory)
  ) u_store (
    .clk_i,
    .rst_i,
    .head_i         (head),
    .head_admitted_i(head_admitted),
    .head_header_i  ({head_port, head_class, head_rank, head_source}),
    .head_bytes_i   (head_bytes),
    .head_cells_i   (head_cells),
    .read_o         (store_read),
    .last_o         (store_last),
    .skip_o         (store_skip),
    .data_i         (store_data),
    .take_o         (cell_take),
    .number_i       (cell_number),
    .empty_i        (cell_empty),
    .write_o        (write),
    .write_address_o(write_address),
    .write_data_o   (write_data),
    .chain_o        (chain),
    .chain_from_o   (chain_from),
    .chain_to_o     (chain_to),
    .done_o         (done),
    .done_header_o  ({done_port, done_class, done_rank, done_source}),
    .done_first_o   (done_first),
    .done_bytes_o   (done_bytes),
    .done_cells_o   (done_cells),
    .linked_i       (linked)
  );

  // ---- Queues --------------------------------------------------------------------------------------------------------
  logic [CellW-1:0] take_packet;
  logic [KeepW-1:0] take_keep;
  logic left_more;
  logic [RankW-1:0] left_rank;
  logic leaves;
  logic [PortW-1:0] left_source, left_port;
  logic [ClassW-1:0] left_class;

  tm_lists #(
    .Queues(Queues),
    .Memory(Memory),
    .CellsW(CellsW),
    .RankW (RankW),
    .KeepW (KeepW)
  ) u_lists (
    .clk_i,
    .rst_i,
    .link_i       (linked),
    .link_queue_i (done_queue),
    .link_packet_i(done_first),
    .link_cells_i (done_cells),
    .link_rank_i  (done_rank),
    .link_keep_i  ({done_bytes, done_source}),
    .look_i       (looks),
    .look_queue_i (look_queue),
    .look_some_o  (look_some),
    .look_cells_o (look_cells),
    .take_i       (takes),
    .take_queue_i (take_queue),
    .take_packet_o(take_packet),
    .take_keep_o  (take_keep),
    .rank_i       (leaves),
    .rank_queue_i (left_queue_o),
    .rank_some_o  (left_more),
    .rank_o       (left_rank)
  );

  // A packet that is taken out, a cycle later.
  logic [CellW-1:0] left_first_q;
  logic [CellsW-1:0] left_cells_q;
  always_ff @(posedge clk_i) begin
    left_valid_o    <= takes && !rst_i;
    left_expelled_o <= drops;
    left_queue_o    <= take_queue;
    left_first_q    <= take_packet;
    left_cells_q    <= take_cells;
  end
  assign {left_bytes_o, left_source} = take_keep;
  assign leaves     = left_valid_o && !left_expelled_o;
  assign left_port  = port_of(left_queue_o);
  assign left_class = ClassW'(32'(left_queue_o) % Classes);

  // ---- Ports ---------------------------------------------------------------------------------------------------------
  logic begun;
  logic [PortW-1:0] begun_port;
  logic [Ports-1:0] gone;
  assign gone = m_tvalid_o & m_tready_i;

  tm_ports #(
    .Ports       (Ports),
    .Classes     (Classes),
    .Levels      (Levels),
    .Width       (Width),
    .LargestBeats(LargestBeats),
    .OutBeats    (OutBeats)
  ) u_ports (
    .clk_i,
    .rst_i,
    .ready_o        (pifos_ready),
    .done_i         (done),
    .done_queue_i   (done_queue),
    .done_port_i    (done_port),
    .done_class_i   (done_class),
    .done_rank_i    (done_rank),
    .linked_o       (linked),
    .ask_o          (ask),
    .ask_queue_o    (ask_queue),
    .none_i         (looks && asked_q[1] && !look_some),
    .none_queue_i   (look_queue),
    .left_i         (leaves),
    .left_queue_i   (left_queue_o),
    .left_port_i    (left_port),
    .left_class_i   (left_class),
    .left_more_i    (left_more),
    .left_rank_i    (left_rank),
    .left_beats_i   (BeatW'((32'(left_bytes_o) + Lanes - 1) >> LaneW)),
    .begun_i        (begun),
    .begun_port_i   (begun_port),
    .gone_i         (gone)
  );

  logic beat, beat_last;
  logic [PortW-1:0] beat_port;
  logic [LaneW-1:0] beat_lanes;
  logic [OutUserW-1:0] beat_user;

  tm_reader #(
    .Ports        (Ports),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory),
    .LaneW        (LaneW),
    .BytesW       (BytesW),
    .CellsW       (CellsW),
    .KeepW        (OutUserW)
  ) u_reader (
    .clk_i,
    .rst_i,
    .leave_i       (leaves),
    .leave_port_i  (left_port),
    .leave_first_i (left_first_q),
    .leave_bytes_i (left_bytes_o),
    .leave_keep_i  ({left_class, left_source}),
    .begun_o       (begun),
    .begun_port_o  (begun_port),
    .drop_i        (left_valid_o && left_expelled_o),
    .drop_first_i  (left_first_q),
    .drop_cells_i  (left_cells_q),
    .drops_o       (drops_wait),
    .read_o        (read),
    .read_address_o(read_address),
    .follow_o      (follow),
    .follow_from_o (follow_from),
    .follow_to_i   (follow_to),
    .give_o        (cell_give),
    .give_number_o (cell_given),
    .beat_o        (beat),
    .beat_port_o   (beat_port),
    .beat_last_o   (beat_last),
    .beat_lanes_o  (beat_lanes),
    .beat_keep_o   (beat_user)
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    tm_output #(
      .DataW (DataW),
      .Places(OutBeats),
      .UserW (OutUserW)
    ) u_output (
      .clk_i,
      .rst_i,
      .beat_i    (beat && beat_port == PortW'(p)),
      .data_i    (read_data),
      .lanes_i   (beat_lanes),
      .last_i    (beat_last),
      .user_i    (beat_user),
      .m_tvalid_o(m_tvalid_o[p]),
      .m_tready_i(m_tready_i[p]),
      .m_tdata_o (m_tdata_o[p]),
      .m_tkeep_o (m_tkeep_o[p]),
      .m_tlast_o (m_tlast_o[p]),
      .m_tuser_o (m_tuser_o[p])
    );
  end

  // ---- Counters ------------------------------------------------------------------------------------------------------
  logic [PortW-1:0] count_port;
  logic [2:0] count_number;
  logic [79:0] received, not_let_in, lost, gone_out, count;

  tm_counters #(
    .Entries(1 << PortW),
    .BytesW (BytesW)
  ) u_received (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[0]),
    .count_i  (come),
    .index_i  (come_port),
    .bytes_i  (come_bytes),
    .read_i   (count_port),
    .packets_o(received[79:48]),
    .bytes_o  (received[47:0])
  );

  tm_counters #(
    .Entries(1 << PortW),
    .BytesW (BytesW)
  ) u_refused (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[1]),
    .count_i  (come && refused),
    .index_i  (come_port),
    .bytes_i  (come_bytes),
    .read_i   (count_port),
    .packets_o(not_let_in[79:48]),
    .bytes_o  (not_let_in[47:0])
  );

  tm_counters #(
    .Entries(2 << PortW),
    .BytesW (BytesW)
  ) u_lost (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[2]),
    .count_i  (ver_valid_o && ver_verdict_o != tm_pkg::Admitted),
    .index_i  ({port_of(ver_queue_o), ver_verdict_o == tm_pkg::Full}),
    .bytes_i  (ver_bytes_o),
    .read_i   ({count_port, 32'(count_number) == tm_csr_pkg::CountFull}),
    .packets_o(lost[79:48]),
    .bytes_o  (lost[47:0])
  );

  tm_counters #(
    .Entries(2 << PortW),
    .BytesW (BytesW)
  ) u_gone (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[3]),
    .count_i  (left_valid_o),
    .index_i  ({left_port, left_expelled_o}),
    .bytes_i  (left_bytes_o),
    .read_i   ({count_port, 32'(count_number) == tm_csr_pkg::CountExpelled}),
    .packets_o(gone_out[79:48]),
    .bytes_o  (gone_out[47:0])
  );

  always_comb begin
    case (32'(count_number))
      tm_csr_pkg::CountReceived: count = received;
      tm_csr_pkg::CountRefused: count = not_let_in;
      tm_csr_pkg::CountThreshold, tm_csr_pkg::CountFull: count = lost;
      default: count = gone_out;
    endcase
  end

  always_ff @(posedge clk_i) begin
    malformed_q <= rst_i ? '0 : malformed_q + 32'(malformed);
  end

  tm_csr #(
    .Ports(Ports)
  ) u_csr (
    .clk_i,
    .rst_i,
    .awaddr_i       (csr_awaddr_i),
    .awvalid_i      (csr_awvalid_i),
    .awready_o      (csr_awready_o),
    .wdata_i        (csr_wdata_i),
    .wstrb_i        (csr_wstrb_i),
    .wvalid_i       (csr_wvalid_i),
    .wready_o       (csr_wready_o),
    .bresp_o        (csr_bresp_o),
    .bvalid_o       (csr_bvalid_o),
    .bready_i       (csr_bready_i),
    .araddr_i       (csr_araddr_i),
    .arvalid_i      (csr_arvalid_i),
    .arready_o      (csr_arready_o),
    .rdata_o        (csr_rdata_o),
    .rresp_o        (csr_rresp_o),
    .rvalid_o       (csr_rvalid_o),
    .rready_i       (csr_rready_i),
    .count_port_o   (count_port),
    .count_number_o (count_number),
    .count_packets_i(count[79:48]),
    .count_bytes_i  (count[47:0]),
    .id_i           (32'h464F544D),
    .ports_i        (8'(Ports)),
    .classes_i      (8'(Classes)),
    .cells_i        (16'(Cells)),
    .cell_bytes_i   (16'(Lanes << CellBeatsLog2)),
    .alpha_log2_i   (8'(AlphaLog2)),
    .largest_i      (16'(LargestBytes)),
    .free_i         (16'(free)),
    .malformed_i    (malformed_q),
    .expel_o        (expel),
    .enable_o       (enable),
    .length_o       (length_set)
  );

  if (Ports < 16) begin : gen_unused_enable
    logic unused_enable;
    assign unused_enable = ^enable[15:Ports];
  end
  logic unused;
  assign unused = ^unused_row;

`ifndef SYNTHESIS
  tm_checks #(
    .Cells       (Cells),
    .Memory      (Memory),
    .LargestCells(LargestCells),
    .ReadyAfter  (ReadyAfter)
  ) u_checks (
    .clk_i,
    .rst_i,
    .ready_i    (ready_o),
    .last_i     (come && !refused),
    .verdict_i  (admit_valid),
    .admitted_i (admitted),
    .cells_i    (asked.cells),
    .take_i     (cell_take),
    .give_i     (cell_give),
    .link_i     (linked),
    .link_cells_i(done_cells),
    .left_i     (left_valid_o),
    .left_cells_i(left_cells_q),
    .free_i     (free)
  );
`endif
endmodule
