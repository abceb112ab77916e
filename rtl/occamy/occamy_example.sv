// Occamy with the memory that it leaves to its user: a ring of descriptors for each of four queues, linked when a packet
// is admitted, and unlinked when it is sent or dropped. A descriptor is the packet's number of cells here; a design would
// keep the pointer to its first cell beside it.
module occamy_example #(
  // A queue's ring has a place for every cell.
  localparam int unsigned PlacesLog2 = 9,
  localparam int unsigned PacketW = 4
) (
  input  logic               clk_i,
  input  logic               rst_i,
  output logic               ready_o,
  input  logic               packet_valid_i,
  input  logic [        1:0] packet_queue_i,
  input  logic [PacketW-1:0] packet_cells_i,
  /// Four cycles later: may the packet enter?
  output logic               verdict_o,
  output logic               admitted_o,
  /// Send the first packet of a queue, which comes out four cycles later; the same queue at most every third cycle.
  input  logic               send_i,
  input  logic [        1:0] send_queue_i,
  output logic               sent_o,
  output logic               dropped_o,
  output logic [PacketW-1:0] cells_o
);
  typedef struct packed {
    logic [1:0]         into;
    logic [PacketW-1:0] cells;
  } packet_t;
  packet_t [occamy_pkg::Latency-1:0] packets_q;
  packet_t packet;
  logic [3:0][PlacesLog2-1:0] heads_q, tails_q;
  logic reads, leaves, there_q, drops, unused_row_valid, unused_row_last;
  logic [1:0] read_queue, leave_queue;
  logic [2:0] unused_row_count;
  logic [PacketW-1:0] read_cells;
  logic [PlacesLog2-1:0] unused_free;

  assign packet = packets_q[occamy_pkg::Latency-1];
  always_ff @(posedge clk_i) begin
    packets_q <= {packets_q[occamy_pkg::Latency-2:0], packet_t'{packet_queue_i, packet_cells_i}};
    there_q   <= heads_q[read_queue] != tails_q[read_queue];
    if (verdict_o && admitted_o) tails_q[packet.into] <= tails_q[packet.into] + 1'b1;
    if (leaves) heads_q[leave_queue] <= heads_q[leave_queue] + 1'b1;
    if (rst_i) {heads_q, tails_q} <= '0;
  end
  assign sent_o    = leaves && !drops;
  assign dropped_o = leaves && drops;

  ram_1r1w #(
    .Width(PacketW),
    .Depth(4 << PlacesLog2)
  ) u_descriptors (
    .clk_i,
    .we_i   (verdict_o && admitted_o),
    .waddr_i({packet.into, tails_q[packet.into]}),
    .wdata_i(packet.cells),
    .re_i   (reads),
    .raddr_i({read_queue, heads_q[read_queue]}),
    .rdata_o(read_cells)
  );

  occamy #(
    .Queues (4),
    .Cells  (511),
    .Largest(8)
  ) u_occamy (
    .clk_i,
    .rst_i,
    .ready_o,
    .arr_valid_i   (packet_valid_i),
    .arr_queue_i   (packet_queue_i),
    .arr_cells_i   (packet_cells_i),
    .adm_valid_o   (verdict_o),
    .adm_admitted_o(admitted_o),
    .deq_valid_i   (send_i),
    .deq_queue_i   (send_queue_i),
    .pd_valid_o    (reads),
    .pd_queue_o    (read_queue),
    .pd_there_i    (there_q),
    .pd_cells_i    (read_cells),
    .out_valid_o   (leaves),
    .out_drop_o    (drops),
    .out_queue_o   (leave_queue),
    .out_cells_o   (cells_o),
    .row_valid_o   (unused_row_valid),
    .row_count_o   (unused_row_count),
    .row_last_o    (unused_row_last),
    .free_o        (unused_free)
  );
endmodule
