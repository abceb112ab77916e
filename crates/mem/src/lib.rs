//! Memory timing: HBM2E pseudo channels and SRAM ports
