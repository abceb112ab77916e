// A timing model of HBM behind an AXI4 port, for simulation. Not for synthesis.
//
// A port sees what Themis App. A measures: a burst to a row that is open is served at once, another waits until its bank has
// closed its row and opened this one (tRP, tRCD), the data bus turns around between reads and writes (tRTW, tWTR), and every
// tREFI all banks are closed and refreshed for tRFC. The controller opens a row as soon as a burst waits for it and its bank
// is idle, so that banks work while others transfer. Of the bursts that wait it serves first those in the direction of the
// last one, of these those to an open row, of these the oldest; one that has waited for `Patience` cycles goes first. So bursts
// of different IDs are answered in another order, and the beats of two at a time are mixed (by the parity of the bank).
//
// A row is striped over all pseudo channels, so that a batch is a row (App. A). All times are in cycles of the port;
// the defaults are those of `forebay_mem::HbmConfig::samsung_hbm2e` at 250 MHz, rounded up.
module tm_hybrid_hbm #(
  parameter int unsigned DataW = 512,
  parameter int unsigned AddrW = 22,
  parameter int unsigned WriteIdW = 3,
  parameter int unsigned ReadIdW = 4,
  /// Beats that it holds.
  parameter int unsigned Words = 65536,
  parameter int unsigned Banks = 16,
  /// A row, over all pseudo channels: 2^RowBytesLog2 bytes.
  parameter int unsigned RowBytesLog2 = 14,
  parameter int unsigned Rcd = 4,
  parameter int unsigned Rp = 4,
  parameter int unsigned Cl = 4,
  parameter int unsigned Cwl = 2,
  parameter int unsigned Rtw = 5,
  parameter int unsigned Wtr = 2,
  /// From one refresh to the next, 0 for none, and a refresh.
  parameter int unsigned Refi = 975,
  parameter int unsigned Rfc = 88,
  /// Cycles of the data bus that a beat takes: 1 for as many bits as the port has.
  parameter int unsigned BeatCycles = 1,
  /// Cycles through controller and interface, to the memory and back. Assumed: 80 ns.
  parameter int unsigned Path = 20,
  /// Bursts that wait at the controller.
  parameter int unsigned Depth = 16,
  /// Cycles after which a burst is served before all others.
  parameter int unsigned Patience = 500
) (
  input  logic                clk_i,
  input  logic                rst_i,
  /// The address of a write, a beat, or the address of a read is not taken, as a bench likes.
  input  logic [         2:0] stall_i,
  input  logic                awvalid_i,
  output logic                awready_o,
  input  logic [WriteIdW-1:0] awid_i,
  input  logic [   AddrW-1:0] awaddr_i,
  input  logic [         7:0] awlen_i,
  input  logic                wvalid_i,
  output logic                wready_o,
  input  logic [   DataW-1:0] wdata_i,
  input  logic                wlast_i,
  output logic                bvalid_o,
  input  logic                bready_i,
  output logic [WriteIdW-1:0] bid_o,
  input  logic                arvalid_i,
  output logic                arready_o,
  input  logic [ ReadIdW-1:0] arid_i,
  input  logic [   AddrW-1:0] araddr_i,
  input  logic [         7:0] arlen_i,
  output logic                rvalid_o,
  input  logic                rready_i,
  output logic [ ReadIdW-1:0] rid_o,
  output logic [   DataW-1:0] rdata_o,
  output logic                rlast_o,
  /// Bursts that found their row open, and that did not.
  output logic [        31:0] row_hits_o,
  output logic [        31:0] row_misses_o
);
  localparam int unsigned LaneW = $clog2(DataW / 8);
  localparam int unsigned IdW = WriteIdW > ReadIdW ? WriteIdW : ReadIdW;

  typedef struct packed {
    logic             valid, write, complete;
    logic [IdW-1:0]   id;
    logic [AddrW-1:0] address;
    logic [7:0]       length;
    logic [31:0]      arrived;
  } burst_t;
  typedef struct packed {
    logic [31:0]      due;
    logic [IdW-1:0]   id;
    logic [AddrW-1:0] word;
    logic             last;
  } beat_t;

  logic [DataW-1:0] memory[Words];
  burst_t bursts[Depth];
  beat_t even[$], odd[$], answers[$];
  // Writes whose beats are still to come, in their order.
  int unsigned filling[$];
  int unsigned now, bus_free, refresh_at, beat, waiting;
  logic last_write, turn;
  logic [31:0] row[Banks], busy_until[Banks];
  logic [Banks-1:0] row_open;

  function automatic int unsigned bank_of(logic [AddrW-1:0] address);
    return 32'(address >> RowBytesLog2) % Banks;
  endfunction
  function automatic logic [31:0] row_of(logic [AddrW-1:0] address);
    return 32'(address >> RowBytesLog2) / Banks;
  endfunction
  function automatic logic is_open(burst_t burst);
    return row_open[bank_of(burst.address)] && row[bank_of(burst.address)] == row_of(burst.address);
  endfunction

  // A place for a burst; there is one.
  function automatic int unsigned place();
    for (int unsigned i = 0; i < Depth; i++) if (!bursts[i].valid) return i;
    return 0;
  endfunction

  // The burst that is served next, Depth if there is none.
  function automatic int unsigned next();
    int unsigned best, score, best_score;
    best = Depth;
    best_score = 0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (bursts[i].valid && (!bursts[i].write || bursts[i].complete)) begin
        score = 1 + (bursts[i].write == last_write ? 2 : 0) + (is_open(bursts[i]) ? 1 : 0);
        if (now - bursts[i].arrived > Patience) score = 8;
        if (best == Depth || score > best_score
            || (score == best_score && bursts[i].arrived < bursts[best].arrived)) begin
          best = i;
          best_score = score;
        end
      end
    end
    return best;
  endfunction

  function automatic void serve(int unsigned at);
    int unsigned start, bank, beats;
    beat_t one;
    bank  = bank_of(bursts[at].address);
    beats = 32'(bursts[at].length) + 1;
    start = now;
    if (is_open(bursts[at])) begin
      row_hits_o <= row_hits_o + 1;
    end else begin
      start = bursts[at].arrived > busy_until[bank] ? bursts[at].arrived : busy_until[bank];
      start += Rcd + (row_open[bank] ? Rp : 0);
      if (start < now) start = now;
      row_misses_o <= row_misses_o + 1;
    end
    if (bursts[at].write != last_write) start += last_write ? Wtr : Rtw;
    last_write       = bursts[at].write;
    row_open[bank]   = 1'b1;
    row[bank]        = row_of(bursts[at].address);
    bus_free         = start + beats * BeatCycles;
    busy_until[bank] = bus_free;
    one = '{bus_free + Cwl + Path, bursts[at].id, '0, 1'b1};
    if (bursts[at].write) answers.push_back(one);
    else begin
      for (int unsigned i = 0; i < beats; i++) begin
        one = '{start + (i + 1) * BeatCycles + Cl + Path, bursts[at].id,
                (bursts[at].address >> LaneW) + AddrW'(i), i + 1 == beats};
        if (bank % 2 == 0) even.push_back(one);
        else odd.push_back(one);
      end
    end
    bursts[at].valid = 1'b0;
    waiting--;
  endfunction

  logic takes_w;
  assign awready_o = waiting + 2 <= Depth && !stall_i[0];
  assign arready_o = waiting + 2 <= Depth && !stall_i[2];
  assign wready_o  = takes_w && !stall_i[1];

  always @(posedge clk_i) begin
    int unsigned at;
    beat_t one;
    logic from_odd;
    now++;
    // ---- What comes ------------------------------------------------------------------------------------------------
    if (wvalid_i && wready_o) begin
      at = filling[0];
      memory[32'(bursts[at].address >> LaneW) + beat] = wdata_i;
      beat++;
      if (wlast_i) begin
        bursts[at].complete = 1'b1;
        beat = 0;
        void'(filling.pop_front());
      end
    end
    if (awvalid_i && awready_o) begin
      at = place();
      bursts[at] = '{1'b1, 1'b1, 1'b0, IdW'(awid_i), awaddr_i, awlen_i, now};
      filling.push_back(at);
      waiting++;
    end
    if (arvalid_i && arready_o) begin
      bursts[place()] = '{1'b1, 1'b0, 1'b1, IdW'(arid_i), araddr_i, arlen_i, now};
      waiting++;
    end
    // ---- What is served --------------------------------------------------------------------------------------------
    if (Refi != 0 && now >= refresh_at && now >= bus_free) begin
      row_open   = '0;
      bus_free   = now + Rfc;
      refresh_at = refresh_at + Refi;
      for (int unsigned i = 0; i < Banks; i++) busy_until[i] = bus_free;
    end
    if (now >= bus_free) begin
      at = next();
      if (at < Depth) serve(at);
    end
    // ---- What is answered ------------------------------------------------------------------------------------------
    if (!bvalid_o || bready_i) begin
      bvalid_o <= answers.size() != 0 && answers[0].due <= now;
      if (answers.size() != 0 && answers[0].due <= now) begin
        one = answers.pop_front();
        bid_o <= WriteIdW'(one.id);
      end
    end
    if (!rvalid_o || rready_i) begin
      turn = !turn;
      from_odd = odd.size() != 0 && odd[0].due <= now && (turn || even.size() == 0 || even[0].due > now);
      rvalid_o <= 1'b0;
      if (from_odd || (even.size() != 0 && even[0].due <= now)) begin
        if (from_odd) one = odd.pop_front();
        else one = even.pop_front();
        rvalid_o <= 1'b1;
        rid_o    <= ReadIdW'(one.id);
        rdata_o  <= memory[32'(one.word)];
        rlast_o  <= one.last;
      end
    end
    if (rst_i) begin
      for (int unsigned i = 0; i < Depth; i++) bursts[i] = '0;
      even.delete();
      odd.delete();
      answers.delete();
      filling.delete();
      now          = 0;
      bus_free     = 0;
      refresh_at   = Refi;
      beat         = 0;
      waiting      = 0;
      last_write   = 1'b0;
      turn         = 1'b0;
      row_open     = '0;
      for (int unsigned i = 0; i < Banks; i++) busy_until[i] = 0;
      bvalid_o     <= 1'b0;
      rvalid_o     <= 1'b0;
      row_hits_o   <= '0;
      row_misses_o <= '0;
    end
    takes_w <= filling.size() != 0;
  end
endmodule
