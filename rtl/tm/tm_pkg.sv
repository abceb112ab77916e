// What the modules of the traffic manager agree on.
package tm_pkg;
  /// What becomes of a packet that asks for buffer.
  typedef enum logic [1:0] {
    Admitted  = 2'd0,
    /// Its queue would be beyond its threshold.
    Threshold = 2'd1,
    /// There are not enough free cells.
    Full      = 2'd2
  } verdict_e;

  /// Cycles from the last beat of a packet to its verdict: one to ask, and Occamy's.
  parameter int unsigned VerdictAfter = 1 + occamy_pkg::Latency;

  /// Packets that have been dropped and whose cells are not yet free.
  parameter int unsigned Dropped = 4;

  /// Complete packets that wait for their verdict or for their place in the memory.
  parameter int unsigned Pending = 8;

  /// Cells beyond those that are shared: packets that leave or were dropped hold theirs a while longer, a packet of
  /// each port, the one that is being read, and `Dropped`.
  function automatic int unsigned spare(int unsigned ports, int unsigned largest);
    return (ports + 1 + Dropped) * largest;
  endfunction

  /// Cycles after reset until packets are taken: every queue's length, every counter, and the PIFOs are made empty.
  function automatic int unsigned ready_after(int unsigned ports, int unsigned classes, int unsigned width);
    int unsigned partitions = 1 << parameter_pkg::index_width(ports);
    int unsigned pifos = bbq_pkg::ready_after(width, partitions);
    int unsigned most = 2 * partitions;
    if (occamy_pkg::ready_after(ports * classes) > most) most = occamy_pkg::ready_after(ports * classes);
    return pifos > most ? pifos : most;
  endfunction

  /// Cycles from a port's request to its packet's leaving the buffer: the PIFO, Occamy, and a register.
  function automatic int unsigned leave_after(int unsigned levels, int unsigned width, int unsigned partitions);
    return bbq_pkg::latency(levels, width, partitions) + occamy_pkg::Latency + 1;
  endfunction
endpackage
