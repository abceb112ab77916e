// What a packet takes at its queue's share: its bytes times the weight, whose last `Fraction` bits are behind the point,
// rounded up to whole units. The largest is half of what Gearbox reaches, so that no departure time is beyond it.
//
// A packet in every cycle, told `tm_pkg::TimeAfter` cycles later. Nothing is reset.
module tm_time #(
  parameter int unsigned FieldW = 12,
  parameter int unsigned BytesW = 11,
  parameter int unsigned Fraction = 5,
  parameter int unsigned TimeW = 16
) (
  input  logic              clk_i,
  input  logic [FieldW-1:0] weight_i,
  input  logic [BytesW-1:0] bytes_i,
  /// The bytes, beside their time.
  output logic [BytesW-1:0] bytes_o,
  output logic [ TimeW-1:0] time_o
);
  localparam int unsigned ProductW = FieldW + BytesW;
  localparam int unsigned Most = 1 << (TimeW - 1);
  logic [BytesW-1:0] bytes_q;
  logic [ProductW-1:0] product_q;
  logic [ProductW:0] rounded;
  assign rounded = ((ProductW + 1)'(product_q) + (ProductW + 1)'((1 << Fraction) - 1)) >> Fraction;
  always_ff @(posedge clk_i) begin
    product_q <= ProductW'(weight_i) * ProductW'(bytes_i);
    bytes_q   <= bytes_i;
    bytes_o   <= bytes_q;
    time_o    <= 32'(rounded) > Most ? TimeW'(Most) : TimeW'(rounded);
  end

`ifndef SYNTHESIS
  cover_most : cover property (@(posedge clk_i) 32'(rounded) > Most);
  cover_rounded : cover property (@(posedge clk_i) 32'(rounded) << Fraction != 32'(product_q));
`endif
endmodule
