// The buckets of the two-tier queue: for each rank a near and a far queue, in lists over shared slots.
//
// Source: Themis §5.3, Fig. 21. There each tier has its own slots, and a swap copies what a slot holds. Here an
// element keeps its slot and is only linked anew: a swap takes the slot at one tier's end and puts it at the
// other's.
//
//   near  elements come at the back (an enqueue, the oldest of the far ones) and leave at the front (a dequeue) or
//         at the back (the newest: dropped, or swapped out)
//   far   elements come at the back (an enqueue) or at the front (the newest near one), and leave at the front
//
// So each operation takes at most one slot and puts at most one, and the four link memories of two queues are two: an
// element has a successor wherever it is, and near also a predecessor. The far one takes none, for nothing leaves
// at the far back; what stands there from former days is written again when the element comes near. Stages as in
// `bbq_buckets`.
module themis_buckets #(
  /// Bits of a bucket's number.
  parameter int unsigned BucketW = 6,
  /// Bits of a slot's number.
  parameter int unsigned SlotW = 11,
  /// Bits of the data.
  parameter int unsigned DataW = 32,
  /// The largest memory that is read without a clock.
  parameter int unsigned AsyncDepth = 64
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  // The data of an enqueue, as soon as it has a slot.
  input  logic                           store_i,
  input  logic             [  SlotW-1:0] store_slot_i,
  input  logic             [  DataW-1:0] store_data_i,
  // p0
  input  themis_pkg::ctl_t               ctl_i,
  input  logic             [BucketW-1:0] bucket_i,
  /// Whether the operation 1, 2, 3, 4 ahead is alive and in the same bucket.
  input  logic             [        4:1] same_i,
  /// Of each tier, 0 near and 1 far: which list, whether the bucket held two or more elements, whether exactly two.
  input  logic             [        1:0] list_i,
  input  logic             [        1:0] several_i,
  input  logic             [        1:0] two_i,
  /// Enqueue: the slot with the data.
  input  logic             [  SlotW-1:0] slot_i,
  // p3
  output themis_pkg::ctl_t               ctl_o,
  output logic             [BucketW-1:0] bucket_o,
  output logic             [  DataW-1:0] data_o,
  /// What was taken, or where an enqueue's data are.
  output logic             [  SlotW-1:0] slot_o,
  output logic                           free_o
);
  typedef logic [SlotW-1:0] slot_t;

  themis_pkg::ctl_t ctl1_q, ctl2_q, ctl3_q;
  logic [BucketW-1:0] bucket1_q, bucket2_q, bucket3_q, bucket4_q;
  slot_t slot1_q, slot2_q, slot3_q, end2, beside3_q, beside3, beside4_q, successor3, predecessor3;
  slot_t [1:0] ends2, lefts3, lefts4;
  logic [1:0] take0, put0, back0, take3, put3, sames3, list_ahead0, back_ahead0;

  // ---- p0: what it does in which tier --------------------------------------------------------------------------
  logic append0, append1_q, append2_q, append3_q;
  // Whether the operation ahead writes the very link that this one reads.
  logic this_end0, this_end1_q, this_end2_q, this_end3_q;
  logic written0, written1_q, written2_q, written3_q;
  logic [1:0] ahead_links_q, ahead_two_q;
  logic put_tier2, put_tier3, front3, link3;
  slot_t link3_read, taken3;
  assign take0   = {ctl_i.is_far, ~ctl_i.is_far} & {2{ctl_i.alive & ctl_i.pop}};
  assign put0    = {ctl_i.is_far ^ ctl_i.pop, ~(ctl_i.is_far ^ ctl_i.pop)} & {2{ctl_i.alive & ctl_i.push}};
  assign take3   = {ctl3_q.is_far, ~ctl3_q.is_far} & {2{ctl3_q.alive & ctl3_q.pop}};
  assign put3    = {put_tier3, ~put_tier3} & {2{ctl3_q.alive & ctl3_q.push}};
  assign back0   = {~ctl_i.pop, put0[0] | ctl_i.last};
  assign append0 = several_i[ctl_i.is_far^ctl_i.pop];

  for (genvar t = 0; t < 2; t++) begin : gen_tier
    themis_ends #(
      .BucketW   (BucketW),
      .SlotW     (SlotW),
      .AsyncDepth(AsyncDepth)
    ) u_ends (
      .clk_i,
      .rst_i,
      .take_i      (take0[t]),
      .put_i       (put0[t]),
      .back_i      (back0[t]),
      .both_i      (put0[t] & ~append0),
      .list_i      (list_i[t]),
      .bucket_i,
      .same_i,
      .list_ahead_o(list_ahead0[t]),
      .back_ahead_o(back_ahead0[t]),
      .bucket1_i   (bucket1_q),
      .bucket4_i   (bucket4_q),
      .end2_o      (ends2[t]),
      .slot3_i     (slot3_q),
      .take3_i     (take3[t]),
      .put3_i      (put3[t]),
      .append3_i   (append3_q),
      .left3_i     (lefts3[t]),
      .same3_o     (sames3[t]),
      .left4_o     (lefts4[t])
    );
  end

  // It takes what was put at this end, or, from the other end, the only element that was there before it.
  assign this_end0 = back_ahead0[ctl_i.is_far];
  assign written0  = ctl_i.pop & ahead_links_q[ctl_i.is_far] & list_ahead0[ctl_i.is_far]
      & (this_end0 | ahead_two_q[ctl_i.is_far]);

  // ---- p2 and p3: the links ------------------------------------------------------------------------------------
  assign end2      = ends2[ctl2_q.is_far];
  assign put_tier2 = ctl2_q.is_far ^ ctl2_q.pop;
  assign put_tier3 = ctl3_q.is_far ^ ctl3_q.pop;
  // One that puts right behind one that takes learns here what the end is now.
  assign beside3   = sames3[put_tier3] ? lefts4[put_tier3] : beside3_q;
  assign link3     = ctl3_q.alive & ctl3_q.push & append3_q;
  // Only a swap-out puts at a front.
  assign front3    = ctl3_q.pop & put_tier3;
  ram_1r1w #(
    .Width(SlotW),
    .Depth(2 ** SlotW)
  ) u_successors (
    .clk_i,
    .we_i   (link3),
    .waddr_i(front3 ? slot3_q : beside3),
    .wdata_i(front3 ? beside3 : slot3_q),
    .re_i   (1'b1),
    .raddr_i(end2),
    .rdata_o(successor3)
  );
  ram_1r1w #(
    .Width(SlotW),
    .Depth(2 ** SlotW)
  ) u_predecessors (
    .clk_i,
    .we_i   (link3 & ~put_tier3),
    .waddr_i(slot3_q),
    .wdata_i(beside3),
    .re_i   (1'b1),
    .raddr_i(end2),
    .rdata_o(predecessor3)
  );

  // What stands at the end afterwards. A link is written a stage after it is read, so what takes right behind what puts
  // may need the very link that is being written.
  assign link3_read = ctl3_q.last ? predecessor3 : successor3;
  always_comb begin
    taken3 = link3_read;
    if (written3_q) taken3 = this_end3_q ? beside4_q : lefts4[ctl3_q.is_far];
    lefts3[0] = put3[0] ? slot3_q : taken3;
    lefts3[1] = put3[1] ? slot3_q : taken3;
  end

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

  always_ff @(posedge clk_i) begin
    ctl1_q        <= rst_i ? '0 : ctl_i;
    ctl2_q        <= rst_i ? '0 : ctl1_q;
    ctl3_q        <= rst_i ? '0 : ctl2_q;
    bucket1_q     <= bucket_i;
    bucket2_q     <= bucket1_q;
    bucket3_q     <= bucket2_q;
    bucket4_q     <= bucket3_q;
    slot1_q       <= slot_i;
    slot2_q       <= slot1_q;
    slot3_q       <= ctl2_q.pop ? end2 : slot2_q;
    append1_q     <= append0;
    append2_q     <= append1_q;
    append3_q     <= append2_q;
    beside3_q     <= ends2[put_tier2];
    beside4_q     <= beside3;
    // What the operation ahead puts where, for p0.
    ahead_links_q <= put0 & {2{append0}};
    ahead_two_q   <= two_i;
    written1_q    <= written0;
    written2_q    <= written1_q;
    written3_q    <= written2_q;
    this_end1_q   <= this_end0;
    this_end2_q   <= this_end1_q;
    this_end3_q   <= this_end2_q;
  end

  assign ctl_o    = ctl3_q;
  assign bucket_o = bucket3_q;
  assign slot_o   = slot3_q;
  assign free_o   = ctl3_q.alive & ctl3_q.pop & ~ctl3_q.push;

`ifndef SYNTHESIS
  logic swap2, swap3, same1_q, same2_q, take3_any;
  assign take3_any = ctl3_q.alive & ctl3_q.pop;
  always_ff @(posedge clk_i) begin
    same1_q <= same_i[1];
    same2_q <= same1_q;
  end
  assign swap2 = ctl2_q.alive & ctl2_q.pop & ctl2_q.push;
  assign swap3 = ctl3_q.alive & ctl3_q.pop & ctl3_q.push;
  cover_swaps_out : cover property (@(posedge clk_i) swap2 && swap3 && same2_q && ctl2_q.last && ctl3_q.last);
  cover_swaps_in : cover property (@(posedge clk_i) swap2 && swap3 && same2_q && !ctl2_q.last && !ctl3_q.last);
  cover_swaps_back : cover property (@(posedge clk_i) swap2 && swap3 && end2 == slot3_q);
  cover_written_this_end : cover property (@(posedge clk_i) take3_any && written3_q && this_end3_q);
  cover_written_other_end : cover property (@(posedge clk_i) take3_any && written3_q && !this_end3_q);
  cover_link_front : cover property (@(posedge clk_i) link3 && front3);
  cover_link_near : cover property (@(posedge clk_i) link3 && !put_tier3);
  cover_link_far : cover property (@(posedge clk_i) link3 && put_tier3 && !front3);
`endif
endmodule
