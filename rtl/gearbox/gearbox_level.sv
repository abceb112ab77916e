// One level: its FIFOs' ends, bitmaps, the next FIFO and when its head is due, and the interval being served.
//
// Source: gearbox §3.2, §4.2, App. A. A slot is two cycles. In the first (`second_i` low), from registers of the slot before:
// the next FIFO of the level, whether the unit's bytes have been served, and what is to be known of the FIFO that a packet
// may join. In the second the packet of this slot joins, then the head of one level or that packet itself leaves.
//
// Intervals before the current one are empty, in the sets and in the front, so the first set bit of the set being served
// needs no mask, and the front's interval follows from the system time alone. Times are relative: to the system time with
// its lower bits, those within the top level's ring, set to zero.
//
// Which head leaves is known late in the second cycle. So only the system time changes at its end, and the rest in the cycle
// after, from registers: the bitmaps, the FIFO's end, the sums of the interval being served, the addresses.
//
// A FIFO's ends are two counters, each written at one place. The length of its head is read ahead: into a memory of heads
// a slot later, and from that read directly if the same FIFO serves again at once.
module gearbox_level #(
  parameter int unsigned Level = 0,
  parameter int unsigned Levels = 4,
  parameter int unsigned FifosLog2 = 4,
  parameter int unsigned PlacesLog2 = 8,
  parameter bit StepDown = 1'b0,
  parameter int unsigned LengthW = 11,
  /// Bits of what else there is of a packet.
  parameter int unsigned PacketW = 25,
  localparam int unsigned IdW = FifosLog2 + 2,
  localparam int unsigned LowW = Levels * FifosLog2,
  localparam int unsigned EndW = PlacesLog2 + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 second_i,
  /// Sets the ends of this FIFO to zero, of all in turn after reset.
  input  logic                 clear_i,
  input  logic [      IdW-1:0] clear_id_i,
  /// The lower bits of the system time; and that plus one, in the second cycle.
  input  logic [     LowW-1:0] low_i,
  input  logic [       LowW:0] next_i,
  /// Second cycle: the length of the packet of the next slot.
  input  logic [  LengthW-1:0] length_i,
  /// Which FIFOs hold something, and which are full: sets A and B, then the front.
  output logic [(3<<FifosLog2)-1:0] occupied_o,
  output logic [(3<<FifosLog2)-1:0] full_o,
  /// With that packet in the interval being served, the unit's bytes have been served.
  output logic                 joined_done_o,
  /// That packet joins this level in the interval being served; in the second cycle.
  input  logic                 join_current_i,
  // Second cycle: a packet joins this level; its FIFO was empty.
  input  logic                 join_i,
  input  logic [      IdW-1:0] join_id_i,
  input  logic                 join_first_i,
  input  logic [ PacketW-1:0] join_packet_i,
  input  logic [  LengthW-1:0] join_length_i,
  // Second cycle: the level's head and when it is due, and whether that is later than now.
  output logic                 valid_o,
  output logic [       LowW:0] due_o,
  output logic                 later_o,
  output logic [      IdW-1:0] id_o,
  // Second cycle: it leaves, or the packet that joins does.
  input  logic                 leave_i,
  input  logic                 pass_i,
  // In the cycle after: the system time has moved; the length of the packet that joined, and of what has left.
  input  logic                 moved_i,
  input  logic [  LengthW-1:0] joined_length_i,
  output logic [  LengthW-1:0] left_length_o,
  /// In the second cycle after, what has left.
  output logic [ PacketW-1:0] left_packet_o
);
  localparam int unsigned Fifos = 1 << FifosLog2;
  localparam bit Top = Level + 1 == Levels;
  localparam bit Front = StepDown && !Top;
  localparam int unsigned Count = Fifos * gearbox_pkg::level_groups(Level, Levels, StepDown);
  localparam int unsigned AddrW = parameter_pkg::index_width(Count);
  localparam int unsigned Shift = Level * FifosLog2;
  // Bits of an interval, relative.
  localparam int unsigned IntervalW = LowW + 1 - Shift;
  localparam int unsigned SumW = PlacesLog2 + LengthW;
  localparam int unsigned HeldW = gearbox_pkg::HeldW;

  typedef logic [FifosLog2-1:0] part_t;
  typedef logic [IntervalW-1:0] interval_t;
  typedef logic [HeldW-1:0] held_t;

  // a + b, at most all ones.
  function automatic held_t most(held_t a, held_t b);
    automatic logic [HeldW:0] sum = (HeldW + 1)'(a) + (HeldW + 1)'(b);
    return sum[HeldW] ? '1 : sum[HeldW-1:0];
  endfunction

  // Bitmaps: of the FIFOs that hold something and of those that are full. What has joined and left in a slot changes them in
  // the cycle after: these are its FIFOs, and whether they do.
  logic [Count-1:0] occupied_q, occupied, full_q, full, head_q, join_q;
  logic holds_q, emptied_q, fills_q, freed_q;
  assign occupied = (occupied_q | (join_q & {Count{holds_q}})) & ~(head_q & {Count{emptied_q}});
  assign full     = (full_q | (join_q & {Count{fills_q}})) & ~(head_q & {Count{freed_q}});
  part_t part;
  logic [LowW:0] now_unit;
  assign part     = low_i[Shift+:FifosLog2];
  assign now_unit = {1'b0, low_i};

  // Between the cycles: the level's head.
  logic valid_q, now_q, done_q, joined_done_q, same_fifo;
  logic [LowW:0] begins_q;
  logic [IdW-1:0] id_q;
  assign same_fifo = join_i && join_id_i == id_q;

  // ---- First cycle: the next FIFO of the sets ----------------------------------------------------------------------
  logic set_any, set_now;
  logic [1:0] set_group;
  part_t set_part;
  interval_t set_interval;
  if (Top) begin : gen_one_set
    // The ring goes around: those from the current interval on come first.
    logic [Fifos-1:0] later;
    logic any_later;
    part_t first_later, first_all;
    assign later = occupied[Fifos-1:0] & ({Fifos{1'b1}} << part);
    gearbox_first #(
      .Width(Fifos)
    ) u_later (
      .word_i (later),
      .any_o  (any_later),
      .index_o(first_later)
    );
    gearbox_first #(
      .Width(Fifos)
    ) u_all (
      .word_i (occupied[Fifos-1:0]),
      .any_o  (set_any),
      .index_o(first_all)
    );
    assign set_part     = any_later ? first_later : first_all;
    assign set_interval = {!any_later, set_part};
    assign set_group    = 2'd0;
    assign set_now      = any_later && first_later == part;
  end else begin : gen_two_sets
    logic serves_b, any_a, any_b, here;
    part_t first_a, first_b;
    logic [IntervalW-FifosLog2-1:0] block;
    gearbox_first #(
      .Width(Fifos)
    ) u_a (
      .word_i (occupied[Fifos-1:0]),
      .any_o  (any_a),
      .index_o(first_a)
    );
    gearbox_first #(
      .Width(Fifos)
    ) u_b (
      .word_i (occupied[2*Fifos-1:Fifos]),
      .any_o  (any_b),
      .index_o(first_b)
    );
    assign serves_b     = low_i[Shift+FifosLog2];
    assign here         = serves_b ? any_b : any_a;
    assign block        = (IntervalW - FifosLog2)'(now_unit >> (Shift + FifosLog2));
    assign set_any      = any_a || any_b;
    assign set_part     = serves_b == here ? first_b : first_a;
    assign set_group    = {1'b0, serves_b == here};
    assign set_interval = {here ? block : block + 1'b1, set_part};
    assign set_now      = here && set_part == part;
  end

  // ---- First cycle: the next FIFO of the front ---------------------------------------------------------------------
  logic front_any, front_goes, front_now, front_pair;
  part_t front_part;
  interval_t front_interval;
  if (Front) begin : gen_front
    // The step-down FIFO is number 1 of the level above, and its interval the next that has this number.
    localparam int unsigned Above = (Level + 2 == Levels ? 1 : 2) * Fifos;
    localparam int unsigned AboveW = $clog2(Above);
    logic [AboveW-1:0] above;
    logic [IntervalW-FifosLog2-AboveW-1:0] turn;
    gearbox_first #(
      .Width(Fifos)
    ) u_front (
      .word_i (occupied[3*Fifos-1:2*Fifos]),
      .any_o  (front_any),
      .index_o(front_part)
    );
    assign above          = low_i[Shift+FifosLog2+:AboveW];
    assign turn           = (IntervalW - FifosLog2 - AboveW)'(now_unit >> (Shift + FifosLog2 + AboveW));
    assign front_interval = {(above & ~AboveW'(1)) != '0 ? turn + 1'b1 : turn, AboveW'(1), front_part};
    // It stands before set B. So if that is served now or next, the first of both sets' parts decides; else it is far.
    logic before_b;
    assign before_b       = !gen_two_sets.any_b || front_part <= gen_two_sets.first_b;
    always_comb begin
      front_goes = front_any && !set_any;
      if (above == '0) front_goes = front_any && !gen_two_sets.any_a && before_b;
      if (above == AboveW'(1)) front_goes = front_any && before_b;
    end
    assign front_now      = above == AboveW'(1) && front_part == part;
    assign front_pair     = occupied[AddrW'(Fifos)+AddrW'(front_part)];
  end else begin : gen_no_front
    assign front_any      = 1'b0;
    assign front_goes     = 1'b0;
    assign front_part     = '0;
    assign front_interval = '0;
    assign front_now      = 1'b0;
    assign front_pair     = 1'b0;
  end

  logic now;
  interval_t interval;
  assign interval = front_goes ? front_interval : set_interval;
  assign now      = front_goes ? front_now : set_now;

  assign occupied_o = (3 << FifosLog2)'(occupied);
  assign full_o     = (3 << FifosLog2)'(full);

  // ---- First cycle: the interval being served ----------------------------------------------------------------------
  logic left_q, passed_q;
  logic [LengthW-1:0] length_q, left_length;
  assign left_length   = passed_q ? joined_length_i : length_q;
  assign left_length_o = left_length;

  logic done, joined_done;
  if (Level == 0) begin : gen_unit
    // An interval is one unit, in which everything is served.
    assign done        = 1'b0;
    assign joined_done = 1'b0;
    logic unused_inputs;
    assign unused_inputs = ^{length_i, moved_i, front_pair};
  end else begin : gen_service
    // Bytes of a unit: if the upper bit is set, more than an interval's share can be.
    localparam int unsigned UnitW = HeldW - Shift;
    localparam int unsigned TotalW = (UnitW > LengthW ? UnitW : LengthW) + 1;
    typedef logic [UnitW:0] unit_t;

    // Whether these bytes are at least the unit's share of what an interval holds, a 2^Shift-th.
    function automatic logic met_by(unit_t bytes, held_t holds);
      return bytes[UnitW] || {bytes[UnitW-1:0], 1'b1} > {holds[HeldW-1:Shift], holds[Shift-1:0] != '0};
    endfunction

    logic served, serving_q, serving, starts, begun_q, begun, last;
    logic head_starts_q, join_starts_q;
    logic [LowW-Shift-1:0] interval_q;
    // What an interval holds: if none begins, if that of the head does, if that of a packet that joins does; and all of
    // that with the packet of the next slot.
    held_t held_q, head_held_q, pass_held_q, joined_held_q, joined_head_held_q, joined_pass_held_q, held, joined_held;
    unit_t unit_q, base, unit;
    logic [TotalW-1:0] total;
    assign served      = left_q || passed_q;
    assign starts      = (left_q && head_starts_q) || (passed_q && join_starts_q);
    assign serving     = served || (serving_q && interval_q == low_i[LowW-1:Shift]);
    assign held        = !starts ? held_q : passed_q ? pass_held_q : head_held_q;
    assign joined_held = !starts ? joined_held_q : passed_q ? joined_pass_held_q : joined_head_held_q;
    assign base        = moved_i || starts ? '0 : unit_q;
    assign total       = TotalW'(base[UnitW-1:0]) + (served ? TotalW'(left_length) : '0);
    assign unit        = {base[UnitW] || total[TotalW-1:UnitW] != '0, total[UnitW-1:0]};
    assign begun       = serving && ((begun_q && !starts) || (served && left_length != '0));
    assign last        = &low_i[Shift-1:0];
    assign done        = begun && !last && met_by(unit, held);
    assign joined_done = begun && !last && met_by(unit, joined_held);

    // ---- Second cycle ----
    logic [SumW-1:0] sum, pair_sum, join_sum, join_sum_d;
    logic pair_q, joins_pair;
    part_t head_part;
    held_t on_held, head_held, pass_held;
    assign head_part  = id_q[FifosLog2-1:0];
    assign joins_pair = join_i && id_q[IdW-1] && join_id_i == {2'd1, head_part};
    assign on_held    = most(held_q, join_current_i ? HeldW'(join_length_i) : '0);
    assign head_held  = HeldW'(sum) + (pair_q ? HeldW'(pair_sum) : '0)
                      + (same_fifo || joins_pair ? HeldW'(join_length_i) : '0);
    assign pass_held  = HeldW'(join_length_i)
                      + (join_id_i[IdW-1] && valid_q && id_q == {2'd1, join_id_i[FifosLog2-1:0]} ? HeldW'(sum) : '0);
    always_ff @(posedge clk_i) begin
      if (second_i) begin
        held_q             <= on_held;
        head_held_q        <= head_held;
        pass_held_q        <= pass_held;
        joined_held_q      <= most(on_held, HeldW'(length_i));
        joined_head_held_q <= head_held + HeldW'(length_i);
        joined_pass_held_q <= pass_held + HeldW'(length_i);
        head_starts_q      <= !(serving_q && now_q);
        join_starts_q      <= !(serving_q && join_current_i);
      end else begin
        if (served) interval_q <= low_i[LowW-1:Shift];
        serving_q <= serving;
        held_q    <= held;
        unit_q    <= unit;
        begun_q   <= begun;
        pair_q    <= front_goes && front_pair;
      end
      if (rst_i) serving_q <= 1'b0;
    end

    // Bytes that have come since the FIFO was empty; what it held when its interval begins to be served.
    assign join_sum_d = (join_first_i ? '0 : join_sum) + SumW'(join_length_i);
    ram_async #(
      .Width(SumW),
      .Depth(Count)
    ) u_sum (
      .clk_i,
      .we_i   (second_i && join_i),
      .waddr_i(AddrW'(join_id_i)),
      .wdata_i(join_sum_d),
      .raddr_i(AddrW'(id_q)),
      .rdata_o(sum)
    );
    ram_async #(
      .Width(SumW),
      .Depth(Count)
    ) u_join_sum (
      .clk_i,
      .we_i   (second_i && join_i),
      .waddr_i(AddrW'(join_id_i)),
      .wdata_i(join_sum_d),
      .raddr_i(AddrW'(join_id_i)),
      .rdata_o(join_sum)
    );
    if (Front) begin : gen_pair
      ram_async #(
        .Width(SumW),
        .Depth(Fifos)
      ) u_pair_sum (
        .clk_i,
        .we_i   (second_i && join_i && join_id_i[IdW-1:FifosLog2] == 2'd1),
        .waddr_i(join_id_i[FifosLog2-1:0]),
        .wdata_i(join_sum_d),
        .raddr_i(head_part),
        .rdata_o(pair_sum)
      );
    end else begin : gen_no_pair
      assign pair_sum = '0;
    end
  end
  assign joined_done_o = joined_done;

  always_ff @(posedge clk_i) begin
    if (!second_i) begin
      valid_q       <= set_any || front_any;
      now_q         <= now;
      done_q        <= now && done;
      joined_done_q <= now && joined_done;
      begins_q      <= now ? now_unit : (LowW + 1)'(interval) << Shift;
      id_q          <= front_goes ? {2'd2, front_part} : {set_group, set_part};
    end
  end

  // ---- Second cycle: the FIFOs' ends -------------------------------------------------------------------------------
  logic met, head_leaves_empty;
  logic [EndW-1:0] first, past, join_first, join_past;
  assign met     = join_current_i ? joined_done_q : done_q;
  assign valid_o = valid_q;
  assign due_o   = met ? next_i : begins_q;
  assign later_o = met || !now_q;
  assign id_o    = id_q;

  assign head_leaves_empty = past == first + 1'b1 && !same_fifo;

  // What joins is there in the cycle after, and with it the new end of a FIFO that it has passed through.
  logic past_we, first_we;
  logic [AddrW-1:0] past_at, first_at;
  logic [EndW-1:0] past_in, first_in;
  assign past_we  = (second_i && join_i) || clear_i;
  assign past_at  = clear_i ? AddrW'(clear_id_i) : AddrW'(join_id_i);
  assign past_in  = clear_i ? '0 : join_past + 1'b1;
  assign first_we = (!second_i && (left_q || passed_q)) || clear_i;
  assign first_at = clear_i ? AddrW'(clear_id_i) : passed_q ? AddrW'(join_id_i) : AddrW'(id_q);
  assign first_in = clear_i ? '0 : passed_q ? join_past : first + 1'b1;

  // Read for the head and for the packet that joins: {past its last, its first}.
  logic [1:0][AddrW-1:0] read_at;
  logic [1:0][EndW-1:0] firsts, pasts;
  assign read_at = {AddrW'(join_id_i), AddrW'(id_q)};
  assign first = firsts[0];
  assign past = pasts[0];
  assign join_first = firsts[1];
  assign join_past = pasts[1];
  for (genvar i = 0; i < 2; i++) begin : gen_read
    ram_async #(
      .Width(EndW),
      .Depth(Count)
    ) u_first (
      .clk_i,
      .we_i   (first_we),
      .waddr_i(first_at),
      .wdata_i(first_in),
      .raddr_i(read_at[i]),
      .rdata_o(firsts[i])
    );
    ram_async #(
      .Width(EndW),
      .Depth(Count)
    ) u_past (
      .clk_i,
      .we_i   (past_we),
      .waddr_i(past_at),
      .wdata_i(past_in),
      .raddr_i(read_at[i]),
      .rdata_o(pasts[i])
    );
  end

  // What joins and leaves at once leaves its bits as they are.
  logic fills;
  assign fills = join_past + 1'b1 == (join_first ^ {1'b1, {PlacesLog2{1'b0}}});
  always_ff @(posedge clk_i) begin
    if (second_i) begin
      for (int unsigned i = 0; i < Count; i++) begin
        head_q[i] <= 32'(id_q) == i;
        join_q[i] <= 32'(join_id_i) == i;
      end
      holds_q   <= join_i && !pass_i;
      emptied_q <= leave_i && head_leaves_empty;
      fills_q   <= join_i && fills && !(leave_i && same_fifo);
      freed_q   <= leave_i && !same_fifo;
    end else begin
      occupied_q <= occupied;
      full_q     <= full;
    end
    if (rst_i) begin
      occupied_q <= '0;
      full_q     <= '0;
      holds_q    <= 1'b0;
      emptied_q  <= 1'b0;
      fills_q    <= 1'b0;
      freed_q    <= 1'b0;
    end
  end

  // ---- Descriptors: written in the second cycle, read in the first ---------------------------------------------------
  logic [PlacesLog2-1:0] passed_place_q, next_place;
  logic [LengthW-1:0] next_length;
  assign next_place = first[PlacesLog2-1:0] + 1'b1;
  always_ff @(posedge clk_i) if (second_i) passed_place_q <= join_past[PlacesLog2-1:0];
  ram_1r1w #(
    .Width(PacketW),
    .Depth(Count << PlacesLog2)
  ) u_packets (
    .clk_i,
    .we_i   (second_i && join_i),
    .waddr_i({AddrW'(join_id_i), join_past[PlacesLog2-1:0]}),
    .wdata_i(join_packet_i),
    .re_i   (!second_i),
    .raddr_i(passed_q ? {AddrW'(join_id_i), passed_place_q} : {AddrW'(id_q), first[PlacesLog2-1:0]}),
    .rdata_o(left_packet_o)
  );
  // The length of the FIFO's new head, for the slot that may serve it.
  ram_1r1w #(
    .Width(LengthW),
    .Depth(Count << PlacesLog2)
  ) u_lengths (
    .clk_i,
    .we_i   (second_i && join_i),
    .waddr_i({AddrW'(join_id_i), join_past[PlacesLog2-1:0]}),
    .wdata_i(join_length_i),
    .re_i   (!second_i),
    .raddr_i({AddrW'(id_q), next_place}),
    .rdata_o(next_length)
  );

  // ---- Second cycle: the length of the head ------------------------------------------------------------------------
  logic joined_first_q;
  logic [IdW-1:0] left_id_q, joined_id_q;
  logic [LengthW-1:0] head_length;
  // The upper bit is for the front's alone.
  logic unused_ids;
  assign unused_ids = ^{clear_id_i, left_id_q, joined_id_q};
  ram_async #(
    .Width(LengthW),
    .Depth(Count)
  ) u_heads (
    .clk_i,
    .we_i   (second_i ? left_q : joined_first_q),
    .waddr_i(second_i ? AddrW'(left_id_q) : AddrW'(joined_id_q)),
    .wdata_i(second_i ? next_length : joined_length_i),
    .raddr_i(AddrW'(id_q)),
    .rdata_o(head_length)
  );

  always_ff @(posedge clk_i) begin
    if (second_i) begin
      length_q       <= left_q && left_id_q == id_q ? next_length : head_length;
      left_q         <= leave_i;
      passed_q       <= pass_i;
      left_id_q      <= id_q;
      joined_first_q <= join_i && join_first_i;
      joined_id_q    <= join_id_i;
    end
    if (rst_i) begin
      left_q         <= 1'b0;
      passed_q       <= 1'b0;
      joined_first_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  cover_same_fifo : cover property (@(posedge clk_i) second_i && leave_i && same_fifo);
  cover_same_fifo_last : cover property (@(posedge clk_i) second_i && leave_i && same_fifo && past == first + 1'b1);
  cover_empties : cover property (@(posedge clk_i) second_i && leave_i && head_leaves_empty);
  cover_fills : cover property (@(posedge clk_i) second_i && join_i && fills && !(leave_i && same_fifo));
  cover_full_leaves : cover property (@(posedge clk_i) second_i && leave_i && full_q[AddrW'(id_q)]);
  cover_again : cover property (@(posedge clk_i) second_i && leave_i && left_q && left_id_q == id_q);
  cover_passes : cover property (@(posedge clk_i) second_i && pass_i);
  if (Level > 0) begin : gen_cover_service
    cover_met : cover property (@(posedge clk_i) second_i && leave_i && met && !join_current_i);
    cover_joined_met : cover property (@(posedge clk_i) second_i && leave_i && join_current_i && joined_done_q);
    cover_joined_unmet : cover property (
      @(posedge clk_i) second_i && leave_i && join_current_i && done_q && !joined_done_q);
  end
  if (Front && Level > 0) begin : gen_cover_pair
    cover_pair : cover property (
      @(posedge clk_i) second_i && leave_i && gen_service.pair_q && !(gen_service.serving_q && now_q));
    cover_joins_pair : cover property (
      @(posedge clk_i) second_i && leave_i && gen_service.joins_pair && !(gen_service.serving_q && now_q));
    cover_passes_pair : cover property (
      @(posedge clk_i) second_i && pass_i && join_id_i[IdW-1] && valid_q && id_q == {2'd1, join_id_i[FifosLog2-1:0]});
  end
  if (Front) begin : gen_cover_front
    cover_front_first : cover property (@(posedge clk_i) !second_i && front_goes && set_any);
    cover_front_later : cover property (@(posedge clk_i) !second_i && front_any && !front_goes);
    cover_front_equal : cover property (
      @(posedge clk_i) !second_i && front_any && set_any && front_interval == set_interval);
    assert property (@(posedge clk_i) disable iff (rst_i) !second_i && gen_front.above == 1 |->
                     (occupied[3*Fifos-1:2*Fifos] & ((Fifos'(1) << part) - 1'b1)) == '0)
    else $error("gearbox_level: the front holds what is past");
    assert property (@(posedge clk_i) disable iff (rst_i) !second_i && front_any && set_any |->
                     front_goes == (front_interval <= set_interval))
    else $error("gearbox_level: of the front and the sets the later goes first");
  end
  if (!Top) begin : gen_assert_sets
    assert property (@(posedge clk_i) disable iff (rst_i) !second_i |->
                     (((low_i[Shift+FifosLog2] ? occupied[2*Fifos-1:Fifos] : occupied[Fifos-1:0])
                       & ((Fifos'(1) << part) - 1'b1)) == '0))
    else $error("gearbox_level: the set being served holds what is past");
  end
  assert property (@(posedge clk_i) disable iff (rst_i) second_i && leave_i |-> valid_q && occupied_q[AddrW'(id_q)])
  else $error("gearbox_level: a descriptor leaves an empty FIFO");
  assert property (@(posedge clk_i) disable iff (rst_i) second_i && join_i |-> !full_q[AddrW'(join_id_i)])
  else $error("gearbox_level: a descriptor joins a full FIFO");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   second_i && join_i |-> join_first_i == !occupied_q[AddrW'(join_id_i)])
  else $error("gearbox_level: whether the FIFO was empty is wrong");
`endif
endmodule
