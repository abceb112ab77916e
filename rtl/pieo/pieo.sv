// PIEO: a list by rank from which the smallest element leaves whose time has come. An operation takes four cycles.
//
// Source: thesis §4.4.1 and §4.6.2 (2 √N sublists of √N elements, four cycles per operation). Golden model:
// `forebay_pifo::Pieo`, whose file `sublists` derives the moves between sublists. Ranges of flows and the removal of a
// given flow are left out.
//
// `Size` squared elements in 2 `Size` sublists of `Size`, each a word of memory. A table in registers, in the order of
// the sublists, has each one's place in memory, its number of elements, its first rank and its earliest time. No two
// neighbours are both partly full, so the sublists suffice.
//
//   0  accept; compare with the whole table: which sublist, and which neighbour is needed
//   1  read the sublist
//   2  it arrives: insert into it, or take the first element whose time has come; read the neighbour
//   3  it arrives: what fell out of a full sublist goes to it, or it fills the gap; write the sublist, update the table
//   0  write the neighbour, while the next operation is accepted
//
// An enqueue goes behind all elements of its rank. Cost: per sublist two comparators and a row of the table, per
// element of a sublist two comparators and its selection.
module pieo #(
  /// Elements of a sublist, at least 2; the list holds its square.
  parameter int unsigned Size = 8,
  /// Bits of a rank, at least 1.
  parameter int unsigned RankW = 16,
  /// Bits of a time, at least 1; times do not wrap.
  parameter int unsigned TimeW = 16,
  /// Bits of the data, at least 1.
  parameter int unsigned DataW = 32
) (
  input  logic             clk_i,
  /// Synchronous.
  input  logic             rst_i,
  input  logic             valid_i,
  output logic             ready_o,
  /// Take the smallest element whose time is at most `time_i`; otherwise insert one.
  input  logic             dequeue_i,
  input  logic [RankW-1:0] rank_i,
  input  logic [TimeW-1:0] time_i,
  input  logic [DataW-1:0] data_i,
  /// The answer, three cycles after the operation was accepted.
  output logic             valid_o,
  /// It was inserted or taken; otherwise the list is full, or no element may leave.
  output logic             done_o,
  output logic [RankW-1:0] rank_o,
  output logic [TimeW-1:0] time_o,
  output logic [DataW-1:0] data_o
);
  if (!parameter_pkg::at_least("pieo: Size", Size, 2)) begin : gen_check_size
    $error("pieo: Size is out of range");
  end
  if (!parameter_pkg::at_least("pieo: RankW", RankW, 1)) begin : gen_check_rankw
    $error("pieo: RankW is out of range");
  end
  if (!parameter_pkg::at_least("pieo: TimeW", TimeW, 1)) begin : gen_check_timew
    $error("pieo: TimeW is out of range");
  end
  if (!parameter_pkg::at_least("pieo: DataW", DataW, 1)) begin : gen_check_dataw
    $error("pieo: DataW is out of range");
  end

  localparam int unsigned Sublists = 2 * Size;
  localparam int unsigned PlaceW = $clog2(Sublists);
  localparam int unsigned CountW = $clog2(Size + 1);

  typedef struct packed {
    logic [RankW-1:0] rank;
    logic [TimeW-1:0] send;
    logic [DataW-1:0] data;
  } element_t;
  typedef element_t [Size-1:0] word_t;
  typedef struct packed {
    logic [PlaceW-1:0] place;
    logic [CountW-1:0] count;
    logic [RankW-1:0]  rank;
    logic [TimeW-1:0]  send;
  } row_t;

  function automatic logic [TimeW-1:0] earliest(word_t word, logic [CountW-1:0] count);
    earliest = '1;
    for (int unsigned i = 0; i < Size; i++) begin
      if (CountW'(i) < count && word[i].send < earliest) earliest = word[i].send;
    end
  endfunction

  /// What a second sublist is needed for.
  typedef enum logic [1:0] {
    Alone,
    /// Enqueue: it takes what falls out of the full one.
    Spill,
    /// Enqueue: the same, and it is a new one.
    Split,
    /// Dequeue: it fills the gap in the full one.
    Refill
  } with_e;

  logic [1:0] step_q;
  row_t [Sublists-1:0] table_q, changed, table_d;
  logic [$clog2(Size*Size+1)-1:0] total_q;

  // ---- 0: which sublist --------------------------------------------------------------------------------------
  logic [Sublists-1:0] ripe, below, partly;
  logic [PlaceW-1:0] at, other, last_below, first_ripe;
  logic possible, other_before;
  with_e partner;
  logic [CountW-1:0] at_count;

  always_comb begin
    last_below = '0;
    first_ripe = '0;
    for (int unsigned i = 0; i < Sublists; i++) begin
      ripe[i]   = table_q[i].count != '0 && table_q[i].send <= time_i;
      below[i]  = table_q[i].count != '0 && table_q[i].rank <= rank_i;
      partly[i] = table_q[i].count != '0 && table_q[i].count != CountW'(Size);
      if (below[i]) last_below = PlaceW'(i);
      if (ripe[Sublists-1-i]) first_ripe = PlaceW'(Sublists - 1 - i);
    end
    at           = dequeue_i ? first_ripe : last_below;
    at_count     = table_q[at].count;
    other_before = dequeue_i && at != '0 && partly[at-1'b1];
    other        = other_before ? at - 1'b1 : at + 1'b1;
    partner         = Alone;
    if (at_count == CountW'(Size)) begin
      if (at != PlaceW'(Sublists - 1) || other_before) begin
        if (partly[other]) partner = dequeue_i ? Refill : Spill;
        else if (!dequeue_i) partner = Split;
      end
    end
    possible = dequeue_i ? ripe != '0 : total_q != ($bits(total_q))'(Size * Size);
  end

  logic dequeue_q, possible_q, before_q;
  with_e with_q;
  logic [PlaceW-1:0] at_q, other_q;
  logic [PlaceW-1:0] place_q, other_place_q;
  logic [CountW-1:0] count_q, other_count_q;
  element_t given_q;

  assign ready_o = step_q == 2'd0;

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      dequeue_q   <= dequeue_i;
      possible_q  <= possible;
      before_q    <= other_before;
      with_q      <= partner;
      at_q        <= at;
      other_q     <= other;
      place_q     <= table_q[at].place;
      count_q     <= at_count;
      other_place_q <= (partner == Split) ? table_q[Sublists-1].place : table_q[other].place;
      other_count_q <= table_q[other].count;
      given_q     <= '{rank: rank_i, send: time_i, data: data_i};
    end
  end

  // ---- 1 to 3: read, change, write ---------------------------------------------------------------------------
  word_t read_word, inserted, removed, first_q, first_d, second_d, second_q;
  element_t spilled, taken, out_q, moved;
  logic [Size-1:0] due, one_due, ahead;
  logic [CountW-1:0] first_count, second_count;
  logic write_second_q, we;
  logic [PlaceW-1:0] second_place_q;

  assign we = (step_q == 2'd3 && possible_q) || (step_q == 2'd0 && write_second_q);

  ram_1r1w #(
    .Width($bits(word_t)),
    .Depth(Sublists)
  ) u_sublists (
    .clk_i,
    .we_i   (we),
    .waddr_i((step_q == 2'd3) ? place_q : second_place_q),
    .wdata_i((step_q == 2'd3) ? first_d : second_q),
    .re_i   (1'b1),
    .raddr_i((step_q == 2'd1) ? place_q : other_place_q),
    .rdata_o(read_word)
  );

  find_first #(
    .Width(Size)
  ) u_due (
    .word_i   (due),
    .last_i   (1'b0),
    .one_hot_o(one_due)
  );

  always_comb begin
    for (int unsigned i = 0; i < Size; i++) begin
      ahead[i] = CountW'(i) < count_q && read_word[i].rank <= given_q.rank;
      due[i]   = CountW'(i) < count_q && read_word[i].send <= given_q.send;
    end
  end

  always_comb begin
    automatic logic passed = 1'b0;
    taken = '0;
    for (int unsigned i = 0; i < Size; i++) begin
      if (ahead[i]) inserted[i] = read_word[i];
      else if (i == 0 || ahead[(i > 0) ? i-1 : 0]) inserted[i] = given_q;
      else inserted[i] = read_word[(i > 0) ? i-1 : 0];
      passed |= one_due[i];
      removed[i] = passed ? read_word[(i+1)%Size] : read_word[i];
      if (one_due[i]) taken |= read_word[i];
    end
    spilled = ahead[Size-1] ? given_q : read_word[Size-1];
  end

  always_ff @(posedge clk_i) begin
    if (step_q == 2'd2) begin
      first_q <= dequeue_q ? removed : inserted;
      out_q   <= dequeue_q ? taken : spilled;
    end
  end

  always_comb begin
    first_d      = first_q;
    second_d     = read_word;
    first_count  = count_q;
    second_count = other_count_q;
    moved        = before_q ? read_word[other_count_q-1'b1] : read_word[0];
    unique case (with_q)
      Alone: first_count = dequeue_q ? count_q - 1'b1 : count_q + 1'b1;
      Spill, Split: begin
        for (int unsigned i = 1; i < Size; i++) second_d[i] = read_word[i-1];
        second_d[0]  = out_q;
        second_count = (with_q == Split) ? CountW'(1) : other_count_q + 1'b1;
      end
      Refill: begin
        second_count = other_count_q - 1'b1;
        if (before_q) begin
          for (int unsigned i = 1; i < Size; i++) first_d[i] = first_q[i-1];
          first_d[0] = moved;
        end else begin
          first_d[Size-1] = moved;
          for (int unsigned i = 0; i < Size - 1; i++) second_d[i] = read_word[i+1];
        end
      end
    endcase
  end

  // ---- 3: the table ------------------------------------------------------------------------------------------
  row_t first_row, second_row, emptied_row;
  logic empties;
  logic [PlaceW-1:0] emptied;

  always_comb begin
    first_row   = '{place: place_q, count: first_count, rank: first_d[0].rank,
                    send: earliest(first_d, first_count)};
    second_row  = '{place: other_place_q, count: second_count, rank: second_d[0].rank,
                    send: earliest(second_d, second_count)};
    empties     = first_count == '0 || (with_q == Refill && second_count == '0);
    emptied     = (first_count == '0) ? at_q : other_q;
    emptied_row = (first_count == '0) ? first_row : second_row;
    for (int unsigned i = 0; i < Sublists; i++) begin
      changed[i] = table_q[i];
      if (PlaceW'(i) == at_q) changed[i] = first_row;
      if (PlaceW'(i) == other_q && (with_q == Spill || with_q == Refill)) changed[i] = second_row;
    end
    for (int unsigned i = 0; i < Sublists; i++) begin
      table_d[i] = changed[i];
      if (empties && PlaceW'(i) >= emptied) begin
        table_d[i] = (i + 1 < Sublists) ? changed[(i+1)%Sublists] : emptied_row;
      end
      if (with_q == Split) begin
        if (PlaceW'(i) == other_q) table_d[i] = second_row;
        else if (PlaceW'(i) > other_q) table_d[i] = changed[(i > 0) ? i-1 : 0];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      step_q         <= 2'd0;
      total_q        <= '0;
      write_second_q <= 1'b0;
      for (int unsigned i = 0; i < Sublists; i++) begin
        table_q[i] <= '{place: PlaceW'(i), count: '0, rank: '0, send: '0};
      end
    end else begin
      if (step_q != 2'd0 || valid_i) step_q <= step_q + 2'd1;
      if (step_q == 2'd3) begin
        write_second_q <= possible_q && with_q != Alone;
        if (possible_q) begin
          table_q <= table_d;
          total_q <= dequeue_q ? total_q - 1'b1 : total_q + 1'b1;
        end
      end else if (step_q == 2'd0) begin
        write_second_q <= 1'b0;
      end
    end
    if (step_q == 2'd3) begin
      second_q       <= second_d;
      second_place_q <= other_place_q;
    end
  end

  assign valid_o = step_q == 2'd3;
  assign done_o  = possible_q;
  assign rank_o  = out_q.rank;
  assign time_o  = out_q.send;
  assign data_o  = out_q.data;

`ifndef SYNTHESIS
  cover_spill : cover property (@(posedge clk_i) valid_o && possible_q && with_q == Spill);
  cover_split : cover property (@(posedge clk_i) valid_o && possible_q && with_q == Split);
  cover_refill_before : cover property (@(posedge clk_i) valid_o && possible_q && with_q == Refill && before_q);
  cover_refill_after : cover property (@(posedge clk_i) valid_o && possible_q && with_q == Refill && !before_q);
  cover_first_empties : cover property (@(posedge clk_i) valid_o && possible_q && first_count == '0);
  cover_second_empties : cover property (
      @(posedge clk_i) valid_o && possible_q && with_q == Refill && second_count == '0);
  // Who leaves depends on times too, so order is the proof's (`formal`).
  queue_checks #(
    .Latency (3),
    .Capacity(Size * Size),
    .RankW   (RankW),
    .Ordered (1'b0)
  ) u_checks (
    .clk_i,
    .rst_i,
    .valid_i     (valid_i & ready_o),
    .push_i      (~dequeue_i),
    .pop_i       (dequeue_i),
    .last_i      (1'b0),
    .pop_part_i  (1'b0),
    .push_part_i (1'b0),
    .rank_i,
    .rsp_valid_i (valid_o),
    .rsp_pushed_i(done_o & ~dequeue_q),
    .rsp_popped_i(done_o & dequeue_q),
    .rsp_rank_i  (rank_o)
  );
  assert property (@(posedge clk_i) disable iff (rst_i)
                   valid_o && possible_q && with_q == Split |-> table_q[Sublists-1].count == '0)
  else $error("pieo: no sublist is left");
  assert property (@(posedge clk_i) disable iff (rst_i) (partly & (partly >> 1)) == '0)
  else $error("pieo: two neighbours are both partly full");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   valid_o && possible_q && !dequeue_q && count_q == CountW'(Size) |-> with_q != Alone)
  else $error("pieo: an element falls out of a full sublist");
`endif
endmodule
