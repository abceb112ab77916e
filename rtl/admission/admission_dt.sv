// Dynamic Threshold: a queue may hold 2^AlphaLog2 times the free cells, with the arriving packet.
//
// Source: Choudhury and Hahne; occamy §2.2 Eq. 1 (`Comparison::With` of the Rust model).
// Combinational, stage D of `admission_lengths`.
module admission_dt #(
  parameter int unsigned Cells = 2050,
  parameter int unsigned AlphaLog2 = 0,
  localparam int unsigned CountW = $clog2(Cells + 1)
) (
  input  logic              valid_i,
  input  logic              fits_i,
  input  logic [  CountW:0] with_i,
  input  logic [CountW-1:0] free_i,
  output logic              admit_o
);
  localparam int unsigned WideW = CountW + AlphaLog2 + 1;
  assign admit_o = valid_i && fits_i && WideW'(with_i) <= (WideW'(free_i) << AlphaLog2);
endmodule
