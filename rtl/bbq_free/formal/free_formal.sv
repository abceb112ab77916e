// The latency-free BBQ against the specification of a priority queue, for the solver.
//
// Every element gets its push's number as data, so each is told apart. Asserted in every system cycle: a pop is answered
// at once with an element that waits, has its own rank and is not larger than any other (Theorem 4 of the thesis); it is
// answered exactly if one waits; a push is refused exactly at the capacity; and a system cycle takes two clock cycles.
//
// `Filled` assumes a push and no pop in as many system cycles as the PIFO has places, so that elements leak to the BBQ and
// come back within the bound.
module free_formal #(
  parameter bit Filled = 1'b0,
  localparam int unsigned Levels = 2,
  localparam int unsigned Width = 2,
  localparam int unsigned SlotBits = 4,
  localparam int unsigned RankW = 2,
  localparam int unsigned NumberW = 4,
  localparam int unsigned Numbers = 2 ** NumberW,
  localparam int unsigned Front = bbq_pkg::latency(Levels, Width, 1) / 2 + 1,
  localparam int unsigned Capacity = 2 ** SlotBits - 2 - Front
) (
  input logic             clk_i,
  input logic             pop_i,
  input logic             push_i,
  input logic [RankW-1:0] rank_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, valid, full;
  logic [RankW-1:0] rank;
  logic [NumberW-1:0] number, number_q;

  bbq_free #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(SlotBits),
    .DataW   (NumberW)
  ) u_free (
    .clk_i,
    .rst_i      (rst),
    .ready_o    (ready),
    .pop_i,
    .valid_o    (valid),
    .rank_o     (rank),
    .data_o     (number),
    .push_i,
    .push_rank_i(rank_i),
    .push_data_i(number_q),
    .full_o     (full)
  );

  logic [Numbers-1:0] waits_q;
  logic [RankW-1:0] rank_q[Numbers];
  logic was_ready_q, begun_q;
  logic popped, pushed;
  assign popped = ready && pop_i && waits_q != '0;
  assign pushed = ready && push_i && $countones(waits_q) < Capacity;

  always_ff @(posedge clk_i) begin
    if (rst) begin
      waits_q     <= '0;
      number_q    <= '0;
      was_ready_q <= 1'b0;
      begun_q     <= 1'b0;
    end else begin
      was_ready_q <= ready;
      begun_q     <= begun_q || ready;
      if (popped) waits_q[number] <= 1'b0;
      if (pushed) begin
        waits_q[number_q] <= 1'b1;
        rank_q[number_q]  <= rank_i;
        number_q          <= number_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      enough_numbers : assume (!push_i || number_q != '1);
      filled : assume (!Filled || 32'(number_q) >= Front || (push_i && !pop_i));
      two_cycles : assert (!begun_q || ready == !was_ready_q);
      if (ready) begin
        refused : assert (full == ($countones(waits_q) == Capacity));
        if (pop_i) begin
          at_once : assert (valid == (waits_q != '0));
          if (valid) begin
            it_waits : assert (waits_q[number]);
            its_rank : assert (rank == rank_q[number]);
            for (int unsigned n = 0; n < Numbers; n++) assert (!waits_q[n] || rank <= rank_q[n]);
          end
        end
      end
      leaked : cover (u_free.leak);
      joined : cover (u_free.answer_q && u_free.second_q);
    end
  end
endmodule
