// The BBQ's priority buckets: a double-ended queue for each rank, in lists linked both ways over shared slots.
//
// Source: thesis §4.2.2 (buckets as doubly linked lists, data apart from pointers), §4.3.2 H3 (two dequeues of one bucket
// in successive cycles). A dequeue of the smallest rank takes the bucket's oldest element, one of the largest rank its
// newest, as `forebay_pifo::BucketQueue`. The thesis lets the second of two dequeues take the other end ("operation
// colouring"), which gives up the order. Here a bucket is two lists; elements go to them in turn. So whatever the
// operations are, two successive dequeues at one end of a bucket are on different lists, and the second does not wait
// for the first one's link; nor does one at the other end, as it needs the other pointer. Which list is next, and
// whether it is empty, follows from the leaf's counter (see `bbq_level`): a list that is appended to is empty exactly if
// the bucket holds fewer than two elements, which is the waterlevel bit.
//
//   p0  the bucket, the list and its end are known: read the pointer to that end, the head or the tail
//   p2  the pointer is known: read its data and its link, the successor of a head or the predecessor of a tail
//   p3  the data arrive; the slot is free. An enqueue links the new slot and the one that was last
//   p4  write the end: the link, or the new slot; a new slot in an empty list is both ends
//
// Ends are forwarded from the 4 operations ahead. Links are written a stage after they are read, so a dequeue that
// follows an enqueue at once gets what that one is writing, if it takes the new slot or the list's only other one.
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
  /// Enqueue: the bucket holds exactly two elements, one of them in this list.
  input  logic                        two_i,
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
  logic head_we4_q, tail_we4_q;

  // ---- p0: is an operation ahead about to change the end of this list that is wanted? -------------------------
  // An enqueue wants the tail, as a dequeue of the newest; one into an empty list changes both ends.
  logic back0, back1_q;
  logic [4:1] ahead_list_q, ahead_back_q, ahead_both_q, same0, same1_q;
  logic [2:1] same2_q;
  logic same3_q;
  // Whether the enqueue ahead writes the link that a dequeue reads: the predecessor of its own slot, or the successor of
  // the only other element in the list.
  logic ahead_link_q, ahead_two_q, written0, written1_q, written2_q, written3_q;
  assign back0 = ~ctl_i.dequeue | ctl_i.last;
  always_ff @(posedge clk_i) begin
    ahead_list_q <= {ahead_list_q[3:1], list_i};
    ahead_back_q <= {ahead_back_q[3:1], back0};
    ahead_both_q <= {ahead_both_q[3:1], ~ctl_i.dequeue & ~append_i};
    back1_q      <= back0;
    same1_q      <= same0;
    same2_q      <= same1_q[2:1];
    same3_q      <= same2_q[1];
    ahead_link_q <= ~ctl_i.dequeue & append_i;
    ahead_two_q  <= two_i;
    written1_q   <= written0;
    written2_q   <= written1_q;
    written3_q   <= written2_q;
  end
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) begin
      same0[d] = same_i[d] & ahead_list_q[d] == list_i & (ahead_back_q[d] == back0 | ahead_both_q[d]);
    end
    written0 = same_i[1] & ahead_list_q[1] == list_i & ahead_link_q & ctl_i.dequeue & (ctl_i.last | ahead_two_q);
  end

  // ---- p0 to p2: the end --------------------------------------------------------------------------------------
  slot_t head1, tail1, end1, end2_q, end2;
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
    ram_async #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_tails (
      .clk_i,
      .we_i   (tail_we4_q),
      .waddr_i({bucket4_q, list4_q}),
      .wdata_i(slot4_q),
      .raddr_i({bucket1_q, list1_q}),
      .rdata_o(tail1)
    );
    always_ff @(posedge clk_i) end2_q <= same1_q[3] ? slot4_q : end1;
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
    ram_1r1w #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_tails (
      .clk_i,
      .we_i   (tail_we4_q),
      .waddr_i({bucket4_q, list4_q}),
      .wdata_i(slot4_q),
      .re_i   (1'b1),
      .raddr_i({bucket_i, list_i}),
      .rdata_o(tail1)
    );
    always_ff @(posedge clk_i) begin
      slot5_q <= slot4_q;
      end2_q  <= same1_q[3] ? slot4_q : same1_q[4] ? slot5_q : end1;
    end
  end
  assign end1 = back1_q ? tail1 : head1;

  // For a dequeue, the one ahead is never a dequeue at this end of this list, so what it has at p3 is its new slot.
  assign end2 = same2_q[1] ? slot3_q : same2_q[2] ? slot4_q : end2_q;

  // ---- p2 and p3: the links ------------------------------------------------------------------------------------
  logic link3;
  slot_t end3_q, last3, last4_q, successor3, predecessor3;
  // An enqueue right behind a dequeue of the list's newest learns here which one is the last now.
  assign last3 = same3_q ? slot4_q : end3_q;
  assign link3 = ctl3_q.alive & ~ctl3_q.dequeue & append3_q;
  ram_1r1w #(
    .Width(SlotW),
    .Depth(2 ** SlotW)
  ) u_successors (
    .clk_i,
    .we_i   (link3),
    .waddr_i(last3),
    .wdata_i(slot3_q),
    .re_i   (1'b1),
    .raddr_i(end2),
    .rdata_o(successor3)
  );
  ram_1r1w #(
    .Width(SlotW),
    .Depth(2 ** SlotW)
  ) u_predecessors (
    .clk_i,
    .we_i   (link3),
    .waddr_i(slot3_q),
    .wdata_i(last3),
    .re_i   (1'b1),
    .raddr_i(end2),
    .rdata_o(predecessor3)
  );

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
    .raddr_i(end2),
    .rdata_o(data_o)
  );

  slot_t taken3;
  always_comb begin
    taken3 = ctl3_q.last ? predecessor3 : successor3;
    if (written3_q) taken3 = ctl3_q.last ? last4_q : slot4_q;
  end

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
    end3_q     <= end2;
    last4_q    <= last3;
    slot1_q    <= slot_i;
    slot2_q    <= slot1_q;
    slot3_q    <= ctl2_q.dequeue ? end2 : slot2_q;
    slot4_q    <= ctl3_q.dequeue ? taken3 : slot3_q;
    head_we4_q <= ~rst_i & ctl3_q.alive & (ctl3_q.dequeue ? ~ctl3_q.last : ~append3_q);
    tail_we4_q <= ~rst_i & ctl3_q.alive & (~ctl3_q.dequeue | ctl3_q.last);
  end

  assign ctl_o       = ctl3_q;
  assign bucket_o    = bucket3_q;
  assign free_o      = ctl3_q.alive & ctl3_q.dequeue;
  assign free_slot_o = slot3_q;

