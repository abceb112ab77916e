// Shifts a number up until its leading one is its first bit, two steps a cycle: (Steps + 1) / 2 cycles.
module surge_normalize #(
  /// Bits of the number.
  parameter int unsigned Width = 20,
  /// The first step tries 2^(Steps - 1) bits, the last one; at least what `Width` needs.
  parameter int unsigned Steps = 5
) (
  input  logic             clk_i,
  input  logic [Width-1:0] number_i,
  /// Its first bit is set, unless the number was zero.
  output logic [Width-1:0] number_o,
  /// By how much it was shifted; of zero, anything.
  output logic [Steps-1:0] by_o
);
  localparam int unsigned Stages = (Steps + 1) / 2;
  typedef struct packed {
    logic [Steps-1:0] by;
    logic [Width-1:0] number;
  } shifted_t;
  shifted_t stages_q[Stages];

  /// Two steps, this one and the next: shifts by a power of two, if so many bits are zero and others follow.
  function automatic shifted_t two_steps(shifted_t from, int unsigned step);
    two_steps = from;
    for (int unsigned s = step; s < step + 2; s++) begin
      if (s < Steps) begin
        automatic int unsigned distance = 1 << (Steps - 1 - s);
        if (distance < Width && (two_steps.number >> (Width - distance)) == '0) begin
          two_steps.number = two_steps.number << distance;
          two_steps.by |= Steps'(distance);
        end
      end
    end
  endfunction

  always_ff @(posedge clk_i) begin
    stages_q[0] <= two_steps('{'0, number_i}, 0);
    for (int unsigned i = 1; i < Stages; i++) stages_q[i] <= two_steps(stages_q[i-1], 2 * i);
  end
  assign number_o = stages_q[Stages-1].number;
  assign by_o     = stages_q[Stages-1].by;
endmodule
