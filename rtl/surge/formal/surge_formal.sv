// SurgeProtector's scheduler against its specification, for the solver.
//
// Every job gets its number as data, so each is told apart, and a larger number came later. With job sizes of two
// bits, packets of one byte and two ranks an octave the rank is the job size; `rank_formal` is about others. The
// specification does each operation when it is taken, on numbers. Asserted: a request is answered `Latency` cycles
// later, by the earliest job of the smallest rank; an arrival that is one too many makes the latest of the largest
// rank drop, a cycle after that; nothing else is answered or dropped, and as many wait as is said.
module surge_formal #(
  parameter int unsigned Capacity = 2,
  localparam int unsigned WorkW = 2,
  localparam int unsigned Bits = 1,
  localparam int unsigned NumberW = 3,
  localparam int unsigned Numbers = 2 ** NumberW,
  localparam int unsigned Latency = surge_pkg::latency(WorkW, 1, Bits, 2, 2)
) (
  input logic             clk_i,
  input logic             arr_valid_i,
  input logic [WorkW-1:0] arr_work_i,
  input logic             arr_size_i,
  input logic             srv_valid_i
);
  typedef struct packed {
    logic               valid, found;
    logic [WorkW-1:0]   rank;
    logic [NumberW-1:0] number;
  } answer_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, srv_valid, srv_found, drop_valid, drop_newcomer;
  logic [WorkW-1:0] srv_rank, drop_rank;
  logic [NumberW-1:0] srv_number, drop_number, number_q;
  logic [$clog2(Capacity+1)-1:0] count;

  surge #(
    .WorkW   (WorkW),
    .SizeW   (1),
    .Fraction(0),
    .Bits    (Bits),
    .Levels  (2),
    .Width   (2),
    .Capacity(Capacity),
    .DataW   (NumberW)
  ) u_surge (
    .clk_i,
    .rst_i          (rst),
    .ready_o        (ready),
    .arr_valid_i,
    .arr_work_i,
    .arr_size_i,
    .arr_data_i     (number_q),
    .srv_valid_i,
    .srv_valid_o    (srv_valid),
    .srv_found_o    (srv_found),
    .srv_rank_o     (srv_rank),
    .srv_data_o     (srv_number),
    .drop_valid_o   (drop_valid),
    .drop_newcomer_o(drop_newcomer),
    .drop_rank_o    (drop_rank),
    .drop_data_o    (drop_number),
    .count_o        (count)
  );

  function automatic int unsigned ones(logic [Numbers-1:0] set);
    ones = 0;
    for (int unsigned n = 0; n < Numbers; n++) ones += 32'(set[n]);
  endfunction

  // ---- The specification: the job served is taken out, then the one that arrives joins, then perhaps one drops
  logic [Numbers-1:0] waits_q, first, served, joined, last, dropped;
  logic [Numbers-1:0][WorkW-1:0] rank_q, rank;
  logic arrives, serves, too_many;
  answer_t answer, drop;

  always_comb begin
    arrives = arr_valid_i && ready && !rst;
    serves  = srv_valid_i && ready && !rst;
    rank    = rank_q;
    if (arrives) rank[number_q] = arr_work_i;
    for (int unsigned n = 0; n < Numbers; n++) begin
      first[n] = waits_q[n];
      for (int unsigned m = 0; m < Numbers; m++) begin
        if (waits_q[m] && (rank_q[m] < rank_q[n] || (rank_q[m] == rank_q[n] && m < n))) first[n] = 1'b0;
      end
    end
    served = serves ? first : '0;
    joined = (waits_q & ~served) | (arrives ? Numbers'(1) << number_q : '0);
    for (int unsigned n = 0; n < Numbers; n++) begin
      last[n] = joined[n];
      for (int unsigned m = 0; m < Numbers; m++) begin
        if (joined[m] && (rank[m] > rank[n] || (rank[m] == rank[n] && m > n))) last[n] = 1'b0;
      end
    end
    too_many = ones(joined) > Capacity;
    dropped  = too_many ? last : '0;
    answer   = '{serves, served != '0, '0, '0};
    drop     = '{too_many, 1'b0, '0, '0};
    for (int unsigned n = 0; n < Numbers; n++) begin
      if (served[n]) {answer.rank, answer.number} = {rank_q[n], NumberW'(n)};
      if (dropped[n]) {drop.rank, drop.number} = {rank[n], NumberW'(n)};
    end
    drop.found = drop.number == number_q;
  end

  answer_t [Latency-1:0] answers_q;
  answer_t [Latency:0] drops_q;
  answer_t due, drop_due;
  assign due      = answers_q[Latency-1];
  assign drop_due = drops_q[Latency];
  always_ff @(posedge clk_i) begin
    answers_q <= rst ? '0 : {answers_q[Latency-2:0], answer};
    drops_q   <= rst ? '0 : {drops_q[Latency-1:0], drop};
    if (rst) begin
      waits_q  <= '0;
      number_q <= '0;
    end else begin
      waits_q <= joined & ~dropped;
      rank_q  <= rank;
      if (arrives) number_q <= number_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      enough_numbers : assume (number_q != '1 || !arr_valid_i);
      as_many_wait : assert (32'(count) == ones(waits_q));
      on_time : assert (srv_valid == due.valid);
      if (srv_valid && due.valid) begin
        finds : assert (srv_found == due.found);
        if (due.found) right_job : assert (srv_rank == due.rank && srv_number == due.number);
      end
      drop_on_time : assert (drop_valid == drop_due.valid);
      if (drop_valid && drop_due.valid) begin
        right_drop : assert (drop_rank == drop_due.rank && drop_number == drop_due.number);
        newcomer : assert (drop_newcomer == drop_due.found);
      end
      displaced : cover (drop_valid && !drop_newcomer);
      refused : cover (drop_valid && drop_newcomer);
      two_dropped : cover (drop_valid && drops_q[Latency-2].valid);
      served_after_drop : cover (srv_valid && srv_found && $past(drop_valid));
    end
  end
endmodule
