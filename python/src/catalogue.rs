//! What the package knows by name: the built-in policies and scenarios, or those that a stranger's
//! extension module has given before anything was asked for; and the rank functions that Python has
//! added since.

use std::error::Error;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forebay_lab::ScenarioRegistry;
use forebay_parameters::{Choice, Entry};
use forebay_scenarios::Policies;
use forebay_sched::RankFunction;
use forebay_switch::Catalogue;
use pyo3::prelude::*;

use crate::errors::{self, InternalError};

/// Makes the scenarios over these policies: again whenever Python adds to them.
pub type Scenarios = fn(&Policies) -> Result<ScenarioRegistry, Box<dyn Error>>;

/// What is known, and what it was made from.
struct Known {
    given: Policies,
    scenarios: Scenarios,
    /// The rank functions that Python has added.
    added: Vec<Choice<dyn RankFunction>>,
    policies: Arc<Policies>,
    registry: Arc<ScenarioRegistry>,
}

impl Known {
    fn new(given: Policies, scenarios: Scenarios) -> Result<Self, Box<dyn Error>> {
        let policies = Arc::new(given.clone());
        let registry = Arc::new(scenarios(&policies)?);
        Ok(Known { given, scenarios, added: Vec::new(), policies, registry })
    }

    fn built_in() -> Self {
        let given = Policies::default();
        let policies = Arc::new(given.clone());
        // Without a stranger's entries its declarations are sound, as a test of that crate says.
        let registry = Arc::new(forebay_scenarios::registry(&policies).unwrap_or_default());
        let scenarios: Scenarios = |policies| Ok(forebay_scenarios::registry(policies)?);
        Known { given, scenarios, added: Vec::new(), policies, registry }
    }

    /// Adds a rank function, or puts it in place of the one that Python had added by its name.
    /// Answers what was known before.
    fn add(&mut self, rank: &Choice<dyn RankFunction>) -> Result<Known, Box<dyn Error>> {
        let mut added = self.added.clone();
        added.retain(|other| other.name() != rank.name());
        added.push(rank.clone());
        let given = self.given.clone();
        let with = |switches: Catalogue, rank: &Choice<_>| switches.with_rank(rank.clone());
        let switches = added.iter().try_fold(given.switches.clone(), with)?;
        let policies = Arc::new(Policies { switches, ..given.clone() });
        let (registry, scenarios) = (Arc::new((self.scenarios)(&policies)?), self.scenarios);
        Ok(mem::replace(self, Known { given, scenarios, added, policies, registry }))
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

/// What can be chosen by name.
pub(crate) fn policies() -> Arc<Policies> {
    known(|known| Arc::clone(&known.policies))
}

/// The scenarios that experiments can name.
pub(crate) fn registry() -> Arc<ScenarioRegistry> {
    known(|known| Arc::clone(&known.registry))
}

/// Adds a rank function of Python's; what was made before keeps what it has.
pub(crate) fn add(rank: &Choice<dyn RankFunction>) -> PyResult<()> {
    // What was known before is dropped here, unlocked: a function that leaves may run finalizers of
    // Python's.
    known(|known| known.add(rank)).map(drop).map_err(errors::shape)
}

/// Whether the rank function of this name is one that Python has added.
pub(crate) fn is_added(name: &str) -> bool {
    known(|known| known.added.iter().any(|one| one.name() == name))
}

/// Makes these the policies and scenarios of the package: the first thing that the initialization
/// of a stranger's module does. False, and without effect, if names have been looked up already.
///
/// # Errors
/// What `scenarios` answers.
pub fn extend(policies: Policies, scenarios: Scenarios) -> PyResult<bool> {
    let given = Known::new(policies, scenarios);
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
