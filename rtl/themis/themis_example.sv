// Themis's queue beside a controller of far memory: whoever asks for a swap is told where to copy from. Arrivals go
// where the queue says (`Enqueue`), and one operation is taken in a cycle, the scheduler's first.
module themis_example #(
  localparam int unsigned Levels = 2,
  localparam int unsigned Width = 8,
  localparam int unsigned RankW = Levels * $clog2(Width),
  localparam int unsigned SlotBits = 11,
  localparam int unsigned DataW = 32
) (
  input  logic                clk_i,
  input  logic                rst_i,
  // A packet arrives; it is taken if nothing is served in this cycle.
  input  logic                arrive_i,
  input  logic [   RankW-1:0] rank_i,
  input  logic [   DataW-1:0] data_i,
  output logic                taken_o,
  // The port is free, and asks for the next.
  input  logic                serve_i,
  // The near memory is above its watermark: an element leaves it in a cycle without other work.
  input  logic                swap_out_i,
  output logic                served_valid_o,
  output logic [   DataW-1:0] served_o,
  // A slot whose bytes are to be copied to far memory.
  output logic                copy_valid_o,
  output logic [SlotBits-1:0] copy_slot_o
);
  logic ready, answered, takes, swaps, far;
  themis_pkg::op_e op;
  themis_pkg::status_e status;
  logic [RankW-1:0] rank;

  assign taken_o = arrive_i && ready && !serve_i;
  always_comb begin
    if (serve_i) op = themis_pkg::Dequeue;
    else if (arrive_i) op = themis_pkg::Enqueue;
    else op = themis_pkg::SwapOut;
  end

  themis #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(SlotBits),
    .DataW   (DataW)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i (serve_i || arrive_i || swap_out_i),
    .ready_o (ready),
    .op_i    (op),
    .rank_i,
    .data_i,
    .valid_o (answered),
    .take_o  (takes),
    .swap_o  (swaps),
    .status_o(status),
    .far_o   (far),
    .rank_o  (rank),
    .slot_o  (copy_slot_o),
    .data_o  (served_o)
  );
  assign served_valid_o = answered && takes && !swaps && status == themis_pkg::Done;
  assign copy_valid_o   = answered && swaps && !far && status == themis_pkg::Done;

  // What is served out of far memory would be fetched first; the rank is of no use here.
  wire unused = &{1'b0, rank, 1'b0};
endmodule
