// What the modules of Gearbox agree on.
package gearbox_pkg;
  /// Cycles from an operation to its answer.
  parameter int unsigned Latency = 6;

  /// Bits of the sums of an interval's bytes, which stop at their end.
  parameter int unsigned HeldW = 24;

  /// Cycles that a sweep after reset takes: every flow's departure time and every FIFO's ends are set to zero.
  function automatic int unsigned sweep(int unsigned flows_log2, int unsigned fifos_log2);
    return flows_log2 > fifos_log2 + 2 ? 1 << flows_log2 : 1 << (fifos_log2 + 2);
  endfunction

  /// Cycles after reset until the first operation is taken: the sweep ends in the first half of a slot.
  function automatic int unsigned ready_after(int unsigned flows_log2, int unsigned fifos_log2);
    return sweep(flows_log2, fifos_log2) + 1;
  endfunction

  /// Groups of FIFOs of a level: sets A and B, of the top one set; and with step-down FIFOs the front, which is what the
  /// step-down FIFO of the level above is split into.
  function automatic int unsigned level_groups(int unsigned level, int unsigned levels, bit step_down);
    return level + 1 == levels ? 1 : step_down ? 3 : 2;
  endfunction
endpackage
