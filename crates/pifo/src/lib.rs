//! Ranked queues: which waiting element is next, and which is last
