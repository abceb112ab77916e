// What software sees of the hybrid traffic manager: registers, and counters of packets and bytes by cause and port.
module tm_hybrid_bank #(
  parameter int unsigned Ports = 4,
  parameter int unsigned LargestBytes = 1536,
  /// What is read of the parameters.
  parameter int unsigned Near = 1024,
  parameter int unsigned High = 819,
  parameter int unsigned Low = 512,
  parameter int unsigned CellBytes = 2048,
  parameter int unsigned Batch = 8,
  parameter int unsigned Regions = 128,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned BytesW = $clog2(LargestBytes + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    ready_o,
  // What is counted: a packet that came, its verdict, its leaving; swaps, bursts, errors.
  input  logic                    malformed_i,
  input  logic                    come_i,
  input  logic                    refused_i,
  input  logic [       PortW-1:0] come_port_i,
  input  logic [      BytesW-1:0] come_bytes_i,
  input  logic                    ver_valid_i,
  input  tm_hybrid_pkg::verdict_e ver_verdict_i,
  input  logic [       PortW-1:0] ver_port_i,
  input  logic [      BytesW-1:0] ver_bytes_i,
  input  logic                    left_valid_i,
  input  tm_hybrid_pkg::leave_e   left_how_i,
  input  logic [       PortW-1:0] left_port_i,
  input  logic [      BytesW-1:0] left_bytes_i,
  input  logic                    swapped_out_i,
  input  logic                    swapped_in_i,
  input  logic                    written_i,
  input  logic                    fetched_i,
  input  logic [             1:0] errors_i,
  input  logic [            31:0] near_i,
  input  logic [            31:0] far_i,
  input  logic [            31:0] free_cells_i,
  input  logic [            31:0] free_regions_i,
  // What is set.
  output logic [       Ports-1:0] enable_o,
  output logic [      BytesW-1:0] length_o,
  input  logic [            11:0] csr_awaddr_i,
  input  logic                    csr_awvalid_i,
  output logic                    csr_awready_o,
  input  logic [            31:0] csr_wdata_i,
  input  logic [             3:0] csr_wstrb_i,
  input  logic                    csr_wvalid_i,
  output logic                    csr_wready_o,
  output logic [             1:0] csr_bresp_o,
  output logic                    csr_bvalid_o,
  input  logic                    csr_bready_i,
  input  logic [            11:0] csr_araddr_i,
  input  logic                    csr_arvalid_i,
  output logic                    csr_arready_o,
  output logic [            31:0] csr_rdata_o,
  output logic [             1:0] csr_rresp_o,
  output logic                    csr_rvalid_o,
  input  logic                    csr_rready_i
);
  logic [3:0] counters_ready;
  logic [15:0] enable, length_set;
  logic [31:0] malformed_q, swapped_out_q, swapped_in_q, written_q, fetched_q, errors_q;
  logic [PortW-1:0] count_port;
  logic [2:0] count_number;
  logic [79:0] received, not_let_in, lost, gone_out, count;
  logic [1:0] gone_read;
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
    .count_i  (ver_valid_i && (ver_verdict_i == tm_hybrid_pkg::Staging || ver_verdict_i == tm_hybrid_pkg::Full)),
    .index_i  ({ver_port_i, ver_verdict_i == tm_hybrid_pkg::Full}),
    .bytes_i  (ver_bytes_i),
    .read_i   ({count_port, 32'(count_number) == tm_hybrid_csr_pkg::CountFull}),
    .packets_o(lost[79:48]),
    .bytes_o  (lost[47:0])
  );

  tm_counters #(
    .Entries(4 << PortW),
    .BytesW (BytesW)
  ) u_gone (
    .clk_i,
    .rst_i,
    .ready_o  (counters_ready[3]),
    .count_i  (left_valid_i),
    .index_i  ({left_port_i, left_how_i}),
    .bytes_i  (left_bytes_i),
    .read_i   ({count_port, gone_read}),
    .packets_o(gone_out[79:48]),
    .bytes_o  (gone_out[47:0])
  );
  assign gone_read = 2'(32'(count_number) - tm_hybrid_csr_pkg::CountSentNear);

  always_comb begin
    case (32'(count_number))
      tm_hybrid_csr_pkg::CountReceived: count = received;
      tm_hybrid_csr_pkg::CountRefused: count = not_let_in;
      tm_hybrid_csr_pkg::CountStaging, tm_hybrid_csr_pkg::CountFull: count = lost;
      default: count = gone_out;
    endcase
  end

  always_ff @(posedge clk_i) begin
    malformed_q   <= malformed_q + 32'(malformed_i);
    swapped_out_q <= swapped_out_q + 32'(swapped_out_i);
    swapped_in_q  <= swapped_in_q + 32'(swapped_in_i);
    written_q     <= written_q + 32'(written_i);
    fetched_q     <= fetched_q + 32'(fetched_i);
    errors_q      <= errors_q + 32'(errors_i[0]) + 32'(errors_i[1]);
    if (rst_i) begin
      malformed_q   <= '0;
      swapped_out_q <= '0;
      swapped_in_q  <= '0;
      written_q     <= '0;
      fetched_q     <= '0;
      errors_q      <= '0;
    end
  end

  tm_hybrid_csr #(
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
    .id_i           (32'h46485442),
    .ports_i        (8'(Ports)),
    .near_most_i    (Near),
    .high_i         (High),
    .low_i          (Low),
    .cell_bytes_i   (16'(CellBytes)),
    .largest_i      (16'(LargestBytes)),
    .batch_i        (8'(Batch)),
    .regions_i      (Regions),
    .near_i,
    .far_i,
    .free_cells_i,
    .free_regions_i,
    .swapped_out_i  (swapped_out_q),
    .swapped_in_i   (swapped_in_q),
    .writes_i       (written_q),
    .reads_i        (fetched_q),
    .malformed_i    (malformed_q),
    .errors_i       (errors_q),
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
