//! A node's attributes, by name and kind.

use super::error::ChakraProblem;
use super::schema::{Attribute, Node, Value};

/// The attribute of this name; the last, if there are several.
fn named<'a>(node: &'a Node, name: &str) -> Option<&'a Attribute> {
    node.attr.iter().rfind(|attribute| attribute.name == name)
}

/// A whole number that is not negative, if the node has it.
pub(super) fn number(node: &Node, name: &'static str) -> Result<Option<u64>, ChakraProblem> {
    let Some(attribute) = named(node, name) else { return Ok(None) };
    let number = match attribute.value.as_ref() {
        Some(Value::Int32(n) | Value::Sint32(n) | Value::Sfixed32(n)) => u64::try_from(*n).ok(),
        Some(Value::Int64(n) | Value::Sint64(n) | Value::Sfixed64(n)) => u64::try_from(*n).ok(),
        Some(Value::Uint32(n) | Value::Fixed32(n)) => Some(u64::from(*n)),
        Some(Value::Uint64(n) | Value::Fixed64(n)) => Some(*n),
        Some(Value::Bool(_) | Value::BoolList(_) | Value::String(_)) | None => None,
    };
    let expected = "a whole number that is not negative";
    number.map(Some).ok_or(ChakraProblem::Attribute { name, expected })
}

/// The same, of an attribute that the node must have.
pub(super) fn needed(node: &Node, name: &'static str) -> Result<u64, ChakraProblem> {
    number(node, name)?.ok_or(ChakraProblem::NoAttribute(name))
}

/// The number of a rank, if the node has it.
pub(super) fn rank(node: &Node, name: &'static str) -> Result<Option<u32>, ChakraProblem> {
    let expected = "the number of a rank";
    let rank = number(node, name)?.map(u32::try_from).transpose();
    rank.map_err(|_| ChakraProblem::Attribute { name, expected })
}

/// Whether it is true; false if it is not there.
pub(super) fn is_true(node: &Node, name: &'static str) -> Result<bool, ChakraProblem> {
    match named(node, name).map(|attribute| attribute.value.as_ref()) {
        Some(Some(Value::Bool(is_true))) => Ok(*is_true),
        Some(_) => Ok(number(node, name)? == Some(1)),
        None => Ok(false),
    }
}

/// A list of truths, if the node has it.
pub(super) fn truths<'a>(
    node: &'a Node,
    name: &'static str,
) -> Result<Option<&'a [bool]>, ChakraProblem> {
    match named(node, name).map(|attribute| attribute.value.as_ref()) {
        Some(Some(Value::BoolList(list))) => Ok(Some(&list.values)),
        Some(_) => Err(ChakraProblem::Attribute { name, expected: "a list of truths" }),
        None => Ok(None),
    }
}

/// A name: a text or a number; none if the node does not have it, or it is empty.
pub(super) fn name_of(node: &Node, name: &'static str) -> Result<Option<String>, ChakraProblem> {
    match named(node, name).map(|attribute| attribute.value.as_ref()) {
        Some(Some(Value::String(text))) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        Some(_) => Ok(number(node, name)?.map(|number| number.to_string())),
        None => Ok(None),
    }
}
