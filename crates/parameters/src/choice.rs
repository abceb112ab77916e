//! What has been chosen: a name, the parameters that go with it, and how to build it.
//!
//! A [`Choice`] is at once an entry of a registry, a configuration that can be set, and a value
//! that a stranger makes without any registry. Configurations hold choices, not names, so that
//! everything that takes a built-in scheme takes a stranger's.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use crate::{
    Configure, Entry, Parameter, ParameterError, Registry, Renamed, Setting, Value, Walk, listed,
};

/// A family of things to choose among: what is needed to build one, and the result. Mostly
/// said of a trait object, `impl Family for dyn RankFunction`: a choice among rank functions is
/// then a `Choice<dyn RankFunction>`.
pub trait Family: 'static {
    /// What such a thing is called in a sentence: `"buffer policy"`.
    const WHAT: &'static str;
    /// What it is built for: the shape of a buffer, the rate of a link.
    type Shape: ?Sized;
    /// What is built: mostly a boxed trait object.
    type Built;
}

/// A configuration, and how to build something of it.
trait Recipe<F: Family + ?Sized>: Send + Sync {
    fn config(&mut self) -> &mut dyn Configure;
    fn build(&self, shape: &F::Shape) -> Result<F::Built, ParameterError>;
    fn copy(&self) -> Box<dyn Recipe<F>>;
}

#[derive(Clone)]
struct Made<C, B> {
    config: C,
    build: B,
}

impl<F, C, B> Recipe<F> for Made<C, B>
where
    F: Family + ?Sized,
    C: Configure + Clone + Send + Sync + 'static,
    B: Fn(&C, &F::Shape) -> Result<F::Built, ParameterError> + Clone + Send + Sync + 'static,
{
    fn config(&mut self) -> &mut dyn Configure {
        &mut self.config
    }

    fn build(&self, shape: &F::Shape) -> Result<F::Built, ParameterError> {
        (self.build)(&self.config, shape)
    }

    fn copy(&self) -> Box<dyn Recipe<F>> {
        Box::new(self.clone())
    }
}

/// What a parameter of `owner` is called where one of the others has its name.
fn own(others: &[Parameter], owner: &str, name: &str) -> Option<String> {
    others.iter().any(|other| other.name == name).then(|| format!("{owner}_{name}"))
}

/// A recipe whose parameters stand beside others.
struct Beside<F: Family + ?Sized> {
    recipe: Box<dyn Recipe<F>>,
    others: &'static [Parameter],
    /// What stands before a name that another has.
    owner: String,
}

impl<F: Family + ?Sized> Recipe<F> for Beside<F> {
    fn config(&mut self) -> &mut dyn Configure {
        self
    }

    fn build(&self, shape: &F::Shape) -> Result<F::Built, ParameterError> {
        self.recipe.build(shape).map_err(|error| {
            match own(self.others, &self.owner, error.name()) {
                Some(name) => error.renamed(name),
                None => error,
            }
        })
    }

    fn copy(&self) -> Box<dyn Recipe<F>> {
        let (recipe, owner) = (self.recipe.copy(), self.owner.clone());
        Box::new(Beside { recipe, owner, others: self.others })
    }
}

impl<F: Family + ?Sized> Configure for Beside<F> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let Beside { recipe, others, owner } = self;
        recipe.config().walk(&mut Renamed::new(walk, |one: &Parameter| {
            own(others, owner, &one.name).map_or_else(|| one.clone(), |name| one.called(name))
        }));
    }
}

/// One of a [`Family`], with its parameters, not built yet.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use forebay_parameters::{Choice, Configure, Family, Registry, set};
///
/// // What the house says once:
/// trait BufferPolicy { fn limit(&self) -> u64; }
/// impl Family for dyn BufferPolicy {
///     const WHAT: &'static str = "buffer policy";
///     type Shape = u64; // cells of the buffer
///     type Built = Box<dyn BufferPolicy>;
/// }
///
/// // What a stranger writes:
/// #[derive(Clone, Configure)]
/// struct Share {
///     /// A queue may hold one part of so many.
///     #[parameter(assumed = "half", range = 1.., default = 2)]
///     of: u64,
/// }
/// struct Limit(u64);
/// impl BufferPolicy for Limit { fn limit(&self) -> u64 { self.0 } }
///
/// let share = Choice::<dyn BufferPolicy>::new("share", "an equal part for each", Share::default(),
///     |share, cells| Ok(Box::new(Limit(cells / share.of))));
/// // By value, or by name through a registry; its parameters are set as those of any other.
/// assert_eq!(share.build(&100)?.limit(), 50);
/// let registry = Registry::of([]).with(share)?;
/// let mut mine = registry.named("share")?.clone();
/// set(&mut mine, &[("of", "4")])?;
/// assert_eq!(mine.build(&100)?.limit(), 25);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Choice<F: Family + ?Sized> {
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    about: Cow<'static, str>,
    /// Its name, if it declares no other.
    prefix: Option<&'static str>,
    recipe: Box<dyn Recipe<F>>,
}

