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

  /// What orders the queues of a port (`tm_scheduler`).
  typedef enum int unsigned {
    /// By the ranks of their heads, in a BBQ.
    Bbq      = 0,
    /// The same in a ClubHeap.
    ClubHeap = 1,
    /// By the heads' job sizes per packet size, in a BBQ.
    Wsjf     = 2,
    /// By weighted fair queueing.
    Gearbox  = 3
  } scheduler_e;

  /// Cycles from a packet's length to its time at its queue's share.
  parameter int unsigned TimeAfter = 2;

  /// Bits of a port's ranks in a BBQ that all ports share.
  function automatic int unsigned rank_width(int unsigned ports, int unsigned levels, int unsigned width);
    int unsigned port_w = parameter_pkg::index_width(ports);
    int unsigned all = levels * $clog2(width);
    return all > port_w ? all - port_w : 1;
  endfunction

  /// Bits of the scheduler's field in `tuser`: a rank, or a job size or weight of `given` bits.
  function automatic int unsigned field_width(int unsigned scheduler, int unsigned ports, int unsigned levels,
                                              int unsigned width, int unsigned given);
    if (scheduler == Wsjf || scheduler == Gearbox) return given;
    return scheduler == ClubHeap ? levels * $clog2(width) : rank_width(ports, levels, width);
  endfunction

  /// Bits of what is kept with a packet for the scheduler: a rank, or a length and a time.
  function automatic int unsigned key_width(int unsigned scheduler, int unsigned ports, int unsigned levels,
                                            int unsigned width, int unsigned bytes_w);
    if (scheduler == ClubHeap) return levels * $clog2(width);
    return scheduler == Gearbox ? bytes_w + levels * $clog2(width) : rank_width(ports, levels, width);
  endfunction

  /// The narrowest bitmap.
  function automatic int unsigned width_least(int unsigned scheduler);
    return scheduler == Gearbox ? 4 : 2;
  endfunction

  /// The fewest levels with two ranks a port, and the most.
  function automatic int unsigned levels_least(int unsigned scheduler, int unsigned ports, int unsigned width);
    int unsigned steers = parameter_pkg::index_width(ports) / parameter_pkg::index_width(width);
    return scheduler == Gearbox || steers < 1 ? 2 : steers + 1;
  endfunction
  function automatic int unsigned levels_most(int unsigned scheduler, int unsigned width);
    return scheduler == Gearbox ? 4 : 15 / parameter_pkg::index_width(width);
  endfunction

  /// The most bits of a rank within an octave, and of a job size or a weight.
  function automatic int unsigned rank_bits_most(int unsigned scheduler, int unsigned key_w);
    return scheduler != Wsjf ? 14 : key_w > 2 ? key_w - 1 : 1;
  endfunction
  function automatic int unsigned field_most(int unsigned scheduler, int unsigned key_w, int unsigned rank_bits,
                                             int unsigned fraction);
    int unsigned most = scheduler == Wsjf ? surge_pkg::work_most(key_w, rank_bits, fraction) : 20;
    return most > 20 ? 20 : most;
  endfunction

  /// Cycles from a packet's length to its key.
  function automatic int unsigned key_after(int unsigned scheduler, int unsigned field_w, int unsigned bytes_w,
                                            int unsigned rank_bits);
    if (scheduler == Wsjf) return surge_pkg::rank_latency(field_w, bytes_w, rank_bits);
    return scheduler == Gearbox ? TimeAfter : 0;
  endfunction

  /// Cycles from a port's request to the queue whose turn it is.
  function automatic int unsigned order_latency(int unsigned scheduler, int unsigned levels, int unsigned width,
                                                int unsigned partitions);
    if (scheduler == ClubHeap) return clubheap_pkg::Latency;
    return scheduler == Gearbox ? gearbox_pkg::Latency : bbq_pkg::latency(levels, width, partitions);
  endfunction

  /// Cycles after reset until an element is taken.
  function automatic int unsigned order_ready_after(int unsigned scheduler, int unsigned classes, int unsigned width,
                                                    int unsigned partitions);
    if (scheduler == ClubHeap) return partitions;
    if (scheduler == Gearbox) return gearbox_pkg::ready_after(parameter_pkg::index_width(classes), $clog2(width));
    return bbq_pkg::ready_after(width, partitions);
  endfunction

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

  /// Cycles after reset until packets are taken: every queue's length, every counter, and the scheduler are made
  /// empty.
  function automatic int unsigned ready_after(int unsigned scheduler, int unsigned ports, int unsigned classes,
                                              int unsigned width);
    int unsigned partitions = 1 << parameter_pkg::index_width(ports);
    int unsigned order = order_ready_after(scheduler, classes, width, partitions);
    int unsigned most = 2 * partitions;
    if (occamy_pkg::ready_after(ports * classes) > most) most = occamy_pkg::ready_after(ports * classes);
    return order > most ? order : most;
  endfunction

  /// Cycles from a port's request to its packet's leaving the buffer: the scheduler, Occamy, and a register.
  function automatic int unsigned leave_after(int unsigned scheduler, int unsigned levels, int unsigned width,
                                              int unsigned partitions);
    return order_latency(scheduler, levels, width, partitions) + occamy_pkg::Latency + 1;
  endfunction
endpackage
