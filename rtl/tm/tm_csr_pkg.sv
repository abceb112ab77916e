// Made of `rtl/tm/csr.toml` by `python -m flow csr tm`; change that file and run it again.
package tm_csr_pkg;
  // Byte offsets.
  parameter int unsigned Id = 'h000;
  parameter int unsigned Ports = 'h004;
  parameter int unsigned Classes = 'h008;
  parameter int unsigned Cells = 'h00C;
  parameter int unsigned CellBytes = 'h010;
  parameter int unsigned AlphaLog2 = 'h014;
  parameter int unsigned Largest = 'h018;
  parameter int unsigned Free = 'h01C;
  parameter int unsigned Malformed = 'h020;
  parameter int unsigned Expel = 'h040;
  parameter int unsigned Enable = 'h044;
  parameter int unsigned Length = 'h048;
  parameter int unsigned Counters = 'h400;
  parameter int unsigned PortStride = 'h80;
  parameter int unsigned CounterStride = 'h10;

  /// The counters of a port, in the order of their addresses.
  typedef enum int unsigned {
    CountReceived = 0,
    CountRefused = 1,
    CountThreshold = 2,
    CountFull = 3,
    CountSent = 4,
    CountExpelled = 5
  } counter_e;
endpackage
