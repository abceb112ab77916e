//! What each flow offers: its rate and its class, from the lists of the parameters.

use forebay_lab::{ConfigError, Resolved};
use forebay_sched::Packet;
use forebay_sched::tree::TreeConfig;
use forebay_units::{Bytes, Rate};

/// The most flows.
const FLOWS: usize = 1 << 12;

/// The flows, one after the other.
pub(super) struct Offers {
    /// What each sends if it may.
    pub(super) demands: Vec<Rate>,
    classes: Vec<u8>,
    size: u32,
}

impl Offers {
    /// Reads the parameters.
    ///
    /// # Errors
    /// Names the list that is none.
    pub(super) fn new(params: &Resolved) -> Result<Self, ConfigError> {
        let demands = list(params, "workload.demands", "write rates, as 10 Gb/s x3:500 Mb/s")?;
        let classes = list(params, "workload.classes", "write numbers up to 255, as 0:1x3")?;
        let size = params.bytes("link.packet")?.get();
        if !(1..=1 << 20).contains(&size) {
            return Err(params
                .blame("link.packet", "no packet is so large")
                .fix("give 1 B to 1 MiB"));
        }
        Ok(Offers { demands, classes, size: size as u32 })
    }

    /// A packet of `flow`, whose input has the flow's number too.
    pub(super) fn packet(&self, flow: u32) -> Packet {
        let class = self.classes.get(flow as usize).or(self.classes.last());
        let (class, input) = (class.copied().unwrap_or(0), flow.min(u16::MAX.into()) as u16);
        Packet { flow, class, input, size: self.size, ..Packet::default() }
    }

    /// The leaf of each flow.
    pub(super) fn leaves(&self, tree: &TreeConfig) -> Vec<Option<usize>> {
        (0..self.demands.len() as u32).map(|flow| tree.leaf_of(&self.packet(flow))).collect()
    }

    /// Refuses flows that no leaf takes, packets that are too large, and more that wait than may.
    pub(super) fn check(&self, params: &Resolved, tree: &TreeConfig) -> Result<(), ConfigError> {
        if let Some(flow) = self.leaves(tree).iter().position(Option::is_none) {
            let class = self.packet(flow as u32).class;
            let message =
                format!("no leaf of the tree takes flow {flow}, which is of class {class}");
            return Err(params
                .blame("workload.demands", message)
                .fix("give fewer flows, or a leaf the rule match = [{}]"));
        }
        if Bytes::new(self.size.into()) > tree.mtu {
            let message = format!("the tree takes packets of at most {}", tree.mtu);
            return Err(params.blame("link.packet", message).fix("give less, or raise its mtu"));
        }
        let waiting = params.count("workload.window")?.saturating_mul(self.demands.len() as u64);
        if waiting > tree.capacity as u64 {
            let message =
                format!("{waiting} packets may wait, but the tree holds {}", tree.capacity);
            return Err(params
                .blame("workload.window", message)
                .fix("give less, or raise its capacity"));
        }
        Ok(())
    }
}

/// The values of a text such as `1:2x3`: 1, 2, 2, 2.
fn list<T: std::str::FromStr + Copy>(
    params: &Resolved,
    name: &str,
    fix: &str,
) -> Result<Vec<T>, ConfigError> {
    let text = params.text(name)?;
    let bad = || params.blame(name, format!("\"{text}\" is no such list")).fix(fix.to_owned());
    let mut values = Vec::new();
    for part in text.split(':') {
        let (value, times) = part.rsplit_once('x').unwrap_or((part, "1"));
        let value: T = value.trim().parse().map_err(|_| bad())?;
        let times: usize = times.trim().parse().map_err(|_| bad())?;
        if times == 0 || times > FLOWS - values.len() {
            return Err(bad());
        }
        values.extend(std::iter::repeat_n(value, times));
    }
    Ok(values)
}
