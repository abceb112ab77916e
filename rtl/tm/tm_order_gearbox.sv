// The order of ports by weighted fair queueing: a Gearbox for each port, whose flows are the port's queues. A key is the
// packet's length and its time: what it takes at its queue's share.
//
// Each Gearbox takes an operation in every second cycle, all in the same one, and of all ports one is told in it.
module tm_order_gearbox #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  /// Of each Gearbox: levels, and FIFOs of a set.
  parameter int unsigned Levels = 4,
  parameter int unsigned Width = 16,
  parameter int unsigned LengthW = 11,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes),
  localparam int unsigned TimeW = Levels * $clog2(Width)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  output logic               ready_o,
  input  logic               valid_i,
  input  logic               push_i,
  input  logic [  PortW-1:0] port_i,
  input  logic [ ClassW-1:0] class_i,
  input  logic [LengthW-1:0] length_i,
  input  logic [  TimeW-1:0] time_i,
  output logic               popped_o,
  output logic [  PortW-1:0] port_o,
  output logic [ ClassW-1:0] class_o,
  /// An operation was refused, which must not be.
  output logic               refused_o
);
  localparam int unsigned FifosLog2 = $clog2(Width);
  localparam int unsigned LevelW = parameter_pkg::index_width(Levels);
  // All queues of a port may be in one FIFO.
  localparam int unsigned PlacesLog2 = ClassW;
  localparam int unsigned SystemW = 64;
  logic [Ports-1:0] ready, joins, waits, leaves, found;
  logic [Ports-1:0][ClassW-1:0] class_left;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic unused_pointer, unused_horizon;
    logic [1:0][LevelW-1:0] unused_level;
    logic [1:0][FifosLog2+1:0] unused_fifo;
    logic [LengthW-1:0] unused_length;
    logic [SystemW-1:0] unused_time;
    gearbox #(
      .Levels    (Levels),
      .FifosLog2 (FifosLog2),
      .PlacesLog2(PlacesLog2),
      .FlowsLog2 (ClassW),
      .PointerW  (1),
      .LengthW   (LengthW),
      .TimeW     (TimeW),
      .SystemW   (SystemW)
    ) u_gearbox (
      .clk_i,
      .rst_i,
      .ready_o      (ready[p]),
      .enq_valid_i  (valid_i && push_i && port_i == PortW'(p)),
      .enq_pointer_i(1'b0),
      .enq_length_i (length_i),
      .enq_time_i   (time_i),
      .enq_flow_i   (class_i),
      .enq_valid_o  (joins[p]),
      .enq_waits_o  (waits[p]),
      .enq_horizon_o(unused_horizon),
      .enq_level_o  (unused_level[0]),
      .enq_fifo_o   (unused_fifo[0]),
      .deq_valid_i  (valid_i && !push_i && port_i == PortW'(p)),
      .deq_valid_o  (leaves[p]),
      .deq_found_o  (found[p]),
      .deq_pointer_o(unused_pointer),
      .deq_length_o (unused_length),
      .deq_flow_o   (class_left[p]),
      .deq_level_o  (unused_level[1]),
      .deq_fifo_o   (unused_fifo[1]),
      .system_time_o(unused_time)
    );
    logic unused;
    assign unused = ^{unused_pointer, unused_horizon, unused_level, unused_fifo, unused_length, unused_time};
  end

  assign ready_o   = ready[0];
  assign popped_o  = leaves != '0;
  assign refused_o = (joins & ~waits) != '0 || (leaves & ~found) != '0;
  always_comb begin
    port_o  = '0;
    class_o = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (leaves[p]) begin
        port_o  |= PortW'(p);
        class_o |= class_left[p];
      end
    end
  end

  logic unused_ready;
  assign unused_ready = ^ready;
endmodule
