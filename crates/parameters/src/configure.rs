//! Configurations that show their parameters, and the walks over them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{Parameter, ParameterError, Setting, Value};

/// A configuration that shows its parameters.
pub trait Configure {
    /// Shows every parameter that has an effect, with its field, in the order of a listing. A
    /// parameter on which others depend comes before them: when it has been shown, the walk may
    /// have changed its field.
    fn walk(&mut self, walk: &mut dyn Walk);
}

/// Whoever goes through the parameters of a configuration: to list, to set, to document.
pub trait Walk {
    /// A parameter and the field that it fills.
    fn field(&mut self, parameter: &Parameter, field: &mut dyn Setting);

    /// Whether it wants to be shown all that the configuration could have, whatever has an effect
    /// as it stands: a list of what there is.
    fn wants_all(&self) -> bool {
        false
    }
}

/// A part of a configuration, whose parameters are here what the function makes of them: called
/// otherwise, with another source, or left out (`None`), where the whole has said what their fields
/// hold.
pub struct Renamed<'a, F> {
    walk: &'a mut dyn Walk,
    rename: F,
}

impl<'a, F: Fn(&Parameter) -> R, R: Into<Option<Parameter>>> Renamed<'a, F> {
    /// What is shown to this walk, is shown to `walk` as `rename` makes it.
    pub fn new(walk: &'a mut dyn Walk, rename: F) -> Self {
        Renamed { walk, rename }
    }
}

impl<F: Fn(&Parameter) -> R, R: Into<Option<Parameter>>> Walk for Renamed<'_, F> {
    fn field(&mut self, parameter: &Parameter, field: &mut dyn Setting) {
        if let Some(renamed) = (self.rename)(parameter).into() {
            self.walk.field(&renamed, field);
        }
    }

    fn wants_all(&self) -> bool {
        self.walk.wants_all()
    }
}

impl dyn Walk + '_ {
    /// Shows a part of a configuration, with `group` (as `"hbm."`) before the names of its
    /// parameters.
    pub fn part(&mut self, group: &str, part: &mut (impl Configure + ?Sized)) {
        part.walk(&mut Renamed::new(self, |parameter: &Parameter| {
            parameter.called(format!("{group}{}", parameter.name))
        }));
    }
}

/// A parameter with the value that stands in its field: of a default configuration, its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// How it is declared: name, kind, source and sentence.
    pub parameter: Parameter,
    /// The value in the field.
    pub value: Value,
}

/// The parameters that a configuration shows as it stands.
pub fn listed(config: &mut (impl Configure + ?Sized)) -> Vec<Listed> {
    list(config, false)
}

/// All that a configuration could show, if it held something else.
pub fn listed_all(config: &mut (impl Configure + ?Sized)) -> Vec<Listed> {
    list(config, true)
}

fn list(config: &mut (impl Configure + ?Sized), all: bool) -> Vec<Listed> {
    let mut lister = Lister { all, list: Vec::new() };
    config.walk(&mut lister);
    lister.list
}

struct Lister {
    all: bool,
    list: Vec<Listed>,
}

impl Walk for Lister {
    fn field(&mut self, parameter: &Parameter, field: &mut dyn Setting) {
        self.list.push(Listed { parameter: parameter.clone(), value: field.value() });
    }

    fn wants_all(&self) -> bool {
        self.all
    }
}

/// Checks every value that stands in a configuration against its kind: a configuration that was
/// written as a literal, not through a walk, may hold anything that its fields' types can.
/// O(parameters).
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
    fn field(&mut self, parameter: &Parameter, field: &mut dyn Setting) {
        if let Err(problem) = parameter.kind.within(field.value()) {
            self.0.get_or_insert(parameter.refuse(problem));
        }
    }
}

/// Sets parameters by names and texts, as a command line does; of a name given twice the last
/// counts. After an error some may be set. O(parameters · given).
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

/// A walk that fills fields from any source: what the caller's function gives for a parameter, if
/// it gives any.
pub struct Given<F> {
    value: F,
    shown: Vec<String>,
    first: Option<ParameterError>,
}

impl<F: FnMut(&Parameter) -> Result<Option<Value>, String>> Given<F> {
    /// Values from `value`: none where a parameter is not given, an error in one sentence where
    /// what is given cannot be read.
    pub fn new(value: F) -> Self {
        Given { value, shown: Vec::new(), first: None }
    }

    /// Every name that was shown.
    #[must_use]
    pub fn shown(&self) -> &[String] {
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
        let shown = || self.shown.iter().map(String::as_str);
        match names.into_iter().find(|name| shown().all(|shown| shown != *name)) {
            Some(name) => Err(ParameterError::unknown(name, shown())),
            None => Ok(()),
        }
    }
}

impl<F: FnMut(&Parameter) -> Result<Option<Value>, String>> Walk for Given<F> {
    fn field(&mut self, parameter: &Parameter, field: &mut dyn Setting) {
        self.shown.push(parameter.name.to_string());
        let put = (self.value)(parameter).and_then(|value| match value {
            Some(value) => field.put(&parameter.kind.within(value)?),
            None => Ok(()),
        });
        if let Err(problem) = put {
            self.first.get_or_insert(parameter.refuse(problem));
        }
    }
}

#[cfg(all(test, feature = "derive"))]
mod tests {
    use super::*;
    use crate::{Configure, Kind, Size, Source};
    use alloc::vec;

    const SOURCE: Source = Source::paper("a §1");

