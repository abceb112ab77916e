// ClubHeap: a priority queue that takes a push, a pop or a replace in every cycle.
//
// A heap of clusters: every node of a tree of two, three or four ways holds up to K elements in order, all of them
// at most as large as those of its children. One processor per level with its own memory; an operation moves
// down one level per cycle, and the next follows in the next cycle whatever it is (clubheap §4). With
// K >= 2 the element that the next pop takes is already here when this pop has left a place to fill.
//
// Lockstep with the Rust types ClubHeap and PartitionedClubHeap (crates/pifo/src/club_heap): the same
// element leaves in every operation, equal ranks included.
//
// There are two kinds of levels. With two ways the short stage C (clubheap_level) makes every comparison at once, whatever
// the level below is deciding; it is the faster, the larger, and has logical PIFOs. `Small`, and three or four ways, take
// the three stages as the paper draws them (clubheap_plain_level; clubheap §6.4): about half the LUTs, two thirds of
// the clock.
//
// What the paper leaves open, and what is done here:
//   - Payloads do not move. An element gets a number when it is pushed, its data waits in one memory at
//     that number, and the levels move rank and number only.
//   - Early = 1 reads the memory of a level one cycle before the paper does, so that no comparison
//     starts at a memory's output. The words are twice as wide (see clubheap_fetch). Levels with dynamic
//     allocation cannot: the address is known too late. They are read as in the paper.
//   - Memories need no initial content and no clearing (see clubheap_level); M cycles after reset empty
//     the head registers.
//   - Pairs are allocated when the first element comes, not at every READ, and returned in stage W.
//
// Timing: an operation is taken in every cycle with `ready_o`; its response comes 4 cycles later, with no
// back pressure, as `ready_o` is low only after reset. Operations see all operations before them.
//
//   push 1, pop 0: `rsp_pushed_o` unless all Capacity elements are in use.
//   push 0, pop 1: `rsp_popped_o` with rank and data unless the logical PIFO is empty.
//   push 1, pop 1: replace: the smallest leaves, then the new element comes; on an empty PIFO, a push.

