//! What the package knows by name: the built-in policies and scenarios, or those that a stranger's extension module
//! has given before anything was asked for; and the rank functions that Python has added since.

use std::error::Error;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forebay_lab::Registry;
use forebay_parameters::{Choice, Entry};
use forebay_sched::RankFunction;
use forebay_switch::Catalogue;
use pyo3::prelude::*;

use crate::errors::{self, InternalError};

/// Makes the scenarios over a catalogue: again whenever Python adds to it.
pub type Scenarios = fn(&Catalogue) -> Result<Registry, Box<dyn Error>>;

/// What is known, and what it was made from.
struct Known {
    given: Catalogue,
    scenarios: Scenarios,
    /// The rank functions that Python has added.
    added: Vec<Choice<dyn RankFunction>>,
    catalogue: Arc<Catalogue>,
    registry: Arc<Registry>,
}

impl Known {
    fn new(given: Catalogue, scenarios: Scenarios) -> Result<Self, Box<dyn Error>> {
        let catalogue = Arc::new(given.clone());
        let registry = Arc::new(scenarios(&catalogue)?);
        Ok(Known { given, scenarios, added: Vec::new(), catalogue, registry })
    }

    fn built_in() -> Self {
        let given = Catalogue::default();
        let catalogue = Arc::new(given.clone());
        // Without a stranger's entries its declarations are sound, as a test of that crate says.
        let registry = Arc::new(forebay_scenarios::registry(&catalogue).unwrap_or_default());
        let scenarios: Scenarios = |catalogue| Ok(forebay_scenarios::registry(catalogue)?);
        Known { given, scenarios, added: Vec::new(), catalogue, registry }
    }

    /// Adds a rank function, or puts it in place of the one that Python had added by its name. Answers what was
    /// known before.
    fn add(&mut self, rank: &Choice<dyn RankFunction>) -> Result<Known, Box<dyn Error>> {
        let mut added = self.added.clone();
        added.retain(|other| other.name() != rank.name());
        added.push(rank.clone());
        let with = |catalogue: Catalogue, rank: &Choice<_>| catalogue.with_rank(rank.clone());
        let catalogue = Arc::new(added.iter().try_fold(self.given.clone(), with)?);
        let registry = Arc::new((self.scenarios)(&catalogue)?);
        let (given, scenarios) = (self.given.clone(), self.scenarios);
        Ok(mem::replace(self, Known { given, scenarios, added, catalogue, registry }))
    }
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `look` answers leaves before it is dropped: the lock is free by then.
fn known<T>(look: impl FnOnce(&mut Known) -> T) -> T {
    let mut known = lock();
    look(known.get_or_insert_with(Known::built_in))
}

/// What switches can be made of.
pub(crate) fn catalogue() -> Arc<Catalogue> {
    known(|known| Arc::clone(&known.catalogue))
}

/// The scenarios that experiments can name.
pub(crate) fn registry() -> Arc<Registry> {
    known(|known| Arc::clone(&known.registry))
}

/// Adds a rank function of Python's; what was made before keeps what it has.
pub(crate) fn add(rank: &Choice<dyn RankFunction>) -> PyResult<()> {
    // What was known before is dropped here, unlocked: a function that leaves may run finalizers of Python's.
    known(|known| known.add(rank)).map(drop).map_err(errors::shape)
}

/// Whether the rank function of this name is one that Python has added.
pub(crate) fn is_added(name: &str) -> bool {
    known(|known| known.added.iter().any(|one| one.name() == name))
}

/// Makes these the policies and scenarios of the package: the first thing that the initialization of a stranger's
/// module does. False, and without effect, if names have been looked up already.
///
/// # Errors
/// What `scenarios` answers.
pub fn extend(catalogue: Catalogue, scenarios: Scenarios) -> PyResult<bool> {
    let given = Known::new(catalogue, scenarios);
    let given = given.map_err(|error| InternalError::new_err(error.to_string()))?;
    let mut known = lock();
    let is_first = known.is_none();
    known.get_or_insert(given);
    Ok(is_first)
}

/// The names of a registry, with what each does.
pub(crate) fn names<E: Entry>(entries: impl IntoIterator<Item = E>) -> Vec<(String, String)> {
    let line = |one: E| (one.name().to_owned(), one.about().to_owned());
    entries.into_iter().map(line).collect()
}
