// Gearbox against its specification, for the solver: every stream of enqueues and dequeues, up to a length.
//
// The specification is a list of what waits, in order of arrival, each packet with its level and interval; there are no
// FIFOs, bitmaps or memories in it. A level's next packet is the first of the earliest interval, those of the front before
// the others. Asserted: every answer, in its cycle, and the system time.
module gearbox_formal #(
  parameter int unsigned Levels = 2,
  parameter int unsigned FifosLog2 = 2,
  parameter int unsigned PlacesLog2 = 1,
  parameter int unsigned FlowsLog2 = 1,
  parameter bit StepDown = 1'b1,
  parameter int unsigned PointerW = 2,
  parameter int unsigned LengthW = 2,
  parameter int unsigned TimeW = 4,
  parameter int unsigned SystemW = 8,
  /// The most packets that wait at once.
  parameter int unsigned Most = 6,
  localparam int unsigned LevelW = parameter_pkg::index_width(Levels),
  localparam int unsigned IdW = FifosLog2 + 2
) (
  input logic                 clk_i,
  input logic                 enq_valid_i,
  input logic [ PointerW-1:0] enq_pointer_i,
  input logic [  LengthW-1:0] enq_length_i,
  input logic [    TimeW-1:0] enq_time_i,
  input logic [FlowsLog2-1:0] enq_flow_i,
  input logic                 deq_valid_i
);
  logic rst = 1'b1;
  always_ff @(posedge clk_i) rst <= 1'b0;

  typedef logic [SystemW-1:0] unit_t;
  typedef struct packed {
    logic enq, waits, horizon, deq, found;
    logic [LevelW-1:0] into;
    logic [LevelW-1:0] out_of;
    logic [PointerW-1:0] pointer;
    logic [LengthW-1:0] length;
    logic [FlowsLog2-1:0] flow;
    unit_t unit;
  } answer_t;

  logic ready;
  answer_t said;
  logic [IdW-1:0] unused_into, unused_out_of;
  gearbox #(
    .Levels    (Levels),
    .FifosLog2 (FifosLog2),
    .PlacesLog2(PlacesLog2),
    .FlowsLog2 (FlowsLog2),
    .StepDown  (StepDown),
    .PointerW  (PointerW),
    .LengthW   (LengthW),
    .TimeW     (TimeW),
    .SystemW   (SystemW)
  ) u_gearbox (
    .clk_i,
    .rst_i        (rst),
    .ready_o      (ready),
    .enq_valid_i,
    .enq_pointer_i,
    .enq_length_i,
    .enq_time_i,
    .enq_flow_i,
    .enq_valid_o  (said.enq),
    .enq_waits_o  (said.waits),
    .enq_horizon_o(said.horizon),
    .enq_level_o  (said.into),
    .enq_fifo_o   (unused_into),
    .deq_valid_i,
    .deq_valid_o  (said.deq),
    .deq_found_o  (said.found),
    .deq_pointer_o(said.pointer),
    .deq_length_o (said.length),
    .deq_flow_o   (said.flow),
    .deq_level_o  (said.out_of),
    .deq_fifo_o   (unused_out_of),
    .system_time_o(said.unit)
  );

  typedef struct packed {
    logic [PointerW-1:0]  pointer;
    logic [LengthW-1:0]   length;
    logic [FlowsLog2-1:0] flow;
    logic [LevelW-1:0]    level;
    unit_t                interval;
    logic                 front;
  } waiting_t;
  // The interval of a level that is being served.
  typedef struct packed {
    logic        valid, begun;
    unit_t       interval, unit;
    logic [15:0] held, bytes;
  } service_t;
  typedef struct packed {
    unit_t             due;
    logic [LevelW-1:0] level;
  } flow_t;

  waiting_t [Most-1:0] list_q, list;
  logic [3:0] count_q, count;
  service_t [Levels-1:0] service_q, service;
  flow_t [2**FlowsLog2-1:0] flows_q, flows;
  unit_t unit_q, unit;
  answer_t answer;

  function automatic logic reaches(int unsigned l, unit_t due, unit_t now);
    automatic unit_t interval = due >> (l * FifosLog2);
    automatic unit_t current = now >> (l * FifosLog2);
    if (l + 1 == Levels) return interval - current < unit_t'(1 << FifosLog2);
    return (interval >> FifosLog2) - (current >> FifosLog2) < unit_t'(2);
  endfunction

  // Whether an interval of a level is that of its step-down FIFO.
  function automatic logic splits(int unsigned l, unit_t interval);
    automatic int unsigned bits = l + 1 == Levels ? FifosLog2 : FifosLog2 + 1;
    return StepDown && l > 0 && (interval & unit_t'((1 << bits) - 1)) == unit_t'(1);
  endfunction

  logic some, found;
  waiting_t joins;
  logic [3:0] alike, heads[Levels], taken;
  unit_t due, dues[Levels];
  logic [Levels-1:0] any;
  always_comb begin
    list    = list_q;
    count   = count_q;
    service = service_q;
    flows   = flows_q;
    unit    = unit_q;
    answer  = '0;
    some    = 1'b0;
    joins   = '{enq_pointer_i, enq_length_i, enq_flow_i, '0, '0, 1'b0};
    alike   = '0;
    due     = (flows[enq_flow_i].due > unit ? flows[enq_flow_i].due : unit) + unit_t'(enq_time_i);
    // Enqueue.
    for (int unsigned l = 0; l < Levels; l++) begin
      if (!some && LevelW'(l) >= flows[enq_flow_i].level && reaches(l, due, unit)) begin
        some           = 1'b1;
        joins.level    = LevelW'(l);
        joins.interval = due >> (l * FifosLog2);
        if (splits(l, joins.interval)) begin
          joins.level    = LevelW'(l - 1);
          joins.interval = due >> ((l - 1) * FifosLog2);
          joins.front    = 1'b1;
        end
      end
    end
    for (int unsigned e = 0; e < Most; e++) begin
      if (e < 32'(count) && list[e].level == joins.level && list[e].interval == joins.interval
          && list[e].front == joins.front) alike++;
    end
    answer.enq     = enq_valid_i;
    answer.waits   = some && 32'(alike) < (1 << PlacesLog2);
    answer.horizon = !some;
    answer.into    = joins.level;
    if (answer.enq && answer.waits) begin
      list[count] = joins;
      count++;
      flows[enq_flow_i] = '{due, joins.level};
      if (service[joins.level].valid && service[joins.level].interval == joins.interval) begin
        service[joins.level].held += 16'(joins.length);
      end
    end
    // Dequeue.
    found = 1'b0;
    taken = '0;
    due   = '0;
    any   = '0;
    for (int unsigned l = 0; l < Levels; l++) begin
      heads[l] = '0;
      for (int unsigned k = 0; k < Most; k++) begin
        automatic int unsigned e = Most - 1 - k;
        if (e < 32'(count) && list[e].level == LevelW'(l)
            && (!any[l] || list[e].interval < list[heads[l]].interval
                || (list[e].interval == list[heads[l]].interval && list[e].front >= list[heads[l]].front))) begin
          any[l]   = 1'b1;
          heads[l] = 4'(e);
        end
      end
      dues[l] = list[heads[l]].interval << (l * FifosLog2);
      if (dues[l] < unit) dues[l] = unit;
      if (service[l].valid && service[l].begun && service[l].interval == list[heads[l]].interval
          && service[l].unit == unit && 32'(service[l].bytes) << (l * FifosLog2) >= 32'(service[l].held)
          && unit < ((list[heads[l]].interval + 1'b1) << (l * FifosLog2)) - 1'b1) begin
        dues[l] = unit + 1'b1;
      end
      if (any[l] && (!found || dues[l] < due)) begin
        found = 1'b1;
        taken = heads[l];
        due   = dues[l];
      end
    end
    answer.deq     = deq_valid_i;
    answer.found   = found;
    answer.out_of  = list[taken].level;
    answer.pointer = list[taken].pointer;
    answer.length  = list[taken].length;
    answer.flow    = list[taken].flow;
    if (answer.deq && found) begin
      unit = due;
      if (!service[answer.out_of].valid || service[answer.out_of].interval != list[taken].interval) begin
        service[answer.out_of] = '{1'b1, 1'b0, list[taken].interval, due, '0, '0};
        for (int unsigned e = 0; e < Most; e++) begin
          if (e < 32'(count) && list[e].level == answer.out_of && list[e].interval == list[taken].interval) begin
            service[answer.out_of].held += 16'(list[e].length);
          end
        end
      end
      if (service[answer.out_of].unit != due) service[answer.out_of].bytes = '0;
      service[answer.out_of].unit = due;
      service[answer.out_of].bytes += 16'(answer.length);
      if (answer.length != '0) service[answer.out_of].begun = 1'b1;
      for (int unsigned e = 0; e + 1 < Most; e++) if (e >= 32'(taken)) list[e] = list[e+1];
      count--;
    end
    answer.unit = unit;
  end

  answer_t [gearbox_pkg::Latency-1:0] answers_q;
  answer_t expected;
  assign expected = answers_q[gearbox_pkg::Latency-1];
  always_ff @(posedge clk_i) begin
    if (ready) begin
      list_q    <= list;
      count_q   <= count;
      service_q <= service;
      flows_q   <= flows;
      unit_q    <= unit;
    end
    answers_q <= {answers_q[gearbox_pkg::Latency-2:0], ready ? answer : '0};
    if (rst) begin
      count_q   <= '0;
      service_q <= '0;
      flows_q   <= '0;
      unit_q    <= '0;
      answers_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      few : assume (32'(count_q) < Most);
      in_its_cycle : assert (said.enq == expected.enq && said.deq == expected.deq);
      if (said.enq) begin
        waits : assert (said.waits == expected.waits);
        if (said.waits) level : assert (said.into == expected.into);
        else cause : assert (said.horizon == expected.horizon);
      end
      if (said.deq) begin
        one : assert (said.found == expected.found);
        if (said.found) begin
          which : assert (said.pointer == expected.pointer && said.length == expected.length
                          && said.flow == expected.flow && said.out_of == expected.out_of);
        end
      end
      if (said.enq || said.deq) in_time : assert (said.unit == expected.unit);
      full : cover (said.enq && !said.waits && !said.horizon);
      beyond : cover (said.enq && said.horizon);
      empty : cover (said.deq && !said.found);
      from_above : cover (said.deq && said.found && said.out_of != '0 && said.unit != '0);
      stepped : cover (said.enq && said.waits && unused_into[IdW-1]);
    end
  end
endmodule
