// A clustered heap with two, three or four children to a node: the comparison of clubheap §6.4 (Fig. 14) in hardware.
//
// It takes a push, a pop or a replace in every cycle, like rtl/clubheap, and pops the same element as the Rust type
// `ClubHeap` with as many ways in every operation, equal ranks included. It has one logical PIFO and the three stages
// as the paper draws them: read all siblings, choose and compare, write. What rtl/clubheap does to have a shorter
// stage C is left out, so that the designs differ in the number of ways and in nothing else.
//
// As in rtl/clubheap, payloads do not move, a node above the root keeps the smallest element of all (clubheap_head), and
// no memory is cleared.
//
// Timing: an operation is taken in every cycle with `ready_o`; its response comes 4 cycles later, with no
// back pressure, as `ready_o` is low only after reset. Operations see all operations before them.
//
//   push 1, pop 0: `rsp_pushed_o` unless all Capacity elements are in use.
//   push 0, pop 1: `rsp_popped_o` with rank and data unless it is empty.
//   push 1, pop 1: replace: the smallest leaves, then the new element comes; when empty, a push.

module clubheap_ways #(
  /// Children of a node: 2, 3 or 4.
  parameter int unsigned Ways     = 3,
  /// K: elements of a full cluster, 2 to 2^16.
  parameter int unsigned Cluster  = 2,
  /// N: elements in all, 2 to 2^17.
  parameter int unsigned Capacity = 4094,
  /// Bits of a rank, 1 to 32. Smaller ranks leave first.
  parameter int unsigned RankW    = 16,
  /// Bits of the data of an element, at least 1.
  parameter int unsigned DataW    = 32,
  localparam int unsigned CountW = $clog2(Capacity + 1)
) (
  input  logic              clk_i,
  /// Synchronous, active high.
  input  logic              rst_i,

  input  logic              valid_i,
  output logic              ready_o,
  input  logic              push_i,
  input  logic              pop_i,
  input  logic [RankW-1:0]  rank_i,
  input  logic [DataW-1:0]  data_i,

  output logic              rsp_valid_o,
  output logic              rsp_pushed_o,
  output logic              rsp_popped_o,
  output logic [RankW-1:0]  rsp_rank_o,
  output logic [DataW-1:0]  rsp_data_o,

  /// Elements; an operation counts from the second cycle after it is taken.
  output logic [CountW-1:0] count_o,
  output logic              full_o,
  output logic              empty_o
);
  import clubheap_pkg::*;

  if (!parameter_pkg::in_range("clubheap_ways: Ways", Ways, 2, 4)) begin : gen_check_ways
    $error("clubheap_ways: Ways is out of range");
  end
  if (!parameter_pkg::in_range("clubheap_ways: Cluster", Cluster, 2, 2 ** 16)) begin : gen_check_cluster
    $error("clubheap_ways: Cluster is out of range");
  end
  if (!parameter_pkg::in_range("clubheap_ways: Capacity", Capacity, 2, 2 ** 17)) begin : gen_check_capacity
    $error("clubheap_ways: Capacity is out of range");
  end
  if (!parameter_pkg::in_range("clubheap_ways: RankW", RankW, 1, 32)) begin : gen_check_rankw
    $error("clubheap_ways: RankW is out of range");
  end
  if (!parameter_pkg::at_least("clubheap_ways: DataW", DataW, 1)) begin : gen_check_dataw
    $error("clubheap_ways: DataW is out of range");
  end

  localparam int unsigned Levels = clubheap_ways_pkg::depth(Ways, Cluster, Capacity);
  localparam int unsigned Ids = Capacity + FreeSlack;
  localparam int unsigned IdW = parameter_pkg::index_width(Ids);
  localparam int unsigned ElemW = 1 + RankW + IdW;
  localparam int unsigned GroupW = parameter_pkg::index_width(clubheap_ways_pkg::groups(Ways, Levels));

  typedef logic [ElemW-1:0] elem_t;

  // Numbers and payloads.
  logic [IdW-1:0] free_id;
  logic brings, pushed, popped, head_valid;
  elem_t popped_elem;
  logic unused_no_id;  // never: two more than can be in use

  free_list #(
    .Entries(Ids),
    .Drains (1'b0)
  ) u_ids (
    .clk_i,
    .rst_i,
    .take_i  (pushed),
    .number_o(free_id),
    .empty_o (unused_no_id),
    .give_i  (popped),
    .number_i(popped_elem[IdW-1:0])
  );

  logic [DataW-1:0] c_data_q, data;
  logic [IdW-1:0]   popped_id_q;

  always_ff @(posedge clk_i) c_data_q <= data_i;

  ram_1r1w #(
    .Width(DataW),
    .Depth(Ids)
  ) u_payload (
    .clk_i,
    .we_i   (brings),
    .waddr_i(free_id),
    .wdata_i(c_data_q),
    .re_i   (1'b1),
    .raddr_i(popped_id_q),
    .rdata_o(data)
  );

  logic [1:0] rsp_valid_q, rsp_pushed_q, rsp_popped_q;
  logic [1:0][RankW-1:0] rsp_rank_q;

  always_ff @(posedge clk_i) begin
    popped_id_q  <= popped_elem[IdW-1:0];
    rsp_valid_q  <= rst_i ? '0 : {rsp_valid_q[0], head_valid};
    rsp_pushed_q <= {rsp_pushed_q[0], pushed};
    rsp_popped_q <= {rsp_popped_q[0], popped};
    rsp_rank_q   <= {rsp_rank_q[0], popped_elem[ElemW-2:IdW]};
    rsp_valid_o  <= rsp_valid_q[1] && !rst_i;
    rsp_pushed_o <= rsp_pushed_q[1];
    rsp_popped_o <= rsp_popped_q[1];
    rsp_rank_o   <= rsp_rank_q[1];
    rsp_data_o   <= data;
  end

  // Between the levels: index l goes from level l to level l + 1; the head is level 0.
  op_e               op   [Levels+1];
  elem_t             elem [Levels+1];
  logic [1:0][ElemW-1:0] min[Levels+2];
  logic              pick [Levels+2];
  logic [Ways-1:0]   sel  [Levels+1];
  logic [GroupW-1:0] group[Levels+1];
  logic              head_part;

  clubheap_head #(
    .RankW     (RankW),
    .IdW       (IdW),
    .Capacity  (Capacity),
    .Partitions(1)
  ) u_head (
    .clk_i,
    .rst_i,
    .valid_i,
    .ready_o,
    .push_i,
    .pop_i,
    .part_i       (1'b0),
    .rank_i,
    .free_id_i    (free_id),
    .brings_o     (brings),
    .pushed_o     (pushed),
    .popped_o     (popped),
    .valid_o      (head_valid),
    .popped_elem_o(popped_elem),
    .op_o         (op[0]),
    .elem_o       (elem[0]),
    .part_o       (head_part),
    .min_i        (min[1]),
    .pick_i       (pick[1]),
    .count_o,
    .full_o,
    .empty_o
  );
  logic unused_part;
  assign unused_part = head_part;

  assign sel[0]          = Ways'(1);
  assign group[0]        = '0;
  assign min[Levels+1]   = '1;
  assign pick[Levels+1]  = 1'b0;

  for (genvar l = 1; l <= Levels; l++) begin : gen_level
    localparam bit Leaf = l == Levels;
    localparam int unsigned Siblings = l == 1 ? 1 : Ways;
    localparam int unsigned GroupHereW = parameter_pkg::index_width(clubheap_ways_pkg::groups(Ways, l));
    localparam int unsigned BelowW = parameter_pkg::index_width(clubheap_ways_pkg::groups(Ways, Leaf ? 1 : l + 1));

    logic [BelowW-1:0] below;
    assign group[l] = GroupW'(below);

    clubheap_ways_level #(
      .RankW      (RankW),
      .IdW        (IdW),
      .Slots      (Cluster - 1),
      .Ways       (Ways),
      .DiffW      (clubheap_ways_pkg::diff_width(Ways, Cluster, Leaf ? 1 : Levels - l)),
      .Groups     (clubheap_ways_pkg::groups(Ways, l)),
      .GroupsBelow(clubheap_ways_pkg::groups(Ways, Leaf ? 1 : l + 1)),
      .Siblings   (Siblings),
      .Leaf       (Leaf)
    ) u_level (
      .clk_i,
      .rst_i,
      .op_i   (op[l-1]),
      .elem_i (elem[l-1]),
      .sel_i  (sel[l-1][Siblings-1:0]),
      .group_i(GroupHereW'(group[l-1])),
      .min_o  (min[l]),
      .pick_o (pick[l]),
      .op_o   (op[l]),
      .elem_o (elem[l]),
      .sel_o  (sel[l]),
      .group_o(below),
      .min_i  (min[l+1]),
      .pick_i (pick[l+1])
    );
  end

`ifndef SYNTHESIS
  queue_checks #(
    .Latency   (4),
    .Capacity  (Capacity),
    .RankW     (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (valid_i && ready_o),
    .push_i,
    .pop_i,
    .last_i      (1'b0),
    .pop_part_i  (1'b0),
    .push_part_i (1'b0),
    .rank_i,
    .rsp_valid_i (rsp_valid_o),
    .rsp_pushed_i(rsp_pushed_o),
    .rsp_popped_i(rsp_popped_o),
    .rsp_rank_i  (rsp_rank_o)
  );
`endif

endmodule
