// What the modules of the hybrid traffic manager agree on.
package tm_hybrid_pkg;
  /// What becomes of a packet that asks for buffer.
  typedef enum logic [1:0] {
    /// It waits near, in SRAM.
    Near    = 2'd0,
    /// It is bound for far, through the staging buffer.
    Far     = 2'd1,
    /// It was bound for far, and the staging buffer was full.
    Staging = 2'd2,
    /// The queue holds as many packets as it can.
    Full    = 2'd3
  } verdict_e;

  /// How a packet leaves the buffer.
  typedef enum logic [1:0] {
    /// Sent, and its bytes were in SRAM.
    SentNear = 2'd0,
    /// Sent, and its bytes were in HBM.
    SentFar  = 2'd1,
    /// Dropped, as the largest rank near, for a more urgent one.
    Dropped  = 2'd2
  } leave_e;

  /// Cells of SRAM: those of packets near and staged, and beside them one for each arrival under way, departure, and read
  /// whose packet was dropped meanwhile, two that are filled or offered, and two on their way back to the free list.
  function automatic int unsigned cells(int unsigned near, int unsigned staged, int unsigned latency,
                                        int unsigned departures, int unsigned reads);
    return near + staged + latency + departures + reads + 4;
  endfunction
endpackage
