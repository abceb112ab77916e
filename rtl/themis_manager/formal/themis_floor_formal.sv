// The floor under the far ranks, for ever: an inductive proof at small parameters.
//
// The specification counts the elements of each rank that are far as far as has been answered, and keeps what was asked
// and is not answered. Proven: a rank that does not reach the floor is below all of them. Assumed of the queue: answers
// come `Latency` cycles later, and what leaves far is the smallest there.
module themis_floor_formal #(
  parameter int unsigned RankW = 2,
  parameter int unsigned Latency = 3,
  localparam int unsigned Ranks = 2 ** RankW
) (
  input logic             clk_i,
  input logic             ask_i,
  input logic [RankW-1:0] ask_rank_i,
  /// In cycles in which nothing asked is answered: something else came far (a swap-out), or left.
  input logic             came_i,
  input logic             left_i,
  input logic [RankW-1:0] came_rank_i,
  input logic [RankW-1:0] rank_i
);
  typedef struct packed {
    logic             valid;
    logic [RankW-1:0] rank;
  } ask_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic [Ranks-1:0][2:0] count_q;
  ask_t [Latency:1] asked_q;
  logic due, came, left, reached;
  logic [RankW-1:0] smallest, answer_rank;
  logic [5:0] total;

  always_comb begin
    smallest = '0;
    total    = '0;
    for (int unsigned i = 0; i < Ranks; i++) begin
      if (count_q[Ranks-1-i] != '0) smallest = RankW'(Ranks - 1 - i);
      total += 6'(count_q[i]);
    end
  end

  logic far_at_or_below, asked_at_or_below;
  always_comb begin
    far_at_or_below   = 1'b0;
    asked_at_or_below = 1'b0;
    for (int unsigned i = 0; i < Ranks; i++) far_at_or_below |= count_q[i] != '0 && RankW'(i) <= rank_i;
    for (int unsigned d = 1; d <= Latency; d++) begin
      asked_at_or_below |= asked_q[d].valid && asked_q[d].rank <= rank_i;
    end
  end

  assign due         = asked_q[Latency].valid;
  assign came        = ~rst & (due | came_i);
  assign left        = ~rst & ~due & ~came_i & left_i & total != '0;
  assign answer_rank = due ? asked_q[Latency].rank : came_i ? came_rank_i : smallest;

  themis_floor #(
    .RankW  (RankW),
    .Latency(Latency)
  ) u_floor (
    .clk_i,
    .rst_i        (rst),
    .ask_i        (ask_i & ~rst),
    .ask_rank_i,
    .came_i       (came),
    .left_i       (left),
    .last_i       (total == 6'd1),
    .answer_rank_i(answer_rank),
    .rank_i,
    .reached_o    (reached)
  );

  always_ff @(posedge clk_i) begin
    if (rst) begin
      count_q <= '0;
      asked_q <= '0;
    end else begin
      asked_q <= {asked_q[Latency-1:1], ask_t'{ask_i, ask_rank_i}};
      if (came) count_q[answer_rank] <= count_q[answer_rank] + 1'b1;
      if (left) count_q[answer_rank] <= count_q[answer_rank] - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      few : assume (!came || count_q[answer_rank] < 3'd6);
      // Below every rank that is far, and that was asked.
      below_far : assert (reached || !far_at_or_below);
      below_asked : assert (reached || !asked_at_or_below);
      // Of those that are far.
      for (int unsigned i = 0; i < Ranks; i++) begin
        if (count_q[i] != '0) begin
          assert (u_floor.answered_q.valid && u_floor.answered_q.rank <= RankW'(i));
        end
      end
      // Of those that will be: asked in this span, from the turn on that began it, or in the one before.
      in_span : assert (32'(u_floor.cycle_q) < Latency);
      for (int unsigned d = 1; d <= Latency; d++) begin
        if (asked_q[d].valid) begin
          if (d <= 32'(u_floor.cycle_q) + 1) begin
            assert (u_floor.asked_q.valid && u_floor.asked_q.rank <= asked_q[d].rank);
          end else begin
            assert (u_floor.before_q.valid && u_floor.before_q.rank <= asked_q[d].rank);
          end
        end
      end
      if (total == '0) empty : assert (!u_floor.answered_q.valid);
      raised :
      cover (u_floor.answered_q.valid && u_floor.answered_q.rank == '1 && $past(u_floor.answered_q.rank == '0));
      emptied : cover (!u_floor.answered_q.valid && $past(u_floor.answered_q.valid));
    end
  end
endmodule
