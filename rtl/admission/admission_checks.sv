// What admission promises, asserted while it is simulated, and what it takes for granted of its
// user.
//
//   latency       a verdict comes exactly `admission_pkg::latency` cycles after its arrival;
//   conservation  free cells and all lengths make up the buffer, in every cycle;
//   admission     Dynamic Threshold: exactly what stays within T and fits, as it stands when the
//                 decision is made. ABM: only what fits. Pushout: exactly what fits; else the first
//                 of the longest queues is told, unless it is the packet's own.
//
// What is decided shows later; the buffer is followed with verdicts of this module's own, and ABM's,
// which depends on more, with those of the core, a cycle late.
module admission_checks #(
  parameter int unsigned Scheme = 0,
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned Largest = 8,
  parameter int unsigned AlphaLog2 = 0,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned PacketW = $clog2(Largest + 1)
) (
  input logic                    clk_i,
  input logic                    rst_i,
  input logic                    ready_i,
  input logic                    arr_valid_i,
  input logic [      QueueW-1:0] arr_queue_i,
  input logic [     PacketW-1:0] arr_cells_i,
  input logic                    adm_valid_i,
  input admission_pkg::verdict_e adm_verdict_i,
  input logic [      QueueW-1:0] adm_victim_i,
  input logic                    gone_valid_i,
  input logic [      QueueW-1:0] gone_queue_i,
  input logic [     PacketW-1:0] gone_cells_i,
  input logic [      CountW-1:0] free_i
);
`ifndef SYNTHESIS
  typedef struct packed {
    logic               valid;
    logic [QueueW-1:0]  into;
    logic [PacketW-1:0] cells;
  } packet_t;
  typedef struct packed {
    admission_pkg::verdict_e verdict;
    logic [QueueW-1:0]       victim;
  } answer_t;

  // Arrivals, and what was decided of them `Decides` cycles after they came; packets leave two cycles
  // after they are said to.
  localparam int unsigned Latency = admission_pkg::latency(Scheme, Queues);
  localparam int unsigned Decides = Scheme == admission_pkg::Pushout ? 2 : 3;
  packet_t arrived_q[Latency+1], left_q[2], arrives, leaves;
  answer_t answer_q[Latency+1], answer;
  assign arrives = arrived_q[Decides-1];
  assign leaves  = left_q[1];

  // The buffer when the decision of this cycle is made.
  int unsigned length_q[Queues], length[Queues], free_q, free, with_packet, longest;
  logic [QueueW-1:0] first;
  int unsigned held_q[Queues];
  logic fits, is_within;
  packet_t shown;
  assign shown = arrived_q[Latency-1];
  always_comb begin
    length = length_q;
    free   = free_q;
    // ABM's decisions are learnt of when they show.
    if (Scheme == admission_pkg::Abm && shown.valid && adm_verdict_i == admission_pkg::Accept) begin
      length[shown.into] += 32'(shown.cells);
      free -= 32'(shown.cells);
    end
    longest = 0;
    first   = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (length[q] > longest) begin
        longest = length[q];
        first   = QueueW'(q);
      end
    end
    with_packet = length[arrives.into] + 32'(arrives.cells);
    fits   = 32'(arrives.cells) <= free;
    is_within = 64'(with_packet) <= 64'(free) << AlphaLog2;
    answer = '{admission_pkg::Drop, first};
    if (fits && (Scheme != admission_pkg::Dt || is_within)) answer.verdict = admission_pkg::Accept;
    else if (Scheme == admission_pkg::Pushout && with_packet < longest) begin
      answer.verdict = admission_pkg::PushOut;
    end
  end

  always_ff @(posedge clk_i) begin
    arrived_q[0] <= '{arr_valid_i && !rst_i, arr_queue_i, arr_cells_i};
    left_q[0]    <= '{gone_valid_i && !rst_i, gone_queue_i, gone_cells_i};
    left_q[1]    <= rst_i ? '0 : left_q[0];
    for (int unsigned i = 1; i <= Latency; i++) arrived_q[i] <= rst_i ? '0 : arrived_q[i-1];
    answer_q[Decides] <= answer;
    for (int unsigned i = Decides + 1; i <= Latency; i++) answer_q[i] <= answer_q[i-1];
    free_q <= free + (leaves.valid ? 32'(leaves.cells) : 0)
            - (Scheme != admission_pkg::Abm && arrives.valid
               && answer.verdict == admission_pkg::Accept ? 32'(arrives.cells) : 0);
    for (int unsigned q = 0; q < Queues; q++) begin
      length_q[q] <= length[q] - (leaves.valid && 32'(leaves.into) == q ? 32'(leaves.cells) : 0)
                   + (Scheme != admission_pkg::Abm && arrives.valid && 32'(arrives.into) == q
                      && answer.verdict == admission_pkg::Accept ? 32'(arrives.cells) : 0);
      held_q[q] <= held_q[q] - (gone_valid_i && 32'(gone_queue_i) == q ? 32'(gone_cells_i) : 0)
                 + (adm_valid_i && adm_verdict_i == admission_pkg::Accept
                    && 32'(shown.into) == q ? 32'(shown.cells) : 0);
      if (rst_i) begin
        length_q[q] <= 0;
        held_q[q]   <= 0;
      end
    end
    if (rst_i) free_q <= Cells;
  end

  assert property (@(posedge clk_i) disable iff (rst_i) adm_valid_i == shown.valid)
  else $error("%m: a verdict that does not come %0d cycles after its arrival", Latency);
  if (Scheme == admission_pkg::Abm) begin : gen_abm
    assert property (@(posedge clk_i) disable iff (rst_i)
                     adm_valid_i && adm_verdict_i == admission_pkg::Accept
                     |-> answer_q[Latency-1].verdict == admission_pkg::Accept)
    else $error("%m: a packet is admitted that does not fit");
    assert property (@(posedge clk_i) disable iff (rst_i)
                     adm_valid_i |-> adm_verdict_i != admission_pkg::PushOut && adm_victim_i == '0)
    else $error("%m: ABM pushes nothing out");
  end else begin : gen_exact
    assert property (@(posedge clk_i) disable iff (rst_i)
                     adm_valid_i |-> adm_verdict_i == answer_q[Latency-1].verdict)
    else $error("%m: a verdict is not what the buffer was when it was decided");
    assert property (@(posedge clk_i) disable iff (rst_i)
                     adm_valid_i && adm_verdict_i == admission_pkg::PushOut
                     |-> adm_victim_i == answer_q[Latency-1].victim)
    else $error("%m: what is pushed out is not the first of the longest queues");
  end
  assert property (@(posedge clk_i) disable iff (rst_i) ready_i |-> 32'(free_i) == free)
  else $error("%m: the free cells are not those that no queue has");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   arr_valid_i |-> arr_cells_i != '0 && 32'(arr_cells_i) <= Largest
                                   && 32'(arr_queue_i) < Queues)
  else $error("%m: the user's arrival has no such queue, no cells or too many");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   gone_valid_i |-> gone_cells_i != '0 && 32'(gone_queue_i) < Queues
                                    && 32'(gone_cells_i) <= held_q[gone_queue_i])
  else $error("%m: more leaves a queue than the user was told is there");
`else
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_i, ready_i, arr_valid_i, arr_queue_i, arr_cells_i, adm_valid_i,
                           adm_verdict_i, adm_victim_i, gone_valid_i, gone_queue_i, gone_cells_i,
                           free_i};
`endif
endmodule
