// The BBQ against its specification, for proofs at small parameters.
//
// The specification counts the elements of each rank. One enqueue, chosen freely by the solver, is marked by its data
// (one bit); how many of its rank are before and behind it says when it must leave, at either end. So every answer is
// determined: its cycle, its status, its rank and its data. An element that is lost, doubled, out of order or of the wrong rank gives a
// wrong answer.
module bbq_formal #(
  parameter int unsigned Levels = 2,
  parameter int unsigned Width = 2,
  parameter int unsigned SlotBits = 2,
  parameter int unsigned Partitions = 1,
  parameter int unsigned AsyncDepth = 64,
  localparam int unsigned BucketW = Levels * $clog2(Width),
  localparam int unsigned PartBits = $clog2(Partitions),
  localparam int unsigned PartPortW = (PartBits > 0) ? PartBits : 1,
  localparam int unsigned RankW = BucketW - PartBits,
  localparam int unsigned Steered = (PartBits == 0) ? 0 : (PartBits - 1) / $clog2(Width),
  localparam int unsigned Latency = (Steered == 0) ? 6 + 4 * (Levels - 1) : 4 + 4 * (Levels - Steered),
  localparam int unsigned Buckets = 2 ** BucketW,
  localparam int unsigned Slots = 2 ** SlotBits - 1
) (
  input logic                 clk_i,
  input logic                 valid_i,
  input logic [          1:0] op_i,
  input logic [PartPortW-1:0] partition_i,
  input logic [    RankW-1:0] rank_i,
  input logic                 mark_i
);
  typedef struct packed {
    logic               valid;
    logic               dequeue;
    logic [1:0]         status;
    logic [BucketW-1:0] bucket;
    logic               data;
  } answer_t;

  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  logic ready, valid, dequeue, data;
  bbq_pkg::status_e status;
  logic [PartPortW-1:0] partition;
  logic [RankW-1:0] rank;

  logic accept, is_dequeue, marked_q, mark;
  logic [1:0] op;
  logic [BucketW-1:0] bucket;
  assign op         = {op_i[1], op_i[1] & op_i[0]};
  assign is_dequeue = op[1];
  assign accept     = valid_i & ready & ~rst;
  if (PartBits > 0) begin : gen_partitions
    assign bucket = {partition_i, rank_i};
  end else begin : gen_whole
    assign bucket = rank_i;
  end

  bbq #(
    .Levels    (Levels),
    .Width     (Width),
    .SlotBits  (SlotBits),
    .DataW     (1),
    .Partitions(Partitions),
    .AsyncDepth(AsyncDepth)
  ) u_bbq (
    .clk_i,
    .rst_i      (rst),
    .valid_i,
    .ready_o    (ready),
    .op_i       (bbq_pkg::op_e'(op)),
    .partition_i,
    .rank_i,
    .data_i     (mark),
    .valid_o    (valid),
    .dequeue_o  (dequeue),
    .status_o   (status),
    .partition_o(partition),
    .rank_o     (rank),
    .data_o     (data)
  );

  // ---- The specification -------------------------------------------------------------------------------------
  logic [Buckets-1:0][SlotBits-1:0] count_q;
  logic [SlotBits-1:0] free_q, before_q, behind_q;
  logic [BucketW-1:0] marked_bucket_q, found_bucket;
  logic waits_q, found;
  logic [Latency+1:0] returning_q;
  answer_t [Latency:1] answers_q;
  answer_t answer;
  logic stored, taken, leaves;

  always_comb begin
    found        = 1'b0;
    found_bucket = '0;
    for (int unsigned i = 0; i < Buckets; i++) begin
      automatic int unsigned b = op[0] ? i : Buckets - 1 - i;
      if (count_q[b] != '0 && (PartBits == 0 || (b >> RankW) == 32'(partition_i))) begin
        found        = 1'b1;
        found_bucket = BucketW'(b);
      end
    end
  end

  assign stored = accept & ~is_dequeue & free_q != '0;
  assign taken  = accept & is_dequeue & found;
  // The smallest rank gives up its earliest element, the largest its latest.
  assign leaves = taken & waits_q & (found_bucket == marked_bucket_q) & (op[0] ? behind_q : before_q) == '0;
  assign mark   = mark_i & stored & ~marked_q;

  always_comb begin
    answer         = '0;
    answer.valid   = accept;
    answer.dequeue = is_dequeue;
    answer.status  = is_dequeue ? (found ? 2'd0 : 2'd2) : (free_q != '0 ? 2'd0 : 2'd1);
    answer.bucket  = is_dequeue ? found_bucket : bucket;
    answer.data    = leaves;
  end

  always_ff @(posedge clk_i) begin
    if (rst) begin
      count_q     <= '0;
      free_q      <= SlotBits'(Slots);
      marked_q    <= 1'b0;
      waits_q     <= 1'b0;
      returning_q <= '0;
      answers_q   <= '0;
    end else begin
      returning_q <= {returning_q[Latency:0], taken};
      free_q      <= free_q - SlotBits'(stored) + SlotBits'(returning_q[Latency]);
      answers_q   <= {answers_q[Latency-1:1], answer};
      if (stored) count_q[bucket] <= count_q[bucket] + 1'b1;
      if (taken) count_q[found_bucket] <= count_q[found_bucket] - 1'b1;
      if (mark) begin
        marked_q        <= 1'b1;
        waits_q         <= 1'b1;
        marked_bucket_q <= bucket;
        before_q        <= count_q[bucket];
        behind_q        <= '0;
      end else if (leaves) begin
        waits_q <= 1'b0;
      end else if (taken && found_bucket == marked_bucket_q) begin
        if (op[0]) behind_q <= behind_q - 1'b1;
        else before_q <= before_q - 1'b1;
      end else if (stored && bucket == marked_bucket_q) begin
        behind_q <= behind_q + 1'b1;
      end
    end
  end

  logic [BucketW-1:0] got;
  if (PartBits > 0) begin : gen_partitions_out
    assign got = {partition, rank};
  end else begin : gen_whole_out
    assign got = rank;
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      on_time : assert (valid == answers_q[Latency].valid);
      if (valid && answers_q[Latency].valid) begin
        right_kind : assert (dequeue == answers_q[Latency].dequeue);
        right_status : assert (status == answers_q[Latency].status);
        if (status == bbq_pkg::Done) begin
          right_rank : assert (got == answers_q[Latency].bucket);
          if (dequeue) right_element : assert (data == answers_q[Latency].data);
        end
      end
      some_element : cover (valid && dequeue && data);
      answered_full : cover (valid && status == bbq_pkg::Full);
      answered_empty : cover (valid && status == bbq_pkg::Empty);
      behind_another : cover (valid && dequeue && data && $past(valid && dequeue && status == bbq_pkg::Done));
    end
  end
endmodule
