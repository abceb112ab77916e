//! What the package knows by name: the built-in policies and scenarios, or those that a stranger's extension module
//! has given before anything was asked for.

use std::sync::OnceLock;

use forebay_lab::Registry;
use forebay_parameters::Entry;
use forebay_switch::Catalogue;

static KNOWN: OnceLock<(Catalogue, Registry)> = OnceLock::new();

fn known() -> &'static (Catalogue, Registry) {
    KNOWN.get_or_init(|| {
        let catalogue = Catalogue::default();
        let registry = forebay_scenarios::registry(&catalogue);
        (catalogue, registry)
    })
}

/// What switches can be made of.
pub(crate) fn catalogue() -> &'static Catalogue {
    &known().0
}

/// The scenarios.
pub(crate) fn registry() -> &'static Registry {
    &known().1
}

/// Makes these the policies and scenarios of the package: the first thing that the initialization of a stranger's
/// module does. False, and without effect, if names have been looked up already.
pub fn extend(catalogue: Catalogue, registry: Registry) -> bool {
    KNOWN.set((catalogue, registry)).is_ok()
}

/// The names of a registry, with what each does.
pub(crate) fn names<E: Entry>(entries: impl IntoIterator<Item = E>) -> Vec<(String, String)> {
    let line = |one: E| (one.name().to_owned(), one.about().to_owned());
    entries.into_iter().map(line).collect()
}
