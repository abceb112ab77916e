// What an operation of the BBQ is, and what becomes of it.
package bbq_pkg;
  /// What is asked.
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
endpackage
