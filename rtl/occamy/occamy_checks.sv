// What Occamy promises, asserted while it is simulated, and what it takes for granted of its user.
//
//   latency       a verdict comes exactly `occamy_pkg::Latency` cycles after its arrival, and a departure's packet as many
//                 after it was asked for, if it comes; what comes unasked is a drop;
//   conservation  free cells and all lengths make up the buffer, in every cycle; no more leaves a queue than is there;
//   admission     exactly what stays within T and fits, as it stands when the decision is made;
//   drops         only from a queue that is over T when the decision is made, a cycle before.
module occamy_checks #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned AlphaLog2 = 3,
  parameter int unsigned Largest = 8,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned PacketW = $clog2(Largest + 1)
) (
  input logic               clk_i,
  input logic               rst_i,
  input logic               ready_i,
  input logic               arr_valid_i,
  input logic [ QueueW-1:0] arr_queue_i,
  input logic [PacketW-1:0] arr_cells_i,
  input logic               adm_valid_i,
  input logic               adm_admitted_i,
  input logic               deq_valid_i,
  input logic [ QueueW-1:0] deq_queue_i,
  input logic               out_valid_i,
  input logic               out_drop_i,
  input logic [ QueueW-1:0] out_queue_i,
  input logic [PacketW-1:0] out_cells_i,
  input logic [ CountW-1:0] free_i
);
`ifndef SYNTHESIS
  typedef struct packed {
    logic               valid;
    logic [QueueW-1:0]  into;
    logic [PacketW-1:0] cells;
  } packet_t;

  localparam int unsigned Last = occamy_pkg::Latency - 1;
  packet_t arrived_q[Last+1];
  logic sent_valid_q[Last+1];
  logic [QueueW-1:0] sent_q[Last+1];
  logic [31:0] length_q[Queues], free_q;
  // What was so a cycle ago: of the arrival that is decided, and of every queue.
  logic within_q, over_q[Queues];

  always_ff @(posedge clk_i) begin
    arrived_q[0]    <= '{arr_valid_i && !rst_i, arr_queue_i, arr_cells_i};
    for (int unsigned i = 1; i <= Last; i++) arrived_q[i] <= rst_i ? '0 : arrived_q[i-1];
    sent_valid_q[0] <= deq_valid_i && !rst_i;
    sent_q[0]       <= deq_queue_i;
    for (int unsigned i = 1; i <= Last; i++) begin
      sent_valid_q[i] <= sent_valid_q[i-1] && !rst_i;
      sent_q[i]       <= sent_q[i-1];
    end
  end

  // The buffer as it stands, a cycle behind the core's decision: verdicts and removals are taken in when they show.
  logic [31:0] length_d[Queues], free_d;
  always_comb begin
    length_d = length_q;
    free_d   = free_q;
    if (adm_valid_i && adm_admitted_i) begin
      length_d[arrived_q[Last].into] += 32'(arrived_q[Last].cells);
      free_d -= 32'(arrived_q[Last].cells);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Queues; q++) begin
      length_q[q] <= length_d[q];
      if (out_valid_i && out_queue_i == QueueW'(q)) length_q[q] <= length_d[q] - 32'(out_cells_i);
      over_q[q] <= 64'(length_d[q]) > 64'(free_d) << AlphaLog2;
      if (rst_i) length_q[q] <= '0;
    end
    free_q <= free_d + (out_valid_i ? 32'(out_cells_i) : '0);
    // Decided in this cycle: what has shown by now is what it sees.
    within_q <= 64'(length_d[arrived_q[Last-1].into]) + 64'(arrived_q[Last-1].cells) <= 64'(free_d) << AlphaLog2
                && 32'(arrived_q[Last-1].cells) <= free_d;
    if (rst_i) free_q <= Cells;
  end

  assert property (@(posedge clk_i) disable iff (rst_i) adm_valid_i == arrived_q[Last].valid)
  else $error("%m: a verdict that does not come %0d cycles after its arrival", occamy_pkg::Latency);
  assert property (@(posedge clk_i) disable iff (rst_i) adm_valid_i |-> adm_admitted_i == within_q)
  else $error("%m: a packet is admitted that is beyond T, or refused that is not");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   out_valid_i && !out_drop_i |-> sent_valid_q[Last] && sent_q[Last] == out_queue_i)
  else $error("%m: a packet is sent that nobody asked for %0d cycles ago", occamy_pkg::Latency);
  assert property (@(posedge clk_i) disable iff (rst_i) out_valid_i |-> 32'(out_cells_i) <= length_d[out_queue_i])
  else $error("%m: more leaves a queue than is there");
  assert property (@(posedge clk_i) disable iff (rst_i) out_valid_i && out_drop_i |-> over_q[out_queue_i])
  else $error("%m: a drop from a queue that was not over T");
  assert property (@(posedge clk_i) disable iff (rst_i) ready_i |-> 32'(free_i) == free_d)
  else $error("%m: the free cells are not those that no queue has");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   arr_valid_i |-> arr_cells_i != '0 && 32'(arr_cells_i) <= Largest && 32'(arr_queue_i) < Queues)
  else $error("%m: the user's arrival has no such queue, no cells or too many");
  assert property (@(posedge clk_i) disable iff (rst_i) deq_valid_i |-> 32'(deq_queue_i) < Queues)
  else $error("%m: the user's departure has no such queue");
`else
  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_i, ready_i, arr_valid_i, arr_queue_i, arr_cells_i, adm_valid_i, adm_admitted_i,
                           deq_valid_i, deq_queue_i, out_valid_i, out_drop_i, out_queue_i, out_cells_i, free_i};
`endif
endmodule
