//! Traces from files, one request at a time: bounded memory however large the file.
//!
//! | reader | format | tells the future |
//! |---|---|---|
//! | [`CsvTrace`] | text with columns, named or numbered (libCacheSim's CSV too) | no |
//! | [`OracleGeneral`] | libCacheSim's binary oracleGeneral, 24 bytes a request | the order |
//! | [`StepTrace`] | an object id a line, a time step a line | no |
//! | [`flow_lookups`] | a pcap or pcapng capture, its five-tuples as objects | no |
//!
//! Each is an iterator of `Result<Request, ReadError>` that ends after its first error. Times count from
//! the first request. Any bytes give requests or one error that names the place.

mod capture;
mod clock;
mod columns;
mod error;
mod lines;
mod oracle_general;
mod step_trace;

pub use capture::flow_lookups;
pub use clock::Clock;
pub use columns::{Column, CsvConfig, CsvTrace};
pub use error::{Position, Problem, ReadError};
pub use oracle_general::OracleGeneral;
pub use step_trace::StepTrace;
