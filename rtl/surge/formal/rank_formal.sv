// The rank of a job against its definition, for every job size and packet size, and any stream of them.
//
// By the definition the rank is the log-linear bucket of n = work 2^Fraction / size, cut to a whole number. A bucket is
// told by its first number, and n lies between two numbers exactly if n size does so between their products: so the
// definition needs no division either, and nothing of what is proved.
module rank_formal #(
  parameter int unsigned WorkW = 6,
  parameter int unsigned SizeW = 3,
  parameter int unsigned Fraction = 2,
  parameter int unsigned Bits = 2,
  localparam int unsigned Wait = surge_pkg::rank_latency(WorkW, SizeW, Bits),
  localparam int unsigned Ranks = (WorkW + Fraction - Bits + 1) << Bits,
  localparam int unsigned RankW = $clog2(Ranks),
  // Of a product, and of the first number after the last bucket.
  localparam int unsigned ProductW = WorkW + Fraction + SizeW + 1
) (
  input logic             clk_i,
  input logic [WorkW-1:0] work_i,
  input logic [SizeW-1:0] size_i
);
  logic [RankW-1:0] rank;
  surge_rank #(
    .WorkW   (WorkW),
    .SizeW   (SizeW),
    .Fraction(Fraction),
    .Bits    (Bits),
    .RankW   (RankW)
  ) u_rank (
    .clk_i,
    .work_i,
    .size_i,
    .rank_o(rank)
  );

  /// The first number of a bucket.
  function automatic logic [ProductW-1:0] first(logic [RankW:0] bucket);
    logic [RankW:0] octave = bucket >> Bits;
    if (octave == '0) return ProductW'(bucket);
    return ((ProductW'(1) << Bits) | ProductW'(bucket[Bits-1:0])) << (octave - 1'b1);
  endfunction

  logic [Wait-1:0][WorkW-1:0] work_q;
  logic [Wait-1:0][SizeW-1:0] size_q;
  logic [$clog2(Wait+1)-1:0] age_q = '0;
  logic [ProductW-1:0] dividend, divisor;
  assign dividend = ProductW'(work_q[Wait-1]) << Fraction;
  assign divisor  = size_q[Wait-1] == '0 ? ProductW'(1) : ProductW'(size_q[Wait-1]);

  always_ff @(posedge clk_i) begin
    work_q <= {work_q[Wait-2:0], work_i};
    size_q <= {size_q[Wait-2:0], size_i};
    if (32'(age_q) < Wait) age_q <= age_q + 1'b1;
    if (32'(age_q) == Wait) begin
      is_a_rank : assert (32'(rank) < Ranks);
      not_below : assert (first({1'b0, rank}) * divisor <= dividend);
      not_above : assert (dividend < first({1'b0, rank} + 1'b1) * divisor);
      last_rank : cover (32'(rank) == Ranks - 1);
      whole : cover (rank != '0 && 32'(rank) < 2 ** Bits);
      nothing : cover (rank == '0 && work_q[Wait-1] != '0);
    end
  end
endmodule
