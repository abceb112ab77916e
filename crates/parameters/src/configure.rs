//! Configurations that show their parameters, and the walks over them.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{Parameter, ParameterError, Setting, Value};

/// A configuration that shows its parameters.
pub trait Configure {
    /// Shows every parameter that has an effect, with its field, in the order of a listing. A parameter on which
    /// others depend comes before them: when it has been shown, the walk may have changed its field.
    fn walk(&mut self, walk: &mut dyn Walk);
}

/// Whoever goes through the parameters of a configuration: to list, to set, to document.
pub trait Walk {
    /// A parameter and the field that it fills.
    fn field(&mut self, parameter: &'static Parameter, field: &mut dyn Setting);
}

/// A parameter with the value that stands in its field: of a default configuration, its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The declaration.
    pub parameter: &'static Parameter,
    /// The value in the field.
    pub value: Value,
}

/// The parameters that a configuration shows as it stands.
pub fn listed(config: &mut (impl Configure + ?Sized)) -> Vec<Listed> {
    struct Lister(Vec<Listed>);
    impl Walk for Lister {
        fn field(&mut self, parameter: &'static Parameter, field: &mut dyn Setting) {
            self.0.push(Listed { parameter, value: field.value() });
        }
    }
    let mut lister = Lister(Vec::new());
    config.walk(&mut lister);
    lister.0
}

/// Checks every value that stands in a configuration against its kind: a configuration that was written as a
/// literal, not through a walk, may hold anything that its fields' types can. O(parameters).
///
/// # Errors
/// The first that is not of its kind or not within its range.
pub fn check(config: &mut (impl Configure + ?Sized)) -> Result<(), ParameterError> {
    let mut first = None;
    config.walk(&mut Standing(&mut first));
    first.map_or(Ok(()), Err)
}

/// A walk that looks at what stands in the fields.
struct Standing<'a>(&'a mut Option<ParameterError>);

impl Walk for Standing<'_> {
    fn field(&mut self, parameter: &'static Parameter, field: &mut dyn Setting) {
        if let Err(problem) = parameter.kind.within(field.value()) {
            self.0.get_or_insert(parameter.refuse(problem));
        }
    }
}

/// Sets parameters by names and texts, as a command line does; of a name given twice the last counts. After an
/// error some may be set. O(parameters · given).
///
/// # Errors
/// The first that is not shown, or cannot have its value.
pub fn set(
    config: &mut (impl Configure + ?Sized),
    given: &[(impl AsRef<str>, impl AsRef<str>)],
) -> Result<(), ParameterError> {
    let mut walk = Given::new(|parameter: &Parameter| {
        let last = given.iter().rfind(|(name, _)| name.as_ref() == parameter.name);
        last.map(|(_, text)| parameter.kind.read_text(text.as_ref())).transpose()
    });
    config.walk(&mut walk);
    walk.finish(given.iter().map(|(name, _)| name.as_ref()))
}

/// A walk that fills fields from any source: what the caller's function gives for a parameter, if it gives any.
pub struct Given<F> {
    value: F,
    shown: Vec<&'static str>,
    first: Option<ParameterError>,
}

impl<F: FnMut(&'static Parameter) -> Result<Option<Value>, String>> Given<F> {
    /// Values from `value`: none where a parameter is not given, an error in one sentence where what is given
    /// cannot be read.
    pub fn new(value: F) -> Self {
        Given { value, shown: Vec::new(), first: None }
    }

    /// Every name that was shown.
    #[must_use]
    pub fn shown(&self) -> &[&'static str] {
        &self.shown
    }

    /// Ends the walk; `names` are all that were given.
    ///
    /// # Errors
    /// The first parameter that could not have its value, or the first name that nobody showed.
    pub fn finish<'a>(
        self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ParameterError> {
        if let Some(error) = self.first {
            return Err(error);
        }
        match names.into_iter().find(|name| !self.shown.contains(name)) {
            Some(name) => Err(ParameterError::unknown(name.to_owned(), self.shown.iter().copied())),
            None => Ok(()),
        }
    }
}

impl<F: FnMut(&'static Parameter) -> Result<Option<Value>, String>> Walk for Given<F> {
    fn field(&mut self, parameter: &'static Parameter, field: &mut dyn Setting) {
        self.shown.push(parameter.name);
        let put = (self.value)(parameter).and_then(|value| match value {
            Some(value) => field.put(&parameter.kind.within(value)?),
            None => Ok(()),
        });
        if let Err(problem) = put {
            self.first.get_or_insert(ParameterError::value(parameter.name, problem));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Source};

    #[derive(Default)]
    struct Example {
        deep: bool,
        depth: u8,
    }

    const DEEP: Parameter = Parameter::new("deep", Kind::Bool, Source::assumed("plain"), "Deep.");
    const DEPTH: Parameter =
        Parameter::new("depth", Kind::at_least(1), Source::paper("a §1"), "How deep.");

    impl Configure for Example {
        fn walk(&mut self, walk: &mut dyn Walk) {
            walk.field(&DEEP, &mut self.deep);
            if self.deep {
                walk.field(&DEPTH, &mut self.depth);
            }
        }
    }

    #[test]
    fn what_has_no_effect_is_refused_by_name() {
        let mut example = Example::default();
        assert_eq!(listed(&mut example).len(), 1);
        let error = set(&mut example, &[("depth", "3")]).unwrap_err();
        assert_eq!(error, ParameterError::unknown("depth", ["deep"]));
        // What it depends on may be given later.
        set(&mut example, &[("depth", "3"), ("deep", "true")]).unwrap();
        assert_eq!(example.depth, 3);
        assert_eq!(listed(&mut example)[1].value, Value::Int(3));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_reason() {
        let mut example = Example { deep: true, depth: 1 };
        for (text, part) in [("0", "at least 1"), ("256", "255"), ("x", "whole number")] {
            let error = set(&mut example, &[("depth", text)]).unwrap_err();
            assert_eq!(error.name(), "depth");
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(example.depth, 1);
        set(&mut example, &[("depth", "9"), ("depth", "4")]).unwrap();
        assert_eq!(example.depth, 4);
    }

    #[test]
    fn errors_of_names_list_what_there_is() {
        let error = set(&mut Example::default(), &[("dep", "1")]).unwrap_err().to_string();
        assert!(error.starts_with("there is no parameter `dep`; "), "{error}");
        let none = ParameterError::unknown("x", []).to_string();
        assert_eq!(none, "x: no parameter has an effect here");
    }
}
