// A list of packets for each queue. A packet's number is that of its first cell.
//
//   link_*   a packet goes to the end of a queue;
//   look_*   the descriptor at the head of a queue is read: in the next cycle whether there is one, and its cells;
//   take_*   the head packet is taken out; the next one can be read from the next cycle on;
//   rank_*   the rank of a queue's head packet is read: in this cycle whether there is one, in the next its rank.
//
// The pointer to the packet behind is read when a packet is taken out, so the head of that queue is known a cycle later, from
// the memory itself. A queue of one packet needs no pointer: what is linked to an empty queue, or while its last packet is
// taken out, becomes its head.
module tm_lists #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Memory = 512,
  parameter int unsigned CellsW = 3,
  /// Bits of a rank, or whatever the scheduler keeps with a packet.
  parameter int unsigned KeyW = 6,
  /// Bits of what is kept with a packet besides.
  parameter int unsigned KeepW = 16,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CellW = parameter_pkg::index_width(Memory)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              link_i,
  input  logic [QueueW-1:0] link_queue_i,
  input  logic [ CellW-1:0] link_packet_i,
  input  logic [CellsW-1:0] link_cells_i,
  input  logic [  KeyW-1:0] link_rank_i,
  input  logic [ KeepW-1:0] link_keep_i,
  input  logic              look_i,
  input  logic [QueueW-1:0] look_queue_i,
  /// In this cycle: whether there is one.
  output logic              look_some_o,
  output logic [CellsW-1:0] look_cells_o,
  input  logic              take_i,
  input  logic [QueueW-1:0] take_queue_i,
  output logic [ CellW-1:0] take_packet_o,
  /// In the next cycle.
  output logic [ KeepW-1:0] take_keep_o,
  input  logic              rank_i,
  input  logic [QueueW-1:0] rank_queue_i,
  output logic              rank_some_o,
  output logic [  KeyW-1:0] rank_o
);
  localparam int unsigned CountW = CellW + 1;
  logic [CellW-1:0] head_q[Queues], tail_q[Queues], look, ranked, behind;
  logic [CountW-1:0] count_q[Queues];
  logic moves_q, only;
  logic [QueueW-1:0] moves_queue_q;

  assign look          = moves_q && moves_queue_q == look_queue_i ? behind : head_q[look_queue_i];
  assign look_some_o   = count_q[look_queue_i] != '0;
  assign ranked        = moves_q && moves_queue_q == rank_queue_i ? behind : head_q[rank_queue_i];
  assign rank_some_o   = count_q[rank_queue_i] != '0;
  assign take_packet_o = head_q[take_queue_i];
  assign only          = count_q[take_queue_i] == CountW'(1);

  always_ff @(posedge clk_i) begin
    moves_q       <= take_i && !only && !rst_i;
    moves_queue_q <= take_queue_i;
    if (moves_q) head_q[moves_queue_q] <= behind;
    if (link_i) begin
      tail_q[link_queue_i] <= link_packet_i;
      if (count_q[link_queue_i] == '0 || (take_i && take_queue_i == link_queue_i && only)) begin
        head_q[link_queue_i] <= link_packet_i;
      end
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      count_q[q] <= count_q[q] + CountW'(link_i && link_queue_i == QueueW'(q))
                    - CountW'(take_i && take_queue_i == QueueW'(q));
      if (rst_i) count_q[q] <= '0;
    end
  end

  ram_1r1w #(
    .Width(CellsW),
    .Depth(Memory)
  ) u_cells (
    .clk_i,
    .we_i   (link_i),
    .waddr_i(link_packet_i),
    .wdata_i(link_cells_i),
    .re_i   (look_i),
    .raddr_i(look),
    .rdata_o(look_cells_o)
  );

  ram_1r1w #(
    .Width(KeyW),
    .Depth(Memory)
  ) u_ranks (
    .clk_i,
    .we_i   (link_i),
    .waddr_i(link_packet_i),
    .wdata_i(link_rank_i),
    .re_i   (rank_i),
    .raddr_i(ranked),
    .rdata_o(rank_o)
  );

  ram_1r1w #(
    .Width(KeepW),
    .Depth(Memory)
  ) u_keep (
    .clk_i,
    .we_i   (link_i),
    .waddr_i(link_packet_i),
    .wdata_i(link_keep_i),
    .re_i   (take_i),
    .raddr_i(take_packet_o),
    .rdata_o(take_keep_o)
  );

  ram_1r1w #(
    .Width(CellW),
    .Depth(Memory)
  ) u_behind (
    .clk_i,
    // Without one before it, there is no tail: the place has long been another packet's.
    .we_i   (link_i && count_q[link_queue_i] != '0),
    .waddr_i(tail_q[link_queue_i]),
    .wdata_i(link_packet_i),
    .re_i   (take_i),
    .raddr_i(take_packet_o),
    .rdata_o(behind)
  );

`ifndef SYNTHESIS
  // Order: packets of a queue are numbered as they come, and leave with the numbers of their turn.
  int unsigned came_q[Queues], left_q[Queues], turn_q[Memory];
  always_ff @(posedge clk_i) begin
    if (link_i) begin
      turn_q[link_packet_i] <= came_q[link_queue_i];
      came_q[link_queue_i]  <= came_q[link_queue_i] + 1;
    end
    if (take_i) left_q[take_queue_i] <= left_q[take_queue_i] + 1;
    if (rst_i) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        came_q[q] <= 0;
        left_q[q] <= 0;
      end
    end
  end
  assert property (@(posedge clk_i) disable iff (rst_i) take_i |-> turn_q[take_packet_o] == left_q[take_queue_i])
  else $error("%m: a packet leaves its queue out of turn");
  assert property (@(posedge clk_i) disable iff (rst_i) take_i |-> count_q[take_queue_i] != '0)
  else $error("%m: a packet leaves an empty queue");
  cover_link_to_last : cover property (@(posedge clk_i) link_i && take_i && link_queue_i == take_queue_i && only);
  cover_rank_behind : cover property (@(posedge clk_i) rank_i && moves_q && moves_queue_q == rank_queue_i);
  cover_look_behind : cover property (@(posedge clk_i) look_i && moves_q && moves_queue_q == look_queue_i);
`endif
endmodule
