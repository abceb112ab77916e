// Which packet leaves next: the scheduler, and a request at a time from each port that has room for a packet.
//
// The scheduler holds an element for each queue in which packets wait, with the rank of the packet at its head (or what else
// it goes by, the key); the keys behind it are in a FIFO of their own, the queue (`rank_*`). This is the PIFO block of
// Sivaraman et al. (SIGCOMM 2016, §5.2: a flow scheduler of heads, a rank store of the rest), and it is a PIFO of packets as
// long as ranks do not fall within a queue. Packets of a queue leave as they came, whatever their keys.
//
// A port with room pops the queue whose turn it is; Occamy takes that queue's head packet, and if more wait, the queue is
// pushed again with the rank of its next. The answer comes a fixed time after the request, and a port has one request under
// way, which is its credit: no answer ever has to wait, and slots never run out.
//
// Occamy may drop the packet whose key is in the scheduler. The element then stands for the packet behind it, or for the next
// that comes. If it is popped before one comes, the queue is found empty, its element is gone, and the port asks again.
module tm_ports #(
  parameter int unsigned Scheduler = 0,
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 16,
  parameter int unsigned BytesW = 11,
  parameter int unsigned FieldW = 6,
  parameter int unsigned KeyW = 6,
  parameter int unsigned Fraction = 5,
  parameter int unsigned RankBits = 2,
  parameter int unsigned LargestBeats = 24,
  parameter int unsigned OutBeats = 64,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned QueueW = parameter_pkg::index_width(Ports * Classes),
  localparam int unsigned BeatW = $clog2(LargestBeats + 1)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  // A packet has come, and its key, as `tm_scheduler` has them.
  input  logic              key_valid_i,
  input  logic [FieldW-1:0] key_field_i,
  input  logic [BytesW-1:0] key_bytes_i,
  output logic              key_valid_o,
  output logic [  KeyW-1:0] key_o,
  // A packet that is complete; it is linked when its queue has an element.
  input  logic              done_i,
  input  logic [QueueW-1:0] done_queue_i,
  input  logic [ PortW-1:0] done_port_i,
  input  logic [ClassW-1:0] done_class_i,
  input  logic [  KeyW-1:0] done_key_i,
  output logic              linked_o,
  /// Occamy is to take the head packet of a queue.
  output logic              ask_o,
  output logic [QueueW-1:0] ask_queue_o,
  /// Two cycles later: there was none.
  input  logic              none_i,
  input  logic [QueueW-1:0] none_queue_i,
  /// The packet leaves. In this cycle: whether there is one behind it. In the next: its key.
  input  logic              left_i,
  input  logic [QueueW-1:0] left_queue_i,
  input  logic [ PortW-1:0] left_port_i,
  input  logic [ClassW-1:0] left_class_i,
  input  logic [ BeatW-1:0] left_beats_i,
  input  logic              left_more_i,
  input  logic [  KeyW-1:0] left_key_i,
  /// It begins to be read: its port may ask again.
  input  logic              begun_i,
  input  logic [ PortW-1:0] begun_port_i,
  /// Each port: a beat has gone.
  input  logic [ Ports-1:0] gone_i
);
  localparam int unsigned ElementW = $clog2(Classes + 1);
  localparam int unsigned RoomW = $clog2(OutBeats + 1);

  // ---- Requests ------------------------------------------------------------------------------------------------------
  logic again_q;
  logic [PortW-1:0] again_port_q;
  logic [Ports-1:0] busy_q, some, wants;
  logic [ElementW-1:0] elements_q[Ports];
  logic [RoomW-1:0] used_q[Ports];
  logic queue_ready, requests;
  logic [PortW-1:0] turn_q, chosen;

  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      some[p]  = elements_q[p] != '0;
      wants[p] = !busy_q[p] && some[p] && 32'(used_q[p]) + LargestBeats <= OutBeats;
    end
  end

  // In turn: the first behind the last, else the first.
  always_comb begin
    chosen = '0;
    for (int unsigned p = Ports; p > 0; p--) if (wants[p-1]) chosen = PortW'(p - 1);
    for (int unsigned p = Ports; p > 0; p--) if (wants[p-1] && p - 1 > 32'(turn_q)) chosen = PortW'(p - 1);
  end

  // ---- Elements ------------------------------------------------------------------------------------------------------
  // A queue that is listed has an element: in the scheduler, on its way out, or about to be pushed again.
  logic [Ports*Classes-1:0] listed_q;
  logic popped, needs, waited_q, pushes, pushes_again, unlists, settles;
  logic [PortW-1:0] popped_port;
  logic [ClassW-1:0] popped_class;

  // A queue that has sent a packet and has more is pushed again in the next cycle, when the key is there.
  logic [ClassW-1:0] again_class_q;
  assign pushes_again = again_q;

  // A packet waits for a cycle in which it is not being decided whether its queue stays listed, and for its turn: once it
  // has waited it goes before requests.
  assign settles  = (none_i && none_queue_i == done_queue_i) || (left_i && left_queue_i == done_queue_i);
  assign needs    = done_i && !settles && !listed_q[done_queue_i];
  assign requests = queue_ready && !again_q && wants != '0 && !(needs && waited_q);
  assign pushes   = needs && queue_ready && !again_q && !requests;
  assign linked_o = pushes || (done_i && !settles && listed_q[done_queue_i]);
  assign unlists  = left_i && !left_more_i;

  // ---- The scheduler -------------------------------------------------------------------------------------------------
  tm_scheduler #(
    .Scheduler(Scheduler),
    .Ports    (Ports),
    .Classes  (Classes),
    .Levels   (Levels),
    .Width    (Width),
    .BytesW   (BytesW),
    .FieldW   (FieldW),
    .KeyW     (KeyW),
    .Fraction (Fraction),
    .RankBits (RankBits)
  ) u_scheduler (
    .clk_i,
    .rst_i,
    .key_valid_i,
    .key_field_i,
    .key_bytes_i,
    .key_valid_o,
    .key_o,
    .up_o    (ready_o),
    .ready_o (queue_ready),
    .valid_i (requests || pushes || pushes_again),
    .push_i  (!requests),
    .port_i  (pushes_again ? again_port_q : requests ? chosen : done_port_i),
    .class_i (pushes_again ? again_class_q : done_class_i),
    .key_i   (pushes_again ? left_key_i : done_key_i),
    .popped_o(popped),
    .port_o  (popped_port),
    .class_o (popped_class)
  );
  assign ask_o       = popped;
  assign ask_queue_o = QueueW'(32'(popped_port) * Classes + (Classes == 1 ? '0 : 32'(popped_class)));

  always_ff @(posedge clk_i) begin
    if (requests) turn_q <= chosen;
    again_q       <= left_i && left_more_i && !rst_i;
    again_port_q  <= left_port_i;
    again_class_q <= left_class_i;
    waited_q      <= needs && !pushes && !rst_i;
    for (int unsigned p = 0; p < Ports; p++) begin
      elements_q[p] <= elements_q[p] + ElementW'(pushes && done_port_i == PortW'(p))
                       + ElementW'(pushes_again && again_port_q == PortW'(p))
                       - ElementW'(requests && chosen == PortW'(p));
      used_q[p] <= used_q[p] - RoomW'(gone_i[p]) + (left_i && left_port_i == PortW'(p) ? RoomW'(left_beats_i) : '0);
      if (requests && chosen == PortW'(p)) busy_q[p] <= 1'b1;
      if ((begun_i && begun_port_i == PortW'(p)) || (none_i && 32'(none_queue_i) / Classes == p)) busy_q[p] <= 1'b0;
      if (rst_i) begin
        elements_q[p] <= '0;
        used_q[p]     <= '0;
        busy_q[p]     <= 1'b0;
      end
    end
    if (pushes) listed_q[done_queue_i] <= 1'b1;
    if (none_i) listed_q[none_queue_i] <= 1'b0;
    if (unlists) listed_q[left_queue_i] <= 1'b0;
    if (rst_i) begin
      turn_q   <= '0;
      listed_q <= '0;
    end
  end

`ifndef SYNTHESIS
  // The answer to a request: its packet leaves a fixed time later, if there is one.
  localparam int unsigned After = tm_pkg::leave_after(Scheduler, Levels, Width, 1 << PortW);
  logic [15:0] since_q[Ports];
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Ports; p++) begin
      since_q[p] <= since_q[p] + 1'b1;
      if (requests && chosen == PortW'(p)) since_q[p] <= 16'd1;
    end
  end
  cover_none : cover property (@(posedge clk_i) none_i);
  cover_settles_last : cover property (
    @(posedge clk_i) done_i && left_i && left_queue_i == done_queue_i && !left_more_i);
  cover_pushed_again : cover property (@(posedge clk_i) pushes_again);
  cover_request_waits : cover property (@(posedge clk_i) pushes_again && wants != '0);
  cover_push_waits : cover property (@(posedge clk_i) needs && !pushes);
  cover_push_first : cover property (@(posedge clk_i) pushes && wants != '0);
  cover_listed : cover property (@(posedge clk_i) done_i && !settles && listed_q[done_queue_i]);
  cover_unlisted : cover property (@(posedge clk_i) unlists);
  cover_no_room : cover property (@(posedge clk_i) (some & ~busy_q & ~wants) != '0);
  assert property (@(posedge clk_i) disable iff (rst_i) left_i |-> busy_q[left_port_i])
  else $error("%m: a packet leaves for a port that has not asked");
  assert property (@(posedge clk_i) disable iff (rst_i) left_i |-> 32'(since_q[left_port_i]) == After)
  else $error("%m: a packet does not leave %0d cycles after it was asked for", After);
  assert property (@(posedge clk_i) disable iff (rst_i) none_i |-> listed_q[none_queue_i])
  else $error("%m: a queue was asked that had no element");
  assert property (@(posedge clk_i) disable iff (rst_i) left_i |-> listed_q[left_queue_i])
  else $error("%m: a packet leaves a queue that had no element");
`endif
endmodule
