// What the modules of Occamy agree on.
package occamy_pkg;
  /// Cycles from an arrival to its verdict.
  parameter int unsigned Latency = 4;

  /// Cycles that the descriptor memory needs for a packet: read it, advance the list (occamy Fig. 9).
  parameter int unsigned DescriptorCycles = 2;

  /// Read cycles that departures may overdraw, a power of two; who goes on beyond that does so for nothing.
  parameter int unsigned Debt = 4096;

  /// Cycles after reset until operations are taken: every queue's length is set to zero.
  function automatic int unsigned ready_after(int unsigned queues);
    return queues;
  endfunction

  /// Read cycles that taking a packet of `cells` out of its queue needs, with 2^sublists_log2 pointers in a cycle.
  function automatic int unsigned release_cycles(int unsigned cells, int unsigned sublists_log2);
    int unsigned rows = (cells + (1 << sublists_log2) - 1) >> sublists_log2;
    return rows > DescriptorCycles ? rows : DescriptorCycles;
  endfunction
endpackage
