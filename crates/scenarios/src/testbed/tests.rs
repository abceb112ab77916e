//! The testbed, simulated and real.
