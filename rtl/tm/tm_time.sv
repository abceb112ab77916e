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
  // Holds the product rounded up, whatever the fraction, and the largest time.
  localparam int unsigned WithRoom = ProductW > Fraction ? ProductW + 1 : Fraction + 1;
  localparam int unsigned WideW = WithRoom > TimeW ? WithRoom : TimeW;
  logic [BytesW-1:0] bytes_q;
  logic [ProductW-1:0] product_q;
  logic [WideW-1:0] rounded;
  assign rounded = (WideW'(product_q) + WideW'((1 << Fraction) - 1)) >> Fraction;
  always_ff @(posedge clk_i) begin
    product_q <= ProductW'(weight_i) * ProductW'(bytes_i);
    bytes_q   <= bytes_i;
    bytes_o   <= bytes_q;
    time_o    <= rounded > WideW'(Most) ? TimeW'(Most) : TimeW'(rounded);
  end

`ifndef SYNTHESIS
  cover_most : cover property (@(posedge clk_i) rounded > WideW'(Most));
  cover_rounded : cover property (@(posedge clk_i) ProductW'(rounded << Fraction) != product_q);
`endif
endmodule