module clubheap #(
  /// Children of a node: 2, 3 or 4.
  parameter int unsigned Ways       = 2,
  /// K: elements of a full cluster, 2 to 2^16; of the short levels a power of two.
  parameter int unsigned Cluster    = 2,
  /// N: elements in all, 2 to 2^17.
  parameter int unsigned Capacity   = 4094,
  /// M: logical PIFOs, 1 to 256; of the plain levels 1. Each may hold all N elements.
  parameter int unsigned Partitions = 1,
  /// Bits of a rank, 1 to 32. Smaller ranks leave first.
  parameter int unsigned RankW      = 16,
  /// Bits of the data of an element, at least 1.
  parameter int unsigned DataW      = 32,
  /// Plain levels, which are small, with two ways too.
  parameter bit          Small      = 1'b0,
  /// Short levels: read memories a cycle early, which is faster and takes wider memories.
  parameter bit          Early      = 1'b1,
  /// Short levels: those of at most so many sibling pairs are made of LUT RAM, the others of block RAM; 0 for none.
  parameter int unsigned LutRamPairs = 32,
  /// Derived: the levels are the plain ones.
  localparam bit Plain = Small || Ways > 2,
  localparam int unsigned PartW = parameter_pkg::index_width(Partitions),
  localparam int unsigned CountW = $clog2(Capacity + 1)
) (
  input  logic              clk_i,
  /// Synchronous, active high.
  input  logic              rst_i,

  input  logic              valid_i,
  output logic              ready_o,
  input  logic              push_i,
  input  logic              pop_i,
  /// The logical PIFO, below Partitions; an operation on another is answered and changes nothing.
  input  logic [PartW-1:0]  part_i,
  input  logic [RankW-1:0]  rank_i,
  input  logic [DataW-1:0]  data_i,

  output logic              rsp_valid_o,
  output logic              rsp_pushed_o,
  output logic              rsp_popped_o,
  output logic [RankW-1:0]  rsp_rank_o,
  output logic [DataW-1:0]  rsp_data_o,

  /// Elements in all PIFOs; an operation counts from the second cycle after it is taken.
  output logic [CountW-1:0] count_o,
  output logic              full_o,
  output logic              empty_o
);
  import clubheap_pkg::*;

  if (!parameter_pkg::in_range("clubheap: Ways", Ways, 2, 4)) begin : gen_check_ways
    $error("clubheap: Ways is out of range");
  end
  if (Plain ? !parameter_pkg::in_range("clubheap: Cluster", Cluster, 2, 2 ** 16)
            : !parameter_pkg::power_of_two("clubheap: Cluster", Cluster, 2, 2 ** 16)) begin : gen_check_cluster
    $error("clubheap: Cluster is out of range");
  end
  if (!parameter_pkg::in_range("clubheap: Capacity", Capacity, 2, 2 ** 17)) begin : gen_check_capacity
    $error("clubheap: Capacity is out of range");
  end
  if (!parameter_pkg::in_range("clubheap: Partitions", Partitions, 1, Plain ? 1 : 256)) begin : gen_check_partitions
    $error("clubheap: Partitions is out of range");
  end
  if (!parameter_pkg::in_range("clubheap: RankW", RankW, 1, 32)) begin : gen_check_rankw
    $error("clubheap: RankW is out of range");
  end
  if (!parameter_pkg::at_least("clubheap: DataW", DataW, 1)) begin : gen_check_dataw
    $error("clubheap: DataW is out of range");
  end

  localparam int unsigned Levels = depth(Ways, Cluster, Capacity);
  localparam int unsigned Ids = Capacity + FreeSlack;
  localparam int unsigned IdW = parameter_pkg::index_width(Ids);
  localparam int unsigned ElemW = 1 + RankW + IdW;

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
  op_e              op   [Levels+1];
  elem_t            elem [Levels+1];
  logic [1:0][ElemW-1:0] min[Levels+2];
  logic             pick [Levels+2];
  logic [PartW-1:0] head_part;

  clubheap_head #(
    .RankW(RankW),
    .IdW(IdW),
    .Capacity(Capacity),
    .Partitions(Partitions),
    .LutRamPairs(LutRamPairs)
  ) u_head (
    .clk_i,
    .rst_i,
    .valid_i,
    .ready_o,
    .push_i,
    .pop_i,
    .part_i,
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

  assign min[Levels+1] = '1;
  assign pick[Levels+1] = 1'b0;

  if (!Plain) begin : gen_short
    localparam int unsigned PairW = pair_width(Cluster, Capacity, Partitions);
    logic             sel [Levels+1];
    logic [PairW-1:0] pair[Levels+1];
    assign sel[0]  = 1'b0;
    assign pair[0] = PairW'(head_part);

    for (genvar l = 1; l <= Levels; l++) begin : gen_level
      localparam bit Leaf = l == Levels;
      localparam bit Pointer = !Leaf && is_dynamic(l + 1, Cluster, Capacity, Partitions);
      localparam read_e Read = read_kind(l, Cluster, Capacity, Partitions, Early, LutRamPairs);
      localparam bit Quads = Read == ReadEarly && l > 2;
      localparam int unsigned Pairs = pairs(l, Cluster, Capacity, Partitions);
      localparam int unsigned PairsBelow = Leaf ? 1 : pairs(l + 1, Cluster, Capacity, Partitions);
      localparam int unsigned RowW = parameter_pkg::index_width(Quads ? (Pairs + 1) / 2 : Pairs);
      localparam int unsigned PairHereW = parameter_pkg::index_width(Pairs);
      localparam int unsigned BelowW = parameter_pkg::index_width(PairsBelow);

      logic [RowW-1:0] row;
      if (l == 1) begin : gen_row_of_root
        assign row = part_i;
      end else begin : gen_row
        assign row = RowW'(pair[l-2]);
      end

      logic [BelowW-1:0] below, below_id, give_id;
      logic take, give;
      assign pair[l] = PairW'(below);

      clubheap_level #(
        .RankW(RankW),
        .IdW(IdW),
        .Slots     (Cluster - 1),
        .DiffW     (diff_width(2, Cluster, Leaf ? 1 : Levels - l)),
        .Pairs     (Pairs),
        .PairsBelow(PairsBelow),
        .Siblings  (l == 1 ? 1 : 2),
        .Leaf      (Leaf),
        .Pointer   (Pointer),
        .Read      (Read),
        .Quads     (Quads)
      ) u_level (
        .clk_i,
        .rst_i,
        .op_i     (op[l-1]),
        .elem_i   (elem[l-1]),
        .sel_i    (sel[l-1]),
        .pair_i   (PairHereW'(pair[l-1])),
        .row_i    (row),
        .min_o    (min[l]),
        .pick_o   (pick[l]),
        .op_o     (op[l]),
        .elem_o   (elem[l]),
        .sel_o    (sel[l]),
        .pair_o   (below),
        .min_i    (min[l+1]),
        .pick_i   (pick[l+1]),
        .free_id_i(below_id),
        .take_o   (take),
        .give_o   (give),
        .give_id_o(give_id)
      );

      if (Pointer) begin : gen_free
        logic unused_no_pair;
        free_list #(
          .Entries(PairsBelow),
          .Drains (1'b0)
        ) u_free (
          .clk_i,
          .rst_i,
          .take_i  (take),
          .number_o(below_id),
          .empty_o (unused_no_pair),
          .give_i  (give),
          .number_i(give_id)
        );
      end else begin : gen_no_free
        assign below_id = '0;
        logic unused_free;
        assign unused_free = ^{take, give, give_id};
      end
    end
  end else begin : gen_plain
    localparam int unsigned GroupW = parameter_pkg::index_width(groups(Ways, Levels));
    logic [Ways-1:0]   sel  [Levels+1];
    logic [GroupW-1:0] group[Levels+1];
    assign sel[0]   = Ways'(1);
    assign group[0] = '0;
    logic unused_part;
    assign unused_part = ^head_part;

    for (genvar l = 1; l <= Levels; l++) begin : gen_level
      localparam bit Leaf = l == Levels;
      localparam int unsigned Siblings = l == 1 ? 1 : Ways;
      localparam int unsigned GroupHereW = parameter_pkg::index_width(groups(Ways, l));
      localparam int unsigned BelowW = parameter_pkg::index_width(groups(Ways, Leaf ? 1 : l + 1));

      logic [BelowW-1:0] below;
      assign group[l] = GroupW'(below);

      clubheap_plain_level #(
        .RankW      (RankW),
        .IdW        (IdW),
        .Slots      (Cluster - 1),
        .Ways       (Ways),
        .DiffW      (diff_width(Ways, Cluster, Leaf ? 1 : Levels - l)),
        .Groups     (groups(Ways, l)),
        .GroupsBelow(groups(Ways, Leaf ? 1 : l + 1)),
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
  end

`ifndef SYNTHESIS
  queue_checks #(
    .Latency   (Latency),
    .Capacity  (Capacity),
    .Partitions(Partitions),
    .RankW     (RankW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (valid_i && ready_o),
    .push_i,
    .pop_i,
    .last_i      (1'b0),
    .pop_part_i  (part_i),
    .push_part_i (part_i),
    .rank_i,
    .rsp_valid_i (rsp_valid_o),
    .rsp_pushed_i(rsp_pushed_o),
    .rsp_popped_i(rsp_popped_o),
    .rsp_rank_i  (rsp_rank_o)
  );
`endif

endmodule
