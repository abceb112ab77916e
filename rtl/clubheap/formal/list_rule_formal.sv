// The rule of a free list's user, which the proof of the list assumes: only a number in use is given back, and at most
// Entries - 2 are in use. Here it is asserted, of the heap.
module list_rule_formal #(
  parameter int unsigned Entries = 8,
  localparam int unsigned IdW = parameter_pkg::index_width(Entries)
) (
  input logic           clk_i,
  input logic           started_i,
  input logic [IdW-1:0] id_i,
  input logic           take_i,
  input logic           give_i,
  input logic [IdW-1:0] give_id_i
);
  logic [2**IdW-1:0] in_use_q, ever_given_q;
  always_ff @(posedge clk_i) begin
    if (!started_i) begin
      in_use_q     <= '0;
      ever_given_q <= '0;
    end else begin
      if (give_i) in_use_q[give_id_i] <= 1'b0;
      if (give_i) ever_given_q[give_id_i] <= 1'b1;
      if (take_i) in_use_q[id_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_i) begin
      in_use : assert (!give_i || in_use_q[give_id_i]);
      few : assert (!take_i || $countones(in_use_q) - 32'(give_i) <= Entries - 3);
      not_yet : assert (!take_i || !in_use_q[id_i]);
      used_again : cover (take_i && ever_given_q[id_i]);
      both : cover (take_i && give_i);
    end
  end
endmodule
