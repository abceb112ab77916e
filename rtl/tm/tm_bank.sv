// What software sees: registers, and counters of packets and bytes by cause and port.
module tm_bank #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Classes = 2,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 2,
  parameter int unsigned Cells = 512,
  parameter int unsigned LargestBytes = 1536,
  parameter int unsigned AlphaLog2 = 3,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned BytesW = $clog2(LargestBytes + 1),
  localparam int unsigned CountW = $clog2(Cells + 1)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  // What is counted: a packet that came, its verdict, its leaving.
  input  logic              malformed_i,
  input  logic              come_i,
  input  logic              refused_i,
  input  logic [ PortW-1:0] come_port_i,
  input  logic [BytesW-1:0] come_bytes_i,
  input  logic              ver_valid_i,
  input  tm_pkg::verdict_e  ver_verdict_i,
  input  logic [ PortW-1:0] ver_port_i,
  input  logic [BytesW-1:0] ver_bytes_i,
  input  logic              left_valid_i,
  input  logic              left_expelled_i,
  input  logic [ PortW-1:0] left_port_i,
  input  logic [BytesW-1:0] left_bytes_i,
  input  logic [CountW-1:0] free_i,
  // What is set.
  output logic              expel_o,
  output logic [ Ports-1:0] enable_o,
  output logic [BytesW-1:0] length_o,
  input  logic [      11:0] csr_awaddr_i,
  input  logic              csr_awvalid_i,
  output logic              csr_awready_o,
  input  logic [      31:0] csr_wdata_i,
  input  logic [       3:0] csr_wstrb_i,
  input  logic              csr_wvalid_i,
  output logic              csr_wready_o,
  output logic [       1:0] csr_bresp_o,
  output logic              csr_bvalid_o,
  input  logic              csr_bready_i,
  input  logic [      11:0] csr_araddr_i,
  input  logic              csr_arvalid_i,
  output logic              csr_arready_o,
  output logic [      31:0] csr_rdata_o,
  output logic [       1:0] csr_rresp_o,
  output logic              csr_rvalid_o,
  input  logic              csr_rready_i
);
  logic [3:0] counters_ready;
  logic [15:0] enable, length_set;
  logic [31:0] malformed_q;
  logic [PortW-1:0] count_port;
  logic [2:0] count_number;
  logic [79:0] received, not_let_in, lost, gone_out, count;
  assign ready_o = &counters_ready;

  tm_counters #(
    .Entries(1 << PortW),
    .BytesW (BytesW)
  ) u_received (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[0]),
    .count_i  (come_i),
    .index_i  (come_port_i),
    .bytes_i  (come_bytes_i),
    .read_i   (count_port),
    .packets_o(received[79:48]),
    .bytes_o  (received[47:0])
  );

  tm_counters #(
    .Entries(1 << PortW),
    .BytesW (BytesW)
  ) u_refused (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[1]),
    .count_i  (come_i && refused_i),
    .index_i  (come_port_i),
    .bytes_i  (come_bytes_i),
    .read_i   (count_port),
    .packets_o(not_let_in[79:48]),
    .bytes_o  (not_let_in[47:0])
  );

  tm_counters #(
    .Entries(2 << PortW),
    .BytesW (BytesW)
  ) u_lost (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[2]),
    .count_i  (ver_valid_i && ver_verdict_i != tm_pkg::Admitted),
    .index_i  ({ver_port_i, ver_verdict_i == tm_pkg::Full}),
    .bytes_i  (ver_bytes_i),
    .read_i   ({count_port, 32'(count_number) == tm_csr_pkg::CountFull}),
    .packets_o(lost[79:48]),
    .bytes_o  (lost[47:0])
  );

  tm_counters #(
    .Entries(2 << PortW),
    .BytesW (BytesW)
  ) u_gone (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[3]),
    .count_i  (left_valid_i),
    .index_i  ({left_port_i, left_expelled_i}),
    .bytes_i  (left_bytes_i),
    .read_i   ({count_port, 32'(count_number) == tm_csr_pkg::CountExpelled}),
    .packets_o(gone_out[79:48]),
    .bytes_o  (gone_out[47:0])
  );

  always_comb begin
    case (32'(count_number))
      tm_csr_pkg::CountReceived: count = received;
      tm_csr_pkg::CountRefused: count = not_let_in;
      tm_csr_pkg::CountThreshold, tm_csr_pkg::CountFull: count = lost;
      default: count = gone_out;
    endcase
  end

  always_ff @(posedge clk_i) begin
    malformed_q <= rst_i ? '0 : malformed_q + 32'(malformed_i);
  end

  tm_csr #(
    .Ports(Ports)
  ) u_csr (
    .clk_i,
    .rst_i,
    .awaddr_i       (csr_awaddr_i),
    .awvalid_i      (csr_awvalid_i),
    .awready_o      (csr_awready_o),
    .wdata_i        (csr_wdata_i),
    .wstrb_i        (csr_wstrb_i),
    .wvalid_i       (csr_wvalid_i),
    .wready_o       (csr_wready_o),
    .bresp_o        (csr_bresp_o),
    .bvalid_o       (csr_bvalid_o),
    .bready_i       (csr_bready_i),
    .araddr_i       (csr_araddr_i),
    .arvalid_i      (csr_arvalid_i),
    .arready_o      (csr_arready_o),
    .rdata_o        (csr_rdata_o),
    .rresp_o        (csr_rresp_o),
    .rvalid_o       (csr_rvalid_o),
    .rready_i       (csr_rready_i),
    .count_port_o   (count_port),
    .count_number_o (count_number),
    .count_packets_i(count[79:48]),
    .count_bytes_i  (count[47:0]),
    .id_i           (32'h464F544D),
    .ports_i        (8'(Ports)),
    .classes_i      (8'(Classes)),
    .cells_i        (16'(Cells)),
    .cell_bytes_i   (16'(Lanes << CellBeatsLog2)),
    .alpha_log2_i   (8'(AlphaLog2)),
    .largest_i      (16'(LargestBytes)),
    .free_i         (16'(free_i)),
    .malformed_i    (malformed_q),
    .expel_o        (expel_o),
    .enable_o       (enable),
    .length_o       (length_set)
  );

  assign enable_o = enable[Ports-1:0];
  assign length_o = 32'(length_set) > LargestBytes ? BytesW'(LargestBytes) : BytesW'(length_set);
  if (Ports < 16) begin : gen_unused_enable
    logic unused_enable;
    assign unused_enable = ^enable[15:Ports];
  end
endmodule
