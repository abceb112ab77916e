// The head-drop selector: the bitmap of over-allocated queues, and which of them is next in turn.
//
// Source: occamy §4.3 ① and ②, Fig. 8. A bit is written when its queue has been compared: because it changed, because it was
// picked and is within its threshold, or because the sweep came to it. Bits may be late, so whoever takes a candidate
// compares its length once more.
//
// The search begins behind the last pick: at the first marked queue from there on, else at the first of all. All that are
// behind the first set bit are the places of the next search, and where they begin is the pick, so this word is all that
// is kept of it until it is encoded a cycle later: no path has both the search and the encoder.
module occamy_selector #(
  parameter int unsigned Queues = 64,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  // The sweep: of the queues in turn, from the first one after reset.
  input  logic              swept_i,
  input  logic              swept_over_i,
  // Another bit; it wins if it is the same.
  input  logic              changed_i,
  input  logic [QueueW-1:0] changed_queue_i,
  input  logic              changed_over_i,
  // The candidate; it is taken at an edge with `take_i`.
  output logic              valid_o,
  output logic [QueueW-1:0] queue_o,
  input  logic              take_i
);
  // The place of the sweep is a ring, which takes less logic than to compare its number with every queue's. Its bit is
  // written in every cycle, and a bit is six inputs: its row and column of the changed queue, the ring, and three bits.
  localparam int unsigned Columns = 8;
  localparam int unsigned Rows = (Queues + Columns - 1) / Columns;
  logic [Queues-1:0] over_q, at_q, hit;
  logic [Rows-1:0] row;
  logic [Columns-1:0] column;
  always_comb begin
    row    = '0;
    column = '0;
    for (int unsigned r = 0; r < Rows; r++) row[r] = changed_i && 32'(changed_queue_i) / Columns == r;
    for (int unsigned c = 0; c < Columns; c++) column[c] = 32'(changed_queue_i) % Columns == c;
    for (int unsigned q = 0; q < Queues; q++) hit[q] = row[q/Columns] & column[q%Columns];
  end

  always_ff @(posedge clk_i) begin
    over_q <= (hit & {Queues{changed_over_i}})
            | (~hit & ((at_q & {Queues{swept_i & swept_over_i}}) | (~at_q & over_q)));
    if (swept_i) at_q <= {at_q[Queues-2:0], at_q[Queues-1]};
    if (rst_i) begin
      over_q <= '0;
      at_q   <= Queues'(1);
    end
  end

  // Whether a bit is set before this one, among those behind the last pick and among all. Both wait in registers, and
  // which of them counts is decided behind those: no path has both a search and the choice.
  logic [Queues-1:0] from, from_later_q, from_all_q, later, behind_later, behind_all;
  logic any_later, any, around_q;
  assign from      = around_q ? from_all_q : from_later_q;
  assign later     = over_q & from;
  assign any_later = later != '0;
  assign any       = over_q != '0;
  occamy_prefix #(
    .Width(Queues)
  ) u_later (
    .word_i  (later),
    .behind_o(behind_later)
  );
  occamy_prefix #(
    .Width(Queues)
  ) u_all (
    .word_i  (over_q),
    .behind_o(behind_all)
  );

  logic picked_q, valid_q, moves, loads;
  logic [QueueW-1:0] queue_q, number;
  // Only registers decide, so a candidate comes every other cycle; a head drop does not need more (Fig. 9).
  assign moves = !valid_q;
  assign loads = !picked_q || moves;

  // The pick is the last place that is not behind itself. Bit b of its number says whether so many multiples of 2^b as
  // are not behind it, but for 0, are odd.
  always_comb begin
    for (int unsigned b = 0; b < QueueW; b++) begin
      automatic logic [Queues-1:0] multiples = '0;
      for (int unsigned q = 1; q < Queues; q++) multiples[q] = q % (1 << b) == 0;
      number[b] = ^(~from & multiples);
    end
  end

  always_ff @(posedge clk_i) begin
    if (loads) begin
      picked_q <= any;
      if (any) begin
        from_later_q <= behind_later;
        from_all_q   <= behind_all;
        around_q     <= ~any_later;
      end
    end
    if (take_i) valid_q <= 1'b0;
    if (moves) begin
      valid_q <= picked_q;
      queue_q <= number;
    end
    if (rst_i) begin
      picked_q     <= 1'b0;
      valid_q      <= 1'b0;
      from_later_q <= '1;
      around_q     <= 1'b0;
    end
  end
  assign valid_o = valid_q;
  assign queue_o = queue_q;

`ifndef SYNTHESIS
  cover_around : cover property (@(posedge clk_i) loads && any && !any_later);
  cover_several : cover property (@(posedge clk_i) loads && !$onehot0(over_q));
  cover_waits : cover property (@(posedge clk_i) picked_q && !loads);
  cover_at_once : cover property (@(posedge clk_i) changed_i && changed_over_i && !over_q[changed_queue_i]);
  cover_by_sweep : cover property (@(posedge clk_i) swept_i && swept_over_i && (at_q & over_q) == '0);
  cover_cleared_by_sweep : cover property (@(posedge clk_i) swept_i && !swept_over_i && (at_q & over_q) != '0);
  cover_cleared : cover property (@(posedge clk_i) changed_i && !changed_over_i && over_q[changed_queue_i]);
  cover_both : cover property (
    @(posedge clk_i) swept_i && changed_i && at_q[changed_queue_i] && swept_over_i != changed_over_i);
  // What is behind a place, from there to the end, and one more.
  logic [Queues:0] ahead;
  assign ahead = ~{1'b1, from};
  assert property (@(posedge clk_i) disable iff (rst_i) picked_q |-> (ahead & (ahead + 1'b1)) == '0 && ahead != '0)
  else $error("occamy_selector: a pick that is not one queue");
`endif
endmodule
