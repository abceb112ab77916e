// The selector, for ever: an inductive proof. A pick is the first marked queue behind the last pick, or of all if none is;
// picks come out in the order in which they were made, each once; and the candidate does not change until it is taken.
module selector_formal #(
  parameter int unsigned Queues = 5,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues)
) (
  input logic              clk_i,
  input logic              swept_i,
  input logic              swept_over_i,
  input logic              changed_i,
  input logic [QueueW-1:0] changed_queue_i,
  input logic              changed_over_i,
  input logic              take_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic valid;
  logic [QueueW-1:0] queue;
  occamy_selector #(
    .Queues(Queues)
  ) u_selector (
    .clk_i,
    .rst_i  (rst),
    .swept_i,
    .swept_over_i,
    .changed_i,
    .changed_queue_i,
    .changed_over_i,
    .valid_o(valid),
    .queue_o(queue),
    .take_i
  );

  // The bitmap as it is to be: the last of the writes on a bit counts.
  logic [Queues-1:0] over_q;
  int unsigned at_q;
  always_ff @(posedge clk_i) begin
    over_q[QueueW'(at_q)] <= swept_i && swept_over_i;
    if (changed_i && 32'(changed_queue_i) < Queues) over_q[changed_queue_i] <= changed_over_i;
    if (swept_i) at_q <= at_q + 1 == Queues ? 0 : at_q + 1;
    if (rst) begin
      over_q <= '0;
      at_q   <= 0;
    end
  end

  // The queue from which the next search begins, and what a search finds.
  int unsigned next_q, found;
  logic some;
  always_comb begin
    found = 0;
    some  = 1'b0;
    for (int unsigned i = 0; i < Queues; i++) begin
      automatic int unsigned q = next_q + i >= Queues ? next_q + i - Queues : next_q + i;
      if (!some && over_q[QueueW'(q)]) begin
        some  = 1'b1;
        found = q;
      end
    end
  end

  logic picked_q, valid_q;
  int unsigned pick_q, queue_q;
  logic moves;
  assign moves = !valid_q;
  always_ff @(posedge clk_i) begin
    if (take_i) valid_q <= 1'b0;
    if (moves) begin
      valid_q <= picked_q;
      queue_q <= pick_q;
    end
    if (!picked_q || moves) begin
      picked_q <= some;
      pick_q   <= found;
      if (some) next_q <= found + 1 == Queues ? 0 : found + 1;
    end
    if (rst) begin
      picked_q <= 1'b0;
      valid_q  <= 1'b0;
      next_q   <= 0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assume (!take_i || valid);
      assert (u_selector.over_q == over_q);
      assert (at_q < Queues && u_selector.at_q == Queues'(1) << at_q);
      assert (next_q < Queues);
      for (int unsigned q = 0; q < Queues; q++) begin
        // After the last queue the places are none, and the search begins at the first all the same.
        assert (u_selector.from[q] == (q >= next_q) || (next_q == 0 && u_selector.from == '0));
      end
      assert (u_selector.picked_q == picked_q && valid == valid_q);
      if (picked_q) begin
        // Where the next search begins is behind the pick.
        assert (pick_q < Queues && next_q == (pick_q + 1 == Queues ? 0 : pick_q + 1));
        assert (next_q != 0 || u_selector.from == '0);
      end
      if (valid_q) in_turn : assert (32'(queue) == queue_q);
      around : cover (valid_q && picked_q && pick_q < queue_q && take_i);
      alone : cover (valid_q && picked_q && pick_q == queue_q && take_i);
    end
  end
endmodule
