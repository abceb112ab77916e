// How large each level of a clustered heap with two, three or four ways is.
//
// The sizes are those of complete trees (the B2 of crates/pifo/src/club_heap/geometry.rs): with one logical PIFO they
// are hardly larger than what the elements need, so every address follows from the parent's.

package clubheap_ways_pkg;

  /// Elements of a complete tree of `levels` levels.
  function automatic int unsigned elements(int unsigned ways, int unsigned k, int unsigned levels);
    int unsigned row = k;
    int unsigned sum = 0;
    for (int unsigned l = 0; l < levels; l++) begin
      sum += row;
      row *= ways;
    end
    return sum;
  endfunction

  /// Levels that it takes to hold `n` elements in clusters of `k`.
  function automatic int unsigned depth(int unsigned ways, int unsigned k, int unsigned n);
    int unsigned levels = 1;
    while (elements(ways, k, levels) < n) levels++;
    return levels;
  endfunction

  /// Groups of siblings of level `l`; the root, on level 1, is one by itself.
  function automatic int unsigned groups(int unsigned ways, int unsigned l);
    int unsigned number = 1;
    for (int unsigned i = 2; i < l; i++) number *= ways;
    return number;
  endfunction

  /// Bits of a difference of two subtrees of `levels` levels, with its sign.
  function automatic int unsigned diff_width(int unsigned ways, int unsigned k,
                                             int unsigned levels);
    return $clog2(elements(ways, k, levels) + 1) + 1;
  endfunction

endpackage
