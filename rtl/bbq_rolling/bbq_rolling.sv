// The rolling window: wide ranks that advance over a BBQ of two logical queues.
//
// Source: thesis §4.5.2, which describes it and leaves it unbuilt. Golden model: `forebay_pifo::RollingWindow` with
// `Below::FirstBucket` and `Beyond::Reject`.
//
// The BBQ's ranks are two halves of P = Width^Levels / 2. A rank is the number of its half and an offset; the window
// is half `base` and the next one. Since the two take turns, a half's partition is the lowest bit of its number, and
// nothing has to be moved or renamed when the window advances. It does so as late as possible, as the golden model:
// when a dequeue finds the first half empty and the second not, or when a rank lies in the half after the window and
// the first half is empty; an empty window follows any rank. Ranks do not wrap: the window ends at 2^RankW - 1, so
// `RankW` bounds how long ranks may go on rising between two resets.
//
// An enqueue below the window goes to the first bucket. One that is beyond it, or finds the queue full, is refused at
// once (`refused_o`) and is not answered. How many elements a half holds is counted here as operations are accepted,
// so the decision never waits for the pipeline. Like `bbq` it accepts one operation in every cycle.
//
// A dequeue returns its slot `Latency` + 2 cycles after it was accepted, so of 2^SlotBits - 1 slots at most `Latency`
// + 1 are on their way back; with one for the next element, 2^SlotBits - 3 - Latency are left, and that is `Capacity`.
// It is a bound that needs no look at the mix: elements and slots on their way back never are that many together,
// since an enqueue and a dequeue take a cycle each, so Latency / 2 + 1 more would fit.
module bbq_rolling #(
  /// As the BBQ's, and 2^SlotBits at least 8 + Latency.
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 8,
  parameter int unsigned SlotBits = 11,
  parameter int unsigned DataW = 32,
  /// Bits of a rank: at least Levels * log2(Width) + 1, at most 64.
  parameter int unsigned RankW = 32,
  /// Derived: bits of an offset in a half and of a half's number, the BBQ's latency, elements in all.
  localparam int unsigned OffsetW = Levels * parameter_pkg::index_width(Width) - 1,
  localparam int unsigned HalfW = (RankW > OffsetW + 1) ? RankW - OffsetW : 2,
  localparam int unsigned Latency = bbq_pkg::latency(Levels, Width, 2),
  localparam int unsigned Capacity = 2 ** SlotBits - 3 - Latency
) (
  input  logic                         clk_i,
  /// Synchronous.
  input  logic                         rst_i,
  input  logic                         valid_i,
  output logic                         ready_o,
  input  bbq_pkg::op_e                 op_i,
  input  logic             [RankW-1:0] rank_i,
  input  logic             [DataW-1:0] data_i,
  /// In the cycle of the enqueue: it is not accepted.
  output logic                         refused_o,
  output logic                         valid_o,
  output logic                         dequeue_o,
  output bbq_pkg::status_e             status_o,
  output logic             [RankW-1:0] rank_o,
  output logic             [DataW-1:0] data_o
);
  if (!parameter_pkg::in_range("bbq_rolling: SlotBits", SlotBits, $clog2(8 + Latency), 17)) begin : gen_check_slotbits
    $error("bbq_rolling: SlotBits is out of range");
  end
  if (!parameter_pkg::in_range("bbq_rolling: RankW", RankW, OffsetW + 2, 64)) begin : gen_check_rankw
    $error("bbq_rolling: RankW is out of range");
  end

  typedef logic [HalfW-1:0] half_t;

  half_t base_q, base_d, wanted, half;
  logic [1:0][SlotBits-1:0] count_q;
  logic [SlotBits-1:0] total_q;
  logic enqueue, first_empty, second_empty, full, accept, takes;
  logic [OffsetW-1:0] offset, offset_out;
  logic side_out;

  assign enqueue      = ~op_i[1];
  assign wanted       = rank_i[RankW-1:OffsetW];
  assign first_empty  = count_q[base_q[0]] == '0;
  assign second_empty = count_q[~base_q[0]] == '0;
  assign full         = total_q == SlotBits'(Capacity);

  logic below, in_window, next, beyond;
  half_t ahead;
  assign below  = wanted < base_q;
  assign ahead  = wanted - base_q;
  assign in_window = ~below & ahead <= half_t'(1);
  assign next   = ~below & ahead == half_t'(2);
  assign beyond = ~below & ~in_window;

  always_comb begin
    base_d = base_q;
    if (enqueue) begin
      half   = below ? base_q : wanted;
      offset = below ? '0 : rank_i[OffsetW-1:0];
      if (beyond && !full && first_empty && (second_empty || next)) base_d = wanted - half_t'(1);
    end else begin
      offset = '0;
      half   = base_q;
      if (op_i[0]) begin
        if (!second_empty) half = base_q + half_t'(1);
      end else if (first_empty && !second_empty) begin
        base_d = base_q + half_t'(1);
        half   = base_q + half_t'(1);
      end
    end
  end

  // What is no operation is refused too.
  assign refused_o = enqueue & (op_i[0] | full | (beyond & ~(first_empty & (second_empty | next))));
  assign accept    = valid_i & ready_o & ~refused_o;
  assign takes     = accept & ~enqueue & ~(first_empty & second_empty);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      base_q  <= '0;
      count_q <= '0;
      total_q <= '0;
    end else begin
      if (accept) base_q <= base_d;
      if (accept && enqueue) count_q[half[0]] <= count_q[half[0]] + 1'b1;
      if (takes) count_q[half[0]] <= count_q[half[0]] - 1'b1;
      total_q <= total_q + SlotBits'(accept & enqueue) - SlotBits'(takes);
    end
  end

  bbq #(
    .Levels    (Levels),
    .Width     (Width),
    .SlotBits  (SlotBits),
    .DataW     (DataW),
    .Partitions(2)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i    (accept),
    .ready_o,
    .op_i,
    .partition_i(half[0]),
    .rank_i     (offset),
    .data_i,
    .valid_o,
    .dequeue_o,
    .status_o,
    .partition_o(side_out),
    .rank_o     (offset_out),
    .data_o
  );

  // The window may have advanced meanwhile, so the number of the half goes along.
  half_t [Latency-1:0] halves_q;
  always_ff @(posedge clk_i) halves_q <= {halves_q[Latency-2:0], half};
  assign rank_o = {halves_q[Latency-1], offset_out};

