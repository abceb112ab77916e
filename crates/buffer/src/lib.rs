//! Buffer managers: where a waiting packet is kept, and when it is dropped
