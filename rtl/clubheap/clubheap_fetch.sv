// READ and WRITE of one level: its memory, and what of it is newer than the memory.
//
// Source: clubheap §4.1, §4.3 (Fig. 7, "forwarded_data"). An operation is in stage C (compare) in some
// cycle u, in W (write) in u + 1. The node it needs is the newest of:
//   - what the operation before wrote: it is in W in cycle u, and arrives as `w_node_i`, already with
//     the smallest element that the level below sends up in that very cycle;
//   - what the one before that wrote: it left W at the edge at which the memory was read;
//   - the memory.
// Which of them it is, is known from addresses a cycle ahead, except for the sibling.
//
// With Early = 0 the pair is read in u - 1 and a memory's output is used in stage C, as the paper does.
// With Early = 1 the pairs of both siblings of the parent are read in u - 2, and the right pair is
// selected and registered in u - 1: a whole cycle for the memory, and twice as wide a word. Then the one
// that left W at the edge of the read is one operation earlier, and the one before it is caught from W.
//
// Memory: Siblings * (Early ? 2 : 1) banks of a simple dual-port RAM.

module clubheap_fetch #(
  /// Bits of a node.
  parameter int unsigned NodeW = 64,
  /// Addresses of sibling pairs (of roots on level 1).
  parameter int unsigned Pairs = 16,
  /// Nodes at an address: 1 for roots, else 2.
  parameter int unsigned Siblings = 2,
  /// Read a cycle earlier.
  parameter bit Early = 1'b1,
  /// Early: the pairs at 2a and 2a + 1 are read together, at row a.
  parameter bit Quads = 1'b1,
  localparam int unsigned PairW = clubheap_pkg::addr_width(Pairs),
  localparam int unsigned Rows = Quads ? (Pairs + 1) / 2 : Pairs,
  localparam int unsigned RowW = clubheap_pkg::addr_width(Rows)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  /// Cycle u - 2, Early only: the row.
  input  logic [ RowW-1:0] row_i,
  /// Cycle u - 1: the pair.
  input  logic [PairW-1:0] pair_i,
  /// Cycle u - 1: the operation before, which is in stage C.
  input  logic             c_we_i,
  input  logic [PairW-1:0] c_pair_i,
  /// Cycle u: the sibling.
  input  logic             sel_i,
  /// Stage W: what is written.
  input  logic             w_we_i,
  input  logic [PairW-1:0] w_pair_i,
  input  logic             w_sel_i,
  input  logic [NodeW-1:0] w_node_i,
  /// Cycle u: the node, unless it is the one in stage W.
  output logic [NodeW-1:0] node_o,
  /// Cycle u: it is. The user takes it from there, slots before the others are known.
  output logic             forward_o
);

  localparam int unsigned Banks = Quads ? 2 * Siblings : Siblings;
  localparam int unsigned BankW = $clog2(Banks);

  logic [NodeW-1:0] bank[Banks];
  logic [RowW-1:0] read_row, write_row;

  if (Quads) begin : gen_row_of_quad
    assign write_row = RowW'(w_pair_i >> 1);
  end else begin : gen_row_of_pair
    assign write_row = w_pair_i;
  end
  if (Early) begin : gen_read_early
    assign read_row = row_i;
  end else begin : gen_read_pair
    assign read_row = pair_i;
    logic unused_row;
    assign unused_row = ^row_i;
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic here;
    if (BankW == 0) begin : gen_only
      assign here = 1'b1;
    end else if (BankW == 1) begin : gen_sibling
      assign here = w_sel_i == 1'(b);
    end else begin : gen_quad
      assign here = {w_pair_i[0], w_sel_i} == BankW'(b);
    end
    ram_1r1w #(
      .Width(NodeW),
      .Depth(Rows)
    ) u_ram (
      .clk_i,
      .we_i   (w_we_i && here),
      .waddr_i(write_row),
      .wdata_i(w_node_i),
      .re_i   (1'b1),
      .raddr_i(read_row),
      .rdata_o(bank[b])
    );
  end

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

  logic same_c_q, same_w;

  assign same_w = w_we_i && w_pair_i == pair_i;

  always_ff @(posedge clk_i) begin
    same_c_q <= c_we_i && c_pair_i == pair_i && !rst_i;
  end

  assign forward_o = same_c_q && w_sel_i == sel_i;

  if (Early) begin : gen_registered
    logic [NodeW-1:0] pair_q[Siblings];
    logic same_v;
    assign same_v = v_we_q && v_pair_q == pair_i;

    for (genvar s = 0; s < Siblings; s++) begin : gen_sibling
      logic [NodeW-1:0] read;
      if (Quads) begin : gen_of_quad
        assign read = pair_i[0] ? bank[Siblings+s] : bank[s];
      end else begin : gen_of_pair
        assign read = bank[s];
      end
      always_ff @(posedge clk_i) begin
        if (same_w && w_sel_i == 1'(s)) pair_q[s] <= w_node_i;
        else if (same_v && v_sel_q == 1'(s)) pair_q[s] <= v_node_q;
        else pair_q[s] <= read;
      end
    end
    assign node_o = pair_q[sel_i && Siblings == 2];
  end else begin : gen_direct
    logic same_w_q;
    always_ff @(posedge clk_i) same_w_q <= same_w && !rst_i;

    always_comb begin
      if (same_w_q && v_sel_q == sel_i) node_o = v_node_q;
      else node_o = bank[sel_i && Siblings == 2];
    end
    logic unused_v;
    assign unused_v = ^{v_we_q, v_pair_q};
  end

endmodule
