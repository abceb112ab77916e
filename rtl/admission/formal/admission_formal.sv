// Dynamic Threshold and Pushout against their specification, for the solver: every stream of
// arrivals and of packets that leave, up to a length.
//
// The specification keeps the lengths, decides an arrival in the cycle in which the core does, and
// searches the longest queue from the first to the last. Asserted: each verdict in its cycle, the
// victim, the free cells. Assumed is what `admission.sv` asks of its user.
module admission_formal #(
  parameter int unsigned Scheme = 0,
  parameter int unsigned Queues = 2,
  parameter int unsigned Cells = 4,
  parameter int unsigned Largest = 3,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned PacketW = $clog2(Largest + 1)
) (
  input logic               clk_i,
  input logic               arr_valid_i,
  input logic [ QueueW-1:0] arr_queue_i,
  input logic [PacketW-1:0] arr_cells_i,
  input logic               gone_valid_i,
  input logic [ QueueW-1:0] gone_queue_i,
  input logic [PacketW-1:0] gone_cells_i
);
  localparam bit Pushes = Scheme == admission_pkg::Pushout;
  localparam int unsigned Latency = admission_pkg::latency(Scheme, Queues);
  localparam int unsigned Decides = Pushes ? 2 : 3;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, arr_ready, adm_valid;
  admission_pkg::verdict_e verdict;
  logic [QueueW-1:0] victim;
  logic [CountW-1:0] free;
  admission #(
    .Scheme (Scheme),
    .Queues (Queues),
    .Cells  (Cells),
    .Largest(Largest)
  ) u_admission (
    .clk_i,
    .rst_i        (rst),
    .ready_o      (ready),
    .arr_ready_o  (arr_ready),
    .arr_valid_i,
    .arr_queue_i,
    .arr_cells_i,
    .adm_valid_o  (adm_valid),
    .adm_verdict_o(verdict),
    .adm_victim_o (victim),
    .gone_valid_i,
    .gone_queue_i,
    .gone_cells_i,
    .free_o       (free)
  );

  typedef struct packed {
    logic                    valid;
    logic [QueueW-1:0]       into;
    logic [PacketW-1:0]      cells;
    admission_pkg::verdict_e verdict;
    logic [QueueW-1:0]       victim;
  } packet_t;
  packet_t arrived_q[Latency], left_q[2], decides, decided;
  int unsigned length_q[Queues], held_q[Queues], free_q, longest, with_packet;
  always_comb begin
    decides = arrived_q[Decides-1];
    longest = 0;
    decides.victim = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (length_q[q] > longest) begin
        longest        = length_q[q];
        decides.victim = QueueW'(q);
      end
    end
    with_packet = length_q[decides.into] + 32'(decides.cells);
    decides.verdict = admission_pkg::Drop;
    if (32'(decides.cells) <= free_q && (Pushes || with_packet <= free_q)) begin
      decides.verdict = admission_pkg::Accept;
    end else if (Pushes && with_packet < longest) decides.verdict = admission_pkg::PushOut;
    decided = arrived_q[Latency-1];
  end

  always_ff @(posedge clk_i) begin
    arrived_q[0] <= '{valid: arr_valid_i && arr_ready && !rst, into: arr_queue_i,
                      cells: arr_cells_i, verdict: admission_pkg::Drop, victim: '0};
    for (int unsigned i = 1; i < Latency; i++) begin
      arrived_q[i] <= i == Decides ? decides : arrived_q[i-1];
    end
    left_q[0] <= '{valid: gone_valid_i && ready && !rst, into: gone_queue_i, cells: gone_cells_i,
                   verdict: admission_pkg::Drop, victim: '0};
    left_q[1] <= left_q[0];
    free_q    <= free_q + (left_q[1].valid ? 32'(left_q[1].cells) : 0)
               - (decides.valid && decides.verdict == admission_pkg::Accept ? 32'(decides.cells) : 0);
    for (int unsigned q = 0; q < Queues; q++) begin
      length_q[q] <= length_q[q]
                   - (left_q[1].valid && left_q[1].into == QueueW'(q) ? 32'(left_q[1].cells) : 0)
                   + (decides.valid && decides.verdict == admission_pkg::Accept
                      && decides.into == QueueW'(q) ? 32'(decides.cells) : 0);
      held_q[q] <= held_q[q]
                 - (gone_valid_i && ready && gone_queue_i == QueueW'(q) ? 32'(gone_cells_i) : 0)
                 + (decided.valid && decided.verdict == admission_pkg::Accept
                    && decided.into == QueueW'(q) ? 32'(decided.cells) : 0);
    end
    if (rst) begin
      for (int unsigned i = 0; i < Latency; i++) arrived_q[i] <= '0;
      left_q[0] <= '0;
      left_q[1] <= '0;
      free_q    <= Cells;
      for (int unsigned q = 0; q < Queues; q++) begin
        length_q[q] <= 0;
        held_q[q]   <= 0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      a_queue : assume (32'(arr_queue_i) < Queues && 32'(gone_queue_i) < Queues);
      a_packet : assume (arr_cells_i != '0 && 32'(arr_cells_i) <= Largest && gone_cells_i != '0);
      is_there : assume (!(gone_valid_i && ready) || 32'(gone_cells_i) <= held_q[gone_queue_i]);
      in_its_cycle : assert (adm_valid == decided.valid);
      if (adm_valid) as_it_stands : assert (verdict == decided.verdict);
      if (adm_valid && verdict == admission_pkg::PushOut) the_first : assert (victim == decided.victim);
      if (ready) cells : assert (32'(free) == free_q);
      refused : cover (adm_valid && verdict == admission_pkg::Drop);
      after_one_left : cover (adm_valid && verdict == admission_pkg::Accept && left_q[1].valid);
      if (Pushes) pushed_out : cover (adm_valid && verdict == admission_pkg::PushOut && victim != '0);
    end
  end
endmodule
