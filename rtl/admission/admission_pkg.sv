// What the modules of admission agree on.
package admission_pkg;
  /// The schemes: who may enter.
  parameter int unsigned Dt = 0;
  parameter int unsigned Abm = 1;
  parameter int unsigned Pushout = 2;

  /// What becomes of an arriving packet. Pushed out is the youngest packet of a queue; then the
  /// arriving one is to be offered again.
  typedef enum logic [1:0] {
    Drop    = 2'd0,
    Accept  = 2'd1,
    PushOut = 2'd2
  } verdict_e;

  /// Cycles from an arrival to its verdict.
  function automatic int unsigned latency(int unsigned scheme, int unsigned queues);
    return scheme == Pushout ? $clog2(queues) + 4 : 4;
  endfunction

  /// Cycles after reset until operations are taken: every queue's length is set to zero, and every
  /// leaf of Pushout's tree.
  function automatic int unsigned ready_after(int unsigned scheme, int unsigned queues);
    return scheme == Pushout ? 1 << $clog2(queues) : queues;
  endfunction

  /// 1 / n as one power of two or the sum of two.
  typedef struct packed {
    logic [3:0] first;  // 2^-first
    logic [1:0] more;   // and 2^-(first + more), unless 0
  } share_t;

  /// The nearest to 1 / `queues`, 1 to 512; of two that are as near the smaller. The Rust type
  /// `ShareShifts`.
  function automatic share_t share_of(int unsigned queues);
    automatic share_t best = '0;
    automatic int unsigned least = '1;
    for (int unsigned i = 0; i <= 9; i++) begin
      for (int unsigned j = 0; j <= 3; j++) begin
        automatic int unsigned more = (4 - j) % 4;
        automatic int unsigned value = (8 + (more == 0 ? 0 : 8 >> more)) << i;
        automatic int unsigned part = queues * value;
        automatic int unsigned off = part > 4096 ? part - 4096 : 4096 - part;
        if (off < least) begin
          least = off;
          best  = '{first: 4'(9 - i), more: 2'(more)};
        end
      end
    end
    return best;
  endfunction
endpackage
