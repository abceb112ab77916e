// Gearbox: approximate weighted fair queueing from levels of FIFOs, an enqueue and a dequeue every two cycles.
//
// Source: gearbox §4.2 (Fig. 14, 15), App. A. Golden model: `forebay_sched::fair::gearbox::GearboxCore`.
//
//   enq_*   a packet's descriptor: where it lies, its length, its transmission time at its flow's rate, its flow
//   deq_*   the next descriptor is asked for
//
// Both are taken at an edge with `ready_o`, which is high in every second cycle; what comes in between is not looked at.
// Taken together, the enqueue goes first. Both are answered `gearbox_pkg::Latency` cycles later: whether the packet waits,
// and at which level and FIFO, or was dropped because no level reaches its departure time (`enq_horizon_o`) or its FIFO is
// full; whether there was a descriptor, which it is, and where it was. With an answer, `system_time_o` is the system time
// after that slot. FIFOs of a level are numbered by group and place: sets A and B, and 2 for the front, the parts of the
// step-down FIFO of the level above.
//
// `ready_o` is low for `gearbox_pkg::ready_after` cycles after reset; meanwhile nothing is taken.
module gearbox #(
  /// Levels, 2 to 4.
  parameter int unsigned Levels = 4,
  /// A set has 2^FifosLog2 FIFOs, 2 to 4 (with two FIFOs the top would reach no further than the level below); a level's
  /// granularity is 2^(FifosLog2 * level) units.
  parameter int unsigned FifosLog2 = 4,
  /// A FIFO has 2^PlacesLog2 descriptors, 1 to 8.
  parameter int unsigned PlacesLog2 = 8,
  /// 2^FlowsLog2 flows, 1 to 10.
  parameter int unsigned FlowsLog2 = 10,
  /// Each level above the first has a step-down FIFO.
  parameter bit StepDown = 1'b0,
  /// Bits of a packet's pointer, 1 to 32; of its length, 1 to 14; of its time, 1 to 32.
  parameter int unsigned PointerW = 15,
  parameter int unsigned LengthW = 11,
  parameter int unsigned TimeW = 20,
  /// Bits of the system time, at least one more than the levels take, at most 64. It must not come to its end: with 64
  /// it does not, with fewer a flow that was idle for so long is taken for one that is ahead.
  parameter int unsigned SystemW = 64,
  localparam int unsigned LevelW = parameter_pkg::index_width(Levels),
  localparam int unsigned IdW = FifosLog2 + 2
) (
  input  logic                 clk_i,
  /// Synchronous.
  input  logic                 rst_i,
  output logic                 ready_o,
  input  logic                 enq_valid_i,
  input  logic [ PointerW-1:0] enq_pointer_i,
  input  logic [  LengthW-1:0] enq_length_i,
  input  logic [    TimeW-1:0] enq_time_i,
  input  logic [FlowsLog2-1:0] enq_flow_i,
  output logic                 enq_valid_o,
  output logic                 enq_waits_o,
  output logic                 enq_horizon_o,
  output logic [   LevelW-1:0] enq_level_o,
  output logic [      IdW-1:0] enq_fifo_o,
  input  logic                 deq_valid_i,
  output logic                 deq_valid_o,
  output logic                 deq_found_o,
  output logic [ PointerW-1:0] deq_pointer_o,
  output logic [  LengthW-1:0] deq_length_o,
  output logic [FlowsLog2-1:0] deq_flow_o,
  output logic [   LevelW-1:0] deq_level_o,
  output logic [      IdW-1:0] deq_fifo_o,
  output logic [  SystemW-1:0] system_time_o
);
  localparam int unsigned LowW = Levels * FifosLog2;
  localparam int unsigned HighW = SystemW - LowW;

  if (!parameter_pkg::in_range("gearbox: Levels", Levels, 2, 4)) begin : gen_check_levels
    $error("gearbox: Levels is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: FifosLog2", FifosLog2, 2, 4)) begin : gen_check_fifoslog2
    $error("gearbox: FifosLog2 is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: PlacesLog2", PlacesLog2, 1, 8)) begin : gen_check_placeslog2
    $error("gearbox: PlacesLog2 is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: FlowsLog2", FlowsLog2, 1, 10)) begin : gen_check_flowslog2
    $error("gearbox: FlowsLog2 is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: PointerW", PointerW, 1, 32)) begin : gen_check_pointerw
    $error("gearbox: PointerW is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: LengthW", LengthW, 1, 14)) begin : gen_check_lengthw
    $error("gearbox: LengthW is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: TimeW", TimeW, 1, 32)) begin : gen_check_timew
    $error("gearbox: TimeW is out of range");
  end
  if (!parameter_pkg::in_range("gearbox: SystemW", SystemW, LowW + 1, 64)) begin : gen_check_systemw
    $error("gearbox: SystemW is out of range");
  end

  // ---- Slots, and the sweep after reset ----------------------------------------------------------------------------
  localparam int unsigned Sweep = gearbox_pkg::sweep(FlowsLog2, FifosLog2);
  localparam int unsigned SweepW = $clog2(Sweep);
  logic second_q, ready_q, clear;
  logic [SweepW-1:0] sweep_q;
  always_ff @(posedge clk_i) begin
    second_q <= !second_q;
    if (!ready_q) sweep_q <= sweep_q + 1'b1;
    if (&sweep_q) ready_q <= 1'b1;
    if (rst_i) begin
      second_q <= 1'b0;
      ready_q  <= 1'b0;
      sweep_q  <= '0;
    end
  end
  assign clear   = !ready_q;
  assign ready_o = ready_q && second_q;

  // ---- Operations: taken, and a slot later beside the flow's state ---------------------------------------------------
  typedef struct packed {
    logic [ PointerW-1:0] pointer;
    logic [  LengthW-1:0] length;
    logic [FlowsLog2-1:0] flow;
  } packet_t;
  logic taken_q, asked_q, asks_q;
  packet_t taken_packet_q, packet_q;
  logic [TimeW-1:0] time_q;
  always_ff @(posedge clk_i) begin
    if (second_q) begin
      taken_q        <= enq_valid_i && ready_q;
      asked_q        <= deq_valid_i && ready_q;
      taken_packet_q <= '{enq_pointer_i, enq_length_i, enq_flow_i};
      time_q         <= enq_time_i;
      packet_q       <= taken_packet_q;
      asks_q         <= asked_q;
    end
    if (rst_i) begin
      taken_q <= 1'b0;
      asked_q <= 1'b0;
      asks_q  <= 1'b0;
    end
  end

  // ---- The system time ---------------------------------------------------------------------------------------------
  logic [LowW-1:0] low_q;
  logic [LowW:0] after_q, due;
  logic [HighW-1:0] high_q, high_next_q;
  logic carried_q, leaves;

  // ---- Where the packet goes ---------------------------------------------------------------------------------------
  logic join_asked, joins, join_horizon, join_empty, join_first, join_later, join_done;
  logic [Levels-1:0] join_level, join_current;
  logic [LevelW-1:0] join_number;
  logic [IdW-1:0] join_id;
  logic [LowW:0] join_begins, join_due;
  logic [Levels-1:0][(3<<FifosLog2)-1:0] occupied, full;
  logic [Levels-1:0] joined_done;
  gearbox_place #(
    .Levels   (Levels),
    .FifosLog2(FifosLog2),
    .FlowsLog2(FlowsLog2),
    .StepDown (StepDown),
    .TimeW    (TimeW),
    .SystemW  (SystemW)
  ) u_place (
    .clk_i,
    .rst_i,
    .second_i     (second_q),
    .clear_i      (clear),
    .clear_flow_i (FlowsLog2'(sweep_q)),
    .low_i        (low_q),
    .high_i       (high_q),
    .high_next_i  (high_next_q),
    .carried_i    (carried_q),
    .valid_i      (taken_q),
    .flow_i       (taken_packet_q.flow),
    .time_i       (time_q),
    .occupied_i   (occupied),
    .full_i       (full),
    .joined_done_i(joined_done),
    .asked_o      (join_asked),
    .joins_o      (joins),
    .horizon_o    (join_horizon),
    .level_o      (join_level),
    .number_o     (join_number),
    .id_o         (join_id),
    .first_o      (join_empty),
    .current_o    (join_current),
    .later_o      (join_later),
    .begins_o     (join_begins),
    .done_o       (join_done)
  );
  // Its FIFO was empty, so that it may be the next of all.
  assign join_first = joins && join_empty;
  assign join_due   = join_done ? after_q : join_begins;

  // ---- The levels --------------------------------------------------------------------------------------------------
  localparam int unsigned PacketW = PointerW + FlowsLog2;
  logic [LengthW-1:0] joined_length_q;
  logic [Levels-1:0] valid, later, wins, left_q;
  logic [Levels-1:0][LowW:0] level_due;
  logic [Levels-1:0][IdW-1:0] level_id;
  logic [Levels-1:0][LengthW-1:0] left_length;
  logic [Levels-1:0][PacketW-1:0] left_packet;
  logic passes, passed_q, moves, moved_q;
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    gearbox_level #(
      .Level     (l),
      .Levels    (Levels),
      .FifosLog2 (FifosLog2),
      .PlacesLog2(PlacesLog2),
      .StepDown  (StepDown),
      .LengthW   (LengthW),
      .PacketW   (PacketW)
    ) u_level (
      .clk_i,
      .rst_i,
      .second_i       (second_q),
      .clear_i        (clear),
      .clear_id_i     (IdW'(sweep_q)),
      .low_i          (low_q),
      .next_i         (after_q),
      .length_i       (taken_packet_q.length),
      .occupied_o     (occupied[l]),
      .full_o         (full[l]),
      .joined_done_o  (joined_done[l]),
      .join_current_i (joins && join_current[l]),
      .join_i         (joins && join_level[l]),
      .join_id_i      (join_id),
      .join_first_i   (join_empty),
      .join_packet_i  ({packet_q.pointer, packet_q.flow}),
      .join_length_i  (packet_q.length),
      .valid_o        (valid[l]),
      .due_o          (level_due[l]),
      .later_o        (later[l]),
      .id_o           (level_id[l]),
      .leave_i        (asks_q && wins[l]),
      .pass_i         (asks_q && passes && join_level[l]),
      .moved_i        (moved_q),
      .joined_length_i(joined_length_q),
      .left_length_o  (left_length[l]),
      .left_packet_o  (left_packet[l])
    );
  end

  // ---- The earliest, of the lowest level among equals: a level's head, or the packet that joins an empty FIFO -------
  // What is not there is later than everything: one bit more.
  logic [LowW+1:0] join_key, keys[Levels];
  logic [Levels-1:0] ties, join_before, not_after[Levels];
  assign join_key = {!join_first, join_due};
  for (genvar l = 0; l < Levels; l++) begin : gen_order
    assign keys[l] = {!valid[l], level_due[l]};
    // The packet that joins goes before the head of a level above, or of a set of its own level if it is in the front.
    assign ties[l] = (join_level & Levels'((1 << l) - 1)) != '0
                  || (join_level[l] && join_id[IdW-1] && !level_id[l][IdW-1]);
    assign join_before[l] = {join_key, 1'b0} < {keys[l], ties[l]};
    for (genvar m = 0; m < Levels; m++) begin : gen_pair
      if (l < m) begin : gen_ordered
        assign not_after[l][m] = keys[l] <= keys[m];
      end else begin : gen_reverse
        assign not_after[l][m] = 1'b0;
      end
    end
  end
  always_comb begin
    for (int unsigned l = 0; l < Levels; l++) begin
      wins[l] = valid[l] && !join_before[l];
      for (int unsigned m = 0; m < l; m++) wins[l] &= !not_after[m][l];
      for (int unsigned m = l + 1; m < Levels; m++) wins[l] &= not_after[l][m];
    end
    passes = join_first && join_before == '1;
    leaves = asks_q && (valid != '0 || join_first);
    due    = passes ? join_due : '0;
    moves  = leaves && passes && join_later;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (wins[l]) due |= level_due[l];
      if (leaves && wins[l] && later[l]) moves = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (second_q) begin
      carried_q <= leaves && due[LowW];
      if (leaves) low_q <= due[LowW-1:0];
      moved_q   <= moves;
      left_q    <= wins & {Levels{asks_q}};
      passed_q  <= passes && asks_q;
    end else begin
      after_q <= (LowW + 1)'(low_q) + 1'b1;
      if (carried_q) begin
        high_q      <= high_next_q;
        high_next_q <= high_next_q + 1'b1;
      end
    end
    if (rst_i) begin
      low_q       <= '0;
      high_q      <= '0;
      high_next_q <= HighW'(1);
      carried_q   <= 1'b0;
    end
  end
  assign system_time_o = {high_q, low_q};

  // ---- Answers -----------------------------------------------------------------------------------------------------
  typedef struct packed {
    logic              joins, horizon, found;
    logic [LevelW-1:0] join_number, left_number;
    logic [   IdW-1:0] join_id, left_id;
    logic [LengthW-1:0] length;
  } answer_t;
  answer_t answer, answer_q;
  logic made_q, answer_join_q, answer_leave_q;
  logic [Levels-1:0] from, from_q;
  logic [PacketW-1:0] left;
  always_comb begin
    from               = passed_q ? join_level : left_q;
    answer             = '0;
    answer.joins       = joins;
    answer.horizon     = join_horizon;
    answer.found       = passed_q || left_q != '0;
    answer.join_number = join_number;
    answer.join_id     = join_id;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (from[l]) begin
        answer.left_number |= LevelW'(l);
        answer.left_id     |= passed_q ? join_id : level_id[l];
        answer.length      |= left_length[l];
      end
    end
    left = '0;
    for (int unsigned l = 0; l < Levels; l++) if (from_q[l]) left |= left_packet[l];
  end
  always_ff @(posedge clk_i) begin
    if (second_q) begin
      made_q          <= asks_q;
      joined_length_q <= packet_q.length;
    end else begin
      answer_join_q  <= join_asked;
      answer_leave_q <= made_q;
      answer_q       <= answer;
      from_q         <= from;
    end
    if (rst_i) begin
      made_q         <= 1'b0;
      answer_join_q  <= 1'b0;
      answer_leave_q <= 1'b0;
    end
  end
  assign {deq_pointer_o, deq_flow_o} = left;
  assign enq_valid_o   = answer_join_q && second_q;
  assign enq_waits_o   = answer_q.joins;
  assign enq_horizon_o = answer_q.horizon;
  assign enq_level_o   = answer_q.join_number;
  assign enq_fifo_o    = answer_q.join_id;
  assign deq_valid_o   = answer_leave_q && second_q;
  assign deq_found_o   = answer_q.found;
  assign deq_length_o  = answer_q.length;
  assign deq_level_o   = answer_q.left_number;
  assign deq_fifo_o    = answer_q.left_id;

`ifndef SYNTHESIS
  cover_passes : cover property (@(posedge clk_i) second_q && asks_q && passes);
  cover_passes_heads : cover property (@(posedge clk_i) second_q && asks_q && passes && valid != '0);
  cover_arrives_late : cover property (@(posedge clk_i) second_q && asks_q && join_first && !passes);
  cover_none : cover property (@(posedge clk_i) second_q && asks_q && !leaves);
  cover_carries : cover property (@(posedge clk_i) second_q && leaves && due[LowW]);
  cover_tie : cover property (
    @(posedge clk_i) second_q && asks_q && wins[0] && valid[1] && level_due[1] == level_due[0]);
  assert property (@(posedge clk_i) disable iff (rst_i) second_q |-> $onehot0({wins, passes}))
  else $error("gearbox: several descriptors leave at once");
  assert property (@(posedge clk_i) disable iff (rst_i) second_q && leaves |-> {wins, passes} != '0)
  else $error("gearbox: descriptors wait and none leaves");

  gearbox_checks #(
    .Levels    (Levels),
    .FifosLog2 (FifosLog2),
    .PlacesLog2(PlacesLog2),
    .FlowsLog2 (FlowsLog2),
    .PointerW  (PointerW),
    .LengthW   (LengthW),
    .SystemW   (SystemW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .enq_valid_i  (enq_valid_i && ready_o),
    .enq_pointer_i,
    .enq_length_i,
    .enq_flow_i,
    .deq_valid_i  (deq_valid_i && ready_o),
    .enq_answer_i (enq_valid_o),
    .enq_waits_i  (enq_waits_o),
    .enq_level_i  (enq_level_o),
    .enq_fifo_i   (enq_fifo_o),
    .deq_answer_i (deq_valid_o),
    .deq_found_i  (deq_found_o),
    .deq_pointer_i(deq_pointer_o),
    .deq_length_i (deq_length_o),
    .deq_flow_i   (deq_flow_o),
    .deq_level_i  (deq_level_o),
    .deq_fifo_i   (deq_fifo_o),
    .time_i       (system_time_o)
  );
`endif
endmodule
