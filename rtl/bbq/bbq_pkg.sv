// What an operation of the BBQ is, and what becomes of it.
package bbq_pkg;
  /// What is asked. 1 is no operation: `bbq` answers it `Full` and changes nothing, `bbq_rolling` refuses it.
  typedef enum logic [1:0] {
    Enqueue    = 2'd0,
    DequeueMin = 2'd2,
    DequeueMax = 2'd3
  } op_e;

  /// What is answered.
  typedef enum logic [1:0] {
    Done  = 2'd0,
    /// There was no free slot; nothing was stored.
    Full  = 2'd1,
    /// The partition holds nothing; nothing was taken.
    Empty = 2'd2
  } status_e;

  /// An operation on its way through the pipeline, without its numbers.
  typedef struct packed {
    /// There is an operation, which will be answered.
    logic valid;
    /// It still changes the queue; low for bubbles and for operations that found the queue full or empty.
    logic alive;
    logic dequeue;
    /// Dequeue the largest rank and not the smallest.
    logic last;
  } ctl_t;

  /// Levels that a partition's number decides alone: they are left out, and one stage registers the number (steering).
  function automatic int unsigned steered(int unsigned width, int unsigned partitions);
    return partitions > 1 ? ($clog2(partitions) - 1) / parameter_pkg::index_width(width) : 0;
  endfunction

  /// Cycles from the one that accepts an operation to the one with its answer. Up to `width` partitions, these are the
  /// thesis's 7 + 4 (levels - 1) stages, the one that accepts among them; each level left out is four cycles fewer.
  function automatic int unsigned latency(int unsigned levels, int unsigned width,
                                          int unsigned partitions);
    int unsigned left_out = steered(width, partitions);
    // Three stages for a root, or one that steers; four for every other level; three for the buckets.
    return left_out == 0 ? 6 + 4 * (levels - 1) : 1 + 4 * (levels - left_out) + 3;
  endfunction

  /// Cycles after reset before the first operation is taken: one, and with steering as many as the first level has
  /// bitmaps, which are cleared.
  function automatic int unsigned ready_after(int unsigned width, int unsigned partitions);
    return 1 << (steered(width, partitions) * parameter_pkg::index_width(width));
  endfunction
endpackage
