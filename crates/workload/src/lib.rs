//! Packet sources: flow-size distributions, arrival processes, captures
