//! What this machine lets a process do with real packets, found by trying.

use std::io;
use std::thread;

use super::clock::wake_in_time;
use super::line::{Backend, Line};
use super::namespace::{Isolation, Namespace, isolate};
use super::netlink::{Interface, Netlink};

/// The ends of a pair of interfaces: their names and addresses, which are of no vendor.
const ENDS: [(&str, [u8; 6]); 2] = [("here", [2, 0, 0, 0, 0, 1]), ("there", [2, 0, 0, 0, 0, 2])];
const MTU: u32 = 1500;
/// What a ring is given to try it: a few frames.
const MEMORY: usize = 1 << 20;

/// What works here; of what does not, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Namespaces can be made: by whom, in words.
    pub namespaces: Result<&'static str, String>,
    /// Frames can be taken and sent by each [`Backend`].
    pub rings: [(Backend, Result<(), String>); 2],
    /// A thread can be put before all that is not real-time (SCHED_FIFO).
    pub realtime: bool,
}

impl Abilities {
    /// Tries everything. Where only that is permitted, the process is then in a user namespace of
    /// its own, for good: to be called before any thread is started.
    #[must_use]
    pub fn tried() -> Self {
        // In a user namespace that is entered below, nothing real-time is permitted.
        let realtime = thread::scope(|scope| scope.spawn(wake_in_time).join().unwrap_or(false));
        let namespaces = match isolate(false) {
            Ok(Isolation::None) => Ok("in this machine's network"),
            Ok(Isolation::Apart) => Ok("in a user namespace, apart from this machine's network"),
            Err(error) => Err(error.to_string()),
        };
        let rings = Backend::ALL.map(|backend| {
            let opened = match &namespaces {
                Ok(_) => try_ring(backend).map_err(|error| error.to_string()),
                Err(_) => Err("no namespace can be made to try it in".to_owned()),
            };
            (backend, opened)
        });
        Abilities { namespaces, rings, realtime }
    }
}

/// Opens a ring on one end of a pair of interfaces, as links and labs have them.
fn try_ring(backend: Backend) -> io::Result<()> {
    let far = Namespace::new()?;
    Namespace::new()?.within(|| {
        let [here, there] = ENDS.map(|(name, address)| Interface { name, address });
        let mut inside = Netlink::open()?;
        inside.make_pair(here, there, &far, MTU)?;
        let index = inside.index(ENDS[0].0)?;
        inside.set_up(index)?;
        Line::open(backend, index, MTU, MEMORY).map(drop)
    })
}
