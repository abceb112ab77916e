// PIEO against its specification, for the solver.
//
// Every element gets its enqueue's number as data, so each is told apart, and a larger number came later. The
// specification keeps, per number, whether it waits, its rank and its time, and does each operation in the cycle of its
// answer. Asserted: an answer comes three cycles after its operation and only then, and the next operation can be taken
// in the cycle after it; an enqueue is done exactly if there is a place; a dequeue takes the earliest of the smallest
// rank among the elements whose time has come, and nothing exactly if there is none.
module pieo_formal #(
  parameter int unsigned Size = 2,
  localparam int unsigned RankW = 2,
  localparam int unsigned TimeW = 1,
  localparam int unsigned NumberW = 3,
  localparam int unsigned Numbers = 2 ** NumberW,
  localparam int unsigned Latency = 3
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic             dequeue_i,
  input logic [RankW-1:0] rank_i,
  input logic [TimeW-1:0] time_i
);
  typedef struct packed {
    logic               valid, dequeue;
    logic [RankW-1:0]   rank;
    logic [TimeW-1:0]   send;
    logic [NumberW-1:0] number;
  } operation_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, valid, done;
  logic [RankW-1:0] rank;
  logic [TimeW-1:0] send;
  logic [NumberW-1:0] number, number_q;

  pieo #(
    .Size (Size),
    .RankW(RankW),
    .TimeW(TimeW),
    .DataW(NumberW)
  ) u_pieo (
    .clk_i,
    .rst_i  (rst),
    .valid_i,
    .ready_o(ready),
    .dequeue_i,
    .rank_i,
    .time_i,
    .data_i (number_q),
    .valid_o(valid),
    .done_o (done),
    .rank_o (rank),
    .time_o (send),
    .data_o (number)
  );

  operation_t [Latency-1:0] due_q;
  operation_t op;
  assign op = due_q[Latency-1];
  always_ff @(posedge clk_i) begin
    due_q[0] <= '{valid_i && ready && !rst, dequeue_i, rank_i, time_i, number_q};
    for (int unsigned i = 1; i < Latency; i++) due_q[i] <= rst ? '0 : due_q[i-1];
    if (rst) number_q <= '0;
    else if (valid_i && ready && !dequeue_i) number_q <= number_q + 1'b1;
  end

  logic [Numbers-1:0] waits_q, ripe, best;
  logic [RankW-1:0] rank_q[Numbers];
  logic [TimeW-1:0] send_q[Numbers];
  logic expected;
  always_comb begin
    for (int unsigned n = 0; n < Numbers; n++) ripe[n] = waits_q[n] && send_q[n] <= op.send;
    for (int unsigned n = 0; n < Numbers; n++) begin
      best[n] = ripe[n];
      for (int unsigned m = 0; m < Numbers; m++) begin
        if (ripe[m] && (rank_q[m] < rank_q[n] || (rank_q[m] == rank_q[n] && m < n))) best[n] = 1'b0;
      end
    end
    expected = op.dequeue ? ripe != '0 : $countones(waits_q) < Size * Size;
  end

  always_ff @(posedge clk_i) begin
    if (rst) begin
      waits_q <= '0;
    end else if (op.valid && expected) begin
      if (op.dequeue) waits_q[number] <= 1'b0;
      else begin
        waits_q[op.number] <= 1'b1;
        rank_q[op.number]  <= op.rank;
        send_q[op.number]  <= op.send;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      enough_numbers : assume (number_q != '1 || dequeue_i || !valid_i);
      on_time : assert (valid == op.valid);
      four_cycles : assert (ready == !(due_q[0].valid || due_q[1].valid || due_q[2].valid));
      if (op.valid) begin
        is_done : assert (done == expected);
        if (op.dequeue && expected) begin
          smallest : assert (best[number]);
          its_rank : assert (rank == rank_q[number] && send == send_q[number]);
        end
      end
      passed_over : cover (op.valid && op.dequeue && expected && ripe != waits_q);
      refused : cover (op.valid && !op.dequeue && !expected);
      waits : cover (op.valid && op.dequeue && !expected && waits_q != '0);
    end
  end
endmodule
