// Made of `rtl/tm_hybrid/csr.toml` by `python -m flow csr tm_hybrid`; change that file and run it again.
package tm_hybrid_csr_pkg;
  // Byte offsets.
  parameter int unsigned Id = 'h000;
  parameter int unsigned Ports = 'h004;
  parameter int unsigned NearMost = 'h008;
  parameter int unsigned High = 'h00C;
  parameter int unsigned Low = 'h010;
  parameter int unsigned CellBytes = 'h014;
  parameter int unsigned Largest = 'h018;
  parameter int unsigned Batch = 'h01C;
  parameter int unsigned Regions = 'h020;
  parameter int unsigned Near = 'h024;
  parameter int unsigned Far = 'h028;
  parameter int unsigned FreeCells = 'h02C;
  parameter int unsigned FreeRegions = 'h030;
  parameter int unsigned SwappedOut = 'h034;
  parameter int unsigned SwappedIn = 'h038;
  parameter int unsigned Writes = 'h03C;
  parameter int unsigned Reads = 'h040;
  parameter int unsigned Malformed = 'h044;
  parameter int unsigned Errors = 'h048;
  parameter int unsigned Enable = 'h080;
  parameter int unsigned Length = 'h084;
  parameter int unsigned Counters = 'h400;
  parameter int unsigned PortStride = 'h80;
  parameter int unsigned CounterStride = 'h10;

  /// The counters of a port, in the order of their addresses.
  typedef enum int unsigned {
    CountReceived = 0,
    CountRefused = 1,
    CountStaging = 2,
    CountFull = 3,
    CountSentNear = 4,
    CountSentFar = 5,
    CountDropped = 6
  } counter_e;
endpackage
