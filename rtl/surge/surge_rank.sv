// The rank of a job: its job size per packet size, quantized log-linearly, without a divider.
//
// Source: thesis §3.4.4, §3.5.4. Golden model: `forebay_surge::RatioQuantizer`. Of the quotient
// n = work 2^Fraction / size, cut to a whole number, only the leading one and the `Bits` bits after it count: below
// 2^Bits the rank is n, above it there are 2^Bits ranks for each octave.
//
//   normalize  both numbers begin with a one, so the quotient lies between 1/2 and 2; the shifts give the octave
//   digits     a digit a stage, `Bits` + 2 of them: the divisor is taken from the rest, or given back where the last
//              step took too much (a division that does not restore; what it takes is never put back by itself)
//   rank       the first digit chooses which `Bits` + 1 digits count; octave and digits are the rank, and of a number
//              below the first octave the digits before the point
//
// A job comes in every cycle, and its rank `surge_pkg::rank_latency` cycles later. Nothing is reset.
module surge_rank #(
  /// Bits of a job size and of a packet size.
  parameter int unsigned WorkW = 20,
  parameter int unsigned SizeW = 14,
  /// Binary places of the ratio.
  parameter int unsigned Fraction = 14,
  /// 2^Bits ranks for each octave, at least 2.
  parameter int unsigned Bits = 4,
  /// Bits of a rank; WorkW at most `surge_pkg::work_most`.
  parameter int unsigned RankW = 9
) (
  input  logic             clk_i,
  input  logic [WorkW-1:0] work_i,
  /// No bytes count as one.
  input  logic [SizeW-1:0] size_i,
  output logic [RankW-1:0] rank_o
);
  localparam int unsigned Steps = surge_pkg::steps(WorkW, SizeW);
  localparam int unsigned Stages = Bits + 2;
  localparam int unsigned Last = Stages - 1;
  // The octave, counted from the first that has 2^Bits ranks of its own: from 1 - SizeW + Fraction - Bits up.
  localparam int unsigned Reach = (WorkW + Fraction > SizeW + Bits) ? WorkW + Fraction : SizeW + Bits;
  localparam int unsigned OctaveW = $clog2(Reach + 1) + 1;

  // ---- Normalize ----------------------------------------------------------------------------------------------
  logic [WorkW-1:0] work;
  logic [SizeW-1:0] size;
  logic [Steps-1:0] work_by, size_by;
  surge_normalize #(
    .Width(WorkW),
    .Steps(Steps)
  ) u_work (
    .clk_i,
    .number_i(work_i),
    .number_o(work),
    .by_o    (work_by)
  );
  surge_normalize #(
    .Width(SizeW),
    .Steps(Steps)
  ) u_size (
    .clk_i,
    .number_i(size_i | SizeW'(size_i == '0)),
    .number_o(size),
    .by_o    (size_by)
  );

  // ---- Digits -------------------------------------------------------------------------------------------------
  // As many bits as the divisor are the first rest; then one comes down a stage. Bits below those change no digit.
  localparam int unsigned HeadW = SizeW + Bits + 1;
  logic [HeadW-1:0] head;
  if (WorkW > HeadW) begin : gen_long
    assign head = work[WorkW-1-:HeadW];
    logic unused_low;
    assign unused_low = ^work[WorkW-HeadW-1:0];
  end else begin : gen_short
    assign head = HeadW'(work) << (HeadW - WorkW);
  end

  // Two's complement: below zero where the step took too much.
  logic [SizeW:0] rest_q[Stages], rest_d[Stages];
  logic [SizeW-1:0] size_q[Stages];
  // Bits that are still to come down, and behind them the digits.
  logic [Bits:0] low_q[Stages];
  logic [OctaveW-1:0] octave_q[Stages];
  // Of the step before.
  logic [Stages-1:1] digit;

  assign rest_d[0] = {1'b0, head[HeadW-1-:SizeW]} - {1'b0, size};
  for (genvar d = 1; d < Stages; d++) begin : gen_step
    logic unused_carry;
    assign digit[d] = ~rest_q[d-1][SizeW];
    // A subtraction is an addition of the complement, and one: both in one adder, whose lowest bit makes the carry.
    assign {rest_d[d], unused_carry} = {rest_q[d-1][SizeW-1:0], low_q[d-1][Bits], 1'b1}
                                     + {{1'b0, size_q[d-1]} ^ {(SizeW + 1) {digit[d]}}, digit[d]};
  end

  always_ff @(posedge clk_i) begin
    rest_q      <= rest_d;
    size_q[0]   <= size;
    low_q[0]    <= head[Bits:0];
    octave_q[0] <= OctaveW'(WorkW + Fraction) - OctaveW'(SizeW + Bits) + OctaveW'(size_by) - OctaveW'(work_by);
    for (int unsigned d = 1; d < Stages; d++) begin
      size_q[d]   <= size_q[d-1];
      low_q[d]    <= {low_q[d-1][Bits-1:0], digit[d]};
      // The first digit decides the octave.
      octave_q[d] <= octave_q[d-1] + OctaveW'(d == 1 && digit[d]);
    end
  end

  // ---- Rank ---------------------------------------------------------------------------------------------------
  logic [Bits+1:0] digits;
  logic [Bits:0] number;  // begins with a one, unless all is zero
  logic [OctaveW-1:0] octave, below;
  logic [RankW-1:0] rank;
  assign digits = {low_q[Last], ~rest_q[Last][SizeW]};
  assign number = digits[Bits+1] ? digits[Bits+1:1] : digits[Bits:0];
  assign octave = octave_q[Last];
  assign below  = OctaveW'(1) - octave;
  always_comb begin
    rank = RankW'({octave, number[Bits-1:0]});
    if (octave[OctaveW-1] || octave == '0) rank = RankW'(number >> below);
    if (!number[Bits]) rank = '0;
  end
  always_ff @(posedge clk_i) rank_o <= rank;

`ifndef SYNTHESIS
  cover_nothing : cover property (@(posedge clk_i) !number[Bits]);
  cover_first_digit : cover property (@(posedge clk_i) number[Bits] && digits[Bits+1]);
  cover_second_digit : cover property (@(posedge clk_i) number[Bits] && !digits[Bits+1]);
  cover_below : cover property (@(posedge clk_i) number[Bits] && (octave[OctaveW-1] || octave == '0) && rank != '0);
  cover_first_octave : cover property (@(posedge clk_i) number[Bits] && octave == OctaveW'(1));
`endif
endmodule
