// Writes of what is bound for HBM: the oldest staged batch, at contiguous addresses, an AXI4 burst for each packet.
//
// Source: Themis §4.1 (a batch is stored at contiguous addresses; writes are triggered on arrival, and what comes while they
// go on joins them), §4.3 (swaps use the reads of SRAM that departures leave). A batch stays in the staging buffer while it is
// written. Its packets are written as they come, and it is closed when all that have come are written: full, or as far as it
// was filled. A packet that leaves, or is swapped in, before its write is answered has never been far: its place stays empty.
//
// HBM is divided into regions of a batch. A region is taken for a batch, and free again when none of its packets is left in
// it. Without a free one nothing is written, the staging buffer fills, and what is bound for far is lost.
module tm_hybrid_writer #(
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 5,
  parameter int unsigned SlotW = 11,
  parameter int unsigned Memory = 512,
  parameter int unsigned BeatsW = 6,
  /// Packets of a batch, a power of two, and batches that fit in HBM.
  parameter int unsigned Batch = 8,
  parameter int unsigned Regions = 128,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned FarW = parameter_pkg::index_width(Regions * Batch),
  localparam int unsigned PlaceW = $clog2(Batch),
  localparam int unsigned AddrW = FarW + CellBeatsLog2 + $clog2(Lanes),
  localparam int unsigned AddressW = CellW + CellBeatsLog2
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  // The oldest staged batch: of how many, their slots, which of them are still bound for far.
  input  logic [ PlaceW:0]           batch_count_i,
  input  logic [Batch-1:0]           batch_bound_i,
  input  logic [Batch-1:0][SlotW-1:0] batch_slots_i,
  output logic                       batch_ready_o,
  // A slot, and where its packet is.
  output logic [SlotW-1:0]           look_slot_o,
  input  logic [CellW-1:0]           look_cell_i,
  input  logic [BeatsW-1:0]          look_beats_i,
  input  logic                       look_pending_i,
  // It is far now, at this place.
  output logic                       settle_o,
  output logic [FarW-1:0]            settle_place_o,
  input  logic                       settle_ready_i,
  // A place is empty again.
  input  logic                       gone_i,
  input  logic [FarW-1:0]            gone_place_i,
  // The cells: a beat is there in the cycle after it is read.
  output logic                       read_o,
  output logic [AddressW-1:0]        read_address_o,
  input  logic                       read_ready_i,
  input  logic [DataW-1:0]           read_data_i,
  /// The memory could not write.
  output logic                       error_o,
  /// A burst is answered.
  output logic                       answered_o,
  /// Regions that are free.
  output logic [FarW-PlaceW:0]       free_o,
  // AXI4.
  output logic                       awvalid_o,
  input  logic                       awready_i,
  output logic [PlaceW-1:0]          awid_o,
  output logic [AddrW-1:0]           awaddr_o,
  output logic [7:0]                 awlen_o,
  output logic                       wvalid_o,
  input  logic                       wready_i,
  output logic [DataW-1:0]           wdata_o,
  output logic                       wlast_o,
  input  logic                       bvalid_i,
  output logic                       bready_o,
  input  logic [PlaceW-1:0]          bid_i,
  input  logic [1:0]                 bresp_i
);
  localparam int unsigned RegionW = parameter_pkg::index_width(Regions);
  // Beats that have been read and not been taken.
  localparam int unsigned Beats = 4;
  localparam int unsigned BeatW = $clog2(Beats);

  logic [PlaceW:0] at_q, open_q;
  logic held_q, active_q, empty, take, give, closes, launches, skips, answers, settles;
  logic [RegionW-1:0] region_q, region, gone_region, give_region;
  logic [PlaceW-1:0] at;
  logic at_bound;

  // ---- The next packet ---------------------------------------------------------------------------------------------
  assign at       = at_q[PlaceW-1:0];
  assign at_bound = batch_bound_i[at];
  assign skips    = at_q < batch_count_i && !at_bound;
  assign take     = at_q < batch_count_i && at_bound && !held_q && !empty;
  // The table is asked for one slot in a cycle; answers go first.
  assign launches = at_q < batch_count_i && at_bound && held_q && !active_q && !awvalid_o && !bvalid_i
                    && !look_pending_i;
  assign closes   = batch_count_i != '0 && at_q == batch_count_i && open_q == '0 && !gone_i;
  assign batch_ready_o = closes;

  // ---- Its beats ---------------------------------------------------------------------------------------------------
  logic [BeatsW-1:0] beat_q, beats_q;
  logic [CellW-1:0] cell_q;
  logic [BeatW:0] read_q, filled_q, sent_q;
  logic last, last_q, reads_q;
  assign last           = beat_q + 1'b1 == beats_q;
  assign read_o         = active_q && read_q - sent_q != (BeatW + 1)'(Beats);
  assign read_address_o = (AddressW'(cell_q) << CellBeatsLog2) | AddressW'(beat_q);

  ram_async #(
    .Width(DataW + 1),
    .Depth(Beats)
  ) u_beats (
    .clk_i,
    .we_i   (reads_q),
    .waddr_i(filled_q[BeatW-1:0]),
    .wdata_i({read_data_i, last_q}),
    .raddr_i(sent_q[BeatW-1:0]),
    .rdata_o({wdata_o, wlast_o})
  );
  assign wvalid_o = filled_q != sent_q;

  // ---- Answers -----------------------------------------------------------------------------------------------------
  assign look_slot_o    = batch_slots_i[bvalid_i ? bid_i : at];
  assign settle_o       = bvalid_i && batch_bound_i[bid_i];
  assign settle_place_o = FarW'({region_q, bid_i});
  assign settles        = settle_o && settle_ready_i;
  assign bready_o       = !settle_o || settle_ready_i;
  assign answers        = bvalid_i && bready_o;
  assign answered_o     = answers;
  assign error_o        = answers && bresp_i != 2'b00;

  // ---- Regions -----------------------------------------------------------------------------------------------------
  logic [PlaceW:0] live_q[Regions];
  logic empties;
  assign gone_region = RegionW'(gone_place_i >> PlaceW);
  assign empties     = gone_i && live_q[gone_region] == (PlaceW + 1)'(1) && !(held_q && gone_region == region_q);
  assign give        = empties || (closes && held_q && live_q[region_q] == '0);
  assign give_region = empties ? gone_region : region_q;

  free_list #(
    .Entries(Regions)
  ) u_free (
    .clk_i,
    .rst_i,
    .take_i  (take),
    .number_o(region),
    .empty_o (empty),
    .give_i  (give),
    .number_i(give_region)
  );

  always_ff @(posedge clk_i) begin
    if (take) begin
      held_q   <= 1'b1;
      region_q <= region;
    end
    if (skips || launches) at_q <= at_q + 1'b1;
    open_q <= open_q + (PlaceW + 1)'(launches) - (PlaceW + 1)'(answers);
    if (closes) begin
      at_q   <= '0;
      held_q <= 1'b0;
    end
    if (awready_i) awvalid_o <= 1'b0;
    if (launches) begin
      awvalid_o <= 1'b1;
      awid_o    <= at;
      awaddr_o  <= AddrW'({region_q, at}) << (AddrW - FarW);
      awlen_o   <= 8'(look_beats_i - 1'b1);
      active_q  <= 1'b1;
      beat_q    <= '0;
      beats_q   <= look_beats_i;
      cell_q    <= look_cell_i;
    end
    reads_q <= read_o && read_ready_i;
    last_q  <= last;
    if (read_o && read_ready_i) begin
      read_q <= read_q + 1'b1;
      beat_q <= beat_q + 1'b1;
      if (last) active_q <= 1'b0;
    end
    filled_q <= filled_q + (BeatW + 1)'(reads_q);
    sent_q   <= sent_q + (BeatW + 1)'(wvalid_o && wready_i);
    free_o   <= free_o - (FarW - PlaceW + 1)'(take) + (FarW - PlaceW + 1)'(give);
    for (int unsigned i = 0; i < Regions; i++) begin
      live_q[i] <= live_q[i] + (PlaceW + 1)'(settles && region_q == RegionW'(i))
                   - (PlaceW + 1)'(gone_i && gone_region == RegionW'(i));
      if (rst_i) live_q[i] <= '0;
    end
    if (rst_i) begin
      at_q      <= '0;
      open_q    <= '0;
      held_q    <= 1'b0;
      active_q  <= 1'b0;
      awvalid_o <= 1'b0;
      reads_q   <= 1'b0;
      read_q    <= '0;
      filled_q  <= '0;
      sent_q    <= '0;
      free_o    <= (FarW - PlaceW + 1)'(Regions);
    end
  end

