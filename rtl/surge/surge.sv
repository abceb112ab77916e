// SurgeProtector's scheduler: weighted shortest job first over a BBQ; the largest job is dropped when too many wait.
//
// Source: thesis §3.4.4, §3.5.4. Golden model: `forebay_surge::WsjfCore`, which is `forebay_surge::Scheduler` under
// this core's ranks.
//
//   arr_*   a job arrives: its size in any unit of time, its packet's size, its data
//   srv_*   the job to serve next is asked for: that of the smallest rank (see `surge_rank`), the earliest of equals
//   drop_*  a job was dropped: of `Capacity` + 1 that of the largest rank, the latest of equals
//
// An operation is an arrival, a request or both, taken at an edge with `ready_o`; taken together, the request goes
// first and so makes room. A request is answered `Latency` cycles later, and what an arrival makes drop is told a cycle
// after that: the arrival itself (`drop_newcomer_o`) or another. An arrival that is not named stays.
//
// BBQ does one thing a cycle. So an operation takes one cycle, or two if it is both, or an arrival for which something
// is dropped; then `ready_o` is low in the next cycle. Whatever comes, there is an arrival every two cycles. `ready_o`
// is also low for a cycle after reset. It depends on registers only.
module surge #(
  /// Bits of a job size, 1 to 64: so many that each ratio has a rank, WorkW + Fraction + 1 <= Bits + 2^(RankW - Bits).
  parameter int unsigned WorkW = 20,
  /// Bits of a packet size, 1 to 32. No bytes count as one.
  parameter int unsigned SizeW = 14,
  /// Binary places of a job size per packet size, 0 to 32.
  parameter int unsigned Fraction = 14,
  /// 2^Bits ranks an octave, 1 to RankW - 1.
  parameter int unsigned Bits = 4,
  /// Levels and width of the BBQ: Width^Levels ranks.
  parameter int unsigned Levels = 3,
  parameter int unsigned Width = 8,
  /// Jobs that may wait: 1 to 2^17 - 3 less the BBQ's latency.
  parameter int unsigned Capacity = 1024,
  /// Bits of the data, at least 1.
  parameter int unsigned DataW = 32,
  /// The BBQ's largest memory that is built of logic and read without a clock.
  parameter int unsigned AsyncDepth = 64,
  /// Derived: bits of a rank and of a number of jobs, cycles from a request to its answer.
  localparam int unsigned RankW = Levels * parameter_pkg::index_width(Width),
  localparam int unsigned CountW = $clog2(Capacity + 1),
  localparam int unsigned Latency = surge_pkg::latency(WorkW, SizeW, Bits, Levels, Width)
) (
  input  logic              clk_i,
  /// Synchronous.
  input  logic              rst_i,
  output logic              ready_o,
  input  logic              arr_valid_i,
  input  logic [ WorkW-1:0] arr_work_i,
  input  logic [ SizeW-1:0] arr_size_i,
  input  logic [ DataW-1:0] arr_data_i,
  input  logic              srv_valid_i,
  output logic              srv_valid_o,
  /// There is a job, and it is this; otherwise none waits.
  output logic              srv_found_o,
  output logic [ RankW-1:0] srv_rank_o,
  output logic [ DataW-1:0] srv_data_o,
  output logic              drop_valid_o,
  /// It is the one that arrived.
  output logic              drop_newcomer_o,
  output logic [ RankW-1:0] drop_rank_o,
  output logic [ DataW-1:0] drop_data_o,
  /// Jobs that wait, by the operations taken until now.
  output logic [CountW-1:0] count_o
);
  if (!parameter_pkg::in_range("surge: Bits", Bits, 1, RankW - 1)) begin : gen_check_bits
    $error("surge: Bits is out of range");
  end
  if (!parameter_pkg::in_range("surge: Fraction", Fraction, 0, 32)) begin : gen_check_fraction
    $error("surge: Fraction is out of range");
  end
  if (!parameter_pkg::in_range("surge: SizeW", SizeW, 1, 32)) begin : gen_check_sizew
    $error("surge: SizeW is out of range");
  end
  if (!parameter_pkg::in_range(
          "surge: WorkW", WorkW, 1, surge_pkg::work_most(RankW, Bits, Fraction))) begin : gen_check_workw
    $error("surge: WorkW is out of range");
  end
  localparam int unsigned QueueLatency = bbq_pkg::latency(Levels, Width, 1);
  if (!parameter_pkg::in_range(
          "surge: Capacity", Capacity, 1, 2 ** 17 - 3 - QueueLatency)) begin : gen_check_capacity
    $error("surge: Capacity is out of range");
  end
  if (!parameter_pkg::at_least("surge: DataW", DataW, 1)) begin : gen_check_dataw
    $error("surge: DataW is out of range");
  end

  // ---- Take: what the operation is, cycle by cycle ------------------------------------------------------------
  // How many wait follows from the operations alone, whatever their ranks are: no answer has to be waited for.
  typedef enum logic [1:0] {
    Enqueue = 2'd0,
    EnqueueLate = 2'd1,  // the arrival of the cycle before
    Serve = 2'd2,
    Drop = 2'd3
  } step_e;
  logic ready_q, second_q, served_q, arrives, serves, full, drops, starts, joins, leaves;
  logic [CountW-1:0] count_q;
  step_e step;

  assign ready_o = ready_q & ~second_q;
  assign arrives = arr_valid_i & ready_o;
  assign serves  = srv_valid_i & ready_o;
  assign full    = count_q == CountW'(Capacity);
  assign drops   = arrives & full & ~serves;
  assign joins   = arrives & ~drops;
  assign leaves  = serves & (count_q != '0);
  assign starts  = arrives | serves | second_q;
  always_comb begin
    if (second_q) step = served_q ? EnqueueLate : Drop;
    else step = serves ? Serve : Enqueue;
  end

  always_ff @(posedge clk_i) begin
    ready_q  <= ~rst_i;
    second_q <= arrives & (serves | full) & ~rst_i;
    served_q <= serves;
    count_q  <= count_q + CountW'(joins) - CountW'(leaves);
    if (rst_i) count_q <= '0;
  end
  assign count_o = count_q;

  // ---- Rank: the steps wait for it, the data in a memory ------------------------------------------------------
  localparam int unsigned Wait = surge_pkg::rank_latency(WorkW, SizeW, Bits);
  localparam int unsigned DelayW = $clog2(Wait + 1);
  logic [RankW-1:0] rank, late_rank_q, queue_rank;
  logic [DataW-1:0] queue_data;
  logic [Wait-1:0] starts_q;
  step_e steps_q[Wait];
  logic [DelayW-1:0] now_q;
  logic late;

  surge_rank #(
    .WorkW   (WorkW),
    .SizeW   (SizeW),
    .Fraction(Fraction),
    .Bits    (Bits),
    .RankW   (RankW)
  ) u_rank (
    .clk_i,
    .work_i(arr_work_i),
    .size_i(arr_size_i),
    .rank_o(rank)
  );

  always_ff @(posedge clk_i) begin
    starts_q    <= rst_i ? '0 : {starts_q[Wait-2:0], starts};
    steps_q[0]  <= step;
    for (int unsigned i = 1; i < Wait; i++) steps_q[i] <= steps_q[i-1];
    now_q       <= rst_i ? '0 : now_q + 1'b1;
    late_rank_q <= rank;
  end
  assign late       = steps_q[Wait-1] == EnqueueLate;
  assign queue_rank = late ? late_rank_q : rank;

  ram_async #(
    .Width(DataW),
    .Depth(2 ** DelayW)
  ) u_data (
    .clk_i,
    .we_i   (arrives),
    .waddr_i(now_q),
    .wdata_i(arr_data_i),
    .raddr_i(now_q - DelayW'(Wait) - DelayW'(late)),
    .rdata_o(queue_data)
  );

  // ---- The queue ----------------------------------------------------------------------------------------------
  // A slot comes back `QueueLatency` + 2 cycles after its job has left. So beside those that wait there are slots for
  // as many as may be on their way, and for the newcomer: the queue is never full.
  localparam int unsigned SlotBits = $clog2(Capacity + 3 + QueueLatency);
  bbq_pkg::op_e op;
  bbq_pkg::status_e status;
  logic queue_valid, dequeue, queue_ready, unused_partition;
  logic [RankW-1:0] answer_rank, newcomer_q;
  logic [DataW-1:0] answer_data;
  logic [QueueLatency-1:0] drops_q;

  always_comb begin
    unique case (steps_q[Wait-1])
      Serve: op = bbq_pkg::DequeueMin;
      Drop: op = bbq_pkg::DequeueMax;
      default: op = bbq_pkg::Enqueue;
    endcase
  end

  bbq #(
    .Levels    (Levels),
    .Width     (Width),
    .SlotBits  (SlotBits),
    .DataW     (DataW),
    .AsyncDepth(AsyncDepth)
  ) u_queue (
    .clk_i,
    .rst_i,
    .valid_i    (starts_q[Wait-1]),
    .ready_o    (queue_ready),
    .op_i       (op),
    .partition_i(1'b0),
    .rank_i     (queue_rank),
    .data_i     (queue_data),
    .valid_o    (queue_valid),
    .dequeue_o  (dequeue),
    .status_o   (status),
    .partition_o(unused_partition),
    .rank_o     (answer_rank),
    .data_o     (answer_data)
  );

  // ---- Answers ------------------------------------------------------------------------------------------------
  // A drop follows its arrival at once. What was dropped is the newcomer exactly if it has the newcomer's rank: of the
  // largest rank the latest leaves.
  always_ff @(posedge clk_i) begin
    drops_q    <= {drops_q[QueueLatency-2:0], steps_q[Wait-1] == Drop};
    newcomer_q <= answer_rank;
  end
  assign srv_valid_o     = queue_valid & dequeue & ~drops_q[QueueLatency-1];
  assign srv_found_o     = status == bbq_pkg::Done;
  assign srv_rank_o      = answer_rank;
  assign srv_data_o      = answer_data;
  assign drop_valid_o    = queue_valid & dequeue & drops_q[QueueLatency-1];
  assign drop_newcomer_o = answer_rank == newcomer_q;
  assign drop_rank_o     = answer_rank;
  assign drop_data_o     = answer_data;

`ifndef SYNTHESIS
  cover_both : cover property (@(posedge clk_i) arrives && serves);
  cover_both_full : cover property (@(posedge clk_i) arrives && serves && full);
  cover_both_empty : cover property (@(posedge clk_i) arrives && serves && count_q == '0);
  cover_none : cover property (@(posedge clk_i) srv_valid_o && !srv_found_o);
  cover_displaced : cover property (@(posedge clk_i) drop_valid_o && !drop_newcomer_o);
  cover_refused : cover property (@(posedge clk_i) drop_valid_o && drop_newcomer_o);
  cover_not_ready : cover property (@(posedge clk_i) (arr_valid_i || srv_valid_i) && second_q);
  logic arrived_q;
  logic [1:0] dropped_q;
  always_ff @(posedge clk_i) begin
    arrived_q <= arrives;
    dropped_q <= {dropped_q[0], drop_valid_o};
  end
  cover_two_arrivals : cover property (@(posedge clk_i) arrives && arrived_q);
  cover_two_drops : cover property (@(posedge clk_i) drop_valid_o && dropped_q[1]);

  assert property (@(posedge clk_i) disable iff (rst_i) starts_q[Wait-1] |-> queue_ready)
  else $error("surge: the queue is not ready");
  assert property (@(posedge clk_i) disable iff (rst_i) queue_valid |-> status != bbq_pkg::Full)
  else $error("surge: the queue is full");
  surge_checks #(
    .Latency (Latency),
    .Capacity(Capacity),
    .RankW   (RankW),
    .CountW  (CountW)
  ) u_checks (
    .clk_i,
    .rst_i,
    .arrives_i   (arrives),
    .serves_i    (serves),
    .count_i     (count_q),
    .srv_valid_i (srv_valid_o),
    .srv_found_i (srv_found_o),
    .srv_rank_i  (srv_rank_o),
    .drop_valid_i(drop_valid_o),
    .drop_rank_i (drop_rank_o)
  );
`else
  logic unused_ready;
  assign unused_ready = queue_ready;
`endif
endmodule