impl<F: Family + ?Sized> Choice<F> {
    /// Called `name`, in figures too; `about` is what it does, in one sentence; `config` has its
    /// parameters at their defaults (`()` for none), and `build` makes it.
    pub fn new<C>(
        name: impl Into<Cow<'static, str>>,
        about: impl Into<Cow<'static, str>>,
        config: C,
        build: impl Fn(&C, &F::Shape) -> Result<F::Built, ParameterError>
        + Clone
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        C: Configure + Clone + Send + Sync + 'static,
    {
        let name = name.into();
        let recipe = Box::new(Made { config, build });
        Choice { label: name.clone(), name, about: about.into(), prefix: None, recipe }
    }

    /// The same, with this label in figures.
    #[must_use]
    pub fn labelled(self, label: impl Into<Cow<'static, str>>) -> Self {
        Choice { label: label.into(), ..self }
    }

    /// The same, with this before its parameters where those of several choices stand together:
    /// variants of one thing share it, and an empty one lets them stand as they are.
    #[must_use]
    pub fn prefixed(self, prefix: &'static str) -> Self {
        Choice { prefix: Some(prefix), ..self }
    }

    /// What stands before its parameters where those of several choices stand together: its name,
    /// or what it [declares](Choice::prefixed).
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.prefix.unwrap_or(&self.name)
    }

    /// The same where its parameters stand beside `others`: one that is called as one of these has
    /// the choice's name before its own, as `keep_room_cell`.
    #[must_use]
    pub fn beside(self, others: &'static [Parameter]) -> Self {
        let owner = self.name.replace('-', "_");
        let recipe = Box::new(Beside { recipe: self.recipe, others, owner });
        Choice { recipe, ..self }
    }

    /// Builds it.
    ///
    /// # Errors
    /// A parameter that does not fit, or does not fit the shape.
    pub fn build(&self, shape: &F::Shape) -> Result<F::Built, ParameterError> {
        self.recipe.build(shape)
    }
}

impl<F: Family + ?Sized> Entry for Choice<F> {
    const WHAT: &'static str = F::WHAT;

    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn about(&self) -> &str {
        &self.about
    }
}

impl<F: Family + ?Sized> Configure for Choice<F> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.recipe.config().walk(walk);
    }
}

impl<F: Family + ?Sized> Clone for Choice<F> {
    fn clone(&self) -> Self {
        let (name, label, about) = (self.name.clone(), self.label.clone(), self.about.clone());
        Choice { name, label, about, prefix: self.prefix, recipe: self.recipe.copy() }
    }
}

/// Its name and parameters, as `dt(alpha = 1)`.
impl<F: Family + ?Sized> fmt::Debug for Choice<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (index, one) in listed(&mut self.clone()).iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} = {}", one.parameter.name, one.value)?;
        }
        f.write_str(")")
    }
}

/// Equal if they have the same name and parameters.
impl<F: Family + ?Sized> PartialEq for Choice<F> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && listed(&mut self.clone()) == listed(&mut other.clone())
    }
}

/// A choice as a field: its value is the name, and another is taken from the registry. What it
/// holds by now stays, parameters included, if it is chosen again.
pub struct Chosen<'a, F: Family + ?Sized> {
    /// The field, which another choice replaces.
    pub choice: &'a mut Choice<F>,
    /// What there is.
    pub among: &'a Choices<F>,
}

impl<F: Family + ?Sized> Setting for Chosen<'_, F> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let Value::Text(name) = value else { return Err(format!("{value} is not a name")) };
        if *name != self.choice.name {
            *self.choice = self.among.named(name).map_err(|error| error.to_string())?.clone();
        }
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Text(self.choice.name.clone().into_owned())
    }
}

/// Choices by name.
pub type Choices<F> = Registry<Choice<F>>;

/// No parameters.
impl Configure for () {
    fn walk(&mut self, _walk: &mut dyn Walk) {}
}

/// Those of what there is.
impl<C: Configure> Configure for Option<C> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        if let Some(config) = self {
            config.walk(walk);
        }
    }
}
