// Occamy against its specification, for the solver: every stream of arrivals and departures, up to a length.
//
// The specification keeps the packets of each queue in order. Asserted: a verdict is what Dynamic Threshold says of the
// buffer as it stands; a departure sends its queue's head, three cycles later, or nothing if there is none; a head drop
// takes the head of a queue that is over T; every pointer of a dropped packet is given back once, before the next drop
// is done; and no cell is lost or doubled. Assumed is what `occamy.sv` asks of its user.
module occamy_formal #(
  parameter int unsigned Queues = 2,
  parameter int unsigned Cells = 4,
  parameter int unsigned AlphaLog2 = 0,
  parameter int unsigned SublistsLog2 = 0,
  parameter int unsigned Largest = 3,
  parameter int unsigned Burst = 3,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned PacketW = $clog2(Largest + 1)
) (
  input logic               clk_i,
  input logic               arr_valid_i,
  input logic [ QueueW-1:0] arr_queue_i,
  input logic [PacketW-1:0] arr_cells_i,
  input logic               deq_valid_i,
  input logic [ QueueW-1:0] deq_queue_i,
  /// What the descriptor memory says while nobody has asked, or there is no packet.
  input logic [PacketW-1:0] anything_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, adm_valid, admitted, pd_valid, out_valid, out_drop, row_valid, row_last;
  logic [QueueW-1:0] pd_queue, out_queue;
  logic [PacketW-1:0] out_cells;
  logic [SublistsLog2:0] row_count;
  logic [CountW-1:0] free;

  // The descriptors: cells of each packet, the head first.
  logic [Cells-1:0][PacketW-1:0] list_q[Queues], list[Queues];
  logic [CountW-1:0] packets_q[Queues], packets[Queues];
  logic there_q;
  logic [PacketW-1:0] cells_q;

  occamy #(
    .Queues      (Queues),
    .Cells       (Cells),
    .AlphaLog2   (AlphaLog2),
    .SublistsLog2(SublistsLog2),
    .Largest     (Largest),
    .Burst       (Burst)
  ) u_occamy (
    .clk_i,
    .rst_i         (rst),
    .ready_o       (ready),
    .arr_valid_i,
    .arr_queue_i,
    .arr_cells_i,
    .adm_valid_o   (adm_valid),
    .adm_admitted_o(admitted),
    .deq_valid_i,
    .deq_queue_i,
    .pd_valid_o    (pd_valid),
    .pd_queue_o    (pd_queue),
    .pd_there_i    (there_q),
    .pd_cells_i    (there_q ? cells_q : anything_i),
    .out_valid_o   (out_valid),
    .out_drop_o    (out_drop),
    .out_queue_o   (out_queue),
    .out_cells_o   (out_cells),
    .row_valid_o   (row_valid),
    .row_count_o   (row_count),
    .row_last_o    (row_last),
    .free_o        (free)
  );

  typedef struct packed {
    logic               valid;
    logic [QueueW-1:0]  into;
    logic [PacketW-1:0] cells;
  } packet_t;
  localparam int unsigned Last = occamy_pkg::Latency - 1;
  packet_t arrived_q[Last+1];
  logic [Last:0] sent_q;
  logic [1:0] waits_q;  // a departure's queue has a packet when its descriptor is read
  logic [QueueW-1:0] sent_queue_q[Last+1];
  logic within_q;
  logic [Queues-1:0] over_q;

  // The buffer with what shows in this cycle: the verdict, then the removal.
  int unsigned length_q[Queues], length[Queues], free_q, left;
  always_comb begin
    list    = list_q;
    packets = packets_q;
    length  = length_q;
    left    = free_q;
    if (adm_valid && admitted) begin
      list[arrived_q[Last].into][packets[arrived_q[Last].into]] = arrived_q[Last].cells;
      packets[arrived_q[Last].into] += 1'b1;
      length[arrived_q[Last].into] += 32'(arrived_q[Last].cells);
      left -= 32'(arrived_q[Last].cells);
    end
  end

  int unsigned pending_q;  // pointers of dropped packets that have not been given back
  always_ff @(posedge clk_i) begin
    arrived_q[0]    <= '{arr_valid_i && ready && !rst, arr_queue_i, arr_cells_i};
    sent_q          <= {sent_q[Last-1:0], deq_valid_i && ready && !rst};
    sent_queue_q[0] <= deq_queue_i;
    waits_q         <= {waits_q[0], sent_q[1] && packets_q[sent_queue_q[1]] != '0};
    for (int unsigned i = 1; i <= Last; i++) arrived_q[i] <= arrived_q[i-1];
    for (int unsigned i = 1; i <= Last; i++) sent_queue_q[i] <= sent_queue_q[i-1];
    for (int unsigned q = 0; q < Queues; q++) begin
      list_q[q]    <= list[q];
      packets_q[q] <= packets[q];
      length_q[q]  <= length[q];
      over_q[q]    <= length[q] > (left << AlphaLog2);
      if (out_valid && out_queue == QueueW'(q)) begin
        list_q[q]    <= list[q] >> PacketW;
        packets_q[q] <= packets[q] - 1'b1;
        length_q[q]  <= length[q] - 32'(out_cells);
      end
    end
    free_q    <= left + (out_valid ? 32'(out_cells) : 0);
    within_q  <= length[arrived_q[Last-1].into] + 32'(arrived_q[Last-1].cells) <= (left << AlphaLog2)
                 && 32'(arrived_q[Last-1].cells) <= left;
    pending_q <= pending_q + (out_valid && out_drop ? 32'(out_cells) : 0) - (row_valid ? 32'(row_count) : 0);
    there_q   <= pd_valid && packets_q[pd_queue] != '0;
    cells_q   <= list_q[pd_queue][0];
    if (rst) begin
      for (int unsigned i = 0; i <= Last; i++) arrived_q[i] <= '0;
      sent_q  <= '0;
      waits_q <= '0;
      for (int unsigned q = 0; q < Queues; q++) begin
        packets_q[q] <= '0;
        length_q[q]  <= 0;
      end
      free_q    <= Cells;
      pending_q <= 0;
      there_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      a_queue : assume (32'(arr_queue_i) < Queues && 32'(deq_queue_i) < Queues);
      a_packet : assume (arr_cells_i != '0 && 32'(arr_cells_i) <= Largest);
      not_soon : assume (!(deq_valid_i && ((sent_q[0] && sent_queue_q[0] == deq_queue_i)
                                           || (sent_q[1] && sent_queue_q[1] == deq_queue_i))));
      in_its_cycle : assert (adm_valid == arrived_q[Last].valid);
      if (adm_valid) as_it_stands : assert (admitted == within_q);
      if (out_valid) begin
        there : assert (packets[out_queue] != '0);
        the_head : assert (out_cells == list[out_queue][0]);
        if (out_drop) over : assert (over_q[out_queue]);
        else asked : assert (sent_q[Last] && sent_queue_q[Last] == out_queue);
      end
      if (waits_q[1]) sent : assert (out_valid && !out_drop);
      if (sent_q[Last] && !waits_q[1]) none : assert (!out_valid || out_drop);
      if (ready) cells : assert (32'(free) == left);
      if (row_valid) given_back : assert (32'(row_count) <= pending_q && row_count != '0);
      if (out_valid && out_drop) one_by_one : assert (pending_q == 0 || (row_valid && pending_q == 32'(row_count)));
      if (row_valid) last : assert (row_last == (pending_q == 32'(row_count)));
      dropped : cover (out_valid && out_drop);
      dropped_all : cover (row_valid && row_last && row_count == 1 && pending_q == 1 && out_valid);
      sent_and_admitted : cover (out_valid && !out_drop && adm_valid && admitted);
      refused : cover (adm_valid && !admitted);
      nothing : cover (sent_q[Last] && !out_valid);
    end
  end
endmodule
