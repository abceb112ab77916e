//! Parameters declared at the fields that they fill: `#[derive(Configure)]`,
//! `#[derive(Parameters)]` and `#[derive(Word)]`. They come with `forebay_parameters`, feature
//! `derive`. The code they generate names that crate, which must be a dependency or come with
//! `forebay::prelude`.
//!
//! A field's first paragraph of documentation is the parameter's sentence, its attribute says the
//! rest:
//!
//! ```
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
//!     ///
//!     /// What follows the first paragraph is for readers of the code alone.
//!     #[parameter(source = DCTCP, default = Bytes::new(65_000), when = self.marks)]
//!     mark_above: Bytes,
//!     /// The part of a link's rate that it sends at.
//!     #[parameter(paper = "none §1", range = 0.0..=1.0, default = 1.0)]
//!     share: f64,
//!     /// Not to be set.
//!     #[parameter(skip)]
//!     waiting: u64,
//! }
//!
//! let mut queue = Queue::default();
//! assert_eq!(listed(&mut queue)[1].parameter.about, "Whether packets are marked.");
//! set(&mut queue, &[("marks", "true"), ("mark_above", "30 KB")])?;
//! assert_eq!(queue.mark_above, Bytes::new(30_000));
//! // The declaration is a constant of the type.
//! let error = Queue::LIMIT.refuse("give at least 1 byte");
//! assert_eq!(error.to_string(), "limit: give at least 1 byte");
//! # Ok::<(), forebay_parameters::ParameterError>(())
//! ```
//!
//! # The attribute of a field
//!
//! | key | what it says |
//! |---|---|
//! | `paper = "…"` | the default is a published value: the paper and section |
//! | `assumed = "…"`, and `sensitivity = "…"` | no paper states it: why it is this, and the experiment that shows how much it matters |
//! | `source = SOURCE` | the same as a value that several share |
//! | `range = MIN..=MAX`, `range = MIN..` | of a number or a list of numbers; real ones where the field's type has `f64` in it |
//! | `kind = KIND` | any other kind, where the type does not say it (as a `bool`, a size or a [`Word`] does) |
//! | `name = "…"` | its name, if that is not the field's |
//! | `default = VALUE` | the field's value in `Default`, which is written if any field has one; parameters then all need it, other fields may leave it to their type |
//! | `when = CONDITION` | it has an effect only then, by fields shown before it: others see it in lists of everything |
//! | `only = CONDITION` | it exists only then, in no list otherwise |
//! | `optional` | the field is an `Option`, and the parameter exists only where it is `Some` |
//! | `with = WRAPPER` | the field is read and written through what this makes of `&mut` it, as `Size` |
//! | `declared = PARAMETER` | it is a parameter that is declared elsewhere |
//! | `part`, `part = "group."`, `part = RENAME` | its own parameters are shown: as they are, behind a group, or as a function from a `&Parameter` makes them |
//! | `by = WALK` | with `part`: what shows it, a function of `&mut` it and the walk |
//! | `apart` | it is declared here and shown by someone else, who knows when |
//! | `skip` | no parameter |
//!
//! Conditions, wrappers and defaults are any expression; all but defaults may read `self`. At the
//! whole type, `#[parameter(group = "trace.")]` stands before the names of its own parameters; with
//! `#[parameter(given(order: Order))]` conditions may read what the whole around it knows, and
//! instead of `Configure` it has a `walk_given(&mut self, order, walk)`.
//!
//! # Enums
//!
//! Of an enum, the fields of the variant that stands are shown; they have no `default`:
//!
//! ```
//! use forebay_parameters::{Configure, listed};
//!
//! #[derive(Configure)]
//! enum Order {
//!     Exact,
//!     Buckets {
//!         /// Bits of a rank that are kept.
//!         #[parameter(assumed = "any", range = 1..=14)]
//!         bits: u32,
//!     },
//! }
//!
//! assert_eq!(listed(&mut Order::Exact).len(), 0);
//! assert_eq!(listed(&mut Order::Buckets { bits: 9 })[0].parameter.name, "bits");
//! assert!(Order::BITS.refuse("too many").to_string().starts_with("bits: "));
//! ```
//!
//! # What is refused
//!
//! A field that says nothing of itself:
//!
//! ```compile_fail
//! # use forebay_parameters::Configure;
//! #[derive(Configure)]
//! struct Queue { limit: u32 }
//! ```
//!
//! A parameter without a sentence:
//!
//! ```compile_fail
//! # use forebay_parameters::Configure;
//! #[derive(Configure)]
//! struct Queue {
//!     #[parameter(assumed = "any", range = 0..)]
//!     limit: u32,
//! }
//! ```
//!
//! One whose type does not say what it may be:
//!
//! ```compile_fail
//! # use forebay_parameters::Configure;
//! #[derive(Configure)]
//! struct Queue {
//!     /// Packets that may wait.
//!     #[parameter(assumed = "any")]
//!     limit: u32,
//! }
//! ```
//!
//! One without a source, or with a key that there is not:
//!
//! ```compile_fail
//! # use forebay_parameters::Configure;
//! #[derive(Configure)]
//! struct Queue {
//!     /// Packets that may wait.
//!     #[parameter(range = 0..)]
//!     limit: u32,
//! }
//! ```
//!
//! ```compile_fail
//! # use forebay_parameters::Configure;
//! #[derive(Configure)]
//! struct Queue {
//!     /// Packets that may wait.
//!     #[parameter(assumed = "any", ranges = 0..)]
//!     limit: u32,
//! }
//! ```
//!
//! And this, which differs from them in nothing else, is right:
//!
//! ```
//! # use forebay_parameters::Configure;
//! #[derive(Configure)]
//! struct Queue {
//!     /// Packets that may wait.
//!     #[parameter(assumed = "any", range = 0..)]
//!     limit: u32,
//! }
//! # assert_eq!(Queue::LIMIT.name, "limit");
//! # forebay_parameters::listed(&mut Queue { limit: 1 });
//! ```
#![forbid(unsafe_code)]

