// What the modules of BMW-Tree agree on: the operations and how large each level is.

package bmw_pkg;

  /// An operation: bit 0 brings an element, bit 1 takes the smallest; both make a replace.
  typedef enum logic [1:0] {
    OpNone    = 2'b00,
    OpPush    = 2'b01,
    OpPop     = 2'b10,
    OpReplace = 2'b11
  } op_e;

  /// Elements of a tree of `levels` levels: ways + ways^2 + ... + ways^levels.
  function automatic int unsigned capacity(int unsigned ways, int unsigned levels);
    int unsigned sum = 0;
    for (int unsigned l = 0; l < levels; l++) sum = (sum + 1) * ways;
    return sum;
  endfunction

  /// Nodes of level `l`; the root's is 1.
  function automatic int unsigned nodes(int unsigned ways, int unsigned l);
    return ways ** (l - 1);
  endfunction

  /// Bits that count the elements below a place of level `l` of `levels`; at least 1.
  function automatic int unsigned below_width(int unsigned ways, int unsigned levels,
                                              int unsigned l);
    return l == levels ? 1 : $clog2(capacity(ways, levels - l) + 1);
  endfunction

endpackage
