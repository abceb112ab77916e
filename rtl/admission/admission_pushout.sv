// Pushout: any packet enters while there is room; a full buffer drops from the longest queue.
//
// Source: occamy §2.2 ("drop on demand"); the arriving packet counts in its own queue, and pays
// itself if that is the longest. Of queues of one length the first is the longest, as of the Rust
// model's `Tournament`.
//
// Every operation, an arrival or a packet that leaves, climbs a tree of maxima from its queue's
// leaf, a level a cycle:
//
//   R       read the queue's length
//   D       fits? the new length, the free cells
//   P k     write the maximum of its subtree of 2^k leaves, read that of the one beside it
//   F       the maximum of all: a packet that does not fit is beyond it, or pushes out
//
// An operation meets on every level what those before it have written and nothing of those behind
// it, so what it finds at the root is the longest queue as it was when it was decided: exact,
// though operations follow each other in every cycle. An arrival that does not fit changes nothing,
// and so nothing of the search comes back to what is decided behind it. A level writes one word in a
// cycle; that is why an arrival and a packet that leaves cannot come together.
module admission_pushout #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned PacketW = 4,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned SumW = CountW + 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    ready_o,
  // One of both.
  input  logic                    valid_i,
  input  logic                    leaves_i,
  input  logic [      QueueW-1:0] queue_i,
  input  logic [     PacketW-1:0] cells_i,
  output logic                    valid_o,
  output admission_pkg::verdict_e verdict_o,
  output logic [      QueueW-1:0] victim_o,
  output logic [      CountW-1:0] free_o
);
  localparam int unsigned Levels = $clog2(Queues);
  localparam int unsigned Leaves = 1 << Levels;
  typedef logic [CountW-1:0] count_t;
  typedef logic [SumW-1:0] sum_t;

  // ---- R: after reset every leaf is set to zero, in turn ---------------------------------------
  logic ready_q, r_valid_q, r_leaves_q, r_clear_q;
  logic [QueueW-1:0] at_q, r_queue_q;
  logic [PacketW-1:0] r_cells_q;
  always_ff @(posedge clk_i) begin
    if (!ready_q) at_q <= at_q + 1'b1;
    if (at_q == QueueW'(Leaves - 1)) ready_q <= 1'b1;
    if (rst_i) begin
      ready_q <= 1'b0;
      at_q    <= '0;
    end
    r_valid_q  <= valid_i && !rst_i;
    r_leaves_q <= leaves_i && !rst_i;
    r_clear_q  <= !ready_q && !rst_i;
    r_queue_q  <= ready_q ? queue_i : at_q;
    r_cells_q  <= cells_i;
  end
  assign ready_o = ready_q;

  // ---- D ---------------------------------------------------------------------------------------
  logic d_valid_q, d_leaves_q, d_clear_q, d_any, d_again, fits;
  logic [QueueW-1:0] d_queue_q;
  logic [PacketW-1:0] d_cells_q;
  count_t d_own_q, free_q, own, fresh;
  sum_t signed_cells, sum;
  assign d_any        = d_valid_q | d_leaves_q | d_clear_q;
  assign d_again      = d_any && d_queue_q == r_queue_q;
  assign fits         = CountW'(d_cells_q) <= free_q;
  assign signed_cells = SumW'(d_cells_q) ^ {SumW{d_leaves_q}};
  assign sum          = SumW'(d_own_q) + signed_cells + SumW'(d_leaves_q);
  assign fresh        = (d_leaves_q || fits ? CountW'(sum) : d_own_q) & {CountW{~d_clear_q}};

  ram_async #(
    .Width(CountW),
    .Depth(Leaves)
  ) u_own (
    .clk_i,
    .we_i   (d_any),
    .waddr_i(d_queue_q),
    .wdata_i(fresh),
    .raddr_i(r_queue_q),
    .rdata_o(own)
  );

  always_ff @(posedge clk_i) begin
    d_valid_q  <= r_valid_q && !rst_i;
    d_leaves_q <= r_leaves_q && !rst_i;
    d_clear_q  <= r_clear_q && !rst_i;
    d_queue_q  <= r_queue_q;
    d_cells_q  <= r_cells_q;
    d_own_q    <= d_again ? fresh : own;
    if (d_leaves_q) free_q <= free_q + CountW'(d_cells_q);
    else if (d_valid_q && fits) free_q <= free_q - CountW'(d_cells_q);
    if (rst_i) free_q <= CountW'(Cells);
  end
  assign free_o = free_q;

  // ---- P: level k has the maxima of subtrees of 2^k leaves, and the first queue that has it ----
  typedef struct packed {
    logic              climbs;
    logic              asks;
    logic              fits;
    sum_t              with_packet;
    logic [QueueW-1:0] into;
    count_t            longest;
    logic [QueueW-1:0] first;   // bits below the level
  } climb_t;

  climb_t p_q[Levels+1];
  for (genvar k = 0; k < Levels; k++) begin : gen_level
    count_t beside;
    logic [QueueW-1:0] beside_first;
    if (k == 0) begin : gen_leaves
      // Leaves are written in stage D, a cycle ahead.
      ram_async #(
        .Width(CountW),
        .Depth(Leaves)
      ) u_leaves (
        .clk_i,
        .we_i   (d_any),
        .waddr_i(d_queue_q),
        .wdata_i(fresh),
        .raddr_i(p_q[k].into ^ QueueW'(1)),
        .rdata_o(beside)
      );
      assign beside_first = '0;
    end else begin : gen_nodes
      logic [k-1:0] stored;
      ram_async #(
        .Width(CountW + k),
        .Depth(Leaves >> k)
      ) u_nodes (
        .clk_i,
        .we_i   (p_q[k].climbs),
        .waddr_i(p_q[k].into[QueueW-1:k]),
        .wdata_i({p_q[k].longest, p_q[k].first[k-1:0]}),
        .raddr_i(p_q[k].into[QueueW-1:k] ^ (QueueW - k)'(1)),
        .rdata_o({beside, stored})
      );
      assign beside_first = QueueW'(stored);
    end

    // The left one wins if both are as long.
    logic wins;
    climb_t next;
    assign wins = {p_q[k].longest, ~p_q[k].into[k]} > {beside, 1'b0};
    always_comb begin
      next          = p_q[k];
      next.longest  = wins ? p_q[k].longest : beside;
      next.first    = wins ? p_q[k].first : beside_first;
      next.first[k] = p_q[k].into[k] ^ ~wins;
    end
    always_ff @(posedge clk_i) begin
      p_q[k+1] <= next;
      if (rst_i) {p_q[k+1].climbs, p_q[k+1].asks} <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    p_q[0] <= '{climbs: d_any && !rst_i, asks: d_valid_q && !rst_i, fits: fits, with_packet: sum,
                into: d_queue_q, longest: fresh, first: '0};
  end

  // ---- F ---------------------------------------------------------------------------------------
  climb_t root;
  logic own_is_longest;
  assign root           = p_q[Levels];
  assign own_is_longest = root.with_packet >= SumW'(root.longest);
  always_ff @(posedge clk_i) begin
    valid_o <= root.asks && !rst_i;
    if (root.fits) verdict_o <= admission_pkg::Accept;
    else verdict_o <= own_is_longest ? admission_pkg::Drop : admission_pkg::PushOut;
    victim_o <= root.first;
  end

`ifndef SYNTHESIS
  logic unused_root;
  assign unused_root = ^{root.climbs, root.into};
  cover_again : cover property (@(posedge clk_i) r_valid_q && d_again && d_valid_q && fits);
  cover_again_refused : cover property (@(posedge clk_i) r_valid_q && d_again && d_valid_q && !fits);
  cover_again_left : cover property (@(posedge clk_i) r_valid_q && d_again && d_leaves_q);
  cover_left_twice : cover property (@(posedge clk_i) r_leaves_q && d_again && d_leaves_q);
  cover_own : cover property (@(posedge clk_i) root.asks && !root.fits && own_is_longest);
  cover_other : cover property (@(posedge clk_i) root.asks && !root.fits && !own_is_longest);
  cover_as_long : cover property (
    @(posedge clk_i) root.asks && !root.fits && root.with_packet == SumW'(root.longest));
  assert property (@(posedge clk_i) disable iff (rst_i) !(valid_i && leaves_i))
  else $error("admission_pushout: an arrival and a packet that leaves come together");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   d_leaves_q |-> CountW'(d_cells_q) <= d_own_q)
  else $error("admission_pushout: more leaves a queue than is there");
`endif
endmodule
