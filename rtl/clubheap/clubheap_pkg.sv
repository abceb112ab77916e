// What the modules of ClubHeap agree on: the operations and how large each level is.
//
// The sizes are those of the Rust model (crates/pifo/src/club_heap/geometry.rs): clubheap §3.1,
// Corollary 2, with B1 counted in sibling pairs because a pair shares an address. The plain levels
// (clubheap_plain_level) have complete trees, its B2: with one logical PIFO they are hardly larger
// than what the elements need, so every address follows from the parent's.

package clubheap_pkg;

  /// An operation: bit 0 brings an element, bit 1 takes the smallest; both make a replace.
  /// Between levels there is one more: the node has just come into use and is to be empty.
  typedef enum logic [2:0] {
    OpNone    = 3'b000,
    OpPush    = 3'b001,
    OpPop     = 3'b010,
    OpReplace = 3'b011,
    OpInit    = 3'b100
  } op_e;

  /// How a level's memory is read before stage C in cycle u; see clubheap_fetch.
  typedef enum logic [1:0] {
    ReadLutRam,  // in u - 1, without a clock
    ReadEarly,   // from u - 2, both pairs that may be needed
    ReadPaper    // from u - 1, used as it comes out in u
  } read_e;

  /// Entries that a free list has beyond what can be in use: one given back is not seen at once.
  parameter int unsigned FreeSlack = 2;

  /// Cycles from an operation to its answer.
  parameter int unsigned Latency = 4;

  /// Elements of a complete tree of `levels` levels in clusters of `k`, `ways` children to a node.
  function automatic int unsigned elements(int unsigned ways, int unsigned k, int unsigned levels);
    int unsigned row = k;
    int unsigned sum = 0;
    for (int unsigned l = 0; l < levels; l++) begin
      sum += row;
      row *= ways;
    end
    return sum;
  endfunction

  /// Levels that it takes for one logical PIFO to hold `n` elements; not endless where parameters are illegal.
  function automatic int unsigned depth(int unsigned ways, int unsigned k, int unsigned n);
    int unsigned levels = 1;
    while (levels < 17 && elements(ways, k, levels) < n) levels++;
    return levels;
  endfunction

  /// Bits of a difference of two subtrees of `levels` levels, with its sign.
  function automatic int unsigned diff_width(int unsigned ways, int unsigned k,
                                             int unsigned levels);
    return $clog2(elements(ways, k, levels) + 1) + 1;
  endfunction

  /// Groups of siblings of level `l` of a complete tree; the root, on level 1, is one by itself.
  function automatic int unsigned groups(int unsigned ways, int unsigned l);
    int unsigned number = 1;
    for (int unsigned i = 2; i < l; i++) number *= ways;
    return number;
  endfunction

  /// Sibling pairs of level `l` (the roots' is 1) if every logical PIFO has a complete tree.
  function automatic int unsigned pairs_static(int unsigned l, int unsigned m);
    return l == 1 ? m : m << (l - 2);
  endfunction

  /// Sibling pairs of level `l` that `n` elements can make non-empty.
  function automatic int unsigned pairs_by_elements(int unsigned l, int unsigned k, int unsigned n);
    longint unsigned row = longint'(1) << (l - 1);
    return int'(longint'(n) * row / (2 * longint'(k) * (row - 1) + row));
  endfunction

  /// Whether pairs of level `l` are given out from a free list.
  function automatic bit is_dynamic(int unsigned l, int unsigned k, int unsigned n, int unsigned m);
    return l > 1 && pairs_by_elements(l, k, n) < pairs_static(l, m);
  endfunction

  /// Pairs that level `l` has memory for.
  function automatic int unsigned pairs(int unsigned l, int unsigned k, int unsigned n,
                                        int unsigned m);
    return is_dynamic(l, k, n, m) ? pairs_by_elements(l, k, n) + FreeSlack : pairs_static(l, m);
  endfunction

  /// How level `l` is read: small memories without a clock, others early if asked for and possible.
  function automatic read_e read_kind(int unsigned l, int unsigned k, int unsigned n, int unsigned m,
                                      bit early, int unsigned lut_ram_pairs);
    if (pairs(l, k, n, m) <= lut_ram_pairs) return ReadLutRam;
    return early && !is_dynamic(l, k, n, m) ? ReadEarly : ReadPaper;
  endfunction

  /// Bits of the address of a pair, of all levels.
  function automatic int unsigned pair_width(int unsigned k, int unsigned n, int unsigned m);
    int unsigned width = 1;
    for (int unsigned l = 1; l <= depth(2, k, n); l++) begin
      if (parameter_pkg::index_width(pairs(l, k, n, m)) > width) width = parameter_pkg::index_width(pairs(l, k, n, m));
    end
    return width;
  endfunction

endpackage
