// The lengths of all queues and the free cells, for a scheme that decides by them alone.
//
//   arrival   R   read both counters          a packet leaves   G   read what has gone, add
//             L   the length with the packet                    X   write; the cells are free
//             D   the scheme decides; write
//             C   what was decided
//
// A length changes at two places in a cycle, so it is two counters, each written at one: cells that
// have come and cells that have gone, modulo a power of two above any length with a packet. R and L
// each take in what is decided and what leaves in that cycle (as in `occamy_lengths`).
module admission_lengths #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  /// Bits of a packet's cells.
  parameter int unsigned PacketW = 4,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned SumW = CountW + 1
) (
  input  logic               clk_i,
  input  logic               rst_i,
  /// Low while the lengths are set to zero; `clear_o` is the queue.
  output logic               ready_o,
  output logic [ QueueW-1:0] clear_o,
  // An arrival, and its queue in stage R.
  input  logic               valid_i,
  input  logic [ QueueW-1:0] queue_i,
  input  logic [PacketW-1:0] cells_i,
  output logic [ QueueW-1:0] r_queue_o,
  // Stage D: the length with the packet, whether there is room; whether it is admitted.
  output logic               d_valid_o,
  output logic               d_fits_o,
  output logic [   SumW-1:0] d_with_o,
  input  logic               admit_i,
  // Stage C.
  output logic               c_valid_o,
  output logic               c_admitted_o,
  output logic [ QueueW-1:0] c_queue_o,
  output logic [PacketW-1:0] c_cells_o,
  output logic [   SumW-1:0] c_with_o,
  // A packet leaves.
  input  logic               gone_valid_i,
  input  logic [ QueueW-1:0] gone_queue_i,
  input  logic [PacketW-1:0] gone_cells_i,
  // Cells that have gone from a queue in all.
  input  logic [ QueueW-1:0] look_i,
  output logic [   SumW-1:0] look_gone_o,
  output logic [ CountW-1:0] free_o
);
  typedef logic [CountW-1:0] count_t;
  typedef logic [SumW-1:0] sum_t;

  // ---- After reset: every length is set to zero ------------------------------------------------
  logic ready_q;
  logic [QueueW-1:0] at_q;
  always_ff @(posedge clk_i) begin
    if (!ready_q) at_q <= at_q + 1'b1;
    if (at_q == QueueW'(Queues - 1)) ready_q <= 1'b1;
    if (rst_i) begin
      ready_q <= 1'b0;
      at_q    <= '0;
    end
  end
  assign ready_o = ready_q;
  assign clear_o = at_q;

  // ---- Memories: cells that have come, cells that have gone ------------------------------------
  logic r_valid_q, d_valid_q, g_valid_q, x_valid_q;
  logic [QueueW-1:0] r_queue_q, d_queue_q, g_queue_q, x_queue_q;
  logic [PacketW-1:0] r_cells_q, d_cells_q, g_cells_q, x_cells_q;
  sum_t d_come_q, d_with_q, x_gone_q, come;
  sum_t [2:0] gone;
  logic [2:0][QueueW-1:0] gone_at;

  ram_async #(
    .Width(SumW),
    .Depth(Queues)
  ) u_come (
    .clk_i,
    .we_i   (admit_i | ~ready_q),
    .waddr_i(ready_q ? d_queue_q : at_q),
    .wdata_i(ready_q ? d_come_q : '0),
    .raddr_i(r_queue_q),
    .rdata_o(come)
  );
  assign gone_at = {look_i, g_queue_q, r_queue_q};
  for (genvar i = 0; i < 3; i++) begin : gen_gone
    ram_async #(
      .Width(SumW),
      .Depth(Queues)
    ) u_gone (
      .clk_i,
      .we_i   (x_valid_q | ~ready_q),
      .waddr_i(ready_q ? x_queue_q : at_q),
      .wdata_i(ready_q ? x_gone_q : '0),
      .raddr_i(gone_at[i]),
      .rdata_o(gone[i])
    );
  end
  assign look_gone_o = gone[2];

  // ---- G and X ---------------------------------------------------------------------------------
  logic g_again;
  assign g_again = x_valid_q && x_queue_q == g_queue_q;
  always_ff @(posedge clk_i) begin
    g_valid_q <= gone_valid_i && !rst_i;
    g_queue_q <= gone_queue_i;
    g_cells_q <= gone_cells_i;
    x_valid_q <= g_valid_q && !rst_i;
    x_queue_q <= g_queue_q;
    x_cells_q <= g_cells_q;
    x_gone_q  <= (g_again ? x_gone_q : gone[1]) + SumW'(g_cells_q);
  end

  // ---- R, L and D ------------------------------------------------------------------------------
  // a - b + c in one carry chain.
  function automatic sum_t sum(sum_t a, sum_t b, sum_t c);
    automatic sum_t carries = ((a & ~b) | (a & c) | (~b & c)) << 1;
    return (a ^ ~b ^ c) + (carries | SumW'(1));
  endfunction

  logic l_valid_q, r_ahead, r_taken, l_ahead, l_taken;
  logic [QueueW-1:0] l_queue_q;
  logic [PacketW-1:0] l_cells_q;
  sum_t l_come_q, l_gone_q, gone_now, with_read, with_ahead;
  assign r_ahead    = d_valid_q && d_queue_q == r_queue_q;
  assign r_taken    = x_valid_q && x_queue_q == r_queue_q;
  assign l_ahead    = d_valid_q && d_queue_q == l_queue_q;
  assign l_taken    = x_valid_q && x_queue_q == l_queue_q;
  assign gone_now   = l_taken ? x_gone_q : l_gone_q;
  assign with_read  = sum(l_come_q, gone_now, SumW'(l_cells_q));
  assign with_ahead = sum(d_come_q, gone_now, SumW'(l_cells_q));

  // A packet comes and one leaves in one sum.
  count_t free_q, free_more, free_less;
  logic [PacketW-1:0] back;
  logic signed [PacketW:0] less;
  assign back      = x_valid_q ? x_cells_q : '0;
  assign free_more = free_q + CountW'(back);
  assign less      = (PacketW + 1)'(d_cells_q) - (PacketW + 1)'(back);
  assign free_less = free_q - CountW'(less);

  always_ff @(posedge clk_i) begin
    r_valid_q    <= valid_i && !rst_i;
    r_queue_q    <= queue_i;
    r_cells_q    <= cells_i;
    l_valid_q    <= r_valid_q && !rst_i;
    l_queue_q    <= r_queue_q;
    l_cells_q    <= r_cells_q;
    l_come_q     <= r_ahead && admit_i ? d_come_q : come;
    l_gone_q     <= r_taken ? x_gone_q : gone[0];
    d_valid_q    <= l_valid_q && !rst_i;
    d_queue_q    <= l_queue_q;
    d_cells_q    <= l_cells_q;
    d_come_q     <= (l_ahead && admit_i ? d_come_q : l_come_q) + SumW'(l_cells_q);
    d_with_q     <= l_ahead && admit_i ? with_ahead : with_read;
    c_valid_o    <= d_valid_q && !rst_i;
    c_admitted_o <= admit_i;
    c_queue_o    <= d_queue_q;
    c_cells_o    <= d_cells_q;
    c_with_o     <= d_with_q;
    free_q       <= admit_i ? free_less : free_more;
    if (rst_i) free_q <= CountW'(Cells);
  end
  assign r_queue_o = r_queue_q;
  assign d_valid_o = d_valid_q;
  assign d_with_o  = d_with_q;
  assign d_fits_o  = CountW'(d_cells_q) <= free_q;
  assign free_o    = free_q;

`ifndef SYNTHESIS
  cover_ahead : cover property (@(posedge clk_i) l_valid_q && l_ahead && admit_i);
  cover_ahead_refused : cover property (@(posedge clk_i) l_valid_q && l_ahead && !admit_i);
  cover_two_ahead : cover property (@(posedge clk_i) r_valid_q && r_ahead && admit_i);
  cover_two_ahead_refused : cover property (@(posedge clk_i) r_valid_q && r_ahead && !admit_i);
  cover_taken : cover property (@(posedge clk_i) l_valid_q && l_taken);
  cover_taken_earlier : cover property (@(posedge clk_i) r_valid_q && r_taken);
  cover_ahead_and_taken : cover property (
    @(posedge clk_i) l_valid_q && l_ahead && admit_i && l_taken);
  cover_taken_twice : cover property (@(posedge clk_i) g_valid_q && g_again);
  cover_admit_and_take : cover property (@(posedge clk_i) admit_i && x_valid_q);
  assert property (@(posedge clk_i) disable iff (rst_i) admit_i |-> d_valid_q && d_fits_o)
  else $error("admission_lengths: a packet is admitted that is not there, or does not fit");
`endif
endmodule
