// PIFO as a sorted shift register: a removal and an insertion in every cycle, and the answer in the same cycle.
//
// Source: thesis §4.4.1 and Fig. 4.7, clubheap §2.2. Golden model: `forebay_pifo::PartitionedShiftRegister`.
//
// `Depth` registers sorted by rank; equal ranks stand in order of arrival. A removal takes the first or the last
// element of a partition: every register compares its partition with the wanted one, and the first (last) that agrees
// is taken. An insertion compares its rank with all registers; it goes before the first larger one. Both together are
// a removal, then an insertion. A cycle is as long as a comparison and a selection over all registers; area and delay
// grow with `Depth`, which is why the large queues are built otherwise.
module pifo #(
  /// Registers, at least 1.
  parameter int unsigned Depth = 16,
  /// Bits of a rank, at least 1.
  parameter int unsigned RankW = 8,
  /// Bits of the data, at least 1.
  parameter int unsigned DataW = 32,
  /// Logical queues over the same registers, at least 1.
  parameter int unsigned Partitions = 1,
  /// Derived: bits of a partition's number.
  localparam int unsigned PartW = parameter_pkg::index_width(Partitions)
) (
  input  logic             clk_i,
  /// Synchronous.
  input  logic             rst_i,
  /// Insert; refused, without effect, while `full_o` is high and nothing is removed in this cycle.
  input  logic             push_i,
  input  logic [PartW-1:0] push_partition_i,
  input  logic [RankW-1:0] push_rank_i,
  input  logic [DataW-1:0] push_data_i,
  output logic             full_o,
  /// Remove the element shown.
  input  logic             pop_i,
  input  logic [PartW-1:0] pop_partition_i,
  /// Show the last and not the first.
  input  logic             pop_last_i,
  /// The element of the partition, in the same cycle.
  output logic             valid_o,
  output logic [RankW-1:0] rank_o,
  output logic [DataW-1:0] data_o
);
  if (!parameter_pkg::at_least("pifo: Depth", Depth, 1)) begin : gen_check_depth
    $error("pifo: Depth is out of range");
  end
  if (!parameter_pkg::at_least("pifo: RankW", RankW, 1)) begin : gen_check_rankw
    $error("pifo: RankW is out of range");
  end
  if (!parameter_pkg::at_least("pifo: DataW", DataW, 1)) begin : gen_check_dataw
    $error("pifo: DataW is out of range");
  end
  if (!parameter_pkg::at_least("pifo: Partitions", Partitions, 1)) begin : gen_check_partitions
    $error("pifo: Partitions is out of range");
  end

  typedef struct packed {
    logic             valid;
    logic [PartW-1:0] partition;
    logic [RankW-1:0] rank;
    logic [DataW-1:0] data;
  } entry_t;

  entry_t [Depth-1:0] entry_q, left, entry_d;
  entry_t pushed;
  logic [Depth-1:0] mine, taken, from, ahead, ahead_left;
  logic push, pop;

  always_comb begin
    for (int unsigned i = 0; i < Depth; i++) begin
      mine[i] = entry_q[i].valid & (Partitions == 1 || entry_q[i].partition == pop_partition_i);
    end
  end

  find_first #(
    .Width(Depth)
  ) u_find (
    .word_i   (mine),
    .last_i   (pop_last_i),
    .one_hot_o(taken)
  );

  always_comb begin
    rank_o = '0;
    data_o = '0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (taken[i]) rank_o |= entry_q[i].rank;
      if (taken[i]) data_o |= entry_q[i].data;
    end
  end

  assign valid_o = mine != '0;
  assign full_o  = entry_q[Depth-1].valid;
  assign pop     = pop_i & valid_o;
  assign push    = push_i & (~full_o | pop);

  assign pushed = '{valid: 1'b1, partition: push_partition_i, rank: push_rank_i, data: push_data_i};

  // After the removal, what is behind the place has moved up by one; then what is behind the insertion moves down.
  always_comb begin
    automatic logic passed = 1'b0;
    for (int unsigned i = 0; i < Depth; i++) begin
      passed |= pop & taken[i];
      from[i] = passed;
      ahead[i]      = entry_q[i].valid & entry_q[i].rank <= push_rank_i;
    end
    for (int unsigned i = 0; i < Depth; i++) begin
      left[i]        = !from[i] ? entry_q[i] : (i + 1 < Depth) ? entry_q[(i+1)%Depth] : '0;
      ahead_left[i] = !from[i] ? ahead[i] : (i + 1 < Depth) & ahead[(i+1)%Depth];
    end
    for (int unsigned i = 0; i < Depth; i++) begin
      if (!push || ahead_left[i]) entry_d[i] = left[i];
      else if (i == 0 || ahead_left[(i > 0) ? i-1 : 0]) entry_d[i] = pushed;
      else entry_d[i] = left[(i > 0) ? i-1 : 0];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Depth; i++) begin
      entry_q[i] <= entry_d[i];
      if (rst_i) entry_q[i].valid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  cover_full : cover property (@(posedge clk_i) push_i && full_o && !pop);
  cover_full_both : cover property (@(posedge clk_i) push && full_o && pop);
  cover_empty : cover property (@(posedge clk_i) pop_i && !valid_o);
  cover_empty_push : cover property (@(posedge clk_i) pop_i && !valid_o && push);
  cover_last : cover property (@(posedge clk_i) pop && pop_last_i);
  cover_both : cover property (@(posedge clk_i) pop && push);
  queue_checks #(
    .Latency   (0),
    .Capacity  (Depth),
    .Partitions(Partitions),
    .RankW     (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (1'b1),
    .push_i,
    .pop_i,
    .last_i      (pop_last_i),
    .pop_part_i  (pop_partition_i),
    .push_part_i (push_partition_i),
    .rank_i      (push_rank_i),
    .rsp_valid_i (1'b1),
    .rsp_pushed_i(push),
    .rsp_popped_i(pop),
    .rsp_rank_i  (rank_o)
  );
  if (Partitions > 1) begin : gen_partitions
    cover_empty_of_several : cover property (@(posedge clk_i) pop_i && !valid_o && entry_q[0].valid);
  end
`endif
endmodule
