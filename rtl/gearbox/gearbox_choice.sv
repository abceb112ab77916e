// The level and the FIFO of a departure time.
//
// Source: gearbox Algorithm 1, §3.6, App. A. The lowest level from the flow's on whose sets hold the time: below the top
// the one being served and the next, at the top a whole turn. With step-down FIFOs, number 1 of a level is split: its
// packets go to the front of the level below, and count as being there.
module gearbox_choice #(
  parameter int unsigned Levels = 4,
  parameter int unsigned FifosLog2 = 4,
  parameter bit StepDown = 1'b0,
  localparam int unsigned LevelW = parameter_pkg::index_width(Levels),
  localparam int unsigned IdW = FifosLog2 + 2,
  localparam int unsigned LowW = Levels * FifosLog2,
  localparam int unsigned FifosOf = 3 << FifosLog2
) (
  input  logic [              LowW-1:0] low_i,
  /// The time's lower bits; the upper ones are those of the system time, or one more, or neither.
  input  logic [              LowW-1:0] due_i,
  input  logic                          equal_i,
  input  logic                          above_i,
  /// The level of the flow's last packet.
  input  logic [            LevelW-1:0] lowest_i,
  input  logic [Levels-1:0][FifosOf-1:0] occupied_i,
  input  logic [Levels-1:0][FifosOf-1:0] full_i,
  /// No level reaches so far; otherwise whether the FIFO is full, and whether it is empty.
  output logic                          none_o,
  output logic                          full_o,
  output logic                          first_o,
  /// The level as a bit, the same if its current interval is meant, and as a number.
  output logic [            Levels-1:0] level_o,
  output logic [            Levels-1:0] current_o,
  output logic [            LevelW-1:0] number_o,
  output logic [               IdW-1:0] id_o,
  /// When the interval begins, or now if it has begun.
  output logic [                LowW:0] begins_o
);

  logic [Levels-1:0] reaches, takes, steps, in_set, in_front, now;
  logic [Levels-1:0] set_full, set_holds, front_full, front_holds;
  logic [Levels-1:0][FifosLog2:0] slot;
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned Shift = l * FifosLog2;
    assign now[l] = equal_i && due_i[LowW-1:Shift] == low_i[LowW-1:Shift];
    if (l + 1 == Levels) begin : gen_top
      assign reaches[l] = equal_i || (above_i && due_i[LowW-1:Shift] < low_i[LowW-1:Shift]);
      assign slot[l]    = {1'b0, due_i[Shift+:FifosLog2]};
    end else begin : gen_sets
      logic [LowW-Shift-FifosLog2-1:0] block, current;
      assign block      = due_i[LowW-1:Shift+FifosLog2];
      assign current    = low_i[LowW-1:Shift+FifosLog2];
      assign reaches[l] = (block == current && equal_i)
                       || (block == current + 1'b1 && (&current ? above_i : equal_i));
      assign slot[l]    = due_i[Shift+:FifosLog2+1];
    end
    assign set_holds[l]   = occupied_i[l][{1'b0, slot[l]}];
    assign set_full[l]    = full_i[l][{1'b0, slot[l]}];
    assign front_holds[l] = occupied_i[l][{2'd2, slot[l][FifosLog2-1:0]}];
    assign front_full[l]  = full_i[l][{2'd2, slot[l][FifosLog2-1:0]}];
    assign steps[l]       = StepDown && l > 0 && takes[l] && slot[l] == (FifosLog2 + 1)'(1);
    assign in_set[l]      = takes[l] && !steps[l];
    if (l + 1 == Levels) begin : gen_no_front
      assign in_front[l] = 1'b0;
    end else begin : gen_front
      assign in_front[l] = steps[l+1];
    end
  end

  always_comb begin
    automatic logic found = 1'b0;
    for (int unsigned l = 0; l < Levels; l++) begin
      takes[l] = reaches[l] && 32'(lowest_i) <= l && !found;
      found |= takes[l];
    end
  end

  assign none_o    = takes == '0;
  assign full_o    = ((in_set & set_full) | (in_front & front_full)) != '0;
  assign first_o   = ((in_set & set_holds) | (in_front & front_holds)) == '0;
  assign level_o   = in_set | in_front;
  assign current_o = level_o & now;
  always_comb begin
    number_o = '0;
    id_o     = '0;
    begins_o = '0;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (in_set[l]) id_o |= {1'b0, slot[l]};
      if (in_front[l]) id_o |= {2'd2, slot[l][FifosLog2-1:0]};
      if (level_o[l]) begin
        number_o |= LevelW'(l);
        begins_o |= now[l] ? (LowW + 1)'(low_i) : {above_i, (due_i >> (l * FifosLog2)) << (l * FifosLog2)};
      end
    end
  end
endmodule
