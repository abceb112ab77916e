// What orders the queues of each port: keys of packets, and a structure that holds an element for each queue.
//
//   key_*   a packet has come: its field of `tuser` and its length become the key that is kept with it, `tm_pkg::key_after`
//           cycles later;
//   the others: an operation in a cycle with `ready_o`: an element is pushed, or that of the port's next queue is popped, and
//           told `tm_pkg::order_latency` cycles later. A port is popped only if it has an element.
//
// `up_o` is high from the first cycle in which operations are taken. A scheduler is a module `tm_order_*`, a branch here, and
// its numbers in `tm_pkg`.
module tm_scheduler #(
  /// One of `tm_pkg::scheduler_e`.
  parameter int unsigned Scheduler = 0,
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 16,
  parameter int unsigned BytesW = 11,
  parameter int unsigned FieldW = 6,
  parameter int unsigned KeyW = 6,
  /// Binary places of the ratio or the weight; bits of a rank within an octave.
  parameter int unsigned Fraction = 5,
  parameter int unsigned RankBits = 2,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              key_valid_i,
  input  logic [FieldW-1:0] key_field_i,
  input  logic [BytesW-1:0] key_bytes_i,
  output logic              key_valid_o,
  output logic [  KeyW-1:0] key_o,
  output logic              up_o,
  output logic              ready_o,
  input  logic              valid_i,
  input  logic              push_i,
  input  logic [ PortW-1:0] port_i,
  input  logic [ClassW-1:0] class_i,
  input  logic [  KeyW-1:0] key_i,
  output logic              popped_o,
  output logic [ PortW-1:0] port_o,
  output logic [ClassW-1:0] class_o
);
  localparam int unsigned KeyAfter = tm_pkg::key_after(Scheduler, FieldW, BytesW, RankBits);
  logic refused, up_q;
  assign up_o = up_q || ready_o;
  always_ff @(posedge clk_i) up_q <= up_o && !rst_i;

  if (KeyAfter == 0) begin : gen_key
    assign key_valid_o = key_valid_i;
    assign key_o       = key_field_i;
    logic unused_bytes;
    assign unused_bytes = ^key_bytes_i;
  end else begin : gen_key_later
    logic [KeyAfter-1:0] valid_q;
    always_ff @(posedge clk_i) valid_q <= rst_i ? '0 : KeyAfter'({valid_q, key_valid_i});
    assign key_valid_o = valid_q[KeyAfter-1];
  end

  if (Scheduler == tm_pkg::ClubHeap) begin : gen_clubheap
    tm_order_clubheap #(
      .Ports  (Ports),
      .Classes(Classes),
      .RankW  (KeyW)
    ) u_order (
      .clk_i,
      .rst_i,
      .ready_o,
      .valid_i,
      .push_i,
      .port_i,
      .class_i,
      .rank_i   (key_i),
      .popped_o,
      .port_o,
      .class_o,
      .refused_o(refused)
    );
  end else if (Scheduler == tm_pkg::Gearbox) begin : gen_gearbox
    tm_time #(
      .FieldW  (FieldW),
      .BytesW  (BytesW),
      .Fraction(Fraction),
      .TimeW   (KeyW - BytesW)
    ) u_time (
      .clk_i,
      .weight_i(key_field_i),
      .bytes_i (key_bytes_i),
      .bytes_o (key_o[KeyW-1-:BytesW]),
      .time_o  (key_o[KeyW-BytesW-1:0])
    );
    tm_order_gearbox #(
      .Ports  (Ports),
      .Classes(Classes),
      .Levels (Levels),
      .Width  (Width),
      .LengthW(BytesW)
    ) u_order (
      .clk_i,
      .rst_i,
      .ready_o,
      .valid_i,
      .push_i,
      .port_i,
      .class_i,
      .length_i (key_i[KeyW-1-:BytesW]),
      .time_i   (key_i[KeyW-BytesW-1:0]),
      .popped_o,
      .port_o,
      .class_o,
      .refused_o(refused)
    );
  end else begin : gen_bbq
    if (Scheduler == tm_pkg::Wsjf) begin : gen_rank
      surge_rank #(
        .WorkW   (FieldW),
        .SizeW   (BytesW),
        .Fraction(Fraction),
        .Bits    (RankBits),
        .RankW   (KeyW)
      ) u_rank (
        .clk_i,
        .work_i(key_field_i),
        .size_i(key_bytes_i),
        .rank_o(key_o)
      );
    end
    tm_order_bbq #(
      .Ports  (Ports),
      .Classes(Classes),
      .Levels (Levels),
      .Width  (Width)
    ) u_order (
      .clk_i,
      .rst_i,
      .ready_o,
      .valid_i,
      .push_i,
      .port_i,
      .class_i,
      .rank_i   (key_i),
      .popped_o,
      .port_o,
      .class_o,
      .refused_o(refused)
    );
  end

`ifndef SYNTHESIS
  localparam int unsigned Latency = tm_pkg::order_latency(Scheduler, Levels, Width, 1 << PortW);
  logic [Latency-1:0] pops_q;
  always_ff @(posedge clk_i) pops_q <= rst_i ? '0 : {pops_q[Latency-2:0], valid_i && !push_i};
  assert property (@(posedge clk_i) disable iff (rst_i) valid_i |-> ready_o)
  else $error("%m: an operation in a cycle in which none is taken");
  assert property (@(posedge clk_i) disable iff (rst_i) popped_o == pops_q[Latency-1])
  else $error("%m: an element is not told %0d cycles after it was popped", Latency);
  assert property (@(posedge clk_i) disable iff (rst_i) !refused)
  else $error("%m: there is no place for an element, or none when it is popped");
`else
  logic unused_refused;
  assign unused_refused = refused;
`endif
endmodule
