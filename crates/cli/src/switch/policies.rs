//! The policies of a lab's switches while it runs, each of which may change: what was said of each,
//! from which its switch is made.

use std::path::{Path, PathBuf};

use forebay_dataplane::fabric::Shapes;
use forebay_dataplane::link::NewPolicy;
use forebay_parameters::{Kind, listed_all};
use forebay_switch::{Catalogue, SwitchConfig};

use super::file::{self, KEYS, Lab, Source};
use super::parameters;
use crate::Failure;
use crate::net::wrong;
use crate::recorded::CHANGEABLE;

/// Where a file is that a lab names.
pub(super) type Beside<'a> = Box<dyn Fn(&Path) -> PathBuf + Send + 'a>;

/// What each switch of a lab is made of.
pub(super) struct LabPolicies<'a> {
    /// By switch.
    pub(super) sources: Vec<Source>,
    pub(super) beside: Beside<'a>,
    pub(super) catalogue: Catalogue,
    pub(super) shapes: Shapes,
}

impl LabPolicies<'_> {
    /// The lab, if `set` is said of the policy of this switch.
    pub(super) fn said(
        &self,
        device: u32,
        set: &[(String, String)],
    ) -> Result<(Source, Lab), Failure> {
        let Some(source) = self.sources.get(device as usize) else {
            let problem = match self.sources.len() {
                0 => "there is no switch".to_owned(),
                count => format!("the switches have numbers from 0 to {}", count - 1),
            };
            return Err(Failure::input(format!("error: device {device}: {problem}")));
        };
        let own = |(key, value): &(String, String)| {
            let key = match KEYS.contains(&key.as_str()) {
                true => key.clone(),
                // What is said of this switch alone holds against what was said of all.
                false => format!("{}.s{}.{key}", parameters::TABLE, device + 1),
            };
            (key, value.clone())
        };
        let set: Vec<(String, String)> = set.iter().map(own).collect();
        let mut source = source.clone();
        file::replace_policy(&mut source, &set);
        let lab = file::read(&source, &self.beside, &self.catalogue)?;
        Ok((source, lab))
    }

    /// What is made of the policies of these switches, if `set` is said of them; from then on it
    /// is. All of them change, or none does.
    pub(super) fn change(
        &mut self,
        devices: &[u32],
        set: &[(String, String)],
    ) -> Result<Vec<(u32, NewPolicy)>, Failure> {
        check(set)?;
        let mut devices = devices.to_vec();
        devices.sort_unstable();
        devices.dedup();
        if devices.is_empty() {
            return Err(Failure::input("error: name at least one switch"));
        }
        let (mut policies, mut sources) = (Vec::new(), Vec::new());
        for device in devices {
            let (source, lab) = self.said(device, set)?;
            let switch = lab.config.switch_of(device);
            refuse_paths(switch, set)?;
            let made = self.shapes.policy(device, switch, lab.config.rules.clone());
            let made = made.map_err(|error| lab.refused(&source, device as usize, &error))?;
            policies.extend(made.map(|policy| (device, policy)));
            sources.push((device, source));
        }
        for (device, source) in sources {
            self.sources[device as usize] = source;
        }
        Ok(policies)
    }
}

/// That these keys can be changed while a lab runs, each given once.
fn check(set: &[(String, String)]) -> Result<(), Failure> {
    for (place, (key, _)) in set.iter().enumerate() {
        if set[..place].iter().any(|(other, _)| other == key) {
            return Err(wrong(key, "it is given twice; give one value"));
        }
        let is_key = KEYS.contains(&key.as_str()) || file::is_in_table(key);
        if is_key && !CHANGEABLE.contains(&key.as_str()) || key.contains(char::is_whitespace) {
            return Err(wrong(key, "it cannot be changed while the lab runs"));
        }
    }
    Ok(())
}

/// Nobody who changes a policy from elsewhere names a file of this machine.
pub(crate) fn refuse_paths(switch: &SwitchConfig, set: &[(String, String)]) -> Result<(), Failure> {
    let all = listed_all(&mut switch.clone());
    let paths = all.iter().filter(|one| one.parameter.kind == Kind::Path);
    for path in paths {
        let (full, word) = (&*path.parameter.name, path.parameter.word());
        if let Some((key, _)) = set.iter().find(|(key, _)| key == full || key == word) {
            return Err(wrong(key, "it names a file, and cannot be changed while all runs"));
        }
    }
    Ok(())
}
