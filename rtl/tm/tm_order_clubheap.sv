// The order of ports by their ranks: a ClubHeap, a logical PIFO for each port. The smallest rank goes first; ranks have all
// their bits, whatever the number of ports.
module tm_order_clubheap #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  parameter int unsigned RankW = 8,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  input  logic              valid_i,
  input  logic              push_i,
  input  logic [ PortW-1:0] port_i,
  input  logic [ClassW-1:0] class_i,
  input  logic [ RankW-1:0] rank_i,
  output logic              popped_o,
  output logic [ PortW-1:0] port_o,
  output logic [ClassW-1:0] class_o,
  /// An operation was refused, which must not be.
  output logic              refused_o
);
  // An element for each queue.
  localparam int unsigned Capacity = Ports * Classes;
  localparam int unsigned CountW = $clog2(Capacity + 1);
  logic answers, pushed, found, pops;
  logic [clubheap_pkg::Latency-1:0] pops_q;
  logic [RankW-1:0] unused_rank;
  logic [CountW-1:0] unused_count;
  logic [1:0] unused_levels;

  clubheap #(
    .Cluster   (2),
    .Capacity  (Capacity),
    .Partitions(1 << PortW),
    .RankW     (RankW),
    .DataW     (PortW + ClassW)
  ) u_clubheap (
    .clk_i,
    .rst_i,
    .valid_i,
    .ready_o,
    .push_i,
    .pop_i       (!push_i),
    .part_i      (port_i),
    .rank_i,
    .data_i      ({port_i, class_i}),
    .rsp_valid_o (answers),
    .rsp_pushed_o(pushed),
    .rsp_popped_o(found),
    .rsp_rank_o  (unused_rank),
    .rsp_data_o  ({port_o, class_o}),
    .count_o     (unused_count),
    .full_o      (unused_levels[0]),
    .empty_o     (unused_levels[1])
  );
  always_ff @(posedge clk_i) pops_q <= {pops_q[clubheap_pkg::Latency-2:0], !push_i};
  assign pops      = pops_q[clubheap_pkg::Latency-1];
  assign popped_o  = answers && pops;
  assign refused_o = answers && !(pops ? found : pushed);

  logic unused;
  assign unused = ^{unused_rank, unused_count, unused_levels};
endmodule
