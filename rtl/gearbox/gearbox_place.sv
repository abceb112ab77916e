// Where a packet goes: its flow's last departure time and level, its departure time, its level and FIFO.
//
// Source: gearbox §3.6, §4.2 (enqueue), Algorithm 1, App. A.
//
//   first   the flow's state is read
//   second  it is here, or still with the packet just ahead: departure time of the flow with the packet's time
//   first   max with the system time; which levels reach that, which FIFO, whether it is full (`gearbox_level`)
//   second  the packet is in its FIFO, the flow's state is written
//
// Only the upper bits of a departure time are compared with those of the system time: equal, one more, or past. No packet
// lies further ahead. So everything after that works on the bits within the top level's ring.
module gearbox_place #(
  parameter int unsigned Levels = 4,
  parameter int unsigned FifosLog2 = 4,
  parameter int unsigned FlowsLog2 = 10,
  parameter bit StepDown = 1'b0,
  parameter int unsigned TimeW = 20,
  parameter int unsigned SystemW = 64,
  localparam int unsigned LevelW = parameter_pkg::index_width(Levels),
  localparam int unsigned IdW = FifosLog2 + 2,
  localparam int unsigned LowW = Levels * FifosLog2,
  localparam int unsigned HighW = SystemW - LowW
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  input  logic                          second_i,
  input  logic                          clear_i,
  input  logic [         FlowsLog2-1:0] clear_flow_i,
  // The system time, its upper bits also plus one. In the first cycle, whether they have just become one more.
  input  logic [              LowW-1:0] low_i,
  input  logic [             HighW-1:0] high_i,
  input  logic [             HighW-1:0] high_next_i,
  input  logic                          carried_i,
  // A packet, for two cycles from the first on.
  input  logic                          valid_i,
  input  logic [         FlowsLog2-1:0] flow_i,
  input  logic [             TimeW-1:0] time_i,
  // Two cycles later, in the first cycle: its interval's lower bits at each level, and what they say of its FIFO.
  output logic [Levels-1:0][FifosLog2:0] slot_o,
  input  logic [            Levels-1:0] set_empty_i,
  input  logic [            Levels-1:0] set_full_i,
  input  logic [            Levels-1:0] front_empty_i,
  input  logic [            Levels-1:0] front_full_i,
  input  logic [            Levels-1:0] joined_done_i,
  // In the cycle after: it joins this level, there in the interval being served; its FIFO is empty; if it is the next of
  // all, when it is due, and whether that is later than now. Or it is dropped.
  output logic                          asked_o,
  output logic                          joins_o,
  output logic                          horizon_o,
  output logic [            Levels-1:0] level_o,
  output logic [            LevelW-1:0] number_o,
  output logic [               IdW-1:0] id_o,
  output logic                          first_o,
  output logic [            Levels-1:0] current_o,
  output logic                          later_o,
  output logic [                LowW:0] begins_o,
  /// It is due a unit later than `begins_o`.
  output logic                          done_o
);
  localparam int unsigned DueW = (LowW + 1 > TimeW ? LowW + 1 : TimeW) + 1;
  typedef logic [DueW-1:0] due_t;

  // ---- First: read the flow ----------------------------------------------------------------------------------------
  logic [HighW-1:0] read_high, write_high;
  logic [LowW-1:0] read_low;
  logic [LevelW-1:0] read_level;
  logic [FlowsLog2-1:0] flow_q;
  logic [LowW:0] due_q;
  logic writes;
  assign writes     = (second_i && joins_o) || clear_i;
  assign write_high = due_q[LowW] ? high_next_i : high_i;
  ram_1r1w #(
    .Width(SystemW + LevelW),
    .Depth(1 << FlowsLog2)
  ) u_flows (
    .clk_i,
    .we_i   (writes),
    .waddr_i(clear_i ? clear_flow_i : flow_q),
    .wdata_i(clear_i ? '0 : {number_o, write_high, due_q[LowW-1:0]}),
    .re_i   (!second_i && !clear_i),
    .raddr_i(flow_i),
    .rdata_o({read_level, read_high, read_low})
  );

  // ---- Second: the flow's last departure time, and with this packet's time -----------------------------------------
  logic ahead, equal, above;
  logic [LowW-1:0] last;
  assign ahead = joins_o && flow_q == flow_i;
  assign last  = ahead ? due_q[LowW-1:0] : read_low;
  assign equal = ahead ? !due_q[LowW] : read_high == high_i;
  assign above = ahead ? due_q[LowW] : read_high == high_next_i;

  logic valid_q, equal_q, above_q;
  logic [LowW-1:0] last_q;
  logic [LevelW-1:0] lowest_q;
  logic [TimeW-1:0] time_q;
  due_t last_due_q;
  always_ff @(posedge clk_i) begin
    if (second_i) begin
      valid_q    <= valid_i;
      flow_q     <= flow_i;
      equal_q    <= equal;
      above_q    <= above;
      last_q     <= last;
      lowest_q   <= ahead ? number_o : read_level;
      time_q     <= time_i;
      last_due_q <= due_t'(last) + due_t'(time_i);
    end
    if (rst_i) valid_q <= 1'b0;
  end

  // ---- First: the departure time -----------------------------------------------------------------------------------
  logic above_now, later;
  due_t due;
  // The system time may have gone on by one in the upper bits.
  assign above_now = above_q && !carried_i;
  assign later     = above_now || ((carried_i ? above_q : equal_q) && last_q > low_i);
  assign due       = later ? last_due_q + (due_t'(above_now) << LowW) : due_t'(low_i) + due_t'(time_q);

  // ---- First: the level and the FIFO -------------------------------------------------------------------------------
  logic [Levels-1:0] reaches, takes, steps, in_set, in_front, now;
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned Shift = l * FifosLog2;
    assign now[l] = due >> Shift == due_t'(low_i) >> Shift;
    if (l + 1 == Levels) begin : gen_top
      assign reaches[l] = due >> Shift < (due_t'(low_i) >> Shift) + due_t'(1 << FifosLog2);
      assign slot_o[l]  = {1'b0, due[Shift+:FifosLog2]};
    end else begin : gen_sets
      due_t block, current;
      assign block      = due >> (Shift + FifosLog2);
      assign current    = due_t'(low_i) >> (Shift + FifosLog2);
      assign reaches[l] = block == current || block == current + 1'b1;
      assign slot_o[l]  = due[Shift+:FifosLog2+1];
    end
    assign steps[l]  = StepDown && l > 0 && takes[l] && slot_o[l] == (FifosLog2 + 1)'(1);
    assign in_set[l] = takes[l] && !steps[l];
    if (l + 1 == Levels) begin : gen_no_front
      assign in_front[l] = 1'b0;
    end else begin : gen_front
      assign in_front[l] = steps[l+1];
    end
  end

  // The lowest from the flow's level on.
  always_comb begin
    automatic logic found = 1'b0;
    for (int unsigned l = 0; l < Levels; l++) begin
      takes[l] = reaches[l] && 32'(lowest_q) <= l && !found;
      found |= takes[l];
    end
  end

  logic full, first, done, joins;
  logic [LevelW-1:0] number;
  logic [IdW-1:0] id;
  logic [LowW:0] begins;
  assign full  = ((in_set & set_full_i) | (in_front & front_full_i)) != '0;
  assign first = ((in_set & set_empty_i) | (in_front & front_empty_i)) != '0;
  assign joins = valid_q && takes != '0 && !full;
  assign done  = ((in_set | in_front) & now & joined_done_i) != '0;
  always_comb begin
    number = '0;
    id     = '0;
    begins = '0;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (in_set[l]) id |= {1'b0, slot_o[l]};
      if (in_front[l]) id |= {2'd2, slot_o[l][FifosLog2-1:0]};
      if (in_set[l] || in_front[l]) begin
        number |= LevelW'(l);
        begins |= now[l] ? (LowW + 1)'(low_i) : ((LowW + 1)'(due) >> (l * FifosLog2)) << (l * FifosLog2);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!second_i) begin
      asked_o   <= valid_q;
      joins_o   <= joins;
      horizon_o <= takes == '0;
      level_o   <= (in_set | in_front) & {Levels{joins}};
      current_o <= (in_set | in_front) & now & {Levels{joins}};
      number_o  <= number;
      id_o      <= id;
      first_o   <= first && joins;
      later_o   <= done || ((in_set | in_front) & now) == '0;
      begins_o  <= begins;
      done_o    <= done;
      due_q     <= (LowW + 1)'(due);
    end
    if (rst_i) begin
      asked_o   <= 1'b0;
      joins_o   <= 1'b0;
      level_o   <= '0;
      current_o <= '0;
      first_o   <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  cover_ahead : cover property (@(posedge clk_i) second_i && valid_i && ahead);
  cover_carried_above : cover property (@(posedge clk_i) !second_i && valid_q && carried_i && above_q);
  cover_above : cover property (@(posedge clk_i) !second_i && valid_q && above_now);
  cover_past : cover property (@(posedge clk_i) !second_i && valid_q && !above_q && !equal_q);
  cover_horizon : cover property (@(posedge clk_i) !second_i && valid_q && takes == '0);
  cover_full : cover property (@(posedge clk_i) !second_i && valid_q && full);
  cover_held_up : cover property (@(posedge clk_i) !second_i && valid_q && reaches[0] && lowest_q != '0);
  if (StepDown) begin : gen_cover_steps
    cover_steps : cover property (@(posedge clk_i) !second_i && valid_q && steps != '0);
  end
  assert property (@(posedge clk_i) disable iff (rst_i) $onehot0(takes))
  else $error("gearbox_place: several levels take a packet");
  assert property (@(posedge clk_i) disable iff (rst_i) !second_i && takes != '0 |-> due >> (LowW + 1) == '0)
  else $error("gearbox_place: a departure time beyond the top level");
`endif
endmodule