mod field;
mod kind;
mod structure;
mod word;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// The parameters of a struct or an enum as constants of the type, the walk that shows them with
/// their fields in order, and `Default` where the fields have defaults; see the [crate's
/// head](crate).
#[proc_macro_derive(Configure, attributes(parameter))]
pub fn configure(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    structure::derive(&input, true).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The same without the walk, which is written by hand: what is shown depends on more than the
/// fields.
///
/// ```
/// use forebay_parameters::{Configure, Parameters, Walk, listed};
///
/// #[derive(Parameters)]
/// struct Pair {
///     /// The first.
///     #[parameter(assumed = "any", range = 0.., default = 1)]
///     first: u32,
///     /// The second.
///     #[parameter(assumed = "any", range = 0.., default = 2)]
///     second: u32,
/// }
///
/// impl Configure for Pair {
///     fn walk(&mut self, walk: &mut dyn Walk) {
///         if self.first > self.second {
///             core::mem::swap(&mut self.first, &mut self.second);
///         }
///         walk.field(&Pair::FIRST, &mut self.first);
///         walk.field(&Pair::SECOND, &mut self.second);
///     }
/// }
/// assert_eq!(listed(&mut Pair { first: 5, second: 3 })[0].value.to_string(), "3");
/// assert_eq!(Pair::default().second, 2);
/// ```
#[proc_macro_derive(Parameters, attributes(parameter))]
pub fn parameters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    structure::derive(&input, false).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The words of an enum without fields: its variants' names in lower case with hyphens, or what
/// `#[word = "…"]` says.
///
/// ```
/// use forebay_parameters::Word;
///
/// #[derive(Clone, Copy, PartialEq, Debug, Word)]
/// enum Page {
///     Open,
///     #[word = "closed"]
///     ClosedAfterLast,
///     HalfOpen,
/// }
/// let words = [("open", Page::Open), ("closed", Page::ClosedAfterLast), ("half-open", Page::HalfOpen)];
/// assert_eq!(Page::WORDS, words);
/// ```
///
/// A variant with fields cannot be a word:
///
/// ```compile_fail
/// # use forebay_parameters::Word;
/// #[derive(Clone, Copy, PartialEq, Word)]
/// enum Page { Open(u32) }
/// ```
#[proc_macro_derive(Word, attributes(word))]
pub fn word(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    word::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
