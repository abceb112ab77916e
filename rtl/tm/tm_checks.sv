// What the traffic manager promises, asserted while it is simulated.
//
//   latency       it is ready `tm_pkg::ready_after` cycles after reset; a verdict comes `tm_pkg::VerdictAfter` cycles after a packet's last beat, and for each;
//   conservation  every cell of the memory is free, being filled, in a queue, or of a packet that leaves; what the queues
//                 share is what is free for them, let in but not yet in a queue, and in queues; never more than the spare
//                 cells are on their way out, and the memory is never out of cells for what has been let in.
//
// That packets of a queue leave in order is asserted in `tm_lists`, when they leave in `tm_ports`.
module tm_checks #(
  parameter int unsigned Cells = 512,
  parameter int unsigned Memory = 512,
  parameter int unsigned LargestCells = 6,
  parameter int unsigned ReadyAfter = 8,
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned CellsW = $clog2(LargestCells + 1)
) (
  input logic              clk_i,
  input logic              rst_i,
  input logic              ready_i,
  /// A packet asks, a cycle after its last beat.
  input logic              last_i,
  input logic              verdict_i,
  input logic              admitted_i,
  input logic [CellsW-1:0] cells_i,
  input logic              take_i,
  input logic              give_i,
  input logic              link_i,
  input logic [CellsW-1:0] link_cells_i,
  input logic              left_i,
  input logic [CellsW-1:0] left_cells_i,
  input logic [CountW-1:0] free_i
);
`ifndef SYNTHESIS
  // Cells: in no packet; let in, but not linked; taken for such; in queues; of packets that leave.
  int free_q, let_in_q, filling_q, queued_q, leaving_q;
  int left_q;
  logic [tm_pkg::VerdictAfter-2:0] asked_q;
  always_ff @(posedge clk_i) begin
    asked_q   <= rst_i ? '0 : {asked_q[tm_pkg::VerdictAfter-3:0], last_i};
    free_q    <= free_q - int'(take_i) + int'(give_i);
    let_in_q  <= let_in_q + (verdict_i && admitted_i ? int'(cells_i) : 0) - (link_i ? int'(link_cells_i) : 0);
    filling_q <= filling_q + int'(take_i) - (link_i ? int'(link_cells_i) : 0);
    queued_q  <= queued_q + (link_i ? int'(link_cells_i) : 0) - (left_i ? int'(left_cells_i) : 0);
    leaving_q <= leaving_q + (left_i ? int'(left_cells_i) : 0) - int'(give_i);
    // What the core said a cycle ago: a removal is told a cycle after it was carried out.
    left_q    <= int'(free_i);
    if (rst_i) begin
      free_q    <= int'(Memory);
      let_in_q  <= 0;
      filling_q <= 0;
      queued_q  <= 0;
      leaving_q <= 0;
    end
  end

  int unsigned since_reset_q;
  always_ff @(posedge clk_i) since_reset_q <= rst_i ? 0 : since_reset_q + 1;
  assert property (@(posedge clk_i) disable iff (rst_i) ready_i == (since_reset_q >= ReadyAfter))
  else $error("%m: not ready %0d cycles after reset, or not for good", ReadyAfter);
  assert property (@(posedge clk_i) disable iff (rst_i) verdict_i == asked_q[tm_pkg::VerdictAfter-2])
  else $error("%m: a verdict that does not come %0d cycles after the last beat", tm_pkg::VerdictAfter);
  assert property (@(posedge clk_i) disable iff (rst_i) free_q + filling_q + queued_q + leaving_q == int'(Memory))
  else $error("%m: cells are lost or doubled");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   free_q >= 0 && let_in_q >= 0 && filling_q >= 0 && queued_q >= 0 && leaving_q >= 0)
  else $error("%m: cells are given back twice");
  assert property (@(posedge clk_i) disable iff (rst_i) leaving_q <= int'(Memory - Cells))
  else $error("%m: more cells are on their way out than are spare");
  assert property (@(posedge clk_i) disable iff (rst_i || !ready_i)
                   int'(free_i) + let_in_q + queued_q + (verdict_i && admitted_i ? int'(cells_i) : 0)
                   - (left_i ? int'(left_cells_i) : 0) == int'(Cells))
  else $error("%m: the cells of the queues and those free for them are not all");
  cover_full_memory : cover property (@(posedge clk_i) ready_i && int'(free_i) < int'(LargestCells));
  cover_all_free : cover property (@(posedge clk_i) ready_i && left_q < int'(Cells) && int'(free_i) == int'(Cells));
`endif
endmodule
