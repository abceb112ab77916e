// Where the bytes of each packet are: in which cell of SRAM, or at which place in HBM.
//
// The queue decides in which tier a packet waits; the bytes follow. Every answer is carried out in its own cycle, so this
// table never lags behind the queue:
//
//   enqueue    the bytes are in a cell already; that cell is the packet's. Lost, or refused: the cell is free
//   swap-out   nothing; the bytes stay in their cell until `tm_hybrid_writer` has written them
//   swap-in    nothing if they have not been written yet; else a cell is taken, and a read into it is asked for
//   dequeue    the same, and the cell is sent
//   drop       the cell is free; if it is being read into, as soon as that is over
//
// A cell is `pending` while a read into it is under way: who wants its bytes waits. Four may give a cell back; in a cycle one
// does. An answer does at once, the others wait for their turn.
module tm_hybrid_place #(
  parameter int unsigned SlotW = 11,
  parameter int unsigned Memory = 512,
  /// Places of HBM.
  parameter int unsigned FarPlaces = 1024,
  /// Bits of a packet's number of beats.
  parameter int unsigned BeatsW = 6,
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned FarW = parameter_pkg::index_width(FarPlaces)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  // The next free cell, for a packet that comes in. `take_i` must be low while `busy_o` is high.
  input  logic                take_i,
  output logic                busy_o,
  output logic [   CellW-1:0] cell_o,
  // An answer of the queue, and the arrival that it is about, or that was lost as long ago as an answer takes.
  input  logic                valid_i,
  input  themis_pkg::op_e     op_i,
  input  themis_pkg::status_e status_i,
  input  logic [   SlotW-1:0] slot_i,
  input  logic [  BeatsW-1:0] beats_i,
  input  logic                came_i,
  input  logic                came_lost_i,
  input  logic [   CellW-1:0] came_cell_i,
  input  logic [  BeatsW-1:0] came_beats_i,
  // A packet is to be sent, of this cell; whether its bytes were far.
  output logic                send_o,
  output logic                send_far_o,
  output logic [   CellW-1:0] send_cell_o,
  // A packet is to be read, from this place into this cell.
  output logic                fetch_o,
  output logic [    FarW-1:0] fetch_place_o,
  output logic [   CellW-1:0] fetch_cell_o,
  // It has been read.
  input  logic                read_i,
  input  logic [   CellW-1:0] read_cell_i,
  output logic                read_ready_o,
  // What is staged in a slot; and it has been written to this place.
  input  logic [   SlotW-1:0] look_slot_i,
  output logic [   CellW-1:0] look_cell_o,
  output logic [  BeatsW-1:0] look_beats_o,
  output logic                look_pending_o,
  input  logic                settle_i,
  input  logic [    FarW-1:0] settle_place_i,
  output logic                settle_ready_o,
  // The cell that is to be sent next; and one that has been sent.
  input  logic [   CellW-1:0] next_cell_i,
  output logic                next_pending_o,
  input  logic                sent_i,
  input  logic [   CellW-1:0] sent_cell_i,
  output logic                sent_ready_o,
  /// Free cells.
  output logic [   CellW:0]   free_o
);
  localparam int unsigned IndexW = CellW > FarW ? CellW : FarW;
  typedef struct packed {
    logic              in_far;
    logic [BeatsW-1:0] beats;
    logic [IndexW-1:0] index;
  } place_t;

  place_t here, looked, written;
  logic enqueued, refused, departs, drops, swaps_in, writes, answers_write, gives, empty, give, read_gives;
  logic [SlotW-1:0] write_slot;
  logic [CellW-1:0] give_cell;
  logic [Memory-1:0] pending_q, dead_q;
  logic done;

  // ---- The answer --------------------------------------------------------------------------------------------------
  assign done     = valid_i && (status_i == themis_pkg::Done || status_i == themis_pkg::Ahead);
  assign enqueued = came_i && !came_lost_i && done;
  assign refused  = came_i && (came_lost_i || !done);
  assign departs  = done && op_i == themis_pkg::Dequeue;
  assign drops    = done && op_i == themis_pkg::DropLargest;
  assign swaps_in = done && op_i == themis_pkg::SwapIn;

  assign fetch_o       = (departs || swaps_in) && here.in_far;
  assign fetch_place_o = here.index[FarW-1:0];
  assign fetch_cell_o  = cell_o;
  assign send_o        = departs;
  assign send_far_o    = here.in_far;
  assign send_cell_o   = here.in_far ? cell_o : here.index[CellW-1:0];
  assign busy_o        = fetch_o || empty;

  // A read that ends in this very cycle leaves nothing to wait for.
  logic drop_waits, read_ends;
  assign read_ends  = read_i && read_ready_o;
  assign drop_waits = pending_q[here.index[CellW-1:0]]
                      && !(read_i && !dead_q[read_cell_i] && read_cell_i == here.index[CellW-1:0]);

  // ---- The table ---------------------------------------------------------------------------------------------------
  logic settles;
  assign answers_write = enqueued || (swaps_in && here.in_far);
  assign settles       = settle_i && settle_ready_o;
  assign writes        = answers_write || settles;
  always_comb begin
    write_slot = slot_i;
    written    = '{1'b0, enqueued ? came_beats_i : beats_i, IndexW'(enqueued ? came_cell_i : cell_o)};
    if (!answers_write) begin
      write_slot = look_slot_i;
      written    = '{1'b1, looked.beats, IndexW'(settle_place_i)};
    end
  end

  ram_async #(
    .Width($bits(place_t)),
    .Depth(1 << SlotW)
  ) u_answered (
    .clk_i,
    .we_i   (writes),
    .waddr_i(write_slot),
    .wdata_i(written),
    .raddr_i(slot_i),
    .rdata_o(here)
  );

  ram_async #(
    .Width($bits(place_t)),
    .Depth(1 << SlotW)
  ) u_looked (
    .clk_i,
    .we_i   (writes),
    .waddr_i(write_slot),
    .wdata_i(written),
    .raddr_i(look_slot_i),
    .rdata_o(looked)
  );
  assign look_cell_o    = looked.index[CellW-1:0];
  assign look_beats_o   = looked.beats;
  assign look_pending_o = pending_q[looked.index[CellW-1:0]];
  assign next_pending_o = pending_q[next_cell_i];
  logic unused;
  assign unused = ^here.beats;

  // ---- Free cells --------------------------------------------------------------------------------------------------
  assign gives          = refused || (drops && !drop_waits);
  assign read_gives     = read_i && dead_q[read_cell_i];
  assign read_ready_o   = !dead_q[read_cell_i] || !gives;
  // What leaves in this very cycle is no longer bound for far; its answer is carried out first.
  assign settle_ready_o = !answers_write && !gives && !read_gives && !(valid_i && slot_i == look_slot_i);
  assign sent_ready_o   = !gives && !read_gives && !settles;
  assign give           = gives || read_gives || settles || sent_i;
  always_comb begin
    give_cell = sent_cell_i;
    if (settles) give_cell = look_cell_o;
    if (read_gives) give_cell = read_cell_i;
    if (gives) give_cell = refused ? came_cell_i : here.index[CellW-1:0];
  end

  free_list #(
    .Entries(Memory),
    .Drains (1'b1)
  ) u_free (
    .clk_i,
    .rst_i,
    .take_i  (take_i || fetch_o),
    .number_o(cell_o),
    .empty_o (empty),
    .give_i  (give),
    .number_i(give_cell)
  );

  always_ff @(posedge clk_i) begin
    if (read_ends) begin
      pending_q[read_cell_i] <= 1'b0;
      dead_q[read_cell_i]    <= 1'b0;
    end
    if (fetch_o) pending_q[cell_o] <= 1'b1;
    if (drops && drop_waits) dead_q[here.index[CellW-1:0]] <= 1'b1;
    free_o <= free_o + (CellW + 1)'(give) - (CellW + 1)'(take_i || fetch_o);
    if (rst_i) begin
      pending_q <= '0;
      dead_q    <= '0;
      free_o    <= (CellW + 1)'(Memory);
    end
  end

