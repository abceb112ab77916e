// The lengths of all queues, admission by Dynamic Threshold, and the comparisons that keep the bitmap.
//
// Source: occamy §2.2 Eq. 1, §4.2, §4.3 ①. A packet is admitted if its queue with it stays within T = 2^AlphaLog2 times the
// free cells (`Comparison::With` of the Rust model) and fits.
//
//   arrival   L   read the length, take in what is decided and removed in this cycle
//             D   compare with T; write
//             C   the queue has changed: compare its length with the new T
//   sweep         every cycle one queue: read its length; compare it a cycle later
//
// A length changes at two places in a cycle, so it is two counters, each written at one: cells that have come and cells
// that have gone. What changes with T are all bits at once, so the bitmap would take a comparator for every queue; there
// are two, and a bit is at most a round of the sweep late.
module occamy_lengths #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned AlphaLog2 = 3,
  /// Bits of a packet's cells.
  parameter int unsigned PacketW = 4,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  /// Low while the lengths are set to zero.
  output logic               ready_o,
  // Stage L of an arrival, from a register.
  input  logic               valid_i,
  input  logic [ QueueW-1:0] queue_i,
  input  logic [PacketW-1:0] cells_i,
  // Stage C, a verdict; of one that is not admitted the length is not looked at.
  output logic               valid_o,
  output logic               admitted_o,
  output logic [ QueueW-1:0] changed_o,
  output logic               changed_over_o,
  // The sweep.
  output logic               swept_valid_o,
  output logic [ QueueW-1:0] swept_o,
  output logic               swept_over_o,
  // Cells that have gone from a queue in all, and its length.
  input  logic [ QueueW-1:0] look_i,
  output logic [ CountW-1:0] look_gone_o,
  output logic [ CountW-1:0] look_length_o,
  // A packet is taken out, from registers: cells of the packet, and of its queue in all.
  input  logic               taken_i,
  input  logic [ QueueW-1:0] taken_queue_i,
  input  logic [PacketW-1:0] taken_cells_i,
  input  logic [ CountW-1:0] taken_gone_i,
  output logic [ CountW-1:0] free_o
);
  typedef logic [CountW-1:0] count_t;
  // A length with a packet on top, and T.
  localparam int unsigned WideW = CountW + AlphaLog2 + 1;

  // ---- The sweep, which first sets everything to zero ---------------------------------------------------------
  logic ready_q;
  logic [QueueW-1:0] at_q;
  logic last;
  assign last = at_q == QueueW'(Queues - 1);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ready_q <= 1'b0;
      at_q    <= '0;
    end else begin
      if (last) ready_q <= 1'b1;
      at_q <= last ? '0 : at_q + 1'b1;
    end
  end
  assign ready_o = ready_q;

  // ---- Memories: cells that have come, cells that have gone ------------------------------------------------------
  logic admit, come_we, gone_we;
  logic d_valid_q;
  logic [QueueW-1:0] d_queue_q, come_at, gone_at;
  logic [PacketW-1:0] d_cells_q;
  count_t d_come_q, come_in, gone_in;
  logic [CountW:0] d_with_q;

  assign come_we = admit | ~ready_q;
  assign come_at = ready_q ? d_queue_q : at_q;
  assign come_in = ready_q ? d_come_q : '0;
  assign gone_we = taken_i | ~ready_q;
  assign gone_at = ready_q ? taken_queue_i : at_q;
  assign gone_in = ready_q ? taken_gone_i : '0;

  // Read by an arrival, by the sweep, and for a packet that is to leave.
  logic [2:0][QueueW-1:0] read_at;
  count_t [2:0] come, gone;
  assign read_at = {look_i, at_q, queue_i};
  for (genvar i = 0; i < 3; i++) begin : gen_read
    ram_async #(
      .Width(CountW),
      .Depth(Queues)
    ) u_come (
      .clk_i,
      .we_i   (come_we),
      .waddr_i(come_at),
      .wdata_i(come_in),
      .raddr_i(read_at[i]),
      .rdata_o(come[i])
    );
    ram_async #(
      .Width(CountW),
      .Depth(Queues)
    ) u_gone (
      .clk_i,
      .we_i   (gone_we),
      .waddr_i(gone_at),
      .wdata_i(gone_in),
      .raddr_i(read_at[i]),
      .rdata_o(gone[i])
    );
  end

  assign look_gone_o   = gone[2];
  assign look_length_o = come[2] - gone[2];

  // ---- L and D: both sums are made while the operation ahead is being decided ------------------------------------
  logic same_taken, same_d;
  count_t gone_now;
  logic [CountW:0] with_read, with_ahead;
  assign same_taken = taken_i && taken_queue_i == queue_i;
  assign same_d     = d_valid_q && d_queue_q == queue_i;
  assign gone_now   = same_taken ? taken_gone_i : gone[0];
  always_comb begin
    automatic count_t read = come[0] - gone_now;
    automatic count_t ahead = d_come_q - gone_now;
    with_read  = (CountW + 1)'(read) + (CountW + 1)'(cells_i);
    with_ahead = (CountW + 1)'(ahead) + (CountW + 1)'(cells_i);
  end

  count_t free_q, free_after;
  logic [WideW-1:0] threshold;
  assign threshold  = WideW'(free_q) << AlphaLog2;
  assign admit      = d_valid_q && WideW'(d_with_q) <= threshold && CountW'(d_cells_q) <= free_q;
  assign free_after = free_q + (taken_i ? CountW'(taken_cells_i) : '0);
  assign free_o     = free_q;

  logic c_valid_q, c_admitted_q, s_valid_q;
  logic [QueueW-1:0] c_queue_q, s_queue_q;
  logic [CountW:0] c_length_q;
  count_t s_length_q;

  always_ff @(posedge clk_i) begin
    d_valid_q  <= valid_i && !rst_i;
    d_queue_q  <= queue_i;
    d_cells_q  <= cells_i;
    d_come_q   <= (same_d && admit ? d_come_q : come[0]) + CountW'(cells_i);
    d_with_q   <= same_d && admit ? with_ahead : with_read;
    c_valid_q    <= d_valid_q && !rst_i;
    c_admitted_q <= admit;
    c_queue_q    <= d_queue_q;
    c_length_q   <= d_with_q;
    s_valid_q    <= ready_q && !rst_i;
    s_queue_q    <= at_q;
    s_length_q   <= come[1] - gone[1];
    free_q       <= admit ? free_after - CountW'(d_cells_q) : free_after;
    if (rst_i) free_q <= CountW'(Cells);
  end

  assign valid_o        = c_valid_q;
  assign admitted_o     = c_admitted_q;
  assign changed_o      = c_queue_q;
  assign changed_over_o = WideW'(c_length_q) > threshold;
  assign swept_valid_o  = s_valid_q;
  assign swept_o        = s_queue_q;
  assign swept_over_o   = WideW'(s_length_q) > threshold;

`ifndef SYNTHESIS
  cover_same_ahead : cover property (@(posedge clk_i) valid_i && same_d && admit);
  cover_same_ahead_refused : cover property (@(posedge clk_i) valid_i && same_d && !admit);
  cover_same_taken : cover property (@(posedge clk_i) valid_i && same_taken);
  cover_same_both : cover property (@(posedge clk_i) valid_i && same_d && admit && same_taken);
  cover_admit_and_take : cover property (@(posedge clk_i) admit && taken_i);
  cover_beyond : cover property (@(posedge clk_i) d_valid_q && WideW'(d_with_q) > threshold && CountW'(d_cells_q) <= free_q);
  cover_full : cover property (@(posedge clk_i) d_valid_q && WideW'(d_with_q) <= threshold && CountW'(d_cells_q) > free_q);
  assert property (@(posedge clk_i) disable iff (rst_i) 32'(free_q) <= Cells)
  else $error("occamy_lengths: more cells are free than there are");
`endif
endmodule
