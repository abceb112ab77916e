// PIFO against its specification, for the solver.
//
// Every element gets its push's number as data, so each is told apart, and a larger number came later. The specification
// keeps, per number, whether it waits, its rank and its partition. Asserted in every cycle, whatever is asked for: the
// element shown is the earliest of the smallest rank of its partition, or the latest of the largest; one is shown
// exactly if one waits; `full_o` is high exactly if as many wait as there are registers.
module pifo_formal #(
  parameter int unsigned Depth = 3,
  parameter int unsigned Partitions = 1,
  localparam int unsigned RankW = 2,
  localparam int unsigned NumberW = 4,
  localparam int unsigned Numbers = 2 ** NumberW,
  localparam int unsigned PartW = (Partitions > 1) ? $clog2(Partitions) : 1
) (
  input logic             clk_i,
  input logic             push_i,
  input logic [PartW-1:0] push_partition_i,
  input logic [RankW-1:0] push_rank_i,
  input logic             pop_i,
  input logic [PartW-1:0] pop_partition_i,
  input logic             pop_last_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic full, valid;
  logic [RankW-1:0] rank;
  logic [NumberW-1:0] number, number_q;

  pifo #(
    .Depth     (Depth),
    .RankW     (RankW),
    .DataW     (NumberW),
    .Partitions(Partitions)
  ) u_pifo (
    .clk_i,
    .rst_i      (rst),
    .push_i,
    .push_partition_i,
    .push_rank_i,
    .push_data_i(number_q),
    .full_o     (full),
    .pop_i,
    .pop_partition_i,
    .pop_last_i,
    .valid_o    (valid),
    .rank_o     (rank),
    .data_o     (number)
  );

  logic [Numbers-1:0] waits_q, here, best;
  logic [RankW-1:0] rank_q[Numbers];
  logic [PartW-1:0] part_q[Numbers];
  logic popped, pushed;

  always_comb begin
    for (int unsigned n = 0; n < Numbers; n++) begin
      here[n] = waits_q[n] && part_q[n] == pop_partition_i;
    end
    for (int unsigned n = 0; n < Numbers; n++) begin
      best[n] = here[n];
      for (int unsigned m = 0; m < Numbers; m++) begin
        if (here[m] && !pop_last_i && (rank_q[m] < rank_q[n] || (rank_q[m] == rank_q[n] && m < n))) best[n] = 1'b0;
        if (here[m] && pop_last_i && (rank_q[m] > rank_q[n] || (rank_q[m] == rank_q[n] && m > n))) best[n] = 1'b0;
      end
    end
  end
  assign popped = pop_i && here != '0;
  assign pushed = push_i && (popped || $countones(waits_q) < Depth);

  always_ff @(posedge clk_i) begin
    if (rst) begin
      waits_q  <= '0;
      number_q <= '0;
    end else begin
      if (popped) waits_q[number] <= 1'b0;
      if (pushed) begin
        waits_q[number_q] <= 1'b1;
        rank_q[number_q]  <= push_rank_i;
        part_q[number_q]  <= push_partition_i;
        number_q          <= number_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      enough_numbers : assume (number_q != '1);
      legal : assume (32'(push_partition_i) < Partitions && 32'(pop_partition_i) < Partitions);
      shown : assert (valid == (here != '0));
      is_full : assert (full == ($countones(waits_q) == Depth));
      if (valid) begin
        its_end : assert (best[number]);
        its_rank : assert (rank == rank_q[number]);
      end
      replaced_when_full : cover (pop_i && push_i && full);
      equal_ranks : cover (valid && pop_last_i && $countones(here) == Depth && number == NumberW'(4));
    end
  end
endmodule
