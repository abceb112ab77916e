// ABM: T = 2^AlphaLog2 · free · µ / n_p, with shifts in place of the product and the quotient.
//
// Source: Addanki et al., SIGCOMM '22; occamy §6 (a baseline). What is exact and what is rounded
// is said at the Rust model, `AbmPipelineConfig`.
//
//   arrival   R   1 / n_p of its class, and µ of its queue: two shifts
//             L   two parts of the free cells
//             D   the length with the packet within their sum?
//             C   is its queue congested, without the packet? n_p counts it
//   sweep     S   once in an interval every queue: what has gone since the last time
//             T   of what a port sends, the nearest power of two
module admission_abm #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned AlphaLog2 = 1,
  parameter int unsigned ClassesLog2 = 3,
  parameter int unsigned Congested = 140,
  parameter int unsigned IntervalLog2 = 14,
  parameter int unsigned PortCells = 682,
  parameter int unsigned PacketW = 4,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned SumW = CountW + 1
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               ready_i,
  input  logic [ QueueW-1:0] clear_i,
  input  logic [ QueueW-1:0] r_queue_i,
  input  logic               d_valid_i,
  input  logic               d_fits_i,
  input  logic [   SumW-1:0] d_with_i,
  output logic               admit_o,
  input  logic               c_valid_i,
  input  logic [ QueueW-1:0] c_queue_i,
  input  logic [PacketW-1:0] c_cells_i,
  input  logic [   SumW-1:0] c_with_i,
  input  logic [ CountW-1:0] free_i,
  // The sweep reads what has gone.
  output logic [ QueueW-1:0] look_o,
  input  logic [   SumW-1:0] look_gone_i
);
  localparam int unsigned Classes = 1 << ClassesLog2;
  localparam int unsigned ClassW = parameter_pkg::index_width(Classes);
  localparam int unsigned Members = (Queues + Classes - 1) / Classes;
  localparam int unsigned MemberW = $clog2(Members + 1);
  // The widest drain shift is ClassesLog2, at most 3; the widest shift of all 9 + 3 + 3.
  localparam int unsigned DrainW = 2;
  localparam int unsigned ShiftW = 4;

  // A queue's class is its number modulo the classes.
  function automatic logic [ClassW-1:0] class_of(logic [QueueW-1:0] queue);
    return ClassW'(32'(queue) % Classes);
  endfunction

  // ---- n_p: the congested queues of each class -------------------------------------------------
  logic [Classes-1:0][MemberW-1:0] members_q;
  logic congests, congested;
  // Without the packet: with it, less its cells.
  assign congests = (SumW + 1)'(c_with_i) >= (SumW + 1)'(Congested) + (SumW + 1)'(c_cells_i);

  ram_async #(
    .Width(1),
    .Depth(Queues)
  ) u_congested (
    .clk_i,
    .we_i   (c_valid_i | ~ready_i),
    .waddr_i(ready_i ? c_queue_i : clear_i),
    .wdata_i(ready_i & congests),
    .raddr_i(c_queue_i),
    .rdata_o(congested)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Classes; c++) begin
      if (c_valid_i && class_of(c_queue_i) == ClassW'(c) && congests != congested) begin
        members_q[c] <= congests ? members_q[c] + 1'b1 : members_q[c] - 1'b1;
      end
    end
    if (rst_i) members_q <= '0;
  end

  // ---- R: the shifts ---------------------------------------------------------------------------
  admission_pkg::share_t [Members:0] shares;
  for (genvar n = 0; n <= Members; n++) begin : gen_shares
    localparam admission_pkg::share_t Share = admission_pkg::share_of(n == 0 ? 1 : n);
    assign shares[n] = Share;
  end

  admission_pkg::share_t share;
  logic [DrainW-1:0] drain;
  logic [ShiftW-1:0] l_first_q, l_second_q;
  logic l_two_q;
  assign share = shares[members_q[class_of(r_queue_i)]];

  // ---- L and D ---------------------------------------------------------------------------------
  localparam int unsigned WideW = CountW + AlphaLog2;
  localparam int unsigned RestW = (WideW > SumW ? WideW : SumW) + 2;
  logic [WideW-1:0] most, d_first_q, d_second_q;
  logic [RestW-1:0] first, second, less, rest;
  assign most = WideW'(free_i) << AlphaLog2;
  always_ff @(posedge clk_i) begin
    l_first_q  <= share.first + ShiftW'(drain);
    l_second_q <= share.first + ShiftW'(drain) + ShiftW'(share.more);
    l_two_q    <= share.more != '0;
    d_first_q  <= most >> l_first_q;
    d_second_q <= l_two_q ? most >> l_second_q : '0;
  end
  // What the threshold leaves, first + second - with, in one carry chain; negative: it is beyond.
  assign first   = RestW'(d_first_q);
  assign second  = RestW'(d_second_q);
  assign less    = ~RestW'(d_with_i);
  assign rest    = (first ^ second ^ less)
                 + ((((first & second) | (first & less) | (second & less)) << 1) | RestW'(1));
  assign admit_o = d_valid_i && d_fits_i && !rest[RestW-1];

  // ---- µ: the sweep ----------------------------------------------------------------------------
  logic [IntervalLog2-1:0] clock_q;
  logic [QueueW-1:0] s_queue_q;
  logic s_valid_q, sweeps;
  logic [SumW-1:0] earlier, s_gone_q;
  logic [DrainW-1:0] s_drain;
  assign sweeps = (IntervalLog2 + 1)'(clock_q) < (IntervalLog2 + 1)'(Queues) && ready_i;
  assign look_o = QueueW'(clock_q);

  ram_async #(
    .Width(SumW),
    .Depth(Queues)
  ) u_before (
    .clk_i,
    .we_i   (sweeps | ~ready_i),
    .waddr_i(ready_i ? look_o : clear_i),
    .wdata_i(ready_i ? look_gone_i : '0),
    .raddr_i(look_o),
    .rdata_o(earlier)
  );

  always_comb begin
    s_drain = '0;
    if ((32'(s_gone_q) << ClassesLog2) >= PortCells) begin
      // Three quarters of a power is as near to it as to its half.
      for (int unsigned k = 1; k <= ClassesLog2; k++) begin
        if ((32'(s_gone_q) << (k + 1)) < 3 * PortCells) s_drain = DrainW'(k);
      end
    end
  end

  ram_async #(
    .Width(DrainW),
    .Depth(Queues)
  ) u_drain (
    .clk_i,
    .we_i   (s_valid_q | ~ready_i),
    .waddr_i(ready_i ? s_queue_q : clear_i),
    .wdata_i(ready_i ? s_drain : '0),
    .raddr_i(r_queue_i),
    .rdata_o(drain)
  );

  always_ff @(posedge clk_i) begin
    clock_q   <= ready_i ? clock_q + 1'b1 : '0;
    s_valid_q <= sweeps && !rst_i;
    s_queue_q <= look_o;
    s_gone_q  <= look_gone_i - earlier;
  end

`ifndef SYNTHESIS
  cover_congested : cover property (@(posedge clk_i) c_valid_i && congests && !congested);
  cover_relieved : cover property (@(posedge clk_i) c_valid_i && !congests && congested);
  cover_two_parts : cover property (@(posedge clk_i) d_valid_i && d_second_q != '0);
  cover_full_rate : cover property (@(posedge clk_i) s_valid_q && s_gone_q != '0 && s_drain == '0);
  cover_part_rate : cover property (@(posedge clk_i) s_valid_q && s_drain != '0);
  cover_beyond_rate : cover property (@(posedge clk_i) s_valid_q && 32'(s_gone_q) > PortCells);
  cover_beyond : cover property (@(posedge clk_i) d_valid_i && d_fits_i && !admit_o);
  cover_full : cover property (@(posedge clk_i) d_valid_i && !d_fits_i && !rest[RestW-1]);
  for (genvar c = 0; c < Classes; c++) begin : gen_members
    assert property (@(posedge clk_i) disable iff (rst_i) 32'(members_q[c]) <= Members)
    else $error("admission_abm: more queues of a class are congested than it has");
  end
`endif
endmodule
