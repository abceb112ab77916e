// One level of the BBQ's tree: finds the bit that an operation takes, and keeps the bitmap and the counter behind it.
//
// Source: thesis §4.3, Table 4.2 (four stages for a level), §4.3.2 (forwarding, memoized conflicts, speculation),
// §4.3.3 (occupancy counters and waterlevel bits).
//
//   s0  an operation's node is known: read the node's bitmap (s0 is s4 of the level above)
//   s1  the bitmap arrives, or comes from an operation 3 or 4 ahead that wrote it meanwhile
//   s2  choose the bit; read its counter
//   s3  the counter arrives, or comes from an operation 1 or 2 ahead; undo what was guessed wrong
//   s4  write the new counter and the new bitmap; the child's node is known
//
// Speculation: an operation that dequeues clears its bit at s2, two stages before its counter says whether the
// subtree becomes empty. The next operation in the node chooses among the bits that are left. When the counter
// says that the bit stays (`keep_q`), the next operation at s3 either adopts the bit (it wanted the same end, or
// found nothing else) or keeps its own choice; in both cases one bit of its word is put back: in the first its own,
// in the second the bit that stayed.
//
// Nothing is initialized: an operation that enters a subtree which was empty takes its bitmap and its counter as
// zero, whatever the memories hold (`fresh_i`). Only a first level below a steering stage has no parent that could
// tell; its bitmaps are cleared through `clear_i`.
//
// The root (`Root`) is one word that only ever passes from an operation to the next, so it has no s0, no s1 and no
// memory for bitmaps: each operation hands its word on, bubbles included.
//
// Memories of at most `AsyncDepth` words are read without a clock, one stage later than block RAM: their window of
// conflicts is one operation shorter, and so is the forwarding.
module bbq_level #(
  /// This is the level of the root word.
  parameter bit Root = 1'b0,
  /// This is the first level: only here can a partition be found empty.
  parameter bit First = Root,
  /// Bits of a bitmap, a power of two.
  parameter int unsigned Width = 8,
  /// Bits of the node's number: log2(Width) for each level above, at least 1.
  parameter int unsigned NodeW = 3,
  /// Bits of a counter.
  parameter int unsigned CountW = 11,
  /// The upper bits of an index that are the partition's number; only in the first level.
  parameter int unsigned PartW = 0,
  /// A leaf's counter word has a bit more, for the lists behind it.
  parameter bit Leaf = 1'b0,
  /// The largest memory that is read without a clock.
  parameter int unsigned AsyncDepth = 64,
  /// Derived: bits of an index into a bitmap.
  localparam int unsigned IndexW = $clog2(Width)
) (
  input  logic                            clk_i,
  input  logic                            rst_i,
  /// Clears the bitmap of a node; only for a first level that is not the root.
  input  logic                            clear_i,
  input  logic          [      NodeW-1:0] clear_node_i,
  // s0
  input  bbq_pkg::ctl_t                   ctl_i,
  input  logic          [      NodeW-1:0] node_i,
  /// Enqueue: the index to take. First level, dequeue: its upper bits are the partition.
  input  logic          [     IndexW-1:0] index_i,
  /// An enqueue whose node was empty.
  input  logic                            fresh_i,
  /// Whether the operation 1, 2, 3, 4 ahead is alive and in the same node.
  input  logic          [            4:1] same_i,
  // s4
  output bbq_pkg::ctl_t                   ctl_o,
  output logic          [      NodeW-1:0] node_o,
  output logic          [     IndexW-1:0] index_o,
  output logic                            fresh_o,
  output logic          [            4:1] same_o,
  /// The child held at least two elements before.
  output logic                            several_o,
  /// The child held exactly two elements before.
  output logic                            two_o,
  /// Leaf: which of the bucket's two lists.
  output logic                            list_o
);
  localparam int unsigned WordW = CountW + 1 + 32'(Leaf);
  localparam int unsigned Counters = Root ? Width : Width * (2 ** NodeW);
  localparam bit BitmapAsync = (2 ** NodeW) <= AsyncDepth;
  localparam bit CountAsync = Counters <= AsyncDepth;
  localparam int unsigned CountAddrW = $clog2(Counters);

  typedef logic [Width-1:0] bitmap_t;
  typedef logic [IndexW-1:0] index_t;
  typedef struct packed {
    logic              list;
    logic              several;  // the waterlevel bit: two or more
    logic [CountW-1:0] number;
  } count_t;

  function automatic bitmap_t decode(index_t index);
    return bitmap_t'(1) << index;
  endfunction

  // Registers of the stages; the number in a name is the stage's.
  bbq_pkg::ctl_t ctl2_q, ctl3_q, ctl4_q, ctl4_d;
  logic [NodeW-1:0] node2_q, node3_q, node4_q;
  index_t index2_q, index2, index3_q, index3, index4_q;
  logic [4:1] same2_q, same3_q, same4_q;
  bitmap_t word2, left3_q, mended3_q, word3;
  logic none2, new_bit2, none3_q, new_bit3_q, adopt3_q, mend3_q, adopt3;
  logic keep4_d, keep4_q;
  count_t count_ram, count4_d, count4_q, count4_new;

  // ---- s1: the bitmap ----------------------------------------------------------------------------------------
  if (Root) begin : gen_root
    assign word2 = word3;
    always_ff @(posedge clk_i) begin
      ctl2_q   <= rst_i ? '0 : ctl_i;
      index2_q <= index_i;
    end
    assign node2_q = '0;
    assign same2_q = '0;

    logic unused_inputs;
    assign unused_inputs = ^{clear_i, clear_node_i, node_i, fresh_i, same_i};
  end else begin : gen_node
    bbq_pkg::ctl_t ctl1_q;
    logic [NodeW-1:0] node1_q;
    index_t index1_q;
    logic fresh1_q;
    logic [4:1] same1_q;
    bitmap_t bitmap_ram, word1, word2_q, word4_q, word4;

    always_ff @(posedge clk_i) begin
      ctl1_q   <= rst_i ? '0 : ctl_i;
      node1_q  <= node_i;
      index1_q <= index_i;
      fresh1_q <= fresh_i;
      same1_q  <= same_i;
      ctl2_q   <= rst_i ? '0 : ctl1_q;
      node2_q  <= node1_q;
      index2_q <= index1_q;
      same2_q  <= same1_q;
      if (fresh1_q) word2_q <= '0;
      else word2_q <= word1;
      word4_q <= word3;
    end

    // What the operation at s4 leaves: its word, in which it cleared its bit, with the bit put back if it stays.
    assign word4 = word4_q | (keep4_q ? decode(index4_q) : '0);

    logic bitmap_we;
    logic [NodeW-1:0] bitmap_waddr;
    assign bitmap_we    = ctl4_q.alive | (First & clear_i);
    assign bitmap_waddr = (First & clear_i) ? clear_node_i : node4_q;

    if (BitmapAsync) begin : gen_async
      ram_async #(
        .Width(Width),
        .Depth(2 ** NodeW)
      ) u_bitmaps (
        .clk_i,
        .we_i   (bitmap_we),
        .waddr_i(bitmap_waddr),
        .wdata_i((First & clear_i) ? '0 : word4),
        .raddr_i(node1_q),
        .rdata_o(bitmap_ram)
      );
      assign word1 = same1_q[3] ? word4 : bitmap_ram;
    end else begin : gen_sync
      bitmap_t word5_q;
      always_ff @(posedge clk_i) word5_q <= word4;
      ram_1r1w #(
        .Width(Width),
        .Depth(2 ** NodeW)
      ) u_bitmaps (
        .clk_i,
        .we_i   (bitmap_we),
        .waddr_i(bitmap_waddr),
        .wdata_i((First & clear_i) ? '0 : word4),
        .re_i   (1'b1),
        .raddr_i(node_i),
        .rdata_o(bitmap_ram)
      );
      assign word1 = same1_q[3] ? word4 : same1_q[4] ? word5_q : bitmap_ram;
    end

    // The latest operation in the node has the latest word.
    assign word2 = same2_q[1] ? word3 : same2_q[2] ? word4 : word2_q;

`ifndef SYNTHESIS
    cover_word_1 : cover property (@(posedge clk_i) ctl2_q.alive && same2_q[1]);
    cover_word_2 : cover property (@(posedge clk_i) ctl2_q.alive && same2_q[2] && !same2_q[1]);
    cover_word_3 : cover property (@(posedge clk_i) ctl1_q.alive && same1_q[3] && same1_q[2:1] == '0);
    cover_word_4 : cover property (@(posedge clk_i) ctl1_q.alive && same1_q[4] && same1_q[3:1] == '0);
    if (!First) begin : gen_inner
      cover_fresh_after_emptied : cover property (@(posedge clk_i) ctl1_q.alive && fresh1_q && same1_q[1]);
    end
`endif

    if (!First) begin : gen_unused
      logic unused_clear;
      assign unused_clear = ^{clear_i, clear_node_i};
    end
  end

  // ---- s2: the bit -------------------------------------------------------------------------------------------
  bitmap_t chosen2, wanted2, visible2;
  logic partition_same2;
  index_t first2;

  if (PartW > 0) begin : gen_partitions
    localparam int unsigned Shift = IndexW - PartW;
    always_comb begin
      for (int unsigned i = 0; i < Width; i++) begin
        visible2[i] = word2[i] & (PartW'(i >> Shift) == index2_q[IndexW-1:Shift]);
      end
    end
    // Whatever is found, an index stays in its partition.
    assign partition_same2 = index2_q[IndexW-1:Shift] == index3_q[IndexW-1:Shift];
    always_comb begin
      index2 = ctl2_q.dequeue ? first2 : index2_q;
      index2[IndexW-1:Shift] = index2_q[IndexW-1:Shift];
    end
  end else begin : gen_whole
    assign visible2        = word2;
    assign partition_same2 = 1'b1;
    assign index2          = ctl2_q.dequeue ? first2 : index2_q;
  end

  find_first #(
    .Width(Width)
  ) u_find (
    .word_i   (visible2),
    .last_i   (ctl2_q.last),
    .one_hot_o(chosen2)
  );

  always_comb begin
    first2 = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (chosen2[i]) first2 |= index_t'(i);
    end
  end

  assign wanted2  = ctl2_q.alive ? decode(index2_q) : '0;
  assign none2    = ctl2_q.dequeue & (visible2 == '0);
  assign new_bit2 = ~ctl2_q.dequeue & ((word2 & wanted2) == '0);

  // ---- s3: the counter, and what was guessed wrong -----------------------------------------------------------
  logic guessed2, adoptable2;
  assign guessed2 = ctl3_q.dequeue & (Root ? 1'b1 : same2_q[1]);
  assign adoptable2 = ctl2_q.dequeue & partition_same2 & (none2 | ctl2_q.last == ctl3_q.last);

  always_ff @(posedge clk_i) begin
    ctl3_q     <= rst_i ? '0 : ctl2_q;
    node3_q    <= node2_q;
    index3_q   <= index2;
    same3_q    <= same2_q;
    none3_q    <= none2;
    new_bit3_q <= new_bit2;
    adopt3_q   <= guessed2 & adoptable2;
    mend3_q    <= guessed2;
    mended3_q  <= adoptable2 ? chosen2 : decode(index3);
    if (Root && rst_i) left3_q <= '0;
    else left3_q <= ctl2_q.dequeue ? word2 & ~chosen2 : word2 | wanted2;
  end

  assign adopt3 = adopt3_q & keep4_q;
  assign index3 = adopt3 ? index4_q : index3_q;
  // If the bit ahead stays, either it is put back, or the own one, which is then not taken (none if there was none).
  assign word3  = left3_q | (mend3_q & keep4_q ? mended3_q : '0);

  logic same_count1, ahead_alive;
  assign ahead_alive = First ? ctl4_q.alive : 1'b1;  // deeper down `same` says so
  assign same_count1 =
      adopt3 | ((Root ? 1'b1 : same3_q[1]) & ahead_alive & index3_q == index4_q);

  if (CountAsync) begin : gen_count_async
    ram_async #(
      .Width(WordW),
      .Depth(Counters)
    ) u_counters (
      .clk_i,
      .we_i   (ctl4_q.alive),
      .waddr_i(CountAddrW'({node4_q, index4_q})),
      .wdata_i(WordW'(count4_new)),
      .raddr_i(CountAddrW'({node3_q, index3_q})),
      .rdata_o(count_ram[WordW-1:0])
    );
    always_comb begin
      count4_d = count_ram;
      if (new_bit3_q) count4_d = '0;
      if (same_count1) count4_d = count4_new;
    end
  end else begin : gen_count_sync
    count_t count5_q;
    index_t index5_q;
    logic same_count2, alive5_q;
    always_ff @(posedge clk_i) begin
      count5_q <= count4_new;
      index5_q <= index4_q;
      alive5_q <= ctl4_q.alive;
    end
    assign same_count2 = (Root ? 1'b1 : same3_q[2]) & (First ? alive5_q : 1'b1) & index3_q == index5_q;
    ram_1r1w #(
      .Width(WordW),
      .Depth(Counters)
    ) u_counters (
      .clk_i,
      .we_i   (ctl4_q.alive),
      .waddr_i(CountAddrW'({node4_q, index4_q})),
      .wdata_i(WordW'(count4_new)),
      .re_i   (1'b1),
      .raddr_i(CountAddrW'({node2_q, index2})),
      .rdata_o(count_ram[WordW-1:0])
    );
`ifndef SYNTHESIS
    cover_count_2 : cover property (@(posedge clk_i) ctl3_q.alive && same_count2 && !same_count1);
`endif
    always_comb begin
      count4_d = count_ram;
      if (same_count2) count4_d = count5_q;
      if (new_bit3_q) count4_d = '0;
      if (same_count1) count4_d = count4_new;
    end
  end
  if (First) begin : gen_empty
`ifndef SYNTHESIS
    cover_found_empty : cover property (@(posedge clk_i) ctl3_q.alive && !ctl4_d.alive);
    cover_empty_after_last : cover property (@(posedge clk_i) guess_alive3 && !ctl4_d.alive && !keep4_q);
`endif
  end
  if (!Leaf) begin : gen_no_list
    assign count_ram.list = 1'b0;
  end

  always_comb begin
    ctl4_d = ctl3_q;
    if (First && none3_q && !adopt3) ctl4_d.alive = 1'b0;
  end
  assign keep4_d = ctl4_d.alive & ctl3_q.dequeue & count4_d.several;

  // ---- s4: write ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    ctl4_q   <= rst_i ? '0 : ctl4_d;
    keep4_q  <= rst_i ? 1'b0 : keep4_d;
    node4_q  <= node3_q;
    index4_q <= index3;
    same4_q  <= same3_q;
    count4_q <= count4_d;
  end

  always_comb begin
    count4_new.list    = count4_q.list ^ (~ctl4_q.dequeue | ctl4_q.last);
    count4_new.number  = ctl4_q.dequeue ? count4_q.number - 1'b1 : count4_q.number + 1'b1;
    count4_new.several = ctl4_q.dequeue
        ? (count4_q.number >> 2) != '0 || count4_q.number[1:0] == 2'd3
        : count4_q.several | count4_q.number[0];
  end

  // Whether the operations ahead, by now 1 to 4 stages further down, went to the same child.
  index_t [4:1] ahead_index_q;
  logic [4:1] ahead_alive_q;
  always_ff @(posedge clk_i) begin
    ahead_index_q <= {ahead_index_q[3:1], index4_q};
    ahead_alive_q <= rst_i ? '0 : {ahead_alive_q[3:1], ctl4_q.alive};
  end
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) begin
      same_o[d] = (Root ? 1'b1 : same4_q[d]) & (First ? ahead_alive_q[d] : 1'b1) & ahead_index_q[d] == index4_q;
    end
  end

  assign ctl_o     = ctl4_q;
  assign node_o    = node4_q;
  assign index_o   = index4_q;
  assign several_o = count4_q.several;
  assign fresh_o   = ~ctl4_q.dequeue & ~count4_q.several & ~count4_q.number[0];
  assign two_o     = count4_q.several & ~count4_q.number[0] & (count4_q.number >> 2) == '0;
  // The newest is one insertion back. With c elements the oldest is c back, so its list follows from the parity of c.
  assign list_o    = count4_q.list ^ (ctl4_q.dequeue & (ctl4_q.last | count4_q.number[0]));

`ifndef SYNTHESIS
  // The hazards of §4.3.2, one by one; the tests demand that each of them occurs.
  logic guess_alive3;
  assign guess_alive3 = ctl3_q.alive & ctl4_q.alive & ctl4_q.dequeue;
  if (PartW < IndexW) begin : gen_choice
    cover_adopt : cover property (@(posedge clk_i) ctl3_q.alive && adopt3 && !none3_q);
  end
  cover_adopt_only : cover property (@(posedge clk_i) ctl3_q.alive && adopt3 && none3_q);
  cover_mend_dequeue : cover property (
      @(posedge clk_i) guess_alive3 && mend3_q && keep4_q && !adopt3_q && ctl3_q.dequeue);
  cover_mend_enqueue : cover property (
      @(posedge clk_i) guess_alive3 && mend3_q && keep4_q && !ctl3_q.dequeue);
  cover_guess_right : cover property (@(posedge clk_i) guess_alive3 && adopt3_q && !keep4_q);
  cover_count_1 : cover property (@(posedge clk_i) ctl3_q.alive && same_count1 && !adopt3);
  cover_count_1_new : cover property (@(posedge clk_i) ctl3_q.alive && same_count1 && new_bit3_q);
  cover_empties : cover property (@(posedge clk_i) ctl4_q.alive && ctl4_q.dequeue && !keep4_q);
  cover_fills : cover property (@(posedge clk_i) ctl4_q.alive && fresh_o);

  assert property (@(posedge clk_i) disable iff (rst_i) !First && ctl3_q.alive && none3_q |-> adopt3)
  else $error("bbq_level: a dequeue found an empty node");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   ctl4_q.alive && ctl4_q.dequeue |-> count4_q.number != '0)
  else $error("bbq_level: a counter below zero");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   ctl4_q.alive |-> count4_q.several == (count4_q.number >= 2))
  else $error("bbq_level: a waterlevel bit disagrees with its counter");
`endif
endmodule
