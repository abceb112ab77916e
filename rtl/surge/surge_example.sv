// SurgeProtector in front of a processor that does one job after the other: as soon as it is idle, it asks for the next
// one, and asks again while none waits. What is dropped is told to whoever keeps the packets.
module surge_example (
  input  logic        clk_i,
  input  logic        rst_i,
  // A packet came: its job size in nanoseconds, its size in bytes, where it lies.
  input  logic        packet_valid_i,
  output logic        packet_ready_o,
  input  logic [19:0] packet_work_i,
  input  logic [13:0] packet_size_i,
  input  logic [15:0] packet_pointer_i,
  // The processor: a job to do, and that it is done.
  output logic        job_valid_o,
  output logic [15:0] job_pointer_o,
  input  logic        job_done_i,
  // Free this packet.
  output logic        drop_valid_o,
  output logic [15:0] drop_pointer_o
);
  logic answered, found, asks_q, unused_newcomer;
  logic [10:0] unused_count;
  logic [1:0][8:0] unused_rank;

  // One request is under way, or one job: so no answer comes that could not be taken.
  always_ff @(posedge clk_i) begin
    if (asks_q && packet_ready_o) asks_q <= 1'b0;
    if ((answered && !found) || job_done_i) asks_q <= 1'b1;
    if (rst_i) asks_q <= 1'b1;
  end
  assign job_valid_o = answered && found;

  surge #(
    .WorkW   (20),
    .SizeW   (14),
    .Fraction(14),
    .Capacity(1024),
    .DataW   (16)
  ) u_surge (
    .clk_i,
    .rst_i,
    .ready_o        (packet_ready_o),
    .arr_valid_i    (packet_valid_i),
    .arr_work_i     (packet_work_i),
    .arr_size_i     (packet_size_i),
    .arr_data_i     (packet_pointer_i),
    .srv_valid_i    (asks_q),
    .srv_valid_o    (answered),
    .srv_found_o    (found),
    .srv_rank_o     (unused_rank[0]),
    .srv_data_o     (job_pointer_o),
    .drop_valid_o,
    .drop_newcomer_o(unused_newcomer),
    .drop_rank_o    (unused_rank[1]),
    .drop_data_o    (drop_pointer_o),
    .count_o        (unused_count)
  );
endmodule
