// The free list, for ever: a number is never given to two, and none is lost.
//
// The user keeps to the rule of the head comment: only a number in use is given back, and at most
// Entries - 2 are in use. Then every number is, always, in exactly one place: in use, never used yet, or
// in the queue once; and the one that is offered is the head of the queue or a fresh one.

module free_list_formal #(
  parameter int unsigned Entries = 5,
  localparam int unsigned IdW = clubheap_pkg::addr_width(Entries)
) (
  input logic           clk_i,
  input logic           take_i,
  input logic           give_i,
  input logic [IdW-1:0] give_id_i
);
  localparam logic [IdW-1:0] Last = IdW'(Entries - 1);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic [IdW-1:0] id;

  clubheap_free_list #(
    .Entries(Entries)
  ) u_list (
    .clk_i,
    .rst_i    (!started_q),
    .id_o     (id),
    .take_i   (take_i && started_q),
    .give_i   (give_i && started_q),
    .give_id_i
  );

  logic [Entries-1:0] in_use_q;
  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      in_use_q <= '0;
    end else begin
      if (give_i) in_use_q[give_id_i] <= 1'b0;
      if (take_i) in_use_q[id] <= 1'b1;
    end
  end

  logic [IdW-1:0] head, tail, fresh;
  logic           used;
  assign head  = u_list.head_q;
  assign tail  = u_list.tail_q;
  assign fresh = u_list.fresh_q;
  assign used  = u_list.used_q;

  // Equal ends of the queue: nothing is in it, or, when nothing is fresh, everything.
  logic [IdW:0] count;
  always_comb begin
    count = (IdW + 1)'(tail) - (IdW + 1)'(head);
    if (tail < head || (tail == head && used)) count += (IdW + 1)'(Entries);
  end

  function automatic logic waits(int unsigned place);
    int unsigned from = place >= 32'(head) ? place - 32'(head) : place + Entries - 32'(head);
    return from < 32'(count);
  endfunction

  logic [Entries-1:0][IdW:0] places;
  always_comb begin
    for (int unsigned v = 0; v < Entries; v++) begin
      places[v] = (IdW + 1)'(in_use_q[v]) + (IdW + 1)'(!used && v >= 32'(fresh));
      for (int unsigned i = 0; i < Entries; i++) begin
        places[v] += (IdW + 1)'(waits(i) && u_list.u_ram.mem[i] == IdW'(v));
      end
    end
  end

  always_comb begin
    assume (give_id_i <= Last);
    if (started_q) begin
      assume (!give_i || in_use_q[give_id_i]);
      assume (!take_i || $countones(in_use_q) - 32'(give_i) <= Entries - 3);
      assert (id <= Last && !in_use_q[id]);
      assert ($countones(in_use_q) <= Entries - 2);
      assert (head <= Last && tail <= Last && (used || fresh <= Last));
      assert (used || head == '0);
      assert (count < 2 || u_list.reused == u_list.u_ram.mem[head]);
      for (int unsigned v = 0; v < Entries; v++) begin
        assert (places[v] == 1);
        assert (!waits(v) || u_list.u_ram.mem[v] <= Last);
      end
    end
  end

endmodule
