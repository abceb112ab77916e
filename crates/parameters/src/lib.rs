//! What can be set and what can be chosen, declared once.
//!
//! A *parameter* (name, kind, source, sentence) is declared at the field it fills, by
//! `#[derive(Configure)]`: the field's documentation is the sentence, an attribute says the rest
//! (`forebay_parameters_derive` lists its keys; feature `derive`). A configuration that decides
//! what it shows implements [`Configure`] by hand, showing each [`Parameter`] together with its
//! field to whoever [`Walk`]s it. Experiment files, the command line, Python, documentation and
//! error messages are all such walks, so none of them repeats a name or a default: [`listed`] reads
//! the declarations with the values that stand in the fields, [`set`] fills them from a list of
//! names and values, [`Given`] from any other source.
//!
//! What a configuration shows may depend on what it already holds: a scheme shows its own
//! parameters only, and a parameter that is not shown is refused by name instead of being silently
//! ignored.
//!
//! A [`Choice`] (of a policy, a scheduler, a rank function) is a name, the parameters that go with
//! it, and how to build it. It comes from a [`Registry`] that callers can extend, or from the
//! caller directly; an unknown name always gives the same error.
//!
//! ```
//! # #[cfg(feature = "derive")] {
//! use forebay_parameters::{Configure, Source, listed, set};
//! use forebay_units::Bytes;
//!
//! const DCTCP: Source = Source::paper("dctcp §3.1");
//!
//! #[derive(Configure)]
//! struct Queue {
//!     /// Bytes that may wait.
//!     #[parameter(assumed = "a bandwidth-delay product", default = Bytes::new(1_000_000))]
//!     limit: Bytes,
//!     /// Whether packets are marked.
//!     #[parameter(source = DCTCP, default = false)]
//!     marks: bool,
//!     /// Marks begin beyond so many bytes.
//!     #[parameter(source = DCTCP, default = Bytes::new(65_000), when = self.marks)]
//!     mark_above: Bytes,
//! }
//!
//! let mut queue = Queue::default();
//! assert_eq!(listed(&mut queue)[0].value.to_string(), "1 MB");
//! set(&mut queue, &[("limit", "250 KB")])?;
//! assert_eq!(queue.limit, Bytes::new(250_000));
//! // It does not mark, so a threshold would have no effect.
//! let error = set(&mut queue, &[("mark_above", "30 KB")]).unwrap_err();
//! assert_eq!(error.name(), "mark_above");
//! set(&mut queue, &[("marks", "true"), ("mark_above", "30 KB")])?;
//! assert_eq!(queue.mark_above, Bytes::new(30_000));
//! # }
//! # Ok::<(), forebay_parameters::ParameterError>(())
//! ```
#![cfg_attr(not(feature = "suggestions"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;
// What the derives write names this crate, here too.
#[cfg(all(test, feature = "derive"))]
extern crate self as forebay_parameters;

mod choice;
mod configure;
mod error;
#[cfg(feature = "toml")]
mod form;
mod gate;
mod kind;
mod parameter;
mod place;
mod registry;
mod setting;
mod suggest;
mod value;

#[cfg(feature = "derive")]
pub use forebay_parameters_derive::{Configure, Parameters, Word};

pub use choice::{Choice, Choices, Chosen, Family};
pub use configure::{Configure, Given, Listed, Renamed, Walk, check, listed, listed_all, set};
pub use error::{ParameterError, Problem};
#[cfg(feature = "toml")]
pub use form::{FormError, read_quantity, read_toml};
pub use gate::{Dependency, gate};
pub use kind::{Kind, grouped};
pub use parameter::{Parameter, Source};
pub use place::{Position, SourceText, in_lines, in_one_line};
pub use registry::{Entry, Registry, TakenName, UnknownName};
pub use setting::{HasKind, Setting, Size, Word};
pub use suggest::suggest;
pub use value::Value;
