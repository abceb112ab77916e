// RPU-BMW against the specification of a priority queue, for the solver.
//
// Every element gets its push's number as data, so each is told apart. The specification keeps, per number, whether it
// waits and its rank, and does each operation in the cycle of its answer. Asserted: an answer comes two cycles after its
// operation and only then; the next operation can be taken two cycles after a push and three after a pop or a replace;
// what leaves waits, has its own rank, and nothing smaller waits; full and empty are said exactly when they are so.
module bmw_formal #(
  parameter int unsigned Ways = 2,
  parameter int unsigned Levels = 2,
  localparam int unsigned Capacity = bmw_pkg::capacity(Ways, Levels),
  localparam int unsigned RankW = 2,
  localparam int unsigned NumberW = 3,
  localparam int unsigned Numbers = 2 ** NumberW,
  localparam int unsigned Latency = 2
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic             push_i,
  input logic             pop_i,
  input logic [RankW-1:0] rank_i
);
  typedef struct packed {
    logic               valid, push, pop;
    logic [RankW-1:0]   rank;
    logic [NumberW-1:0] number;
  } operation_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, rsp_valid, rsp_pushed, rsp_popped;
  logic [RankW-1:0] rsp_rank;
  logic [NumberW-1:0] rsp_data, number_q;

  bmw #(
    .Ways  (Ways),
    .Levels(Levels),
    .RankW (RankW),
    .DataW (NumberW)
  ) u_bmw (
    .clk_i,
    .rst_i       (rst),
    .valid_i,
    .ready_o     (ready),
    .push_i,
    .pop_i,
    .rank_i,
    .data_i      (number_q),
    .rsp_valid_o (rsp_valid),
    .rsp_pushed_o(rsp_pushed),
    .rsp_popped_o(rsp_popped),
    .rsp_rank_o  (rsp_rank),
    .rsp_data_o  (rsp_data),
    .count_o     (),
    .full_o      (),
    .empty_o     ()
  );

  operation_t [Latency-1:0] due_q;
  operation_t op;
  logic [1:0] busy_q;
  assign op = due_q[Latency-1];
  always_ff @(posedge clk_i) begin
    due_q[0] <= '{valid_i && ready && !rst, push_i, pop_i, rank_i, number_q};
    due_q[1] <= rst ? '0 : due_q[0];
    if (rst) begin
      number_q <= '0;
      busy_q   <= '0;
    end else begin
      if (valid_i && ready && push_i) number_q <= number_q + 1'b1;
      if (valid_i && ready) busy_q <= pop_i ? 2'd2 : 2'd1;
      else if (busy_q != '0) busy_q <= busy_q - 1'b1;
    end
  end

  logic [Numbers-1:0] waits_q;
  logic [RankW-1:0] rank_q[Numbers];
  logic popped, pushed;
  assign popped = op.pop && waits_q != '0;
  assign pushed = op.push && (popped || $countones(waits_q) < Capacity);

  always_ff @(posedge clk_i) begin
    if (rst) begin
      waits_q <= '0;
    end else if (op.valid) begin
      if (popped) waits_q[rsp_data] <= 1'b0;
      if (pushed) begin
        waits_q[op.number] <= 1'b1;
        rank_q[op.number]  <= op.rank;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      enough_numbers : assume (number_q != '1 || !push_i || !valid_i);
      operation : assume (!valid_i || push_i || pop_i);
      on_time : assert (rsp_valid == op.valid);
      cycles : assert (ready == (busy_q == '0));
      if (op.valid) begin
        is_pushed : assert (rsp_pushed == pushed);
        is_popped : assert (rsp_popped == popped);
        if (popped) begin
          it_waits : assert (waits_q[rsp_data]);
          its_rank : assert (rsp_rank == rank_q[rsp_data]);
          for (int unsigned n = 0; n < Numbers; n++) assert (!waits_q[n] || rsp_rank <= rank_q[n]);
        end
      end
      answered_full : cover (op.valid && op.push && !op.pop && !pushed);
      from_below : cover (op.valid && popped && $countones(waits_q) == Capacity - 1);
      replaced : cover (op.valid && popped && pushed && $countones(waits_q) == Capacity - 1);
    end
  end
endmodule
