// Admission to a shared buffer by Dynamic Threshold, ABM or Pushout: what an arriving packet's
// scheme says of it, a decision a cycle.
//
// Sources: occamy §2.2 Eq. 1 (Dynamic Threshold, Pushout), Addanki et al., SIGCOMM '22 (ABM).
// Golden model: `forebay_buffer::onchip::AdmissionPipeline`, whose decisions are those of the shared
// buffer under the policies `dt`, `abm` (rounded, as it says) and `pushout`. It keeps the queues'
// lengths and the free cells; the packets are the user's.
//
//   arr_*   a packet of so many cells wants to enter a queue; it is taken while `arr_ready_o` is
//           high. `adm_*` says `admission_pkg::latency` cycles later what becomes of it: it is
//           accepted, and its cells count from the decision on; it is dropped; or (Pushout) the
//           youngest packet of `adm_victim_o` is to be dropped first, which is the longest queue as
//           it was at the decision. Then the user says so on `gone_*` and offers the packet again.
//   gone_*  a packet of so many cells has left a queue, sent or dropped; after its verdict. Its
//           cells are free three cycles later.
//
// Dynamic Threshold and ABM take an arrival and a packet that leaves in every cycle, Pushout one of
// them: `arr_ready_o` is low while `gone_valid_i` is high.
//
// `ready_o` is low for `admission_pkg::ready_after` cycles after reset and never again; meanwhile
// nothing is taken.
module admission #(
  /// `admission_pkg::Dt`, `Abm` or `Pushout`: 0 to 2.
  parameter int unsigned Scheme = admission_pkg::Dt,
  /// Queues, 2 to 512.
  parameter int unsigned Queues = 64,
  /// Cells of the buffer, 2 to 65535.
  parameter int unsigned Cells = 2050,
  /// Cells of the largest packet, 1 to Cells.
  parameter int unsigned Largest = 8,
  /// α is 2^AlphaLog2; 0 to 15. Not of Pushout.
  parameter int unsigned AlphaLog2 = 0,
  /// ABM: a queue's class is its number modulo 2^ClassesLog2; 0 to 3.
  parameter int unsigned ClassesLog2 = 0,
  /// ABM: from so many cells on a queue is congested; 1 to Cells.
  parameter int unsigned Congested = 1,
  /// ABM: drain rates are measured over 2^IntervalLog2 cycles, at least one a queue; 1 to 24.
  parameter int unsigned IntervalLog2 = 1,
  /// ABM: cells that a port sends meanwhile; 1 to 2^(bits of Cells + 1) - 2.
  parameter int unsigned PortCells = 1,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned PacketW = $clog2(Largest + 1)
) (
  input  logic                    clk_i,
  /// Synchronous.
  input  logic                    rst_i,
  output logic                    ready_o,
  output logic                    arr_ready_o,
  input  logic                    arr_valid_i,
  input  logic [      QueueW-1:0] arr_queue_i,
  input  logic [     PacketW-1:0] arr_cells_i,
  output logic                    adm_valid_o,
  output admission_pkg::verdict_e adm_verdict_o,
  output logic [      QueueW-1:0] adm_victim_o,
  input  logic                    gone_valid_i,
  input  logic [      QueueW-1:0] gone_queue_i,
  input  logic [     PacketW-1:0] gone_cells_i,
  output logic [      CountW-1:0] free_o
);
  localparam bit IsAbm = Scheme == admission_pkg::Abm;
  localparam bit IsPushout = Scheme == admission_pkg::Pushout;

  if (!parameter_pkg::in_range("admission: Scheme", Scheme, 0, 2)) begin : gen_check_scheme
    $error("admission: Scheme is out of range");
  end
  if (!parameter_pkg::in_range("admission: Queues", Queues, 2, 512)) begin : gen_check_queues
    $error("admission: Queues is out of range");
  end
  if (!parameter_pkg::in_range("admission: Cells", Cells, 2, 65535)) begin : gen_check_cells
    $error("admission: Cells is out of range");
  end
  if (!parameter_pkg::in_range("admission: Largest", Largest, 1, Cells)) begin : gen_check_largest
    $error("admission: Largest is out of range");
  end
  // What a scheme does not read keeps its default.
  if (!parameter_pkg::in_range("admission: AlphaLog2", AlphaLog2, 0,
                               IsPushout ? 0 : 15)) begin : gen_check_alphalog2
    $error("admission: AlphaLog2 is out of range");
  end
  if (!parameter_pkg::in_range("admission: ClassesLog2", ClassesLog2, 0,
                               IsAbm ? 3 : 0)) begin : gen_check_classeslog2
    $error("admission: ClassesLog2 is out of range");
  end
  if (!parameter_pkg::in_range("admission: Congested", Congested, 1,
                               IsAbm ? Cells : 1)) begin : gen_check_congested
    $error("admission: Congested is out of range");
  end
  if (!parameter_pkg::in_range("admission: IntervalLog2", IntervalLog2, IsAbm ? $clog2(Queues) : 1,
                               IsAbm ? 24 : 1)) begin : gen_check_intervallog2
    $error("admission: IntervalLog2 is out of range");
  end
  if (!parameter_pkg::in_range("admission: PortCells", PortCells, 1,
                               IsAbm ? (2 << CountW) - 2 : 1)) begin : gen_check_portcells
    $error("admission: PortCells is out of range");
  end

  logic arrives, leaves;
  assign arr_ready_o = ready_o && !(IsPushout && gone_valid_i);
  assign arrives     = arr_valid_i && arr_ready_o;
  assign leaves      = gone_valid_i && ready_o;

  if (IsPushout) begin : gen_pushout
    admission_pushout #(
      .Queues (Queues),
      .Cells  (Cells),
      .PacketW(PacketW)
    ) u_pushout (
      .clk_i,
      .rst_i,
      .ready_o,
      .valid_i  (arrives),
      .leaves_i (leaves),
      .queue_i  (leaves ? gone_queue_i : arr_queue_i),
      .cells_i  (leaves ? gone_cells_i : arr_cells_i),
      .valid_o  (adm_valid_o),
      .verdict_o(adm_verdict_o),
      .victim_o (adm_victim_o),
      .free_o
    );
  end else begin : gen_threshold
    logic d_valid, d_fits, admit, c_admitted;
    logic [QueueW-1:0] clear, r_queue, c_queue, look;
    logic [PacketW-1:0] c_cells;
    logic [CountW:0] d_with, c_with, look_gone;
    admission_lengths #(
      .Queues (Queues),
      .Cells  (Cells),
      .PacketW(PacketW)
    ) u_lengths (
      .clk_i,
      .rst_i,
      .ready_o,
      .clear_o     (clear),
      .valid_i     (arrives),
      .queue_i     (arr_queue_i),
      .cells_i     (arr_cells_i),
      .r_queue_o   (r_queue),
      .d_valid_o   (d_valid),
      .d_fits_o    (d_fits),
      .d_with_o    (d_with),
      .admit_i     (admit),
      .c_valid_o   (adm_valid_o),
      .c_admitted_o(c_admitted),
      .c_queue_o   (c_queue),
      .c_cells_o   (c_cells),
      .c_with_o    (c_with),
      .gone_valid_i(leaves),
      .gone_queue_i,
      .gone_cells_i,
      .look_i      (look),
      .look_gone_o (look_gone),
      .free_o
    );
    assign adm_verdict_o = c_admitted ? admission_pkg::Accept : admission_pkg::Drop;
    assign adm_victim_o  = '0;

    if (IsAbm) begin : gen_abm
      admission_abm #(
        .Queues      (Queues),
        .Cells       (Cells),
        .AlphaLog2   (AlphaLog2),
        .ClassesLog2 (ClassesLog2),
        .Congested   (Congested),
        .IntervalLog2(IntervalLog2),
        .PortCells   (PortCells),
        .PacketW     (PacketW)
      ) u_abm (
        .clk_i,
        .rst_i,
        .ready_i    (ready_o),
        .clear_i    (clear),
        .r_queue_i  (r_queue),
        .d_valid_i  (d_valid),
        .d_fits_i   (d_fits),
        .d_with_i   (d_with),
        .admit_o    (admit),
        .c_valid_i  (adm_valid_o),
        .c_queue_i  (c_queue),
        .c_cells_i  (c_cells),
        .c_with_i   (c_with),
        .free_i     (free_o),
        .look_o     (look),
        .look_gone_i(look_gone)
      );
    end else begin : gen_dt
      admission_dt #(
        .Cells    (Cells),
        .AlphaLog2(AlphaLog2)
      ) u_dt (
        .valid_i(d_valid),
        .fits_i (d_fits),
        .with_i (d_with),
        .free_i (free_o),
        .admit_o(admit)
      );
      assign look = '0;
      logic unused_lengths;
      assign unused_lengths = ^{clear, r_queue, c_queue, c_cells, c_with, look_gone};
    end
  end

`ifndef SYNTHESIS
  admission_checks #(
    .Scheme   (Scheme),
    .Queues   (Queues),
    .Cells    (Cells),
    .Largest  (Largest),
    .AlphaLog2(AlphaLog2)
  ) u_checks (
    .clk_i,
    .rst_i,
    .ready_i      (ready_o),
    .arr_valid_i  (arrives),
    .arr_queue_i,
    .arr_cells_i,
    .adm_valid_i  (adm_valid_o),
    .adm_verdict_i(adm_verdict_o),
    .adm_victim_i (adm_victim_o),
    .gone_valid_i (leaves),
    .gone_queue_i,
    .gone_cells_i,
    .free_i       (free_o)
  );
`endif
endmodule