`ifndef SYNTHESIS
  cover_skip : cover property (@(posedge clk_i) skips);
  cover_no_region : cover property (@(posedge clk_i) at_q < batch_count_i && at_bound && !held_q && empty);
  cover_whole_batch : cover property (@(posedge clk_i) closes && batch_count_i == (PlaceW + 1)'(Batch));
  cover_part_of_a_batch : cover property (@(posedge clk_i) closes && batch_count_i != (PlaceW + 1)'(Batch));
  cover_left_meanwhile : cover property (@(posedge clk_i) answers && !settle_o);
  cover_pending : cover property (@(posedge clk_i) at_q < batch_count_i && at_bound && held_q && look_pending_i);
  cover_empties : cover property (@(posedge clk_i) empties);
  cover_nothing_stayed : cover property (@(posedge clk_i) give && !empties);
  cover_held_back : cover property (@(posedge clk_i) wvalid_o && !wready_i);
  cover_departures_first : cover property (@(posedge clk_i) read_o && !read_ready_i);
  // Which bursts are open.
  logic [Batch-1:0] open_ids_q;
  always_ff @(posedge clk_i) begin
    if (answers) open_ids_q[bid_i] <= 1'b0;
    if (launches) open_ids_q[at] <= 1'b1;
    if (rst_i) open_ids_q <= '0;
  end
  assert property (@(posedge clk_i) disable iff (rst_i) bvalid_i |-> open_ids_q[bid_i])
  else $error("%m: an answer comes to a burst that there is not");
  assert property (@(posedge clk_i) disable iff (rst_i) gone_i |-> live_q[gone_region] != '0)
  else $error("%m: a packet leaves an empty region");
`endif
endmodule
