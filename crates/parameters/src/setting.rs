//! Fields of configurations: how a value fills each type, and which value stands in it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate};

use crate::{Kind, UnknownName, Value};

/// A field that a parameter fills. A walk has checked the value against the parameter's kind; what
/// is left for the field to refuse is what its own type cannot hold.
pub trait Setting {
    /// Takes the value.
    ///
    /// # Errors
    /// One sentence, if the type has no such value.
    fn put(&mut self, value: &Value) -> Result<(), String>;

    /// The value that stands in it.
    fn value(&self) -> Value;
}

/// A type whose values are a few words: the choices of a parameter.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use forebay_parameters::{Setting, Value, Word};
///
/// #[derive(Clone, Copy, PartialEq, Word)]
/// enum Page { Open, Closed }
/// let mut page = Page::Open;
/// page.put(&Value::Text("closed".into()))?;
/// assert!(page == Page::Closed && page.value().to_string() == "closed");
/// let error = Page::named("page policy", "opne").err().unwrap().to_string();
/// assert!(error.starts_with("there is no page policy `opne`"), "{error}");
/// # }
/// # Ok::<(), String>(())
/// ```
pub trait Word: Copy + PartialEq + 'static {
    /// Every word with what it stands for.
    const WORDS: &'static [(&'static str, Self)];

    /// What this word stands for; `what` says what all of them are, in a sentence.
    ///
    /// # Errors
    /// There is no such word.
    fn named(what: &'static str, word: &str) -> Result<Self, UnknownName> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        let known = || Self::WORDS.iter().map(|(known, _)| *known);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| UnknownName::new(what, word, known()))
    }
}

impl<W: Word> Setting for W {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let Value::Text(word) = value else { return Err(refused(value)) };
        let found = W::WORDS.iter().find(|(known, _)| known == word);
        *self = found.ok_or_else(|| refused(value))?.1;
        Ok(())
    }

    fn value(&self) -> Value {
        let word = W::WORDS.iter().find(|(_, meaning)| meaning == self);
        Value::Text(word.map_or("", |(word, _)| word).to_owned())
    }
}

/// A type that says by itself which values a parameter of this type may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which values a parameter of this type may have",
    note = "give `range = MIN..=MAX`, or `kind = KIND`"
)]
pub trait HasKind {
    /// What it may be.
    const KIND: Kind;
}

impl<W: Word> HasKind for W {
    const KIND: Kind = Kind::of::<W>();
}

macro_rules! of_kind {
    ($($type:ident),*) => {$(
        impl HasKind for $type {
            const KIND: Kind = Kind::$type;
        }
    )*};
}
of_kind!(Rate, Bytes, Duration);

impl HasKind for bool {
    const KIND: Kind = Kind::Bool;
}

impl<T: HasKind> HasKind for Option<T> {
    const KIND: Kind = T::KIND;
}

impl<T: HasKind> HasKind for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND);
}

fn refused(value: &Value) -> String {
    format!("{value} does not fit here")
}

/// Fields that hold what a variant of [`Value`] holds.
macro_rules! plain {
    ($($type:ty: $variant:ident),* $(,)?) => {$(
        impl Setting for $type {
            fn put(&mut self, value: &Value) -> Result<(), String> {
                let Value::$variant(given) = value else { return Err(refused(value)) };
                self.clone_from(given);
                Ok(())
            }

            fn value(&self) -> Value {
                Value::$variant(self.clone())
            }
        }
    )*};
}
plain!(Rate: Rate, Bytes: Bytes, Duration: Duration, f64: Float, i64: Int, bool: Bool, String: Text);

/// Whole numbers, and sizes that are kept as such.
macro_rules! whole {
    ($($type:ty),*) => {$(
        impl Setting for $type {
            fn put(&mut self, value: &Value) -> Result<(), String> {
                *self = match value {
                    Value::Int(number) => <$type>::try_from(*number).ok(),
                    Value::Bytes(size) => <$type>::try_from(size.get()).ok(),
                    Value::Rate(_)
                    | Value::Duration(_)
                    | Value::Float(_)
                    | Value::Bool(_)
                    | Value::Text(_)
                    | Value::List(_) => None,
                }
                .ok_or_else(|| format!("{value} is more than {} can be here", <$type>::MAX))?;
                Ok(())
            }

            fn value(&self) -> Value {
                Value::Int(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )*};
}
whole!(u8, u16, u32, u64, usize);

/// Bytes that are kept as a plain number, shown as the size that they are.
#[derive(Debug)]
pub struct Size<'a, T>(pub &'a mut T);

impl<T: TryFrom<u64> + Copy> Setting for Size<'_, T>
where
    u64: From<T>,
{
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let Value::Bytes(size) = value else { return Err(refused(value)) };
        *self.0 = T::try_from(size.get()).map_err(|_| refused(value))?;
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Bytes(Bytes::new(u64::from(*self.0)))
    }
}

/// Nothing, where zero means it: `"0 B"` for no limit.
macro_rules! or_none {
    ($($type:ty),*) => {$(
        impl Setting for Option<$type> {
            fn put(&mut self, value: &Value) -> Result<(), String> {
                let mut inner = <$type>::default();
                inner.put(value)?;
                *self = (inner != <$type>::default()).then_some(inner);
                Ok(())
            }

            fn value(&self) -> Value {
                self.clone().unwrap_or_default().value()
            }
        }
    )*};
}
or_none!(Bytes, Duration, Rate, String, u16, u32, u64);

impl<T: Setting + Default> Setting for Vec<T> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let Value::List(values) = value else { return Err(refused(value)) };
        let read = |value: &Value| {
            let mut item = T::default();
            item.put(value).map(|()| item)
        };
        *self = values.iter().map(read).collect::<Result<_, String>>()?;
        Ok(())
    }

    fn value(&self) -> Value {
        Value::List(self.iter().map(Setting::value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn fields_take_their_own_values_only() {
        let mut small = 3u8;
        assert!(small.put(&Value::Int(256)).is_err() && small.put(&Value::Int(-1)).is_err());
        assert!(small.put(&Value::Text("7".into())).is_err() && small == 3);
        small.put(&Value::Int(255)).unwrap();
        assert_eq!(small.value(), Value::Int(255));
        let mut limit = Some(Bytes::new(5));
        limit.put(&Value::Bytes(Bytes::ZERO)).unwrap();
        assert_eq!((limit, limit.value().to_string()), (None, "0 B".to_owned()));
        let mut weights = vec![1u32];
        weights.put(&Value::List(vec![Value::Int(4), Value::Int(9)])).unwrap();
        assert_eq!(weights, [4, 9]);
        assert!(weights.put(&Value::List(vec![Value::Int(-4)])).is_err());
    }
}
