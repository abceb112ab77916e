// Pushout around a buffer of packets of one cell, in four queues: a packet waits at the input until
// its verdict is there; where another has to go first, it is offered again.
module admission_example #(
  localparam int unsigned Queues = 4,
  localparam int unsigned Cells = 511
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       packet_valid_i,
  output logic       packet_ready_o,
  input  logic [1:0] packet_queue_i,
  /// What has become of it, when `packet_ready_o` is high.
  output logic       accepted_o,
  /// A packet of this queue is sent. There must be one.
  input  logic       send_i,
  input  logic [1:0] send_queue_i,
  /// The youngest packet of this queue is dropped.
  output logic       drop_o,
  output logic [1:0] drop_queue_o
);
  typedef enum logic [1:0] {
    Offer,
    Wait,
    Yield
  } state_e;
  state_e state_q;
  logic ready, arr_ready, decided, gone;
  logic [1:0] victim, victim_q;
  logic [3:0][8:0] held_q;
  logic [8:0] unused_free;
  admission_pkg::verdict_e verdict;

  admission #(
    .Scheme (admission_pkg::Pushout),
    .Queues (Queues),
    .Cells  (Cells),
    .Largest(1)
  ) u_admission (
    .clk_i,
    .rst_i,
    .ready_o      (ready),
    .arr_ready_o  (arr_ready),
    .arr_valid_i  (packet_valid_i && state_q == Offer),
    .arr_queue_i  (packet_queue_i),
    .arr_cells_i  (1'b1),
    .adm_valid_o  (decided),
    .adm_verdict_o(verdict),
    .adm_victim_o (victim),
    .gone_valid_i (gone),
    .gone_queue_i (send_i ? send_queue_i : victim_q),
    .gone_cells_i (1'b1),
    .free_o       (unused_free)
  );

  // Between the verdict and the drop the victim may have been sent away.
  assign drop_o         = state_q == Yield && !send_i && held_q[victim_q] != '0;
  assign drop_queue_o   = victim_q;
  assign gone           = ready && (send_i || drop_o);
  assign packet_ready_o = state_q == Wait && decided && verdict != admission_pkg::PushOut;
  assign accepted_o     = verdict == admission_pkg::Accept;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Offer: if (packet_valid_i && arr_ready) state_q <= Wait;
      Wait: begin
        victim_q <= victim;
        if (decided) state_q <= verdict == admission_pkg::PushOut ? Yield : Offer;
      end
      default: if (!send_i) state_q <= Offer;
    endcase
    for (int unsigned q = 0; q < Queues; q++) begin
      held_q[q] <= held_q[q] + 9'(packet_ready_o && accepted_o && packet_queue_i == 2'(q))
                 - 9'(gone && (send_i ? send_queue_i : victim_q) == 2'(q));
    end
    if (rst_i) begin
      state_q <= Offer;
      held_q  <= '0;
    end
  end
endmodule
