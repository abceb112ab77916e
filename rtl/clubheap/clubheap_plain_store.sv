// READ and WRITE of one level: its memory, and what of it is newer than the memory.
//
// Source: clubheap §4.1 to §4.3 (Figs 5 and 7). An operation is in stage C in some cycle u. The group of siblings is
// known in u - 1, when all of them are read; which of them it is, in u, where the data selector of Fig. 7 chooses. The
// node is the newest of:
//   - what the operation before it writes in u (`forwarded_data`);
//   - what the one before that wrote in u - 1, which the read misses;
//   - the memory.
// The root is one register.

module clubheap_plain_store #(
  /// Bits of a node.
  parameter int unsigned NodeW = 64,
  /// Groups of siblings.
  parameter int unsigned Groups = 16,
  /// Nodes of a group; 1 for the root.
  parameter int unsigned Siblings = 2,
  localparam int unsigned GroupW = parameter_pkg::index_width(Groups)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  /// Cycle u - 1: the group.
  input  logic [GroupW-1:0]   group_i,
  /// Cycle u: whether a node is needed, the group, and the sibling, one bit for each.
  input  logic                valid_i,
  input  logic [GroupW-1:0]   c_group_i,
  input  logic [Siblings-1:0] c_sel_i,
  /// Cycle u: what the operation before, in stage W, writes; where, and whether it does.
  input  logic                w_we_i,
  input  logic [GroupW-1:0]   w_group_i,
  input  logic [Siblings-1:0] w_sel_i,
  input  logic [NodeW-1:0]    w_node_i,
  /// Cycle u: the node that is needed is the one in stage W; if not, it is `node_o`.
  output logic                forward_o,
  output logic [NodeW-1:0]    node_o
);

  if (Siblings == 1) begin : gen_root
    logic [NodeW-1:0] root_q;
    always_ff @(posedge clk_i) if (w_we_i) root_q <= w_node_i;
    assign node_o    = root_q;
    assign forward_o = w_we_i;
    logic unused;
    assign unused = ^{rst_i, group_i, c_group_i, c_sel_i, w_group_i, w_sel_i, valid_i};
`ifndef SYNTHESIS
    cover_forward : cover property (@(posedge clk_i) w_we_i && valid_i);
    cover_kept : cover property (@(posedge clk_i) !w_we_i && valid_i);
`endif
  end else begin : gen_memory
    logic v_we_q, same_v;
    logic [GroupW-1:0]   v_group_q;
    logic [Siblings-1:0] v_sel_q;
    logic [NodeW-1:0]    v_node_q;
    logic [Siblings-1:0][NodeW-1:0] read;

    always_ff @(posedge clk_i) begin
      v_we_q    <= w_we_i && !rst_i;
      v_group_q <= w_group_i;
      v_sel_q   <= w_sel_i;
      v_node_q  <= w_node_i;
    end

    for (genvar s = 0; s < Siblings; s++) begin : gen_sibling
      ram_1r1w #(
        .Width(NodeW),
        .Depth(Groups)
      ) u_ram (
        .clk_i,
        .we_i   (w_we_i && w_sel_i[s]),
        .waddr_i(w_group_i),
        .wdata_i(w_node_i),
        .re_i   (1'b1),
        .raddr_i(group_i),
        .rdata_o(read[s])
      );
    end

    assign forward_o = w_we_i && w_group_i == c_group_i && w_sel_i == c_sel_i;
    assign same_v    = v_we_q && v_group_q == c_group_i && v_sel_q == c_sel_i;
    always_comb begin
      node_o = '0;
      for (int unsigned s = 0; s < Siblings; s++) node_o |= {NodeW{c_sel_i[s]}} & read[s];
      if (same_v) node_o = v_node_q;
    end

`ifndef SYNTHESIS
    cover_forward : cover property (@(posedge clk_i) valid_i && forward_o);
    cover_two_before : cover property (@(posedge clk_i) valid_i && same_v && !forward_o);
    cover_both : cover property (@(posedge clk_i) valid_i && same_v && forward_o);
    cover_sibling : cover property (@(posedge clk_i) valid_i && w_we_i && w_group_i == c_group_i && !forward_o);
    assert property (@(posedge clk_i) disable iff (rst_i) valid_i |-> $onehot(c_sel_i));
`else
    logic unused;
    assign unused = valid_i;
`endif
  end

endmodule
