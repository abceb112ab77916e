//! A lab as its view shows it.

use forebay_dataplane::fabric::{DeviceConfig, HostAddresses, Peer};
use forebay_dataplane::link::NewPolicy;
use forebay_dataplane::live::MOST_SHOWN;
use serde_json::{Value, json};

use super::policies::LabPolicies;
use crate::Failure;
use crate::view::{Policies, described, known};

/// A lab's policies, and what else its view tells.
pub(super) struct Viewed {
    pub(super) name: String,
    /// Each device's name, and where its ports lead.
    pub(super) devices: Vec<(String, Vec<String>)>,
    pub(super) policies: LabPolicies<'static>,
}

/// The names of devices, and where the ports of each lead.
pub(super) fn named(
    devices: &[DeviceConfig],
    hosts: &[HostAddresses],
    ports: &[String],
) -> Vec<(String, Vec<String>)> {
    let peer = |peer| match peer {
        Peer::Edge(edge) => {
            let mut names = hosts.iter().map(|host| &host.name).chain(ports);
            names.nth(edge as usize).cloned()
        }
        Peer::Port { device, .. } => devices.get(device as usize).map(|device| device.name.clone()),
    };
    let named = |device: &DeviceConfig| {
        let ports = device.ports.iter().map(|port| peer(port.peer).unwrap_or_default());
        (device.name.clone(), ports.collect())
    };
    devices.iter().map(named).collect()
}

impl Policies for Viewed {
    fn about(&self) -> Value {
        let switches = self.policies.sources.len();
        let device = |(number, (name, ports)): (usize, &(String, Vec<String>))| {
            // A host's card is called after it, as its interface is.
            let name = if number < switches { name.clone() } else { format!("{name}'s card") };
            json!({ "name": name, "ports": ports })
        };
        let shown = self.devices.iter().enumerate().take(MOST_SHOWN.max(switches)).map(device);
        json!({
            "name": format!("lab {}", self.name),
            "devices": shown.collect::<Vec<_>>(),
            "changeable": (0..switches).collect::<Vec<_>>(),
            "all": "all switches",
            "elsewhere": "elsewhere",
            "policies": known(&self.policies.catalogue),
        })
    }

    fn describe(&self, device: u32, switch: Option<&str>) -> Result<Value, Failure> {
        let (_, present) = self.policies.said(device, &[])?;
        let other = switch.filter(|name| present.switch != *name);
        let set: Vec<_> =
            other.map(|name| ("switch".to_owned(), name.to_owned())).into_iter().collect();
        let (source, lab) = self.policies.said(device, &set)?;
        let rules = ["class", "rank"].map(|key| (key, source.key(key).unwrap_or_default()));
        let switch = lab.config.switch_of(device).clone();
        Ok(described(&lab.switch, other.is_some(), switch, rules))
    }

    fn change(
        &mut self,
        devices: &[u32],
        set: &[(String, String)],
    ) -> Result<Vec<(u32, NewPolicy)>, Failure> {
        self.policies.change(devices, set)
    }
}
