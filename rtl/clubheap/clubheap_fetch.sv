// READ and WRITE of one level: its memory, and what of it is newer than the memory.
//
// Source: clubheap §4.1, §4.3 (Fig. 7, "forwarded_data"). An operation is in stage C (compare) in some
// cycle u, in W (write) in u + 1. In u its parent's choice of a sibling has just been registered; in
// u - 1 the pair is known, in u - 2 the pair of the parent. The node needed is the newest of:
//   - what the operation before leaves: it is in W in cycle u. `forward_o` says so, and the user takes it;
//   - what earlier operations wrote, of which the memory read may miss some;
//   - the memory.
// Which one it is, is known from addresses a cycle ahead, except for the sibling. Three ways to read:
//   - ReadLutRam: a memory without a clock, read in u - 1 and registered. For small memories.
//   - ReadPaper: a block RAM, read from u - 1 as the paper does: its output is used in stage C.
//     Both miss the operation that is in W in u - 1 and has left it in u (V).
//   - ReadEarly: a block RAM, read from u - 2: the pairs of the parent and of its sibling, in a word twice
//     as wide. The right pair is chosen and registered in u - 1, so a memory's output has a cycle of its
//     own. It misses two operations: the one in W in u - 1, caught from there, and the one before (V).

module clubheap_fetch #(
  /// Bits of a node.
  parameter int unsigned NodeW = 64,
  /// Addresses of sibling pairs (of roots on level 1).
  parameter int unsigned Pairs = 16,
  /// Nodes at an address: 1 for roots, else 2.
  parameter int unsigned Siblings = 2,
  parameter clubheap_pkg::read_e Read = clubheap_pkg::ReadEarly,
  /// ReadEarly: the pairs 2a and 2a + 1 are read together, at row a. Not where a parent has no sibling.
  parameter bit Quads = 1'b1,
  localparam int unsigned PairW = clubheap_pkg::addr_width(Pairs),
  localparam int unsigned Rows = Quads ? (Pairs + 1) / 2 : Pairs,
  localparam int unsigned RowW = clubheap_pkg::addr_width(Rows)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  /// Cycle u - 2, ReadEarly only: the row.
  input  logic [RowW-1:0]  row_i,
  /// Cycle u - 1: the pair.
  input  logic [PairW-1:0] pair_i,
  /// Cycle u - 1: the operation before, which is in stage C.
  input  logic             c_we_i,
  input  logic [PairW-1:0] c_pair_i,
  input  logic             c_sel_i,
  /// Cycle u - 1, as late as it is decided: the sibling.
  input  logic             sel_i,
  /// Cycle u: whether there is an operation.
  input  logic             valid_i,
  /// Stage W: what is written.
  input  logic             w_we_i,
  input  logic [PairW-1:0] w_pair_i,
  input  logic             w_sel_i,
  input  logic [NodeW-1:0] w_node_i,
  /// Cycle u: the node, unless it is the one in stage W.
  output logic [NodeW-1:0] node_o,
  /// Cycle u: it is.
  output logic             forward_o
);
  import clubheap_pkg::*;

  // Where the node is: 3 in W, 2 in V, else that sibling of what was read. Registered, so that the choice is
  // there at the beginning of stage C.
  logic       same_w, forward, from_v;
  logic [1:0] where_q;

  assign same_w = w_we_i && w_pair_i == pair_i;
  assign forward = c_we_i && c_pair_i == pair_i && c_sel_i == sel_i;
  assign from_v = same_w && w_sel_i == sel_i && Read != ReadEarly;

  always_ff @(posedge clk_i) begin
    where_q[1] <= (forward || from_v) && !rst_i;
    where_q[0] <= forward || (!from_v && sel_i && Siblings == 2);
  end
  assign forward_o = where_q == 2'd3;

