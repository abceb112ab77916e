// Themis's buffer manager around its queue: admission, drops, swap-out, swap-in and staging, an operation a cycle.
//
// Source: Themis §4.1 (admission, watermarks, batches), §4.3 (swaps give way to arrivals and departures; loss). Golden
// model: `forebay_buffer::ThemisManager`, cycle by cycle.
//
// Each cycle issues one operation of `themis`. Arrivals and departures come first, in turn if both are there; in cycles
// that they leave, an element is swapped out while more than `High` are near, or in while fewer than `Low` are.
//
//   - An arrival goes near if its rank is below all that are far (`themis_floor`), else far. While an operation is
//     under way that may yet send something far, the queue's root decides (`themis_pkg::Enqueue`), so equal ranks
//     keep their order.
//   - Far goes through the staging buffer. If that is full, an arrival that is bound for it is lost (`lost_o`).
//   - If the near memory is full, the largest rank near is dropped, and the arrival waits.
//
// Near counts what may come and has not been answered, and does not count what is being taken out.
module themis_manager #(
  /// As those of `themis`.
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 8,
  parameter int unsigned SlotBits = 11,
  parameter int unsigned DataW = 32,
  /// Elements that fit near, and the watermarks: Low < High < Near < 2^SlotBits.
  parameter int unsigned Near = 1024,
  parameter int unsigned High = 819,
  parameter int unsigned Low = 512,
  /// Elements of a batch, and batches that are staged: powers of two.
  parameter int unsigned Batch = 8,
  parameter int unsigned Groups = 2,
  localparam int unsigned RankW = Levels * parameter_pkg::index_width(Width),
  localparam int unsigned BatchW = $clog2(Batch),
  localparam int unsigned Latency = themis_pkg::latency(Levels)
) (
  input  logic                                        clk_i,
  input  logic                                        rst_i,
  // An element arrives.
  input  logic                                        arrive_valid_i,
  output logic                                        arrive_ready_o,
  input  logic                [   RankW-1:0]          arrive_rank_i,
  input  logic                [   DataW-1:0]          arrive_data_i,
  /// The arrival that is taken in this cycle is lost: it is bound for far, and the staging buffer is full.
  output logic                                        lost_o,
  // The next is asked for.
  input  logic                                        depart_valid_i,
  output logic                                        depart_ready_o,
  /// The user can take one more element that is swapped in; it is asked for in this cycle.
  input  logic                                        swap_in_ready_i,
  output logic                                        swap_in_o,
  // The queue's answers, `Latency` cycles after their operation; swaps and drops are among them.
  output logic                                        valid_o,
  output themis_pkg::op_e                             op_o,
  output themis_pkg::status_e                         status_o,
  output logic                                        far_o,
  output logic                [   RankW-1:0]          rank_o,
  output logic                [SlotBits-1:0]          slot_o,
  output logic                [   DataW-1:0]          data_o,
  // The oldest staged batch, for the far memory to take.
  output logic                                        batch_valid_o,
  input  logic                                        batch_ready_i,
  /// Elements of it that have come, and which of them are still bound for far.
  output logic                [   BatchW:0]           batch_count_o,
  output logic                [   Batch-1:0]          batch_bound_o,
  output logic                [   Batch-1:0][SlotBits-1:0] batch_slots_o,
  /// Elements in each tier, of which the answers have come.
  output logic                [SlotBits:0]            waiting_near_o,
  output logic                [SlotBits:0]            waiting_far_o
);
  if (!parameter_pkg::in_range("themis_manager: Near", Near, 3, 2 ** SlotBits - 1)) begin : gen_check_near
    $error("themis_manager: Near is out of range");
  end
  if (!parameter_pkg::in_range("themis_manager: High", High, 2, Near - 1)) begin : gen_check_high
    $error("themis_manager: High is out of range");
  end
  if (!parameter_pkg::in_range("themis_manager: Low", Low, 1, High - 1)) begin : gen_check_low
    $error("themis_manager: Low is out of range");
  end
  if (!parameter_pkg::power_of_two("themis_manager: Batch", Batch, 2, 64)) begin : gen_check_batch
    $error("themis_manager: Batch is out of range");
  end
  if (!parameter_pkg::power_of_two("themis_manager: Groups", Groups, 2, 16)) begin : gen_check_groups
    $error("themis_manager: Groups is out of range");
  end

  localparam int unsigned PlaceW = $clog2(Batch * Groups);
  localparam int unsigned FlightW = $clog2(Latency + 1);
  typedef logic signed [SlotBits+1:0] count_t;
  typedef logic [FlightW-1:0] flight_t;

  function automatic count_t count(logic [SlotBits:0] number);
    return count_t'({1'b0, number});
  endfunction

  // ---- What is under way ---------------------------------------------------------------------------------------
  // By operation: it may add near, it takes out of near, it may add far, it may decide to, it takes out of far.
  typedef struct packed {
    logic add_near, less_near, add_far, open, less_far;
  } kind_t;

  function automatic kind_t kind_of(themis_pkg::op_e op);
    kind_of = '0;
    unique case (op)
      themis_pkg::Enqueue:     kind_of = '{1'b1, 1'b0, 1'b1, 1'b1, 1'b0};
      themis_pkg::EnqueueNear: kind_of.add_near = 1'b1;
      themis_pkg::EnqueueFar:  kind_of.add_far = 1'b1;
      themis_pkg::DropLargest: kind_of.less_near = 1'b1;
      themis_pkg::SwapOut:     kind_of = '{1'b0, 1'b1, 1'b1, 1'b1, 1'b0};
      themis_pkg::SwapIn:      kind_of = '{1'b1, 1'b0, 1'b0, 1'b0, 1'b1};
      default:                 kind_of = '0;
    endcase
  endfunction

  logic issue, ready;
  themis_pkg::op_e op;
  themis_pkg::op_e ops_q[Latency];
  kind_t asked, answered;
  flight_t add_near_q, less_near_q, add_far_q, open_q, less_far_q;
  logic [SlotBits:0] near_q, far_q;

  assign op_o     = ops_q[Latency-1];
  assign asked    = issue ? kind_of(op) : '0;
  assign answered = valid_o ? kind_of(op_o) : '0;

  // ---- Answers --------------------------------------------------------------------------------------------------
  logic done, enqueued, taken, came_far, left_far;
  assign done     = valid_o & (status_o == themis_pkg::Done | status_o == themis_pkg::Ahead);
  assign enqueued = done & ~op_o[2];
  assign taken    = done & op_o[2];
  assign came_far = (enqueued & far_o) | (taken & op_o == themis_pkg::SwapOut);
  assign left_far = taken & far_o;

  logic came_near, left_near;
  assign came_near = (enqueued & ~far_o) | (taken & op_o == themis_pkg::SwapIn);
  assign left_near = taken & ~far_o;

  always_ff @(posedge clk_i) begin
    ops_q[0] <= op;
    for (int unsigned i = 1; i < Latency; i++) ops_q[i] <= ops_q[i-1];
    if (rst_i) begin
      add_near_q  <= '0;
      less_near_q <= '0;
      add_far_q   <= '0;
      open_q      <= '0;
      less_far_q  <= '0;
      near_q      <= '0;
      far_q       <= '0;
    end else begin
      add_near_q  <= add_near_q + flight_t'(asked.add_near) - flight_t'(answered.add_near);
      less_near_q <= less_near_q + flight_t'(asked.less_near) - flight_t'(answered.less_near);
      add_far_q   <= add_far_q + flight_t'(asked.add_far) - flight_t'(answered.add_far);
      open_q      <= open_q + flight_t'(asked.open) - flight_t'(answered.open);
      less_far_q  <= less_far_q + flight_t'(asked.less_far) - flight_t'(answered.less_far);
      near_q      <= near_q + (SlotBits + 1)'(came_near) - (SlotBits + 1)'(left_near);
      far_q       <= far_q + (SlotBits + 1)'(came_far) - (SlotBits + 1)'(left_far);
    end
  end

  // ---- What to do -------------------------------------------------------------------------------------------------
  logic reached, place, room, turn_q, departs, arrives, lost;
  logic [PlaceW:0] staged;
  count_t held;
  themis_pkg::op_e admission;
  assign held  = count(near_q) + count((SlotBits + 1)'(add_near_q)) - count((SlotBits + 1)'(less_near_q));
  assign room  = held < count((SlotBits + 1)'(Near));
  assign place = 32'(staged) + 32'(add_far_q) < Batch * Groups;

  assign departs = ready & depart_valid_i & (~arrive_valid_i | turn_q);
  assign arrives = ready & arrive_valid_i & ~departs;
  assign lost    = arrives & reached & ~place;

  always_comb begin
    admission = themis_pkg::EnqueueNear;
    if (open_q != '0) admission = themis_pkg::Enqueue;
    if (reached) admission = themis_pkg::EnqueueFar;

    issue          = 1'b0;
    op             = themis_pkg::Dequeue;
    arrive_ready_o = lost;
    if (departs) begin
      issue = 1'b1;
    end else if (arrives) begin
      if (!reached && !room) begin
        issue = 1'b1;
        op    = themis_pkg::DropLargest;
      end else if (place || admission == themis_pkg::EnqueueNear) begin
        issue          = 1'b1;
        op             = admission;
        arrive_ready_o = 1'b1;
      end
    end else if (held > count((SlotBits + 1)'(High)) && place) begin
      issue = ready;
      op    = themis_pkg::SwapOut;
    end else if (held < count((SlotBits + 1)'(Low)) && far_q > (SlotBits + 1)'(less_far_q)) begin
      issue = ready && swap_in_ready_i;
      op    = themis_pkg::SwapIn;
    end
  end
  assign depart_ready_o = departs;
  assign lost_o         = lost;
  assign swap_in_o      = issue && op == themis_pkg::SwapIn;
  assign waiting_near_o = near_q;
  assign waiting_far_o  = far_q;

  always_ff @(posedge clk_i) turn_q <= ~rst_i & (arrives & depart_valid_i);

  // ---- The parts --------------------------------------------------------------------------------------------------
  logic take_unused, swap_unused;
  themis #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(SlotBits),
    .DataW   (DataW)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i (issue),
    .ready_o (ready),
    .op_i    (op),
    .rank_i  (arrive_rank_i),
    .data_i  (arrive_data_i),
    .valid_o,
    .take_o  (take_unused),
    .swap_o  (swap_unused),
    .status_o,
    .far_o,
    .rank_o,
    .slot_o,
    .data_o
  );

  themis_floor #(
    .RankW  (RankW),
    .Latency(Latency)
  ) u_floor (
    .clk_i,
    .rst_i,
    .ask_i        (issue & op == themis_pkg::EnqueueFar),
    .ask_rank_i   (arrive_rank_i),
    .came_i       (came_far),
    .left_i       (left_far),
    .last_i       (far_q == (SlotBits + 1)'(1)),
    .answer_rank_i(rank_o),
    .rank_i       (arrive_rank_i),
    .reached_o    (reached)
  );

  themis_staging #(
    .SlotW (SlotBits),
    .Batch (Batch),
    .Groups(Groups)
  ) u_staging (
    .clk_i,
    .rst_i,
    .put_i   (came_far),
    .strike_i(left_far),
    .slot_i  (slot_o),
    .used_o  (staged),
    .valid_o (batch_valid_o),
    .ready_i (batch_ready_i),
    .count_o (batch_count_o),
    .bound_o (batch_bound_o),
    .slots_o (batch_slots_o)
  );

  logic unused_outputs;
  assign unused_outputs = ^{take_unused, swap_unused};

`ifndef SYNTHESIS
  cover_lost : cover property (@(posedge clk_i) !rst_i && lost);
  cover_drop : cover property (@(posedge clk_i) issue && op == themis_pkg::DropLargest);
  cover_near : cover property (@(posedge clk_i) issue && op == themis_pkg::EnqueueNear);
  cover_far : cover property (@(posedge clk_i) issue && op == themis_pkg::EnqueueFar);
  cover_open : cover property (@(posedge clk_i) issue && op == themis_pkg::Enqueue);
  cover_out : cover property (@(posedge clk_i) issue && op == themis_pkg::SwapOut);
  cover_in : cover property (@(posedge clk_i) issue && op == themis_pkg::SwapIn);
  cover_waits_for_place : cover property (@(posedge clk_i) arrives && room && !reached && open_q != '0 && !place);

  assert property (@(posedge clk_i) disable iff (rst_i) valid_o |-> status_o != themis_pkg::Ahead)
  else $error("themis_manager: an element waits ahead of an older one of its rank");
  assert property (@(posedge clk_i) disable iff (rst_i) near_q <= (SlotBits + 1)'(Near))
  else $error("themis_manager: more elements are near than fit");
`endif
endmodule
