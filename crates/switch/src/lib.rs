//! The traffic manager: buffer, scheduler and memory, sans-IO
