// The latency-free BBQ: a small PIFO in front of a BBQ, so that every pop is exact and answered at once.
//
// Source: thesis §4.5.1, Fig. 4.12 and Theorem 4. Golden model: exactness itself, `forebay_pifo::ExactQueue`; the Rust
// type of the same structure is `forebay_pifo::LatencyFree`.
//
// A system cycle is two clock cycles, as in the thesis: in the first (`ready_o` high) a pop, a push or both; in the
// second the BBQ's answer, if one has come, joins the PIFO. What no longer fits in the PIFO leaks, largest first, to
// the BBQ, and every pop asks the BBQ for its smallest. So there are at most two operations of the BBQ and two
// removals and two insertions of the PIFO in a system cycle. The answer to a pop of system cycle c joins at the end of
// cycle c + p with p = half the BBQ's latency, so a PIFO of p + 1 elements is enough, and that is `Front`.
//
// Elements of one rank are not in order of arrival: one that leaked and came back is behind those that came meanwhile.
//
// `full_o` keeps the BBQ from ever being full. A dequeue returns its slot 2 p + 2 clock cycles after it was accepted,
// so of 2^SlotBits - 1 slots at most p + 1 are on their way back; with one for the next element, 2^SlotBits - 3 - p
// are left, and that is `Capacity`. It is a bound that holds whatever the PIFO holds: its up to p + 1 elements need no
// slot, so about so many more would fit.
module bbq_free #(
  /// As the BBQ's, and 2^SlotBits at least 8 + p.
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 8,
  parameter int unsigned SlotBits = 11,
  parameter int unsigned DataW = 32,
  /// Derived: bits of a rank, system cycles until an answer joins, elements of the PIFO, elements in all.
  localparam int unsigned RankW = Levels * parameter_pkg::index_width(Width),
  localparam int unsigned Delay = bbq_pkg::latency(Levels, Width, 1) / 2,
  localparam int unsigned Front = Delay + 1,
  localparam int unsigned Capacity = 2 ** SlotBits - 3 - Delay
) (
  input  logic             clk_i,
  /// Synchronous.
  input  logic             rst_i,
  /// The first clock cycle of a system cycle; nothing is accepted in the others.
  output logic             ready_o,
  /// Take the smallest.
  input  logic             pop_i,
  /// While `pop_i` is high: there is one, and it is this.
  output logic             valid_o,
  output logic [RankW-1:0] rank_o,
  output logic [DataW-1:0] data_o,
  /// Add an element; ignored while `full_o` is high.
  input  logic             push_i,
  input  logic [RankW-1:0] push_rank_i,
  input  logic [DataW-1:0] push_data_i,
  output logic             full_o
);
  if (!parameter_pkg::in_range("bbq_free: SlotBits", SlotBits, $clog2(8 + Delay), 17)) begin : gen_check_slotbits
    $error("bbq_free: SlotBits is out of range");
  end

  typedef struct packed {
    logic [RankW-1:0] rank;
    logic [DataW-1:0] data;
  } element_t;

  logic second_q, back_ready;
  logic [SlotBits-1:0] count_q;
  logic pop, push, front_full, front_pop, front_push, front_last, shown_valid, leak, ask;
  logic answer_valid, answer_dequeue, answer_q;
  bbq_pkg::status_e answer_status;
  logic unused_partition;
  element_t shown, arriving, leaking, answer, came_q;

  assign ready_o = back_ready & ~second_q;
  assign full_o  = count_q == SlotBits'(Capacity);
  assign pop     = ready_o & pop_i & shown_valid;
  assign push    = ready_o & push_i & ~full_o;
  assign valid_o = shown_valid;
  assign rank_o  = shown.rank;
  assign data_o  = shown.data;

  // One insertion in either clock cycle: what is pushed, or what came from the BBQ.
  assign arriving   = second_q ? came_q : {push_rank_i, push_data_i};
  assign front_last = second_q | ~pop_i;
  always_comb begin
    front_push = second_q ? answer_q : push;
    front_pop  = pop;
    leak       = 1'b0;
    leaking    = shown;
    if (front_push && front_full && !pop) begin
      leak = 1'b1;
      if (arriving.rank >= shown.rank) begin
        leaking    = arriving;
        front_push = 1'b0;
      end else begin
        front_pop = 1'b1;
      end
    end
  end
  assign ask = pop;

  pifo #(
    .Depth(Front),
    .RankW(RankW),
    .DataW(DataW)
  ) u_front (
    .clk_i,
    .rst_i,
    .push_i          (front_push),
    .push_partition_i('0),
    .push_rank_i     (arriving.rank),
    .push_data_i     (arriving.data),
    .full_o          (front_full),
    .pop_i           (front_pop),
    .pop_partition_i ('0),
    .pop_last_i      (front_last),
    .valid_o         (shown_valid),
    .rank_o          (shown.rank),
    .data_o          (shown.data)
  );

  bbq #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(SlotBits),
    .DataW   (DataW)
  ) u_back (
    .clk_i,
    .rst_i,
    .valid_i    (leak | ask),
    .ready_o    (back_ready),
    .op_i       (leak ? bbq_pkg::Enqueue : bbq_pkg::DequeueMin),
    .partition_i('0),
    .rank_i     (leaking.rank),
    .data_i     (leaking.data),
    .valid_o    (answer_valid),
    .dequeue_o  (answer_dequeue),
    .status_o   (answer_status),
    .partition_o(unused_partition),
    .rank_o     (answer.rank),
    .data_o     (answer.data)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      second_q <= 1'b0;
      count_q  <= '0;
      answer_q <= 1'b0;
    end else begin
      second_q <= ready_o;
      count_q  <= count_q + SlotBits'(push) - SlotBits'(pop);
      answer_q <= answer_valid & answer_dequeue & (answer_status == bbq_pkg::Done);
    end
    came_q <= answer;
  end

`ifndef SYNTHESIS
  cover_leak : cover property (@(posedge clk_i) leak && !second_q);
  cover_leak_pushed : cover property (@(posedge clk_i) leak && !second_q && !front_pop);
  cover_leak_again : cover property (@(posedge clk_i) leak && second_q);
  cover_join : cover property (@(posedge clk_i) second_q && answer_q);
  queue_checks #(
    .Latency (0),
    .Capacity(Capacity),
    .RankW   (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (ready_o),
    .push_i,
    .pop_i,
    .last_i      (1'b0),
    .pop_part_i  (1'b0),
    .push_part_i (1'b0),
    .rank_i      (push_rank_i),
    .rsp_valid_i (ready_o),
    .rsp_pushed_i(push),
    .rsp_popped_i(pop),
    .rsp_rank_i  (rank_o)
  );
  assert property (@(posedge clk_i) disable iff (rst_i) answer_q |-> second_q)
  else $error("bbq_free: an answer came in the wrong half of a system cycle");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   answer_valid && !answer_dequeue |-> answer_status == bbq_pkg::Done)
  else $error("bbq_free: the BBQ was full");
`endif
endmodule
