// A traffic manager: packets in, a shared buffer under Dynamic Threshold and Occamy, a scheduler for each port, packets out.
//
// Source: occamy §2.1, §4.2, §4.3 (buffer); of the schedulers that of their cores. Golden models: the switch on chip of
// `forebay_switch` under the policy `dt` (`forebay_switch::OnChip`), its buffer for what is let in, and the schedulers' own.
//
//   s_*     AXI4-Stream in; `s_tuser_i` is {field, class, port, source}, read at a packet's first beat;
//   m_*     AXI4-Stream out of each port, with back pressure; `m_tuser_o` is {class, source};
//   csr_*   AXI4-Lite: registers and counters (docs/rtl-tm-registers.md);
//   ver_*   a packet's verdict, `tm_pkg::VerdictAfter` cycles after its last beat;
//   left_*  a packet leaves the buffer: it is sent, or it is dropped.
//
// `tm_ingress` keeps a packet until `tm_admission` has let it in, `tm_memory` has the cells and what
// waits at the outputs, `tm_lists` the queues, `tm_ports` decides what leaves next, `tm_bank` counts.
//
// `ready_o` is low for `tm_pkg::ready_after` cycles after reset, until all tables are clear, and `s_tready_o` with it.
module tm #(
  /// Ports, 2 to 16.
  parameter int unsigned Ports = 4,
  /// Queues of a port: 1, 2, 4 ... 32.
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
  /// Levels of the BBQ, and bits of a bitmap: all ports together have Width^Levels ranks, with ClubHeap each port. Of
  /// Gearbox: levels, and FIFOs of a set.
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 16,
  /// What orders the queues of a port: 0 a BBQ, 1 a ClubHeap, 2 WSJF, 3 Gearbox (`tm_pkg::scheduler_e`).
  parameter int unsigned Scheduler = 0,
  /// WSJF: bits of a job size. Gearbox: bits of a weight. 1 to 20.
  parameter int unsigned FieldBits = 12,
  /// WSJF: binary places of a job size per byte. Gearbox: of a weight, in units per byte. 0 to 16.
  parameter int unsigned Fraction = 5,
  /// WSJF: 2^RankBits ranks an octave.
  parameter int unsigned RankBits = 2,
  /// Derived.
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned LargestBeats = (LargestBytes + Lanes - 1) / Lanes,
  localparam int unsigned LargestCells = (LargestBeats + (1 << CellBeatsLog2) - 1) >> CellBeatsLog2,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned QueueW = parameter_pkg::index_width(Ports * Classes),
  localparam int unsigned FieldW = tm_pkg::field_width(Scheduler, Ports, Levels, Width, FieldBits),
  localparam int unsigned BytesW = $clog2(LargestBytes + 1),
  localparam int unsigned CellsW = $clog2(LargestCells + 1),
  localparam int unsigned KeyW = tm_pkg::key_width(Scheduler, Ports, Levels, Width, BytesW),
  localparam int unsigned InUserW = FieldW + ClassW + 2 * PortW,
  localparam int unsigned OutUserW = ClassW + PortW,
  localparam int unsigned ReadyAfter = tm_pkg::ready_after(Scheduler, Ports, Classes, Width)
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
  if (!parameter_pkg::power_of_two("tm: Classes", Classes, 1, 32)) begin : gen_check_classes
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
  if (!parameter_pkg::in_range("tm: Scheduler", Scheduler, 0, 3)) begin : gen_check_scheduler
    $error("tm: Scheduler is out of range");
  end
  if (!parameter_pkg::power_of_two("tm: Width", Width, tm_pkg::width_least(Scheduler), 16)) begin : gen_check_width
    $error("tm: Width is out of range");
  end
  // At least two ranks a port.
  if (!parameter_pkg::in_range("tm: Levels", Levels, tm_pkg::levels_least(Scheduler, Ports, Width),
                               tm_pkg::levels_most(Scheduler, Width))) begin : gen_check_levels
    $error("tm: Levels is out of range");
  end
  if (!parameter_pkg::in_range("tm: Fraction", Fraction, 0, 16)) begin : gen_check_fraction
    $error("tm: Fraction is out of range");
  end
  if (!parameter_pkg::in_range("tm: RankBits", RankBits, 1,
                               tm_pkg::rank_bits_most(Scheduler, KeyW))) begin : gen_check_rankbits
    $error("tm: RankBits is out of range");
  end
  if (!parameter_pkg::in_range("tm: FieldBits", FieldBits, 1,
                               tm_pkg::field_most(Scheduler, KeyW, RankBits, Fraction))) begin : gen_check_fieldbits
    $error("tm: FieldBits is out of range");
  end

  localparam int unsigned Queues = Ports * Classes;
  localparam int unsigned Memory = Cells + tm_pkg::spare(Ports, LargestCells);
  localparam int unsigned CellW = parameter_pkg::index_width(Memory);
  localparam int unsigned CountW = $clog2(Cells + 1);
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned BeatW = $clog2(LargestBeats + 1);
  localparam int unsigned HeaderW = PortW + ClassW + KeyW + PortW;
  localparam int unsigned KeepW = BytesW + PortW;
  localparam int unsigned LeaveAfter = tm_pkg::leave_after(Scheduler, Levels, Width, 1 << PortW);
  // Two packets, and what is sent from a request to its packet, so that a port never waits for room that it will have.
  localparam int unsigned OutBeats = 1 << $clog2(2 * LargestBeats + LeaveAfter + 1);

  function automatic logic [QueueW-1:0] queue_of(logic [PortW-1:0] port, logic [ClassW-1:0] class_in);
    return QueueW'(32'(port) * Classes + (Classes == 1 ? '0 : 32'(class_in)));
  endfunction

  function automatic logic [PortW-1:0] port_of(logic [QueueW-1:0] queue);
    return PortW'(32'(queue) / Classes);
  endfunction

  logic occamy_ready, order_ready, counters_ready, expel;
  logic [Ports-1:0] enable;
  logic [BytesW-1:0] length_most;
  assign ready_o = occamy_ready && order_ready && counters_ready;

  // ---- In ------------------------------------------------------------------------------------------------------------
  logic come, refused, malformed, head, head_admitted, store_read, store_last, store_skip, key_come, key_made;
  logic [PortW-1:0] come_port;
  logic [ClassW-1:0] come_class;
  logic [BytesW-1:0] come_bytes, head_bytes, key_bytes;
  logic [CellsW-1:0] come_cells, head_cells;
  logic [PortW-1:0] head_port, head_source;
  logic [ClassW-1:0] head_class;
  logic [KeyW-1:0] head_key, key;
  logic [FieldW-1:0] key_field;
  logic [DataW-1:0] store_data;

  tm_ingress #(
    .Ports        (Ports),
    .Classes      (Classes),
    .FieldW       (FieldW),
    .KeyW         (KeyW),
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
    .s_tuser_i,
    .come_o         (come),
    .refused_o      (refused),
    .malformed_o    (malformed),
    .port_o         (come_port),
    .class_o        (come_class),
    .bytes_o        (come_bytes),
    .cells_o        (come_cells),
    .verdict_i      (ver_valid_o),
    .admitted_i     (ver_verdict_o == tm_pkg::Admitted),
    .key_valid_o    (key_come),
    .key_field_o    (key_field),
    .key_bytes_o    (key_bytes),
    .key_valid_i    (key_made),
    .key_i          (key),
    .head_o         (head),
    .head_admitted_o(head_admitted),
    .head_port_o    (head_port),
    .head_class_o   (head_class),
    .head_key_o     (head_key),
    .head_source_o  (head_source),
    .head_bytes_o   (head_bytes),
    .head_cells_o   (head_cells),
    .read_i         (store_read),
    .last_i         (store_last),
    .skip_i         (store_skip),
    .data_o         (store_data)
  );

  // ---- Admission and expulsion ---------------------------------------------------------------------------------------
  logic [CountW-1:0] free;
  logic ask, none, looks, look_some, takes, drops, drops_wait;
  logic [QueueW-1:0] ask_queue, look_queue, take_queue;
  logic [CellsW-1:0] ver_cells, look_cells, take_cells;

  tm_admission #(
    .Queues      (Queues),
    .Cells       (Cells),
    .AlphaLog2   (AlphaLog2),
    .LargestCells(LargestCells),
    .BytesW      (BytesW)
  ) u_admission (
    .clk_i,
    .rst_i,
    .ready_o      (occamy_ready),
    .expel_i      (expel),
    .come_i       (come && !refused),
    .come_queue_i (queue_of(come_port, come_class)),
    .come_bytes_i (come_bytes),
    .come_cells_i (come_cells),
    .ver_valid_o,
    .ver_verdict_o,
    .ver_queue_o,
    .ver_bytes_o,
    .ver_cells_o  (ver_cells),
    .ask_i        (ask),
    .ask_queue_i  (ask_queue),
    .look_o       (looks),
    .look_queue_o (look_queue),
    .look_some_i  (look_some),
    .look_cells_i (look_cells),
    .none_o       (none),
    .drops_wait_i (drops_wait),
    .take_o       (takes),
    .take_drop_o  (drops),
    .take_queue_o (take_queue),
    .take_cells_o (take_cells),
    .free_o       (free)
  );

  // ---- Cells ---------------------------------------------------------------------------------------------------------
  logic leaves;  // what is taken out, a cycle later
  logic [PortW-1:0] left_source, left_port;
  logic [ClassW-1:0] left_class;
  logic [CellW-1:0] left_first_q;
  logic [CellsW-1:0] left_cells_q;
  logic done, linked, begun, cell_take, cell_give;
  logic [PortW-1:0] done_port, done_source, begun_port;
  logic [ClassW-1:0] done_class;
  logic [KeyW-1:0] done_key;
  logic [CellW-1:0] done_first;
  logic [BytesW-1:0] done_bytes;
  logic [CellsW-1:0] done_cells;
  logic [QueueW-1:0] done_queue;
  assign done_queue = queue_of(done_port, done_class);

  tm_memory #(
    .Ports        (Ports),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory),
    .BytesW       (BytesW),
    .CellsW       (CellsW),
    .HeaderW      (HeaderW),
    .UserW        (OutUserW),
    .OutBeats     (OutBeats)
  ) u_memory (
    .clk_i,
    .rst_i,
    .head_i         (head),
    .head_admitted_i(head_admitted),
    .head_header_i  ({head_port, head_class, head_key, head_source}),
    .head_bytes_i   (head_bytes),
    .head_cells_i   (head_cells),
    .read_o         (store_read),
    .last_o         (store_last),
    .skip_o         (store_skip),
    .data_i         (store_data),
    .done_o         (done),
    .done_header_o  ({done_port, done_class, done_key, done_source}),
    .done_first_o   (done_first),
    .done_bytes_o   (done_bytes),
    .done_cells_o   (done_cells),
    .linked_i       (linked),
    .leave_i        (leaves),
    .leave_port_i   (left_port),
    .leave_first_i  (left_first_q),
    .leave_bytes_i  (left_bytes_o),
    .leave_user_i   ({left_class, left_source}),
    .begun_o        (begun),
    .begun_port_o   (begun_port),
    .drop_i         (left_valid_o && left_expelled_o),
    .drop_first_i   (left_first_q),
    .drop_cells_i   (left_cells_q),
    .drops_o        (drops_wait),
    .m_tvalid_o,
    .m_tready_i,
    .m_tdata_o,
    .m_tkeep_o,
    .m_tlast_o,
    .m_tuser_o,
    .cell_take_o    (cell_take),
    .cell_give_o    (cell_give)
  );

  // ---- Queues --------------------------------------------------------------------------------------------------------
  logic [CellW-1:0] take_packet;
  logic [KeepW-1:0] take_keep;
  logic left_more;
  logic [KeyW-1:0] left_key;

  tm_lists #(
    .Queues(Queues),
    .Memory(Memory),
    .CellsW(CellsW),
    .KeyW  (KeyW),
    .KeepW (KeepW)
  ) u_lists (
    .clk_i,
    .rst_i,
    .link_i       (linked),
    .link_queue_i (done_queue),
    .link_packet_i(done_first),
    .link_cells_i (done_cells),
    .link_rank_i  (done_key),
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
    .rank_o       (left_key)
  );

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
  tm_ports #(
    .Scheduler   (Scheduler),
    .BytesW      (BytesW),
    .FieldW      (FieldW),
    .KeyW        (KeyW),
    .Fraction    (Fraction),
    .RankBits    (RankBits),
    .Ports       (Ports),
    .Classes     (Classes),
    .Levels      (Levels),
    .Width       (Width),
    .LargestBeats(LargestBeats),
    .OutBeats    (OutBeats)
  ) u_ports (
    .clk_i,
    .rst_i,
    .ready_o        (order_ready),
    .key_valid_i    (key_come),
    .key_field_i    (key_field),
    .key_bytes_i    (key_bytes),
    .key_valid_o    (key_made),
    .key_o          (key),
    .done_i         (done),
    .done_queue_i   (done_queue),
    .done_port_i    (done_port),
    .done_class_i   (done_class),
    .done_key_i     (done_key),
    .linked_o       (linked),
    .ask_o          (ask),
    .ask_queue_o    (ask_queue),
    .none_i         (none),
    .none_queue_i   (look_queue),
    .left_i         (leaves),
    .left_queue_i   (left_queue_o),
    .left_port_i    (left_port),
    .left_class_i   (left_class),
    .left_more_i    (left_more),
    .left_key_i     (left_key),
    .left_beats_i   (BeatW'((32'(left_bytes_o) + Lanes - 1) >> LaneW)),
    .begun_i        (begun),
    .begun_port_i   (begun_port),
    .gone_i         (m_tvalid_o & m_tready_i)
  );

  // ---- Registers and counters ----------------------------------------------------------------------------------------
  tm_bank #(
    .Ports        (Ports),
    .Classes      (Classes),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Cells        (Cells),
    .LargestBytes (LargestBytes),
    .AlphaLog2    (AlphaLog2)
  ) u_bank (
    .clk_i,
    .rst_i,
    .ready_o        (counters_ready),
    .malformed_i    (malformed),
    .come_i         (come),
    .refused_i      (refused),
    .come_port_i    (come_port),
    .come_bytes_i   (come_bytes),
    .ver_valid_i    (ver_valid_o),
    .ver_verdict_i  (ver_verdict_o),
    .ver_port_i     (port_of(ver_queue_o)),
    .ver_bytes_i    (ver_bytes_o),
    .left_valid_i   (left_valid_o),
    .left_expelled_i(left_expelled_o),
    .left_port_i    (left_port),
    .left_bytes_i   (left_bytes_o),
    .free_i         (free),
    .expel_o        (expel),
    .enable_o       (enable),
    .length_o       (length_most),
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
    .verdict_i  (ver_valid_o),
    .admitted_i (ver_verdict_o == tm_pkg::Admitted),
    .cells_i    (ver_cells),
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
