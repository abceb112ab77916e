// Themis's manager before a far memory that takes a batch whenever one is complete.
module themis_manager_example #(
  localparam int unsigned RankW = 6,
  localparam int unsigned DataW = 32,
  localparam int unsigned SlotBits = 11,
  localparam int unsigned Batch = 8
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           arrive_valid_i,
  output logic                           arrive_ready_o,
  input  logic [RankW-1:0]               arrive_rank_i,
  input  logic [DataW-1:0]               arrive_data_i,
  output logic                           lost_o,
  // The port asks for the next, and gets it a fixed number of cycles later.
  input  logic                           depart_valid_i,
  output logic                           depart_ready_o,
  output logic                           served_valid_o,
  output logic [DataW-1:0]               served_o,
  output logic                           served_far_o,
  // What is written to far memory.
  output logic                           write_o,
  output logic [Batch-1:0][SlotBits-1:0] slots_o
);
  logic answered, offered;
  themis_pkg::op_e op;
  themis_pkg::status_e status;
  logic [RankW-1:0] rank;
  logic [SlotBits-1:0] slot;
  logic [Batch-1:0] bound;
  logic [$clog2(Batch):0] count;
  logic [1:0][SlotBits:0] waiting;
  logic swaps_in;

  themis_manager #(
    .DataW   (DataW),
    .SlotBits(SlotBits),
    .Batch   (Batch)
  ) u_manager (
    .clk_i,
    .rst_i,
    .arrive_valid_i,
    .arrive_ready_o,
    .arrive_rank_i,
    .arrive_data_i,
    .lost_o,
    .depart_valid_i,
    .depart_ready_o,
    // It can always be read.
    .swap_in_ready_i(1'b1),
    .swap_in_o      (swaps_in),
    .valid_o      (answered),
    .op_o         (op),
    .status_o     (status),
    .far_o        (served_far_o),
    .rank_o       (rank),
    .slot_o       (slot),
    .data_o       (served_o),
    .batch_valid_o(offered),
    .batch_ready_i(&bound),
    .batch_count_o(count),
    .batch_bound_o(bound),
    .batch_slots_o(slots_o),
    .waiting_near_o(waiting[0]),
    .waiting_far_o (waiting[1])
  );
  assign served_valid_o = answered && op == themis_pkg::Dequeue && status == themis_pkg::Done;
  assign write_o        = offered && &bound;

  wire unused = &{1'b0, rank, slot, count, waiting, swaps_in, 1'b0};
endmodule
