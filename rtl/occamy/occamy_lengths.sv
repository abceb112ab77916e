// The lengths of all queues, admission by Dynamic Threshold, and the comparisons that keep the bitmap.
//
// Source: occamy §2.2 Eq. 1, §4.2, §4.3 ①. A packet is admitted if its queue with it stays within T = 2^AlphaLog2 times the
// free cells (`Comparison::With` of the Rust model) and fits.
//
//   arrival   R   read both counters
//             L   the length with the packet
//             D   compare with T; write
//             C   the queue has changed: compare its length with the new T
//   sweep         every cycle one queue: read its length; compare it a cycle later
//
// A length changes at two places in a cycle, so it is two counters, each written at one: cells that have come and cells
// that have gone, modulo a power of two above any length with a packet. R and L each take in what is decided and removed
// in that cycle. What changes with T are all bits at once, so the bitmap would take a comparator for every queue; there
// are two, and a bit is at most a round of the sweep late.
module occamy_lengths #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned AlphaLog2 = 3,
  /// Bits of a packet's cells.
  parameter int unsigned PacketW = 4,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned SumW = CountW + 1
) (
  input  logic               clk_i,
  input  logic               rst_i,
  /// Low while the lengths are set to zero.
  output logic               ready_o,
  // Stage R of an arrival, from a register.
  input  logic               valid_i,
  input  logic [ QueueW-1:0] queue_i,
  input  logic [PacketW-1:0] cells_i,
  // Stage C, a verdict; of one that is not admitted the length is not looked at.
  output logic               valid_o,
  output logic               admitted_o,
  output logic [ QueueW-1:0] changed_o,
  output logic               changed_over_o,
  // The sweep, of the queues in turn.
  output logic               swept_valid_o,
  output logic               swept_over_o,
  // Cells that have gone from a queue in all, and its length.
  input  logic [ QueueW-1:0] look_i,
  output logic [   SumW-1:0] look_gone_o,
  output logic [ CountW-1:0] look_length_o,
  // A packet is taken out, from registers: cells of the packet, and of its queue in all. Which queue it will be, a cycle
  // ahead.
  input  logic [ QueueW-1:0] taking_queue_i,
  input  logic               taken_i,
  input  logic [ QueueW-1:0] taken_queue_i,
  input  logic [PacketW-1:0] taken_cells_i,
  input  logic [   SumW-1:0] taken_gone_i,
  output logic [ CountW-1:0] free_o
);
  typedef logic [CountW-1:0] count_t;
  typedef logic [SumW-1:0] sum_t;
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
  sum_t d_come_q, d_with_q, come_in, gone_in;

  assign come_we = admit | ~ready_q;
  assign come_at = ready_q ? d_queue_q : at_q;
  assign come_in = ready_q ? d_come_q : '0;
  assign gone_we = taken_i | ~ready_q;
  assign gone_at = ready_q ? taken_queue_i : at_q;
  assign gone_in = ready_q ? taken_gone_i : '0;

  // Read by an arrival, by the sweep, and for a packet that is to leave.
  logic [2:0][QueueW-1:0] read_at;
  sum_t [2:0] come, gone;
  assign read_at = {look_i, at_q, queue_i};
  for (genvar i = 0; i < 3; i++) begin : gen_read
    ram_async #(
      .Width(SumW),
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
      .Width(SumW),
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
  assign look_length_o = CountW'(come[2] - gone[2]);

  // ---- R: what is written in this cycle is not yet read ----------------------------------------------------------
  logic l_valid_q;
  logic [QueueW-1:0] l_queue_q;
  logic [PacketW-1:0] l_cells_q;
  sum_t l_come_q, l_gone_q;
  logic r_ahead, r_taken, l_ahead, l_taken;
  assign r_ahead = d_valid_q && d_queue_q == queue_i;
  assign r_taken = taken_i && taken_queue_i == queue_i;

  // ---- L and D: both sums are made while the operation ahead is being decided ------------------------------------
  // a - b + c in one carry chain.
  function automatic sum_t sum(sum_t a, sum_t b, sum_t c);
    automatic sum_t carries = ((a & ~b) | (a & c) | (~b & c)) << 1;
    return (a ^ ~b ^ c) + (carries | SumW'(1));
  endfunction

  sum_t gone_now, with_read, with_ahead;
  // Queues are compared a cycle ahead: `d_queue_q` and `taken_queue_i` with `l_queue_q`.
  logic l_follows_q, l_shares_q;
  assign l_ahead    = d_valid_q && l_follows_q;
  assign l_taken    = taken_i && l_shares_q;
  assign gone_now   = l_taken ? taken_gone_i : l_gone_q;
  assign with_read  = sum(l_come_q, gone_now, SumW'(l_cells_q));
  assign with_ahead = sum(d_come_q, gone_now, SumW'(l_cells_q));

  count_t free_q, free_more, free_less;
  logic [PacketW-1:0] back;
  logic signed [PacketW:0] less;
  logic [WideW-1:0] threshold;
  assign threshold  = WideW'(free_q) << AlphaLog2;
  assign admit      = d_valid_q && WideW'(d_with_q) <= threshold && CountW'(d_cells_q) <= free_q;
  assign back       = taken_i ? taken_cells_i : '0;
  assign free_more  = free_q + CountW'(back);
  assign less       = (PacketW + 1)'(d_cells_q) - (PacketW + 1)'(back);
  assign free_less  = free_q - CountW'(less);
  assign free_o     = free_q;

  logic c_valid_q, c_admitted_q, s_valid_q;
  logic [QueueW-1:0] c_queue_q;
  sum_t c_length_q;
  count_t s_length_q;

  always_ff @(posedge clk_i) begin
    l_valid_q    <= valid_i && !rst_i;
    l_queue_q    <= queue_i;
    l_cells_q    <= cells_i;
    l_follows_q  <= l_queue_q == queue_i;
    l_shares_q   <= taking_queue_i == queue_i;
    l_come_q     <= r_ahead && admit ? d_come_q : come[0];
    l_gone_q     <= r_taken ? taken_gone_i : gone[0];
    d_valid_q    <= l_valid_q && !rst_i;
    d_queue_q    <= l_queue_q;
    d_cells_q    <= l_cells_q;
    d_come_q     <= l_ahead && admit ? d_come_q + SumW'(l_cells_q) : l_come_q + SumW'(l_cells_q);
    d_with_q     <= l_ahead && admit ? with_ahead : with_read;
    c_valid_q    <= d_valid_q && !rst_i;
    c_admitted_q <= admit;
    c_queue_q    <= d_queue_q;
    c_length_q   <= d_with_q;
    s_valid_q    <= ready_q && !rst_i;
    s_length_q   <= CountW'(come[1] - gone[1]);
    free_q       <= admit ? free_less : free_more;
    if (rst_i) free_q <= CountW'(Cells);
  end

  assign valid_o        = c_valid_q;
  assign admitted_o     = c_admitted_q;
  assign changed_o      = c_queue_q;
  assign changed_over_o = WideW'(c_length_q) > threshold;
  assign swept_valid_o  = s_valid_q;
  assign swept_over_o   = WideW'(s_length_q) > threshold;

`ifndef SYNTHESIS
  cover_ahead : cover property (@(posedge clk_i) l_valid_q && l_ahead && admit);
  cover_ahead_refused : cover property (@(posedge clk_i) l_valid_q && l_ahead && !admit);
  cover_two_ahead : cover property (@(posedge clk_i) valid_i && r_ahead && admit);
  cover_two_ahead_refused : cover property (@(posedge clk_i) valid_i && r_ahead && !admit);
  cover_taken : cover property (@(posedge clk_i) l_valid_q && l_taken);
  cover_taken_earlier : cover property (@(posedge clk_i) valid_i && r_taken);
  cover_ahead_and_taken : cover property (@(posedge clk_i) l_valid_q && l_ahead && admit && l_taken);
  cover_two_ahead_and_taken : cover property (@(posedge clk_i) valid_i && r_ahead && admit && r_taken);
  cover_admit_and_take : cover property (@(posedge clk_i) admit && taken_i);
  cover_beyond : cover property (
    @(posedge clk_i) d_valid_q && WideW'(d_with_q) > threshold && CountW'(d_cells_q) <= free_q);
  cover_full : cover property (
    @(posedge clk_i) d_valid_q && WideW'(d_with_q) <= threshold && CountW'(d_cells_q) > free_q);
  assert property (@(posedge clk_i) disable iff (rst_i) 32'(free_q) <= Cells)
  else $error("occamy_lengths: more cells are free than there are");
`endif
endmodule
