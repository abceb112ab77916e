// The smallest rank that may be far: what an arriving rank is compared with.
//
// Source: Themis §4.1 ("a global record of the smallest rank currently stored in DRAM; when DRAM is empty, this
// value is set to infinity"). A register per source, each with a valid bit that is low for infinity:
//
//   answered   of what the queue has answered. What comes far lowers it; what leaves far was the smallest, so the
//              rest is no smaller; when the last one leaves, it is invalid
//   asked      of what was sent far and may not be answered yet: the smallest of this span of `Latency` cycles
//   before     and of the span before
//
// A rank that is below all three is below every far one, unless an operation under way has yet to decide that something
// goes far; those the user counts. A rank that is not may be below them too: it goes far for no need, but in its order.
module themis_floor #(
  /// Bits of a rank.
  parameter int unsigned RankW = 6,
  /// Cycles from an operation to its answer.
  parameter int unsigned Latency = 10
) (
  input  logic             clk_i,
  input  logic             rst_i,
  /// An element is sent far.
  input  logic             ask_i,
  input  logic [RankW-1:0] ask_rank_i,
  /// An answer: an element came far, or left far and was the last.
  input  logic             came_i,
  input  logic             left_i,
  input  logic             last_i,
  input  logic [RankW-1:0] answer_rank_i,
  /// The rank that arrives, and whether it may be no smaller than one that is far.
  input  logic [RankW-1:0] rank_i,
  output logic             reached_o
);
  typedef struct packed {
    logic             valid;
    logic [RankW-1:0] rank;
  } floor_t;

  localparam int unsigned CountW = $clog2(Latency);

  floor_t answered_q, asked_q, before_q;
  logic [CountW-1:0] cycle_q;
  logic turn;

  function automatic logic reached(floor_t floor, logic [RankW-1:0] rank);
    return floor.valid & rank >= floor.rank;
  endfunction

  function automatic floor_t lowered(floor_t floor, logic [RankW-1:0] rank);
    return '{1'b1, reached(floor, rank) ? floor.rank : rank};
  endfunction

  assign turn = cycle_q == CountW'(Latency - 1);
  assign reached_o = reached(answered_q, rank_i) | reached(asked_q, rank_i) | reached(before_q, rank_i);

  always_ff @(posedge clk_i) begin
    cycle_q <= rst_i || turn ? '0 : cycle_q + 1'b1;
    if (rst_i) begin
      answered_q <= '0;
      asked_q    <= '0;
      before_q   <= '0;
    end else begin
      if (came_i) answered_q <= lowered(answered_q, answer_rank_i);
      if (left_i) answered_q <= '{~last_i, answer_rank_i};
      if (turn) before_q <= asked_q;
      if (ask_i) asked_q <= turn ? '{1'b1, ask_rank_i} : lowered(asked_q, ask_rank_i);
      else if (turn) asked_q.valid <= 1'b0;
    end
  end
endmodule
