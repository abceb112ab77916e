// ClubHeap against the specification of a priority queue, for the solver.
//
// Every element gets its push's number as data, so each is told apart. The specification keeps, per number,
// whether it waits, its rank and its logical PIFO, and does each operation when its response comes. Asserted
// of every response: it comes in its cycle and only then; what leaves waits (nothing is lost or doubled), has
// its own rank and PIFO, and no smaller rank waits there; full and empty are said exactly when they are so.
// Asserted of the users of the free lists: what `free_list.sby` assumes of them (`list_rule_formal`).
// Asserted of the root, with one logical PIFO: Corollary 1 of clubheap, that a node which is not full has no children,
// and the balance of §4.2, that what overflows goes to the child with fewer elements, the left one of equals.

module clubheap_formal #(
  parameter int unsigned Capacity    = 6,
  parameter int unsigned Partitions  = 1,
  parameter int unsigned LutRamPairs = 0,
  parameter bit          Early       = 1'b1,
  /// Operations on the first logical PIFO only, without a pause: fewer streams, so longer ones.
  parameter bit          OnlyFirst   = 1'b0,
  localparam int unsigned RankW = 2,
  localparam int unsigned NumberW = 4,
  localparam int unsigned Numbers = 1 << NumberW,
  localparam int unsigned PartW = parameter_pkg::index_width(Partitions)
) (
  input logic             clk_i,
  input logic             valid_i,
  input logic             push_i,
  input logic             pop_i,
  input logic [PartW-1:0] part_i,
  input logic [RankW-1:0] rank_i
);
  localparam int unsigned Latency = 4;

  typedef struct packed {
    logic               valid, push, pop;
    logic [PartW-1:0]   part;
    logic [RankW-1:0]   rank;
    logic [NumberW-1:0] number;
  } operation_t;

  // Reset in the first cycle.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic ready, rsp_valid, rsp_pushed, rsp_popped;
  logic [RankW-1:0] rsp_rank;
  logic [NumberW-1:0] rsp_data, number_q;

  clubheap #(
    .Cluster(2),
    .Capacity(Capacity),
    .Partitions(Partitions),
    .RankW(RankW),
    .DataW(NumberW),
    .Early(Early),
    .LutRamPairs(LutRamPairs)
  ) u_heap (
    .clk_i,
    .rst_i       (!started_q),
    .valid_i,
    .ready_o     (ready),
    .push_i,
    .pop_i,
    .part_i,
    .rank_i,
    .data_i      (number_q),
    .rsp_valid_o (rsp_valid),
    .rsp_pushed_o(rsp_pushed),
    .rsp_popped_o(rsp_popped),
    .rsp_rank_o  (rsp_rank),
    .rsp_data_o  (rsp_data),
    .count_o     (),
    .full_o      (),
    .empty_o     ()
  );

  // Each push has a number of its own, up to the last.
  always_ff @(posedge clk_i) begin
    if (!started_q) number_q <= '0;
    else if (valid_i && ready && push_i) number_q <= number_q + 1'b1;
  end

  operation_t due_q[Latency];
  always_ff @(posedge clk_i) begin
    due_q[0] <= '{valid_i && ready && started_q, push_i, pop_i, part_i, rank_i, number_q};
    for (int i = 1; i < Latency; i++) due_q[i] <= started_q ? due_q[i-1] : '0;
  end
  operation_t op;
  assign op = due_q[Latency-1];

  logic [Numbers-1:0] waits_q, here;
  logic [RankW-1:0] rank_q[Numbers];
  logic [PartW-1:0] part_q[Numbers];
  logic popped, pushed;

  for (genvar n = 0; n < Numbers; n++) begin : gen_here
    assign here[n] = waits_q[n] && part_q[n] == op.part;
  end
  assign popped = op.pop && here != '0;
  assign pushed = op.push && (popped || $countones(waits_q) < Capacity);

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      waits_q <= '0;
    end else if (op.valid) begin
      if (popped) waits_q[rsp_data] <= 1'b0;
      if (pushed) begin
        waits_q[op.number] <= 1'b1;
        rank_q[op.number]  <= op.rank;
        part_q[op.number]  <= op.part;
      end
    end
  end

  list_rule_formal #(
    .Entries(Capacity + clubheap_pkg::FreeSlack)
  ) u_ids_rule (
    .clk_i,
    .started_i(started_q),
    .id_i     (u_heap.u_ids.number_o),
    .take_i   (u_heap.u_ids.take_i),
    .give_i   (u_heap.u_ids.give_i),
    .give_id_i(u_heap.u_ids.number_i)
  );

  if (clubheap_pkg::depth(2, 2, Capacity) > 1 && clubheap_pkg::is_dynamic(2, 2, Capacity, Partitions)) begin : gen_pairs
    list_rule_formal #(
      .Entries(clubheap_pkg::pairs(2, 2, Capacity, Partitions))
    ) u_pairs_rule (
      .clk_i,
      .started_i(started_q),
      .id_i     (u_heap.gen_short.gen_level[1].gen_free.u_free.number_o),
      .take_i   (u_heap.gen_short.gen_level[1].gen_free.u_free.take_i),
      .give_i   (u_heap.gen_short.gen_level[1].gen_free.u_free.give_i),
      .give_id_i(u_heap.gen_short.gen_level[1].gen_free.u_free.number_i)
    );
  end

  // Elements of the heap as the root's stage C sees them, and of those the ones below each child. They follow from the
  // operations that come to the root and leave it, whatever the root has counted.
  if (Partitions == 1 && clubheap_pkg::depth(2, 2, Capacity) > 1) begin : gen_balance
    logic [3:0] all_q;
    logic [1:0][3:0] below_q;
    clubheap_pkg::op_e came, goes;
    logic to;
    assign came = u_heap.gen_short.gen_level[1].u_level.c_op_q;
    assign goes = u_heap.gen_short.gen_level[1].u_level.op_o;
    assign to   = u_heap.gen_short.gen_level[1].u_level.sel_o;

    logic [3:0] all;
    logic [1:0][3:0] below;
    always_comb begin
      all   = all_q;
      below = below_q;
      if (came == clubheap_pkg::OpPush || came == clubheap_pkg::OpInit) all = all_q + 1'b1;
      if (came == clubheap_pkg::OpPop) all = all_q - 1'b1;
      if (goes == clubheap_pkg::OpPush || goes == clubheap_pkg::OpInit) below[to] = below_q[to] + 1'b1;
      if (goes == clubheap_pkg::OpPop) below[to] = below_q[to] - 1'b1;
    end
    always_ff @(posedge clk_i) begin
      if (!started_q) begin
        all_q   <= '0;
        below_q <= '0;
      end else begin
        all_q   <= all;
        below_q <= below;
      end
    end

    always_ff @(posedge clk_i) begin
      if (started_q) begin
        // K = 2: a node holds one besides the smallest, which is in the node above.
        compact : assert (below == '0 || all - below[0] - below[1] == 4'd2);
        if (goes == clubheap_pkg::OpPush || goes == clubheap_pkg::OpInit) begin
          balanced : assert (to == (below_q[1] < below_q[0]));
        end
        if (goes == clubheap_pkg::OpPop || goes == clubheap_pkg::OpReplace) some : assert (below_q[to] != '0);
        if (goes == clubheap_pkg::OpInit) first : assert (below_q[to] == '0);
        to_the_right : cover (goes == clubheap_pkg::OpPush && to);
        emptied : cover (goes == clubheap_pkg::OpInit && !to && below_q[1] != '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      answered_full : cover (rsp_valid && op.push && !op.pop && !rsp_pushed);
      answered_empty : cover (rsp_valid && op.pop && !rsp_popped);
      replaced : cover (rsp_valid && rsp_popped && rsp_pushed);
      in_order : cover (rsp_valid && rsp_popped && $countones(here) == Capacity);
    end
  end

  always_comb begin
    assume (part_i < Partitions);
    assume (!OnlyFirst || (part_i == '0 && valid_i));
    assume (!(valid_i && push_i) || number_q != '1);
    assume (!valid_i || push_i || pop_i);
    if (started_q) begin
      assert (rsp_valid == op.valid);
      if (op.valid) begin
        assert (rsp_pushed == pushed);
        assert (rsp_popped == popped);
        if (popped) begin
          assert (here[rsp_data]);
          assert (rank_q[rsp_data] == rsp_rank);
          for (int n = 0; n < Numbers; n++) assert (!here[n] || rsp_rank <= rank_q[n]);
        end
      end
    end
  end

endmodule
