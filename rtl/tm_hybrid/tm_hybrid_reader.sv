// Reads of packets out of HBM, an AXI4 burst for each, several at a time, each with an ID of its own.
//
// The memory may answer in any order, and may mix the beats of several bursts. A beat goes into its packet's cell in a cycle
// in which no arriving beat does (`store_i`), else it waits. A burst begins at a multiple of a cell's size, which is at most
// 4 KiB, so none crosses such a boundary.
module tm_hybrid_reader #(
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 5,
  parameter int unsigned Memory = 512,
  parameter int unsigned FarPlaces = 1024,
  parameter int unsigned BeatsW = 6,
  /// Reads at a time, a power of two.
  parameter int unsigned Reads = 16,
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned FarW = parameter_pkg::index_width(FarPlaces),
  localparam int unsigned TagW = $clog2(Reads),
  localparam int unsigned AddrW = FarW + CellBeatsLog2 + $clog2(DataW / 8),
  localparam int unsigned AddressW = CellW + CellBeatsLog2
) (
  input  logic                clk_i,
  input  logic                rst_i,
  // A packet is to be read; there is an ID for it.
  input  logic                fetch_i,
  input  logic [    FarW-1:0] fetch_place_i,
  input  logic [   CellW-1:0] fetch_cell_i,
  input  logic [  BeatsW-1:0] fetch_beats_i,
  /// It is swapped in.
  input  logic                fetch_swap_i,
  // Into the cells.
  input  logic                store_i,
  output logic                write_o,
  output logic [AddressW-1:0] write_address_o,
  output logic [   DataW-1:0] write_data_o,
  // A packet has been read.
  output logic                done_o,
  output logic [   CellW-1:0] done_cell_o,
  output logic [    FarW-1:0] done_place_o,
  output logic                done_swap_o,
  input  logic                done_ready_i,
  /// It was read, and the memory says that it could not.
  output logic                error_o,
  // AXI4.
  output logic                arvalid_o,
  input  logic                arready_i,
  output logic [    TagW-1:0] arid_o,
  output logic [   AddrW-1:0] araddr_o,
  output logic [         7:0] arlen_o,
  input  logic                rvalid_i,
  output logic                rready_o,
  input  logic [    TagW-1:0] rid_i,
  input  logic [   DataW-1:0] rdata_i,
  input  logic [         1:0] rresp_i,
  input  logic                rlast_i
);
  logic [Reads-1:0] busy_q, swap_q, first_free;
  logic [CellW-1:0] cell_q[Reads];
  logic [FarW-1:0] place_q[Reads];
  logic [BeatsW-1:0] beats_q[Reads], at_q[Reads];
  logic [TagW-1:0] tag, asks, done_tag_q;
  logic [TagW:0] written_q, asked_q;
  logic takes, ends;

  // ---- Asked -------------------------------------------------------------------------------------------------------
  find_first #(
    .Width(Reads)
  ) u_tag (
    .word_i   (~busy_q),
    .last_i   (1'b0),
    .one_hot_o(first_free)
  );
  always_comb begin
    tag = '0;
    for (int unsigned i = 0; i < Reads; i++) if (first_free[i]) tag |= TagW'(i);
  end

  ram_async #(
    .Width(TagW),
    .Depth(Reads)
  ) u_asks (
    .clk_i,
    .we_i   (fetch_i),
    .waddr_i(written_q[TagW-1:0]),
    .wdata_i(tag),
    .raddr_i(asked_q[TagW-1:0]),
    .rdata_o(asks)
  );
  assign arvalid_o = written_q != asked_q;
  assign arid_o    = asks;
  assign araddr_o  = AddrW'(place_q[asks]) << (AddrW - FarW);
  assign arlen_o   = 8'(beats_q[asks] - 1'b1);

  // ---- Answered ----------------------------------------------------------------------------------------------------
  assign rready_o        = !store_i && (!done_o || done_ready_i);
  assign takes           = rvalid_i && rready_o;
  assign ends            = takes && rlast_i;
  assign write_o         = takes;
  assign write_address_o = (AddressW'(cell_q[rid_i]) << CellBeatsLog2) | AddressW'(at_q[rid_i]);
  assign write_data_o    = rdata_i;
  assign error_o         = takes && rresp_i != 2'b00;

  always_ff @(posedge clk_i) begin
    written_q <= written_q + (TagW + 1)'(fetch_i);
    asked_q   <= asked_q + (TagW + 1)'(arvalid_o && arready_i);
    if (takes) at_q[rid_i] <= at_q[rid_i] + 1'b1;
    if (done_o && done_ready_i) begin
      done_o             <= 1'b0;
      busy_q[done_tag_q] <= 1'b0;
    end
    if (ends) begin
      done_o       <= 1'b1;
      done_tag_q   <= rid_i;
      done_cell_o  <= cell_q[rid_i];
      done_place_o <= place_q[rid_i];
      done_swap_o  <= swap_q[rid_i];
    end
    if (fetch_i) begin
      busy_q[tag]  <= 1'b1;
      swap_q[tag]  <= fetch_swap_i;
      cell_q[tag]  <= fetch_cell_i;
      place_q[tag] <= fetch_place_i;
      beats_q[tag] <= fetch_beats_i;
      at_q[tag]    <= '0;
    end
    if (rst_i) begin
      busy_q    <= '0;
      written_q <= '0;
      asked_q   <= '0;
      done_o    <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  cover_several : cover property (@(posedge clk_i) written_q - asked_q > (TagW + 1)'(1));
  cover_waits_for_store : cover property (@(posedge clk_i) rvalid_i && store_i);
  cover_out_of_order : cover property (@(posedge clk_i) takes && rid_i != done_tag_q + 1'b1);
  assert property (@(posedge clk_i) disable iff (rst_i) fetch_i |-> !(&busy_q))
  else $error("%m: a packet is to be read and there is no ID for it");
  assert property (@(posedge clk_i) disable iff (rst_i) rvalid_i |-> busy_q[rid_i])
  else $error("%m: a beat comes that nobody asked for");
  assert property (@(posedge clk_i) disable iff (rst_i) takes |-> rlast_i == (at_q[rid_i] + 1'b1 == beats_q[rid_i]))
  else $error("%m: a burst has another number of beats than was asked for");
`endif
endmodule
