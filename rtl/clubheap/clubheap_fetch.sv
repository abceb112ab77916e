// READ and WRITE of one level: its memory, and what of it is newer than the memory.
//
// Source: clubheap §4.1, §4.3 (Fig. 7, "forwarded_data"). An operation is in stage C (compare) in some
// cycle u, in W (write) in u + 1. In u its parent's choice of a sibling has just been registered; in
// u - 1 the pair is known, in u - 2 the pair of the parent. The node needed is the newest of:
//   - what the operation before leaves: it is in C in u - 1, in W in u (`forward_o`). What the level below
//     sends it in W is not in `node_o`; the user looks at that separately;
//   - what earlier operations wrote, of which the memory read may miss some;
//   - the memory.
// Three ways to read:
//   - ReadLutRam: a memory without a clock, read in u - 1. For small memories.
//   - ReadEarly: a block RAM, read from u - 2: the pairs of the parent and of its sibling, in a word twice
//     as wide, so that a memory's output has a cycle of its own. It misses the operations in C, in W and
//     just out of W (V) in u - 1.
//   - ReadPaper: a block RAM, read from u - 1 as the paper does: its output is used in stage C. It misses
//     the operations in C and in W in u - 1.
// The first two choose in u - 1, from the node that stage C is just deciding too, and register the node:
// stage C begins with a comparison and not with a choice.

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
  localparam int unsigned PairW = parameter_pkg::index_width(Pairs),
  localparam int unsigned Rows = Quads ? (Pairs + 1) / 2 : Pairs,
  localparam int unsigned RowW = parameter_pkg::index_width(Rows)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  /// Cycle u - 2, ReadEarly only: the row.
  input  logic [RowW-1:0]  row_i,
  /// Cycle u - 1: the pair.
  input  logic [PairW-1:0] pair_i,
  /// Cycle u - 1: the operation before, which is in stage C, and the node that it leaves.
  input  logic             c_we_i,
  input  logic [PairW-1:0] c_pair_i,
  input  logic             c_sel_i,
  input  logic [NodeW-1:0] c_node_i,
  /// Cycle u - 1, as late as it is decided: the sibling.
  input  logic             sel_i,
  /// Cycle u: whether there is an operation.
  input  logic             valid_i,
  /// Stage W: what is written.
  input  logic             w_we_i,
  input  logic [PairW-1:0] w_pair_i,
  input  logic             w_sel_i,
  input  logic [NodeW-1:0] w_node_i,
  /// Stage W: the same without what the level below sends in this cycle.
  input  logic [NodeW-1:0] w_kept_i,
  /// Cycle u: the node, without that.
  output logic [NodeW-1:0] node_o,
  /// Cycle u: it is the one in stage W; and the same in u - 1.
  output logic             forward_o,
  output logic             forward_next_o
);
  import clubheap_pkg::*;

  logic same_w, forward, forward_q;

  assign same_w  = w_we_i && w_pair_i == pair_i;
  assign forward = c_we_i && c_pair_i == pair_i && c_sel_i == sel_i;

  always_ff @(posedge clk_i) forward_q <= forward && !rst_i;
  assign forward_o      = forward_q;
  assign forward_next_o = forward;

`ifndef SYNTHESIS
  // The operation before had the same pair: the same node, or its sibling. The one before that had the node.
  logic two_before_q;
  always_ff @(posedge clk_i) two_before_q <= same_w && w_sel_i == sel_i && !rst_i;
  cover_forward : cover property (@(posedge clk_i) forward_o && valid_i);
  cover_two_before : cover property (@(posedge clk_i) two_before_q && !forward_o && valid_i);
  if (Siblings == 2) begin : gen_cover_sibling
    logic same_c_q;
    always_ff @(posedge clk_i) same_c_q <= c_we_i && c_pair_i == pair_i && !rst_i;
    cover_sibling : cover property (@(posedge clk_i) same_c_q && !forward_o && valid_i);
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

  if (Read != ReadPaper) begin : gen_registered
    logic [NodeW-1:0] read[Siblings], node_q;
    logic             same_v;
    assign same_v = Read == ReadEarly && v_we_q && v_pair_q == pair_i;

    for (genvar s = 0; s < Siblings; s++) begin : gen_sibling
      localparam int unsigned Banks = Quads ? 2 : 1;
      logic [NodeW-1:0] word[Banks];
      if (Read == ReadLutRam) begin : gen_lut_ram
        ram_async #(
          .Width(NodeW),
          .Depth(Pairs)
        ) u_ram (
          .clk_i,
          .we_i   (write[s]),
          .waddr_i(w_pair_i),
          .wdata_i(w_node_i),
          .raddr_i(pair_i),
          .rdata_o(word[0])
        );
      end else begin : gen_early
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
      end
      always_comb begin
        read[s] = word[Quads && pair_i[0]];
        if (same_v && (Siblings == 1 || v_sel_q == 1'(s))) read[s] = v_node_q;
        if (same_w && write[s]) read[s] = w_node_i;
      end
    end

    // The choice of the sibling comes last, and with it the node of stage C: one bit for each source.
    logic from_read[Siblings];
    logic [NodeW-1:0] node;
    always_comb begin
      node = {NodeW{forward}} & c_node_i;
      for (int s = 0; s < Siblings; s++) node |= {NodeW{from_read[s]}} & read[s];
    end
    for (genvar s = 0; s < Siblings; s++) begin : gen_choice
      assign from_read[s] = !forward && (Siblings == 1 || sel_i == 1'(s));
    end
    always_ff @(posedge clk_i) node_q <= node;
    assign node_o = node_q;
    logic unused;
    assign unused = ^{row_i, w_kept_i, v_we_q, v_sel_q, v_pair_q, v_node_q};

`ifndef SYNTHESIS
    if (Read == ReadEarly) begin : gen_cover
      logic three_before_q;
      always_ff @(posedge clk_i) begin
        three_before_q <= same_v && v_sel_q == sel_i && !(same_w && w_sel_i == sel_i) && !rst_i;
      end
      cover_three_before : cover property (@(posedge clk_i) valid_i && three_before_q && !forward_o);
    end
`endif
  end else begin : gen_paper
    logic sel_q, from_v_q;
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
    always_ff @(posedge clk_i) begin
      sel_q    <= sel_i && Siblings == 2;
      from_v_q <= same_w && w_sel_i == sel_i;
    end
    assign node_o = forward_q ? w_kept_i : from_v_q ? v_node_q : word[sel_q];
    logic unused;
    assign unused = ^{row_i, c_node_i, v_we_q, v_sel_q, v_pair_q};
  end

endmodule