`ifndef SYNTHESIS
  logic take2;
  assign take2 = ctl2_q.alive & ctl2_q.dequeue;
  cover_end_1 : cover property (@(posedge clk_i) take2 && same2_q[1]);
  cover_end_2_slot : cover property (@(posedge clk_i) take2 && same2_q == 2'b10 && !link4_q && !taken4_q);
  cover_end_2_link : cover property (@(posedge clk_i) take2 && same2_q == 2'b10 && taken4_q);
  cover_end_3 : cover property (
      @(posedge clk_i) ctl1_q.alive && ctl1_q.dequeue && same1_q[3] && same1_q[2:1] == '0);
  cover_end_4 : cover property (
      @(posedge clk_i) ctl1_q.alive && ctl1_q.dequeue && same1_q[4] && same1_q[3:1] == '0);
  cover_other_list : cover property (
      @(posedge clk_i) take2 && ctl3_q.alive && ctl3_q.dequeue && bucket2_q == bucket3_q && list2_q != list3_q);
  cover_other_end : cover property (
      @(posedge clk_i) take2 && ctl3_q.alive && ctl3_q.dequeue && bucket2_q == bucket3_q && list2_q == list3_q);
  cover_link : cover property (@(posedge clk_i) link3);
  cover_link_behind_dequeue : cover property (@(posedge clk_i) link3 && same3_q && taken4_q);
  cover_written_predecessor : cover property (@(posedge clk_i) take2 && written2_q && ctl2_q.last);
  cover_written_successor : cover property (@(posedge clk_i) take2 && written2_q && !ctl2_q.last);

  logic link4_q, taken4_q;
  always_ff @(posedge clk_i) begin
    link4_q  <= link3;
    taken4_q <= ctl3_q.alive & ctl3_q.dequeue;
  end

  assert property (@(posedge clk_i) disable iff (rst_i) take2 && same2_q[1] |-> !ctl3_q.dequeue)
  else $error("bbq_buckets: two successive dequeues at one end of a list");
`endif
endmodule
