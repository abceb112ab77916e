// Who reads a packet's descriptor: the output scheduler if it asks, else the head-drop selector. And whether the packet
// that was picked is dropped.
//
// Source: occamy §4.3 (fixed priority), §4.5 (a head drop gives way until its descriptor is unlinked), §5.3 (tokens).
//
//       a departure waits a cycle, in which it is known to a head drop of its queue
//   R0  a departure, or else the candidate: the descriptor of its queue's head is read
//   R1  the descriptor is there; a head drop's queue length is read
//   H   a head drop waits until it may go; a departure of its queue sends the same packet instead
//   X   the packet is taken out (in `occamy_executor`)
//
// A token is a cycle in which the memories are not read. Every cycle brings one, and not more than `Burst` are kept; a
// packet costs its `release_cycles`, a departure whether they are there or not, a head drop only if they are. The Rust
// model's `SpareBandwidth` is the same in instants.
module occamy_arbiter #(
  parameter int unsigned Queues = 64,
  parameter int unsigned Cells = 2050,
  parameter int unsigned AlphaLog2 = 3,
  parameter int unsigned SublistsLog2 = 2,
  parameter int unsigned PacketW = 4,
  parameter int unsigned Burst = 2,
  localparam int unsigned QueueW = parameter_pkg::index_width(Queues),
  localparam int unsigned CountW = $clog2(Cells + 1),
  localparam int unsigned TokenW = $clog2(occamy_pkg::Debt) + 2
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               ready_i,
  // The output scheduler.
  input  logic               valid_i,
  input  logic [ QueueW-1:0] queue_i,
  // The candidate.
  input  logic               candidate_i,
  input  logic [ QueueW-1:0] candidate_queue_i,
  output logic               take_o,
  // R0: the descriptor that is read. R1: what it says; and its queue, of which the cells are looked up.
  output logic               read_o,
  output logic [ QueueW-1:0] read_queue_o,
  input  logic               there_i,
  input  logic [PacketW-1:0] cells_i,
  output logic [ QueueW-1:0] look_o,
  input  logic [   CountW:0] look_gone_i,
  input  logic [ CountW-1:0] look_length_i,
  input  logic [ CountW-1:0] free_i,
  // A cycle after H: its queue is within its threshold after all.
  output logic               clear_o,
  output logic [ QueueW-1:0] clear_queue_o,
  // The queue of X, a cycle ahead. X, registers.
  output logic [ QueueW-1:0] taking_queue_o,
  output logic               taken_o,
  output logic               dropped_o,
  output logic [ QueueW-1:0] taken_queue_o,
  output logic [PacketW-1:0] taken_cells_o,
  output logic [   CountW:0] taken_gone_o,
  // The executor can take a packet two cycles from now; it may use the memories now.
  input  logic               room_i,
  output logic               idle_o
);
  // As many rows as pointers in one list.
  localparam int unsigned CostW = PacketW + 2;
  localparam int unsigned WideW = CountW + AlphaLog2;
  localparam int unsigned Round = (1 << SublistsLog2) - 1;

  function automatic logic [CostW-1:0] cost_of(logic [PacketW-1:0] cells);
    automatic logic [CostW-1:0] rows = (CostW'(cells) + CostW'(Round)) >> SublistsLog2;
    return rows > CostW'(occamy_pkg::DescriptorCycles) ? rows : CostW'(occamy_pkg::DescriptorCycles);
  endfunction

  // ---- R0 ----------------------------------------------------------------------------------------------------------
  logic came_q, sends_q, take, go;
  logic [QueueW-1:0] came_queue_q, sends_queue_q;
  logic r_sends_q, r_drops_q;
  logic [QueueW-1:0] r_queue_q;
  logic h_valid_q, x_valid_q;
  logic [QueueW-1:0] h_queue_q, x_queue_q;
  logic changing;

  // The head of the candidate's queue is about to change, or it is the one that waits.
  assign changing = ((r_sends_q || r_drops_q) && r_queue_q == candidate_queue_i)
                  || (h_valid_q && h_queue_q == candidate_queue_i) || (x_valid_q && x_queue_q == candidate_queue_i);
  assign take = candidate_i && !sends_q && !r_drops_q && (!h_valid_q || go) && !changing;
  assign take_o       = take;
  assign read_o       = sends_q || take;
  assign read_queue_o = sends_q ? sends_queue_q : candidate_queue_i;
  assign look_o       = r_queue_q;

  // ---- H -----------------------------------------------------------------------------------------------------------
  logic [PacketW-1:0] h_cells_q;
  logic [CostW-1:0] h_cost_q, x_cost_q, x_cost_less_q;
  logic [CountW-1:0] h_length_q;
  logic [CountW:0] h_gone_q;
  logic signed [TokenW-1:0] tokens_q, more, less, less_of_more;
  logic most, deep;
  logic over, h_sent, h_sent_next, h_loads;

  assign over        = WideW'(h_length_q) > (WideW'(free_i) << AlphaLog2);
  assign h_sent      = sends_q && sends_queue_q == h_queue_q;
  assign h_sent_next = came_q && came_queue_q == h_queue_q;
  assign go = h_valid_q && over && tokens_q >= $signed(TokenW'(h_cost_q)) && room_i && !x_valid_q && !r_sends_q
            && !h_sent && !h_sent_next;
  assign h_loads       = r_drops_q && there_i && !(sends_q && sends_queue_q == r_queue_q);

  // ---- X and the tokens --------------------------------------------------------------------------------------------
  logic x_drop_q;
  logic [PacketW-1:0] x_cells_q;
  logic [CountW:0] x_gone_q;
  // Three sums side by side, and what is to be taken of them.
  assign most         = tokens_q == $signed(TokenW'(Burst));
  assign deep         = tokens_q[TokenW-1] && !tokens_q[TokenW-2];
  assign more         = tokens_q + 1'b1;
  assign less         = tokens_q - $signed(TokenW'(x_cost_q));
  assign less_of_more = tokens_q - $signed(TokenW'(x_cost_less_q));
  assign idle_o      = !tokens_q[TokenW-1];

  always_ff @(posedge clk_i) begin
    came_q        <= valid_i && !rst_i;
    came_queue_q  <= queue_i;
    sends_q       <= came_q && !rst_i;
    sends_queue_q <= came_queue_q;
    r_sends_q     <= sends_q && !rst_i;
    r_drops_q     <= take && !rst_i;
    r_queue_q     <= read_queue_o;
    if (r_drops_q) begin
      h_valid_q  <= h_loads;
      h_queue_q  <= r_queue_q;
      h_cells_q  <= cells_i;
      h_cost_q   <= cost_of(cells_i);
      h_length_q <= look_length_i;
      h_gone_q   <= look_gone_i + (CountW + 1)'(cells_i);
    end else if (go || !over || h_sent) begin
      h_valid_q <= 1'b0;
    end
    clear_o       <= h_valid_q && !over && !rst_i;
    clear_queue_o <= h_queue_q;
    x_valid_q <= (r_sends_q ? there_i : go) && !rst_i;
    x_drop_q  <= !r_sends_q;
    x_queue_q <= taking_queue_o;
    x_cells_q <= r_sends_q ? cells_i : h_cells_q;
    x_cost_q  <= r_sends_q ? cost_of(cells_i) : h_cost_q;
    x_gone_q  <= r_sends_q ? look_gone_i + (CountW + 1)'(cells_i) : h_gone_q;
    x_cost_less_q <= (r_sends_q ? cost_of(cells_i) : h_cost_q) - 1'b1;
    if (x_valid_q && !deep) tokens_q <= most ? less : less_of_more;
    else if (!most) tokens_q <= more;
    if (rst_i) h_valid_q <= 1'b0;
    if (!ready_i) tokens_q <= '0;
  end

  assign taking_queue_o = r_sends_q ? r_queue_q : h_queue_q;
  assign taken_o        = x_valid_q;
  assign dropped_o      = x_drop_q;
  assign taken_queue_o  = x_queue_q;
  assign taken_cells_o  = x_cells_q;
  assign taken_gone_o   = x_gone_q;

`ifndef SYNTHESIS
  cover_gives_way : cover property (@(posedge clk_i) candidate_i && sends_q && !r_drops_q && !h_valid_q && !changing);
  cover_sent_instead : cover property (@(posedge clk_i) h_valid_q && over && h_sent);
  cover_sent_at_once : cover property (@(posedge clk_i) h_valid_q && over && h_sent_next);
  cover_sent_when_read : cover property (
    @(posedge clk_i) r_drops_q && there_i && sends_q && sends_queue_q == r_queue_q);
  cover_no_tokens : cover property (@(posedge clk_i) h_valid_q && over && tokens_q < $signed(TokenW'(h_cost_q)));
  cover_no_room : cover property (
    @(posedge clk_i) h_valid_q && over && tokens_q >= $signed(TokenW'(h_cost_q)) && !room_i);
  cover_debt : cover property (@(posedge clk_i) tokens_q[TokenW-1]);
  cover_within : cover property (@(posedge clk_i) clear_o);
  cover_nothing_there : cover property (@(posedge clk_i) r_drops_q && !there_i);
  cover_send_nothing : cover property (@(posedge clk_i) r_sends_q && !there_i);
  cover_go : cover property (@(posedge clk_i) go);
  cover_go_and_take : cover property (@(posedge clk_i) go && take);
  assert property (@(posedge clk_i) disable iff (rst_i) r_drops_q |-> !h_valid_q)
  else $error("occamy_arbiter: a head drop comes and one waits");
  assert property (@(posedge clk_i) disable iff (rst_i)
                   valid_i |-> !(came_q && came_queue_q == queue_i) && !(sends_q && sends_queue_q == queue_i))
  else $error("occamy_arbiter: a queue sends again less than three cycles after it last did");
  assert property (@(posedge clk_i) disable iff (rst_i) there_i && (r_sends_q || r_drops_q) |-> cells_i != '0)
  else $error("occamy_arbiter: a packet without cells");
`endif
endmodule
