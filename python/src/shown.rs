//! What Python is shown: dictionaries whose types the stubs tell, and objects in one line.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_subscript;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::PyDict;

/// Values by name, in order.
pub(crate) struct Named<K, V>(pub(crate) Vec<(K, V)>);

impl<'py, K: IntoPyObject<'py>, V: IntoPyObject<'py>> IntoPyObject<'py> for Named<K, V> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(PyDict::TYPE_HINT, K::OUTPUT_TYPE, V::OUTPUT_TYPE);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let shown = PyDict::new(py);
        for (name, value) in self.0 {
            shown.set_item(name, value)?;
        }
        Ok(shown)
    }
}

/// Counts by name.
pub(crate) type Counts = Named<&'static str, u64>;

/// The most characters of an object in one line.
const LINE: usize = 160;

/// A text as one line that is not too long.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…>", &words[..end]),
        None => words,
    }
}
