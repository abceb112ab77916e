//! Traces from files, one request at a time: bounded memory however large the file.
//!
//! | reader | format | tells the future |
//! |---|---|---|
//! | [`CsvTrace`] | text with columns, named or numbered (libCacheSim's CSV too) | no |
//! | [`OracleGeneral`] | libCacheSim's binary oracleGeneral, 24 bytes a request | the order |
//! | [`StepTrace`] | an object id a line, a time step a line; or `time;id` | no |
//! | [`flow_lookups`] | a pcap or pcapng capture, its five-tuples as objects | no |
//!
//! [`Source`] tells which, by the content, and decompresses gzip and zstd. Each is an iterator of
//! `Result<Request, ReadError>` that ends after its first error. Times count from the first
//! request. Any bytes give requests or one error that names the place.

mod capture;
mod clock;
mod columns;
mod compressed;
mod error;
mod header;
mod lines;
mod number;
mod oracle_general;
mod record;
mod source;
mod step_trace;

pub use capture::flow_lookups;
pub use clock::TraceClock;
pub use columns::{Column, CsvConfig, CsvTrace};
pub use compressed::Input;
pub use error::{Field, Mistake, Position, Problem, ReadError};
pub use oracle_general::OracleGeneral;
pub use source::{Format, Source};
pub use step_trace::StepTrace;