`ifndef SYNTHESIS
  cover_advance_pop : cover property (@(posedge clk_i) accept && !enqueue && base_d != base_q);
  cover_advance_push : cover property (@(posedge clk_i) accept && enqueue && next && base_d != base_q && !second_empty);
  cover_jump : cover property (@(posedge clk_i) accept && enqueue && ahead > half_t'(2) && !below);
  cover_below : cover property (@(posedge clk_i) accept && enqueue && below);
  cover_beyond : cover property (@(posedge clk_i) valid_i && ready_o && refused_o && !full);
  cover_full : cover property (@(posedge clk_i) valid_i && ready_o && refused_o && full);
  assert property (@(posedge clk_i) disable iff (rst_i)
                   valid_o && status_o != bbq_pkg::Empty |-> side_out == halves_q[Latency-1][0])
  else $error("bbq_rolling: an answer from the other half");
  assert property (@(posedge clk_i) disable iff (rst_i) valid_o |-> status_o != bbq_pkg::Full)
  else $error("bbq_rolling: the BBQ was full");
  cover_nothing : cover property (@(posedge clk_i) valid_i && ready_o && enqueue && op_i[0]);
  queue_checks #(
    .Latency (Latency),
    .Capacity(Capacity),
    .RankW   (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (accept),
    .push_i      (enqueue),
    .pop_i       (~enqueue),
    .last_i      (op_i[0]),
    .pop_part_i  (1'b0),
    .push_part_i (1'b0),
    .rank_i      ({half, offset}),
    .rsp_valid_i (valid_o),
    .rsp_pushed_i(~dequeue_o & status_o == bbq_pkg::Done),
    .rsp_popped_i(dequeue_o & status_o == bbq_pkg::Done),
    .rsp_rank_i  (rank_o)
  );
`else
  logic unused_side;
  assign unused_side = side_out;
`endif
endmodule
