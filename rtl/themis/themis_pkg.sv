// What an operation of Themis's two-tier queue is, and what becomes of it.
package themis_pkg;
  /// What is asked. 3 is no operation: it is answered `Full` and changes nothing.
  typedef enum logic [2:0] {
    /// The queue decides the tier: far if the far tier holds this first digit or a smaller one, else near.
    Enqueue     = 3'd0,
    EnqueueNear = 3'd1,
    EnqueueFar  = 3'd2,
    /// The smallest first digit of both tiers decides the tier, near among equals; its smallest rank, the oldest of it.
    Dequeue     = 3'd4,
    /// The newest of the largest rank near leaves.
    DropLargest = 3'd5,
    /// The newest of the largest rank near becomes the oldest of its rank far.
    SwapOut     = 3'd6,
    /// The oldest of the smallest rank far becomes the newest of its rank near.
    SwapIn      = 3'd7
  } op_e;

  /// What is answered.
  typedef enum logic [1:0] {
    Done  = 2'd0,
    /// There was no free slot; nothing was stored.
    Full  = 2'd1,
    /// There was nothing to take; nothing changed.
    Empty = 2'd2,
    /// `EnqueueNear`: it waits near, ahead of older elements of its rank that are far.
    Ahead = 2'd3
  } status_e;

  /// An operation on its way through the pipeline, without its numbers.
  typedef struct packed {
    /// There is an operation, which will be answered.
    logic valid;
    /// It still changes the queue; low for bubbles and for operations that found the queue full or empty.
    logic alive;
    /// It takes an element.
    logic pop;
    /// It adds an element; with `pop` it adds what it takes, to the other tier.
    logic push;
    /// It takes the largest rank and not the smallest.
    logic last;
    /// The root decides the tier.
    logic open;
    /// The tier it takes from; of an enqueue, the tier it adds to. 0 is near, 1 is far.
    logic is_far;
  } ctl_t;

  /// Cycles from the one that accepts an operation to the one with its answer, those of a BBQ.
  function automatic int unsigned latency(int unsigned levels);
    return 6 + 4 * (levels - 1);
  endfunction
endpackage
