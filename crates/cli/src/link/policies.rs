//! The policies of a link's two directions while it runs, each of which may change: the arguments
//! from which each is made.

use forebay_dataplane::link::NewPolicy;
use forebay_switch::{Catalogue, SwitchShape};

use super::arguments::Arguments;
use super::directions::{self, Described};
use super::policy::refused_as_set;
use crate::Failure;
use crate::net::{SwitchArguments, wrong};
use crate::recorded::{CHANGEABLE, POLICY};
use crate::replay::rules::RuleArguments;
use crate::switch::policies::refuse_paths;

/// The arguments of each direction, up and down: what they say of the other does not count.
pub(super) struct LinkPolicies {
    pub(super) arguments: [Arguments; 2],
    pub(super) catalogue: Catalogue,
}

impl LinkPolicies {
    pub(super) fn new(arguments: Arguments, catalogue: &Catalogue) -> Self {
        LinkPolicies { arguments: [arguments.clone(), arguments], catalogue: catalogue.clone() }
    }

    /// The arguments of a direction, if `set` is said of its policy, and what they describe.
    pub(super) fn said(
        &self,
        side: u32,
        set: &[(String, String)],
    ) -> Result<(Arguments, Described), Failure> {
        let Some(arguments) = self.arguments.get(side as usize) else {
            let problem = "the directions are 0 (up) and 1 (down)";
            return Err(Failure::input(format!("error: device {side}: {problem}")));
        };
        let mut arguments = arguments.clone();
        say(&mut arguments, set)?;
        let described = directions::read(&arguments, &self.catalogue)?;
        Ok((arguments, described))
    }

    /// What is made of the policies of these directions, if `set` is said of them; from then on it
    /// is. All of them change, or none does.
    pub(super) fn change(
        &mut self,
        sides: &[u32],
        set: &[(String, String)],
    ) -> Result<Vec<(u32, NewPolicy)>, Failure> {
        let mut sides = sides.to_vec();
        sides.sort_unstable();
        sides.dedup();
        if sides.is_empty() {
            return Err(Failure::input("error: name at least one direction"));
        }
        let (mut policies, mut said) = (Vec::new(), Vec::new());
        for side in sides {
            let (arguments, Described { directions, switch, rules }) = self.said(side, set)?;
            refuse_paths(&switch, set)?;
            let (config, pace) = &directions[side as usize];
            let shape = SwitchShape { index: 0, ports: &[pace.mean()] };
            let policy = NewPolicy::build(&switch, rules, &shape, config.mtu)
                .map_err(|error| refused_as_set(&switch, &error.into(), &arguments.set))?;
            policies.push((side, policy));
            said.push((side, arguments));
        }
        for (side, arguments) in said {
            self.arguments[side as usize] = arguments;
        }
        Ok(policies)
    }
}

/// Says `set` of the policy of some arguments. With `switch`, nothing of the policy before stays.
fn say(arguments: &mut Arguments, set: &[(String, String)]) -> Result<(), Failure> {
    if let Some((_, name)) = set.iter().find(|(key, _)| key == "switch") {
        arguments.switch =
            SwitchArguments { switch: name.clone(), tree: None, buffer: None, mark: None };
        arguments.rules = RuleArguments::default();
        arguments.set = directions::of_directions(std::mem::take(&mut arguments.set));
    }
    for (place, (key, value)) in set.iter().enumerate() {
        if set[..place].iter().any(|(other, _)| other == key) {
            return Err(wrong(key, "it is given twice; give one value"));
        }
        let is_of_link = POLICY.contains(&key.as_str()) && !CHANGEABLE.contains(&key.as_str())
            || !directions::of_directions(vec![(key.clone(), String::new())]).is_empty();
        if is_of_link {
            return Err(wrong(key, "it cannot be changed while the link runs"));
        }
        let size = || value.parse().map(Some).map_err(|error| wrong(key, format!("{error}")));
        match key.as_str() {
            "switch" => {}
            "buffer" => arguments.switch.buffer = size()?,
            "mark" => arguments.switch.mark = size()?,
            "rank" => arguments.rules.rank = Some(value.clone()),
            "class" => arguments.rules.class = Some(value.clone()),
            "classes" => {
                let count = value.parse().ok().filter(|count| (1..=256).contains(count));
                let problem = "give a whole number from 1 to 256";
                arguments.rules.classes = Some(count.ok_or_else(|| wrong(key, problem))?);
            }
            parameter => {
                arguments.set.retain(|(name, _)| name != parameter);
                arguments.set.push((key.clone(), value.clone()));
            }
        }
    }
    Ok(())
}
