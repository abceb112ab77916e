// The two-tier queue against its specification, for proofs at small parameters.
//
// The specification counts the elements of each rank in each tier. One enqueue, chosen freely by the solver, is
// marked by its data (one bit); how many of its rank and tier are before and behind it says when it leaves or moves.
// So every answer is determined: its cycle, its status, its rank, its tier and its data. An element that is lost,
// doubled, out of order, of the wrong rank or in the wrong tier gives a wrong answer.
//
// And of equal ranks: as long as no enqueue was answered `Ahead`, every far element of the marked one's rank that came
// before it is gone if the marked one is near, so it leaves in its turn. `older_q` counts those that came before it and
// still wait, in either tier; none is left when it is served.
module themis_formal #(
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 2,
  parameter int unsigned SlotBits = 2,
  parameter int unsigned AsyncDepth = 64,
  localparam int unsigned RankW = Levels * $clog2(Width),
  localparam int unsigned DigitW = $clog2(Width),
  localparam int unsigned Latency = 6 + 4 * (Levels - 1),
  localparam int unsigned Ranks = 2 ** RankW,
  localparam int unsigned Slots = 2 ** SlotBits - 1
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic [      2:0] op_i,
  input logic [RankW-1:0] rank_i,
  input logic             mark_i
);
  typedef logic [RankW-1:0] rank_t;
  typedef logic [SlotBits-1:0] number_t;
  typedef struct packed {
    logic       valid;
    logic       take;
    logic       swap;
    logic [1:0] status;
    logic       is_far;
    rank_t      rank;
    logic       data;
  } answer_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, valid, take_out, swap_out, far_out, data, mark;
  themis_pkg::status_e status;
  rank_t rank;

  themis #(
    .Levels    (Levels),
    .Width     (Width),
    .SlotBits  (SlotBits),
    .DataW     (1),
    .AsyncDepth(AsyncDepth)
  ) u_themis (
    .clk_i,
    .rst_i   (rst),
    .valid_i,
    .ready_o (ready),
    .op_i    (themis_pkg::op_e'(op_i)),
    .rank_i,
    .data_i  (mark),
    .valid_o (valid),
    .take_o  (take_out),
    .swap_o  (swap_out),
    .status_o(status),
    .far_o   (far_out),
    .rank_o  (rank),
    .slot_o  (),
    .data_o  (data)
  );

  // ---- The specification -------------------------------------------------------------------------------------
  number_t [1:0][Ranks-1:0] count_q;
  number_t free_q, before_q, behind_q, older_q;
  rank_t marked_rank_q, at;
  rank_t [1:0] first, last;
  logic [1:0] held;
  logic marked_q, waits_q, marked_far_q, overtaken_q;
  logic accept, pops, swaps, back, tier, stored, taken, mine, leaves;
  logic [Latency+1:0] returning_q;
  answer_t [Latency:1] answers_q;
  answer_t answer;

  assign accept = valid_i & ready & ~rst;
  assign pops   = op_i[2];
  assign swaps  = op_i[2] & op_i[1];
  assign back   = op_i == themis_pkg::DropLargest || op_i == themis_pkg::SwapOut;

  always_comb begin
    for (int unsigned t = 0; t < 2; t++) begin
      held[t]  = count_q[t] != '0;
      first[t] = '0;
      last[t]  = '0;
      for (int unsigned r = 0; r < Ranks; r++) begin
        if (count_q[t][r] != '0) last[t] = rank_t'(r);
        if (count_q[t][Ranks-1-r] != '0) first[t] = rank_t'(Ranks - 1 - r);
      end
    end
    unique case (op_i)
      themis_pkg::Enqueue: tier = held[1] && first[1][RankW-1-:DigitW] <= rank_i[RankW-1-:DigitW];
      themis_pkg::EnqueueFar, themis_pkg::SwapIn: tier = 1'b1;
      themis_pkg::Dequeue: tier = held[1] && (!held[0] || first[1][RankW-1-:DigitW] < first[0][RankW-1-:DigitW]);
      default: tier = 1'b0;
    endcase
    at = !pops ? rank_i : back ? last[0] : first[tier];
  end

  assign stored = accept & ~pops & op_i[1:0] != 2'd3 & free_q != '0;
  assign taken  = accept & pops & held[tier];
  // It is about the marked one's queue; it is the marked one that is taken.
  assign mine   = waits_q & marked_far_q == tier & marked_rank_q == at;
  assign leaves = taken & mine & (back ? behind_q : before_q) == '0;
  assign mark   = mark_i & stored & ~marked_q;

  always_comb begin
    answer        = '0;
    answer.valid  = accept;
    answer.take   = pops;
    answer.swap   = swaps;
    answer.status = taken ? 2'd0 : pops ? 2'd2 : 2'd1;
    if (stored) answer.status = !tier && count_q[1][rank_i] != '0 ? 2'd3 : 2'd0;
    answer.is_far  = tier;
    answer.rank = at;
    answer.data = leaves;
  end

  always_ff @(posedge clk_i) begin
    if (rst) begin
      count_q     <= '0;
      free_q      <= number_t'(Slots);
      marked_q    <= 1'b0;
      waits_q     <= 1'b0;
      overtaken_q <= 1'b0;
      returning_q <= '0;
      answers_q   <= '0;
    end else begin
      returning_q <= {returning_q[Latency:0], taken & ~swaps};
      free_q      <= free_q - number_t'(stored) + number_t'(returning_q[Latency]);
      answers_q   <= {answers_q[Latency-1:1], answer};
      if (stored && answer.status == 2'd3) overtaken_q <= 1'b1;
      if (stored) count_q[tier][at] <= count_q[tier][at] + 1'b1;
      if (taken) begin
        count_q[tier][at] <= count_q[tier][at] - 1'b1;
        if (swaps) count_q[~tier][at] <= count_q[~tier][at] + 1'b1;
      end
      if (mark) begin
        marked_q      <= 1'b1;
        waits_q       <= 1'b1;
        marked_rank_q <= at;
        marked_far_q  <= tier;
        before_q      <= count_q[tier][at];
        behind_q      <= '0;
        older_q       <= count_q[0][at] + count_q[1][at];
      end else if (leaves && swaps) begin
        // The newest near one is before all far ones, the oldest far one behind all near ones.
        marked_far_q <= ~tier;
        before_q     <= tier ? count_q[0][at] : '0;
        behind_q     <= tier ? '0 : count_q[1][at];
      end else if (leaves) begin
        waits_q <= 1'b0;
      end else begin
        if (mine && stored) behind_q <= behind_q + 1'b1;
        if (mine && taken && back) behind_q <= behind_q - 1'b1;
        if (mine && taken && !back) before_q <= before_q - 1'b1;
        // It comes from the other tier, to the far front or to the near back.
        if (taken && swaps && waits_q && marked_rank_q == at && marked_far_q != tier) begin
          if (tier) behind_q <= behind_q + 1'b1;
          else before_q <= before_q + 1'b1;
        end
        // What was there before it leaves, at the front, while it waits.
        if (taken && !swaps && !back && waits_q && marked_rank_q == at && older_q != '0) older_q <= older_q - 1'b1;
        // Or it is dropped: from behind the marked one come the younger ones first.
        if (taken && !swaps && back && waits_q && marked_rank_q == at && (marked_far_q || behind_q == '0)
            && older_q != '0) begin
          older_q <= older_q - 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      on_time : assert (valid == answers_q[Latency].valid);
      if (valid && answers_q[Latency].valid) begin
        right_kind : assert (take_out == answers_q[Latency].take && swap_out == answers_q[Latency].swap);
        right_status : assert (status == answers_q[Latency].status);
        if (status == themis_pkg::Done || status == themis_pkg::Ahead) begin
          right_rank : assert (rank == answers_q[Latency].rank);
          right_tier : assert (far_out == answers_q[Latency].is_far);
          if (take_out) right_element : assert (data == answers_q[Latency].data);
        end
      end
      if (leaves && op_i == themis_pkg::Dequeue && !overtaken_q) in_turn : assert (older_q == '0);
      some_element : cover (valid && take_out && !swap_out && data);
      out_and_in : cover (valid && swap_out && data && far_out && $past(valid && swap_out && data && !far_out));
      answered_full : cover (valid && status == themis_pkg::Full);
      answered_empty : cover (valid && status == themis_pkg::Empty);
      answered_ahead : cover (valid && status == themis_pkg::Ahead);
    end
  end
endmodule
