//! The table `[parameters]` of a lab's file: parameters of its switches, and in `[parameters.s1]`
//! those of one of them alone.

use std::collections::BTreeMap;

use forebay_parameters::{ParameterError, Problem};
use forebay_switch::{SwitchBuildError, SwitchConfig};
use toml::{Table, Value};

use super::file::{KEYS, shown};
use crate::Failure;
use crate::net::{SwitchArguments, decided, wrong};
use crate::settings::{self, Decided};

/// The table's name.
pub(super) const TABLE: &str = "parameters";

/// The name of the parameter that `--set` means: the table's name may be left out.
pub(super) fn of(key: &str) -> &str {
    inside(key).unwrap_or(key)
}

/// What stands behind the table's name.
fn inside(key: &str) -> Option<&str> {
    key.strip_prefix(TABLE)?.strip_prefix('.')
}

/// Whether `--set` with this key set the parameter that an error calls `option`: the parameter may
/// be called by its last word.
pub(super) fn is_named(key: &str, option: &str) -> bool {
    let Some(full) = inside(option) else { return false };
    let (key, last) = (of(key), full.rsplit('.').next());
    // Of one switch or of all: a word is not taken for the other's.
    let is_same_switch = numbered(key).map(|(number, _)| number) == numbered(full).map(|one| one.0);
    key == full || is_same_switch && key.rsplit('.').next() == last
}

/// The number of the switch whose parameter this is, and the parameter, if it is of one alone.
fn numbered(name: &str) -> Option<(u32, &str)> {
    let (switch, name) = name.split_once('.')?;
    let number: u32 = switch.strip_prefix('s')?.parse().ok()?;
    Some((number.checked_sub(1)?, name))
}

/// Sets a parameter in the table of a lab's file.
///
/// # Errors
/// Where a group would be, there is a value.
pub(super) fn put(file: &mut Table, name: &str, value: Value) -> Result<(), String> {
    let mut table = file;
    let mut path = vec![TABLE];
    path.extend(name.split('.'));
    let last = path.pop().unwrap_or_default();
    for (depth, group) in path.iter().enumerate() {
        let inner = table.entry(*group).or_insert_with(|| Value::Table(Table::new()));
        let Some(inner) = inner.as_table_mut() else {
            return Err(format!("{} is no group of parameters", path[..=depth].join(".")));
        };
        table = inner;
    }
    table.insert(last.to_owned(), value);
    Ok(())
}

/// Why a switch cannot be built: said of the parameter of the table that is to blame, if one is, or
/// of the file's key that stands for it. `number` is the switch's, from 0; `given` are the names of
/// the table's parameters.
pub(super) fn refused(
    given: &[String],
    number: u32,
    switch: &SwitchConfig,
    error: &SwitchBuildError,
) -> Failure {
    let error = switch.refuse(error, "topology");
    let Some(cause) = error.cause() else { return wrong(error.name(), error.sentence()) };
    let last = cause.name().rsplit('.').next();
    let names = |given: &&String| {
        let own = numbered(given);
        let name = own.map_or(given.as_str(), |(_, name)| name);
        own.is_none_or(|(own, _)| own == number)
            && (name == cause.name() || name.rsplit('.').next() == last)
    };
    // What is set for one switch alone counts more than what is set for all.
    let own = given.iter().filter(names).max_by_key(|given| numbered(given).is_some());
    match own {
        Some(name) => wrong(&format!("{TABLE}.{name}"), cause.sentence()),
        None => wrong(error.name(), error.sentence()),
    }
}

/// The names of the parameters that a table gives.
pub(super) fn names(table: &Table) -> Result<Vec<String>, Failure> {
    Ok(flat(table)?.into_iter().map(|(name, _)| name).collect())
}

/// What parameters are set beside.
pub(super) struct Parameters<'a> {
    /// What the file's other keys say of the switch.
    pub(super) switches: &'a SwitchArguments,
    /// How many classes they say there are.
    pub(super) classes: Option<u16>,
    /// What `--set` named without the table's name.
    pub(super) bare: &'a [&'a str],
}

impl Parameters<'_> {
    /// The switch with what the table sets for all, and those of `count` switches for which it sets
    /// something of their own.
    pub(super) fn set(
        &self,
        mut switch: SwitchConfig,
        table: &Table,
        count: u32,
    ) -> Result<(SwitchConfig, BTreeMap<u32, SwitchConfig>), Failure> {
        let (mut all, mut own) = (Vec::new(), BTreeMap::<u32, Vec<(String, String)>>::new());
        for (name, value) in flat(table)? {
            match numbered(&name) {
                None => all.push((name, value)),
                Some((number, _)) if number >= count => {
                    let problem = match count {
                        0 => "there is no switch".to_owned(),
                        1 => "the only switch is s1".to_owned(),
                        _ => format!("the switches are s1 to s{count}"),
                    };
                    return Err(wrong(&format!("{TABLE}.{name}"), problem));
                }
                Some((number, name)) => {
                    own.entry(number).or_default().push((name.to_owned(), value));
                }
            }
        }
        self.set_in(&mut switch, &all, "")?;
        let mut others = BTreeMap::new();
        for (number, set) in own {
            let mut other = switch.clone();
            self.set_in(&mut other, &set, &format!("s{}.", number + 1))?;
            others.insert(number, other);
        }
        Ok((switch, others))
    }

    fn set_in(
        &self,
        switch: &mut SwitchConfig,
        given: &[(String, String)],
        group: &str,
    ) -> Result<(), Failure> {
        let options = decided(switch, self.switches, &[("classes", self.classes.is_some())]);
        // What is an option on a command line is a key here.
        let keys: Vec<(String, String)> =
            options.into_iter().map(|(name, by)| (name, by.replacen("--", "", 1))).collect();
        let keys: Vec<Decided<'_>> = keys.iter().map(|(name, by)| (&**name, &**by)).collect();
        settings::set(std::slice::from_mut(switch), given, &keys).map_err(|error| {
            let name = error.name();
            let sentence = match error.problem() {
                Problem::Unknown(known) if self.bare.contains(&name) => {
                    let known = known.iter().map(String::as_str).chain(KEYS);
                    ParameterError::unknown(name, known).sentence()
                }
                Problem::Unknown(_) | Problem::Value(_) => error.sentence(),
            };
            wrong(&format!("{TABLE}.{group}{name}"), sentence)
        })
    }
}

/// The parameters of a table by their names, with the groups that they are in.
fn flat(table: &Table) -> Result<Vec<(String, String)>, Failure> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                let of_group = |(name, value)| (format!("{key}.{name}"), value);
                all.extend(flat(inner)?.into_iter().map(of_group));
            }
            value => {
                let text =
                    shown(value).map_err(|problem| wrong(&format!("{TABLE}.{key}"), problem))?;
                all.push((key.clone(), text));
            }
        }
    }
    Ok(all)
}
