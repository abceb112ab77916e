// The rolling window against its specification, for the solver.
//
// Every element gets its enqueue's number as data, so each is told apart, and a larger number came later. The
// specification does each operation when it is accepted, on numbers: whether each waits, and at which rank of the
// window. Asserted: an enqueue is refused exactly beyond the window or at the capacity; every other operation is answered
// `Latency` cycles later and nothing else is; a dequeue takes the earliest of the smallest rank or the latest of the
// largest, and tells the rank, whether the window has moved meanwhile or not.
module rolling_formal #(
  localparam int unsigned Levels = 2,
  localparam int unsigned Width = 2,
  localparam int unsigned SlotBits = 5,
  localparam int unsigned RankW = 4,
  localparam int unsigned NumberW = 3,
  localparam int unsigned Numbers = 2 ** NumberW,
  // Ranks of a half.
  localparam int unsigned Span = Width ** Levels / 2,
  localparam int unsigned Latency = bbq_pkg::latency(Levels, Width, 2)
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic [      1:0] op_i,
  input logic [RankW-1:0] rank_i
);
  typedef struct packed {
    logic               valid, dequeue, found;
    logic [RankW-1:0]   rank;
    logic [NumberW-1:0] number;
  } answer_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, refused, valid, dequeue;
  bbq_pkg::status_e status;
  logic [RankW-1:0] rank;
  logic [NumberW-1:0] number, number_q;

  bbq_rolling #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(SlotBits),
    .DataW   (NumberW),
    .RankW   (RankW)
  ) u_rolling (
    .clk_i,
    .rst_i    (rst),
    .valid_i,
    .ready_o  (ready),
    .op_i     (bbq_pkg::op_e'(op_i)),
    .rank_i,
    .data_i   (number_q),
    .refused_o(refused),
    .valid_o  (valid),
    .dequeue_o(dequeue),
    .status_o (status),
    .rank_o   (rank),
    .data_o   (number)
  );

  // ---- The specification: `base_q` is the first rank of the window ---------------------------------------------
  logic [RankW:0] base_q, base_d, at, wanted_half;
  logic [Numbers-1:0] waits_q, best;
  logic [RankW:0] rank_q[Numbers];
  logic first_empty, second_empty, beyond, follows, refuse, enqueue, accept, found;
  logic [NumberW-1:0] leaves;

  always_comb begin
    first_empty  = 1'b1;
    second_empty = 1'b1;
    for (int unsigned n = 0; n < Numbers; n++) begin
      if (waits_q[n] && rank_q[n] < base_q + (RankW + 1)'(Span)) first_empty = 1'b0;
      if (waits_q[n] && rank_q[n] >= base_q + (RankW + 1)'(Span)) second_empty = 1'b0;
    end
    for (int unsigned n = 0; n < Numbers; n++) begin
      best[n] = waits_q[n];
      for (int unsigned m = 0; m < Numbers; m++) begin
        if (waits_q[m] && !op_i[0] && (rank_q[m] < rank_q[n] || (rank_q[m] == rank_q[n] && m < n))) best[n] = 1'b0;
        if (waits_q[m] && op_i[0] && (rank_q[m] > rank_q[n] || (rank_q[m] == rank_q[n] && m > n))) best[n] = 1'b0;
      end
    end
    leaves = '0;
    for (int unsigned n = 0; n < Numbers; n++) if (best[n]) leaves = NumberW'(n);
    found       = waits_q != '0;
    enqueue     = !op_i[1];
    wanted_half = (RankW + 1)'(rank_i) / (RankW + 1)'(Span) * (RankW + 1)'(Span);
    beyond      = (RankW + 1)'(rank_i) >= base_q + (RankW + 1)'(2 * Span);
    follows     = first_empty && (second_empty || (RankW + 1)'(rank_i) < base_q + (RankW + 1)'(3 * Span));
    refuse      = op_i == 2'd1 || (enqueue && beyond && !follows);
    accept      = valid_i && ready && !refuse && !rst;
    at          = (RankW + 1)'(rank_i) < base_q ? base_q : (RankW + 1)'(rank_i);
    base_d      = base_q;
    if (enqueue && beyond) base_d = wanted_half - (RankW + 1)'(Span);
    if (op_i == 2'd2 && first_empty && !second_empty) base_d = base_q + (RankW + 1)'(Span);
  end

  answer_t [Latency-1:0] answers_q;
  answer_t answer;
  assign answer = answers_q[Latency-1];
  always_ff @(posedge clk_i) begin
    answers_q[0] <= '{accept, !enqueue, found, RankW'(rank_q[leaves]), leaves};
    for (int unsigned i = 1; i < Latency; i++) answers_q[i] <= rst ? '0 : answers_q[i-1];
    if (rst) begin
      base_q   <= '0;
      waits_q  <= '0;
      number_q <= '0;
    end else if (accept) begin
      base_q <= base_d;
      if (enqueue) begin
        waits_q[number_q] <= 1'b1;
        rank_q[number_q]  <= at;
        number_q          <= number_q + 1'b1;
      end else if (found) begin
        waits_q[leaves] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      enough_numbers : assume (number_q != '1 || !enqueue || !valid_i);
      if (valid_i && ready) is_refused : assert (refused == refuse);
      on_time : assert (valid == answer.valid);
      if (valid && answer.valid) begin
        right_kind : assert (dequeue == answer.dequeue);
        right_status : assert (status == (answer.dequeue && !answer.found ? bbq_pkg::Empty : bbq_pkg::Done));
        if (answer.dequeue && answer.found) begin
          right_element : assert (number == answer.number);
          right_rank : assert (rank == answer.rank);
        end
      end
      rolled : cover (valid && dequeue && status == bbq_pkg::Done && answer.rank < RankW'(base_q));
      moved_by_dequeue : cover (accept && !enqueue && base_d != base_q);
    end
  end
endmodule
