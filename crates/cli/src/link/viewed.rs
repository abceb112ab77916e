//! A link as its view shows it.

use forebay_dataplane::link::NewPolicy;
use forebay_dataplane::live::Control;
use forebay_switch::Catalogue;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::policies::LinkPolicies;
use crate::view::{Bound, Policies, Served, described, known};
use crate::{Failure, terminal};

/// Serves the view of a link that these arguments describe.
pub(super) fn serve(
    bound: Bound,
    control: &Control,
    arguments: &Arguments,
    catalogue: &Catalogue,
) -> Result<Served, Failure> {
    terminal::warn(&format!("forebay link: shown at {}", bound.link()));
    bound.serve(control.clone(), LinkPolicies::new(arguments.clone(), catalogue))
}

impl Policies for LinkPolicies {
    fn about(&self) -> Value {
        let devices = [("up", "far"), ("down", "the command")];
        json!({
            "name": format!("link {}", self.arguments[0].link),
            "devices": devices.map(|(name, to)| json!({ "name": name, "ports": [to] })),
            "changeable": [0, 1],
            "all": "both directions",
            "elsewhere": "elsewhere",
            "policies": known(&self.catalogue),
        })
    }

    fn describe(&self, device: u32, switch: Option<&str>) -> Result<Value, Failure> {
        let present = self.arguments.get(device as usize).map(|own| own.switch.switch.clone());
        let other = switch.filter(|name| present.as_deref() != Some(name));
        let set: Vec<_> =
            other.map(|name| ("switch".to_owned(), name.to_owned())).into_iter().collect();
        let (arguments, read) = self.said(device, &set)?;
        let rules = [("class", &arguments.rules.class), ("rank", &arguments.rules.rank)];
        let rules = rules.map(|(key, rule)| (key, rule.clone().unwrap_or_default()));
        Ok(described(&arguments.switch.switch, other.is_some(), read.switch, rules))
    }

    fn change(
        &mut self,
        devices: &[u32],
        set: &[(String, String)],
    ) -> Result<Vec<(u32, NewPolicy)>, Failure> {
        LinkPolicies::change(self, devices, set)
    }
}
