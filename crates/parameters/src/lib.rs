//! What can be set and what can be chosen, declared once.
//!
//! A *parameter* (name, kind, source, sentence) is declared beside the field it fills: a configuration type
//! implements [`Configure`] by showing each [`Parameter`] together with its field to whoever [`Walk`]s it.
//! Experiment files, the command line, Python, documentation and error messages are all such walks, so none of
//! them repeats a name or a default: [`listed`] reads the declarations with the values that stand in the fields,
//! [`set`] fills them from a list of names and values, [`Given`] from any other source.
//!
//! What a configuration shows may depend on what it already holds: a scheme shows its own parameters only, and a
//! parameter that nobody shows is refused by name instead of being without effect.
//!
//! A [`Choice`] (of a policy, a scheduler, a rank function) is a name, the parameters that go with it, and how to
//! build it. It comes from a [`Registry`], whose one shape is open to callers, or from a stranger's hands; there is
//! one error for a name that no entry has.
//!
//! ```
//! use forebay_parameters::{Configure, Kind, Parameter, Source, Walk, listed, set};
//! use forebay_units::Bytes;
//!
//! struct Queue { limit: Bytes, marks: bool, mark_above: Bytes }
//!
//! const LIMIT: Parameter =
//!     Parameter::new("limit", Kind::Bytes, Source::assumed("a bandwidth-delay product"), "Bytes that may wait.");
//! const MARKS: Parameter =
//!     Parameter::new("marks", Kind::Bool, Source::paper("dctcp §3.1"), "Whether packets are marked.");
//! const ABOVE: Parameter =
//!     Parameter::new("mark_above", Kind::Bytes, Source::paper("dctcp §3.1"), "Marks begin beyond so many bytes.");
//!
//! impl Configure for Queue {
//!     fn walk(&mut self, walk: &mut dyn Walk) {
//!         walk.field(&LIMIT, &mut self.limit);
//!         walk.field(&MARKS, &mut self.marks);
//!         if self.marks {
//!             walk.field(&ABOVE, &mut self.mark_above);
//!         }
//!     }
//! }
//!
//! let mut queue = Queue { limit: Bytes::new(1_000_000), marks: false, mark_above: Bytes::new(65_000) };
//! assert_eq!(listed(&mut queue)[0].value.to_string(), "1 MB");
//! set(&mut queue, &[("limit", "250 KB")])?;
//! assert_eq!(queue.limit, Bytes::new(250_000));
//! // It does not mark, so a threshold would have no effect.
//! let error = set(&mut queue, &[("mark_above", "30 KB")]).unwrap_err();
//! assert_eq!(error.name(), "mark_above");
//! set(&mut queue, &[("marks", "true"), ("mark_above", "30 KB")])?;
//! assert_eq!(queue.mark_above, Bytes::new(30_000));
//! # Ok::<(), forebay_parameters::ParameterError>(())
//! ```
#![cfg_attr(not(feature = "suggestions"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod choice;
mod configure;
mod error;
mod kind;
mod parameter;
mod registry;
mod setting;
mod suggest;
mod value;

pub use choice::{Choice, Choices, Chosen, Family};
pub use configure::{Configure, Given, Listed, Renamed, Walk, check, listed, listed_all, set};
pub use error::{ParameterError, Problem};
pub use kind::Kind;
pub use parameter::{Parameter, Source};
pub use registry::{Entry, Registry, TakenName, UnknownName};
pub use setting::{Setting, Size, Word};
pub use suggest::suggest;
pub use value::Value;
