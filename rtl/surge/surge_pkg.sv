// Numbers that follow from the parameters of `surge`.
package surge_pkg;
  /// Steps that bring a number's leading one to the front: halves, quarters, ... down to one bit.
  function automatic int unsigned steps(int unsigned work_w, int unsigned size_w);
    return parameter_pkg::index_width(work_w > size_w ? work_w : size_w);
  endfunction

  /// Cycles from a job's sizes to its rank: one for two steps of normalization, one for each of `bits` + 2 digits, one
  /// for the rank.
  function automatic int unsigned rank_latency(int unsigned work_w, int unsigned size_w, int unsigned bits);
    return (steps(work_w, size_w) + 1) / 2 + bits + 2 + 1;
  endfunction

  /// Cycles from the one that takes an operation to the one that answers a request; a drop is told one later.
  function automatic int unsigned latency(int unsigned work_w, int unsigned size_w, int unsigned bits,
                                          int unsigned levels, int unsigned width);
    return rank_latency(work_w, size_w, bits) + bbq_pkg::latency(levels, width, 1);
  endfunction

  /// The most bits of a job size whose ratios, with so many binary places, all have a rank of `rank_w` bits.
  function automatic int unsigned work_most(int unsigned rank_w, int unsigned bits, int unsigned fraction);
    // 2^`bits` ranks for each octave, and as many for all that lies below the first.
    int unsigned octaves = rank_w > bits ? 1 << (rank_w - bits) : 0;
    int unsigned most = octaves + bits > fraction + 1 ? octaves + bits - 1 - fraction : 0;
    return most > 64 ? 64 : most;
  endfunction
endpackage
