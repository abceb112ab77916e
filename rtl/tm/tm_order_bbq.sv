// The order of ports by their ranks: a BBQ, a partition for each port. The smallest rank goes first, the earliest of equals.
module tm_order_bbq #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 16,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned RankW = tm_pkg::rank_width(Ports, Levels, Width)
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
  localparam int unsigned Partitions = 1 << PortW;
  // An element for each queue; a slot is free some cycles after its element has left.
  localparam int unsigned SlotBits = $clog2(Ports * Classes + bbq_pkg::latency(Levels, Width, Partitions) + 4);
  logic answers, dequeue;
  logic [RankW-1:0] unused_rank;
  bbq_pkg::status_e status;

  bbq #(
    .Levels    (Levels),
    .Width     (Width),
    .SlotBits  (SlotBits),
    .DataW     (ClassW),
    .Partitions(Partitions)
  ) u_bbq (
    .clk_i,
    .rst_i,
    .valid_i,
    .ready_o,
    .op_i       (push_i ? bbq_pkg::Enqueue : bbq_pkg::DequeueMin),
    .partition_i(port_i),
    .rank_i,
    .data_i     (class_i),
    .valid_o    (answers),
    .dequeue_o  (dequeue),
    .status_o   (status),
    .partition_o(port_o),
    .rank_o     (unused_rank),
    .data_o     (class_o)
  );
  assign popped_o  = answers && dequeue;
  assign refused_o = answers && status != bbq_pkg::Done;
endmodule
