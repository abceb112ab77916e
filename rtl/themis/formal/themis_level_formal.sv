// One level of the two-tier tree, for ever: an inductive proof at small parameters.
//
// The ghost `settled_q` holds what the counters should be once everything that has left s4 is done; the operations
// still at s1 to s4 are applied to it one after the other. Proven in every reachable state, for streams of any length
// and mixture that the levels above may send:
//   - the root decides the tier as `themis_pkg::op_e` says, whatever was guessed ahead of it;
//   - an operation takes the first or the last child of its tier that is not empty; a counter never falls below zero;
//     a swap adds to the other tier of the same child;
//   - a bit is set exactly if its counter is not zero, in the memories and in every word that is forwarded;
//   - a waterlevel bit is set exactly if its counter is two or more;
//   - what the level tells the next one: `same_o` says exactly which of the four operations ahead went to the same
//     child, and `fresh_o` exactly that an enqueue goes to a child that was empty.
// Assumed of the level above: what takes comes only to a node that holds something in its tier (for the root: it may
// find nothing and is then dropped), `fresh_i` marks an enqueue into an empty node, and `same_i` is right.
module themis_level_formal #(
  parameter bit Root = 1'b1,
  parameter int unsigned Width = 2,
  parameter int unsigned CountW = 2,
  localparam int unsigned NodeW = 1,
  localparam int unsigned Nodes = Root ? 1 : 2,
  localparam int unsigned IndexW = $clog2(Width),
  localparam bit [CountW+3:0] Most = (CountW + 4)'(2 ** CountW - 1)
) (
  input logic              clk_i,
  input logic              valid_i,
  input logic [       2:0] op_i,
  /// Below the root: the tier of an enqueue or a dequeue.
  input logic              far_i,
  input logic [ NodeW-1:0] node_i,
  input logic [IndexW-1:0] index_i
);
  // A bit wider than the counters, so that nothing wraps unseen. The tiers stand outermost.
  typedef logic [Width-1:0][CountW:0] node_counts_t;
  typedef node_counts_t [Nodes-1:0] tier_counts_t;
  typedef tier_counts_t [1:0] counts_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  function automatic logic [Width-1:0] bits(node_counts_t counts);
    for (int unsigned i = 0; i < Width; i++) bits[i] = counts[i] != '0;
  endfunction

  function automatic logic [IndexW-1:0] find(logic [Width-1:0] word, logic last);
    find = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (last && word[i]) find = IndexW'(i);
      if (!last && word[Width-1-i]) find = IndexW'(Width - 1 - i);
    end
  endfunction

  function automatic logic [NodeW-1:0] place(logic [NodeW-1:0] node);
    return Root ? '0 : node;
  endfunction

  // The word in which an operation finds its bit.
  function automatic logic [Width-1:0] seen(counts_t counts, themis_pkg::ctl_t ctl, logic [NodeW-1:0] node);
    return Root && ctl.open ? bits(counts[0][place(node)]) | bits(counts[1][place(node)]) : bits(
        counts[ctl.is_far][place(node)]);
  endfunction

  // The tier it takes from, or, of an enqueue, adds to.
  function automatic logic decide(counts_t counts, themis_pkg::ctl_t ctl, logic [NodeW-1:0] node,
                                  logic [IndexW-1:0] index);
    decide = ctl.is_far;
    if (Root && ctl.open && ctl.pop) begin
      decide = !bits(counts[0][place(node)])[find(seen(counts, ctl, node), 1'b0)];
    end
    if (Root && ctl.open && !ctl.pop) begin
      decide = 1'b0;
      for (int unsigned i = 0; i < Width; i++) begin
        if (IndexW'(i) <= index && counts[1][place(node)][i] != '0) decide = 1'b1;
      end
    end
  endfunction

  function automatic logic [IndexW-1:0] target(counts_t counts, themis_pkg::ctl_t ctl, logic [NodeW-1:0] node,
                                               logic [IndexW-1:0] index);
    return ctl.pop ? find(seen(counts, ctl, node), ctl.last) : index;
  endfunction

  function automatic logic acts(counts_t counts, themis_pkg::ctl_t ctl, logic [NodeW-1:0] node);
    return ctl.alive && (!ctl.pop || seen(counts, ctl, node) != '0);
  endfunction

  // The counters after an operation.
  function automatic counts_t apply(counts_t counts, themis_pkg::ctl_t ctl, logic [NodeW-1:0] node,
                                    logic [IndexW-1:0] index);
    automatic logic tier = decide(counts, ctl, node, index);
    automatic logic [IndexW-1:0] at = target(counts, ctl, node, index);
    apply = counts;
    if (acts(counts, ctl, node)) begin
      if (ctl.pop) apply[tier][place(node)][at] = counts[tier][place(node)][at] - 1'b1;
      if (ctl.push) apply[tier^ctl.pop][place(node)][at] = counts[tier^ctl.pop][place(node)][at] + 1'b1;
    end
  endfunction

  themis_pkg::ctl_t ctl0, ctl1, ctl2, ctl3, ctl4;
  logic [NodeW-1:0] node1, node2, node3, node4;
  logic [IndexW-1:0] index1;
  counts_t settled_q, after1, after2, after3, after4;
  logic [4:1] same, ahead_alive_q;
  logic [4:1][NodeW-1:0] ahead_node_q;
  logic fresh, fresh_out;
  logic [4:1] same_out;
  // The operations that have left s4, the latest first.
  logic [4:1] left_alive_q;
  logic [4:1][NodeW-1:0] left_node_q;
  logic [4:1][IndexW-1:0] left_index_q;

  logic legal;
  assign legal = op_i[1:0] != 2'd3 || op_i[2];
  always_comb begin
    ctl0.valid = valid_i & legal & ~rst;
    ctl0.alive = ctl0.valid;
    ctl0.pop   = ctl0.valid & op_i[2];
    ctl0.push  = ctl0.valid & (~op_i[2] | op_i[1]);
    ctl0.last  = op_i == themis_pkg::DropLargest || op_i == themis_pkg::SwapOut;
    ctl0.open  = Root && (op_i == themis_pkg::Enqueue || op_i == themis_pkg::Dequeue);
    ctl0.is_far   = op_i == themis_pkg::EnqueueFar || op_i == themis_pkg::SwapIn;
    if (!Root && (!op_i[2] || op_i == themis_pkg::Dequeue)) ctl0.is_far = far_i;
  end
  assign fresh = ctl0.alive & ~ctl0.pop & bits(after1[0][place(node_i)]) == '0 & bits(after1[1][place(node_i)]) == '0;

  always_ff @(posedge clk_i) begin
    ahead_alive_q <= rst ? '0 : {ahead_alive_q[3:1], ctl0.alive};
    ahead_node_q  <= {ahead_node_q[3:1], node_i};
    settled_q     <= rst ? '0 : after4;
    left_alive_q  <= rst ? '0 : {left_alive_q[3:1], ctl4.alive};
    left_node_q   <= rst ? '0 : {left_node_q[3:1], place(node4)};
    left_index_q  <= {left_index_q[3:1], u_level.index4_q};
  end
  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) same[d] = ahead_alive_q[d] & ahead_node_q[d] == node_i;
  end

  themis_level #(
    .Root  (Root),
    .Width (Width),
    .NodeW (NodeW),
    .CountW(CountW)
  ) u_level (
    .clk_i,
    .rst_i    (rst),
    .ctl_i    (ctl0),
    .node_i,
    .index_i,
    .fresh_i  (fresh),
    .same_i   (same),
    .ctl_o    (),
    .node_o   (),
    .index_o  (),
    .fresh_o  (fresh_out),
    .same_o   (same_out),
    .several_o(),
    .two_o    (),
    .list_o   (),
    .ahead_o  ()
  );

  assign ctl2  = u_level.ctl2_q;
  assign ctl3  = u_level.ctl3_q;
  assign ctl4  = u_level.ctl4_q;
  assign node2 = u_level.node2_q;
  assign node3 = u_level.node3_q;
  assign node4 = u_level.node4_q;

  assign after4 = apply(settled_q, ctl4, node4, u_level.index4_q);
  assign after3 = apply(after4, ctl3, node3, u_level.index3_q);
  assign after2 = apply(after3, ctl2, node2, u_level.index2_q);
  assign after1 = apply(after2, ctl1, node1, index1);

  // Whether the operation that left s4 so many cycles ago was alive and in this node.
  function automatic logic left(int unsigned ago, logic [NodeW-1:0] node);
    return left_alive_q[ago] && left_node_q[ago] == node;
  endfunction

  function automatic logic [CountW+3:0] sum(counts_t counts);
    sum = '0;
    for (int unsigned t = 0; t < 2; t++) begin
      for (int unsigned n = 0; n < Nodes; n++) begin
        for (int unsigned i = 0; i < Width; i++) sum += (CountW + 4)'(counts[t][n][i]);
      end
    end
  endfunction

  // What a counter's word should hold of a child.
  function automatic logic [2*CountW+1:0] stored(counts_t counts, logic [NodeW-1:0] node, int unsigned index);
    for (int unsigned t = 0; t < 2; t++) begin
      stored[t*(CountW+1)+:CountW+1] = {counts[t][node][index] >= 2, counts[t][node][index][CountW-1:0]};
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // There are not more elements than slots, at any point of the order.
      bounded : assume (sum(after1) + (CountW + 4)'(ctl0.push & ~ctl0.pop) <= Most);
      assert (sum(settled_q) <= Most && sum(after4) <= Most && sum(after3) <= Most && sum(after2) <= Most
          && sum(after1) <= Most);
      for (int unsigned i = 0; i < Width; i++) begin
        for (int unsigned n = 0; n < Nodes; n++) begin
          if (settled_q[0][n][i] != '0 || settled_q[1][n][i] != '0) begin
            assert (u_level.gen_count_async.u_counters.mem[n*Width+i] == stored(settled_q, NodeW'(n), i));
          end
        end
      end
      if (ctl4.alive) begin
        if (ctl4.pop) begin
          found4 : assert (seen(settled_q, ctl4, node4) != '0);
          right4 : assert (u_level.index4_q == target(settled_q, ctl4, node4, u_level.index4_q));
        end
        tier4 : assert (ctl4.is_far == decide(settled_q, ctl4, node4, u_level.index4_q));
        assert (u_level.count4_q[2*CountW+1:0] == stored(settled_q, place(node4), 32'(u_level.index4_q)));
      end
      // What the next level assumes. A root compares with operations of its own node and drops some of them at s4.
      if (ctl4.alive) begin
        fresh_right : assert (fresh_out == (!ctl4.pop && settled_q[0][place(node4)][u_level.index4_q] == '0
            && settled_q[1][place(node4)][u_level.index4_q] == '0));
        for (int unsigned d = 1; d <= 4; d++) begin
          assert (same_out[d] == (left_alive_q[d] && left_node_q[d] == place(node4)
              && left_index_q[d] == u_level.index4_q));
        end
      end
      for (int unsigned d = 1; d <= 4; d++) begin
        assert (u_level.ahead_alive_q[d] == left_alive_q[d]);
        assert (!left_alive_q[d] || u_level.ahead_index_q[d] == left_index_q[d]);
      end
      assert (u_level.keep4_q == (ctl4.alive & ctl4.pop & u_level.count4_q.tier[ctl4.is_far].several));
      if (ctl3.alive) begin
        // What s4 will get.
        assert (u_level.ctl4_d.alive == acts(after4, ctl3, node3));
        if (u_level.ctl4_d.alive) begin
          right3 : assert (u_level.index3 == target(after4, ctl3, node3, u_level.index3_q));
          tier3 : assert (u_level.far3 == decide(after4, ctl3, node3, u_level.index3_q));
          assert (u_level.count4_d[2*CountW+1:0] == stored(after4, place(node3), 32'(u_level.index3)));
        end
      end
      if (ctl3.alive || Root) begin
        for (int unsigned t = 0; t < 2; t++) begin
          for (int unsigned i = 0; i < Width; i++) begin
            assert (u_level.word3[t][i] == (after3[t][place(node3)][i] != '0
                && !(ctl3.alive && ctl3.pop && u_level.far3 == 1'(t) && IndexW'(i) == u_level.index3)));
          end
        end
      end
      shape : assert (ctl2.alive <= ctl2.valid && ctl3.alive <= ctl3.valid && ctl4.alive <= ctl4.valid);
      assert ((!ctl2.alive || ctl2.pop || ctl2.push) && (!ctl3.alive || ctl3.pop || ctl3.push));
      assert (!(ctl2.last && ctl2.is_far && ctl2.alive) && !(ctl3.last && ctl3.is_far && ctl3.alive));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      same_child : cover (ctl4.alive && same_out == 4'b1111);
      fresh_child : cover (ctl4.alive && fresh_out && left_alive_q == '1);
      mended : cover (ctl4.alive && ctl4.pop && u_level.keep4_q && ctl3.alive && ctl3.pop);
      swap_adopts : cover (ctl3.alive && ctl3.push && u_level.adopt3 && !u_level.none3_q);
      other_tier : cover (ctl4.alive && ctl4.pop && u_level.keep4_q && ctl3.alive && ctl3.pop
          && u_level.far3 != ctl4.is_far);
    end
  end

  if (Root) begin : gen_root
    assign ctl1   = '0;
    assign node1  = '0;
    assign index1 = '0;
    always_ff @(posedge clk_i) begin
      if (!rst) begin
        one_node : assert (left_node_q == '0);
        bubbles : assert ((ctl2.alive || !ctl2.pop && !ctl2.push) && (ctl3.alive || !ctl3.pop && !ctl3.push));
        turned_far : cover (ctl3.alive && ctl3.open && !ctl3.pop && u_level.change3);
        tier_changes : cover (ctl3.alive && ctl3.open && u_level.adopt3 && u_level.far3 != ctl3.is_far);
      end
    end
  end else begin : gen_node
    assign ctl1   = u_level.gen_node.ctl1_q;
    assign node1  = u_level.gen_node.node1_q;
    assign index1 = u_level.gen_node.index1_q;
    always_ff @(posedge clk_i) begin
      if (!rst) begin
        served : assume (!ctl0.pop || bits(after1[ctl0.is_far][node_i]) != '0);
        ahead : assert (ahead_alive_q == {ctl4.alive, ctl3.alive, ctl2.alive, ctl1.alive});
        assert ((!ctl1.alive || ahead_node_q[1] == node1) && (!ctl2.alive || ahead_node_q[2] == node2)
            && (!ctl3.alive || ahead_node_q[3] == node3) && (!ctl4.alive || ahead_node_q[4] == node4));
        if (ctl1.alive) assert (u_level.gen_node.same1_q[3:1] == {
            ctl4.alive && node4 == node1, ctl3.alive && node3 == node1, ctl2.alive && node2 == node1});
        if (ctl2.alive) assert (u_level.same2_q[2:1] == {
            ctl4.alive && node4 == node2, ctl3.alive && node3 == node2});
        if (ctl3.alive) assert (u_level.same3_q[1] == (ctl4.alive && node4 == node3));
        // And with those that have left.
        if (ctl1.alive) assert (u_level.gen_node.same1_q[4] == left(1, node1));
        if (ctl2.alive) assert (u_level.same2_q[4:3] == {left(2, node2), left(1, node2)});
        if (ctl3.alive) assert (u_level.same3_q[4:2] == {left(3, node3), left(2, node3), left(1, node3)});
        if (ctl4.alive) begin
          assert (u_level.same4_q == {left(4, node4), left(3, node4), left(2, node4), left(1, node4)});
        end
        if (ctl1.alive) begin
          assert (u_level.gen_node.fresh1_q == (!ctl1.pop && bits(after2[0][node1]) == '0
              && bits(after2[1][node1]) == '0));
          held1 : assert (!ctl1.pop || bits(after2[ctl1.is_far][node1]) != '0);
        end
        held2 : assert (!(ctl2.alive && ctl2.pop) || bits(after3[ctl2.is_far][node2]) != '0);
        held3 : assert (!(ctl3.alive && ctl3.pop) || bits(after4[ctl3.is_far][node3]) != '0);
        for (int unsigned t = 0; t < 2; t++) begin
          if (ctl2.alive && u_level.same2_q[2:1] == '0) begin
            assert (u_level.gen_node.word2_q[t] == bits(after4[t][node2]));
          end
          if (ctl4.alive) assert (u_level.gen_node.word4[t] == bits(after4[t][node4]));
        end
        for (int unsigned n = 0; n < Nodes; n++) begin
          if (bits(settled_q[0][n]) != '0 || bits(settled_q[1][n]) != '0) begin
            assert (u_level.gen_node.gen_async.u_bitmaps.mem[n] == {bits(settled_q[1][n]), bits(settled_q[0][n])});
          end
        end
      end
    end
  end
endmodule
