// Occamy: admission by Dynamic Threshold, and head drop from the queues that are over it, with the read cycles to spare.
//
// Source: occamy §4.2, §4.3, §5.1 (Table 1). Golden model: `forebay_buffer::onchip::OccamyPipeline`, whose decisions are those
// of the shared buffer under the policy `occamy`. It decides about an arrival and about a removal in every cycle.
//
// It keeps the queues' lengths and the free cells; the lists of descriptors and of cell pointers are the user's memories:
//
//   arr_*   a packet of so many cells wants to enter a queue. `adm_*` says `occamy_pkg::Latency` cycles later whether it may;
//           in that cycle the user links it, so that its descriptor can be read in the next.
//   deq_*   the output scheduler takes the head packet of a queue. Never refused; if there is none, nothing leaves. The
//           same queue can be asked again three cycles later.
//   pd_*    the descriptor of the head of a queue is read. In the next cycle the user says whether there is one, and its cells.
//   out_*   the head packet is taken out of a queue, to be sent or dropped: `Latency` cycles after `deq_*`. The user unlinks it
//           in this cycle, so that the next descriptor can be read in the next.
//   row_*   so many cell pointers of the packet dropped last are given back, one of each parallel list.
//
// `ready_o` is low for `occamy_pkg::ready_after` cycles after reset and never again; meanwhile nothing is taken.
module occamy #(
  /// Queues, 2 to 512.
  parameter int unsigned Queues = 64,
  /// Cells of the buffer, 2 to 65535.
  parameter int unsigned Cells = 2050,
  /// T is 2^AlphaLog2 times the free cells; 0 to 15.
  parameter int unsigned AlphaLog2 = 3,
  /// A packet has 2^SublistsLog2 parallel lists of cell pointers; 0 to 6.
  parameter int unsigned SublistsLog2 = 2,
  /// Cells of the largest packet, 1 to Cells.
  parameter int unsigned Largest = 8,
  /// Read cycles that are saved up; at least what the largest packet takes, at most 4095.
  parameter int unsigned Burst = 2,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned PacketW = $clog2(Largest + 1)
) (
  input  logic                    clk_i,
  /// Synchronous.
  input  logic                    rst_i,
  output logic                    ready_o,
  input  logic                    arr_valid_i,
  input  logic [      QueueW-1:0] arr_queue_i,
  input  logic [     PacketW-1:0] arr_cells_i,
  output logic                    adm_valid_o,
  output logic                    adm_admitted_o,
  input  logic                    deq_valid_i,
  input  logic [      QueueW-1:0] deq_queue_i,
  output logic                    pd_valid_o,
  output logic [      QueueW-1:0] pd_queue_o,
  input  logic                    pd_there_i,
  input  logic [     PacketW-1:0] pd_cells_i,
  output logic                    out_valid_o,
  output logic                    out_drop_o,
  output logic [      QueueW-1:0] out_queue_o,
  output logic [     PacketW-1:0] out_cells_o,
  output logic                    row_valid_o,
  output logic [  SublistsLog2:0] row_count_o,
  output logic                    row_last_o,
  output logic [      CountW-1:0] free_o
);
  if (!parameter_pkg::in_range("occamy: Queues", Queues, 2, 512)) begin : gen_check_queues
    $error("occamy: Queues is out of range");
  end
  if (!parameter_pkg::in_range("occamy: Cells", Cells, 2, 65535)) begin : gen_check_cells
    $error("occamy: Cells is out of range");
  end
  if (!parameter_pkg::in_range("occamy: AlphaLog2", AlphaLog2, 0, 15)) begin : gen_check_alphalog2
    $error("occamy: AlphaLog2 is out of range");
  end
  if (!parameter_pkg::in_range("occamy: SublistsLog2", SublistsLog2, 0, 6)) begin : gen_check_sublistslog2
    $error("occamy: SublistsLog2 is out of range");
  end
  if (!parameter_pkg::in_range("occamy: Largest", Largest, 1, Cells)) begin : gen_check_largest
    $error("occamy: Largest is out of range");
  end
  if (!parameter_pkg::in_range("occamy: Burst", Burst, occamy_pkg::release_cycles(Largest, SublistsLog2),
                               occamy_pkg::Debt - 1)) begin : gen_check_burst
    $error("occamy: Burst is out of range");
  end

  // Stage R.
  logic r_valid_q;
  logic [QueueW-1:0] r_queue_q;
  logic [PacketW-1:0] r_cells_q;
  always_ff @(posedge clk_i) begin
    r_valid_q <= arr_valid_i && ready_o && !rst_i;
    r_queue_q <= arr_queue_i;
    r_cells_q <= arr_cells_i;
  end

  logic changed_over, swept_valid, swept_over, clear, candidate, take, room, idle;
  logic [QueueW-1:0] changed, clear_queue, candidate_queue, look, taking_queue;
  logic [CountW-1:0] look_length;
  logic [CountW:0] look_gone, taken_gone;

  occamy_lengths #(
    .Queues   (Queues),
    .Cells    (Cells),
    .AlphaLog2(AlphaLog2),
    .PacketW  (PacketW)
  ) u_lengths (
    .clk_i,
    .rst_i,
    .ready_o,
    .valid_i       (r_valid_q),
    .queue_i       (r_queue_q),
    .cells_i       (r_cells_q),
    .valid_o       (adm_valid_o),
    .admitted_o    (adm_admitted_o),
    .changed_o     (changed),
    .changed_over_o(changed_over),
    .swept_valid_o (swept_valid),
    .swept_over_o  (swept_over),
    .look_i        (look),
    .look_gone_o   (look_gone),
    .look_length_o (look_length),
    .taking_queue_i(taking_queue),
    .taken_i       (out_valid_o),
    .taken_queue_i (out_queue_o),
    .taken_cells_i (out_cells_o),
    .taken_gone_i  (taken_gone),
    .free_o
  );

  // What was picked and is within its threshold loses its bit, unless a queue changes in the same cycle: then the sweep
  // sees to it.
  logic changes;
  assign changes = adm_valid_o && adm_admitted_o;

  occamy_selector #(
    .Queues(Queues)
  ) u_selector (
    .clk_i,
    .rst_i,
    .swept_i        (swept_valid),
    .swept_over_i   (swept_over),
    .changed_i      (changes || clear),
    .changed_queue_i(changes ? changed : clear_queue),
    .changed_over_i (changes && changed_over),
    .valid_o        (candidate),
    .queue_o        (candidate_queue),
    .take_i         (take)
  );

  occamy_arbiter #(
    .Queues      (Queues),
    .Cells       (Cells),
    .AlphaLog2   (AlphaLog2),
    .SublistsLog2(SublistsLog2),
    .PacketW     (PacketW),
    .Burst       (Burst)
  ) u_arbiter (
    .clk_i,
    .rst_i,
    .ready_i          (ready_o),
    .valid_i          (deq_valid_i && ready_o),
    .queue_i          (deq_queue_i),
    .candidate_i      (candidate),
    .candidate_queue_i(candidate_queue),
    .take_o           (take),
    .read_o           (pd_valid_o),
    .read_queue_o     (pd_queue_o),
    .there_i          (pd_there_i),
    .cells_i          (pd_cells_i),
    .look_o           (look),
    .look_gone_i      (look_gone),
    .look_length_i    (look_length),
    .free_i           (free_o),
    .clear_o          (clear),
    .clear_queue_o    (clear_queue),
    .taking_queue_o   (taking_queue),
    .taken_o          (out_valid_o),
    .dropped_o        (out_drop_o),
    .taken_queue_o    (out_queue_o),
    .taken_cells_o    (out_cells_o),
    .taken_gone_o     (taken_gone),
    .room_i           (room),
    .idle_o           (idle)
  );

  occamy_executor #(
    .SublistsLog2(SublistsLog2),
    .PacketW     (PacketW)
  ) u_executor (
    .clk_i,
    .rst_i,
    .valid_i(out_valid_o && out_drop_o),
    .cells_i(out_cells_o),
    .idle_i (idle),
    .room_o (room),
    .valid_o(row_valid_o),
    .count_o(row_count_o),
    .last_o (row_last_o)
  );

`ifndef SYNTHESIS
  occamy_checks #(
    .Queues   (Queues),
    .Cells    (Cells),
    .AlphaLog2(AlphaLog2),
    .Largest  (Largest)
  ) u_checks (
    .clk_i,
    .rst_i,
    .ready_i       (ready_o),
    .arr_valid_i   (arr_valid_i && ready_o),
    .arr_queue_i,
    .arr_cells_i,
    .adm_valid_i   (adm_valid_o),
    .adm_admitted_i(adm_admitted_o),
    .deq_valid_i   (deq_valid_i && ready_o),
    .deq_queue_i,
    .out_valid_i   (out_valid_o),
    .out_drop_i    (out_drop_o),
    .out_queue_i   (out_queue_o),
    .out_cells_i   (out_cells_o),
    .free_i        (free_o)
  );
`endif
endmodule
