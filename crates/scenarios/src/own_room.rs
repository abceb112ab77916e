//! What experiments call the parameters of what comes from other crates, so that none is taken for
//! one of ours.

use forebay_parameters::{Choice, Choices, Entry, Family, Listed, Parameter, listed_all};

/// The parameters of a choice that stand under its own name, as `scheduler.NAME_PARAMETER`. A
/// built-in one has none: all share their names. Of any other these are all but those that a
/// built-in one has too, declared by the very same words and with the same default.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnRoom {
    of: String,
    own: Vec<Parameter>,
}

impl OwnRoom {
    /// The room of a choice beside the built-in ones; the scenario sets what is in `common` itself,
    /// so its default is of no account.
    pub(crate) fn of<F: Family + ?Sized>(
        choice: &Choice<F>,
        built_in: &Choices<F>,
        common: &[&str],
    ) -> Self {
        if built_in.get(choice.name()).is_some() {
            return OwnRoom::default();
        }
        let ours: Vec<Listed> =
            built_in.iter().flat_map(|one| listed_all(&mut one.clone())).collect();
        let is_ours = |one: &Listed| {
            let is_common = common.contains(&&*one.parameter.name);
            let same = ours.iter().filter(|other| other.parameter == one.parameter);
            same.into_iter().any(|other| is_common || other.value == one.value)
        };
        let all = listed_all(&mut choice.clone()).into_iter();
        let own = all.filter(|one| !is_ours(one)).map(|one| one.parameter).collect();
        OwnRoom { of: choice.name().to_owned(), own }
    }

    /// What a parameter in it is called in `group`; none if it is not in it.
    pub(crate) fn name(&self, group: &str, parameter: &Parameter) -> Option<String> {
        self.own.contains(parameter).then(|| under(group, &self.of, &parameter.name))
    }

    /// The parameter of this name in it.
    pub(crate) fn get(&self, name: &str) -> Option<&Parameter> {
        self.own.iter().find(|one| one.name == name)
    }
}

/// A parameter under the name of what has it: `policy.keep_room_kept`, and so is one that is called
/// `keep_room_kept` already.
pub(crate) fn under(group: &str, name: &str, parameter: &str) -> String {
    let owner = name.replace('-', "_");
    let own = parameter.strip_prefix(&*owner).and_then(|rest| rest.strip_prefix('_'));
    format!("{group}.{owner}_{}", own.unwrap_or(parameter))
}
