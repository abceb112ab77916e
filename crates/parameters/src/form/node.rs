//! A parsed file as serde reads it, in which each refusal learns its place.

use alloc::string::ToString;
use core::slice::Iter;

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use toml::map;

use super::refusal::{Found, Refusal, Wanted};

/// The file itself.
pub(super) struct Root<'t>(pub(super) &'t DeTable<'t>);

/// A value, and the key that has it; "" in a list.
#[derive(Clone, Copy)]
struct Node<'t> {
    key: &'t str,
    value: &'t Spanned<DeValue<'t>>,
}

impl<'de> Deserializer<'de> for Root<'_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_map(Keys { rest: self.0.iter(), value: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Asks for a whole number that a type can hold.
macro_rules! whole {
    ($($method:ident $of:ty, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            let wanted = Wanted::Whole(<$of>::MIN as i64, <$of>::MAX as u64);
            let DeValue::Integer(number) = self.value.get_ref() else {
                return Err(Refusal::wanted(wanted));
            };
            match <$of>::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(Refusal::wanted(wanted)),
            }
        }
    )*};
}

impl Node<'_> {
    /// A refusal is of this value unless it is of one inside.
    fn placed(self, refusal: Refusal) -> Refusal {
        refusal.at(self.value.span(), self.key, Found::of(self.value.get_ref()))
    }

    fn number(self) -> Option<f64> {
        match self.value.get_ref() {
            DeValue::Integer(number) => {
                let whole = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
                Some(whole as f64)
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => None,
        }
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value.get_ref() {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => visitor.visit_i64(number),
                    Err(_) => Err(Refusal::wanted(Wanted::Whole(i64::MIN, u64::MAX))),
                }
            }
            DeValue::Float(_) => visitor.visit_f64(self.number().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => visitor.visit_bool(*flag),
            // No form of ours has dates.
            DeValue::Datetime(date) => visitor.visit_string(date.to_string()),
            DeValue::Array(items) => visitor.visit_seq(Items(self.key, items.iter())),
            DeValue::Table(table) => visitor.visit_map(Keys { rest: table.iter(), value: None }),
        }
    }

    whole! {
        deserialize_i8 i8, visit_i8;
        deserialize_i16 i16, visit_i16;
        deserialize_i32 i32, visit_i32;
        deserialize_i64 i64, visit_i64;
        deserialize_u8 u8, visit_u8;
        deserialize_u16 u16, visit_u16;
        deserialize_u32 u32, visit_u32;
        deserialize_u64 u64, visit_u64;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        let number = self.number().ok_or_else(|| Refusal::wanted(Wanted::Number))?;
        visitor.visit_f64(number)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value.get_ref() {
            DeValue::Boolean(_) => self.deserialize_any(visitor),
            _ => Err(Refusal::wanted(Wanted::Flag)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value.get_ref() {
            DeValue::String(_) => self.deserialize_any(visitor),
            _ => Err(Refusal::wanted(Wanted::Text)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value.get_ref() {
            DeValue::Array(_) => self.deserialize_any(visitor),
            _ => Err(Refusal::wanted(Wanted::List)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value.get_ref() {
            DeValue::Table(_) => self.deserialize_any(visitor),
            _ => Err(Refusal::wanted(Wanted::Table)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.value.get_ref() {
            DeValue::String(word) => {
                let word: serde::de::value::StrDeserializer<'_, Refusal> =
                    word.as_ref().into_deserializer();
                visitor.visit_enum(word)
            }
            _ => Err(Refusal::wanted(Wanted::Word(words))),
        }
    }

    forward_to_deserialize_any! {
        char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// The keys of a table with their values.
struct Keys<'t> {
    rest: map::Iter<'t, Spanned<DeString<'t>>, Spanned<DeValue<'t>>>,
    /// That of the key that was read last.
    value: Option<Node<'t>>,
}

impl<'de> MapAccess<'de> for Keys<'_> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refusal> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        let name = key.get_ref().as_ref();
        self.value = Some(Node { key: name, value });
        let read = seed.deserialize(name.into_deserializer());
        read.map(Some).map_err(|error: Refusal| error.at(key.span(), name, Found::Key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refusal> {
        match self.value.take() {
            Some(node) => seed.deserialize(node).map_err(|refusal| node.placed(refusal)),
            None => Err(serde::de::Error::custom("a value is asked for before its key")),
        }
    }
}

/// The items of a list, and the key that has it.
struct Items<'t>(&'t str, Iter<'t, Spanned<DeValue<'t>>>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refusal> {
        let Some(value) = self.1.next() else { return Ok(None) };
        // [[key]] is known by its key; other items are shown.
        let key = if value.get_ref().is_table() { self.0 } else { "" };
        let node = Node { key, value };
        seed.deserialize(node).map(Some).map_err(|refusal| node.placed(refusal))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.1.len())
    }
}