`ifndef SYNTHESIS
  // The operation before had the same pair: the same node, or its sibling.
  cover_forward : cover property (@(posedge clk_i) forward_o && valid_i);
  if (Siblings == 2) begin : gen_cover_sibling
    logic same_c_q;
    always_ff @(posedge clk_i) same_c_q <= c_we_i && c_pair_i == pair_i && !rst_i;
    cover_sibling : cover property (@(posedge clk_i) same_c_q && !forward_o && valid_i);
  end
  if (Read != ReadEarly) begin : gen_cover_v
    cover_two_before : cover property (@(posedge clk_i) where_q == 2'd2 && valid_i);
  end
`endif
  logic unused_valid;
  assign unused_valid = valid_i;  // for coverage only

  // The operation that left W last.
  logic             v_we_q, v_sel_q;
  logic [PairW-1:0] v_pair_q;
  logic [NodeW-1:0] v_node_q;

  always_ff @(posedge clk_i) begin
    v_we_q   <= w_we_i && !rst_i;
    v_pair_q <= w_pair_i;
    v_sel_q  <= w_sel_i;
    v_node_q <= w_node_i;
  end

  logic write[Siblings];
  for (genvar s = 0; s < Siblings; s++) begin : gen_write
    assign write[s] = w_we_i && (Siblings == 1 || w_sel_i == 1'(s));
  end

  if (Read == ReadLutRam) begin : gen_lut_ram
    logic [NodeW-1:0] pair_q[Siblings];

    for (genvar s = 0; s < Siblings; s++) begin : gen_sibling
      logic [NodeW-1:0] word;
      ram_async #(
        .Width(NodeW),
        .Depth(Pairs)
      ) u_ram (
        .clk_i,
        .we_i   (write[s]),
        .waddr_i(w_pair_i),
        .wdata_i(w_node_i),
        .raddr_i(pair_i),
        .rdata_o(word)
      );
      always_ff @(posedge clk_i) pair_q[s] <= word;
    end
    assign node_o = where_q[1] ? v_node_q : pair_q[where_q[0] && Siblings == 2];
    logic unused;
    assign unused = ^{row_i, v_we_q, v_sel_q, v_pair_q};
  end else if (Read == ReadEarly) begin : gen_early
    logic [NodeW-1:0] pair_q[Siblings];
    logic             same_v;
    assign same_v = v_we_q && v_pair_q == pair_i;

    for (genvar s = 0; s < Siblings; s++) begin : gen_sibling
      localparam int unsigned Banks = Quads ? 2 : 1;
      logic [NodeW-1:0] word[Banks];
      for (genvar b = 0; b < Banks; b++) begin : gen_bank
        ram_1r1w #(
          .Width(NodeW),
          .Depth(Rows)
        ) u_ram (
          .clk_i,
          .we_i   (write[s] && (!Quads || w_pair_i[0] == 1'(b))),
          .waddr_i(RowW'(Quads ? w_pair_i >> 1 : w_pair_i)),
          .wdata_i(w_node_i),
          .re_i   (1'b1),
          .raddr_i(row_i),
          .rdata_o(word[b])
        );
      end
      always_ff @(posedge clk_i) begin
        if (same_w && write[s]) pair_q[s] <= w_node_i;
        else if (same_v && (Siblings == 1 || v_sel_q == 1'(s))) pair_q[s] <= v_node_q;
        else pair_q[s] <= word[Quads && pair_i[0]];
      end
    end
    assign node_o = pair_q[where_q[0] && Siblings == 2];
`ifndef SYNTHESIS
    logic same_w_q, same_v_q, w_sel_q, v_sel_qq, sel_q;
    always_ff @(posedge clk_i) begin
      {same_w_q, w_sel_q} <= {same_w && !rst_i, w_sel_i};
      {same_v_q, v_sel_qq} <= {same_v && !rst_i, v_sel_q};
      sel_q <= sel_i;
    end
    cover_two_before : cover property (@(posedge clk_i) valid_i && same_w_q && w_sel_q == sel_q && !forward_o);
    cover_three_before : cover property (@(posedge clk_i)
        valid_i && same_v_q && v_sel_qq == sel_q && !(same_w_q && w_sel_q == sel_q) && !forward_o);
`endif
  end else begin : gen_paper
    logic [NodeW-1:0] word[Siblings];

    for (genvar s = 0; s < Siblings; s++) begin : gen_sibling
      ram_1r1w #(
        .Width(NodeW),
        .Depth(Pairs)
      ) u_ram (
        .clk_i,
        .we_i   (write[s]),
        .waddr_i(w_pair_i),
        .wdata_i(w_node_i),
        .re_i   (1'b1),
        .raddr_i(pair_i),
        .rdata_o(word[s])
      );
    end
    assign node_o = where_q[1] ? v_node_q : word[where_q[0] && Siblings == 2];
    logic unused;
    assign unused = ^{row_i, v_we_q, v_sel_q, v_pair_q};
  end

endmodule
