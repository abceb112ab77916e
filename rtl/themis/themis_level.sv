// One level of the two-tier tree: finds the bit that an operation takes, and keeps two bitmaps and two counters.
//
// Source: Themis §5.3 (shadow bitmaps and shadow counters), Fig. 21; the stages, the forwarding and the speculation
// are those of `bbq_level`, which explains them. What the two tiers add:
//
//   - a node's word is its near and its far bitmap; a child's word is its near and its far counter. Both are read and
//     written together, so a swap (near - 1, far + 1, or the reverse) is one operation;
//   - there is one index unit. It looks at the bitmap of the operation's tier; at the root, for a dequeue, at both;
//   - a swap adds to the other tier's bitmap the bit it takes, which is known only when the operation ahead has said
//     whether its bit stays. So what is added, and what is put back, is made ready for both cases and chosen at s3.
//
// The tier is decided at the root and nowhere else, as every level below must count the operation in one tier. Where it
// is open, it too depends on whether the bit ahead stays, and is settled at s3.
module themis_level #(
  /// This is the level of the root word.
  parameter bit Root = 1'b0,
  /// Bits of a bitmap, a power of two.
  parameter int unsigned Width = 8,
  /// Bits of the node's number: log2(Width) for each level above, at least 1.
  parameter int unsigned NodeW = 3,
  /// Bits of a counter.
  parameter int unsigned CountW = 11,
  /// A leaf's counter word has two bits more, for the lists behind it.
  parameter bit Leaf = 1'b0,
  /// The largest memory that is read without a clock.
  parameter int unsigned AsyncDepth = 64,
  /// Derived: bits of an index into a bitmap.
  localparam int unsigned IndexW = $clog2(Width)
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  // s0
  input  themis_pkg::ctl_t               ctl_i,
  input  logic             [  NodeW-1:0] node_i,
  /// Enqueue: the index to take.
  input  logic             [ IndexW-1:0] index_i,
  /// An enqueue whose node was empty in both tiers.
  input  logic                           fresh_i,
  /// Whether the operation 1, 2, 3, 4 ahead is alive and in the same node.
  input  logic             [        4:1] same_i,
  // s4
  output themis_pkg::ctl_t               ctl_o,
  output logic             [  NodeW-1:0] node_o,
  output logic             [ IndexW-1:0] index_o,
  output logic                           fresh_o,
  output logic             [        4:1] same_o,
  // Of the child before the operation; 0 is near, 1 is far.
  /// It held at least two elements.
  output logic             [        1:0] several_o,
  /// It held exactly two.
  output logic             [        1:0] two_o,
  /// Leaf: which of the bucket's two lists the operation goes to.
  output logic             [        1:0] list_o,
  /// An enqueue goes near and the child held something far.
  output logic                           ahead_o
);
  localparam int unsigned WordW = 2 * (CountW + 1) + 2 * 32'(Leaf);
  localparam int unsigned Counters = Root ? Width : Width * (2 ** NodeW);
  localparam bit BitmapAsync = (2 ** NodeW) <= AsyncDepth;
  localparam bit CountAsync = Counters <= AsyncDepth;
  localparam int unsigned CountAddrW = $clog2(Counters);

  typedef logic [Width-1:0] bitmap_t;
  typedef logic [1:0][Width-1:0] word_t;
  typedef logic [IndexW-1:0] index_t;
  typedef struct packed {
    logic              several;  // the waterlevel bit: two or more
    logic [CountW-1:0] number;
  } count_t;
  typedef struct packed {
    logic [1:0]   list;
    count_t [1:0] tier;
  } counts_t;

  function automatic bitmap_t decode(index_t index);
    return bitmap_t'(1) << index;
  endfunction

  // Registers of the stages; the number in a name is the stage's.
  themis_pkg::ctl_t ctl2_q, ctl3_q, ctl4_q, ctl4_d;
  logic [NodeW-1:0] node2_q, node3_q, node4_q;
  index_t index2_q, index2, index3_q, index3, index4_q;
  logic [4:1] same2_q, same3_q, same4_q;
  word_t word2, left2, left3_q, word3;
  bitmap_t own3, ahead4;
  logic [1:0] own_gone2, own_stays2, ahead_stays2, own_gone3_q, own_stays3_q, ahead_stays3_q;
  logic none2, new_bit2, none3_q, new_bit3_q, change3_q, change3, adopt3, far3;
  logic keep4_d, keep4_q;
  counts_t count_ram, count4_d, count4_q, count4_new;

  // ---- s1: the bitmaps ---------------------------------------------------------------------------------------
  if (Root) begin : gen_root
    assign word2 = word3;
    always_ff @(posedge clk_i) begin
      ctl2_q   <= rst_i ? '0 : ctl_i;
      index2_q <= index_i;
    end
    assign node2_q = '0;
    assign same2_q = '0;

    logic unused_inputs;
    assign unused_inputs = ^{node_i, fresh_i, same_i};
  end else begin : gen_node
    themis_pkg::ctl_t ctl1_q;
    logic [NodeW-1:0] node1_q;
    index_t index1_q;
    logic fresh1_q;
    logic [4:1] same1_q;
    word_t bitmap_ram, word1, word2_q, word4_q, word4;

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
    always_comb begin
      word4 = word4_q;
      if (keep4_q) word4[ctl4_q.is_far] = word4_q[ctl4_q.is_far] | ahead4;
    end

    if (BitmapAsync) begin : gen_async
      ram_async #(
        .Width(2 * Width),
        .Depth(2 ** NodeW)
      ) u_bitmaps (
        .clk_i,
        .we_i   (ctl4_q.alive),
        .waddr_i(node4_q),
        .wdata_i(word4),
        .raddr_i(node1_q),
        .rdata_o(bitmap_ram)
      );
      assign word1 = same1_q[3] ? word4 : bitmap_ram;
    end else begin : gen_sync
      word_t word5_q;
      always_ff @(posedge clk_i) word5_q <= word4;
      ram_1r1w #(
        .Width(2 * Width),
        .Depth(2 ** NodeW)
      ) u_bitmaps (
        .clk_i,
        .we_i   (ctl4_q.alive),
        .waddr_i(node4_q),
        .wdata_i(word4),
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
    cover_fresh_after_emptied : cover property (@(posedge clk_i) ctl1_q.alive && fresh1_q && same1_q[1]);
`endif
  end

  // ---- s2: the bit -------------------------------------------------------------------------------------------
  bitmap_t visible2, chosen2;
  index_t first2;
  logic tier2, guessed2, adopt2, change2;
  // The bit ahead is a guess: the operation at s3 cleared it in its tier.
  assign guessed2 = ctl3_q.pop & (Root ? 1'b1 : same2_q[1]);

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

  assign index2   = ctl2_q.pop ? first2 : index2_q;
  assign none2    = ctl2_q.pop & visible2 == '0;
  assign new_bit2 = ~ctl2_q.pop & ~word2[0][index2_q] & ~word2[1][index2_q];

  if (Root) begin : gen_open
    // Bits below the index ahead, and up to the enqueue's own.
    bitmap_t below_ahead, up_to_own;
    always_comb begin
      for (int unsigned i = 0; i < Width; i++) begin
        below_ahead[i] = index_t'(i) < index3;
        up_to_own[i]   = index_t'(i) <= index2_q;
      end
    end
    logic adopt_open2, outward2;
    assign visible2 = (word2[0] & {Width{ctl2_q.open | ~ctl2_q.is_far}})
        | (word2[1] & {Width{ctl2_q.open | ctl2_q.is_far}});
    always_comb begin
      tier2 = ctl2_q.is_far;
      if (ctl2_q.open) tier2 = ctl2_q.pop ? (chosen2 & word2[0]) == '0 : (word2[1] & up_to_own) != '0;
    end
    // With the bit ahead put back it would be the one to take: nothing is below it, and it is near, or nothing near is
    // beside it.
    assign adopt_open2 = ((word2[0] | word2[1]) & below_ahead) == '0 & (~far3 | ~word2[0][index3]);
    // With the bit ahead put back, the far tier holds the enqueue's digit or a smaller one.
    assign outward2    = ctl2_q.open & ctl2_q.push & ~ctl2_q.pop & far3 & up_to_own[index3];
    assign adopt2      = guessed2 & ctl2_q.pop & (ctl2_q.open ? adopt_open2
        : ctl2_q.is_far == far3 & (none2 | ctl2_q.last == ctl3_q.last));
    assign change2     = adopt2 | (guessed2 & outward2);
  end else begin : gen_settled
    assign visible2 = word2[ctl2_q.is_far];
    assign tier2    = ctl2_q.is_far;
    assign adopt2   = guessed2 & ctl2_q.pop & ctl2_q.is_far == far3 & (none2 | ctl2_q.last == ctl3_q.last);
    assign change2  = adopt2;
  end

  // A bit taken is cleared at once; where the tier is open, near if the near bit is set.
  always_comb begin
    for (int unsigned i = 0; i < Width; i++) begin
      left2[0][i] = word2[0][i] & ~(chosen2[i] & ctl2_q.pop & (Root & ctl2_q.open | ~ctl2_q.is_far));
      left2[1][i] = word2[1][i]
          & ~(chosen2[i] & ctl2_q.pop & (Root & ctl2_q.open ? ~word2[0][i] : ctl2_q.is_far));
    end
  end

  // What is added to that at s3, in which tiers. If the bit ahead is gone, the own one of an enqueue or a swap; if it
  // stays, that bit, or, if it is adopted, the one chosen before, and the adopted one where a swap adds it.
  always_comb begin
    own_gone2    = '0;
    own_stays2   = '0;
    ahead_stays2 = '0;
    own_gone2[tier2^ctl2_q.pop] = ctl2_q.push & ~none2;
    if (adopt2) begin
      own_stays2[tier2]   = ~none2;
      ahead_stays2[~far3] = ctl2_q.push;
    end else begin
      own_stays2[(change2 ? far3 : tier2)^ctl2_q.pop] = ctl2_q.push & ~none2;
      ahead_stays2[far3]                              = guessed2;
    end
  end

  // ---- s3: the counters, and what was guessed wrong ----------------------------------------------------------
  always_ff @(posedge clk_i) begin
    ctl3_q         <= rst_i ? '0 : ctl2_q;
    node3_q        <= node2_q;
    index3_q       <= index2;
    same3_q        <= same2_q;
    none3_q        <= none2;
    new_bit3_q     <= new_bit2;
    change3_q      <= change2;
    left3_q        <= Root & rst_i ? '0 : left2;
    own_gone3_q    <= Root & rst_i ? '0 : own_gone2;
    own_stays3_q   <= Root & rst_i ? '0 : own_stays2;
    ahead_stays3_q <= Root & rst_i ? '0 : ahead_stays2;
    if (!rst_i) ctl3_q.is_far <= tier2;
  end

  assign change3 = change3_q & keep4_q;
  assign adopt3  = change3 & ctl3_q.pop;
  assign index3  = adopt3 ? index4_q : index3_q;
  assign far3    = change3 ? ctl4_q.is_far : ctl3_q.is_far;
  assign own3    = decode(index3_q);
  assign ahead4  = decode(index4_q);
  always_comb begin
    for (int unsigned t = 0; t < 2; t++) begin
      word3[t] = left3_q[t] | (own3 & {Width{keep4_q ? own_stays3_q[t] : own_gone3_q[t]}})
          | (ahead4 & {Width{keep4_q & ahead_stays3_q[t]}});
    end
  end

  logic same_count1, ahead_alive;
  assign ahead_alive = Root ? ctl4_q.alive : 1'b1;  // deeper down `same` says so
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
    counts_t count5_q;
    index_t index5_q;
    logic same_count2, alive5_q;
    always_ff @(posedge clk_i) begin
      count5_q <= count4_new;
      index5_q <= index4_q;
      alive5_q <= ctl4_q.alive;
    end
    assign same_count2 = (Root ? 1'b1 : same3_q[2]) & (Root ? alive5_q : 1'b1) & index3_q == index5_q;
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
  if (!Leaf) begin : gen_no_list
    assign count_ram.list = '0;
  end

  always_comb begin
    ctl4_d     = ctl3_q;
    ctl4_d.is_far = far3;
    if (Root && none3_q && !adopt3) ctl4_d.alive = 1'b0;
  end
  assign keep4_d = ctl4_d.alive & ctl3_q.pop & count4_d.tier[far3].several;

  // ---- s4: write ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    ctl4_q   <= rst_i ? '0 : ctl4_d;
    keep4_q  <= rst_i ? 1'b0 : keep4_d;
    node4_q  <= node3_q;
    index4_q <= index3;
    same4_q  <= same3_q;
    count4_q <= count4_d;
  end

  logic [1:0] less4, more4;
  always_comb begin
    for (int unsigned t = 0; t < 2; t++) begin
      automatic count_t count = count4_q.tier[t];
      less4[t] = ctl4_q.pop & ctl4_q.is_far == 1'(t);
      more4[t] = ctl4_q.push & (ctl4_q.is_far ^ ctl4_q.pop) == 1'(t);
      count4_new.tier[t].number = count.number + ({CountW{less4[t]}} | CountW'(more4[t]));
      count4_new.tier[t].several = count.several;
      if (less4[t]) count4_new.tier[t].several = (count.number >> 2) != '0 || count.number[1:0] == 2'd3;
      if (more4[t]) count4_new.tier[t].several = count.several | count.number[0];
      several_o[t] = count.several;
      two_o[t] = count.several & ~count.number[0] & (count.number >> 2) == '0;
    end
    // Elements of a bucket's tier are on its two lists in turn; `list` is where the next goes that comes to the back.
    count4_new.list[0] = count4_q.list[0] ^ (more4[0] | (less4[0] & ctl4_q.last));
    count4_new.list[1] = count4_q.list[1] ^ (more4[1] & ~ctl4_q.pop);
  end

  // The newest is one insertion back; with c elements the oldest is c back, and what is put before it c + 1.
  assign list_o[0] = count4_q.list[0] ^ (less4[0] & (ctl4_q.last | count4_q.tier[0].number[0]));
  assign list_o[1] = count4_q.list[1] ^ (ctl4_q.pop & (more4[1] ^ count4_q.tier[1].number[0]));

  // Whether the operations ahead, by now 1 to 4 stages further down, went to the same child.
  index_t [4:1] ahead_index_q;
  logic [4:1] ahead_alive_q;
  always_ff @(posedge clk_i) begin
    ahead_index_q <= {ahead_index_q[3:1], index4_q};
    ahead_alive_q <= rst_i ? '0 : {ahead_alive_q[3:1], ctl4_q.alive};
  end
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) begin
      same_o[d] = (Root ? 1'b1 : same4_q[d]) & (Root ? ahead_alive_q[d] : 1'b1) & ahead_index_q[d] == index4_q;
    end
  end

  logic [1:0] held4;
  assign held4[0] = count4_q.tier[0].several | count4_q.tier[0].number[0];
  assign held4[1] = count4_q.tier[1].several | count4_q.tier[1].number[0];

  assign ctl_o    = ctl4_q;
  assign node_o   = node4_q;
  assign index_o  = index4_q;
  assign fresh_o  = ~ctl4_q.pop & held4 == '0;
  assign ahead_o  = more4[0] & ~ctl4_q.pop & held4[1];

`ifndef SYNTHESIS
  // The hazards, one by one; the tests demand that each of them occurs.
  logic guess_alive3;
  assign guess_alive3 = ctl3_q.alive & ctl4_q.alive & ctl4_q.pop & (Root ? 1'b1 : same3_q[1]);
  cover_adopt : cover property (@(posedge clk_i) ctl3_q.alive && adopt3 && !none3_q);
  cover_adopt_only : cover property (@(posedge clk_i) ctl3_q.alive && adopt3 && none3_q);
  cover_adopt_swap_out : cover property (@(posedge clk_i) ctl3_q.alive && adopt3 && ctl3_q.push && ctl3_q.last);
  cover_adopt_swap_in : cover property (@(posedge clk_i) ctl3_q.alive && adopt3 && ctl3_q.push && !ctl3_q.last);
  cover_mend_pop : cover property (@(posedge clk_i) guess_alive3 && keep4_q && !adopt3 && ctl3_q.pop);
  cover_mend_enqueue : cover property (@(posedge clk_i) guess_alive3 && keep4_q && !ctl3_q.pop);
  cover_guess_right : cover property (@(posedge clk_i) guess_alive3 && change3_q && !keep4_q);
  cover_other_tier : cover property (@(posedge clk_i) guess_alive3 && keep4_q && ctl3_q.pop && far3 != ctl4_q.is_far);
  cover_count_1 : cover property (@(posedge clk_i) ctl3_q.alive && same_count1 && !adopt3);
  cover_count_1_new : cover property (@(posedge clk_i) ctl3_q.alive && same_count1 && new_bit3_q);
  cover_empties : cover property (@(posedge clk_i) ctl4_q.alive && ctl4_q.pop && !keep4_q);
  cover_fills : cover property (@(posedge clk_i) ctl4_q.alive && fresh_o);
  cover_fills_tier : cover property (@(posedge clk_i) ctl4_q.alive && |(more4 & ~held4));
  if (Root) begin : gen_root_cover
    cover_found_empty : cover property (@(posedge clk_i) ctl3_q.alive && !ctl4_d.alive);
    cover_empty_after_last : cover property (@(posedge clk_i) guess_alive3 && !ctl4_d.alive && !keep4_q);
    cover_open_far : cover property (@(posedge clk_i) ctl3_q.alive && ctl3_q.open && ctl3_q.pop && far3);
    cover_open_tier_changes : cover property (
        @(posedge clk_i) ctl3_q.alive && ctl3_q.open && adopt3 && far3 != ctl3_q.is_far && !none3_q);
    cover_enqueue_turned_far : cover property (
        @(posedge clk_i) ctl3_q.alive && change3 && !ctl3_q.pop && !ctl3_q.is_far);
  end

  assert property (@(posedge clk_i) disable iff (rst_i) !Root && ctl3_q.alive && none3_q |-> adopt3)
  else $error("themis_level: an operation found nothing in its tier of a node");
  for (genvar t = 0; t < 2; t++) begin : gen_check
    assert property (@(posedge clk_i) disable iff (rst_i)
                     ctl4_q.alive && less4[t] |-> count4_q.tier[t].number != '0)
    else $error("themis_level: a counter below zero");
    assert property (@(posedge clk_i) disable iff (rst_i)
                     ctl4_q.alive |-> count4_q.tier[t].several == (count4_q.tier[t].number >= 2))
    else $error("themis_level: a waterlevel bit disagrees with its counter");
  end
`endif
endmodule
