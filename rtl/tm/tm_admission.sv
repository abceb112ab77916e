// What is let in, and what is dropped again: Occamy, and beside it what a verdict's packet was.
//
// A packet asks a cycle after its last beat. `take_o` is a removal, of a departure that was asked for or of a packet that is
// dropped at the head of a queue beyond its threshold.
module tm_admission #(
  parameter int unsigned Queues = 8,
  parameter int unsigned Cells = 512,
  parameter int unsigned AlphaLog2 = 3,
  parameter int unsigned LargestCells = 6,
  parameter int unsigned BytesW = 11,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CellsW = $clog2(LargestCells + 1),
  localparam int unsigned CountW = $clog2(Cells + 1)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  /// Packets of queues beyond their threshold are dropped.
  input  logic              expel_i,
  input  logic              come_i,
  input  logic [QueueW-1:0] come_queue_i,
  input  logic [BytesW-1:0] come_bytes_i,
  input  logic [CellsW-1:0] come_cells_i,
  // The verdict, and what it is about.
  output logic              ver_valid_o,
  output tm_pkg::verdict_e  ver_verdict_o,
  output logic [QueueW-1:0] ver_queue_o,
  output logic [BytesW-1:0] ver_bytes_o,
  output logic [CellsW-1:0] ver_cells_o,
  /// The head packet of a queue is to leave.
  input  logic              ask_i,
  input  logic [QueueW-1:0] ask_queue_i,
  // The descriptor at the head of a queue is read. In this cycle whether there is one, in the next its cells.
  output logic              look_o,
  output logic [QueueW-1:0] look_queue_o,
  input  logic              look_some_i,
  input  logic [CellsW-1:0] look_cells_i,
  /// There is none, of a queue that was asked for.
  output logic              none_o,
  /// More packets have been dropped than have given their cells back.
  input  logic              drops_wait_i,
  // A packet is taken out of its queue.
  output logic              take_o,
  output logic              take_drop_o,
  output logic [QueueW-1:0] take_queue_o,
  output logic [CellsW-1:0] take_cells_o,
  output logic [CountW-1:0] free_o
);
  typedef struct packed {
    logic [QueueW-1:0] into;
    logic [BytesW-1:0] bytes;
    logic [CellsW-1:0] cells;
  } asks_t;
  asks_t [occamy_pkg::Latency-1:0] asks_q;
  asks_t asked;
  logic [CountW-1:0] free_q;
  logic there_q, admitted;
  logic [1:0] asked_q;
  logic [2:0] unused_row;

  assign asked = asks_q[occamy_pkg::Latency-1];
  always_ff @(posedge clk_i) begin
    asks_q  <= {asks_q[occamy_pkg::Latency-2:0], asks_t'{come_queue_i, come_bytes_i, come_cells_i}};
    free_q  <= free_o;
    // A departure's descriptor is read two cycles after it was asked for; what is read in any other cycle is to be dropped.
    asked_q <= rst_i ? '0 : {asked_q[0], ask_i};
    there_q <= look_some_i && (asked_q[1] || (expel_i && !drops_wait_i));
  end
  assign none_o        = look_o && asked_q[1] && !look_some_i;
  assign ver_verdict_o = admitted ? tm_pkg::Admitted
                       : CountW'(asked.cells) > free_q ? tm_pkg::Full : tm_pkg::Threshold;
  assign ver_queue_o   = asked.into;
  assign ver_bytes_o   = asked.bytes;
  assign ver_cells_o   = asked.cells;

  occamy #(
    .Queues      (Queues),
    .Cells       (Cells),
    .AlphaLog2   (AlphaLog2),
    .SublistsLog2(0),
    .Largest     (LargestCells),
    .Burst       (LargestCells > 2 ? LargestCells : 2)
  ) u_occamy (
    .clk_i,
    .rst_i,
    .ready_o,
    .arr_valid_i   (come_i),
    .arr_queue_i   (come_queue_i),
    .arr_cells_i   (come_cells_i),
    .adm_valid_o   (ver_valid_o),
    .adm_admitted_o(admitted),
    .deq_valid_i   (ask_i),
    .deq_queue_i   (ask_queue_i),
    .pd_valid_o    (look_o),
    .pd_queue_o    (look_queue_o),
    .pd_there_i    (there_q),
    .pd_cells_i    (look_cells_i),
    .out_valid_o   (take_o),
    .out_drop_o    (take_drop_o),
    .out_queue_o   (take_queue_o),
    .out_cells_o   (take_cells_o),
    // Cells are given back as `tm_reader` comes to them.
    .row_valid_o   (unused_row[0]),
    .row_count_o   (unused_row[1]),
    .row_last_o    (unused_row[2]),
    .free_o
  );
  logic unused;
  assign unused = ^unused_row;
endmodule