`ifndef SYNTHESIS
  cover_swap_in_before_write : cover property (@(posedge clk_i) swaps_in && !here.in_far);
  cover_swap_in : cover property (@(posedge clk_i) swaps_in && here.in_far);
  cover_departs_far : cover property (@(posedge clk_i) departs && here.in_far);
  cover_departs_pending : cover property (
      @(posedge clk_i) departs && !here.in_far && pending_q[here.index[CellW-1:0]]);
  cover_drop_pending : cover property (@(posedge clk_i) drops && drop_waits);
  cover_dead : cover property (@(posedge clk_i) read_ends && read_gives);
  cover_settle_waits : cover property (@(posedge clk_i) settle_i && !settle_ready_o);
  cover_sent_waits : cover property (@(posedge clk_i) sent_i && !sent_ready_o);
  cover_full : cover property (@(posedge clk_i) refused && !came_lost_i);

  // A packet is in exactly one place, and a cell or a place in HBM is at most one packet's.
  typedef enum logic [2:0] {
    Free,
    Coming,
    Waiting,
    Leaving,
    Dead
  } owner_e;
  owner_e owner_q[Memory];
  logic [FarPlaces-1:0] stored_q;
  always_ff @(posedge clk_i) begin
    if (take_i) owner_q[cell_o] <= Coming;
    if (fetch_o) owner_q[cell_o] <= departs ? Leaving : Waiting;
    if (enqueued) owner_q[came_cell_i] <= Waiting;
    if (departs && !here.in_far) owner_q[here.index[CellW-1:0]] <= Leaving;
    if (drops && drop_waits) owner_q[here.index[CellW-1:0]] <= Dead;
    if (give) owner_q[give_cell] <= Free;
    if (settles) stored_q[settle_place_i] <= 1'b1;
    if (fetch_o) stored_q[fetch_place_o] <= 1'b0;
    if (rst_i) begin
      for (int unsigned i = 0; i < Memory; i++) owner_q[i] <= Free;
      stored_q <= '0;
    end
  end
  assert property (@(posedge clk_i) disable iff (rst_i) take_i || fetch_o |-> owner_q[cell_o] == Free && !empty)
  else $error("%m: a cell is taken that is not free");
  assert property (@(posedge clk_i) disable iff (rst_i) enqueued |-> owner_q[came_cell_i] == Coming)
  else $error("%m: a packet waits in a cell that was not filled for it");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   (departs || drops || swaps_in) && !here.in_far |-> owner_q[here.index[CellW-1:0]] == Waiting)
  else $error("%m: a packet is taken from a cell in which it does not wait");
  assert property (@(posedge clk_i) disable iff (rst_i) drops |-> !here.in_far)
  else $error("%m: a packet is dropped near, and its bytes are far");
  assert property (@(posedge clk_i) disable iff (rst_i) fetch_o |-> stored_q[fetch_place_o])
  else $error("%m: a packet is read from a place where there is none");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   settles |-> owner_q[look_cell_o] == Waiting && !looked.in_far && !stored_q[settle_place_i])
  else $error("%m: a packet becomes far that is elsewhere, or at a place of another");
  assert property (@(posedge clk_i) disable iff (rst_i) sent_i && sent_ready_o |-> owner_q[sent_cell_i] == Leaving)
  else $error("%m: a cell is given back that was not sent");
  assert property (@(posedge clk_i) disable iff (rst_i) read_gives |-> owner_q[read_cell_i] == Dead)
  else $error("%m: a cell is given back that somebody waits for");
`endif
endmodule
