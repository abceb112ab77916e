// The BBQ's priority buckets: a first-in first-out queue for each rank, in linked lists over shared slots.
//
// Source: thesis §4.2.2 (buckets as lists, data apart from pointers), §4.3.2 H3 (two dequeues of one bucket in
// successive cycles). The thesis links its lists both ways and lets the second of two dequeues take the other end
// ("operation colouring"), which gives up the order of arrival. Here a bucket is two singly linked lists; elements go
// to them in turn and leave them in turn. Two successive dequeues are then always on different lists, so the second
// does not wait for the first one's successor; order of arrival is kept; and there is one pointer per slot, not two.
// Which list is next, and whether it is empty, follows from the leaf's counter (see `bbq_level`): a list that is
// appended to is empty exactly if the bucket holds fewer than two elements, which is the waterlevel bit.
//
//   p0  the bucket and the list are known: exchange its tail for the new slot; read its head
//   p1  the old tail arrives: write the new slot as its successor
//   p2  the head is known: read its data and its successor
//   p3  the data arrive; the slot is free
//   p4  write the head: the successor, or the new slot of a list that was empty
//
// A tail's new value does not depend on its old one, so tails need no forwarding at all. A successor is written a
// stage before one is read, so neither do they. A head does: from the 4 operations ahead.
module bbq_buckets #(
  /// Bits of a bucket's number.
  parameter int unsigned BucketW = 6,
  /// Bits of a slot's number.
  parameter int unsigned SlotW = 11,
  /// Bits of the data.
  parameter int unsigned DataW = 32,
  /// The largest memory that is read without a clock.
  parameter int unsigned AsyncDepth = 64
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  // The data of an enqueue, as soon as it has a slot.
  input  logic                        store_i,
  input  logic          [  SlotW-1:0] store_slot_i,
  input  logic          [  DataW-1:0] store_data_i,
  // p0
  input  bbq_pkg::ctl_t               ctl_i,
  input  logic          [BucketW-1:0] bucket_i,
  /// Whether the operation 1, 2, 3, 4 ahead is alive and in the same bucket.
  input  logic          [        4:1] same_i,
  input  logic                        list_i,
  /// Enqueue: the list is not empty.
  input  logic                        append_i,
  /// Enqueue: the slot with the data.
  input  logic          [  SlotW-1:0] slot_i,
  // p3
  output bbq_pkg::ctl_t               ctl_o,
  output logic          [BucketW-1:0] bucket_o,
  output logic          [  DataW-1:0] data_o,
  output logic                        free_o,
  output logic          [  SlotW-1:0] free_slot_o
);
  localparam int unsigned Lists = 2 ** (BucketW + 1);
  localparam bit Async = Lists <= AsyncDepth;

  typedef logic [SlotW-1:0] slot_t;

  bbq_pkg::ctl_t ctl1_q, ctl2_q, ctl3_q;
  logic [BucketW-1:0] bucket1_q, bucket2_q, bucket3_q, bucket4_q;
  logic list1_q, list2_q, list3_q, list4_q;
  logic append1_q, append2_q, append3_q;
  slot_t slot1_q, slot2_q, slot3_q, slot4_q;
  logic head_we4_q;

  // ---- p0: is an operation ahead about to change this list's head? -------------------------------------------
  logic [4:1] ahead_list_q, ahead_append_q, same0, same1_q;
  logic [2:1] same2_q;
  always_ff @(posedge clk_i) begin
    ahead_list_q   <= {ahead_list_q[3:1], list_i};
    ahead_append_q <= {ahead_append_q[3:1], append_i & ~ctl_i.dequeue};
    same1_q        <= same0;
    same2_q        <= same1_q[2:1];
  end
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) begin
      same0[d] = same_i[d] & ahead_list_q[d] == list_i & ~ahead_append_q[d];
    end
  end

  // ---- p0 and p1: the tail -----------------------------------------------------------------------------------
  slot_t tail1, successor3;
  ram_exchange #(
    .Width(SlotW),
    .Depth(Lists)
  ) u_tails (
    .clk_i,
    .we_i   (ctl_i.alive & ~ctl_i.dequeue),
    .addr_i ({bucket_i, list_i}),
    .wdata_i(slot_i),
    .rdata_o(tail1)
  );

  slot_t head1, head2_q, head2;
  ram_1r1w #(
    .Width(SlotW),
    .Depth(2 ** SlotW)
  ) u_successors (
    .clk_i,
    .we_i   (ctl1_q.alive & ~ctl1_q.dequeue & append1_q),
    .waddr_i(tail1),
    .wdata_i(slot1_q),
    .re_i   (1'b1),
    .raddr_i(head2),
    .rdata_o(successor3)
  );

  // ---- p0 to p2: the head ------------------------------------------------------------------------------------
  if (Async) begin : gen_async
    ram_async #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_heads (
      .clk_i,
      .we_i   (head_we4_q),
      .waddr_i({bucket4_q, list4_q}),
      .wdata_i(slot4_q),
      .raddr_i({bucket1_q, list1_q}),
      .rdata_o(head1)
    );
    always_ff @(posedge clk_i) head2_q <= same1_q[3] ? slot4_q : head1;
  end else begin : gen_sync
    slot_t slot5_q;
    ram_1r1w #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_heads (
      .clk_i,
      .we_i   (head_we4_q),
      .waddr_i({bucket4_q, list4_q}),
      .wdata_i(slot4_q),
      .re_i   (1'b1),
      .raddr_i({bucket_i, list_i}),
      .rdata_o(head1)
    );
    always_ff @(posedge clk_i) begin
      slot5_q <= slot4_q;
      head2_q <= same1_q[3] ? slot4_q : same1_q[4] ? slot5_q : head1;
    end
  end

  // The one ahead is never a dequeue of this list, so what it has at p3 is its new slot.
  assign head2 = same2_q[1] ? slot3_q : same2_q[2] ? slot4_q : head2_q;

  // ---- p2 and p3: the data -----------------------------------------------------------------------------------
  ram_1r1w #(
    .Width(DataW),
    .Depth(2 ** SlotW)
  ) u_data (
    .clk_i,
    .we_i   (store_i),
    .waddr_i(store_slot_i),
    .wdata_i(store_data_i),
    .re_i   (1'b1),
    .raddr_i(head2),
    .rdata_o(data_o)
  );

  always_ff @(posedge clk_i) begin
    ctl1_q     <= rst_i ? '0 : ctl_i;
    ctl2_q     <= rst_i ? '0 : ctl1_q;
    ctl3_q     <= rst_i ? '0 : ctl2_q;
    bucket1_q  <= bucket_i;
    bucket2_q  <= bucket1_q;
    bucket3_q  <= bucket2_q;
    bucket4_q  <= bucket3_q;
    list1_q    <= list_i;
    list2_q    <= list1_q;
    list3_q    <= list2_q;
    list4_q    <= list3_q;
    append1_q  <= append_i;
    append2_q  <= append1_q;
    append3_q  <= append2_q;
    slot1_q    <= slot_i;
    slot2_q    <= slot1_q;
    slot3_q    <= ctl2_q.dequeue ? head2 : slot2_q;
    slot4_q    <= ctl3_q.dequeue ? successor3 : slot3_q;
    head_we4_q <= ~rst_i & ctl3_q.alive & (ctl3_q.dequeue | ~append3_q);
  end

  assign ctl_o       = ctl3_q;
  assign bucket_o    = bucket3_q;
  assign free_o      = ctl3_q.alive & ctl3_q.dequeue;
  assign free_slot_o = slot3_q;

`ifndef SYNTHESIS
  logic take2;
  assign take2 = ctl2_q.alive & ctl2_q.dequeue;
  cover_head_1 : cover property (@(posedge clk_i) take2 && same2_q[1]);
  cover_head_2_slot : cover property (@(posedge clk_i) take2 && same2_q == 2'b10 && !append4_q);
  cover_head_2_successor : cover property (@(posedge clk_i) take2 && same2_q == 2'b10 && taken4_q);
  cover_head_3 : cover property (
      @(posedge clk_i) ctl1_q.alive && ctl1_q.dequeue && same1_q[3] && same1_q[2:1] == '0);
  cover_head_4 : cover property (
      @(posedge clk_i) ctl1_q.alive && ctl1_q.dequeue && same1_q[4] && same1_q[3:1] == '0);
  cover_other_list : cover property (
      @(posedge clk_i) take2 && ctl3_q.alive && ctl3_q.dequeue && bucket2_q == bucket3_q && list2_q != list3_q);
  cover_append : cover property (@(posedge clk_i) ctl1_q.alive && !ctl1_q.dequeue && append1_q);

  logic append4_q, taken4_q;
  always_ff @(posedge clk_i) begin
    append4_q <= ctl3_q.dequeue | append3_q;
    taken4_q  <= ctl3_q.alive & ctl3_q.dequeue;
  end

  assert property (@(posedge clk_i) disable iff (rst_i)
                   ctl2_q.alive && ctl2_q.dequeue && same2_q[1] |-> !ctl3_q.dequeue)
  else $error("bbq_buckets: two successive dequeues of one list");
`endif
endmodule