    #[derive(Default, Configure)]
    struct Example {
        /// Deep.
        #[parameter(assumed = "plain")]
        deep: bool,
        /// How
        /// deep.
        ///
        /// In fathoms.
        #[parameter(source = SOURCE, range = 1.., only = self.deep)]
        depth: u8,
    }

    #[test]
    fn what_stands_at_a_field_is_its_declaration() {
        assert_eq!((&*Example::DEPTH.name, Example::DEPTH.about), ("depth", "How deep."));
        assert_eq!((Example::DEPTH.kind, Example::DEPTH.source), (Kind::at_least(1), SOURCE));
        assert_eq!(
            (Example::DEEP.kind, Example::DEEP.source),
            (Kind::Bool, Source::assumed("plain"))
        );
    }

    /// Everything else that a field can say.
    #[derive(Configure)]
    #[parameter(group = "all.")]
    struct All {
        /// Real.
        #[parameter(assumed = "a", sensitivity = "b", range = 0.0..=1.0, default = 0.5)]
        real: f64,
        /// Listed.
        #[parameter(paper = "a §1", range = 1..=u8::MAX, default = vec![1, 2])]
        list: Vec<u32>,
        /// Bytes, kept as a plain number.
        #[parameter(source = SOURCE, kind = Kind::Bytes, with = Size, default = 1500)]
        size: u32,
        /// There or not.
        #[parameter(source = SOURCE, range = 0.., optional, default = None)]
        absent: Option<i64>,
        /// Called otherwise.
        #[parameter(source = SOURCE, name = "other.name", default = true)]
        called: bool,
        #[parameter(declared = Example::DEEP, default = false)]
        deep: bool,
        #[parameter(part = "in.")]
        inner: Example,
        #[parameter(part = without_deep, when = self.deep)]
        renamed: Example,
        #[parameter(part)]
        none: Option<Example>,
        #[parameter(part, by = |given, walk| Given::walk_given(given, self.deep, walk))]
        given: Given,
        #[parameter(skip)]
        own: usize,
    }

    /// Shows what it does where the whole is deep.
    #[derive(Default, Configure)]
    #[parameter(group = "given.", given(is_deep: bool))]
    struct Given {
        /// Of the deep.
        #[parameter(source = SOURCE, range = 0.., only = is_deep)]
        pressure: u16,
    }

    fn without_deep(one: &Parameter) -> Option<Parameter> {
        (one.name != "deep").then(|| one.called("fathoms"))
    }

    #[test]
    fn fields_say_all_that_a_walk_by_hand_would() {
        let mut all = All::default();
        all.renamed.deep = true;
        let shown = |list: Vec<Listed>| {
            let line = |one: Listed| format!("{} = {}", one.parameter.name, one.value);
            list.into_iter().map(line).collect::<Vec<_>>()
        };
        let names = [
            "all.real = 0.5",
            "all.list = 1:2",
            "all.size = 1.5 KB",
            "other.name = true",
            "deep = false",
            "in.deep = false",
        ];
        assert_eq!(shown(listed(&mut all)), names);
        assert_eq!(shown(listed_all(&mut all))[6..], ["fathoms = 0"]);
        (all.absent, all.own) = (Some(3), 7);
        assert_eq!(shown(listed(&mut all))[3], "all.absent = 3");
        all.deep = true;
        assert_eq!(shown(listed(&mut all)).last().map(|last| &**last), Some("given.pressure = 0"));
        assert_eq!(All::REAL.source, Source::shown("a", "b"));
        assert_eq!(All::LIST.kind, Kind::List(&Kind::Int { min: 1, max: 255 }));
        let error = set(&mut all, &[("all.list", "256")]).unwrap_err();
        assert_eq!(error.name(), "all.list");
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

    /// Two of them, in groups; the second's depth has another name.
    struct Pair(Example, Example);

    impl Configure for Pair {
        fn walk(&mut self, walk: &mut dyn Walk) {
            walk.part("first.", &mut self.0);
            self.1.walk(&mut Renamed::new(walk, |one: &Parameter| match one.word() {
                "depth" => one.called("second.metres"),
                other => one.called(format!("second.{other}")),
            }));
        }
    }

    #[test]
    fn parts_have_groups_and_may_be_called_otherwise() {
        let mut pair = Pair(Example::default(), Example::default());
        let names = |list: Vec<Listed>| -> Vec<String> {
            list.into_iter().map(|one| one.parameter.name.into_owned()).collect()
        };
        assert_eq!(names(listed(&mut pair)), ["first.deep", "second.deep"]);
        set(&mut pair, &[("second.deep", "true"), ("second.metres", "7")]).unwrap();
        assert_eq!((pair.0.deep, pair.1.depth), (false, 7));
        let error = set(&mut pair, &[("first.depth", "3")]).unwrap_err();
        assert_eq!(error.name(), "first.depth");
    }

    #[test]
    fn a_list_of_everything_shows_what_has_no_effect_now() {
        #[derive(Default, Configure)]
        struct Both {
            #[parameter(declared = Example::DEEP)]
            deep: bool,
            #[parameter(declared = Example::DEPTH, when = self.deep)]
            depth: u8,
        }
        let mut both = Both::default();
        assert_eq!((listed(&mut both).len(), listed_all(&mut both).len()), (1, 2));
    }

    #[test]
    fn errors_of_names_list_what_there_is() {
        let error = set(&mut Example::default(), &[("dep", "1")]).unwrap_err().to_string();
        assert!(error.starts_with("there is no parameter `dep`; "), "{error}");
        let none = ParameterError::unknown("x", []).to_string();
        assert_eq!(none, "x: no parameter has an effect here");
    }
}
