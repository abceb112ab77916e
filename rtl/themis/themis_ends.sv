// The ends of one tier's lists: for each bucket two lists, filled in turn and emptied in turn from either end.
//
// Source: as `bbq_buckets`, of whose two lists per bucket (thesis §4.3.2, H3) this is one tier's. An operation
// touches at most one end of one list of a tier: it takes the element there, or puts one before it. Since lists
// alternate, two successive operations never take at one end of one list, so what is taken is known at p2; the
// element beside which one is put is needed only at p3. This holds at the front as at the back: elements are
// numbered without gaps, whether they come at the front or at the back, and the lists are the even and the odd
// numbers.
//
//   p0  the list and its end are known: read the head and the tail
//   p2  the end is known
//   p3  what stands there afterwards: the link of what was taken, or what was put
//   p4  write it; what is put into an empty list is both ends
//
// Ends are forwarded from the 4 operations ahead.
module themis_ends #(
  /// Bits of a bucket's number.
  parameter int unsigned BucketW = 6,
  /// Bits of a slot's number.
  parameter int unsigned SlotW = 11,
  /// The largest memory that is read without a clock.
  parameter int unsigned AsyncDepth = 64
) (
  input  logic               clk_i,
  input  logic               rst_i,
  // p0
  /// It takes from this tier; it puts into it.
  input  logic               take_i,
  input  logic               put_i,
  /// At the back.
  input  logic               back_i,
  /// It puts into an empty list.
  input  logic               both_i,
  input  logic               list_i,
  input  logic [BucketW-1:0] bucket_i,
  /// Whether the operation 1, 2, 3, 4 ahead is alive and in the same bucket.
  input  logic [        4:1] same_i,
  /// The operation 1 ahead used this list too; it was at this end.
  output logic               list_ahead_o,
  output logic               back_ahead_o,
  // p1, p4
  input  logic [BucketW-1:0] bucket1_i,
  input  logic [BucketW-1:0] bucket4_i,
  // p2
  output logic [  SlotW-1:0] end2_o,
  /// What the operation ahead puts, if it puts.
  input  logic [  SlotW-1:0] slot3_i,
  // p3
  input  logic               take3_i,
  input  logic               put3_i,
  input  logic               append3_i,
  input  logic [  SlotW-1:0] left3_i,
  // p3: the operation ahead has left another end than the one that was read.
  output logic               same3_o,
  output logic [  SlotW-1:0] left4_o
);
  localparam int unsigned Lists = 2 ** (BucketW + 1);
  localparam bit Async = Lists <= AsyncDepth;

  typedef logic [SlotW-1:0] slot_t;

  // ---- p0: does an operation ahead change this end? ------------------------------------------------------------
  // Element d is of the operation d ahead of the one at p0, which is at p1, p2, p3, p4.
  logic [4:1] use_q, list_q, back_q, both_q, same0, same1_q;
  logic [2:1] same2_q;

  always_ff @(posedge clk_i) begin
    use_q   <= {use_q[3:1], take_i | put_i};
    list_q  <= {list_q[3:1], list_i};
    back_q  <= {back_q[3:1], back_i};
    both_q  <= {both_q[3:1], both_i};
    same1_q <= same0;
    same2_q <= same1_q[2:1];
    same3_o <= same2_q[1];
  end
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) begin
      same0[d] = same_i[d] & use_q[d] & list_q[d] == list_i & (back_q[d] == back_i | both_q[d]);
    end
  end
  assign list_ahead_o = same_i[1] & use_q[1] & list_q[1] == list_i;
  assign back_ahead_o = back_q[1] == back_i;

  // ---- p0 to p2: the end --------------------------------------------------------------------------------------
  logic head_we4_q, tail_we4_q;
  slot_t head1, tail1, end1, end2_q;
  if (Async) begin : gen_async
    ram_async #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_heads (
      .clk_i,
      .we_i   (head_we4_q),
      .waddr_i({bucket4_i, list_q[4]}),
      .wdata_i(left4_o),
      .raddr_i({bucket1_i, list_q[1]}),
      .rdata_o(head1)
    );
    ram_async #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_tails (
      .clk_i,
      .we_i   (tail_we4_q),
      .waddr_i({bucket4_i, list_q[4]}),
      .wdata_i(left4_o),
      .raddr_i({bucket1_i, list_q[1]}),
      .rdata_o(tail1)
    );
    always_ff @(posedge clk_i) end2_q <= same1_q[3] ? left4_o : end1;

    logic unused_bucket;
    assign unused_bucket = ^bucket_i;
  end else begin : gen_sync
    slot_t left5_q;
    ram_1r1w #(
      .Width(SlotW),
      .Depth(Lists)
    ) u_heads (
      .clk_i,
      .we_i   (head_we4_q),
      .waddr_i({bucket4_i, list_q[4]}),
      .wdata_i(left4_o),
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
      .waddr_i({bucket4_i, list_q[4]}),
      .wdata_i(left4_o),
      .re_i   (1'b1),
      .raddr_i({bucket_i, list_i}),
      .rdata_o(tail1)
    );
    always_ff @(posedge clk_i) begin
      left5_q <= left4_o;
      end2_q  <= same1_q[3] ? left4_o : same1_q[4] ? left5_q : end1;
    end

    logic unused_bucket;
    assign unused_bucket = ^bucket1_i;
  end
  assign end1 = back_q[1] ? tail1 : head1;

  // For one that takes, the one ahead never takes at this end of this list, so what it has at p3 is what it puts.
  assign end2_o = same2_q[1] ? slot3_i : same2_q[2] ? left4_o : end2_q;

  // ---- p3 and p4: what stands there afterwards -----------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    left4_o    <= left3_i;
    head_we4_q <= ~rst_i & ((take3_i & ~back_q[3]) | (put3_i & ~(back_q[3] & append3_i)));
    tail_we4_q <= ~rst_i & ((take3_i & back_q[3]) | (put3_i & (back_q[3] | ~append3_i)));
  end

`ifndef SYNTHESIS
  logic take1_q, take2_q, put4_q, take4_q;
  always_ff @(posedge clk_i) begin
    take1_q <= take_i & ~rst_i;
    take2_q <= take1_q & ~rst_i;
    put4_q  <= put3_i;
    take4_q <= take3_i;
  end
  cover_end_1 : cover property (@(posedge clk_i) take2_q && same2_q[1]);
  cover_end_2_put : cover property (@(posedge clk_i) take2_q && same2_q == 2'b10 && put4_q);
  cover_end_2_link : cover property (@(posedge clk_i) take2_q && same2_q == 2'b10 && take4_q);
  cover_end_3 : cover property (@(posedge clk_i) take1_q && same1_q[3] && same1_q[2:1] == '0);
  cover_end_4 : cover property (@(posedge clk_i) take1_q && same1_q[4] && same1_q[3:1] == '0);
  cover_beside_taken : cover property (@(posedge clk_i) put3_i && append3_i && same3_o && take4_q);

  assert property (@(posedge clk_i) disable iff (rst_i) take2_q && same2_q[1] |-> !take3_i)
  else $error("themis_ends: two successive operations take at one end of a list");
  assert property (@(posedge clk_i) disable iff (rst_i) !(take_i && put_i))
  else $error("themis_ends: an operation takes from and puts into one tier");
`endif
endmodule
