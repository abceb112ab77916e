// The BBQ's buckets without the tree above them, against queues of slots: a longer bounded proof than that of the whole.
//
// Two buckets and three slots, which a bucket may all hold. The specification keeps for each bucket the slots in order of
// arrival and for each slot its data; from them follow, as in a leaf (see `bbq_level`), the list that an operation goes
// to and whether it appends. Asserted of every operation, three stages later: what a dequeue takes is the bucket's oldest
// slot, or its newest if it was asked for, with its data; nothing else is freed. Assumed of the free list: an enqueue's slot is not in use, and with
// `AnySlot` = 0, for longer streams, that it is the lowest of those.
module buckets_formal #(
  parameter int unsigned AsyncDepth = 64,
  parameter bit AnySlot = 1'b1,
  localparam int unsigned SlotW = 2,
  localparam int unsigned Slots = 3
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic             dequeue_i,
  input logic             last_i,
  input logic             bucket_i,
  input logic [SlotW-1:0] slot_i,
  input logic             data_i
);
  typedef logic [SlotW-1:0] slot_t;
  typedef struct packed {
    bbq_pkg::ctl_t ctl;
    logic          bucket;
    slot_t         slot;
    logic          data;
  } answer_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic [1:0][1:0] count_q;
  logic [1:0] next_list_q;
  slot_t [1:0][Slots-1:0] queue_q;
  logic [3:0] data_q, in_use_q;
  logic [4:1] ahead_alive_q, ahead_bucket_q, same;
  answer_t [3:1] answers_q;
  bbq_pkg::ctl_t ctl, ctl_out;
  logic bucket_out, data_out, free;
  slot_t free_slot;

  slot_t leaving;
  assign leaving = queue_q[bucket_i][ctl.last ? count_q[bucket_i] - 1'b1 : 2'd0];

  assign ctl.valid   = valid_i & ~rst;
  assign ctl.dequeue = ctl.valid & dequeue_i;
  assign ctl.last    = ctl.dequeue & last_i;
  assign ctl.alive   = ctl.valid & (~dequeue_i | count_q[bucket_i] != '0);
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) same[d] = ahead_alive_q[d] & ahead_bucket_q[d] == bucket_i;
  end

  bbq_buckets #(
    .BucketW   (1),
    .SlotW     (SlotW),
    .DataW     (1),
    .AsyncDepth(AsyncDepth)
  ) u_buckets (
    .clk_i,
    .rst_i       (rst),
    .store_i     (ctl.alive & ~ctl.dequeue),
    .store_slot_i(slot_i),
    .store_data_i(data_i),
    .ctl_i       (ctl),
    .bucket_i,
    .same_i      (same),
    .list_i      (next_list_q[bucket_i] ^ (ctl.dequeue & (ctl.last | count_q[bucket_i][0]))),
    .append_i    (count_q[bucket_i] >= 2'd2),
    .two_i       (count_q[bucket_i] == 2'd2),
    .slot_i,
    .ctl_o       (ctl_out),
    .bucket_o    (bucket_out),
    .data_o      (data_out),
    .free_o      (free),
    .free_slot_o (free_slot)
  );

  always_ff @(posedge clk_i) begin
    ahead_alive_q  <= rst ? '0 : {ahead_alive_q[3:1], ctl.alive};
    ahead_bucket_q <= {ahead_bucket_q[3:1], bucket_i};
    answers_q      <= rst ? '0 : {answers_q[2:1],
        answer_t'{ctl: ctl, bucket: bucket_i, slot: leaving, data: data_q[leaving]}};
    if (rst) begin
      count_q     <= '0;
      next_list_q <= '0;
      in_use_q    <= '0;
    end else begin
      if (free) in_use_q[free_slot] <= 1'b0;
      if (ctl.alive && ctl.dequeue) begin
        count_q[bucket_i] <= count_q[bucket_i] - 1'b1;
        if (ctl.last) next_list_q[bucket_i] <= ~next_list_q[bucket_i];
        else queue_q[bucket_i] <= {slot_t'(0), queue_q[bucket_i][2:1]};
      end
      if (ctl.alive && !ctl.dequeue) begin
        count_q[bucket_i]                    <= count_q[bucket_i] + 1'b1;
        next_list_q[bucket_i]                <= ~next_list_q[bucket_i];
        queue_q[bucket_i][count_q[bucket_i]] <= slot_i;
        data_q[slot_i]                       <= data_i;
        in_use_q[slot_i]                     <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      free_slots : assume (!(ctl.alive && !ctl.dequeue) || (32'(slot_i) < Slots && !in_use_q[slot_i]));
      if (!AnySlot) lowest : assume (slot_i == (!in_use_q[0] ? 2'd0 : !in_use_q[1] ? 2'd1 : 2'd2));
      on_time : assert (ctl_out == answers_q[3].ctl);
      if (ctl_out.valid) right_bucket : assert (bucket_out == answers_q[3].bucket);
      freed : assert (free == (ctl_out.alive && ctl_out.dequeue));
      if (free) begin
        its_end : assert (free_slot == answers_q[3].slot);
        its_data : assert (data_out == answers_q[3].data);
      end
      three_in_a_row : cover (free && answers_q[2].ctl.alive && answers_q[2].ctl.dequeue && answers_q[1].ctl.alive
          && answers_q[1].ctl.dequeue && answers_q[1].bucket == bucket_out && answers_q[2].bucket == bucket_out);
      another_round : cover (free && in_use_q == 4'b0111 && count_q[bucket_out] == 2'd2);
    end
  end
endmodule
