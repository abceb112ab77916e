// BBQ behind a user that may stop: its answers wait in a small queue, and an operation is offered
// only while there is room for one more.
module bbq_example #(
  localparam int unsigned Levels = 2,
  localparam int unsigned Width = 8,
  localparam int unsigned RankW = Levels * $clog2(Width),
  localparam int unsigned DataW = 32,
  // At least the latency and 2, so that a user who takes answers at once is never slowed down.
  localparam int unsigned PlacesLog2 = $clog2(bbq_pkg::latency(Levels, Width, 1) + 2)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             valid_i,
  output logic             ready_o,
  input  bbq_pkg::op_e     op_i,
  input  logic [RankW-1:0] rank_i,
  input  logic [DataW-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output bbq_pkg::status_e status_o,
  output logic [RankW-1:0] rank_o,
  output logic [DataW-1:0] data_o
);
  logic queue_ready, takes, answered, reads;
  logic [1:0] unused, status_read;
  bbq_pkg::status_e status;
  logic [RankW-1:0] rank;
  logic [DataW-1:0] data;

  // A credit for each place: one is taken by an operation, and given back when its answer is read.
  logic [PlacesLog2:0] credits_q, written_q, read_q;
  assign ready_o = queue_ready && credits_q != '0;
  assign takes   = valid_i && ready_o;
  assign valid_o = written_q != read_q;
  assign reads   = valid_o && ready_i;
  always_ff @(posedge clk_i) begin
    credits_q <= credits_q - (PlacesLog2 + 1)'(takes) + (PlacesLog2 + 1)'(reads);
    written_q <= written_q + (PlacesLog2 + 1)'(answered);
    read_q    <= read_q + (PlacesLog2 + 1)'(reads);
    if (rst_i) begin
      credits_q <= (PlacesLog2 + 1)'(1 << PlacesLog2);
      written_q <= '0;
      read_q    <= '0;
    end
  end

  bbq #(
    .Levels  (Levels),
    .Width   (Width),
    .SlotBits(11),
    .DataW   (DataW)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i    (takes),
    .ready_o    (queue_ready),
    .op_i,
    .partition_i(1'b0),
    .rank_i,
    .data_i,
    .valid_o    (answered),
    .dequeue_o  (unused[0]),
    .status_o   (status),
    .partition_o(unused[1]),
    .rank_o     (rank),
    .data_o     (data)
  );

  ram_async #(
    .Width($bits(status) + RankW + DataW),
    .Depth(2 ** PlacesLog2)
  ) u_answers (
    .clk_i,
    .we_i   (answered),
    .waddr_i(written_q[PlacesLog2-1:0]),
    .wdata_i({status, rank, data}),
    .raddr_i(read_q[PlacesLog2-1:0]),
    .rdata_o({status_read, rank_o, data_o})
  );
  assign status_o = bbq_pkg::status_e'(status_read);
endmodule
