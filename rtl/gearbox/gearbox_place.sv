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
  localparam int unsigned HighW = SystemW - LowW,
  localparam int unsigned FifosOf = 3 << FifosLog2
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
  // Two cycles later, in the first cycle: which FIFOs of each level hold something and which are full, and whether with
  // the packet the unit's bytes of the interval being served have been served.
  input  logic [Levels-1:0][FifosOf-1:0] occupied_i,
  input  logic [Levels-1:0][FifosOf-1:0] full_i,
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
  // The upper bits are compared in parts, which come together in the next cycle.
  localparam int unsigned Parts = 4;
  localparam int unsigned PartW = (HighW + Parts - 1) / Parts;
  logic ahead;
  logic [Parts-1:0][PartW-1:0] off_equal, off_above;
  logic [Parts-1:0] equal, above, equal_parts_q, above_parts_q;
  logic [LowW-1:0] last;
  assign ahead     = joins_o && flow_q == flow_i;
  assign last      = ahead ? due_q[LowW-1:0] : read_low;
  assign off_equal = (Parts * PartW)'(read_high ^ high_i);
  assign off_above = (Parts * PartW)'(read_high ^ high_next_i);
  for (genvar i = 0; i < Parts; i++) begin : gen_part
    assign equal[i] = ahead ? !due_q[LowW] : off_equal[i] == '0;
    assign above[i] = ahead ? due_q[LowW] : off_above[i] == '0;
  end

  logic valid_q, was_equal, was_above;
  assign was_equal = &equal_parts_q;
  assign was_above = &above_parts_q;
  logic [LowW-1:0] last_q;
  logic [LevelW-1:0] lowest_q;
  logic [LowW-1:0] time_low_q;
  // The sum's lower bits; and whether its upper ones, if the last departure time's are those of the system time, are none or
  // one, and the same of the packet's time alone.
  logic [LowW-1:0] last_due_q;
  logic last_none_q, last_one_q, time_none_q, time_one_q;
  due_t last_sum;
  assign last_sum = due_t'(last) + due_t'(time_i);
  always_ff @(posedge clk_i) begin
    if (second_i) begin
      valid_q       <= valid_i;
      flow_q        <= flow_i;
      equal_parts_q <= equal;
      above_parts_q <= above;
      last_q        <= last;
      lowest_q      <= ahead ? number_o : read_level;
      time_low_q    <= LowW'(time_i);
      last_due_q    <= last_sum[LowW-1:0];
      last_none_q   <= last_sum >> LowW == '0;
      last_one_q    <= last_sum >> LowW == due_t'(1);
      time_none_q   <= due_t'(time_i) >> LowW == '0;
      time_one_q    <= due_t'(time_i) >> LowW == due_t'(1);
    end
    if (rst_i) valid_q <= 1'b0;
  end

  // ---- First: the departure time, the level and the FIFO -------------------------------------------------------------
  // Both that may be the departure time are placed: with the flow's last packet and with the system time.
  logic above_now, later, last_equal, last_above, system_equal, system_above, carry;
  logic [LowW-1:0] system_due;
  // The system time may have gone on by one in the upper bits.
  assign above_now           = was_above && !carried_i;
  assign later               = above_now || ((carried_i ? was_above : was_equal) && last_q > low_i);
  assign last_equal          = last_none_q && !above_now;
  assign last_above          = above_now ? last_none_q : last_one_q;
  assign {carry, system_due} = (LowW + 1)'(low_i) + (LowW + 1)'(time_low_q);
  assign system_equal        = time_none_q && !carry;
  assign system_above        = carry ? time_none_q : time_one_q;

  typedef struct packed {
    logic              none, full, first;
    logic [Levels-1:0] level, current;
    logic [LevelW-1:0] number;
    logic [   IdW-1:0] id;
    logic [    LowW:0] begins;
  } choice_t;
  choice_t last_choice, system_choice, choice;
  assign choice = later ? last_choice : system_choice;
  gearbox_choice #(
    .Levels   (Levels),
    .FifosLog2(FifosLog2),
    .StepDown (StepDown)
  ) u_last (
    .low_i,
    .due_i    (last_due_q),
    .equal_i  (last_equal),
    .above_i  (last_above),
    .lowest_i (lowest_q),
    .occupied_i,
    .full_i,
    .none_o   (last_choice.none),
    .full_o   (last_choice.full),
    .first_o  (last_choice.first),
    .level_o  (last_choice.level),
    .current_o(last_choice.current),
    .number_o (last_choice.number),
    .id_o     (last_choice.id),
    .begins_o (last_choice.begins)
  );
  gearbox_choice #(
    .Levels   (Levels),
    .FifosLog2(FifosLog2),
    .StepDown (StepDown)
  ) u_system (
    .low_i,
    .due_i    (system_due),
    .equal_i  (system_equal),
    .above_i  (system_above),
    .lowest_i (lowest_q),
    .occupied_i,
    .full_i,
    .none_o   (system_choice.none),
    .full_o   (system_choice.full),
    .first_o  (system_choice.first),
    .level_o  (system_choice.level),
    .current_o(system_choice.current),
    .number_o (system_choice.number),
    .id_o     (system_choice.id),
    .begins_o (system_choice.begins)
  );

  logic joins, done;
  assign joins = valid_q && !choice.none && !choice.full;
  assign done  = (choice.current & joined_done_i) != '0;

  always_ff @(posedge clk_i) begin
    if (!second_i) begin
      asked_o   <= valid_q;
      joins_o   <= joins;
      horizon_o <= choice.none;
      level_o   <= choice.level;
      current_o <= choice.current;
      number_o  <= choice.number;
      id_o      <= choice.id;
      first_o   <= choice.first;
      later_o   <= done || choice.current == '0;
      begins_o  <= choice.begins;
      done_o    <= done;
      due_q     <= later ? {last_above, last_due_q} : {system_above, system_due};
    end
    if (rst_i) begin
      asked_o   <= 1'b0;
      joins_o   <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  cover_ahead : cover property (@(posedge clk_i) second_i && valid_i && ahead);
  cover_carried_above : cover property (@(posedge clk_i) !second_i && valid_q && carried_i && was_above);
  cover_above : cover property (@(posedge clk_i) !second_i && valid_q && above_now);
  cover_past : cover property (@(posedge clk_i) !second_i && valid_q && !was_above && !was_equal);
  cover_horizon : cover property (@(posedge clk_i) !second_i && valid_q && choice.none);
  cover_full : cover property (@(posedge clk_i) !second_i && valid_q && choice.full);
  cover_held_up : cover property (@(posedge clk_i) !second_i && valid_q && choice.number != '0 && lowest_q != '0);
  if (StepDown) begin : gen_cover_steps
    cover_steps : cover property (@(posedge clk_i) !second_i && valid_q && choice.level != '0 && choice.id[IdW-1]);
  end
  assert property (@(posedge clk_i) disable iff (rst_i) !second_i |-> $onehot0(choice.level))
  else $error("gearbox_place: several levels take a packet");
`endif
endmodule
