// Counters of packets and bytes, of which one is counted up in a cycle. They are in LUT RAM, in two copies: one is read by
// what counts, one by the register bank. After reset they are set to zero, one in a cycle.
module tm_counters #(
  parameter int unsigned Entries = 8,
  parameter int unsigned BytesW = 11,
  localparam int unsigned IndexW = parameter_pkg::index_width(Entries)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  input  logic              count_i,
  input  logic [IndexW-1:0] index_i,
  input  logic [BytesW-1:0] bytes_i,
  input  logic [IndexW-1:0] read_i,
  output logic [      31:0] packets_o,
  output logic [      47:0] bytes_o
);
  logic [IndexW-1:0] clear_q, index;
  logic writes;
  logic [79:0] now, value;

  assign writes = count_i || !ready_o;
  assign index  = ready_o ? index_i : clear_q;
  assign value  = ready_o ? {now[79:48] + 32'd1, now[47:0] + 48'(bytes_i)} : '0;

  always_ff @(posedge clk_i) begin
    if (!ready_o) clear_q <= clear_q + 1'b1;
    if (32'(clear_q) == Entries - 1) ready_o <= 1'b1;
    if (rst_i) begin
      clear_q <= '0;
      ready_o <= 1'b0;
    end
  end

  ram_async #(
    .Width(80),
    .Depth(Entries)
  ) u_counted (
    .clk_i,
    .we_i   (writes),
    .waddr_i(index),
    .wdata_i(value),
    .raddr_i(index_i),
    .rdata_o(now)
  );

  ram_async #(
    .Width(80),
    .Depth(Entries)
  ) u_shown (
    .clk_i,
    .we_i   (writes),
    .waddr_i(index),
    .wdata_i(value),
    .raddr_i(read_i),
    .rdata_o({packets_o, bytes_o})
  );
endmodule
