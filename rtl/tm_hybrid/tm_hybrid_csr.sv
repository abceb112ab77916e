// Made of `rtl/tm_hybrid/csr.toml` by `python -m flow csr tm_hybrid`; change that file and run it again.
//
// The registers of the hybrid traffic manager behind AXI4-Lite, of 32 bits. A write takes its address and its data in the same
// cycle and is answered in the next; a read is answered in the next. An address without a register, and a write to one
// that is only read, are answered with SLVERR and change nothing.
//
// Reading the low word of a counter of bytes keeps its high word, which is read next.
module tm_hybrid_csr #(
  /// Ports that have counters.
  parameter int unsigned Ports = 4,
  localparam int unsigned PortW = parameter_pkg::index_width(Ports)
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic [11:0] awaddr_i,
  input  logic awvalid_i,
  output logic awready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0] wstrb_i,
  input  logic wvalid_i,
  output logic wready_o,
  output logic [1:0] bresp_o,
  output logic bvalid_o,
  input  logic bready_i,
  input  logic [11:0] araddr_i,
  input  logic arvalid_i,
  output logic arready_o,
  output logic [31:0] rdata_o,
  output logic [1:0] rresp_o,
  output logic rvalid_o,
  input  logic rready_i,
  // A counter that is read, and what it is in the same cycle.
  output logic [PortW-1:0] count_port_o,
  output logic [2:0] count_number_o,
  input  logic [31:0] count_packets_i,
  input  logic [47:0] count_bytes_i,
  input  logic [31:0] id_i,
  input  logic [7:0] ports_i,
  input  logic [31:0] near_most_i,
  input  logic [31:0] high_i,
  input  logic [31:0] low_i,
  input  logic [15:0] cell_bytes_i,
  input  logic [15:0] largest_i,
  input  logic [7:0] batch_i,
  input  logic [31:0] regions_i,
  input  logic [31:0] near_i,
  input  logic [31:0] far_i,
  input  logic [31:0] free_cells_i,
  input  logic [31:0] free_regions_i,
  input  logic [31:0] swapped_out_i,
  input  logic [31:0] swapped_in_i,
  input  logic [31:0] writes_i,
  input  logic [31:0] reads_i,
  input  logic [31:0] malformed_i,
  input  logic [31:0] errors_i,
  output logic [15:0] enable_o,
  output logic [15:0] length_o
);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;
  logic writes, reads, known;
  logic [31:0] shown;
  logic [15:0] high_q;

  // ---- Writes -----------------------------------------------------------------------------------------------
  assign writes    = awvalid_i && wvalid_i && !bvalid_o;
  assign awready_o = writes;
  assign wready_o  = writes;

  always_ff @(posedge clk_i) begin
    if (bready_i) bvalid_o <= 1'b0;
    if (writes) begin
      bvalid_o <= 1'b1;
      bresp_o  <= Okay;
      case (32'({awaddr_i[11:2], 2'b00}))
        tm_hybrid_csr_pkg::Enable: begin
          if (wstrb_i[0]) enable_o[7:0] <= wdata_i[7:0];
          if (wstrb_i[1]) enable_o[15:8] <= wdata_i[15:8];
        end
        tm_hybrid_csr_pkg::Length: begin
          if (wstrb_i[0]) length_o[7:0] <= wdata_i[7:0];
          if (wstrb_i[1]) length_o[15:8] <= wdata_i[15:8];
        end
        default: bresp_o <= SlvErr;
      endcase
    end
    if (rst_i) begin
      bvalid_o <= 1'b0;
      enable_o <= 16'hFFFF;
      length_o <= 16'hFFFF;
    end
  end

  // ---- Reads ------------------------------------------------------------------------------------------------
  logic counts;
  logic [31:0] behind, port;
  logic [1:0] word;
  assign arready_o      = !rvalid_o;
  assign reads          = arvalid_i && arready_o;
  assign behind         = 32'(araddr_i) - tm_hybrid_csr_pkg::Counters;
  assign port           = behind / tm_hybrid_csr_pkg::PortStride;
  assign word           = araddr_i[3:2];
  assign count_port_o   = PortW'(port);
  assign count_number_o = 3'(behind % tm_hybrid_csr_pkg::PortStride / tm_hybrid_csr_pkg::CounterStride);
  assign counts         = 32'(araddr_i) >= tm_hybrid_csr_pkg::Counters && port < Ports
                          && 32'(count_number_o) < 7 && word != 2'd3;

  always_comb begin
    known = 1'b1;
    shown = '0;
    case (32'({araddr_i[11:2], 2'b00}))
      tm_hybrid_csr_pkg::Id: shown = 32'(id_i);
      tm_hybrid_csr_pkg::Ports: shown = 32'(ports_i);
      tm_hybrid_csr_pkg::NearMost: shown = 32'(near_most_i);
      tm_hybrid_csr_pkg::High: shown = 32'(high_i);
      tm_hybrid_csr_pkg::Low: shown = 32'(low_i);
      tm_hybrid_csr_pkg::CellBytes: shown = 32'(cell_bytes_i);
      tm_hybrid_csr_pkg::Largest: shown = 32'(largest_i);
      tm_hybrid_csr_pkg::Batch: shown = 32'(batch_i);
      tm_hybrid_csr_pkg::Regions: shown = 32'(regions_i);
      tm_hybrid_csr_pkg::Near: shown = 32'(near_i);
      tm_hybrid_csr_pkg::Far: shown = 32'(far_i);
      tm_hybrid_csr_pkg::FreeCells: shown = 32'(free_cells_i);
      tm_hybrid_csr_pkg::FreeRegions: shown = 32'(free_regions_i);
      tm_hybrid_csr_pkg::SwappedOut: shown = 32'(swapped_out_i);
      tm_hybrid_csr_pkg::SwappedIn: shown = 32'(swapped_in_i);
      tm_hybrid_csr_pkg::Writes: shown = 32'(writes_i);
      tm_hybrid_csr_pkg::Reads: shown = 32'(reads_i);
      tm_hybrid_csr_pkg::Malformed: shown = 32'(malformed_i);
      tm_hybrid_csr_pkg::Errors: shown = 32'(errors_i);
      tm_hybrid_csr_pkg::Enable: shown = 32'(enable_o);
      tm_hybrid_csr_pkg::Length: shown = 32'(length_o);
      default: known = 1'b0;
    endcase
    if (counts) begin
      known = 1'b1;
      case (word)
        2'd0: shown = count_packets_i;
        2'd1: shown = count_bytes_i[31:0];
        default: shown = 32'(high_q);
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rready_i) rvalid_o <= 1'b0;
    if (reads) begin
      rvalid_o <= 1'b1;
      rresp_o  <= known ? Okay : SlvErr;
      rdata_o  <= shown;
      if (counts && word == 2'd1) high_q <= count_bytes_i[47:32];
    end
    if (rst_i) rvalid_o <= 1'b0;
  end

  // Addresses are of bytes, registers of words, not all of which have 32 bits.
  logic unused;
  assign unused = ^{awaddr_i[1:0], araddr_i[1:0], wdata_i, wstrb_i};
endmodule
